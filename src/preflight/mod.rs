//! Plan and tree to changes and problems: decides everything, writes nothing.
//!
//! One pass, file by file: operations that touch the same file form a group, done in order over an
//! overlay; groups are done in parallel, and each hands its finished changes to a [`Sink`] at once.
//! So memory is the patch and the files in flight, never the sum of the results.

mod bases;
mod cause;
mod checks;
mod codes;
mod conversions;
mod converted;
mod describe;
mod directories;
mod done;
mod edit;
mod edited;
mod encoded;
mod findings;
mod gallery;
mod git_places;
mod group;
mod growth;
mod guards;
mod held;
mod hunkwise;
mod kept;
mod lines;
mod modes;
mod names;
mod notebook;
mod operation;
mod options;
mod other_names;
mod overlay;
mod pass;
mod problem;
mod reject;
mod replace;
mod shelf;
mod spelling;
mod three_way;
mod whitespace;
mod whole;

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use crate::change::Sink;
use crate::digest::Sha256;
use crate::matching::{Placement, Placements};
use crate::mode::FileMode;
use crate::mutex::locked;
use crate::notebook::EditedCell;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::policy::{Policy, Ruling};
use crate::progress::Phase;
use crate::text::TextEncoding;
use crate::text::tag::Tag;
use crate::threads;
use crate::workspace::{Workspace, WorkspaceError};

use directories::Directories;
use findings::Findings;
pub(crate) use kept::Kept;
use pass::Pass;

pub use bases::{
    BaseKind, Bases, Conflicts, Driver, Fallback, Given, KeptBases, Merge, MergeSides, ThreeWay,
};
pub use codes::{CODES, Code, ProblemKind, code};
pub use conversions::{Conversions, denied_filter, is_of_git};
pub use gallery::{Gallery, Images, media_type};
pub use git_places::{is_in_git_directory, with_git_on_the_way, with_own_git};
pub use held::{closed_by, is_held, refusals, unapproved};
pub use options::{ACTIONS, Held, Options, RejectTo, TextRepair, Whitespace, WhitespaceAction};
pub use other_names::with_other_names;
pub use problem::{Cause, Facts, Problem, Severity};
pub use reject::{Rejects, reject_files};
pub use shelf::Shelf;
pub(crate) use spelling::Spelling;
pub use whitespace::{FileWhitespace, described, named};

/// So many operations are worth a thread where no file is read.
const MANY: usize = 256;

/// Works out what every file of `plan` would become, and hands each finished change to `sink`.
///
/// A path that the policy closes, or holds ([`Options::held`]), is a problem before any content is
/// looked at. From the first error on nothing more goes to the sink, while the rest is still looked
/// at, so that all problems are known. If [`Options::rules`] ask for less than the full detail, the
/// rest is not looked at.
///
/// # Errors
///
/// Returns the error of a disk that failed, or one of the kind
/// [`Interrupted`](std::io::ErrorKind::Interrupted) if [`Options::rules`] say so; what the patch
/// gets wrong is in [`Resolution::problems`].
pub fn resolve(
    plan: &Plan,
    workspace: &dyn Workspace,
    options: &Options,
    sink: &dyn Sink,
) -> Result<Resolution, WorkspaceError> {
    resolve_shown(plan, workspace, options, sink, Shown::default())
}

/// Receives the diffs and images that are displayed later.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'a> {
    /// Receives the diffs instead of [`FileOutcome::diff`].
    pub shelf: Option<&'a Shelf>,
    /// Receives the images.
    pub gallery: Option<&'a Gallery>,
}

/// Does what [`resolve`] does, and moves what is displayed to `shown`.
///
/// # Errors
///
/// Returns an error as [`resolve`] does.
pub fn resolve_shown(
    plan: &Plan,
    workspace: &dyn Workspace,
    options: &Options,
    sink: &dyn Sink,
    shown: Shown<'_>,
) -> Result<Resolution, WorkspaceError> {
    // What is worked out on the way has its room given back before the room for all findings is
    // taken.
    let size = plan.inputs.iter().map(|input| input.bytes.len()).sum();
    let judge = || rulings(plan, workspace, &options.policy);
    let (groups, rulings) = threads::both(size, || group::groups(plan, options), judge);
    let all: Vec<Mutex<Findings>> = held::held(plan, rulings, workspace, options)
        .map(Mutex::new)
        .collect();
    let examine = || whitespace::examine(plan, &options.whitespace, &options.rules.interrupt);
    let action = options.whitespace.action;
    // What is only told is looked for while the files are.
    let early = (action != WhitespaceAction::Warn).then(examine);
    let is_found = early.as_ref().is_some_and(|found| !found.is_empty());
    let whitespace = Whitespace {
        is_found,
        ..options.whitespace.clone()
    };
    let options = &Options {
        whitespace,
        images: shown.gallery.is_some(),
        ..options.clone()
    };
    let is_misspaced = is_found && action.refuses();
    let pass = Pass {
        plan,
        workspace,
        options,
        sink,
        shown,
        all: &all,
        is_refused: AtomicBool::new(is_misspaced || all.iter().any(|it| locked(it).is_failed())),
        changes: AtomicUsize::new(0),
        directories: Directories::default(),
        kept: Kept::default(),
    };
    options
        .progress
        .enter(Phase::Looking, plan.operations.len());
    let (resolved, late) = threads::both(
        if early.is_some() { 0 } else { size },
        || pass.resolve(&groups),
        || early.is_none().then(examine),
    );
    resolved?;
    pass::check_interrupt(options)?;
    let mut resolution = Resolution {
        changes: pass.changes.into_inner(),
        ..collected(all, plan, options)
    };
    let found = early.or(late).unwrap_or_default();
    whitespace::tell(plan, found, action, &mut resolution);
    Ok(resolution)
}

/// Returns what `policy` says of each operation of `plan`; no contents are looked at.
#[must_use]
pub fn rulings(plan: &Plan, workspace: &dyn Workspace, policy: &Policy) -> Vec<Ruling> {
    let policy = git_places::with_git_of_plan(plan, policy, workspace);
    threads::map(&plan.operations, MANY, |operation| {
        ruling(operation, workspace, &policy)
    })
}

fn ruling(operation: &Operation, workspace: &dyn Workspace, policy: &Policy) -> Ruling {
    policy.weigh(operation, |path| is_there(workspace, path))
}

fn is_there(workspace: &dyn Workspace, path: &RelPath) -> bool {
    matches!(workspace.stat(path), Ok(Some(_)))
}

fn collected(mut all: Vec<Mutex<Findings>>, plan: &Plan, options: &Options) -> Resolution {
    // The threads kept more, depending on which was first.
    let kept = Kept::default();
    for (index, (findings, operation)) in all.iter_mut().zip(&plan.operations).enumerate() {
        kept.limit(
            index,
            operation,
            options,
            findings.get_mut().unwrap_or_else(PoisonError::into_inner),
        );
    }
    let count = all
        .iter()
        .map(|findings| locked(findings).problems.len())
        .sum();
    let mut problems = Vec::with_capacity(count);
    // Collected, they take the room of what they are made of: there may be many.
    let outcome = |findings: Mutex<Findings>| {
        let findings = findings
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        problems.extend(findings.problems);
        findings.outcome
    };
    let files = all.into_iter().map(outcome).collect();
    Resolution {
        files,
        problems,
        changes: 0,
    }
}

/// What came of a plan on a tree.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// One for each operation, in their order.
    pub files: Vec<FileOutcome>,
    /// Reasons not to apply, and what should be known, in the order of the operations: the first
    /// 1000 of each code for each input, and of the hunks of one file the first
    /// [`MOST_EXPLAINED`](crate::matching::MOST_EXPLAINED) errors and as many warnings.
    pub problems: Vec<Problem>,
    /// Number of files that would be other than they are.
    pub changes: usize,
}

impl Resolution {
    /// Returns whether files are going to have conflicts in them.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.files
            .iter()
            .filter_map(|file| file.merge.as_ref())
            .any(|merge| merge.is_marked)
    }

    /// Returns whether nothing speaks against it.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems
            .iter()
            .all(|problem| problem.severity != Severity::Error)
    }
}

/// What came of one operation.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FileOutcome {
    /// What policy says.
    pub ruling: Ruling,
    /// Code of the first error; `None` if the operation can be done.
    pub failed: Option<&'static Code>,
    /// Where the hunks went or why not, in their order; empty if the operation failed before, and
    /// if nobody asked for a description and each went to its stated place.
    pub placements: Placements,
    /// For changes of texts: which change each placement belongs to, and how many lines are there
    /// afterwards.
    pub texts: Box<[(usize, usize)]>,
    /// The cell that changes, for a notebook.
    pub cell: Option<Box<EditedCell>>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Whether the change is one of bytes, not of lines.
    pub is_binary: bool,
    /// The mode before and after, as git writes it.
    pub modes: (Option<FileMode>, Option<FileMode>),
    /// Whether it is a symbolic link that is written as a regular file.
    pub is_link_file: bool,
    /// Whether the contents change.
    pub is_edited: bool,
    /// The contents before, where there were any and they were asked for.
    pub before: Option<Box<Side>>,
    /// The contents after.
    pub after: Option<Box<Side>>,
    /// The mode and the digest of another file that it takes the place of, where they were asked
    /// for.
    pub replaced: Option<Box<(FileMode, Sha256)>>,
    /// Whether the numbers of its lines were those of an earlier version.
    pub is_recovered: bool,
    /// The tag afterwards, of a file whose lines are changed by their numbers.
    pub tag: Option<Tag>,
    /// A clean diff, where one was asked for.
    pub diff: Option<Vec<u8>>,
    /// Whether the diff was cut at [`Options::max_diff`].
    pub is_diff_cut: bool,
    /// The encoding that texts were replaced in, where one was asked for.
    pub encoding: Option<TextEncoding>,
    /// How many names the file has on disk, where there are several.
    pub hardlinks: Option<u64>,
    /// Whether all of it had been done already.
    pub is_done: bool,
    /// The hunks that were left out, as they do not fit.
    pub rejects: Option<Box<Rejects>>,
    /// How the patch was merged with what became of the file, where it was.
    pub merge: Option<Box<Merge>>,
    /// Why the patch was not merged, where it was to be.
    pub fallback: Option<Fallback>,
    /// What is wrong with the white space of the patch, where something is.
    pub whitespace: Option<Box<FileWhitespace>>,
    /// The number of problems of its hunks that are not in [`Resolution::problems`], because it has
    /// too many of them.
    pub omitted_problems: usize,
}

impl FileOutcome {
    /// Returns whether every hunk went to its stated place, as far as placements are kept.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        self.placements
            .iter()
            .all(|placed| placed.as_ref().is_ok_and(Placement::is_as_stated))
    }

    /// Sets the places of changes of texts: the index of the change, the number of lines that are
    /// there afterwards, and the placement of each.
    fn set_places(&mut self, places: impl Iterator<Item = (usize, usize, Placement)>) {
        let (texts, placements): (Vec<_>, _) = places
            .map(|(edit, new_lines, placement)| ((edit, new_lines), Ok(placement)))
            .unzip();
        (self.texts, self.placements) = (texts.into(), placements);
    }
}

/// What is known of a file's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Size in bytes.
    pub size: u64,
    /// Digest for guards.
    pub sha256: Sha256,
    /// Name of the blob in git, by SHA-1.
    pub blob: String,
    /// `lf`, `crlf`, `mixed`, or `none` for a text without line ends.
    pub line_end: &'static str,
    /// Whether it begins with the byte order mark of UTF-8.
    pub has_bom: bool,
    /// Whether the last line has a terminator.
    pub has_final_newline: bool,
    /// `utf-8`, or `binary` for contents with a NUL byte, or `unknown`.
    pub encoding: &'static str,
}

#[cfg(test)]
mod tests;
