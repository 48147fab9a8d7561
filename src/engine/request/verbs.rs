//! The constructors of [`Request`] for changes that the program has a command for.

use super::{FileEdit, Request};
use crate::plan::{
    Action, AppendMode, CellEdit, Edit, EditTarget, Input, ReplaceCount, Replacement, Replacements,
};
use crate::syntax::{EditList, SyntaxError, parse_edits};
use crate::text::{Bytes, Span};

impl Request {
    /// Returns a request to replace `old` with `new`: `wpatch edit --old --new`. `old` must occur
    /// exactly once.
    ///
    /// Line feeds in `new` become the line ending at that place. No other byte changes. An empty
    /// `old` is refused, and so is a `new` that equals `old`.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::engine::{self, Request};
    /// use wpatch::path::RelPath;
    /// use wpatch::report::Op;
    /// use wpatch::transaction::Interrupt;
    /// use wpatch::workspace::memory::{Entry, Memory};
    ///
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("one\r\ntwo\r\n"))]);
    /// let outcome = engine::apply(Request::edit("a", "two\n", "2\n3\n"), &workspace, &Interrupt::new());
    /// assert_eq!(outcome.report.files[0].op, Op::Modify);
    /// assert_eq!(workspace.files()[&path].contents, b"one\r\n2\r\n3\r\n");
    ///
    /// let outcome = engine::apply(Request::edit("a", "\n", "x"), &workspace, &Interrupt::new());
    /// assert_eq!(outcome.report.error.unwrap().lines, [1, 2, 3]);
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn edit(
        path: impl Into<Vec<u8>>,
        old: impl Into<Vec<u8>>,
        new: impl Into<Vec<u8>>,
    ) -> Self {
        of_text(path, old.into(), ReplaceCount::Once, new)
    }

    /// Returns a request to replace every occurrence of `old` with `new`: `wpatch edit --all`.
    /// `old` must occur at least once.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("x y x\n"))]);
    /// assert!(engine::apply(Request::edit_all("a", "x", "z"), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"z y z\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn edit_all(
        path: impl Into<Vec<u8>>,
        old: impl Into<Vec<u8>>,
        new: impl Into<Vec<u8>>,
    ) -> Self {
        of_text(path, old.into(), ReplaceCount::All, new)
    }

    /// Returns a request to replace the text from the start of `from` to the end of `to` with
    /// `new`: `wpatch edit --from --to`. Each of the two texts must occur exactly once.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("<b>old</b> text\n"))]);
    /// assert!(engine::apply(Request::edit_range("a", "<b>", "</b>", "new"), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"new text\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn edit_range(
        path: impl Into<Vec<u8>>,
        from: impl Into<Vec<u8>>,
        to: impl Into<Vec<u8>>,
        new: impl Into<Vec<u8>>,
    ) -> Self {
        let target = EditTarget::Range {
            from: from.into(),
            to: to.into(),
        };
        Self::edits(path, Replacements::of(vec![Replacement::of(target, new)]))
    }

    /// Returns a request to insert `new` as separate lines after `line`: `wpatch edit
    /// --insert-after`. Lines are counted from 1; 0 is the start of the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("1\n2\n"))]);
    /// assert!(engine::apply(Request::insert_after("a", 1, "1.5"), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"1\n1.5\n2\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn insert_after(path: impl Into<Vec<u8>>, line: usize, new: impl Into<Vec<u8>>) -> Self {
        Self::edits(
            path,
            Replacements::of(vec![Replacement::of(EditTarget::After(line), new)]),
        )
    }

    /// Returns a request to insert `new` as separate lines before `line`, counted from 1: `wpatch
    /// edit --insert-before`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("1\n2\n"))]);
    /// assert!(engine::apply(Request::insert_before("a", 1, "0"), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"0\n1\n2\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn insert_before(path: impl Into<Vec<u8>>, line: usize, new: impl Into<Vec<u8>>) -> Self {
        Self::edits(
            path,
            Replacements::of(vec![Replacement::of(EditTarget::Before(line), new)]),
        )
    }

    /// Returns a request to make `edits`, all of them or none.
    ///
    /// # Examples
    ///
    /// Each edit applies to the result of the edits before it. On the ladder, texts can differ in
    /// blanks:
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// use wpatch::plan::{MatchMode, EditOrder, Replacement, Replacements, EditTarget, ReplaceCount};
    ///
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("\tone\n"))]);
    /// let edit = |old: &str, new: &str| {
    ///     Replacement::of(EditTarget::Text { old: old.into(), times: ReplaceCount::Once }, new)
    /// };
    /// let edits = vec![edit("    one\n", "\ttwo\n"), edit("two", "three")];
    /// let edits = Replacements { edits, order: EditOrder::Sequential, match_mode: MatchMode::Ladder };
    /// assert!(engine::apply(Request::edits("a", edits), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"\tthree\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn edits(path: impl Into<Vec<u8>>, edits: Replacements) -> Self {
        edits_of(path, edits).into()
    }

    /// Returns a request to make the edits of a JSON list: `wpatch edit --edits`.
    ///
    /// Each entry is an object. Its two texts are `old` and `new`, `old_string` and `new_string`,
    /// `old_str` and `new_str`, `oldText` and `newText`, or `search` and `replace`. `all` and
    /// `replace_all` are optional. Instead of an old text, `symbol` names a symbol. The new text
    /// replaces it, or is inserted `"before"` or `"after"` it, as `place` states; with
    /// `"delete": true` the symbol is deleted. The entry, or an object that contains the list, can have
    /// `expected_hash`: the digest that the file must have before the change.
    ///
    /// # Errors
    ///
    /// Returns the first error in the list.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("one\ntwo\n"))]);
    /// let list = r#"[{"old": "one", "new": "1"}, {"old": "two", "new": "2"}]"#;
    /// let change = Request::edit_list("a", list)?;
    /// assert!(engine::apply(change, &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"1\n2\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit_list(
        path: impl Into<Vec<u8>>,
        list: impl Into<Bytes>,
    ) -> Result<Self, SyntaxError> {
        let bytes = list.into();
        let path = path.into();
        let EditList {
            mut edits,
            expected,
        } = parse_edits(&bytes)?;
        for edit in &mut edits {
            if let EditTarget::Symbol(symbol) = &mut edit.target {
                symbol.path.clone_from(&path);
            }
        }
        let input = Input {
            name: "--edits".to_owned(),
            bytes,
            ..Input::default()
        };
        let mut request = Self::from(FileEdit {
            input,
            ..edits_of(path, Replacements::of(edits))
        });
        request.decide.expect_hash = expected;
        Ok(request)
    }

    /// Returns a request to create a file that does not exist: `wpatch write`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::Memory};
    /// use wpatch::engine::{MissingParents, What};
    ///
    /// let workspace = Memory::with_files([]);
    /// let write = || Request::write("d/a", "hello\n");
    /// let mut alone = write();
    /// if let What::Edit(edit) = &mut alone.what {
    ///     edit.parents = MissingParents::Refuse;
    /// }
    /// let refused = engine::apply(alone, &workspace, &Interrupt::new()).report.error.unwrap();
    /// assert_eq!(refused.kind, wpatch::report::ProblemKind::Missing);
    /// assert!(engine::apply(write(), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&RelPath::new(b"d/a")?].contents, b"hello\n");
    ///
    /// let refused = engine::apply(write(), &workspace, &Interrupt::new()).report.error.unwrap();
    /// assert_eq!(refused.kind, wpatch::report::ProblemKind::Exists);
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn write(path: impl Into<Vec<u8>>, contents: impl Into<Bytes>) -> Self {
        FileEdit {
            action: Action::Create,
            ..write_edit(path, contents)
        }
        .into()
    }

    /// Returns a request to create a file or to replace its contents: `wpatch write --overwrite`.
    ///
    /// # Examples
    ///
    /// Replaces the file only if it still has the contents that were read:
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// use wpatch::digest::Sha256;
    ///
    /// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
    /// let mut write = Request::overwrite("a", "two\n");
    /// write.decide.expect_hash = Some(Sha256::of(b"one\n"));
    /// assert!(engine::apply(write.clone(), &workspace, &Interrupt::new()).report.ok);
    /// let refused = engine::apply(write, &workspace, &Interrupt::new()).report.error.unwrap();
    /// assert_eq!(refused.kind, wpatch::report::ProblemKind::Stale);
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn overwrite(path: impl Into<Vec<u8>>, contents: impl Into<Bytes>) -> Self {
        write_edit(path, contents).into()
    }

    /// Returns a request to append `contents` to a file, byte for byte: `wpatch append`. A file
    /// that does not exist is created.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("one"))]);
    /// assert!(engine::apply(Request::append("a", " two"), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"one two");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn append(path: impl Into<Vec<u8>>, contents: impl Into<Vec<u8>>) -> Self {
        append_edit(path, AppendMode::Bytes, contents)
    }

    /// Returns a request to append `contents` to a file as separate lines: `wpatch append --line`.
    /// A file that does not exist is created.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// let path = RelPath::new(b"a")?;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file("one"))]);
    /// assert!(engine::apply(Request::append_lines("a", "two"), &workspace, &Interrupt::new()).report.ok);
    /// assert_eq!(workspace.files()[&path].contents, b"one\ntwo\n");
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn append_lines(path: impl Into<Vec<u8>>, contents: impl Into<Vec<u8>>) -> Self {
        append_edit(path, AppendMode::Lines, contents)
    }

    /// Returns a request to change one cell of a Jupyter notebook: `wpatch notebook`. The name of
    /// the file must end in `.ipynb`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wpatch::{engine::{self, Request}, path::RelPath, transaction::Interrupt, workspace::memory::{Entry, Memory}};
    /// use wpatch::plan::CellEdit;
    ///
    /// let path = RelPath::new(b"n.ipynb")?;
    /// let notebook = r#"{"cells": [{"cell_type": "raw", "source": []}], "nbformat": 4, "nbformat_minor": 2}"#;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file(notebook))]);
    /// let delete = Request::notebook("n.ipynb", CellEdit::Delete { cell: "cell-0".to_owned() });
    /// assert!(engine::apply(delete, &workspace, &Interrupt::new()).report.ok);
    /// let left = &workspace.files()[&path].contents;
    /// assert_eq!(left, br#"{"cells": [], "nbformat": 4, "nbformat_minor": 2}"#);
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn notebook(path: impl Into<Vec<u8>>, edit: CellEdit) -> Self {
        with_command("notebook", FileEdit::of(path, Edit::Cell(Box::new(edit)))).into()
    }
}

fn edits_of(path: impl Into<Vec<u8>>, edits: Replacements) -> FileEdit {
    FileEdit::of(path, Edit::Replacements(Box::new(edits)))
}

fn of_text(
    path: impl Into<Vec<u8>>,
    old: Vec<u8>,
    times: ReplaceCount,
    new: impl Into<Vec<u8>>,
) -> Request {
    let span = Span::new(0, old.len());
    let input = Input {
        name: "--old".to_owned(),
        bytes: old.clone().into(),
        ..Input::default()
    };
    let edit = Replacement {
        span,
        ..Replacement::of(EditTarget::Text { old, times }, new)
    };
    FileEdit {
        input,
        ..edits_of(path, Replacements::of(vec![edit]))
    }
    .into()
}

fn write_edit(path: impl Into<Vec<u8>>, contents: impl Into<Bytes>) -> FileEdit {
    let edit = FileEdit::of(path, Edit::Whole(contents.into().into()));
    FileEdit {
        creates_missing: true,
        ..with_command("write", edit)
    }
}

fn append_edit(
    path: impl Into<Vec<u8>>,
    ending: AppendMode,
    contents: impl Into<Vec<u8>>,
) -> Request {
    let edits = Replacements::of(vec![Replacement::of(EditTarget::End(ending), contents)]);
    FileEdit {
        creates_missing: true,
        ..with_command("append", edits_of(path, edits))
    }
    .into()
}

/// Sets the command of `edit`. Messages use its name for the text of the edit.
fn with_command(command: &'static str, edit: FileEdit) -> FileEdit {
    FileEdit {
        command,
        input: Input {
            name: command.to_owned(),
            ..edit.input
        },
        ..edit
    }
}
