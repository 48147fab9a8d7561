//! Changes of cells of notebooks: what must come is the notebook that is written with the other
//! cell.

use serde_json::json;
use wpatch::engine::options::{CellEdit, CellId, CellKind, CellPosition};
use wpatch::workspace::memory::Entry;

use super::Case;
use super::calls::{Asks, Call};
use super::trees::{Forest, fresh};
use crate::dice::Dice;
use crate::tree::path;

/// One cell: its members as they are written, the source as lines.
#[derive(Clone)]
struct Cell {
    kind: CellKind,
    id: Option<String>,
    /// The value of `metadata`, as it is written.
    metadata: &'static str,
    count: &'static str,
    has_outputs: bool,
    /// The items of the source, as they are written.
    source: Vec<String>,
}

impl Cell {
    /// Returns a name of the cell, whose index is `at`: its id, or its place.
    fn name(&self, at: usize, dice: &mut Dice) -> String {
        match &self.id {
            Some(id) if dice.once_in(2) => id.clone(),
            _ => format!("cell-{at}"),
        }
    }
}

/// How a notebook is written.
struct Style {
    /// What begins a new line, with `None` for all on one line.
    step: Option<&'static str>,
    line_end: &'static str,
    colon: &'static str,
    comma: &'static str,
    is_closed: bool,
    minor: usize,
}

const KINDS: [CellKind; 3] = [CellKind::Code, CellKind::Markdown, CellKind::Raw];
const STEPS: [Option<&str>; 5] = [Some(" "), Some(" "), Some("  "), Some("\t"), None];
const METADATA: [&str; 4] = [
    "{}",
    r#"{"zoom": 1.50E+00, "a\/b" :null}"#,
    r#"{"x":[ ],"x":[]}"#,
    "{ }",
];
const LINES: [&str; 4] = [
    r#""caf\u00e9\n""#,
    r#""a = \"1\"\n""#,
    r#""\n""#,
    r#""last""#,
];

/// Returns a tree with a notebook in it, and a change of one of its cells.
pub(super) fn case(dice: &mut Dice) -> Option<Case> {
    let mut forest = Forest::new(dice);
    let style = style(dice);
    let mut cells: Vec<_> = (0..dice.below(5))
        .map(|index| cell(index, &style, dice))
        .collect();
    let name = "d/n.ipynb";
    forest.tree.insert(
        path(name),
        Entry {
            mode: 0o640,
            ..Entry::file(style.write(&cells))
        },
    );
    forest.tree.insert(path("n.ipynb"), Entry::link(name));
    let (way, edit) = change(&mut cells, &style, dice)?;
    let asks = Asks::Notebook(dice.one(&[name, "n.ipynb"]).to_owned(), edit);
    let after = forest.with(&[(name, style.write(&cells).into_bytes())]);
    Some(Case {
        after,
        before: forest.tree,
        calls: vec![Call { way, asks }],
    })
}

/// Makes a change of `cells`, and returns what asks for it.
fn change(
    cells: &mut Vec<Cell>,
    style: &Style,
    dice: &mut Dice,
) -> Option<(&'static str, CellEdit)> {
    let at = dice.below(cells.len());
    let lines: Vec<_> = (0..=dice.below(3)).map(|_| fresh(dice)).collect();
    let source = lines.join("\n");
    let items = source
        .split_inclusive('\n')
        .map(|line| json!(line).to_string())
        .collect();
    let kind = dice.one(&KINDS);
    match dice.below(3) {
        0 if !cells.is_empty() => {
            let wanted = dice.once_in(2).then_some(kind);
            let edit = CellEdit::Replace {
                cell: cells[at].name(at, dice),
                kind: wanted,
                source,
            };
            let cell = &mut cells[at];
            cell.kind = wanted.unwrap_or(cell.kind);
            (cell.count, cell.has_outputs, cell.source) = ("null", false, items);
            Some(("notebook replace", edit))
        }
        1 if !cells.is_empty() => {
            let edit = CellEdit::Delete {
                cell: cells[at].name(at, dice),
            };
            cells.remove(at);
            Some(("notebook delete", edit))
        }
        2 => {
            let (at, place) = place(cells, at, dice);
            let id = (style.minor > 4).then(|| "new".to_owned());
            let edit = CellEdit::Insert {
                place,
                kind,
                source,
                id: id.clone().and_then(CellId::new),
            };
            let metadata = METADATA[0];
            cells.insert(
                at,
                Cell {
                    kind,
                    id,
                    metadata,
                    count: "null",
                    has_outputs: false,
                    source: items,
                },
            );
            Some(("notebook insert", edit))
        }
        _ => None,
    }
}

/// Returns the index of a new cell, and the place that asks for it: after the cell `at`, or at an
/// end.
fn place(cells: &[Cell], at: usize, dice: &mut Dice) -> (usize, CellPosition) {
    match dice.below(3) {
        0 if !cells.is_empty() => (at + 1, CellPosition::After(cells[at].name(at, dice))),
        1 => (cells.len(), CellPosition::End),
        _ => (0, CellPosition::Start),
    }
}

fn style(dice: &mut Dice) -> Style {
    let step = dice.one(&STEPS);
    Style {
        step,
        line_end: dice.one(&["\n", "\n", "\r\n"]),
        colon: dice.one(&[": ", ": ", ":", " : "]),
        comma: if step.is_some() {
            ""
        } else {
            dice.one(&[" ", ""])
        },
        is_closed: dice.once_in(2),
        minor: 4 + dice.below(2),
    }
}

fn cell(index: usize, style: &Style, dice: &mut Dice) -> Cell {
    let mut source: Vec<_> = (0..dice.below(3))
        .map(|_| dice.one(&LINES[..3]).to_string())
        .collect();
    source.extend(dice.once_in(2).then(|| LINES[3].to_owned()));
    Cell {
        kind: dice.one(&KINDS),
        id: (style.minor > 4).then(|| format!("id-{index}")),
        metadata: dice.one(&METADATA),
        count: dice.one(&["null", "17"]),
        has_outputs: dice.once_in(2),
        source,
    }
}

impl Style {
    fn write(&self, cells: &[Cell]) -> String {
        let minor = self.minor.to_string();
        let cells = self.list(
            2,
            &cells.iter().map(|cell| self.cell(cell)).collect::<Vec<_>>(),
        );
        let members = [
            ("cells", &*cells),
            ("metadata", "{\"own\\/key\":  -0.0}"),
            ("nbformat", "4"),
            ("nbformat_minor", &minor),
        ];
        let members = members.map(|(key, value)| self.member(key, value));
        let end = if self.is_closed { self.line_end } else { "" };
        format!("{}{end}", self.between(["{", "}"], 1, &members))
    }

    fn cell(&self, cell: &Cell) -> String {
        let is_code = cell.kind == CellKind::Code;
        let output = self.between(["{", "}"], 5, &[self.member("output_type", "\"error\"")]);
        let outputs = self.list(
            4,
            if cell.has_outputs {
                std::slice::from_ref(&output)
            } else {
                &[]
            },
        );
        let id = cell.id.as_ref().map(|id| format!("\"{id}\""));
        let members = [
            Some(("cell_type", json!(cell.kind.name()).to_string())),
            is_code.then(|| ("execution_count", cell.count.to_owned())),
            id.map(|id| ("id", id)),
            Some(("metadata", cell.metadata.to_owned())),
            is_code.then_some(("outputs", outputs)),
            Some(("source", self.list(4, &cell.source))),
        ];
        let members = members
            .into_iter()
            .flatten()
            .map(|(key, value)| self.member(key, &value));
        self.between(["{", "}"], 3, &members.collect::<Vec<_>>())
    }

    fn member(&self, key: &str, value: &str) -> String {
        format!("\"{key}\"{}{value}", self.colon)
    }

    fn list(&self, depth: usize, items: &[String]) -> String {
        self.between(["[", "]"], depth, items)
    }

    /// Writes items, each on a line with this many steps before it.
    fn between(&self, [open, close]: [&str; 2], depth: usize, items: &[String]) -> String {
        if items.is_empty() {
            return format!("{open}{close}");
        }
        let line = |depth: usize| {
            self.step.map_or(String::new(), |step| {
                format!("{}{}", self.line_end, step.repeat(depth))
            })
        };
        let items = items.join(&format!(",{}{}", self.comma, line(depth)));
        format!("{open}{}{items}{}{close}", line(depth), line(depth - 1))
    }
}
