//! The first process of the namespace: runs the command, and reaps the others.
//!
//! Its end is the end of every process in the namespace; see `pid_namespaces(7)`.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat, statvfs};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount, mount_remount};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Signal, WaitOptions, WaitStatus, getpid, pidfd_getfd,
    pidfd_open, set_parent_process_death_signal,
};
use rustix::system::uname;
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities,
};

use super::namespaces::unshare;
use super::{HelperArguments, Status, mounts, report};
use crate::process::ExitReason;

/// The time between two measurements of the processes and files. In this time, a fork bomb can start
/// some thousand processes.
const PAUSE: Duration = Duration::from_millis(10);
/// The largest process ID of Linux.
const MAX_PID: usize = 1 << 22;
/// The capabilities with which root could undo the mounts of the sandbox.
const DROPPED: [CapabilitySet; 3] = [
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_MODULE,
];

/// Runs the command and reports how it ended.
pub(super) fn run(arguments: &HelperArguments) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if let Err(error) = mount_proc(arguments.processes) {
        let reason = format!("cannot mount /proc: {error}");
        return report(&Status::Unsupported(reason));
    }
    // Root gets each inheritable capability again with the next program.
    clear_ambient_capability_set()?;
    let mut sets = capabilities(None)?;
    sets.inheritable = CapabilitySet::empty();
    set_capabilities(None, sets)?;
    for capability in DROPPED {
        // Fails for an ordinary user, whose programs have no capabilities at all.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let child = match command(arguments)?.spawn() {
        Ok(child) => child,
        Err(error) => {
            let program = arguments.words[0].to_string_lossy();
            return report(&Status::NotStarted(format!("{program}: {error}")));
        }
    };
    let child = Pid::from_raw(child.id().cast_signed());
    match wait_for(child, arguments)? {
        Some(reason) => report(&Status::Ended(reason)),
        None => Ok(()),
    }
}

/// Mounts the processes of this namespace, and limits their number. The mount is read-only, because
/// the kernel lets root change settings of the whole system there.
///
/// It is in a mount namespace of its own: `fuse-overlayfs` needs the old `/proc`.
fn mount_proc(max_processes: usize) -> io::Result<()> {
    unshare(UnshareFlags::NEWNS)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    // Without this limit, `wait_for` still counts.
    let _ = limit_pids(max_processes);
    let flags = flags | MountFlags::RDONLY;
    Ok(mount_remount("/proc", flags, c"")?)
}

/// Limits the process IDs of this namespace. A fork bomb then cannot slow down [`wait_for`] and the
/// rest of the system. Threads use these IDs, too, so the limit is higher than the one on processes.
///
/// Before Linux 6.14, the setting belongs to the whole system.
fn limit_pids(max_processes: usize) -> io::Result<()> {
    if kernel_version() < Some((6, 14)) {
        return Ok(());
    }
    let limit = max_processes.saturating_mul(4).clamp(1000, MAX_PID);
    let file = openat(
        CWD,
        "/proc/sys/kernel/pid_max",
        OFlags::WRONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    rustix::io::write(file, limit.to_string().as_bytes())?;
    Ok(())
}

/// Returns the major and minor version of the kernel; see `uname(2)`.
fn kernel_version() -> Option<(u32, u32)> {
    let name = uname();
    let mut numbers = name.release().to_str().ok()?.split(['.', '-']);
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

/// Returns the command with its standard streams.
fn command(arguments: &HelperArguments) -> io::Result<Command> {
    let (input, output) = arguments.streams;
    let mut command = Command::new(&arguments.words[0]);
    command
        .args(&arguments.words[1..])
        .stdin(Stdio::from(duplicate(input)?))
        .stdout(Stdio::from(duplicate(output)?));
    Ok(command)
}

/// Returns a duplicate of the file descriptor `number` of this process.
fn duplicate(number: i32) -> io::Result<OwnedFd> {
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(own, number, PidfdGetfdFlags::empty())?)
}

/// Waits until `child` has ended or has reached a limit, and returns how. Returns `None` at the end
/// of the control pipe.
fn wait_for(child: Option<Pid>, arguments: &HelperArguments) -> io::Result<Option<ExitReason>> {
    let control = io::stdin();
    let pause = Timespec::try_from(PAUSE).map_err(io::Error::other)?;
    loop {
        // This process also reaps every process of the namespace that has lost its parent.
        while let Some((ended, status)) = rustix::process::wait(WaitOptions::NOHANG)? {
            if Some(ended) == child {
                return Ok(if is_over_limit(arguments)? {
                    Some(ExitReason::TooManyBytes)
                } else {
                    exit_reason(status)
                });
            }
        }
        if is_over_limit(arguments)? {
            return Ok(Some(ExitReason::TooManyBytes));
        }
        if count_processes()? > arguments.processes {
            return Ok(Some(ExitReason::TooManyProcesses));
        }
        match poll(&mut [PollFd::new(&control, PollFlags::IN)], Some(&pause)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns whether the files in the overlay, or in a directory for temporary files, need more memory
/// than the limit.
fn is_over_limit(arguments: &HelperArguments) -> io::Result<bool> {
    let is_over = |place: &Path| -> io::Result<bool> {
        let found = statvfs(place)?;
        let page = found.f_frsize.max(1);
        let size = mounts::memory_size(arguments.bytes).next_multiple_of(page);
        let used = found.f_blocks.saturating_sub(found.f_bfree);
        // `fuse-overlayfs` can report another file system.
        let is_memory = found.f_blocks.saturating_mul(page) == size;
        Ok(is_memory && used > arguments.bytes.div_ceil(page))
    };
    for directory in mounts::temporary_directories(&arguments.root) {
        if is_over(Path::new(directory))? {
            return Ok(true);
        }
    }
    is_over(&arguments.root)
}

/// Returns the number of processes in the namespace, without this one.
fn count_processes() -> io::Result<usize> {
    let is_process = |entry: io::Result<fs_err::DirEntry>| {
        let name = entry.map(|entry| entry.file_name());
        name.is_ok_and(|name| name.as_encoded_bytes().iter().all(u8::is_ascii_digit))
    };
    let all = fs_err::read_dir("/proc")?.filter_map(|entry| is_process(entry).then_some(()));
    Ok(all.count().saturating_sub(1))
}

fn exit_reason(status: WaitStatus) -> Option<ExitReason> {
    let exited = status.exit_status().map(ExitReason::Exited);
    exited.or_else(|| status.terminating_signal().map(ExitReason::Signalled))
}
