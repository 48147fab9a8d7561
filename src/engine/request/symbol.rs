//! The constructor of [`Request`] for a change of a symbol.

use super::Request;
use crate::plan::{EditTarget, Replacement, Replacements, SymbolAction, SymbolName, SymbolTarget};

impl Request {
    /// Returns a request to edit the symbol `name`: `wpatch edit --symbol`. `new` replaces the
    /// symbol or is inserted next to it, as `action` states. The name must denote exactly one
    /// symbol.
    ///
    /// A symbol includes its attributes and decorators and the comments directly above it. Without
    /// the feature `code-guard`, every such request is refused as unsupported.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// use wpatch::plan::SymbolAction;
    ///
    /// # if !cfg!(feature = "code-guard") { return Ok(()); }
    /// let path = RelPath::new(b"a.py")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("# Old.\ndef f():\n    pass\n"))]);
    /// let request = Request::edit_symbol("a.py", "f".parse()?, SymbolAction::Replace, "f = None\n");
    /// assert!(engine::apply(request, &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"f = None\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn edit_symbol(
        path: impl Into<Vec<u8>>,
        name: SymbolName,
        action: SymbolAction,
        new: impl Into<Vec<u8>>,
    ) -> Self {
        let path = path.into();
        let symbol = SymbolTarget {
            name,
            action,
            path: path.clone(),
        };
        let target = EditTarget::Symbol(Box::new(symbol));
        Self::edits(path, Replacements::of(vec![Replacement::of(target, new)]))
    }
}
