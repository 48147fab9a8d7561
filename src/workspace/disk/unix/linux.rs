//! The calls of Linux beyond POSIX.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::{Advice, MmapMut};
use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, FsWord, Mode, OFlags, RawDir, RenameFlags, ResolveFlags, StatxAttributes,
    StatxFlags, XattrFlags, chmod, fadvise, fgetxattr, flistxattr_query, fremovexattr, fsetxattr,
    fstat, fstatfs, getxattr, openat, openat2, renameat_with, statx, syncfs,
};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};
use rustix::time::{ClockId, clock_gettime};

use super::files::{bits_of_mode, not_regular_error, open_regular, set_bits};
use super::inode_flags;
use super::posix_acl::{self, ACCESS_ACL, AttributeHandle, DEFAULT_ACL, fill_buffer};
use super::stat::{kind_of, stat_of};
use super::system::{DirectoryStatus, FileFlags, SourceAccess, System, birth_time};
use crate::bytes::read_next;
use crate::mode::FileKind;
use crate::text::printable;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{ErrorKind, Protection, RenameMode, Timestamp};

/// The limit on retries. `openat2` returns `EAGAIN` if a rename happened during the walk; see
/// openat2(2).
const MAX_RACES: u32 = 64;
/// Buffer size for `getdents64` in bytes, enough for about 800 names.
const LIST_BUFFER: usize = 32 * 1024;
/// Bytes of `/proc/self/status` that contain the umask. The first line has at most 70 bytes, and
/// the second line is the umask.
const STATUS_START: usize = 512;
/// `OVERLAYFS_SUPER_MAGIC` of statfs(2).
const OVERLAY: FsWord = 0x794c_7630;
/// `EXFAT_SUPER_MAGIC` of linux/magic.h, and `EXFAT_ROOT_INO` of `fs/exfat/exfat_raw.h`.
const EXFAT: FsWord = 0x2011_bab0;
const EXFAT_ROOT: u64 = 1;
/// `FUSE_SUPER_MAGIC` of linux/magic.h.
const FUSE: FsWord = 0x6573_5546;
/// The extended attribute with the NTFS attributes. Only the ntfs-3g drivers provide it under this
/// name. Of these, only `lowntfs-3g` with `ignore_case` folds names, and it lists them in lower
/// case.
const NTFS_3G_ATTRIBUTE: &str = "system.ntfs_attrib";

/// Whether the kernel has no `openat2`: before 5.6, or if a seccomp filter rejects it.
static LACKS_OPENAT2: AtomicBool = AtomicBool::new(false);

pub(super) enum Linux {}

impl System for Linux {
    /// An `O_PATH` handle needs no read permission for the directory itself; see open(2).
    const RESOLVE: OFlags = OFlags::PATH;
    const HAS_UNNAMED_FILES: bool = true;

    fn open_beneath(start: &OwnedFd, path: &[u8], access: OFlags) -> Option<SysResult<OwnedFd>> {
        if LACKS_OPENAT2.load(Ordering::Relaxed) {
            return None;
        }
        match open_with_openat2(start, path, access) {
            // Some seccomp filters reject unknown system calls with EPERM.
            Err(Errno::NOSYS | Errno::PERM) => {
                LACKS_OPENAT2.store(true, Ordering::Relaxed);
                None
            }
            // With `RESOLVE_NO_SYMLINKS`, openat2(2) returns ELOOP for a link in the path.
            Err(Errno::LOOP) => Some(Err(SysError::new(ErrorKind::ThroughLink, Errno::LOOP))),
            result => Some(result.map_err(SysError::from)),
        }
    }

    fn rename_with_flags(
        (old_directory, old): (&OwnedFd, &[u8]),
        (new_directory, new): (&OwnedFd, &[u8]),
        mode: RenameMode,
    ) -> rustix::io::Result<()> {
        let flags = match mode {
            RenameMode::Replace => RenameFlags::empty(),
            RenameMode::Exclusive => RenameFlags::NOREPLACE,
            RenameMode::Exchange => RenameFlags::EXCHANGE,
        };
        renameat_with(old_directory, old, new_directory, new, flags)
    }

    fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>> {
        let mut buffer = Vec::with_capacity(LIST_BUFFER);
        let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
        let mut names = Vec::new();
        while let Some(entry) = entries.next() {
            match entry?.file_name().to_bytes() {
                b"." | b".." => {}
                name => names.push(name.to_vec()),
            }
        }
        Ok(names)
    }

    fn sync_file_system(file: &OwnedFd) -> rustix::io::Result<()> {
        syncfs(file)
    }

    /// Linux implements `POSIX_FADV_DONTNEED` by starting the write-back of changed pages; see
    /// mm/fadvise.c and `posix_fadvise(2)`.
    fn start_writeback(file: &OwnedFd) {
        let _ = fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    }

    /// One page fault of a huge page replaces 512; see `MADV_HUGEPAGE` in madvise(2).
    fn advise_large_pages(memory: &MmapMut) {
        // If the advice is not supported, the pages are small.
        let _ = memory.advise(Advice::HugePage);
    }

    fn create_unnamed(directory: &OwnedFd) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        retry_on_intr(|| openat(directory, ".", flags, Mode::from_raw_mode(0o600)))
    }

    /// `fchmodat` follows links, and `fchmod` does not accept an `O_PATH` handle. The call therefore
    /// uses the path of the handle below `/proc`; see the notes on `O_PATH` in open(2).
    fn set_bits_by_name(directory: &OwnedFd, name: &[u8], mode: Mode) -> SysResult<()> {
        let file = Self::open_unreadable(directory, name)?;
        let found = fstat(&file)?;
        if !matches!(kind_of(&found), FileKind::Regular | FileKind::Directory) {
            return Err(not_regular_error());
        }
        // A user who can write to a file of another user may not set its mode; see chmod(2).
        if stat_of(&found).permissions == bits_of_mode(mode) {
            return Ok(());
        }
        match chmod(proc_path_of(&file), mode) {
            // `/proc` is not mounted.
            Err(Errno::NOENT | Errno::NOTDIR) => set_bits(
                open_regular(directory, name, OFlags::RDONLY)?,
                bits_of_mode(mode),
            ),
            result => Ok(result?),
        }
    }

    /// The handle is `O_PATH` and does not support attribute calls. They use [`proc_path_of`].
    fn open_unreadable(directory: &OwnedFd, name: &[u8]) -> SysResult<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(retry_on_intr(|| {
            openat(directory, name, flags, Mode::empty())
        })?)
    }

    /// A handle of `O_PATH` has no inode flags for ioctl(2), so statx(2) reads the protection.
    fn directory_status(directory: &OwnedFd) -> SysResult<DirectoryStatus> {
        let wanted = StatxFlags::MODE | StatxFlags::UID;
        let found = match statx(directory, "", AtFlags::EMPTY_PATH, wanted) {
            Ok(found) => found,
            // Linux before 4.11, or a filter of system calls.
            Err(Errno::NOSYS | Errno::PERM) => {
                let stat = stat_of(&fstat(directory)?);
                return Ok(DirectoryStatus {
                    permissions: stat.permissions,
                    uid: stat.uid,
                    protection: None,
                });
            }
            Err(errno) => return Err(errno.into()),
        };
        let has = |attribute| found.stx_attributes.contains(attribute);
        Ok(DirectoryStatus {
            permissions: u32::from(found.stx_mode) & 0o7777,
            uid: found.stx_uid,
            protection: if has(StatxAttributes::IMMUTABLE) {
                Some(Protection::Immutable)
            } else {
                has(StatxAttributes::APPEND).then_some(Protection::AppendOnly)
            },
        })
    }

    fn file_flags(file: impl AsFd, _: &rustix::fs::Stat) -> FileFlags {
        inode_flags::all_flags(file).map_or_else(FileFlags::default, inode_flags::file_flags)
    }

    fn initial_flags(file: &OwnedFd) -> Option<u32> {
        inode_flags::all_flags(file)
    }

    fn set_flags(file: &OwnedFd, initial: u32, kept: u32) {
        inode_flags::set_flags(file, initial, kept);
    }

    /// The capability is `CAP_FOWNER`; see capabilities(7). If the capabilities cannot be read, only
    /// root has it.
    fn can_change_foreign_files() -> bool {
        match capabilities(None) {
            Ok(sets) => sets.effective.contains(CapabilitySet::FOWNER),
            Err(_) => geteuid().is_root(),
        }
    }

    fn has_no_attributes(file: impl AsFd) -> bool {
        matches!(
            flistxattr_query(file),
            Ok(0) | Err(Errno::OPNOTSUPP | Errno::NOSYS)
        )
    }

    fn copy_attributes(
        (source, access): (&OwnedFd, SourceAccess),
        file: &OwnedFd,
        has_acl: bool,
    ) -> SysResult<()> {
        let source = match access {
            SourceAccess::Read => AttributeHandle::Open(source),
            SourceAccess::Unreadable => AttributeHandle::Path(proc_path_of(source)),
        };
        posix_acl::copy_attributes(&source, file, has_acl)
    }

    fn has_acl(file: &OwnedFd) -> SysResult<bool> {
        match fgetxattr(file, ACCESS_ACL, &mut [0; 0][..]) {
            Ok(_) => Ok(true),
            Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    fn remove_acl(file: &OwnedFd) -> SysResult<()> {
        Ok(fremovexattr(file, ACCESS_ACL)?)
    }

    /// A handle of `O_PATH` does not support fgetxattr(2), so the call uses its path below `/proc`.
    /// Without `/proc` the default list is unknown and is ignored.
    fn default_acl(directory: &OwnedFd) -> SysResult<Option<Vec<u8>>> {
        match fill_buffer(|list| {
            getxattr(proc_path_of(directory), DEFAULT_ACL, spare_capacity(list))
        }) {
            Ok(list) => Ok(Some(list)),
            Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOENT | Errno::NOTDIR) => {
                Ok(None)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn set_acl(file: &OwnedFd, list: &[u8]) -> SysResult<()> {
        Ok(fsetxattr(file, ACCESS_ACL, list, XattrFlags::empty())?)
    }

    /// Reads the umask from the line `Umask:` of `proc_pid_status(5)`, in octal. Linux 4.7 and
    /// later have it.
    fn read_umask() -> Option<u32> {
        let status = open_regular(CWD, b"/proc/self/status", OFlags::RDONLY).ok()?;
        let status = read_next(&status.into(), STATUS_START).ok()?;
        let line = status
            .split(|&byte| byte == b'\n')
            .find_map(|line| line.strip_prefix(b"Umask:"))?;
        u32::from_str_radix(str::from_utf8(line).ok()?.trim(), 8).ok()
    }

    /// Linux uses this clock for file timestamps. It can be some milliseconds earlier than
    /// `CLOCK_REALTIME`; see `clock_gettime(2)`.
    fn now() -> Timestamp {
        let now = clock_gettime(ClockId::RealtimeCoarse);
        Timestamp {
            seconds: now.tv_sec,
            nanoseconds: u32::try_from(now.tv_nsec).unwrap_or_default(),
        }
    }

    /// The inode number and the machine ID. The device number is left out, because it can change
    /// when the system restarts.
    fn identity(root: &OwnedFd) -> SysResult<String> {
        let root = stat_of(&fstat(root)?);
        Ok(format!("{:x}:{}", root.inode, machine_id()?))
    }

    /// The birth time, or else the inode number, and the machine ID.
    ///
    /// On overlayfs, a write copies a directory of a lower layer and changes its birth time. The top
    /// directory of exFAT has no birth time, so the kernel reports the time of the mount; its inode
    /// number is always the same. FUSE file systems report no birth time, and many number the inodes
    /// anew at each mount. On these the text distinguishes nothing.
    fn generation(root: &OwnedFd) -> SysResult<String> {
        let kind = fstatfs(root)?.f_type;
        let is_top_of_exfat =
            || kind == EXFAT && fstat(root).is_ok_and(|found| found.st_ino == EXFAT_ROOT);
        let is_birth_kept = kind != OVERLAY && !is_top_of_exfat();
        match birth_time(root).filter(|_| is_birth_kept) {
            Some(birth) => Ok(format!("{birth:x}:{}", machine_id()?)),
            None if kind == FUSE => machine_id(),
            None => Self::identity(root),
        }
    }

    fn lists_stored_names(directory: impl AsFd) -> bool {
        getxattr(
            format!("/proc/self/fd/{}", directory.as_fd().as_raw_fd()),
            NTFS_3G_ATTRIBUTE,
            &mut [0; 8],
        )
        .is_err()
    }
}

fn open_with_openat2(start: &OwnedFd, path: &[u8], access: OFlags) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = access | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut result = Err(Errno::AGAIN);
    for _ in 0..MAX_RACES {
        result = openat2(start, path, flags, Mode::empty(), resolve);
        if !matches!(result, Err(Errno::AGAIN | Errno::INTR)) {
            break;
        }
    }
    result
}

fn proc_path_of(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Returns the machine ID, see machine-id(5), or an empty text if the machine has none.
///
/// Any other read error is returned. An empty ID would make existing records look like those of
/// another directory.
fn machine_id() -> SysResult<String> {
    match std::fs::read("/etc/machine-id") {
        Ok(id) => Ok(printable(id.trim_ascii()).to_string()),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(String::new())
        }
        Err(error) => Err(SysError::new(ErrorKind::Other, error)),
    }
}
