//! Mounts the overlay with `fuse-overlayfs`, where the kernel does not permit its own overlay.
//!
//! The kernel refuses an overlay in a user namespace before Linux 5.11, and on a root that is itself
//! an overlay of an overlay. `fuse-overlayfs` runs outside of the process namespace of the command.
//! It ends with the helper.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::io::dup;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

use super::{HELPER_NAME, PROGRAM};
use crate::process::{find_command, wait};

/// The program.
const NAME: &str = "fuse-overlayfs";

/// Mounts an overlay on the directory `merged`, and returns the process that serves it. `root` is a
/// directory whose programs are not used.
pub(super) fn mount(
    [lower, upper, work]: [&OwnedFd; 3],
    merged: &Path,
    root: &Path,
) -> io::Result<Child> {
    // This fails if the program does not exist. The stage has the same search path.
    find_command(NAME.as_ref(), &[root.to_owned()])?;
    // Only duplicates of dup(2) stay open in the new process.
    let [lower, upper, work] = [dup(lower)?, dup(upper)?, dup(work)?];
    let directory = |file: &OwnedFd| format!("/proc/self/fd/{}", file.as_raw_fd());
    let options = format!(
        "lowerdir={},upperdir={},workdir={}",
        directory(&lower),
        directory(&upper),
        directory(&work)
    );
    let helper = std::process::id();
    let before = fs_err::metadata(merged)?.dev();
    let mut server = Command::new(PROGRAM)
        .arg0(HELPER_NAME)
        .args(["fuse", &helper.to_string(), &options])
        .args([merged, root])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    let mut result = Ok(());
    // It mounts the overlay, or ends with an error.
    wait(Duration::MAX, || {
        let is_mounted = fs_err::metadata(merged).map(|found| found.dev() != before);
        match (is_mounted, server.try_wait()) {
            (Ok(true), _) => true,
            (Ok(false), Ok(None)) => false,
            (Err(error), _) | (_, Err(error)) => {
                result = Err(error);
                true
            }
            (_, Ok(Some(status))) => {
                result = Err(io::Error::other(format!("{NAME} ended with {status}")));
                true
            }
        }
    });
    if result.is_err() {
        let _ = server.kill();
        let _ = server.wait();
    }
    result.map(|()| server)
}

/// The stage of the helper that becomes the server: ends with the helper, and runs the program.
/// Returns only if this fails.
pub(super) fn run_server(arguments: &[OsString]) -> io::Result<()> {
    let [helper, options, merged, root] = arguments else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let helper = helper.to_str().and_then(|helper| helper.parse().ok());
    // The helper can have ended before.
    if getppid() != helper.and_then(Pid::from_raw) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut program = find_command(NAME.as_ref(), &[PathBuf::from(root)])?;
    Err(program.arg("-f").arg("-o").arg(options).arg(merged).exec())
}
