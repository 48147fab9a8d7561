//! `--match` and `--reindent`: how closely texts must match.

use clap::ValueEnum;

use super::EarlyExit;
use crate::engine::options::MatchMode;

/// The values of `--match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatchArg {
    /// Compare bytes, but accept different line endings
    Exact,
    /// If nothing matches, ignore trailing blanks, then indentation, then typography
    Ladder,
}

/// Returns how closely texts must match.
///
/// # Errors
///
/// Returns a usage error if `reindent` is set without the ladder: an exact match has the same
/// indentation.
pub(super) fn match_mode(how: Option<MatchArg>, reindent: bool) -> Result<MatchMode, EarlyExit> {
    match (how, reindent) {
        (Some(MatchArg::Ladder), true) => Ok(MatchMode::Reindented),
        (_, true) => Err(EarlyExit::usage("--reindent needs --match ladder")),
        (Some(MatchArg::Ladder), false) => Ok(MatchMode::Ladder),
        (Some(MatchArg::Exact) | None, false) => Ok(MatchMode::Exact),
    }
}
