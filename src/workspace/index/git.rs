//! Runs git on an index.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::interrupt::Interrupt;
use crate::process::Timeout;
use crate::workspace::git::process;

/// The limit on each wait for output of git. Filter drivers of the user can be slow.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Runs git in `directory`, on `index` or on the index that git finds, and returns its output.
/// `interrupt` ends the run.
///
/// # Errors
///
/// Returns git's last error message if it fails.
pub(super) fn run_git(
    directory: &Path,
    arguments: &[OsString],
    index: Option<&Path>,
    input: &[u8],
    interrupt: &Interrupt,
) -> io::Result<Vec<u8>> {
    let all = ["-c", "core.hooksPath=/dev/null"].map(OsString::from);
    let mut command = process::command(directory, all.iter().chain(arguments))?;
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    process::run(
        &mut command,
        input.to_vec(),
        Timeout {
            limit: TIMEOUT,
            interrupt: interrupt.clone(),
        },
    )
}
