//! The names of symbols in source code, as an edit states them, and what it does with them.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The name of a function, class or another symbol.
///
/// The names of the containers can precede the name, separated by `.`, `::` or `#`: `method`,
/// `Class.method` or `module::Class::method`. `.` or `::` at the start means the top level of the
/// file: `.function`. A `#` at the start is part of the name, as in `#private` of JavaScript. A line
/// number at the end selects one of several symbols with the same name: `method:12`. The line is the
/// one with the name of the symbol, or one with its comments and attributes.
///
/// # Examples
///
/// ```
/// use wpatch::plan::SymbolName;
///
/// let name: SymbolName = "Class.method".parse()?;
/// assert!(name.matches(&["module", "Class", "method"], || 1..=1));
/// assert!(!name.matches(&["Other", "method"], || 1..=1));
/// # Ok::<(), wpatch::plan::SymbolNameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolName {
    text: String,
    /// The name without the line and without the separator at the start.
    whole: String,
    components: Vec<String>,
    is_anchored: bool,
    line: Option<usize>,
}

/// The symbol that an edit concerns, and what the edit does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolTarget {
    /// The name of the symbol. It must denote exactly one symbol of the file.
    pub name: SymbolName,
    /// What the edit does.
    pub action: SymbolAction,
    /// The path of the file. Its last component can determine the language.
    pub path: Vec<u8>,
}

/// What an edit does with a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolAction {
    /// Replaces the symbol by the new text.
    Replace,
    /// Deletes the symbol and the blank lines on one side. There is no new text.
    Delete,
    /// Inserts the new text as lines before the symbol, its comments and attributes.
    InsertBefore,
    /// Inserts the new text as lines after the symbol.
    InsertAfter,
}

/// The error for a name of a symbol that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolNameError;

impl fmt::Display for SymbolNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of the symbol is empty")
    }
}

impl std::error::Error for SymbolNameError {}

impl FromStr for SymbolName {
    type Err = SymbolNameError;

    fn from_str(text: &str) -> Result<Self, SymbolNameError> {
        let (name, line) = split_line(text);
        let whole = name.strip_prefix("::").or_else(|| name.strip_prefix('.'));
        // `..` and `:::` are not separators.
        let is_anchored = whole.is_some_and(|rest| !rest.starts_with(['.', ':']));
        let whole = whole.filter(|_| is_anchored).unwrap_or(name);
        if whole.is_empty() {
            return Err(SymbolNameError);
        }
        Ok(Self {
            text: text.to_owned(),
            components: components(whole),
            whole: whole.to_owned(),
            is_anchored,
            line,
        })
    }
}

impl SymbolName {
    /// Returns whether the name denotes the symbol with the name `path`, outermost component first.
    /// `lines` returns the lines from its first comment or attribute to its name, counted from 1.
    #[must_use]
    pub fn matches(&self, path: &[&str], lines: impl Fn() -> RangeInclusive<usize>) -> bool {
        // A name such as the JavaScript key `"a:3"` can end like a name with a line.
        let is_whole = self.line.is_some() && count_joined(path, &self.text).is_some();
        let is_on_line = || self.line.is_none_or(|wanted| lines().contains(&wanted));
        is_whole || self.matches_path(path) && is_on_line()
    }

    /// Returns whether the name can denote a symbol whose own name is `last`.
    #[must_use]
    pub fn can_end_with(&self, last: &str) -> bool {
        self.whole.ends_with(last) || self.text.ends_with(last)
    }

    fn matches_path(&self, path: &[&str]) -> bool {
        let has_length = |count: usize| !self.is_anchored || path.len() == count;
        let components: Vec<_> = self.components.iter().map(String::as_str).collect();
        if path.ends_with(&components) && has_length(components.len()) {
            return true;
        }
        // The last name can itself contain a separator, such as the JavaScript key `"a.b"`.
        count_joined(path, &self.whole).is_some_and(has_length)
    }

    /// Returns whether the name must be at the top level of the file, with its containers.
    #[must_use]
    pub fn is_anchored(&self) -> bool {
        self.is_anchored
    }

    /// Returns whether the name contains a line number.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.line.is_some()
    }

    /// Returns the last component.
    #[must_use]
    pub fn last(&self) -> &str {
        self.components
            .last()
            .map_or(self.whole.as_str(), String::as_str)
    }
}

impl fmt::Display for SymbolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the number of components at the end of `path` that are equal to `text` if `.` joins them.
fn count_joined(path: &[&str], text: &str) -> Option<usize> {
    let mut length = 0;
    for (index, name) in path.iter().rev().enumerate() {
        length += name.len() + usize::from(index > 0);
        if length >= text.len() {
            let names = &path[path.len() - index - 1..];
            return (names.join(".") == text).then_some(index + 1);
        }
    }
    None
}

/// Splits a line number off the end of a name.
fn split_line(text: &str) -> (&str, Option<usize>) {
    let number = |(name, digits): (&str, &str)| {
        let is_number = digits.starts_with(|digit: char| digit.is_ascii_digit() && digit != '0');
        let line = digits.parse().ok().filter(|_| is_number)?;
        (!name.is_empty() && !name.ends_with(':')).then_some((name.len(), line))
    };
    match text.rsplit_once(':').and_then(number) {
        Some((end, line)) => (&text[..end], Some(line)),
        None => (text, None),
    }
}

/// Splits a name at its separators. A name with an empty component has no separators.
fn components(name: &str) -> Vec<String> {
    let parts: Vec<_> = name
        .split("::")
        .flat_map(|part| part.split(['.', '#']))
        .map(str::to_owned)
        .collect();
    if parts.iter().any(String::is_empty) {
        vec![name.to_owned()]
    } else {
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(name: &str, path: &str, line: usize) -> bool {
        let path: Vec<_> = path.split(' ').collect();
        name.parse::<SymbolName>()
            .unwrap()
            .matches(&path, || line - 1..=line)
    }

    #[test]
    fn a_name_matches_the_end_of_a_path() {
        for name in [
            "f",
            "C.f",
            "m.C.f",
            "C::f",
            "C#f",
            "m::C.f",
            ".m.C.f",
            "::m::C::f",
            "f:2",
            "f:3",
        ] {
            assert!(matches(name, "m C f", 3), "{name}");
        }
        for name in [
            "g", "C", "m.f", ".f", ".C.f", "x.m.C.f", "f:4", "C..f", "..f", "F",
        ] {
            assert!(!matches(name, "m C f", 3), "{name}");
        }
    }

    #[test]
    fn a_name_can_contain_separators() {
        assert!(matches("operator/", "C operator/", 1));
        assert!(matches("C::operator()", "C operator()", 1));
        assert!(matches("a.b", "a.b", 1));
        assert!(matches("o.a.b", "o a.b", 1));
        assert!(matches(".o.a.b:7", "o a.b", 7));
        assert!(matches("#private", "C #private", 1));
        assert!(matches("o.a:3", "o a:3", 1));
        assert!(!matches("o.a:3", "o a", 1));
    }

    #[test]
    fn an_empty_name_is_refused() {
        for name in ["", ".", "::"] {
            assert!(name.parse::<SymbolName>().is_err(), "{name}");
        }
        assert_eq!("a:0".parse::<SymbolName>().unwrap().line, None);
        assert_eq!("A::7".parse::<SymbolName>().unwrap().line, None);
        assert_eq!("a:7".parse::<SymbolName>().unwrap().to_string(), "a:7");
        assert_eq!("a.b".parse::<SymbolName>().unwrap().last(), "b");
    }
}
