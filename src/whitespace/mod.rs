//! White-space errors: the rules of git's `core.whitespace`, and functions to check and fix lines.
//!
//! Input: a line and a [`WhitespaceRule`]. Output: the errors as [`WhitespaceFlags`], or the fixed
//! line. The module is pure. Start with [`check()`] and [`fix()`].
//!
//! To add a rule, add a row to `RULES` and its implementation to `check` and `fix`.

mod check;
mod fix;

use std::fmt;

pub use check::check;
pub use fix::{FixedLine, fix};

/// A set of white-space errors, either to search for or found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WhitespaceFlags(u8);

impl WhitespaceFlags {
    /// White space at the end of a line.
    pub const BLANK_AT_EOL: Self = Self(1);
    /// Blank lines at the end of a file.
    pub const BLANK_AT_EOF: Self = Self(1 << 1);
    /// A space before a tab in the indentation.
    pub const SPACE_BEFORE_TAB: Self = Self(1 << 2);
    /// An indentation with as many spaces as a tab is wide.
    pub const INDENT_WITH_NON_TAB: Self = Self(1 << 3);
    /// A tab in the indentation.
    pub const TAB_IN_INDENT: Self = Self(1 << 4);
    /// Not an error: allows lines to end with CR LF.
    pub const CR_AT_EOL: Self = Self(1 << 5);
    /// A last line without terminator.
    pub const INCOMPLETE_LINE: Self = Self(1 << 6);

    /// Returns whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains all of `others`.
    #[must_use]
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns the union with `others`.
    #[must_use]
    pub fn with_flags(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns the set without `others`.
    #[must_use]
    pub fn without_flags(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl fmt::Display for WhitespaceFlags {
    /// Writes the names that git uses for the errors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_trailing = self.has(WhitespaceFlags::BLANK_AT_EOL);
        let words = [
            (is_trailing, "trailing whitespace"),
            (
                self.has(WhitespaceFlags::BLANK_AT_EOF) && !is_trailing,
                "new blank line at EOF",
            ),
            (
                self.has(WhitespaceFlags::SPACE_BEFORE_TAB),
                "space before tab in indent",
            ),
            (
                self.has(WhitespaceFlags::INDENT_WITH_NON_TAB),
                "indent with spaces",
            ),
            (self.has(WhitespaceFlags::TAB_IN_INDENT), "tab in indent"),
            (
                self.has(WhitespaceFlags::INCOMPLETE_LINE),
                "no newline at the end of file",
            ),
        ];
        let said: Vec<_> = words
            .iter()
            .filter(|(is_said, _)| *is_said)
            .map(|(_, words)| *words)
            .collect();
        f.write_str(&said.join(", "))
    }
}

/// A rule and its name in git.
struct FlagName {
    name: &'static str,
    flags: WhitespaceFlags,
    /// Whether the attribute `whitespace` without a value enables the rule.
    is_set_by_attribute: bool,
}

/// The rules with their names in git. Any prefix of a name selects the first row with this prefix.
const RULES: &[FlagName] = &[
    FlagName {
        name: "trailing-space",
        // Both blank-at-eol and blank-at-eof.
        flags: WhitespaceFlags(0b11),
        is_set_by_attribute: true,
    },
    FlagName {
        name: "space-before-tab",
        flags: WhitespaceFlags::SPACE_BEFORE_TAB,
        is_set_by_attribute: true,
    },
    FlagName {
        name: "indent-with-non-tab",
        flags: WhitespaceFlags::INDENT_WITH_NON_TAB,
        is_set_by_attribute: true,
    },
    FlagName {
        name: "cr-at-eol",
        flags: WhitespaceFlags::CR_AT_EOL,
        is_set_by_attribute: false,
    },
    FlagName {
        name: "blank-at-eol",
        flags: WhitespaceFlags::BLANK_AT_EOL,
        is_set_by_attribute: true,
    },
    FlagName {
        name: "blank-at-eof",
        flags: WhitespaceFlags::BLANK_AT_EOF,
        is_set_by_attribute: true,
    },
    FlagName {
        name: "tab-in-indent",
        flags: WhitespaceFlags::TAB_IN_INDENT,
        is_set_by_attribute: false,
    },
    FlagName {
        name: "incomplete-line",
        flags: WhitespaceFlags::INCOMPLETE_LINE,
        is_set_by_attribute: false,
    },
];

/// The white-space errors to search for in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WhitespaceRule {
    /// The errors, and the permission for CR at the end of lines.
    pub flags: WhitespaceFlags,
    /// The tab width in columns, 1 to 63.
    pub tab_width: usize,
}

impl Default for WhitespaceRule {
    fn default() -> Self {
        let flags = WhitespaceFlags::BLANK_AT_EOL
            .with_flags(WhitespaceFlags::BLANK_AT_EOF)
            .with_flags(WhitespaceFlags::SPACE_BEFORE_TAB);
        Self {
            flags,
            tab_width: 8,
        }
    }
}

/// The error for rules that exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot enforce both tab-in-indent and indent-with-non-tab")]
pub struct RuleConflictError;

impl WhitespaceRule {
    /// The rule that finds no errors.
    pub const NONE: Self = Self {
        flags: WhitespaceFlags(0),
        tab_width: 8,
    };

    /// Parses a value of `core.whitespace`.
    ///
    /// A name adds an error to the default set, and a name after `-` removes it. Unknown words and
    /// invalid tab widths are ignored.
    ///
    /// # Errors
    ///
    /// Returns [`RuleConflictError`] if the rule would prohibit both tabs and spaces in
    /// indentations.
    pub fn parse(text: &[u8]) -> Result<Self, RuleConflictError> {
        let mut rule = Self::default();
        let is_separator = |byte: &u8| matches!(byte, b',' | b' ' | b'\t' | b'\n' | b'\r');
        let mut rest = text;
        loop {
            let start = rest
                .iter()
                .position(|byte| !is_separator(byte))
                .unwrap_or(rest.len());
            let (word, behind) = rest[start..]
                .split_at(memchr::memchr(b',', &rest[start..]).unwrap_or(rest.len() - start));
            let (is_negated, word) = word
                .strip_prefix(b"-")
                .map_or((false, word), |word| (true, word));
            if word.is_empty() {
                break;
            }
            if let Some(row) = RULES
                .iter()
                .find(|row| row.name.as_bytes().starts_with(word))
            {
                rule.flags = if is_negated {
                    rule.flags.without_flags(row.flags)
                } else {
                    rule.flags.with_flags(row.flags)
                };
            }
            rule.tab_width = word
                .strip_prefix(b"tabwidth=")
                .and_then(parse_tab_width)
                .unwrap_or(rule.tab_width);
            rest = behind;
        }
        if rule
            .flags
            .has(WhitespaceFlags::TAB_IN_INDENT.with_flags(WhitespaceFlags::INDENT_WITH_NON_TAB))
        {
            return Err(RuleConflictError);
        }
        Ok(rule)
    }

    /// Returns the rule of the attribute `whitespace` without a value, with the tab width of this
    /// rule. It finds all errors except those that git excludes from this default.
    #[must_use]
    pub fn with_attribute_set(self) -> Self {
        let usual = RULES.iter().filter(|row| row.is_set_by_attribute);
        Self {
            flags: usual.fold(WhitespaceFlags::default(), |flags, row| {
                flags.with_flags(row.flags)
            }),
            ..self
        }
    }

    /// Returns the rule of the attribute `-whitespace`: no errors, with the tab width of this rule.
    #[must_use]
    pub fn with_attribute_unset(self) -> Self {
        Self {
            flags: WhitespaceFlags::default(),
            ..self
        }
    }

    /// Returns this rule with permission for CR at the end of lines.
    #[must_use]
    pub fn with_cr(self) -> Self {
        Self {
            flags: self.flags.with_flags(WhitespaceFlags::CR_AT_EOL),
            ..self
        }
    }

    /// Returns whether the rule searches for all of `flags`.
    #[must_use]
    pub fn has(self, flags: WhitespaceFlags) -> bool {
        self.flags.has(flags)
    }
}

/// Parses the digits at the start of `text`, like atoi(3). Returns `None` for an invalid tab width.
fn parse_tab_width(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    (1..64).contains(&width).then_some(width)
}

/// Returns whether git treats `byte` as white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns whether a line contains only white space.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().copied().all(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_and_go_by_the_beginnings_of_their_names() {
        let usual = WhitespaceRule::default();
        let flags = |text: &str| WhitespaceRule::parse(text.as_bytes()).unwrap().flags;
        assert_eq!(flags(""), usual.flags);
        assert_eq!(
            flags("-trailing,-space-before,-indent"),
            WhitespaceFlags::default()
        );
        assert_eq!(flags(" -t,\ttab, -sp"), WhitespaceFlags::TAB_IN_INDENT);
        assert_eq!(
            flags("-blank-at-eol,nothing"),
            WhitespaceFlags::BLANK_AT_EOF.with_flags(WhitespaceFlags::SPACE_BEFORE_TAB)
        );
        assert_eq!(
            flags("cr-at-eol,incomplete"),
            usual
                .flags
                .with_flags(WhitespaceFlags::CR_AT_EOL)
                .with_flags(WhitespaceFlags::INCOMPLETE_LINE)
        );
        // An empty word ends the parsing.
        assert_eq!(flags("-,-trailing"), usual.flags);
        assert_eq!(WhitespaceRule::parse(b"tab,indent"), Err(RuleConflictError));
    }

    #[test]
    fn a_tab_has_up_to_63_columns() {
        let widths = [
            "tabwidth=4",
            "tabwidth=63x",
            "tabwidth=64",
            "tabwidth=0",
            "tabwidth=",
            "tabwidth=99999999999999999999",
        ];
        let widths = widths.map(|text| WhitespaceRule::parse(text.as_bytes()).unwrap().tab_width);
        assert_eq!(widths, [4, 63, 8, 8, 8, 8]);
    }
}
