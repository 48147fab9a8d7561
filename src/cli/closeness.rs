//! How closely texts have to match.

use clap::ValueEnum;

use super::Stop;
use crate::engine::options::Closeness;

/// How closely a text has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum How {
    /// Byte for byte, but for line ends
    Exact,
    /// Then without blanks at line ends, without indentation, without typography
    Ladder,
}

/// Returns how closely texts have to fit.
///
/// # Errors
///
/// Returns a mistake in usage if lines are to be moved that can only fit where they are.
pub(super) fn closeness(how: Option<How>, reindent: bool) -> Result<Closeness, Stop> {
    match (how, reindent) {
        (Some(How::Ladder), true) => Ok(Closeness::Reindented),
        (_, true) => Err(Stop::usage("--reindent needs --match ladder")),
        (Some(How::Ladder), false) => Ok(Closeness::Ladder),
        (Some(How::Exact) | None, false) => Ok(Closeness::Exact),
    }
}
