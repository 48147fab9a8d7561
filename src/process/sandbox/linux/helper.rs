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

use super::{HELPER_NAME, HelperArguments, Status, init, mounts, report};

/// Runs the helper if this program was started as one, and returns its exit code.
pub(crate) fn run_helper(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.first()? != HELPER_NAME {
        return None;
    }
    let done = match HelperArguments::parse(arguments) {
        Some(("setup", parsed)) => set_up(&parsed),
        Some(("init", parsed)) => init::run(&parsed),
        _ => return Some(ExitCode::from(2)),
    };
    Some(if done.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Creates the sandbox, runs the command in it, and keeps the overlay until the end of the control
/// pipe.
fn set_up(arguments: &HelperArguments) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWPID;
    // The flags do not contain `FILES`, which is the reason why `unshare` is deprecated.
    #[allow(deprecated, reason = "safe without `FILES`")]
    if let Err(error) = rustix::thread::unshare(flags) {
        let reason = format!("cannot create namespaces: {}", io::Error::from(error));
        return report(&Status::Unsupported(reason));
    }
    report(&Status::Unshared)?;
    let mut permission = [0];
    io::stdin().read_exact(&mut permission)?;
    let (upper, merged) = match mounts::mount(&arguments.root, arguments.bytes) {
        Ok(mounted) => mounted,
        Err(error) => return report(&Status::Unsupported(error.to_string())),
    };
    keep_mount_capability()?;
    let mut first = arguments
        .command("init")
        .current_dir(&arguments.root)
        .stdin(Stdio::from(io::stdin().as_fd().try_clone_to_owned()?))
        .stdout(Stdio::from(io::stdout().as_fd().try_clone_to_owned()?))
        .spawn()?;
    report(&Status::Ready(upper.as_raw_fd(), merged.as_raw_fd()))?;
    first.wait()?;
    io::stdin().read_to_end(&mut Vec::new())?;
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
