//! Path filters with git's pattern rules.

use globset::GlobBuilder;
use serde::{Deserialize, Serialize};

use crate::path::{PathPattern, PatternError};

/// One `--include` or `--exclude`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "(bool, String)", into = "(bool, String)")]
pub struct FilterRule {
    /// The pattern of paths below the root.
    pub pattern: PathPattern,
    /// Whether the filter includes the matching paths.
    pub is_include: bool,
}

impl FilterRule {
    /// Returns a filter with git's rules for `--include` and `--exclude`.
    ///
    /// A star also matches slashes, and braces have no special meaning (`wildmatch` without flags,
    /// see `use_patch` in git's `apply.c`). The text of the resulting pattern can be passed to this
    /// function again and gives the same filter.
    ///
    /// # Errors
    ///
    /// Returns an error if `pattern` is invalid.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::plan::FilterRule;
    ///
    /// let filter = FilterRule::new(true, "src/*.c")?;
    /// assert!(filter.pattern.is_match(b"src/a/b.c"));
    /// # Ok::<(), wpatch::path::PatternError>(())
    /// ```
    pub fn new(takes: bool, pattern: &str) -> Result<Self, PatternError> {
        let mut literal = String::with_capacity(pattern.len());
        let (mut is_escaped, mut is_class, mut is_run) = (false, false, false);
        for character in pattern.chars() {
            match character {
                // A run of stars means the same as one star. globset would read `**` as a recursive
                // pattern.
                '*' if is_run => continue,
                // globset would read braces as alternatives.
                '{' | '}' if !is_escaped && !is_class => literal.extend(['\\', character]),
                _ => literal.push(character),
            }
            // The state after this character. An escaped `]` does not end a class.
            is_run = character == '*' && !is_escaped && !is_class;
            is_class = !is_escaped && (character == '[' || is_class && character != ']')
                || is_escaped && is_class;
            is_escaped = !is_escaped && character == '\\';
        }
        let pattern = PathPattern::build(
            GlobBuilder::new(&literal)
                .literal_separator(false)
                .backslash_escape(true),
        )?;
        Ok(Self {
            pattern,
            is_include: takes,
        })
    }
}

impl TryFrom<(bool, String)> for FilterRule {
    type Error = PatternError;

    fn try_from((takes, pattern): (bool, String)) -> Result<Self, PatternError> {
        Self::new(takes, &pattern)
    }
}

impl From<FilterRule> for (bool, String) {
    fn from(filter: FilterRule) -> Self {
        (filter.is_include, filter.pattern.text().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_git() {
        let matches = |pattern: &str, path: &str| {
            let filter = FilterRule::new(true, pattern).unwrap();
            let again = FilterRule::new(true, filter.pattern.text()).unwrap();
            assert_eq!(again.pattern.text(), filter.pattern.text(), "{pattern}");
            filter.pattern.is_match(path.as_bytes())
        };
        assert!(matches("*.c", "a/b/x.c"));
        assert!(matches("a/**", "a/b/x"));
        assert!(matches("{a,b}", "{a,b}"));
        assert!(matches("[a-c]?", "b1"));
        assert!(matches(r"\**[{}*]\{", "*x*{"));
        assert!(!matches("{a,b}", "a"));
        assert!(!matches("**/x", "x"));
    }
}
