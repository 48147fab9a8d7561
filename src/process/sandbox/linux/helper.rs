//! The helper: creates the namespaces, mounts the overlay, and starts the first process.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{ExitCode, Stdio};

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, configure_capability_in_ambient_set,
    set_capabilities,
};

use super::namespaces::unshare;
use super::{HELPER_NAME, HelperArguments, Status, fuse, init, mounts, report};

/// Runs the helper if this program was started as one, and returns its exit code.
pub(crate) fn run_helper(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.first()? != HELPER_NAME {
        return None;
    }
    if arguments.get(1).is_some_and(|stage| stage == "fuse") {
        let _ = fuse::run_server(&arguments[2..]);
        return Some(ExitCode::FAILURE);
    }
    let done = match HelperArguments::parse(arguments) {
        Some(("setup", parsed)) => set_up(&parsed),
        Some(("init", parsed)) => init::run(&parsed),
        _ => return Some(ExitCode::from(2)),
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // After the end of wpatch, nothing reads the report.
            let _ = report(&Status::Failed(error.to_string()));
            ExitCode::FAILURE
        }
    })
}

/// Creates the sandbox, runs the command in it, and keeps the overlay until the end of the control
/// pipe.
fn set_up(arguments: &HelperArguments) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if let Err(error) = unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS) {
        return report(&Status::Unsupported(error.to_string()));
    }
    report(&Status::Unshared)?;
    let mut permission = [0];
    io::stdin().read_exact(&mut permission)?;
    keep_mount_capability()?;
    let mounted = mounts::mount(&arguments.root, arguments.bytes);
    let mut overlay = match mounted {
        Ok(overlay) => overlay,
        Err(error) => return report(&Status::Unsupported(error.to_string())),
    };
    // The server of the overlay must not be the first process of the namespace.
    if let Err(error) = unshare(UnshareFlags::NEWPID) {
        return report(&Status::Unsupported(error.to_string()));
    }
    // The first process uses the same pipe, so its lines must come later.
    let (upper, merged) = (overlay.upper.as_raw_fd(), overlay.merged.as_raw_fd());
    report(&Status::Ready(upper, merged))?;
    let mut first = arguments
        .command("init")
        .current_dir(&arguments.root)
        .stdin(Stdio::from(io::stdin().as_fd().try_clone_to_owned()?))
        .stdout(Stdio::from(io::stdout().as_fd().try_clone_to_owned()?))
        .spawn()?;
    if !first.wait()?.success() {
        // The first process has reported its error, or was killed. The end of this process closes
        // the status pipe.
        return Ok(());
    }
    io::stdin().read_to_end(&mut Vec::new())?;
    if let Some(server) = &mut overlay.server {
        server.kill()?;
        server.wait()?;
    }
    Ok(())
}

/// Lets the next program of this process mount file systems. Without this, only root keeps
/// capabilities in a new program; see capabilities(7).
fn keep_mount_capability() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    Ok(())
}
