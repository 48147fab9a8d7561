//! Glob patterns for paths.

use std::borrow::Cow;

use globset::{Candidate, GlobBuilder, GlobMatcher, GlobSet};

use super::classes::exclude_slashes;

/// A glob pattern for paths.
#[derive(Clone, Debug)]
pub struct PathPattern {
    matcher: GlobMatcher,
    text: String,
}

/// The reason why a text is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct PatternError(globset::Error);

impl PathPattern {
    /// Parses a pattern in shell syntax. Only `**` matches a slash.
    ///
    /// # Errors
    ///
    /// Returns an error if `text` is not a valid pattern.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::path::PathPattern;
    ///
    /// let pattern = PathPattern::new("src/*.c")?;
    /// assert!(pattern.is_match(b"src/b.c") && !pattern.is_match(b"src/a/b.c"));
    /// # Ok::<(), wpatch::path::PatternError>(())
    /// ```
    pub fn new(text: &str) -> Result<Self, PatternError> {
        // An error quotes the original pattern.
        let pattern = Self::build(GlobBuilder::new(text).literal_separator(true))?;
        match exclude_slashes(text) {
            Cow::Borrowed(_) => Ok(pattern),
            Cow::Owned(excluding) => Ok(Self {
                text: text.to_owned(),
                ..Self::build(GlobBuilder::new(&excluding).literal_separator(true))?
            }),
        }
    }

    /// Builds the pattern. `compile_matcher` panics on alternatives that are too deep or too large.
    /// Building a set first returns an error for them.
    pub(crate) fn build(pattern: &GlobBuilder<'_>) -> Result<Self, PatternError> {
        let glob = pattern.build().map_err(PatternError)?;
        GlobSet::new([&glob]).map_err(PatternError)?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            text: glob.glob().to_owned(),
        })
    }

    /// Returns whether `path` matches.
    #[must_use]
    pub fn is_match(&self, path: &[u8]) -> bool {
        self.matcher
            .is_match_candidate(&Candidate::from_bytes(path))
    }

    /// Returns the text of the pattern.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_stars_match_a_slash() {
        for (pattern, matches) in [
            ("a?b", false),
            ("a*b", false),
            ("a[!x]b", false),
            ("a[^x]b", false),
            ("a[/]b", false),
            ("a[+-9]b", false),
            ("a{[!x],y}b", false),
            ("a/b", true),
            ("**/b", true),
        ] {
            let compiled = PathPattern::new(pattern).unwrap();
            assert_eq!(
                (compiled.is_match(b"a/b"), compiled.text()),
                (matches, pattern)
            );
        }
        assert!(PathPattern::new("a[!x]b").unwrap().is_match(b"ayb"));
    }
}
