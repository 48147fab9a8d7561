//! Reads patches, texts and job files, after policy allows it.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::args::Global;
use super::caller::Caller;
use super::files::{
    STDIN, into_patch, read_contents, read_error, read_limited, read_regular_limited,
};
use super::{EarlyExit, policy};
use crate::engine::options::{Phase, code};
use crate::text::Bytes;

/// Reads all patches, or standard input if `paths` is empty. Each patch has at most `limit` bytes.
///
/// # Errors
///
/// Returns an error if policy protects one of the files from reading. This check precedes all
/// reads. Returns an error if a file cannot be read or is too large.
pub(super) fn read_patches(
    paths: &[PathBuf],
    limit: u64,
    global: &Global,
) -> Result<Vec<(String, Bytes)>, EarlyExit> {
    if paths.is_empty() {
        return Ok(vec![read_one(Path::new(STDIN), limit, global)?]);
    }
    paths
        .iter()
        .try_for_each(|path| policy::check_readable(path, global))?;
    paths
        .iter()
        .map(|path| read_one(path, limit, global))
        .collect()
}

/// Returns the first phase of the progress. It is silent if a person types the patch on a terminal,
/// because a moving line would disturb the input.
pub(super) fn first_phase(paths: &[PathBuf], caller: &Caller) -> Phase {
    let is_typed = !caller.is_library()
        && (paths.is_empty() || paths.iter().any(|path| path == Path::new(STDIN)))
        && io::stdin().is_terminal();
    if is_typed {
        Phase::NotStarted
    } else {
        Phase::Reading
    }
}

/// Reads text for an edit from the file at `path`, or from standard input for `-`. The text has at
/// most `limit` bytes.
///
/// # Errors
///
/// Returns an error if policy protects the file from reading: an edit would copy its content into
/// another file. Otherwise fails as [`read_contents`] does.
pub(super) fn read_text(path: &Path, limit: u64, global: &Global) -> Result<Bytes, EarlyExit> {
    policy::check_readable(path, global)?;
    read_contents(path, limit, &global.caller).map_err(|mut stop| {
        if *stop.code == code::TOO_LARGE {
            stop.help = Some("use --max-bytes to raise the limit".to_owned());
        }
        stop
    })
}

/// Reads the patch in the regular file at `path` and returns it with its name. The patch has at
/// most `limit` bytes.
///
/// # Errors
///
/// Returns an error if the file is not a regular file, is protected by policy, cannot be read or is
/// too large.
pub(super) fn read_patch(
    path: &Path,
    limit: u64,
    global: &Global,
) -> Result<(String, Bytes), EarlyExit> {
    if path == Path::new(STDIN) {
        let stop = EarlyExit::new(
            &code::USAGE,
            "standard input contains the jobs and cannot contain a patch".to_owned(),
        );
        return Err(EarlyExit {
            help: Some("use ./- for a file with this name".to_owned()),
            ..stop
        });
    }
    policy::check_readable(path, global)?;
    into_patch(path, read_regular_limited(path, limit), limit)
}

/// Opens the job file at `path`.
///
/// # Errors
///
/// Returns an error if policy protects the file or if it cannot be opened.
pub(super) fn open_job_file(path: &Path, global: &Global) -> Result<fs_err::File, EarlyExit> {
    policy::check_readable(path, global)?;
    fs_err::File::open(path).map_err(|error| read_error("the jobs", path, &error))
}

/// Reads the patch in a file, or on standard input for `-`, and returns it with its name.
fn read_one(path: &Path, limit: u64, global: &Global) -> Result<(String, Bytes), EarlyExit> {
    into_patch(path, read_limited(path, limit, &global.caller), limit)
}
