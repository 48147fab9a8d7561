//! Glob patterns for paths.

use globset::{Candidate, GlobBuilder, GlobMatcher, GlobSet};

/// A glob pattern for paths.
#[derive(Clone, Debug)]
pub struct PathPattern(GlobMatcher);

/// The reason why a text is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct PatternError(globset::Error);

impl PathPattern {
    /// Parses a pattern in shell syntax. `*` and `?` do not match a slash, but `**` does. A
    /// character class that contains the slash, such as `[!x]`, also matches it.
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
        Self::build(GlobBuilder::new(text).literal_separator(true))
    }

    /// Builds the pattern. `compile_matcher` panics on alternatives that are too deep or too large.
    /// Building a set first returns an error for them.
    pub(crate) fn build(pattern: &GlobBuilder<'_>) -> Result<Self, PatternError> {
        let glob = pattern.build().map_err(PatternError)?;
        GlobSet::new([&glob]).map_err(PatternError)?;
        Ok(Self(glob.compile_matcher()))
    }

    /// Returns whether `path` matches.
    #[must_use]
    pub fn is_match(&self, path: &[u8]) -> bool {
        self.0.is_match_candidate(&Candidate::from_bytes(path))
    }

    /// Returns the text of the pattern.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.glob().glob()
    }
}
