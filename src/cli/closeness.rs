//! `--match` and `--reindent`: how closely texts must match.

use clap::ValueEnum;

use super::Stop;
use crate::engine::options::Closeness;

/// The values of `--match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum How {
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
pub(super) fn closeness(how: Option<How>, reindent: bool) -> Result<Closeness, Stop> {
    match (how, reindent) {
        (Some(How::Ladder), true) => Ok(Closeness::Reindented),
        (_, true) => Err(Stop::usage("--reindent needs --match ladder")),
        (Some(How::Ladder), false) => Ok(Closeness::Ladder),
        (Some(How::Exact) | None, false) => Ok(Closeness::Exact),
    }
}
