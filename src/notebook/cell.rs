//! Changes one cell, and writes new cells.

use super::json::{Member, Value, find_member};
use super::layout::{Layout, colon};
use super::{CellError, Splice};
use crate::plan::{CellId, CellKind};

/// Returns the splices that set the `source` of the cell and, if given, its `kind`.
pub(super) fn replace(
    cell: Value<'_>,
    kind: Option<CellKind>,
    source: &str,
    most: u64,
) -> Result<Vec<Splice>, CellError> {
    let members = cell
        .members()
        .ok_or(CellError::Malformed("a cell is not an object"))?;
    let named = find_member(&members, "cell_type")
        .ok_or(CellError::Malformed("the cell has no cell_type"))?;
    let old: Option<String> = named.value.read();
    let mut change = CellSplices {
        cell,
        members: &members,
        cell_type: named,
        splices: Vec::new(),
        most,
    };
    if let Some(kind) = kind.filter(|kind| old.as_deref() != Some(kind.name())) {
        change
            .splices
            .push((named.value.start..named.value.end, quote_json(kind.name())));
    }
    if kind.map_or(old.as_deref() == Some(CellKind::Code.name()), |kind| {
        kind == CellKind::Code
    }) {
        // In the nbformat schema only the other kinds have attachments.
        change.remove_members(&["attachments"]);
        change.set_member(
            "execution_count",
            |value| value.raw() == "null",
            "null",
            InsertPosition::AfterCellType,
        );
        let is_empty = |value: Value<'_>| value.items().is_some_and(|items| items.is_empty());
        change.set_member("outputs", is_empty, "[]", InsertPosition::BeforeSource);
    } else {
        change.remove_members(&["execution_count", "outputs"]);
    }
    change.set_source(source)?;
    let mut splices = change.splices;
    // The sort is stable. Insertions at one offset keep their order and precede a removal that
    // starts at that offset.
    splices.sort_by_key(|(place, _)| (place.start, place.end));
    Ok(splices)
}

/// Returns the text of a new cell.
///
/// `outside` is the layout of the list of cells, `written_colon` the colon of the document with its
/// blanks. If the cell `like` is given, its layout is copied.
pub(super) fn write_cell(
    (outside, written_colon): (&Layout, String),
    template: Option<Value<'_>>,
    (kind, source, id): (CellKind, &str, Option<&CellId>),
    most: u64,
) -> Result<String, CellError> {
    let members = template.and_then(Value::members).unwrap_or_default();
    let layout = template
        .and_then(|like| Layout::of_object(like, &members))
        .unwrap_or_else(|| outside.inner());
    let colon = if members.is_empty() {
        written_colon
    } else {
        colon(&members)
    };
    let source = write_source(&layout.inner(), source, most)?;
    let is_code = kind == CellKind::Code;
    let parts = [
        ("cell_type", Some(quote_json(kind.name()))),
        ("execution_count", is_code.then(|| "null".to_owned())),
        ("id", id.map(|id| quote_json(id.as_str()))),
        ("metadata", Some("{}".to_owned())),
        ("outputs", is_code.then(|| "[]".to_owned())),
        ("source", Some(source)),
    ];
    let members = parts
        .into_iter()
        .filter_map(|(key, value)| Some(format!("\"{key}\"{colon}{}", value?)));
    layout
        .write(('{', '}'), members, most)
        .ok_or(CellError::TooLarge)
}

/// The splices of one cell while they are collected.
struct CellSplices<'m, 'a> {
    cell: Value<'a>,
    members: &'m [Member<'a>],
    /// The `cell_type` member. It is never removed, so new members can be inserted after it.
    cell_type: &'m Member<'a>,
    splices: Vec<Splice>,
    most: u64,
}

/// The position at which a missing member is inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InsertPosition {
    /// Before `source`, because nbformat sorts keys.
    BeforeSource,
    /// After `cell_type`.
    AfterCellType,
}

impl CellSplices<'_, '_> {
    /// Sets the member `name` to `new`, unless `is_right` accepts the existing value.
    fn set_member(
        &mut self,
        name: &str,
        is_right: impl Fn(Value<'_>) -> bool,
        new: &str,
        before: InsertPosition,
    ) {
        match find_member(self.members, name) {
            Some(old) if is_right(old.value) => {}
            Some(old) => self
                .splices
                .push((old.value.start..old.value.end, new.to_owned())),
            None => self.insert_member(name, new, before),
        }
    }

    fn insert_member(&mut self, name: &str, value: &str, before: InsertPosition) {
        let between = self.layout().between;
        let added = format!("\"{name}\"{}{value}", colon(self.members));
        let (at, text) = match find_member(self.members, "source") {
            Some(source) if before == InsertPosition::BeforeSource => {
                (source.key.start, format!("{added},{between}"))
            }
            _ => (self.cell_type.value.end, format!(",{between}{added}")),
        };
        self.splices.push((at..at, text));
    }

    /// Removes every member in `names`. At least one member must remain.
    fn remove_members(&mut self, names: &[&str]) {
        let goes = |member: &Member<'_>| {
            member
                .name
                .as_deref()
                .is_some_and(|name| names.contains(&name))
        };
        let mut is_any_before = false;
        for (index, member) in self.members.iter().enumerate() {
            if !goes(member) {
                is_any_before = true;
                continue;
            }
            // Remove the comma before the member. If no earlier member remains, remove the comma
            // after it. A later member then exists, because one member remains.
            let place = match self.members.get(index + 1) {
                Some(next) if !is_any_before => member.key.start..next.key.start,
                _ => self.members[index - 1].value.end..member.value.end,
            };
            self.splices.push((place, String::new()));
        }
    }

    fn set_source(&mut self, source: &str) -> Result<(), CellError> {
        let inner = self.layout().inner();
        let Some(old) = find_member(self.members, "source").map(|member| member.value) else {
            let list = write_source(&inner, source, self.most)?;
            self.insert_member("source", &list, InsertPosition::AfterCellType);
            return Ok(());
        };
        let items = old.items().unwrap_or_default();
        let is_same = old
            .read::<Vec<String>>()
            .is_some_and(|lines| source.split_inclusive('\n').eq(lines));
        if is_same {
            return Ok(());
        }
        let layout = match Layout::of_list(old, &items) {
            // A single line on the same line as the brackets does not show the separator between
            // two lines.
            Some(layout) if items.len() > 1 || layout.is_multiline() || !source.contains('\n') => {
                layout
            }
            _ => inner,
        };
        self.splices.push((
            old.start..old.end,
            write_source(&layout, source, self.most)?,
        ));
        Ok(())
    }

    fn layout(&self) -> Layout {
        Layout::of_object(self.cell, self.members).unwrap_or_else(|| Layout::on_one_line(" "))
    }
}

/// Returns `source` as a list of lines. Each line includes its line feed; the last may have none.
fn write_source(layout: &Layout, source: &str, most: u64) -> Result<String, CellError> {
    layout
        .write(
            ('[', ']'),
            source.split_inclusive('\n').map(quote_json),
            most,
        )
        .ok_or(CellError::TooLarge)
}

fn quote_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
