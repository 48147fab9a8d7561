//! What tests need of the operating system: links, permission bits, a shell, names as bytes.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;

/// The program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_wpatch");

/// Returns a command that runs the program. It has no directory of the user but those that a test
/// sets: Windows names some in each environment.
pub(crate) fn wpatch() -> Command {
    without_user(Command::new(PROGRAM))
}

fn without_user(mut command: Command) -> Command {
    if cfg!(windows) {
        for name in ["APPDATA", "LOCALAPPDATA", "USERPROFILE"] {
            command.env_remove(name);
        }
    }
    command
}

/// Creates a symbolic link at `at`.
#[cfg(unix)]
pub(crate) fn link(target: impl AsRef<Path>, at: impl AsRef<Path>) -> io::Result<()> {
    fs::os::unix::fs::symlink(target, at)
}

/// Creates a symbolic link at `at`. It leads to a directory if `target` is one now.
#[cfg(windows)]
pub(crate) fn link(target: impl AsRef<Path>, at: impl AsRef<Path>) -> io::Result<()> {
    let (target, at) = (target.as_ref(), at.as_ref());
    if at.with_file_name("").join(target).is_dir() {
        fs::os::windows::fs::symlink_dir(target, at)
    } else {
        fs::os::windows::fs::symlink_file(target, at)
    }
}

/// Returns the permission bits of the file that `at` leads to, in octal at most 0o7777.
///
/// Windows has one of them: 0o666 is a file that can be written, 0o444 one that cannot.
///
/// # Panics
///
/// If there is no file.
pub(crate) fn mode(at: impl AsRef<Path>) -> u32 {
    bits(&fs::metadata(at.as_ref()).unwrap())
}

/// Returns the permission bits in `data`; see [`mode`].
#[cfg(unix)]
pub(crate) fn bits(data: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o7777
}

/// Returns the permission bits in `data`; see [`mode`].
#[cfg(windows)]
pub(crate) fn bits(data: &std::fs::Metadata) -> u32 {
    if data.permissions().readonly() {
        0o444
    } else {
        0o666
    }
}

/// Sets the permission bits of the file that `at` leads to. Windows takes the write bit of the
/// owner from them, and nothing else.
///
/// # Panics
///
/// If there is no file, or it belongs to another user.
pub(crate) fn set_mode(at: impl AsRef<Path>, mode: u32) {
    let at = at.as_ref();
    fs::set_permissions(at, permissions(at, mode)).unwrap();
}

#[cfg(unix)]
fn permissions(_: &Path, mode: u32) -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}

#[cfg(windows)]
fn permissions(at: &Path, mode: u32) -> std::fs::Permissions {
    let mut permissions = fs::metadata(at).unwrap().permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    permissions
}

/// Returns whether the owner may execute the file with these data. No file of Windows has a bit
/// for that.
pub(crate) fn is_executable(data: &std::fs::Metadata) -> bool {
    bits(data) & 0o100 != 0
}

/// Returns a command that runs `script` in a POSIX shell, as `$0` and further arguments have it.
/// On Windows the shell is that of git.
pub(crate) fn sh(script: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    shell
}

/// Returns whether no permission bit stops the tests.
#[cfg(unix)]
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns the bytes of a name. Those of Windows are UTF-8, with `/` between components.
pub(crate) fn bytes_of(name: impl AsRef<OsStr>) -> Vec<u8> {
    let bytes = name.as_ref().as_encoded_bytes().to_vec();
    if cfg!(windows) {
        bytes
            .into_iter()
            .map(|byte| if byte == b'\\' { b'/' } else { byte })
            .collect()
    } else {
        bytes
    }
}

/// Returns the absolute path without links of the file that `at` leads to, as programs print it.
///
/// # Panics
///
/// If there is no file.
pub(crate) fn real(at: impl AsRef<Path>) -> PathBuf {
    let real = fs::canonicalize(at.as_ref()).unwrap();
    match real.to_str().and_then(|name| name.strip_prefix(r"\\?\")) {
        Some(plain) if cfg!(windows) => plain.into(),
        _ => real,
    }
}

/// Returns the path with these bytes.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    std::ffi::OsString::from_vec(bytes.to_vec()).into()
}

/// Returns the path with these bytes.
///
/// # Panics
///
/// If they are not UTF-8: Windows has no such path.
#[cfg(windows)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::str::from_utf8(bytes).unwrap())
}

/// Creates a symbolic link on Unix, in a scene most of whose tests do not need it.
pub(crate) fn link_on_unix(target: impl AsRef<Path>, at: impl AsRef<Path>) {
    if cfg!(unix) {
        link(target, at).unwrap();
    }
}

/// Returns a command that runs the program under the name `name`.
#[cfg(unix)]
pub(crate) fn program_named(name: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    std::os::unix::process::CommandExt::arg0(&mut command, name);
    command
}

/// Returns a command that runs the program under the name `name`: a copy of it.
#[cfg(windows)]
pub(crate) fn program_named(name: &str) -> Command {
    static COPIES: std::sync::Mutex<Option<tempfile::TempDir>> = std::sync::Mutex::new(None);
    let mut copies = COPIES.lock().unwrap();
    let directory = copies.get_or_insert_with(|| tempfile::TempDir::new().unwrap());
    let copy = directory.path().join(name).with_extension("exe");
    if !copy.exists() {
        install(name, directory.path());
    }
    without_user(Command::new(copy))
}

/// Puts the program into `directory` under the name `name`; returns its path.
///
/// # Panics
///
/// If there is no such directory.
pub(crate) fn install(name: &str, directory: &Path) -> PathBuf {
    let at = directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if cfg!(unix) && !at.is_symlink() {
        link(PROGRAM, &at).unwrap();
    } else if !at.exists() {
        fs::copy(PROGRAM, &at).unwrap();
    }
    at
}

/// Returns whether everything is to be run, not a sample: `WPATCH_FAULTS=all`.
pub(crate) fn takes_all() -> bool {
    std::env::var_os("WPATCH_FAULTS").is_some_and(|value| value == "all")
}

/// What a look at a file must not change: mode, inode, size, times of change of contents and of
/// attributes.
#[cfg(unix)]
pub(crate) fn traces_of(data: &std::fs::Metadata) -> [i64; 7] {
    use std::os::unix::fs::MetadataExt;

    [
        i64::from(data.mode()),
        data.ino().cast_signed(),
        data.size().cast_signed(),
        data.mtime(),
        data.mtime_nsec(),
        data.ctime(),
        data.ctime_nsec(),
    ]
}

/// What a look at a file must not change: kind, attributes, size, times of creation and of change.
#[cfg(windows)]
pub(crate) fn traces_of(data: &std::fs::Metadata) -> [i64; 7] {
    use std::os::windows::fs::MetadataExt;

    // The kind as Unix has it in the mode.
    let kind = if data.is_dir() { 0o040_000 } else { 0o100_000 };
    [
        kind,
        i64::from(data.file_attributes()),
        data.len().cast_signed(),
        data.creation_time().cast_signed(),
        data.last_write_time().cast_signed(),
        0,
        0,
    ]
}

/// Returns how many names the file at `at` has.
///
/// # Panics
///
/// If there is no file.
#[cfg(unix)]
pub(crate) fn links(at: impl AsRef<Path>) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(&fs::metadata(at.as_ref()).unwrap())
}

/// Creates a FIFO.
///
/// # Panics
///
/// If there is a file already.
#[cfg(unix)]
pub(crate) fn fifo(at: impl AsRef<Path>) {
    let made = Command::new("mkfifo").arg(at.as_ref()).status();
    assert!(made.unwrap().success());
}
