//! The request: patches, and how they are applied.

mod commands;
mod decide;
mod file_edit;
mod gnu;
mod index;
mod undo;
mod verbs;

use std::ffi::OsString;
use std::mem;
use std::sync::Arc;

use crate::diagnostics;
use crate::interrupt::Interrupt;
use crate::matching::Rules;
use crate::plan::Listed;
use crate::policy::Policy;
use crate::preflight::{self, Given, Held, Problem, WhitespaceAction, code};
use crate::progress::Progress;
use crate::text::Bytes;
use crate::transaction::{self, Links};
use crate::workspace::git::Git;
use crate::workspace::index::GitIndex;
use crate::workspace::objects::Repository;

pub use commands::Commands;
pub use decide::{Decide, Marking, ThreeWayOptions};
pub use file_edit::{FileEdit, MAX_DIFF, MAX_FILE, Parents};
pub use gnu::{Backup, GnuOptions, Numbering};
pub use index::{Indexed, Reach};
pub use undo::{Target, Undo};

/// The input and the options of one command. It is `Send` and `Sync`.
#[derive(Clone, Debug)]
pub struct Request {
    /// The input.
    pub what: What,
    /// Every option that can change the result.
    pub decide: Decide,
    /// What the report contains.
    pub look: Look,
    /// How the change is committed.
    pub commit: Commit,
    /// What the command reads in addition to the tree.
    pub context: Context,
}

/// The input of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// Patches.
    Patches(Patches),
    /// An edit of one file.
    Edit(Box<FileEdit>),
    /// The reversal of changes in the history.
    Undo(Undo),
}

impl Default for What {
    /// Returns no patches.
    fn default() -> Self {
        Self::Patches(Patches::default())
    }
}

/// The patches, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// Each patch with the name that messages have for it.
    pub texts: Vec<(String, Bytes)>,
    /// The list that names the patches, if one does (`--series`).
    pub series: Option<Series>,
    /// Whether the patches are those of a saved plan: one that does not apply any more is stale,
    /// see [`planned`](crate::engine::planned).
    pub is_saved: bool,
}

/// A list of patches, as quilt keeps it. Each is read as the list says, whatever the strip level of
/// the request is; one without a change changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The name that messages have for the list.
    pub name: String,
    /// One entry for each patch.
    pub entries: Vec<Listed>,
}

/// What the report contains.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Look {
    /// Whether it contains digests and the `plan_id`.
    pub describe: bool,
    /// Whether it contains a diff of each file.
    pub diff: bool,
    /// The most bytes of such a diff, which ends after a line.
    pub max_diff: usize,
    /// Whether a file of more than 64 KiB or 2000 lines has no diff (`--no-large-diff`).
    pub no_large_diff: bool,
    /// Whether it can omit files that change just as the patches say; its summary counts all of
    /// them.
    pub is_brief: bool,
    /// What is suggested if the patches do not apply.
    pub hints: Hints,
    /// What language servers check in the change (`--diagnostics`).
    pub diagnostics: Option<diagnostics::Options>,
    /// The progress of the command.
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
            hints: Hints::Words,
            diagnostics: None,
            progress: Progress::default(),
        }
    }
}

/// What is suggested if patches do not apply. Suggestions are tried, which can take as long as
/// several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hints {
    /// Nothing.
    Nothing,
    /// Names, and the order of the patches.
    Words,
    /// The same, as a command line: the one with these words, with other options.
    Command(Vec<OsString>),
}

/// How the change is committed.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The `plan_id` that was approved, as a check of the same patches with the same options has
    /// it. Another change is refused, and so is a plan that was rejected.
    pub approve: Option<String>,
    /// Durability, the wait for the lock, and the limits of the history. [`Decide::in_place`]
    /// overrides `links`.
    pub transaction: transaction::Options,
    /// The commands of the user around the change.
    pub commands: Commands,
}

/// What a command reads in addition to the tree.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// What is allowed.
    pub policy: Arc<Policy>,
    /// The files with the verdict `ask` that are refused without a look at their contents.
    pub held: Held,
    /// The git of the root, whose configuration and attributes count. Without it nothing is
    /// configured. It keeps its configuration: clones of a request share what was read once.
    pub git: Option<Arc<Git>>,
    /// Whether the files are of a tree in a repository, with the line endings that were committed.
    pub is_tree: bool,
    /// What is done about white-space errors if neither an option nor the configuration decides.
    pub whitespace: WhitespaceAction,
    /// The index, for [`Decide::index`].
    pub index: Option<Arc<GitIndex>>,
    /// The repository with the blobs of binary files of which a patch has no data, and of merges.
    pub objects: Option<Repository>,
    /// The contents that the patches were made for, for [`Decide::three_way`] (`--base`).
    pub base: Option<Given>,
    /// The handle that cancels the request. [`apply`](super::apply) replaces it.
    pub interrupt: Interrupt,
}

impl Request {
    /// Returns the request for `what` with the defaults of the program.
    #[must_use]
    pub fn with(what: What) -> Self {
        Self {
            what,
            decide: Decide::default(),
            look: Look::default(),
            commit: Commit::default(),
            context: Context::default(),
        }
    }

    /// Returns the request to apply one patch.
    #[must_use]
    pub fn of(patch: impl Into<Bytes>) -> Self {
        Self::of_all(vec![("-".to_owned(), patch.into())])
    }

    /// Returns the request to apply patches, each with the name that messages have for it.
    #[must_use]
    pub fn of_all(texts: Vec<(String, Bytes)>) -> Self {
        Self::with(What::Patches(Patches {
            texts,
            ..Patches::default()
        }))
    }

    /// Returns the patches; `None` if the input is another one.
    #[must_use]
    pub fn patches(&self) -> Option<&Patches> {
        match &self.what {
            What::Patches(patches) => Some(patches),
            What::Edit(_) | What::Undo(_) => None,
        }
    }

    /// Takes the patches out of the request.
    ///
    /// # Errors
    ///
    /// Returns the problem of a request with another input.
    pub(in crate::engine) fn take_patches(&mut self) -> Result<Patches, Box<Problem>> {
        match mem::take(&mut self.what) {
            What::Patches(patches) => Ok(patches),
            What::Edit(_) | What::Undo(_) => Err(Box::new(Problem::new(
                &code::USAGE,
                "the request has no patches",
            ))),
        }
    }

    /// Returns how the tree is read.
    pub(in crate::engine) fn preflight(&self) -> preflight::Options {
        let Self {
            decide,
            look,
            context,
            ..
        } = self;
        preflight::Options {
            policy: Arc::clone(&context.policy),
            held: context.held,
            rules: Rules {
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
            reject: decide.reject,
            reject_to: decide.reject_to.clone(),
            idempotent: decide.idempotent,
            encoding: decide.encoding,
            guards: decide.guards.clone(),
            objects: context.objects.clone(),
            merge_hunks: decide.merge_hunks,
            progress: look.progress.clone(),
            ..preflight::Options::default()
        }
    }

    /// Returns how the change is committed.
    pub(in crate::engine) fn transaction(&self) -> transaction::Options {
        let links = if self.decide.in_place {
            Links::Kept
        } else {
            Links::Parted
        };
        transaction::Options {
            links,
            ..self.commit.transaction
        }
    }

    /// Returns what of git's index changes, if anything does.
    pub(in crate::engine) fn indexed(&self) -> Option<Indexed> {
        Some(Indexed {
            index: Arc::clone(self.context.index.as_ref()?),
            reach: self.decide.index?,
        })
    }
}
