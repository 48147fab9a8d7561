//! The request to undo changes.

use std::path::PathBuf;

use super::{Request, What};

/// What is to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// So many of the last changes that hold.
    Last(usize),
    /// The change with this name, or whose name begins so.
    Entry(String),
    /// The last taking back: `wpatch redo`.
    Undo,
}

/// The changes to undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// Which.
    pub target: Target,
    /// Whether changes that others made since are undone as well.
    pub force: bool,
    /// The directory that git is asked about, if a change of its index is undone: the root.
    pub root: PathBuf,
}

impl Request {
    /// Returns the request to undo `target`.
    ///
    /// In a work tree of git it works on the whole work tree, whatever its root is, and its report
    /// names paths from the top. The policy files of the root, of the top, and of each root that
    /// made one of the changes hold.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::engine::{self, Request, Target};
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
    /// assert!(engine::apply(Request::undo(Target::Last(1)), &workspace, &interrupt).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"one\n");
    ///
    /// assert!(engine::apply(Request::undo(Target::Undo), &workspace, &interrupt).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"two\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn undo(target: Target) -> Self {
        Self::with(What::Undo(Undo {
            target,
            force: false,
            root: PathBuf::from("."),
        }))
    }
}
