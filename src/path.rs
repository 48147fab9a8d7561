//! Paths below the root. A [`RelPath`] cannot leave the root by its name.

mod classes;
mod pattern;
mod system;

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use classes::exclude_slashes;
pub use pattern::{PathPattern, PatternError};
#[cfg(feature = "html")]
pub(crate) use system::absolute_file_name;
pub(crate) use system::{
    below_root, is_absolute, os_path, os_str, path_bytes, plain_path, split_root, with_slashes,
};

use crate::text::printable;

/// The maximum length of a path in bytes: `PATH_MAX` of Linux without the final NUL, see
/// `path_resolution(7)`.
pub const MAX_PATH: usize = 4095;
/// The maximum length of a component in bytes (`NAME_MAX`).
pub const MAX_COMPONENT: usize = 255;

/// The maximum number of components in a path.
///
/// wpatch visits the directories of a path one by one, so a path costs its length times its depth.
/// Without this limit, a patch full of slashes could keep a machine busy.
pub const MAX_DEPTH: usize = 256;

/// The maximum number of symbolic links on the way to a file (`MAXSYMLINKS`, see
/// `path_resolution(7)`).
pub(crate) const MAX_LINKS: usize = 40;

/// A path below the root: relative, `/`-separated, without empty, `.` or `..` components.
///
/// Clones share the bytes, because every stage keeps the paths of all files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct RelPath(Arc<[u8]>);

/// The reasons why bytes are not a path below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path is empty.
    #[error("the path is empty")]
    Empty,
    /// The path names the root itself, for example `.` or `a/..`.
    #[error("is a directory (the root); expected the path of a file")]
    Root,
    /// The path starts with `/`.
    #[error("the path is absolute")]
    Absolute,
    /// A `..` component leads out of the root.
    #[error("the path leads outside the root")]
    Outside,
    /// The path contains a NUL byte.
    #[error("the path contains a NUL byte")]
    Nul,
    /// The path ends in `/` and therefore names a directory.
    #[error("the path names a directory")]
    Directory,
    /// The path exceeds [`MAX_PATH`] or [`MAX_DEPTH`], or a component exceeds [`MAX_COMPONENT`].
    #[error("the path is too long")]
    TooLong,
}

impl RelPath {
    /// Validates `bytes` and returns them as a path.
    ///
    /// Removes `.` components and repeated slashes. A `..` component removes the component before
    /// it: `a/./b/../c` becomes `a/c`.
    ///
    /// # Errors
    ///
    /// Returns [`PathError`] for an empty path, an absolute path, a final `/` and a NUL byte. Also
    /// returns it if `..` leads out of the root, and for a path above [`MAX_PATH`],
    /// [`MAX_COMPONENT`] or [`MAX_DEPTH`].
    pub fn new(bytes: &[u8]) -> Result<Self, PathError> {
        if bytes.is_empty() {
            return Err(PathError::Empty);
        }
        if bytes.contains(&0) {
            return Err(PathError::Nul);
        }
        if bytes[0] == b'/' {
            return Err(PathError::Absolute);
        }
        if bytes.ends_with(b"/") {
            return Err(PathError::Directory);
        }
        if is_normalized(bytes) {
            return Self::check_length(bytes);
        }
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in split(bytes) {
            match part {
                b"" | b"." => {}
                b".." => drop(parts.pop().ok_or(PathError::Outside)?),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Err(PathError::Root);
        }
        Self::check_length(&parts.join(&b'/'))
    }

    fn check_length(bytes: &[u8]) -> Result<Self, PathError> {
        // A path this short exceeds neither the limit for a component nor the limit for the depth.
        if bytes.len() <= MAX_COMPONENT.min(MAX_DEPTH) {
            return Ok(Self(bytes.into()));
        }
        if bytes.len() > MAX_PATH
            || split(bytes).count() > MAX_DEPTH
            || split(bytes).any(|part| part.len() > MAX_COMPONENT)
        {
            Err(PathError::TooLong)
        } else {
            Ok(Self(bytes.into()))
        }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the parent directory, or `None` if it is the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        Some(Self(self.parent_bytes()?.into()))
    }

    /// Returns the bytes of the parent directory, or `None` if it is the root.
    #[must_use]
    pub fn parent_bytes(&self) -> Option<&[u8]> {
        Some(&self.0[..memchr::memrchr(b'/', &self.0)?])
    }

    /// Returns the last component.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let start = memchr::memrchr(b'/', &self.0).map_or(0, |slash| slash + 1);
        &self.0[start..]
    }

    /// Returns the directories above the path, from the parent upwards, without the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> + use<> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// Returns the bytes of each directory above the path, from the root downwards.
    pub fn ancestor_bytes(&self) -> impl Iterator<Item = &[u8]> {
        memchr::memchr_iter(b'/', &self.0).map(|slash| &self.0[..slash])
    }

    /// Returns the components, from the root downwards.
    pub fn components(&self) -> impl Iterator<Item = &[u8]> {
        split(&self.0)
    }

    /// Returns the path of `name` in the directory `self`.
    ///
    /// # Errors
    ///
    /// Returns [`PathError`] if the joined path is not a valid path below the root.
    pub fn join(&self, name: &[u8]) -> Result<Self, PathError> {
        let whole = [&self.0, name].join(&b'/');
        // `self` is valid, so the joined path needs no further check than its length.
        if is_normalized(name) && !name.contains(&0) {
            Self::check_length(&whole)
        } else {
            Self::new(&whole)
        }
    }

    /// Returns whether the path is below `directory`.
    #[must_use]
    pub fn is_below(&self, directory: &Self) -> bool {
        self.0
            .strip_prefix(&*directory.0)
            .is_some_and(|rest| rest.first() == Some(&b'/'))
    }
}

/// Splits a path at each `/`.
fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'/', bytes)
        .chain([bytes.len()])
        .map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..end])
}

fn is_normalized(bytes: &[u8]) -> bool {
    split(bytes).all(|part| !matches!(part, b"" | b"." | b".."))
}

impl TryFrom<Vec<u8>> for RelPath {
    type Error = PathError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, PathError> {
        Self::new(&bytes)
    }
}

impl From<RelPath> for Vec<u8> {
    fn from(path: RelPath) -> Self {
        path.as_bytes().to_vec()
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        printable(&self.0).fmt(f)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelPath({self})")
    }
}

impl Borrow<[u8]> for RelPath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_leave_the_root() {
        let refused: [(&[u8], PathError); 7] = [
            (b"", PathError::Empty),
            (b"a/..", PathError::Root),
            (b"/etc/passwd", PathError::Absolute),
            (b"../x", PathError::Outside),
            (b"a/../../x", PathError::Outside),
            (b"a\0b", PathError::Nul),
            (b"a/", PathError::Directory),
        ];
        for (bytes, error) in refused {
            assert_eq!(RelPath::new(bytes), Err(error), "{}", printable(bytes));
        }
    }

    #[test]
    fn a_path_has_a_length_and_a_depth() {
        let deep = |depth: usize| vec!["d"; depth].join("/");
        assert!(RelPath::new(deep(MAX_DEPTH).as_bytes()).is_ok());
        assert_eq!(
            RelPath::new(deep(MAX_DEPTH + 1).as_bytes()),
            Err(PathError::TooLong)
        );
        assert_eq!(
            RelPath::new("d".repeat(MAX_COMPONENT + 1).as_bytes()),
            Err(PathError::TooLong)
        );
    }

    #[test]
    fn what_is_joined_is_a_path_as_any_other() {
        let long = "d/".repeat(MAX_DEPTH - 1) + "d";
        for above in ["a", "a/b", &long] {
            for name in [
                &b""[..],
                b"x",
                b"x/y",
                b".",
                b"..",
                b"../..",
                b"x/../y",
                b"/x",
                b"x/",
                b"x//y",
                b"x\0",
                &[b'd'; 256],
            ] {
                let path = RelPath::new(above.as_bytes()).unwrap();
                assert_eq!(
                    path.join(name),
                    RelPath::new(&[above.as_bytes(), name].join(&b'/')),
                    "{}",
                    printable(name)
                );
            }
        }
    }

    #[test]
    fn a_path_is_normalised() {
        assert_eq!(RelPath::new(b"a/./b//../c").unwrap().as_bytes(), b"a/c");
    }

    #[test]
    fn a_path_knows_its_directories() {
        let path = RelPath::new(b"a/b/c").unwrap();
        let above: Vec<_> = path.ancestors().map(|path| path.to_string()).collect();
        assert_eq!(above, ["a/b", "a"]);
        assert!(path.is_below(&RelPath::new(b"a").unwrap()));
        assert!(
            !RelPath::new(b"ab")
                .unwrap()
                .is_below(&RelPath::new(b"a").unwrap())
        );
    }
}
