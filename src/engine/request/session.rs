//! The request to commit an edit session.

use super::{Request, What};

/// A request to commit an edit session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRequest {
    /// The ID of the session, or the beginning of one.
    pub id: String,
    /// Whether the changes of the session are merged with files that changed in the tree since. A
    /// conflict refuses the commit. Without it, such a file is stale.
    pub rebase: bool,
}

impl Request {
    /// Returns a request to commit the edit session `id` as one transaction.
    ///
    /// In a git work tree the session covers the whole work tree, even if the root is below its
    /// top. The report names paths from the top.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::engine::{self, Request};
    /// use wpatch::path::RelPath;
    /// use wpatch::transaction::{Interrupt, Options};
    /// use wpatch::workspace::memory::{Entry, Memory};
    ///
    /// let (path, interrupt) = (RelPath::new(b"a")?, Interrupt::new());
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("one\n"))]);
    /// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
    /// let begun = engine::begin(None, &workspace, Options::default(), &interrupt);
    /// let id = begun.report.session.unwrap().id;
    ///
    /// let session = engine::open_session(&workspace, &id).unwrap();
    /// assert!(engine::apply(Request::edit("a", "one", "two"), &session, &interrupt).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"one\n");
    ///
    /// let commit = Request::commit_session(&id);
    /// assert!(engine::apply(commit, &workspace, &interrupt).report.changed);
    /// assert_eq!(workspace.files()[&path].contents, b"two\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn commit_session(id: impl Into<String>) -> Self {
        Self::with(What::Session(SessionRequest {
            id: id.into(),
            rebase: false,
        }))
    }
}
