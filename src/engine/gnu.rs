//! The behaviour that only GNU patch has: names that depend on existing files, backups, and another
//! output file.

use std::collections::HashMap;

use super::Outcome;
use super::request::{BackupNames, BackupNumbering, Decide, GnuOptions, Request};
use super::stages::Selected;
use crate::mode::FileKind;
use crate::path::{PathError, RelPath};
use crate::plan::{self, Action, Edit, LineRange, Name, Operation, Plan, Precondition};
use crate::preflight::{Problem, Severity, code};
use crate::report::Op;
use crate::transaction::Interrupt;
use crate::workspace::memory::{Entry, Memory};
use crate::workspace::{Workspace, WorkspaceError};

/// A patched copy of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct PatchedFile {
    /// The outcome, as if the file itself had been patched.
    pub outcome: Outcome,
    /// The patched content; `None` if the patch does not apply, or does not modify exactly one
    /// file.
    pub content: Option<Vec<u8>>,
    /// The path and the content of the file for rejected hunks. The caller writes it.
    pub rejects: Option<(RelPath, Vec<u8>)>,
}

/// Applies `request` to an in-memory copy of the only file that it changes.
///
/// # Errors
///
/// Returns the error of reading the file.
pub fn apply_in_memory(
    mut request: Request,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Result<PatchedFile, WorkspaceError> {
    request.context.interrupt = interrupt.clone();
    let checked = super::check(request.clone(), workspace);
    // If every hunk is rejected, the result is the unchanged content.
    let is_made = |outcome: &Outcome| {
        outcome
            .problems
            .iter()
            .all(|problem| problem.severity != Severity::Error)
    };
    let path = match checked.report.files.as_slice() {
        [file] if is_made(&checked) && file.op == Op::Modify => file.path.clone(),
        _ => {
            return Ok(PatchedFile {
                outcome: checked,
                content: None,
                rejects: None,
            });
        }
    };
    let (content, _) = workspace.read(&path, request.decide.max_file)?;
    let memory = Memory::with_files([(path.clone(), Entry::file(&content[..]))]);
    let rejects = request.decide.reject_to.path(&path).ok().flatten();
    let outcome = super::apply(request, &memory, interrupt);
    let mut files = memory.files();
    let content = files
        .remove(&path)
        .filter(|_| is_made(&outcome))
        .map(|entry| entry.contents);
    let rejects = rejects.and_then(|path| files.remove(&path).map(|entry| (path, entry.contents)));
    Ok(PatchedFile {
        outcome,
        content,
        rejects,
    })
}

/// Returns the path of the backup of `path`. Numbers replace the other parts of the name, as in GNU
/// patch.
fn backup_path(
    backup: &BackupNames,
    path: &RelPath,
    workspace: &dyn Workspace,
) -> Result<RelPath, PathError> {
    let last = if backup.numbering == BackupNumbering::Never {
        0
    } else {
        last_number(path, workspace)
    };
    if backup.numbering == BackupNumbering::Always || last > 0 {
        return RelPath::new(&[path.as_bytes(), format!(".~{}~", last + 1).as_bytes()].concat());
    }
    let bytes = path.as_bytes();
    let start = memchr::memrchr(b'/', bytes).map_or(0, |slash| slash + 1);
    let (directory, name) = bytes.split_at(start);
    RelPath::new(
        &[
            &backup.prefix,
            directory,
            &backup.basename_prefix,
            name,
            &backup.suffix,
        ]
        .concat()[..],
    )
}

/// Returns the highest number of a backup of `path`; 0 if there is none.
fn last_number(path: &RelPath, workspace: &dyn Workspace) -> u64 {
    let number = |name: Vec<u8>| {
        let digits = name
            .strip_prefix(path.name())?
            .strip_prefix(b".~")?
            .strip_suffix(b"~")?;
        std::str::from_utf8(digits)
            .ok()?
            .parse::<u64>()
            .ok()
            .filter(|&number| number < u64::MAX)
    };
    workspace
        .list(path.parent().as_ref())
        .unwrap_or_default()
        .into_iter()
        .filter_map(number)
        .max()
        .unwrap_or(0)
}

/// Chooses between the name candidates of each operation by the rules in `gnu`.
pub(super) fn choose_names(
    gnu: &GnuOptions,
    plan: &mut Plan<Name>,
    direction: plan::Direction,
    tree: &dyn Workspace,
) {
    if gnu.ignores_prerequisites {
        let leads = plan
            .operations
            .iter_mut()
            .filter_map(|operation| operation.preamble.as_mut());
        leads.for_each(|lead| lead.prerequisite = None);
    }
    if let Some(naming) = gnu.naming {
        plan::guess_names(plan, naming, direction, &|path| {
            Some(tree.stat(path).ok()??.kind)
        });
    }
}

/// Changes the plan by the rules of GNU patch that `decide` asks for.
pub(super) fn apply_options(decide: &Decide, workspace: &dyn Workspace, selected: &mut Selected) {
    let gnu = &decide.gnu;
    if gnu.fills_empty {
        fill_empty(&mut selected.plan, workspace);
    }
    if gnu.removes_empty {
        selected
            .plan
            .operations
            .iter_mut()
            .filter(|operation| has_empty_postimage(operation))
            .for_each(|operation| {
                operation.action = Action::Delete;
            });
    }
    if let Some(output) = &gnu.output {
        redirect_output(output, selected);
    }
    if let Some(backup) = &gnu.backup {
        add_backups(backup, workspace, selected);
    }
}

/// Turns the creation of an existing empty file into a modification. A file that several operations
/// use is skipped, because its content before the operation is not known yet.
fn fill_empty(plan: &mut Plan, workspace: &dyn Workspace) {
    let mut uses: HashMap<_, usize> = HashMap::new();
    for operation in &plan.operations {
        for path in operation.from.iter().chain([&operation.path]) {
            *uses.entry(path.clone()).or_default() += 1;
        }
    }
    let is_empty = |path: &RelPath| {
        let stat = workspace.stat(path).ok().flatten();
        uses[path] == 1 && stat.is_some_and(|stat| stat.kind == FileKind::Regular && stat.size == 0)
    };
    let is_made = |operation: &&mut Operation| {
        operation.action == Action::Create
            && operation.new_mode.is_none()
            && operation.can_create_missing()
    };
    for operation in plan
        .operations
        .iter_mut()
        .filter(is_made)
        .filter(|operation| is_empty(&operation.path))
    {
        operation.action = Action::Modify;
    }
}

/// Writes the result of the only operation to the file `output`.
fn redirect_output(output: &[u8], selected: &mut Selected) {
    let is_taken =
        matches!(selected.plan.operations.as_slice(), [only] if only.action == Action::Modify);
    match RelPath::new(output) {
        Ok(path) if is_taken => {
            let only = &mut selected.plan.operations[0];
            // A copy leaves the original file unchanged.
            only.from = Some(std::mem::replace(&mut only.path, path));
            only.action = Action::Copy;
            only.guard = Some(Box::new(Precondition::Any));
        }
        Ok(_) => selected.problems.push(Problem::new(
            &code::USAGE,
            "--output-file needs a patch that changes exactly one file",
        )),
        Err(error) => selected.problems.push(Problem::new(
            &code::OUTSIDE_ROOT,
            format!("--output-file: {error}"),
        )),
    }
}

/// Adds an operation that writes a backup before the first operation that changes or deletes a
/// file.
fn add_backups(backup: &BackupNames, workspace: &dyn Workspace, selected: &mut Selected) {
    // Each file gets one backup: its content before the first operation.
    let mut seen = backup.unchanged.clone();
    let mut number = first_free_number(selected);
    let mut operations = Vec::with_capacity(2 * selected.plan.operations.len());
    for operation in std::mem::take(&mut selected.plan.operations) {
        for (old, is_new) in changed_paths(&operation) {
            if (is_new && !backup.marks_new) || !seen.insert(old.clone()) {
                continue;
            }
            match backup_path(backup, old, workspace) {
                Ok(path) => {
                    // GNU patch writes an empty backup for a file that does not exist.
                    let is_missing = is_new && workspace.stat(old).is_ok_and(|stat| stat.is_none());
                    let from = (!is_missing).then(|| old.clone());
                    operations.push(Operation {
                        number,
                        ..backup_operation(&operation, from, path)
                    });
                    number += 1;
                }
                Err(error) => {
                    selected.problems.push(Problem::new(
                        &code::USAGE,
                        format!("the backup needs a valid file name: {error}"),
                    ));
                }
            }
        }
        operations.push(operation);
    }
    selected.plan.operations = operations;
}

/// Returns the first number that no operation of the whole patch has.
fn first_free_number(selected: &Selected) -> usize {
    let left_out = selected.left_out.iter().map(|left_out| left_out.file);
    let numbers = selected
        .plan
        .operations
        .iter()
        .map(|operation| operation.number)
        .chain(left_out);
    numbers.max().map_or(0, |last| last + 1)
}

/// Returns whether the patch states that a modified file has no lines afterwards.
fn has_empty_postimage(operation: &Operation) -> bool {
    let nothing = LineRange { start: 0, count: 0 };
    match &operation.edit {
        Edit::Hunks(hunks) if operation.action == Action::Modify => {
            matches!(hunks.as_slice(), [only] if only.postimage_range(operation.direction) == nothing)
        }
        _ => false,
    }
}

/// Returns the paths whose files `operation` replaces, and whether it creates a file at the path.
fn changed_paths(operation: &Operation) -> Vec<(&RelPath, bool)> {
    let new = (&operation.path, true);
    match operation.action {
        Action::Modify | Action::Delete | Action::RemoveCopy => vec![(&operation.path, false)],
        Action::Create | Action::Copy => vec![new],
        Action::Rename => operation
            .from
            .iter()
            .map(|from| (from, false))
            .chain([new])
            .collect(),
    }
}

/// Returns the operation that writes a backup: a copy of `from` in its state before `operation`, or
/// an empty file.
fn backup_operation(operation: &Operation, from: Option<RelPath>, path: RelPath) -> Operation {
    Operation {
        action: if from.is_some() {
            Action::Copy
        } else {
            Action::Create
        },
        path,
        from,
        edit: Edit::Keep,
        old_mode: None,
        new_mode: None,
        blobs: None,
        expected: None,
        left_out: Box::default(),
        distinguishes_missing: true,
        guard: Some(Box::new(Precondition::Any)),
        permissions: None,
        preamble: None,
        ..operation.clone()
    }
}
