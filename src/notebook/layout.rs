//! The blanks that a file has around its values, for what is written into it.

use super::json::{Member, Value};

/// Longest run of blanks that is taken over; what is longer is no style.
const MOST_BLANKS: usize = 200;

/// The blanks between the brackets of a list or of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Behind the opening bracket.
    pub(super) open: String,
    /// Behind each comma.
    pub(super) between: String,
    /// Before the closing bracket.
    pub(super) close: String,
}

impl Layout {
    /// Returns the layout of `container`, whose items stand at `items`, first and last offset;
    /// `None` if it has none.
    pub(super) fn of(container: Value<'_>, items: &[(usize, usize)]) -> Option<Self> {
        let (first, last) = (items.first()?, items.last()?);
        let open = container.between(container.start + 1, first.0);
        let close = container.between(last.1, container.end - 1);
        let between = match items.get(1) {
            // Nothing but blanks and one comma stands between two items.
            Some(second) => container
                .between(first.1, second.0)
                .split_once(',')
                .map_or("", |(_, behind)| behind),
            None if open.contains('\n') => open,
            None => " ",
        };
        if [open, between, close]
            .iter()
            .any(|blanks| blanks.len() > MOST_BLANKS)
        {
            return Some(Self::on_one_line(" "));
        }
        Some(Self {
            open: open.to_owned(),
            between: between.to_owned(),
            close: close.to_owned(),
        })
    }

    /// Returns the layout of an object with `members`.
    pub(super) fn of_object(object: Value<'_>, members: &[Member<'_>]) -> Option<Self> {
        let items: Vec<_> = members
            .iter()
            .map(|member| (member.key.start, member.value.end))
            .collect();
        Self::of(object, &items)
    }

    /// Returns the layout of a list with `items`.
    pub(super) fn of_list(list: Value<'_>, items: &[Value<'_>]) -> Option<Self> {
        let items: Vec<_> = items.iter().map(|item| (item.start, item.end)).collect();
        Self::of(list, &items)
    }

    /// Returns a layout on one line, with `between` behind commas.
    pub(super) fn on_one_line(between: &str) -> Self {
        Self {
            open: String::new(),
            between: between.to_owned(),
            close: String::new(),
        }
    }

    pub(super) fn is_on_lines(&self) -> bool {
        self.between.contains('\n')
    }

    /// Returns the layout of what stands in this one: one step further in, or on one line as well.
    pub(super) fn inner(&self) -> Self {
        if !self.is_on_lines() {
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

    /// Writes `items` between `brackets`; `None` if that makes more than `most` bytes.
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

/// Returns the blanks between a key and its value in `members`, colon included.
pub(super) fn colon(members: &[Member<'_>]) -> String {
    let written = members
        .first()
        .map(|member| member.key.between(member.key.end, member.value.start));
    written
        .filter(|written| written.len() <= MOST_BLANKS)
        .unwrap_or(": ")
        .to_owned()
}

/// Returns what stands behind the last line feed of `blanks`.
fn indentation(blanks: &str) -> &str {
    blanks.rsplit('\n').next().unwrap_or(blanks)
}
