//! The public functions of the library: one function for each command of the program.
//!
//! | command | function |
//! | --- | --- |
//! | `check --save`, `apply --plan`, `reject` | [`save`], [`load_plan`], [`reject`], [`unreject`] |
//! | `check`, `apply`, `apply --stat` | [`check`], [`apply`], [`describe()`] with a [`Request`] |
//! | `edit` | [`apply`] with [`Request::edit`], [`Request::edit_all`], [`Request::edit_range`], [`Request::insert_after`], [`Request::insert_before`], [`Request::edits`], [`Request::edit_list`] |
//! | `write`, `append` | [`apply`] with [`Request::write`], [`Request::overwrite`], [`Request::append`], [`Request::append_lines`] |
//! | `notebook` | [`apply`] with [`Request::notebook`] |
//! | `read`, `list`, `diff` | [`read`], [`list`], [`diff`] with a [`ReadRequest`], a [`ListRequest`], a [`DiffRequest`] |
//! | `diff -r` | [`compare_trees`] with a [`TreeDiffRequest`] |
//! | `policy explain` | [`explain`] with an [`ExplainRequest`] |
//! | `refresh` | [`refresh()`], [`check_refresh`] with a [`RefreshRequest`] |
//! | `convert` | [`convert()`] with a [`Request`] |
//! | `show` of a patch | [`preview`], for a page [`render_page`], with a [`Request`] |
//! | `log`, `show` of a change | [`log`], [`show`] |
//! | `begin`, `commit`, `abort` | [`begin`], [`apply`] with [`Request::commit_session`], [`abort`] |
//! | a command with `--in` | the same function on the tree of [`open_session`] |
//! | `undo`, `redo` | [`apply`] with [`Request::undo`] |
//! | `recover`, `init`, `gc` | [`recover`], [`init`], [`gc`] |
//! | `mcp` | `tool`, which takes the call of a model as JSON |
//!
//! Each function takes a plain struct with the input and the options, for example a [`Request`].
//! Create it with `of`, or with the function for the command, and change the fields that differ
//! from the defaults. A command that can change the tree returns an [`Outcome`], whose [`Report`]
//! is the document that the program prints as JSON. A command that only reads returns the data, or
//! the [`Outcome`] that contains the reason for the failure.
//!
//! [`check`] and [`apply`] run the same steps: parse, select, resolve, commit, report. [`check`]
//! omits the commit. A command that is refused leaves the tree unchanged. To learn the code, read
//! `stages.rs` first: it defines the value that each step returns. Then read `task.rs` and
//! `change.rs`. `steps.rs` lists the optional steps.

mod approval;
mod audit;
mod change;
mod commands;
mod convert;
mod denied;
mod describe;
mod diagnose;
#[cfg(feature = "miette")]
pub(crate) mod excerpt;
mod failure;
mod file_edit;
mod follow;
mod gnu;
mod govern;
mod index;
mod lenient;
mod link_files;
mod load_history;
mod log;
mod look;
mod not_included;
mod open;
pub mod options;
mod parse;
mod part_approval;
mod plans;
mod policy_file;
mod preview;
mod problems;
mod refresh;
mod rejection;
mod request;
mod result;
mod root_names;
#[cfg(feature = "cli")]
mod run;
mod saved;
mod session;
mod stages;
mod steps;
mod suggest;
mod task;
mod texts;
mod three_way;
#[cfg(feature = "schema")]
mod tool;
mod top_roots;
mod tree_change;
mod tree_diff;
mod undo;
mod whitespace;

use std::collections::HashMap;
use std::mem;

use crate::plan::Input;
use crate::preflight::{ApprovalGate, Problem};
use crate::report::{self, FileReport, Report};
use crate::transaction::{Failure, Interrupt};
use crate::workspace::Workspace;

pub use crate::workspace::disk::Disk;
pub use crate::workspace::git::Git;
pub use crate::workspace::index::GitIndex;
pub use crate::workspace::memory::{Entry, Memory};
pub use crate::workspace::objects::{Repository, RepositoryTree};
pub use crate::workspace::{Roots, RootsError};

pub use crate::matching::ConflictResolution;
pub use crate::preflight::ExplicitBase;
pub use crate::process::home;
#[cfg(feature = "cli")]
pub(crate) use crate::process::sandbox::run_helper;
#[cfg(feature = "cli")]
pub(crate) use crate::process::{
    CONFIG_VARIABLE, DEFAULT_PAGER, HAS_LOCALE, config_homes, ignored_signals, state_home,
};
#[cfg(feature = "review")]
pub(crate) use crate::process::{
    CONTROLLING_TERMINAL, DEFAULT_EDITOR, HAS_TERMINAL_NAME, InputState, TerminalInput,
    TerminalSettings, suspend_job,
};
#[cfg(feature = "review")]
pub(crate) use crate::transaction::audit::ApprovalMethod;
#[cfg(feature = "cli")]
pub(crate) use crate::workspace::EXTERNAL_HISTORY_NAME;
#[cfg(feature = "cli")]
pub(crate) use crate::workspace::disk::advice::{ADMINISTRATOR, REMOVE_WRITE_PERMISSION};
#[cfg(feature = "cli")]
pub(crate) use crate::workspace::disk::os_paths::{
    FileIdentity, count_hard_links, file_identity, find_replaceable, open_regular,
};
pub use commands::{TRANSACTION_VARIABLE, is_inside_change};
pub use convert::convert;
pub use describe::{describe, quoting};
pub use gnu::{PatchedFile, apply_in_memory};
pub use govern::{
    asks_about_control_files, check_accesses, check_write_policy, matching_rules, refusal,
};
pub use open::{open, open_tree, open_with_external_history};
pub use plans::{load_plan, save};
pub use policy_file::{
    PROJECT_POLICY, UnusablePolicy, policy_layer, policy_problem, project_layer,
    unreadable_policy_problem,
};

pub use index::build_ancestor;
pub use log::{
    agent_traces, gc, history_root, init, log, no_history_reason, recover, recover_with_interrupt,
    show, verify_audit,
};
pub use look::{
    DiffRequest, ExplainRequest, ListOrder, ListRequest, ReadFormat, ReadRange, ReadRequest,
    SearchTarget, SymbolsRequest, diff, explain, list, list_symbols, may_list, may_read,
    may_search, read,
};
#[cfg(feature = "html")]
pub use preview::render_page;
pub use preview::{Preview, preview};
#[cfg(feature = "review")]
pub(crate) use preview::{UnitLine, UnitPlace, UnitText};
pub use refresh::{OutcomeTree, RefreshOutcome, RefreshRequest, check_refresh, refresh};
#[cfg(feature = "review")]
pub(crate) use rejection::{MAX_HUNKS, MAX_REASON};
pub use rejection::{RejectRequest, reject, unreject};
pub use request::{
    Attribution, BackupNames, BackupNumbering, Commit, ConflictMarkers, Decide, FileEdit,
    GnuOptions, IndexTarget, Look, MissingParents, Patches, Request, RequestContext, Series,
    SessionRequest, SignCommand, SuggestionMode, TargetFile, TargetState, ThreeWayOptions,
    TreeChange, UndoRequest, UndoTarget, UpdateScope, UserCommands, What,
};
pub use result::{Applied, Refused};
#[cfg(feature = "cli")]
pub(crate) use run::{OutputStream, RunCommand, check_command, run_command};
pub use session::{abort, begin, diff_session, open_session, open_shared_session};
#[cfg(feature = "schema")]
pub use tool::{
    Approver, EDITOR_NAMES, TOOLS, Tool, ToolEffect, ToolFile, ToolOptions, ToolProblem,
    ToolResult, relative_to, root_names, tool,
};

pub use tree_diff::{
    IgnoredFiles, ReadAccess, RenameDetection, TreeDiff, TreeDiffRequest, TreeDiffSection,
    TreeDiffWarning, TreePlace, compare_trees,
};

use stages::{Command, Committed};
use suggest::{SeriesInfo, suggest};

#[cfg(feature = "cli")]
pub(crate) use suggest::local_approval;
use task::{CommandMode, CommandRun};

/// The result of a command.
#[derive(Clone, Debug)]
#[must_use]
pub struct Outcome {
    /// The report for the caller.
    pub report: Report,
    /// The texts of the patches, for excerpts.
    pub inputs: Vec<Input>,
    /// The problems, with their positions.
    pub problems: Vec<Problem>,
}

impl Outcome {
    /// Returns the number of problems that the report counts and `problems` does not contain.
    #[must_use]
    pub fn omitted_problems(&self) -> usize {
        (self.report.problems.len() + self.report.omitted.problems)
            .saturating_sub(self.problems.len())
    }

    /// Returns each file of the report with its problems.
    pub fn files(&self) -> impl Iterator<Item = (&FileReport, Vec<&Problem>)> {
        let mut problems: HashMap<_, Vec<_>> = HashMap::new();
        for problem in &self.problems {
            problems.entry(problem.operation).or_default().push(problem);
        }
        let files = self.report.files.iter();
        files.map(move |file| (file, problems.remove(&Some(file.index)).unwrap_or_default()))
    }
}

/// Returns the report that [`apply`] would produce. Takes no lock and writes nothing, not even a
/// timestamp.
///
/// The report contains the `plan_id` for [`Commit::approve`] if [`Look::describe`] is set.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\ntwo\n"))]);
/// let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-three\n+3\n";
/// let report = engine::check(Request::of(patch), &workspace).report;
/// let error = report.error.unwrap();
/// assert_eq!((error.kind, report.exit_code), (wpatch::report::ProblemKind::NotFound, 1));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn check(request: Request, workspace: &dyn Workspace) -> Outcome {
    run(request, CommandMode::Check, workspace)
}

/// Applies the whole change, or leaves the tree unchanged and reports the reason.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let path = RelPath::new(b"a")?;
/// let workspace = Memory::with_files([(path.clone(), Entry::file("one\ntwo\n"))]);
/// let patch = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch\n";
/// let request = Request::of(patch);
/// assert!(engine::apply(request, &workspace, &Interrupt::new()).report.changed);
/// assert_eq!(workspace.files()[&path].contents, b"one\n2\n");
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn apply(mut request: Request, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    close_approval_gate(&mut request, workspace);
    request.context.interrupt = interrupt.clone();
    run(request, CommandMode::Apply, workspace)
}

/// Refuses every change with the verdict `ask` if there is no approval. A session is not in the
/// tree yet, so its changes need none: its commit needs the approval.
fn close_approval_gate(request: &mut Request, workspace: &dyn Workspace) {
    if request.commit.approve.is_none() && request.commit.approve_part.is_none() {
        request.context.approval_gate = if workspace.layered().is_some() {
            ApprovalGate::Reading
        } else {
            ApprovalGate::Everything
        };
    }
}

fn run(request: Request, mode: CommandMode, workspace: &dyn Workspace) -> Outcome {
    let mut request = match part_approval::approve_part(request, mode, workspace) {
        Ok(request) => request,
        Err(outcome) => return *outcome,
    };
    match mem::take(&mut request.what) {
        What::Patches(patches) => run_patches(patches, request, mode, workspace),
        What::Edit(edit) => file_edit::run(*edit, request, mode, workspace),
        What::Tree(change) => tree_change::run(change, request, mode, workspace),
        What::Session(commit) => session::run(&commit, request, mode, workspace),
        What::Undo(undo) => undo::run(undo, request, mode, workspace),
    }
}

fn run_patches(
    patches: Patches,
    request: Request,
    mode: CommandMode,
    workspace: &dyn Workspace,
) -> Outcome {
    let command = (mode.patch_command(), mode.success());
    let (mut task, mut begun) = match CommandRun::new(command, request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    task.command.is_saved = patches.is_saved;
    if let Some(misuse) = task.usage_problem() {
        begun.problems.push(misuse);
        return Committed::from(begun).finish(&task.command);
    }
    let origin = SeriesInfo::of(&patches);
    let (selected, options) = steps::read(&task, patches, begun);
    let mut done = task.run(selected, &options, mode);
    if mode == CommandMode::Apply && done.resolved.resolution.is_some() {
        plans::remove_applied_plan(&task, &done);
    }
    suggest(&task, &origin, &options, &mut done);
    // A signal also ends the search for suggestions. The change was refused, so nothing needs a
    // rollback.
    if let Some(signal) = task
        .interrupt()
        .signal()
        .filter(|_| done.is_refused() && done.result.signal.is_none())
        && done.result.receipt.is_none()
    {
        done.add_failure(&Failure::Interrupted(signal), task.index_target.as_ref());
    }
    done.finish(&task.command)
}

/// Returns the outcome of a command that `problem` ends before it starts.
fn refused_outcome(command: &'static str, problem: Problem) -> Box<Outcome> {
    Box::new(ended_outcome(command, problem, None))
}

/// Returns the outcome of a command that `problem` ends before it starts. `signal` is the signal
/// number if `problem` reports a signal.
pub fn ended_outcome(command: &'static str, problem: Problem, signal: Option<i32>) -> Outcome {
    let mut done = Committed::of_problem(problem);
    done.result.signal = signal;
    done.finish(&Command::of(command, report::Outcome::Failed))
}
