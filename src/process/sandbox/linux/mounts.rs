//! The mounts of the sandbox. Read [`mount`] first.
//!
//! The root becomes an overlay whose changes are in memory. Some directories for temporary files
//! become empty file systems in memory, and `/dev` gets only the usual devices. Everything else
//! becomes read-only. The mount namespace belongs to the sandbox, so no other process sees this.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Child;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat, symlinkat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
    mount as mount_file_system, mount_change, mount_remount, move_mount, open_tree, unmount,
};
use rustix::process::getuid;

use super::fuse;

/// The directories for temporary files, in the order of preference. The overlay is built below the
/// first one that the system has.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", MEMORY];
/// The bytes that a file system in memory can contain above the limit. A process writes them in no
/// less than some ten milliseconds.
const HEADROOM: u64 = 256 << 20;
/// The maximum size of a file system in memory that the kernel can represent.
const MAX_SIZE: u64 = 1 << 62;
/// The directory for shared memory; see `shm_overview(7)`.
const MEMORY: &str = "/dev/shm";
/// The name in `/dev` of the directory for pseudoterminals; see pts(4).
const TERMINALS: &str = "pts";
/// The devices that the command can use.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// The links that programs expect in `/dev`; see proc(5) and pts(4).
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
    ("pts/ptmx", "/dev/ptmx"),
];

/// A mount that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {place}: {source}")]
pub(super) struct MountError {
    action: &'static str,
    place: String,
    source: io::Error,
}

type Result<T> = std::result::Result<T, MountError>;

/// Returns the conversion of the error of `action` on `place`.
fn failed(action: &'static str, place: impl AsRef<Path>) -> impl FnOnce(Errno) -> MountError {
    let place = place.as_ref().display().to_string();
    move |errno| MountError {
        action,
        place,
        source: errno.into(),
    }
}

/// Makes all mounts. `bytes` is the limit on the files in each file system in memory. Returns the overlay, which is
/// mounted on the root.
pub(super) fn mount(root: &Path, bytes: u64) -> Result<Overlay> {
    if root.parent().is_none() {
        return Err(failed("mount an overlay on", root)(Errno::BUSY));
    }
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(failed("detach the mounts of", "/"))?;
    let mounts = MountPoint::all()?;
    for mount in &mounts {
        mount.make_read_only()?;
    }
    // These are cloned before the new mounts hide them.
    let mut nested_mounts = Vec::new();
    for mount in mounts
        .iter()
        .filter(|mount| is_outermost_below(root, mount, &mounts))
    {
        nested_mounts.push((&mount.path, clone_mount(&mount.path)?));
    }
    let devices = open_devices(root);
    let lower = open_directory(root)?;
    // If the system has none that it may hide, `/tmp` contains the root. It is hidden only until the
    // unmount below, and `lower` is already open.
    let scratch = Path::new(temporary_directory(root).unwrap_or(TEMPORARY[0]));
    mount_memory(scratch, bytes)?;
    let overlay = mount_overlay(&lower, scratch, root)?;
    // The overlay stays: `overlay` contains a second mount of it.
    unmount(scratch, UnmountFlags::DETACH).map_err(failed("unmount", scratch))?;
    mount_devices(devices, bytes)?;
    for directory in temporary_directories(root) {
        mount_memory(Path::new(directory), bytes)?;
    }
    move_to(&overlay.tree, root)?;
    for (path, tree) in nested_mounts {
        move_to(&tree, path)?;
    }
    Ok(overlay)
}

/// Returns the directories for temporary files that the command gets. A directory that contains the
/// root stays as it is: the files next to the root must not be hidden, nor be writable.
pub(super) fn temporary_directories(root: &Path) -> impl Iterator<Item = &'static str> {
    let is_usable =
        |directory: &&str| !root.starts_with(directory) && Path::new(directory).is_dir();
    TEMPORARY.into_iter().filter(is_usable)
}

/// Returns the directory for temporary files that the variable `TMPDIR` names.
pub(super) fn temporary_directory(root: &Path) -> Option<&'static str> {
    temporary_directories(root).next()
}

/// The overlay of the root. Its directories have no name in the sandbox.
#[derive(Debug)]
pub(super) struct Overlay {
    /// A second mount of the merged directory.
    tree: OwnedFd,
    pub(super) upper: OwnedFd,
    pub(super) merged: OwnedFd,
    /// The process that serves the overlay, if the kernel does not.
    pub(super) server: Option<Child>,
}

/// Mounts the overlay of `lower` below `scratch`, and returns a second mount of it.
///
/// Its options name the directories by file descriptor, because a path can contain characters that
/// separate options.
fn mount_overlay(lower: &OwnedFd, scratch: &Path, root: &Path) -> Result<Overlay> {
    let at = |name: &str| scratch.join(name);
    let directories = ["upper", "work", "merged"].map(at);
    for directory in &directories {
        make_directory(directory)?;
    }
    let [upper, work, merged] = &directories;
    let (upper, work) = (open_directory(upper)?, open_directory(work)?);
    let fd = |file: &OwnedFd| format!("/proc/self/fd/{}", file.as_raw_fd());
    let options = format!(
        "userxattr,lowerdir={},upperdir={},workdir={}",
        fd(lower),
        fd(&upper),
        fd(&work)
    );
    let options = CString::new(options).unwrap_or_default();
    let flags = MountFlags::NODEV | MountFlags::NOSUID;
    let server = match mount_file_system("overlay", merged, "overlay", flags, &*options) {
        Ok(()) => None,
        Err(errno) => {
            let refused = failed("mount an overlay on", "the root")(errno);
            Some(mount_with_fuse(
                (lower, &upper),
                scratch,
                (merged, root),
                refused,
            )?)
        }
    };
    Ok(Overlay {
        tree: clone_mount(merged)?,
        merged: open_directory(merged)?,
        upper,
        server,
    })
}

/// Mounts the overlay with `fuse-overlayfs`, because of the error `refused` of the kernel. Returns
/// this error if the program does not exist.
fn mount_with_fuse(
    (lower, upper): (&OwnedFd, &OwnedFd),
    scratch: &Path,
    (merged, root): (&Path, &Path),
    refused: MountError,
) -> Result<Child> {
    // For root, `fuse-overlayfs` uses `allow_other`. The kernel then admits only processes of the
    // user namespace of the mount, and wpatch itself is outside of it; see fuse(8).
    if getuid().is_root() {
        return Err(refused);
    }
    // The failed mount of the kernel left a directory in `work` that only root can open.
    let work = scratch.join("fuse-work");
    make_directory(&work)?;
    let work = open_directory(&work)?;
    fuse::mount([lower, upper, &work], merged, root).map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound {
            return refused;
        }
        MountError {
            action: "mount an overlay with fuse-overlayfs on",
            place: "the root".to_owned(),
            source,
        }
    })
}

/// Mounts an empty file system in memory for files of `bytes` bytes.
fn mount_memory(place: &Path, bytes: u64) -> Result<()> {
    let size = memory_size(bytes);
    let options = CString::new(format!("size={size},mode=1777")).unwrap_or_default();
    let flags = MountFlags::NODEV | MountFlags::NOSUID;
    mount_file_system("tmpfs", place, "tmpfs", flags, &*options)
        .map_err(failed("mount a file system in memory on", place))
}

/// Returns the size of a file system in memory for files of `bytes` bytes. It is larger, so that a
/// command reaches the limit, and is killed, before a write fails. The command could ignore the
/// failed write, and leave an incomplete file.
pub(super) fn memory_size(bytes: u64) -> u64 {
    bytes.saturating_add(HEADROOM).min(MAX_SIZE)
}

/// Returns clones of the mounts of the devices that exist, each with its path, and of the directory
/// in `/dev` that contains the root.
fn open_devices(root: &Path) -> Vec<(PathBuf, OwnedFd)> {
    let path = |name: &&str| Path::new("/dev").join(name);
    let with_mount = |path: PathBuf| Some((path.clone(), clone_mount(&path).ok()?));
    let names = DEVICES.iter().chain(&[TERMINALS]).map(path);
    let memory = Path::new(MEMORY).to_owned();
    let memory = root.starts_with(MEMORY).then_some(memory);
    names.chain(memory).filter_map(with_mount).collect()
}

/// Replaces `/dev`. Root could otherwise write to disks.
fn mount_devices(devices: Vec<(PathBuf, OwnedFd)>, bytes: u64) -> Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = CString::new(format!("size={bytes},mode=755")).unwrap_or_default();
    mount_file_system("tmpfs", "/dev", "tmpfs", flags, &*options)
        .map_err(failed("mount a file system in memory on", "/dev"))?;
    for (path, tree) in devices {
        if path.ends_with(TERMINALS) || path == Path::new(MEMORY) {
            make_directory(&path)?;
        } else {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            openat(CWD, &path, flags, Mode::from_raw_mode(0o600))
                .map_err(failed("create", &path))?;
        }
        move_to(&tree, &path)?;
    }
    for (target, link) in DEVICE_LINKS {
        symlinkat(target, CWD, link).map_err(failed("create", link))?;
    }
    make_directory(Path::new(MEMORY))
}

fn open_directory(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).map_err(failed("open", path))
}

fn make_directory(path: &Path) -> Result<()> {
    match mkdirat(CWD, path, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(errno) => Err(failed("create", path)(errno)),
    }
}

/// Returns a copy of the mount at `path`, and of the mounts below it.
fn clone_mount(path: &Path) -> Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, flags).map_err(failed("copy the mount of", path))
}

fn move_to(tree: &OwnedFd, place: &Path) -> Result<()> {
    move_mount(
        tree,
        "",
        CWD,
        place,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
    .map_err(failed("mount on", place))
}

/// A line of `/proc/self/mountinfo`; see `proc_pid_mountinfo(5)`.
#[derive(Debug, PartialEq, Eq)]
struct MountPoint {
    path: PathBuf,
    flags: MountFlags,
}

impl MountPoint {
    fn all() -> Result<Vec<Self>> {
        let text = fs_err::read("/proc/self/mountinfo").map_err(|source| MountError {
            action: "read",
            place: "/proc/self/mountinfo".to_owned(),
            source,
        })?;
        Ok(text
            .split(|byte| *byte == b'\n')
            .filter_map(Self::parse)
            .collect())
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let (path, options) = (fields.next()?, fields.next()?);
        // A user namespace must keep these flags of its mounts; see mount_namespaces(7). Without a
        // flag for access times, the kernel would set `relatime`.
        let mut flags = MountFlags::empty();
        for option in options.split(|byte| *byte == b',') {
            flags |= match option {
                b"nosuid" => MountFlags::NOSUID,
                b"noexec" => MountFlags::NOEXEC,
                b"noatime" => MountFlags::NOATIME,
                b"nodiratime" => MountFlags::NODIRATIME,
                b"relatime" => MountFlags::RELATIME,
                b"nosymfollow" => MountFlags::NOSYMFOLLOW,
                _ => MountFlags::empty(),
            };
        }
        if !flags.intersects(MountFlags::NOATIME | MountFlags::RELATIME) {
            flags |= MountFlags::STRICTATIME;
        }
        let path = PathBuf::from(OsString::from_vec(unescape(path)));
        Some(Self { path, flags })
    }

    /// Makes the mount read-only. Devices stay usable only below `/dev`.
    fn make_read_only(&self) -> Result<()> {
        let mut flags = self.flags | MountFlags::BIND | MountFlags::RDONLY;
        if !self.path.starts_with("/dev") {
            flags |= MountFlags::NODEV;
        }
        match mount_remount(&self.path, flags, c"") {
            // Another mount covers it, or this user cannot reach it. Nor can the command.
            Ok(()) | Err(Errno::INVAL | Errno::NOENT | Errno::ACCESS | Errno::NOTDIR) => Ok(()),
            Err(errno) => Err(failed("make read-only", &self.path)(errno)),
        }
    }
}

/// Returns whether `mount` is below `root`, but not below another such mount.
fn is_outermost_below(root: &Path, mount: &MountPoint, mounts: &[MountPoint]) -> bool {
    let is_below = |path: &Path, above: &Path| path != above && path.starts_with(above);
    let is_between =
        |other: &MountPoint| is_below(&other.path, root) && is_below(&mount.path, &other.path);
    is_below(&mount.path, root) && !mounts.iter().any(is_between)
}

/// Replaces octal escapes such as `\040` by their bytes.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let code = after.get(..3).filter(|_| *first == b'\\');
        let byte = code
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = byte.map_or(after, |_| &after[3..]);
    }
    bytes
}
