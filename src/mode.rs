//! Types and modes of files, as git writes them.

use std::fmt;

/// What git's mode numbers say of a file: its type, and whether it can be executed.
///
/// See "index-format" in git's documentation: a regular file is 100644 or 100755, nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileMode {
    /// 100644.
    Regular,
    /// 100755.
    Executable,
    /// 120000; the contents are the target.
    Symlink,
    /// 160000, a commit of another repository; a directory in a work tree.
    Submodule,
}

impl FileMode {
    /// Returns the mode that an octal number of a git header means.
    ///
    /// Permission bits of a regular file other than the owner's execute bit carry nothing, as in
    /// git. Types that a tree cannot hold (devices, sockets, directories) are `None`.
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

    /// Returns the number as git writes it.
    #[must_use]
    pub fn digits(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Returns the type of file that it stands for in a work tree.
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

/// The type of what a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, a socket or a device: never opened, never written.
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

/// The permission bits that a file is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permissions {
    /// Those of a new file: 0666, or 0777 if it can be executed, less the umask.
    New {
        /// Whether it can be executed.
        executable: bool,
    },
    /// Exactly these, of 0o7777.
    Exact(u32),
}

/// Returns `bits` with the execute bits that `executable` asks for.
///
/// Who may read may then also execute, or nobody may; the set-uid, set-gid and sticky bits go.
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
