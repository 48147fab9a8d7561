//! Converts names and patterns of the command line for the engine.

use std::ffi::OsStr;

use super::EarlyExit;
use super::args::Global;
use super::root::root_paths;
use crate::engine::options::{FilterRule, RejectTo, code};
use crate::engine::{self, Git};
use crate::path::{PathError, PatternError, RelPath, path_bytes};

/// Returns the path of the root relative to the top of its repository.
pub(super) fn root_prefix(global: &Global) -> Result<Vec<u8>, EarlyExit> {
    let unknown = |error| {
        EarlyExit::new(
            &code::USAGE,
            format!("--git-paths: git cannot report the top of the work tree: {error}"),
        )
    };
    Git::for_directory(global.root())
        .with_interrupt(&global.caller.interrupt())
        .prefix()
        .map_err(unknown)
}

/// Returns the directory of `--directory`. Each name in the patch is relative to it.
pub(super) fn parse_directory(named: &OsStr) -> Result<Vec<u8>, EarlyExit> {
    let bytes = path_bytes(named).into_owned();
    if RelPath::new(bytes.as_slice()) == Err(PathError::Outside) {
        // This is git's message.
        let message = format!(
            "unable to normalize directory: '{}'",
            String::from_utf8_lossy(&bytes)
        );
        return Err(EarlyExit::new(&code::OUTSIDE_ROOT, message));
    }
    Ok(bytes)
}

/// Returns the destination of rejected hunks.
///
/// # Errors
///
/// Returns an error for a name outside the root.
pub(super) fn parse_reject_target(file: Option<&OsStr>) -> Result<RejectTo, EarlyExit> {
    let Some(file) = file else {
        return Ok(RejectTo::Beside);
    };
    let file = path_bytes(file);
    if *file == *b"-" {
        return Ok(RejectTo::Nowhere);
    }
    let outside =
        |error: PathError| EarlyExit::new(&code::OUTSIDE_ROOT, format!("--reject-file: {error}"));
    RelPath::new(&file).map(RejectTo::File).map_err(outside)
}

/// Returns the absolute paths of the root.
pub(super) fn roots(global: &Global) -> Vec<Vec<u8>> {
    engine::root_names(&root_paths(global))
}

/// Returns a filter with git's pattern syntax.
///
/// # Errors
///
/// Returns an error for an invalid pattern.
pub(super) fn parse_filter(takes: bool, pattern: &str) -> Result<FilterRule, EarlyExit> {
    let unusable = |error: PatternError| {
        EarlyExit::new(&code::USAGE, format!("invalid pattern {pattern}: {error}"))
    };
    let slashes = path_bytes(pattern);
    let pattern = str::from_utf8(&slashes).unwrap_or(pattern);
    FilterRule::new(takes, pattern).map_err(unusable)
}
