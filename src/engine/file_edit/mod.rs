//! An edit of one file without a patch: `wpatch edit`, `write`, `append` and `notebook`.

mod verbs;

use super::follow::names_on_the_way;
use super::reading::select;
use super::stages::Committed;
use super::suggest::explain_missing_file;
use super::task::Task;
use super::{Outcome, Request, What, texts};
use crate::digest::Sha256;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{
    Action, Claim, Direction, Edit, Input, Name, Operation, Plan, Replacement, Selection, Strip, Target,
};
use crate::policy::{Policy, Verdict};
use crate::preflight::{self, Problem, code};
use crate::report;
use crate::text::Span;
use crate::transaction::Interrupt;
use crate::workspace::Workspace;

/// Largest file that is read or made without a patch unless something else is asked for, in bytes.
pub const MAX_FILE: u64 = 10 << 20;
/// Most bytes of a diff in a report unless something else is asked for.
pub const MAX_DIFF: usize = 16 << 10;

/// An edit of one file without a patch.
#[derive(Clone, Debug)]
pub struct FileEdit {
    /// The command, for the report.
    pub command: &'static str,
    /// The file, as a path below the root. A link that stays below the root is followed.
    pub path: Vec<u8>,
    /// [`Action::Create`] for a file that must not exist, [`Action::Modify`] for any other.
    pub action: Action,
    /// The change of its content.
    pub edit: Edit,
    /// Whether [`Action::Modify`] creates a file that does not exist.
    pub makes: bool,
    /// The mode that the file gets.
    pub mode: Option<FileMode>,
    /// What is done about directories that do not exist.
    pub parents: Parents,
    /// The text that the spans of `edit` point into.
    pub input: Input,
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

impl FileEdit {
    /// Returns the edit `edit` of the file at `path`.
    ///
    /// For what the program has a command, [`Request`] has a function: [`Request::edit`], [`Request::write`],
    /// [`Request::append`], [`Request::notebook`] and others.
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
            input: Input { name: "edit".to_owned(), ..Input::default() },
        }
    }

    /// Says why no file could be changed like this.
    fn misuse(&self) -> Option<String> {
        match &self.edit {
            Edit::Replacements(changes) if changes.edits.is_empty() => Some("there is no edit".to_owned()),
            Edit::Replacements(changes) => changes.edits.iter().find_map(emptiness).map(str::to_owned),
            Edit::Cell(_) if !has_extension(&self.path, b"ipynb") => {
                let path = String::from_utf8_lossy(&self.path);
                Some(format!("{path} is no notebook: its name does not end in .ipynb"))
            }
            _ => None,
        }
    }

    fn plan(self, expected: Option<Sha256>) -> Plan<Name> {
        let span = Span::new(0, self.input.bytes.len());
        let operation = Operation {
            action: self.action,
            path: Name::Agreed(vec![Claim { bytes: self.path, strip: Strip::Literal, span }]),
            from: None,
            edit: self.edit,
            old_mode: None,
            new_mode: self.mode,
            blobs: None,
            expected: expected.map(Box::new),
            input: 0,
            number: 0,
            left_out: Box::default(),
            span,
            step: 0,
            part: 0,
            direction: Direction::Forward,
            tells_missing: !self.makes,
            guard: None,
            permissions: None,
            lead: None,
        };
        Plan { inputs: vec![self.input], operations: vec![operation] }
    }
}

impl From<FileEdit> for Request {
    fn from(edit: FileEdit) -> Self {
        let mut request = Self::with(What::Edit(Box::new(edit)));
        request.decide.max_file = MAX_FILE;
        request.look.max_diff = MAX_DIFF;
        request
    }
}

/// Makes the edit, or only checks it if `is_dry`.
pub(super) fn run(
    edit: FileEdit,
    request: Request,
    is_dry: bool,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Outcome {
    let success = if is_dry { report::Outcome::WouldApply } else { report::Outcome::Applied };
    let (mut task, begun) = match Task::begin((edit.command, success), request, workspace, interrupt) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    task.command.is_dry = is_dry;
    let misuse = task.misuse().or_else(|| edit.misuse().map(|misuse| Problem::new(&code::USAGE, misuse)));
    if let Some(misuse) = misuse {
        let mut done = Committed::from(begun);
        done.problems().push(misuse);
        return done.finish(&task.command);
    }
    let (options, parents) = (task.request.preflight(), edit.parents);
    let mut selected = select(edit.plan(task.request.decide.expect_hash), &Selection::default());
    selected.problems.splice(..0, begun.problems);
    if let Err(problem) = aim(&mut selected.plan, workspace, &options.policy, parents) {
        selected.problems.push(*problem);
    } else if task.request.decide.lenient {
        texts::repair(workspace, &options, &mut selected);
    }
    let mut done = task.run(selected, &options, is_dry);
    let of_file = done.problems().iter_mut().filter(|problem| problem.operation.is_some());
    of_file.for_each(|problem| explain_missing_file(problem, workspace, &task.command.policy));
    done.finish(&task.command)
}

/// Says which text is empty that must not be.
fn emptiness(edit: &Replacement) -> Option<&'static str> {
    match &edit.target {
        Target::Text { old, .. } | Target::Lines(old) if old.is_empty() => Some("the old text is empty"),
        Target::Range { from, to } if from.is_empty() || to.is_empty() => Some("the texts of a range are not empty"),
        _ => None,
    }
}

fn has_extension(path: &[u8], wanted: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let dot = memchr::memrchr(b'.', name).filter(|&dot| dot > 0);
    dot.is_some_and(|dot| name[dot + 1..].eq_ignore_ascii_case(wanted))
}

/// Aims the operation at the file that its path leads to.
fn aim(plan: &mut Plan, workspace: &dyn Workspace, policy: &Policy, parents: Parents) -> Result<(), Box<Problem>> {
    let Some(operation) = plan.operations.first_mut() else { return Ok(()) };
    let weigh = |operation: &Operation| policy.weigh(operation, |path| matches!(workspace.stat(path), Ok(Some(_))));
    let mut ruling = weigh(operation);
    // What policy denies is refused as it stands.
    if ruling.verdict == Verdict::Deny {
        return Ok(());
    }
    let names = names_on_the_way(workspace, policy, &operation.path)?;
    let last = names.last().cloned();
    for path in names {
        // The plan is about the file, so that nobody could approve what is asked about a link.
        if let Some(hit) = ruling.hits.first().filter(|_| path != operation.path) {
            let help = last.map(|path| format!("name the file by the path that the link leads to: {path}"));
            let mut problem = preflight::unapproved(hit);
            problem.facts.advice.clone_from(&help);
            return Err(Box::new(Problem { help, ..problem }));
        }
        operation.path = path;
        ruling = weigh(operation);
        if ruling.verdict == Verdict::Deny {
            return Ok(());
        }
    }
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
