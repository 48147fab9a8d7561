//! The blanks around the values of a file, for text inserted there.

use super::json::{Member, Value};

/// The maximum length in bytes of blanks that are copied. Longer blanks are not a deliberate style.
const MAX_BLANKS: usize = 200;

/// The blanks between the brackets of a list or an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// After the opening bracket.
    pub(super) open: String,
    /// After each comma.
    pub(super) between: String,
    /// Before the closing bracket.
    pub(super) close: String,
}

impl Layout {
    /// Returns the layout of `container`, or `None` if it is empty. `items` contains the start and
    /// end offset of each item.
    pub(super) fn of(container: Value<'_>, items: &[(usize, usize)]) -> Option<Self> {
        let (first, last) = (items.first()?, items.last()?);
        let open = container.text_between(container.start + 1, first.0);
        let close = container.text_between(last.1, container.end - 1);
        let between = match items.get(1) {
            // The text between two items consists of blanks and one comma.
            Some(second) => container
                .text_between(first.1, second.0)
                .split_once(',')
                .map_or("", |(_, behind)| behind),
            None if open.contains('\n') => open,
            None => " ",
        };
        if [open, between, close]
            .iter()
            .any(|blanks| blanks.len() > MAX_BLANKS)
        {
            return Some(Self::on_one_line(" "));
        }
        Some(Self {
            open: open.to_owned(),
            between: between.to_owned(),
            close: close.to_owned(),
        })
    }

    /// Returns the layout of an object with `members`, or `None` if it is empty.
    pub(super) fn of_object(object: Value<'_>, members: &[Member<'_>]) -> Option<Self> {
        let items: Vec<_> = members
            .iter()
            .map(|member| (member.key.start, member.value.end))
            .collect();
        Self::of(object, &items)
    }

    /// Returns the layout of a list with `items`, or `None` if it is empty.
    pub(super) fn of_list(list: Value<'_>, items: &[Value<'_>]) -> Option<Self> {
        let items: Vec<_> = items.iter().map(|item| (item.start, item.end)).collect();
        Self::of(list, &items)
    }

    /// Returns a layout on one line, with `between` after each comma.
    pub(super) fn on_one_line(between: &str) -> Self {
        Self {
            open: String::new(),
            between: between.to_owned(),
            close: String::new(),
        }
    }

    pub(super) fn is_multiline(&self) -> bool {
        self.between.contains('\n')
    }

    /// Returns the layout for a container nested in this one: one step deeper, or also on one line.
    pub(super) fn inner(&self) -> Self {
        if !self.is_multiline() {
            return Self::on_one_line(&self.between);
        }
        let step = if self.close.contains('\n') {
            indentation(&self.between)
                .strip_prefix(indentation(&self.close))
                .unwrap_or(" ")
        } else {
            " "
        };
        let further = format!("{}{step}", self.between);
        Self {
            open: further.clone(),
            between: further,
            close: self.between.clone(),
        }
    }

    /// Writes `items` between `brackets`. Returns `None` if the result exceeds `most` bytes.
    pub(super) fn write(
        &self,
        brackets: (char, char),
        items: impl IntoIterator<Item = String>,
        most: u64,
    ) -> Option<String> {
        let mut out = String::from(brackets.0);
        let mut is_empty = true;
        for item in items {
            if !is_empty {
                out.push(',');
            }
            out.push_str(if is_empty { &self.open } else { &self.between });
            out.push_str(&item);
            is_empty = false;
            if out.len() as u64 > most {
                return None;
            }
        }
        if !is_empty {
            out.push_str(&self.close);
        }
        out.push(brackets.1);
        Some(out)
    }
}

/// Returns the colon between the first key of `members` and its value, with the blanks around it.
pub(super) fn colon(members: &[Member<'_>]) -> String {
    let written = members
        .first()
        .map(|member| member.key.text_between(member.key.end, member.value.start));
    written
        .filter(|written| written.len() <= MAX_BLANKS)
        .unwrap_or(": ")
        .to_owned()
}

/// Returns the part of `blanks` after the last line feed.
fn indentation(blanks: &str) -> &str {
    blanks.rsplit('\n').next().unwrap_or(blanks)
}
