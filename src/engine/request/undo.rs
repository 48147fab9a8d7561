//! The request to undo or redo changes.

use std::path::PathBuf;

use super::{Request, What};

/// The selection of changes to undo.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UndoTarget {
    /// The newest changes that are in effect, this many of them.
    Last(usize),
    /// The change with this ID, or the only change whose ID starts with this text.
    Entry(String),
    /// The last undo: `wpatch redo`.
    Undo,
}

/// A request to undo changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoRequest {
    /// The changes to undo.
    pub target: UndoTarget,
    /// Whether later changes by other programs are undone, too.
    pub force: bool,
    /// The directory in which git runs if the undo changes git's index: the root.
    pub root: PathBuf,
}

impl Request {
    /// Returns a request to undo `target`.
    ///
    /// In a git work tree the undo covers the whole work tree, even if the root is below its top.
    /// Its report names paths from the top. The policy files of the root and of the top apply, and
    /// those of each root from which one of the changes was made.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::engine::{self, Request, UndoTarget};
    /// use wpatch::path::RelPath;
    /// use wpatch::transaction::{Interrupt, Options};
    /// use wpatch::workspace::memory::{Entry, Memory};
    ///
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("one\n"))]);
    /// let interrupt = Interrupt::new();
    /// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
    /// assert!(engine::apply(Request::edit("a", "one", "two"), &workspace, &interrupt).report.ok);
    ///
    /// assert!(engine::apply(Request::undo(UndoTarget::Last(1)), &workspace, &interrupt).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"one\n");
    ///
    /// assert!(engine::apply(Request::undo(UndoTarget::Undo), &workspace, &interrupt).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"two\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn undo(target: UndoTarget) -> Self {
        Self::with(What::Undo(UndoRequest {
            target,
            force: false,
            root: PathBuf::from("."),
        }))
    }
}
