//! The request of one command: its input and all its options.
//!
//! A caller creates a [`Request`] with [`Request::of`], [`Request::with`] or a constructor in
//! `verbs.rs`, and changes fields. Options that can change the result, and therefore the `plan_id`,
//! belong in [`Decide`]; read `decide.rs` first.

mod attribution;
mod commands;
mod decide;
mod file_edit;
mod gnu;
mod index;
mod session;
mod symbol;
mod tree_change;
mod undo;
mod verbs;

use std::ffi::OsString;
use std::mem;
use std::sync::Arc;

use crate::diagnostics;
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::matching::MatchRules;
use crate::path::RelPath;
use crate::plan::SeriesSettings;
use crate::policy::Policy;
use crate::preflight::{self, ApprovalGate, ExplicitBase, Problem, WhitespaceAction, code};
use crate::progress::Progress;
use crate::text::Bytes;
use crate::transaction::{self, HardLinkMode};
use crate::workspace::git::Git;
use crate::workspace::index::GitIndex;
use crate::workspace::objects::Repository;

pub use attribution::{Attribution, SignCommand};
pub use commands::UserCommands;
pub use decide::{ConflictMarkers, Decide, ThreeWayOptions};
pub use file_edit::{FileEdit, MAX_DIFF, MAX_FILE, MissingParents};
pub use gnu::{BackupNames, BackupNumbering, GnuOptions};
pub use index::{IndexTarget, UpdateScope};
pub use session::SessionRequest;
pub use tree_change::{TargetFile, TargetState, TreeChange};
pub use undo::{UndoRequest, UndoTarget};

/// The input and the options of one command. It is `Send` and `Sync`.
#[derive(Clone, Debug)]
pub struct Request {
    /// The input.
    pub what: What,
    /// Every option that can change the result.
    pub decide: Decide,
    /// The options of the report.
    pub look: Look,
    /// How the change is committed.
    pub commit: Commit,
    /// The inputs in addition to the tree.
    pub context: RequestContext,
}

/// The input of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// Patches, in any format.
    Patches(Patches),
    /// An edit of one file.
    Edit(Box<FileEdit>),
    /// Files with their new states.
    Tree(TreeChange),
    /// The commit of an edit session.
    Session(SessionRequest),
    /// An undo or redo of changes in the history.
    Undo(UndoRequest),
}

impl Default for What {
    /// Returns an input without patches.
    fn default() -> Self {
        Self::Patches(Patches::default())
    }
}

/// The patches, in the order in which they are applied.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// Each patch, with the name that messages use for it.
    pub texts: Vec<(String, Bytes)>,
    /// The series file that lists the patches, if there is one (`--series`).
    pub series: Option<Series>,
    /// Whether the patches come from a saved plan. If a saved plan no longer applies, it is stale;
    /// see [`load_plan`](crate::engine::load_plan).
    pub is_saved: bool,
}

/// A series file as quilt keeps it. Its strip levels and directions override the options of the
/// request. A listed patch without a change is valid and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The name that messages use for the list.
    pub name: String,
    /// One entry for each patch.
    pub entries: Vec<SeriesSettings>,
}

/// The options of the report.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Look {
    /// Whether the report contains digests and the `plan_id`.
    pub describe: bool,
    /// Whether the report contains a diff of each file.
    pub diff: bool,
    /// The limit on the size of each diff, in bytes. A longer diff ends after a complete line.
    pub max_diff: usize,
    /// Whether the report omits the diff of a file with more than 64 KiB or 2000 lines
    /// (`--no-large-diff`).
    pub no_large_diff: bool,
    /// Whether the report can omit files that change exactly as the patches state. Its summary
    /// counts every file.
    pub is_brief: bool,
    /// The suggestions in the report if the patches do not apply.
    pub hints: SuggestionMode,
    /// The checks of the change by language servers (`--diagnostics`).
    pub diagnostics: Option<diagnostics::DiagnosticsOptions>,
    /// Receives the progress of the command.
    pub progress: Progress,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            describe: false,
            diff: false,
            max_diff: usize::MAX,
            no_large_diff: false,
            is_brief: false,
            hints: SuggestionMode::Text,
            diagnostics: None,
            progress: Progress::default(),
        }
    }
}

/// The suggestions in the report if the patches do not apply. wpatch tries each suggestion, which
/// can take as long as several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuggestionMode {
    /// No suggestions.
    None,
    /// Other names, or another order of the patches.
    Text,
    /// The same suggestions as a command line. The value contains the words of the current command
    /// line; the suggestion changes its options.
    Command(Vec<OsString>),
}

/// How the change is committed.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The approved `plan_id`, from a check of the same patches with the same options. A change
    /// with another `plan_id` is refused, and so is a rejected plan.
    pub approve: Option<String>,
    /// The approved `plan_id` of the whole plan, of which [`Decide::only`] selects a part. The change
    /// is refused if the whole plan has another `plan_id`, does not apply, or was rejected. It is also
    /// refused if a file of the part differs from its state in that plan.
    pub approve_part: Option<String>,
    /// The durability, the wait for the lock, and the limits of the history. [`Decide::in_place`]
    /// overrides `links`.
    pub transaction: transaction::Options,
    /// The commands of the user around the change.
    pub commands: UserCommands,
    /// Who makes the change.
    pub attribution: Attribution,
}

/// The inputs of a command in addition to the tree.
#[derive(Clone, Debug, Default)]
pub struct RequestContext {
    /// The policy.
    pub policy: Arc<Policy>,
    /// The changes with the verdict `ask` that are refused without reading their files.
    pub approval_gate: ApprovalGate,
    /// Whether another program makes the change. A check then ignores whether the system permits the
    /// change to this user.
    pub is_external_change: bool,
    /// The git of the root, with its configuration and attributes; `None` if nothing is configured.
    /// Clones of a request share the cached configuration.
    pub git: Option<Arc<Git>>,
    /// The git of each root by its name, if the tree has several roots. Only its conversions of
    /// contents apply.
    pub root_gits: Vec<(RelPath, Arc<Git>)>,
    /// Whether the root is a tree in a repository. Its files have the line endings that were
    /// committed.
    pub is_git_tree: bool,
    /// The action for white-space errors if neither an option nor the configuration sets one.
    pub whitespace: WhitespaceAction,
    /// The index, for [`Decide::index`].
    pub index: Option<Arc<GitIndex>>,
    /// The repository that supplies the blobs for merges, and for binary files whose data is not in
    /// the patch.
    pub objects: Option<Repository>,
    /// The contents for which the patches were made (`--base`). [`Decide::three_way`] uses them.
    pub base: Option<ExplicitBase>,
    /// The handle that cancels the request. [`apply`](super::apply) replaces it.
    pub interrupt: Interrupt,
}

impl Request {
    /// Returns a request with the input `what` and the default options.
    #[must_use]
    pub fn with(what: What) -> Self {
        Self {
            what,
            decide: Decide::default(),
            look: Look::default(),
            commit: Commit::default(),
            context: RequestContext::default(),
        }
    }

    /// Returns a request to apply one patch.
    #[must_use]
    pub fn of(patch: impl Into<Bytes>) -> Self {
        Self::of_all(vec![("-".to_owned(), patch.into())])
    }

    /// Returns a request to apply patches, each with the name that messages use for it.
    #[must_use]
    pub fn of_all(texts: Vec<(String, Bytes)>) -> Self {
        Self::with(What::Patches(Patches {
            texts,
            ..Patches::default()
        }))
    }

    /// Returns the patches; `None` if the input is not patches.
    #[must_use]
    pub fn patches(&self) -> Option<&Patches> {
        match &self.what {
            What::Patches(patches) => Some(patches),
            What::Edit(_) | What::Tree(_) | What::Session(_) | What::Undo(_) => None,
        }
    }

    /// Moves the patches out of the request.
    ///
    /// # Errors
    ///
    /// Returns a problem if the input is not patches.
    pub(in crate::engine) fn take_patches(&mut self) -> Result<Patches, Box<Problem>> {
        match mem::take(&mut self.what) {
            What::Patches(patches) => Ok(patches),
            What::Edit(_) | What::Tree(_) | What::Session(_) | What::Undo(_) => Err(Box::new(
                Problem::new(&code::USAGE, "the request contains no patch"),
            )),
        }
    }

    /// Returns the options of preflight.
    pub(in crate::engine) fn preflight_options(&self) -> preflight::Options {
        let Self {
            decide,
            look,
            context,
            ..
        } = self;
        preflight::Options {
            policy: Arc::clone(&context.policy),
            approval_gate: context.approval_gate,
            rules: MatchRules {
                interrupt: context.interrupt.clone(),
                ..decide.rules()
            },
            overwrite: decide.overwrite,
            describe: look.describe,
            diff: look.diff,
            max_diff: look.max_diff,
            no_large_diff: look.no_large_diff,
            max_file: decide.max_file,
            max_ratio: decide.max_ratio,
            max_growth: decide.max_growth,
            checks_rights: !context.is_external_change,
            keeps_hard_links: decide.in_place,
            reject: decide.reject,
            reject_to: decide.reject_to.clone(),
            idempotent: decide.idempotent,
            encoding: decide.encoding,
            guards: self.guards(),
            objects: context.objects.clone(),
            merge_hunks: decide.merge_hunks,
            progress: look.progress.clone(),
            ..preflight::Options::default()
        }
    }

    /// Returns the guards of the options and of the policy.
    fn guards(&self) -> Vec<&'static Guard> {
        let mut guards = self.decide.guards.clone();
        let required = self.context.policy.guards();
        let is_new =
            |guard: &&'static Guard| self.decide.guards.iter().all(|it| it.name != guard.name);
        guards.extend(required.into_iter().filter(is_new));
        guards
    }

    /// Returns the options of the transaction.
    pub(in crate::engine) fn transaction_options(&self) -> transaction::Options {
        let links = if self.decide.in_place {
            HardLinkMode::Kept
        } else {
            HardLinkMode::Separate
        };
        transaction::Options {
            links,
            ..self.commit.transaction
        }
    }

    /// Returns git's index if the change updates it.
    pub(in crate::engine) fn index_target(&self) -> Option<IndexTarget> {
        Some(IndexTarget {
            index: Arc::clone(self.context.index.as_ref()?),
            scope: self.decide.index?,
        })
    }
}
