//! Reads patches and contents that policy allows to read.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::args::Global;
use super::files::{STDIN, contents, open, open_regular, patch_of, unreadable};
use super::{Stop, policy};
use crate::engine::options::{Phase, code};
use crate::text::Bytes;

/// Reads every patch, standard input if none is named; of each at most `limit` bytes.
///
/// # Errors
///
/// Stops at a file that cannot be read or is larger, and before any is read at one that policy
/// closes.
pub(super) fn read(
    paths: &[PathBuf],
    limit: u64,
    global: &Global,
) -> Result<Vec<(String, Bytes)>, Stop> {
    if paths.is_empty() {
        return Ok(vec![read_one(Path::new(STDIN), limit)?]);
    }
    paths
        .iter()
        .try_for_each(|path| policy::readable(path, global))?;
    paths.iter().map(|path| read_one(path, limit)).collect()
}

/// Returns what a run begins with that reads `paths`: where somebody types, no line may move
/// meanwhile.
pub(super) fn first(paths: &[PathBuf]) -> Phase {
    let is_typed = (paths.is_empty() || paths.iter().any(|path| path == Path::new(STDIN)))
        && io::stdin().is_terminal();
    if is_typed {
        Phase::Beginning
    } else {
        Phase::Reading
    }
}

/// Reads a text that is to be put into a file or looked for there: from the file that an option
/// names, or from standard input for `-`; at most `limit` bytes.
///
/// # Errors
///
/// Stops at a file that policy closes, which nobody is to find in another one; else as [`contents`]
/// does.
pub(super) fn text(path: &Path, limit: u64, global: &Global) -> Result<Bytes, Stop> {
    policy::readable(path, global)?;
    contents(path, limit)
}

/// Reads the patch in the regular file at `path`, of at most `limit` bytes, and names it.
///
/// # Errors
///
/// Stops if it is no file, is closed by policy, cannot be read or is larger.
pub(super) fn named(path: &Path, limit: u64, global: &Global) -> Result<(String, Bytes), Stop> {
    if path == Path::new(STDIN) {
        let stop = Stop::new(
            &code::USAGE,
            "standard input has the jobs, and no patch".to_owned(),
        );
        return Err(Stop {
            help: Some("./- names a file that is called so".to_owned()),
            ..stop
        });
    }
    policy::readable(path, global)?;
    patch_of(path, open_regular(path, limit), limit)
}

/// Opens the file of jobs at `path`.
///
/// # Errors
///
/// Stops if it is closed by policy, or cannot be opened.
pub(super) fn file(path: &Path, global: &Global) -> Result<fs_err::File, Stop> {
    policy::readable(path, global)?;
    fs_err::File::open(path).map_err(|error| unreadable("the jobs", path, &error))
}

fn read_one(path: &Path, limit: u64) -> Result<(String, Bytes), Stop> {
    patch_of(path, open(path, limit), limit)
}
