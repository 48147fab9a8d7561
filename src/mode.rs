//! Types and modes of files in git's notation.

use std::fmt;

/// The type of a file, and whether it is executable, as git's mode numbers encode them.
///
/// According to gitformat-index(5), a regular file has the mode 100644 or 100755.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileMode {
    /// 100644, a regular file.
    Regular,
    /// 100755, an executable regular file.
    Executable,
    /// 120000, a symbolic link. Its content is the target.
    Symlink,
    /// 160000, a commit of another repository. It is a directory in the work tree.
    Submodule,
}

impl FileMode {
    /// Returns the mode for an octal number from a git header.
    ///
    /// Like git, it ignores all permission bits of a regular file except the owner's execute bit.
    /// Returns `None` for types that a git tree cannot contain: devices, sockets and directories.
    #[must_use]
    pub fn from_bits(bits: u32) -> Option<Self> {
        match bits & 0o170_000 {
            0o100_000 if bits & 0o100 != 0 => Some(Self::Executable),
            0o100_000 => Some(Self::Regular),
            0o120_000 => Some(Self::Symlink),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }

    /// Returns the mode of a file of this type. Only a regular file can be executable; without
    /// `permissions` it is not. A directory is a submodule.
    #[must_use]
    pub fn of(kind: FileKind, permissions: Option<u32>) -> Self {
        match kind {
            FileKind::Symlink => Self::Symlink,
            FileKind::Directory => Self::Submodule,
            FileKind::Regular if permissions.is_some_and(|bits| bits & 0o100 != 0) => {
                Self::Executable
            }
            FileKind::Regular | FileKind::Special => Self::Regular,
        }
    }

    /// Returns git's number, as in `new file mode 100644`.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Regular => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Symlink => 0o120_000,
            Self::Submodule => 0o160_000,
        }
    }

    /// Returns the number as six octal digits.
    #[must_use]
    pub fn digits(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Returns the type of the file in a work tree.
    #[must_use]
    pub fn kind(self) -> FileKind {
        match self {
            Self::Regular | Self::Executable => FileKind::Regular,
            Self::Symlink => FileKind::Symlink,
            Self::Submodule => FileKind::Directory,
        }
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.digits())
    }
}

/// The type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, a socket or a device. wpatch never opens or writes one.
    Special,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regular => "regular file",
            Self::Directory => "directory",
            Self::Symlink => "symbolic link",
            Self::Special => "special file",
        })
    }
}

/// The permission bits for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permissions {
    /// The bits of a new file: 0666, or 0777 if it is executable, less the umask.
    New {
        /// Whether the file is executable.
        executable: bool,
    },
    /// Exactly these bits, a subset of 0o7777.
    Exact(u32),
}

/// Returns `bits` with or without execute permission.
///
/// Copies the read bits to the execute bits, or clears them. Always clears the set-user-ID,
/// set-group-ID and sticky bits.
#[must_use]
pub fn with_execution(bits: u32, executable: bool) -> u32 {
    let plain = bits & 0o666;
    if executable {
        plain | ((plain & 0o444) >> 2)
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_execute_bit_of_a_git_mode_counts() {
        assert_eq!(FileMode::from_bits(0o101_777), Some(FileMode::Executable));
        assert_eq!(FileMode::from_bits(0o100_000), Some(FileMode::Regular));
        assert_eq!(FileMode::from_bits(0o060_666), None);
    }

    #[test]
    fn execution_follows_reading() {
        assert_eq!(with_execution(0o640, true), 0o750);
        assert_eq!(with_execution(0o4755, false), 0o644);
    }
}
