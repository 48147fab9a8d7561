//! A change of one file that a command asks for, without a patch: what `wpatch edit`, `write` and `append` do.

use super::follow::follow;
use super::{Outcome, Run};
use crate::digest::Sha256;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Claim, Direction, Edit, Input, Name, Operation, Plan, Selection, Strip};
use crate::preflight::{self, Problem, code};
use crate::report;
use crate::text::Span;
use crate::transaction::{self, Interrupt};
use crate::workspace::Workspace;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Change {
    /// The command, for the report.
    pub command: &'static str,
    /// The file, as a path below the root. A link that stays below the root is followed.
    pub path: Vec<u8>,
    /// [`Action::Create`] for a file that must not be there, [`Action::Modify`] for any other.
    pub action: Action,
    /// What becomes of the contents.
    pub edit: Edit,
    /// Whether [`Action::Modify`] makes a file that is not there.
    pub makes: bool,
    /// The mode that the file gets.
    pub mode: Option<FileMode>,
    /// What becomes of directories that are not there.
    pub parents: Parents,
    /// The digest that the file must have before.
    pub expected: Option<Sha256>,
    /// The text that the spans of `edit` point into.
    pub input: Input,
    /// Whether nothing is written.
    pub is_dry: bool,
    /// How the tree is looked at.
    pub preflight: preflight::Options,
    /// How the change is committed.
    pub transaction: transaction::Options,
}

/// What becomes of directories that are not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parents {
    /// They are made.
    #[default]
    Made,
    /// Nothing is done without them.
    Required,
}

impl Change {
    /// Returns the change that makes `edit` of the file at `path`, with the defaults of the program.
    ///
    /// # Examples
    ///
    /// ```
    /// use wpatch::engine::{self, Change};
    /// use wpatch::path::RelPath;
    /// use wpatch::plan::{CellEdit, Edit};
    /// use wpatch::transaction::Interrupt;
    /// use wpatch::workspace::memory::{Entry, Memory};
    ///
    /// let path = RelPath::new(b"n.ipynb")?;
    /// let notebook = r#"{"cells": [{"cell_type": "raw", "source": []}], "nbformat": 4, "nbformat_minor": 2}"#;
    /// let workspace = Memory::with_files([(path.clone(), Entry::file(notebook))]);
    /// let edit = Edit::Cell(CellEdit::Delete { cell: "cell-0".to_owned() });
    /// assert!(engine::change(Change::of("n.ipynb", edit), &workspace, &Interrupt::new()).report.ok);
    /// let left = &workspace.files()[&path].contents;
    /// assert_eq!(left, br#"{"cells": [], "nbformat": 4, "nbformat_minor": 2}"#);
    /// # Ok::<(), wpatch::path::PathError>(())
    /// ```
    #[must_use]
    pub fn of(path: impl Into<Vec<u8>>, edit: Edit) -> Self {
        Self {
            command: "edit",
            path: path.into(),
            action: Action::Modify,
            edit,
            makes: false,
            mode: None,
            parents: Parents::Made,
            expected: None,
            input: Input { name: "edit".to_owned(), ..Input::default() },
            is_dry: false,
            preflight: preflight::Options::default(),
            transaction: transaction::Options::default(),
        }
    }

    fn plan(self) -> Plan<Name> {
        let span = Span::new(0, self.input.bytes.len());
        let operation = Operation {
            action: self.action,
            path: Name::Agreed(vec![Claim { bytes: self.path, strip: Strip::Literal, span }]),
            from: None,
            edit: self.edit,
            old_mode: None,
            new_mode: self.mode,
            blobs: None,
            expected: self.expected,
            input: 0,
            span,
            step: 0,
            direction: Direction::Forward,
            tells_missing: !self.makes,
            guard: None,
            permissions: None,
        };
        Plan { inputs: vec![self.input], operations: vec![operation] }
    }
}

/// Makes the change, or leaves the tree as it was and says why.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Change};
/// use wpatch::path::RelPath;
/// use wpatch::plan::Edit;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::Memory;
///
/// let workspace = Memory::with_files([]);
/// let write = Change { makes: true, ..Change::of("notes/a", Edit::Whole(b"hello\n".to_vec().into())) };
/// let outcome = engine::change(write, &workspace, &Interrupt::new());
/// assert!(outcome.report.ok);
/// assert_eq!(workspace.files()[&RelPath::new(b"notes/a")?].contents, b"hello\n");
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn change(change: Change, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    let success = if change.is_dry { report::Outcome::WouldApply } else { report::Outcome::Applied };
    let mut run = Run::new(change.command, success);
    let (options, transaction, parents) = (change.preflight.clone(), change.transaction, change.parents);
    (run.is_described, run.is_dry) = (options.describe, change.is_dry);
    run.select(change.plan(), &Selection::default());
    if let Err(problem) = aim(&mut run.plan, workspace, parents) {
        run.problems.push(*problem);
    }
    if run.is_dry {
        run.look(workspace, &options, None);
    } else {
        run.make(workspace, &options, transaction, None, interrupt);
    }
    run.finish()
}

/// Aims the operation at the file that its path leads to.
fn aim(plan: &mut Plan, workspace: &dyn Workspace, parents: Parents) -> Result<(), Box<Problem>> {
    let Some(operation) = plan.operations.first_mut() else { return Ok(()) };
    operation.path = follow(workspace, &operation.path)?;
    match operation.path.parent() {
        Some(parent) if parents == Parents::Required && !is_directory(workspace, &parent) => {
            let missing = Problem::new(&code::MISSING, format!("the directory {parent} does not exist"));
            let help = Some("without --no-mkdirs it is made".to_owned());
            Err(Box::new(Problem { path: Some(operation.path.clone()), help, ..missing }))
        }
        _ => Ok(()),
    }
}

fn is_directory(workspace: &dyn Workspace, path: &RelPath) -> bool {
    matches!(workspace.stat(path), Ok(Some(stat)) if stat.kind == FileKind::Directory)
}
