//! The order of the stages: a function for each verb of the program.
//!
//! | verb | here |
//! | --- | --- |
//! | `check --save`, `apply --plan`, `reject` | [`save`], [`planned`], [`reject`], [`withdraw`] |
//! | `check`, `apply`, `apply --stat` | [`check`], [`apply`], [`describe`] with a [`Request`] |
//! | `edit` | [`apply`] with [`Request::edit`], [`Request::edit_all`], [`Request::edit_range`], [`Request::insert_after`], [`Request::insert_before`], [`Request::edits`], [`Request::edit_list`] |
//! | `write`, `append` | [`apply`] with [`Request::write`], [`Request::overwrite`], [`Request::append`], [`Request::append_lines`] |
//! | `notebook` | [`apply`] with [`Request::notebook`] |
//! | `read`, `list`, `diff` | [`read`], [`list`], [`diff`] with a [`ReadRequest`], a [`ListRequest`], a [`DiffRequest`] |
//! | `policy explain` | [`explain`] with an [`ExplainRequest`] |
//! | `show` of a patch | [`preview`], for a page [`exhibit`], with a [`Request`] |
//! | `log`, `show` of a change | [`log`], [`show`] |
//! | `undo`, `redo` | [`apply`] with [`Request::undo`] |
//! | `recover`, `init`, `gc` | [`recover`], [`init`], [`gc`] |
//! | `mcp` | [`tool`], which takes the call of a model as JSON |
//!
//! What is asked for is a plain struct: take the one that `of`, or a function of its verb, returns, and say what is to be
//! other than usual. What comes of it is an [`Outcome`] with the [`Report`] that the program prints as JSON. What only
//! looks returns what it found, or the outcome that says why not.

mod approval;
mod commands;
mod decide;
mod denied;
mod describe;
mod diagnose;
mod file_edit;
mod follow;
mod gnu;
mod govern;
mod index;
mod lenient;
mod link_files;
mod log;
mod look;
mod making;
mod not_included;
pub mod options;
mod preview;
mod problems;
mod reading;
mod recall;
mod request;
mod run;
mod saved;
mod suggest;
mod texts;
mod three_way;
mod tool;
mod undo;
mod whitespace;

use std::collections::HashMap;
use std::mem;
use std::path::Path;

use crate::plan::Input;
use crate::preflight::{Held, Problem, code};
use crate::process::Patience;
use crate::report::{self, FileReport, Report};
use crate::transaction::Interrupt;
use crate::workspace::{Workspace, WorkspaceError};

pub use crate::workspace::disk::Disk;
pub use crate::workspace::git::Git;
pub use crate::workspace::index::GitIndex;
pub use crate::workspace::objects::{Objects, Repository};

pub use crate::matching::Favour;
pub use crate::preflight::Given;
pub use crate::process::home;
pub use approval::{planned, reject, save, withdraw};
pub use commands::{AT_WORK, Commands, is_within};
pub use decide::Decide;
pub use describe::{describe, quoting};
pub use file_edit::{FileEdit, Parents};
pub use gnu::{Backup, GnuOptions, Numbering, Patched, patched};
pub use govern::{
    PROJECT_POLICY, UnusablePolicy, asks_about_control_files, judged, judged_anywhere, may_write, policy_layer,
    project_layer, refusal, unusable,
};

pub use index::{Indexed, Reach, build_ancestor};
pub use log::{gc, history_root, init, log, recover, show, unkept};
pub use look::{
    DiffRequest, ExplainRequest, ListRequest, Order, ReadRequest, SearchOf, View, Window, diff, explain, list,
    may_list, may_read, may_search, read,
};
pub use preview::{Preview, exhibit, preview};
pub use request::{Commit, Context, Hints, Look, Patches, Request, Series, What};
pub use three_way::{Marking, ThreeWayOptions};
pub use tool::{Approver, Effect, TOOLS, Tool, ToolAnswer, ToolOptions, below, root_names, tool};
pub use undo::{Target, Undo};

use making::Terms;
use run::Run;
use suggest::Template;

/// What came of it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Outcome {
    /// What the caller reads.
    pub report: Report,
    /// The patch texts, for excerpts.
    pub inputs: Vec<Input>,
    /// Every problem, with its place.
    pub problems: Vec<Problem>,
}

impl Outcome {
    /// Returns the number of problems that are neither in `problems` nor in the report.
    #[must_use]
    pub fn uncollected(&self) -> usize {
        (self.report.problems.len() + self.report.omitted.problems).saturating_sub(self.problems.len())
    }

    /// Returns every file of the report with its problems.
    pub fn files(&self) -> impl Iterator<Item = (&FileReport, Vec<&Problem>)> {
        let mut problems: HashMap<_, Vec<_>> = HashMap::new();
        for problem in &self.problems {
            problems.entry(problem.operation).or_default().push(problem);
        }
        let files = self.report.files.iter();
        files.map(move |file| (file, problems.remove(&Some(file.index)).unwrap_or_default()))
    }
}

/// Opens the directory `root` of the disk.
///
/// # Errors
///
/// Returns an error if it is no directory that can be opened.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
///
/// use wpatch::engine::{self, Request};
/// use wpatch::transaction::Interrupt;
///
/// let workspace = engine::open(Path::new("/srv/project"))?;
/// let outcome = engine::apply(Request::edit("a.txt", "one", "two"), &workspace, &Interrupt::new());
/// assert!(outcome.report.ok, "{:?}", outcome.report.error);
/// # Ok::<(), wpatch::workspace::WorkspaceError>(())
/// ```
pub fn open(root: &Path) -> Result<Disk, WorkspaceError> {
    Disk::open(root)
}

/// Opens the directory `root` of the disk, and lets the history be kept in `above/wpatch` where there is no place for
/// it below the root. `above` need not be there yet; nothing is kept in it if it is below the root itself.
///
/// # Errors
///
/// Returns an error as [`open`] does.
pub fn open_with_attic(root: &Path, above: &Path) -> Result<Disk, WorkspaceError> {
    Ok(Disk::open(root)?.with_attic(root, above))
}

/// Opens the tree of `revision`, any name that git knows, in the repository `git_dir`, for [`check`], [`read`] and whatever
/// else only looks. There need be no checkout.
///
/// Of many trees of one repository, open a [`Repository`] once: it keeps what it read, and the git that reads.
///
/// # Security
///
/// git runs nothing that the repository names and fetches nothing; whose repository it is it does not ask.
///
/// # Errors
///
/// Returns an error of the kind [`Fault::Missing`](crate::workspace::Fault::Missing) if there is no such revision, and of
/// another one if the repository or git itself cannot be read.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
///
/// use wpatch::engine::{self, Request};
///
/// let tree = engine::open_tree(Path::new("/srv/project/.git"), "main")?;
/// let report = engine::check(Request::of("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n"), &tree).report;
/// println!("{}", report.ok);
/// # Ok::<(), wpatch::workspace::WorkspaceError>(())
/// ```
pub fn open_tree(git_dir: &Path, revision: &str) -> Result<Objects, WorkspaceError> {
    Repository::at(git_dir, None, Patience::default()).tree(revision.as_bytes())
}

/// Says what [`apply`] would do, taking no lock and writing nothing, not even a time stamp.
///
/// The report names the change, for [`Commit::approve`], if it is asked to describe.
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
/// assert_eq!((error.kind, report.exit_code), ("not_found", 1));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn check(mut request: Request, workspace: &dyn Workspace) -> Outcome {
    // A signal that comes now ends the process at once.
    let interrupt = &Interrupt::new();
    match mem::take(&mut request.what) {
        What::Patches(patches) => check_patches(patches, request, workspace, interrupt),
        What::Edit(edit) => file_edit::run(*edit, request, true, workspace, interrupt),
        What::Undo(undo) => undo::run(undo, request, true, workspace, interrupt),
    }
}

fn check_patches(patches: Patches, mut request: Request, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    request.what = What::Patches(patches);
    let (mut run, mut options) = match Run::begin("check", report::Outcome::WouldApply, &mut request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let (approve, template) = (request.commit.approve.clone(), Template::of(&mut request));
    if run.read_for(request, workspace, &mut options) {
        run.look(workspace, &options, approve.as_deref(), interrupt);
    }
    run.suggest(template, &options, workspace);
    run.finish()
}

/// Makes the whole change, or leaves the tree as it was and says why.
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
    if request.commit.approve.is_none() {
        request.context.held = Held::Everything;
    }
    match mem::take(&mut request.what) {
        What::Patches(patches) => apply_patches(patches, request, workspace, interrupt),
        What::Edit(edit) => file_edit::run(*edit, request, false, workspace, interrupt),
        What::Undo(undo) => undo::run(undo, request, false, workspace, interrupt),
    }
}

fn apply_patches(patches: Patches, mut request: Request, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    request.what = What::Patches(patches);
    let (mut run, mut options) = match Run::begin("apply", report::Outcome::Applied, &mut request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let (transaction, Commit { approve, commands, .. }) = (request.transaction(), request.commit.clone());
    let template = Template::of(&mut request);
    if let Some(misuse) = commands.misuse() {
        run.problems.push(Problem::new(&code::USAGE, misuse));
    } else if run.read_for(request, workspace, &mut options) {
        let terms = Terms { options: &options, transaction, approve: approve.as_deref(), commands: &commands };
        run.make(&terms, workspace, interrupt);
        run.settle(approve.as_deref(), workspace);
    }
    run.suggest(template, &options, workspace);
    // A signal ends the search for suggestions like every other search.
    if run.is_refused()
        && let Some(signal) = interrupt.signal()
    {
        run.end_search(signal);
    }
    run.finish()
}

/// Returns the outcome of what `problem` keeps from beginning.
fn refused(command: &'static str, problem: Problem) -> Box<Outcome> {
    let mut run = Run::new(command, report::Outcome::Described);
    run.problems.push(problem);
    Box::new(run.finish())
}
