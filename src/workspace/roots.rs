//! Several roots as one tree: the top directory has one entry for each root, its name.
//!
//! Every verb that reads delegates `NAME/rest` to the workspace of the root NAME. No verb changes a
//! file: the transaction writes through the workspace of each root. The top directory and its
//! entries exist only here, so nothing can create, replace or remove them.

mod verbs;

use std::io;
use std::path::{Path, PathBuf};

use super::{Directory, ErrorKind, Result, Stat, Timestamp, Workspace, WorkspaceError};
use crate::mode::FileKind;
use crate::path::{RelPath, path_bytes};
use crate::text::printable;

/// The permission bits of the entries of the top directory.
const BITS: u32 = 0o755;

/// Several roots whose changes are committed together.
///
/// Paths begin with the name of a root.
pub struct Roots {
    roots: Vec<Root>,
}

/// One root of several.
pub struct Root {
    /// The name, which has one component.
    pub name: RelPath,
    /// The tree.
    pub workspace: Box<dyn Workspace + Send>,
}

/// The reason why directories cannot be the roots of one command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RootsError {
    /// The name has several components, or is `.` or `..`.
    #[error("{0}: the name of a root has one component")]
    Name(String),
    /// Two roots have the same name.
    #[error("{0}: two roots have this name")]
    SameName(String),
    /// One root is the other, or contains it.
    #[error("the root {0} contains the root {1}")]
    Nested(String, String),
}

impl Roots {
    /// Returns the tree of `roots`, each with its name.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is not one path component, if two names are equal, or if a root
    /// is the same directory as another one or contains it.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::engine::{self, Request};
    /// use wpatch::path::RelPath;
    /// use wpatch::transaction::Interrupt;
    /// use wpatch::workspace::Roots;
    /// use wpatch::workspace::memory::{Entry, Memory};
    ///
    /// let path = RelPath::new(b"a")?;
    /// let tree = |text: &str| Memory::with_files([(path.clone(), Entry::file(text))]);
    /// let (one, two) = (tree("one\n"), tree("two\n"));
    /// Memory::connect(&[("/one", &one), ("/two", &two)]);
    /// let roots = Roots::new([
    ///     ("one", Box::new(one.handle()) as Box<_>),
    ///     ("two", Box::new(two.handle()) as Box<_>),
    /// ])?;
    /// let patch = "--- a/one/a\n+++ b/one/a\n@@ -1 +1 @@\n-one\n+1\n\
    ///     --- a/two/a\n+++ b/two/a\n@@ -1 +1 @@\n-two\n+2\n";
    /// assert!(engine::apply(Request::of(patch), &roots, &Interrupt::new()).report.changed);
    /// assert_eq!(two.files()[&path].contents, b"2\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        roots: impl IntoIterator<Item = (impl AsRef<[u8]>, Box<dyn Workspace + Send>)>,
    ) -> std::result::Result<Self, RootsError> {
        let mut found: Vec<Root> = Vec::new();
        for (name, workspace) in roots {
            let name = name.as_ref();
            let path = RelPath::new(name).ok();
            let path = path.filter(|path| path.components().count() == 1);
            let Some(path) = path else {
                return Err(RootsError::Name(printable(name).to_string()));
            };
            if found.iter().any(|other| other.name == path) {
                return Err(RootsError::SameName(path.to_string()));
            }
            found.push(Root {
                name: path,
                workspace,
            });
        }
        check_nesting(&found)?;
        Ok(Self { roots: found })
    }

    /// Returns the roots in the order in which they were given.
    #[must_use]
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Returns the root that contains `path` and the path below it, which is `None` for the root
    /// itself. Returns `None` if no root has the name.
    #[must_use]
    pub fn split(&self, path: &RelPath) -> Option<(&Root, Option<RelPath>)> {
        let bytes = path.as_bytes();
        let end = memchr::memchr(b'/', bytes).unwrap_or(bytes.len());
        let root = self
            .roots
            .iter()
            .find(|root| root.name.as_bytes() == &bytes[..end])?;
        let rest = bytes
            .get(end + 1..)
            .and_then(|rest| RelPath::new(rest).ok());
        Some((root, rest))
    }

    /// Returns the names of the roots, for messages.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.roots
            .iter()
            .map(|root| root.name.to_string())
            .collect()
    }

    /// Runs `verb` on the file at `path` in its root. Names the file by its path here in an error.
    fn delegate<T>(
        &self,
        verb: &'static str,
        path: &RelPath,
        run: impl FnOnce(&dyn Workspace, &RelPath) -> Result<T>,
    ) -> Result<T> {
        match self.split(path) {
            Some((root, Some(rest))) => {
                run(&*root.workspace, &rest).map_err(|error| root.error(error))
            }
            Some((_, None)) => Err(error(verb, path, ErrorKind::NotRegular)),
            None => Err(error(verb, path, ErrorKind::Missing)),
        }
    }

    /// Runs `verb` on the directory `path` in its root, or returns `top` for the top directory.
    fn delegate_directory<T>(
        &self,
        verb: &'static str,
        directory: Directory<'_>,
        top: T,
        run: impl FnOnce(&dyn Workspace, Directory<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(path) = directory else {
            return Ok(top);
        };
        let (root, rest) = self
            .split(path)
            .ok_or_else(|| error(verb, path, ErrorKind::Missing))?;
        run(&*root.workspace, rest.as_ref()).map_err(|error| root.error(error))
    }

    /// Returns the paths that `find` returns for each root.
    fn collect_paths(
        &self,
        find: impl Fn(&dyn Workspace) -> Vec<RelPath>,
    ) -> impl Iterator<Item = RelPath> {
        self.roots.iter().flat_map(move |root| {
            find(&*root.workspace)
                .into_iter()
                .filter_map(|path| root.join(&path))
        })
    }
}

impl Root {
    /// Returns `path` of this root as a path of the tree with all roots.
    #[must_use]
    pub fn join(&self, path: &RelPath) -> Option<RelPath> {
        self.name.join(path.as_bytes()).ok()
    }

    /// Returns `error` with the path that begins with the name of the root.
    #[must_use]
    pub fn error(&self, error: WorkspaceError) -> WorkspaceError {
        let path = match &*error.path {
            "." => self.name.to_string(),
            path if PathBuf::from(path).is_absolute() => path.to_owned(),
            path => format!("{}/{path}", self.name),
        };
        WorkspaceError { path, ..error }
    }

    /// Returns the attributes of the entry of the top directory. `number` is the position of the
    /// root.
    fn stat(&self, number: u64) -> Stat {
        Stat {
            kind: FileKind::Directory,
            permissions: BITS,
            uid: self.workspace.user(),
            gid: 0,
            links: 1,
            size: 0,
            modified: Timestamp::default(),
            // Each root can be on a file system of its own. No file system has these numbers.
            device: u64::MAX - number,
            inode: number,
            has_no_xattrs: true,
            protection: None,
            inode_flags: 0,
        }
    }
}

/// Returns an error for a path that no root has.
fn error(verb: &'static str, path: &RelPath, kind: ErrorKind) -> WorkspaceError {
    let (source, path) = match kind {
        ErrorKind::Missing => (io::ErrorKind::NotFound, path),
        _ => (io::ErrorKind::IsADirectory, path),
    };
    WorkspaceError {
        verb,
        path: path.to_string(),
        kind,
        source: source.into(),
    }
}

/// Checks that no root is or contains another one.
fn check_nesting(roots: &[Root]) -> std::result::Result<(), RootsError> {
    let places: Vec<_> = roots
        .iter()
        .map(|root| root.workspace.location().map(|place| (&root.name, place)))
        .collect();
    for (number, outer) in places.iter().enumerate() {
        for (other, inner) in places.iter().enumerate() {
            let (Some((outer, above)), Some((inner, below))) = (outer, inner) else {
                continue;
            };
            let rest = below.strip_prefix(&above[..]);
            let is_below = |rest: &[u8]| rest.first().is_none_or(|&byte| byte == b'/');
            if number != other && (rest.is_some_and(is_below) || above == b"/") {
                return Err(RootsError::Nested(outer.to_string(), inner.to_string()));
            }
        }
    }
    Ok(())
}

/// Returns the location of a directory with the absolute path `path`.
pub(super) fn location_of(path: &Path) -> Vec<u8> {
    path_bytes(path).into_owned()
}
