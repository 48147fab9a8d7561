//! The options of preflight.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bases::ThreeWay;
use super::codes::ProblemCode;
use super::conversions::Conversions;
use crate::digest::ObjectFormat;
use crate::guard::Guard;
use crate::matching::{ConflictStyle, MatchRules, MismatchDetail};
use crate::path::{PathError, RelPath};
use crate::plan::{Operation, Replacements};
use crate::policy::{Policy, Verdict};
use crate::progress::Progress;
use crate::text::EncodingChoice;
use crate::whitespace::WhitespaceRule;
use crate::workspace::objects::Repository;

/// The options of preflight.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Options {
    /// The policy, which decides which changes are allowed.
    pub policy: Arc<Policy>,
    /// The changes with the verdict `ask` that are refused before any content is read.
    pub approval_gate: ApprovalGate,
    /// The rules by which hunks must match.
    pub rules: MatchRules,
    /// Whether a created or renamed file may replace an existing file (`--overwrite`).
    pub overwrite: bool,
    /// Whether digests and properties of contents are computed, for a report or a guard.
    pub describe: bool,
    /// Whether the SHA-256 digests of contents are computed, for the `plan_id`. `describe` has the same
    /// effect.
    pub digests: bool,
    /// Whether a diff of each file is generated, for a report.
    pub diff: bool,
    /// Whether instead one diff of the complete change of a file is attached to the last operation
    /// on it. This diff includes binary data and is never truncated, so that the diffs of a plan
    /// can be applied in order.
    pub full_diff: bool,
    /// The maximum size of a diff in bytes. A longer diff ends after a complete line.
    pub max_diff: usize,
    /// Whether a file of more than 64 KiB or 2000 lines gets no diff (`--no-large-diff`).
    pub no_large_diff: bool,
    /// The maximum size of a file that is read or written, in bytes.
    pub max_file: u64,
    /// The maximum number of content bytes per byte of binary data. The first 16 MiB of a file, and
    /// the bytes of the preimage of a delta, do not count.
    pub max_ratio: u64,
    /// The maximum number of bytes that copies and binary data add to related files, beyond the
    /// bytes of the patch. The first such file does not count, so a single file has no limit except
    /// `max_file` and `max_ratio`.
    pub max_growth: u64,
    /// The encoding of files in which texts are replaced. Without an encoding, texts are bytes.
    pub encoding: Option<EncodingChoice>,
    /// Whether non-matching hunks are written to a file while the rest is applied (`--reject`).
    pub reject: bool,
    /// The place of rejected hunks. With an index, and in a saved plan, each file of rejected hunks
    /// is next to its target.
    pub reject_to: RejectTo,
    /// The files that are known not to satisfy a requirement, with the code of the failure. Used
    /// with `--reject` only.
    pub failed_files: Arc<HashMap<RelPath, &'static ProblemCode>>,
    /// Whether an already applied change counts as a success.
    pub idempotent: bool,
    /// The problem of a file that does not satisfy the guard of its operation.
    pub unmet_precondition: UnmetPrecondition,
    /// The checks of white space in new lines, and the action on errors.
    pub whitespace: WhitespaceRules,
    /// Whether the lines of the patch are checked for white space errors later, by
    /// [`Resolution::find_deferred_whitespace`](super::Resolution::find_deferred_whitespace). This
    /// option affects only [`WhitespaceAction::Warn`].
    pub defers_whitespace: bool,
    /// The conversions between the work tree and the repository. Without them no content is
    /// converted.
    pub conversions: Option<Arc<Conversions>>,
    /// Whether symbolic links are written as regular files (`core.symlinks`).
    pub links_are_files: bool,
    /// Whether a change is refused that the file system does not permit to this user, such as the
    /// change of an immutable file.
    pub checks_rights: bool,
    /// Whether a file with several hard links is overwritten in place, so that all its names show
    /// the new content (`--in-place`).
    pub keeps_hard_links: bool,
    /// Repairs the texts that operations search for. Without it no text is repaired.
    pub text_repair: Option<Arc<dyn TextRepair>>,
    /// The additional checks of changes (`--guard`).
    pub guards: Vec<&'static Guard>,
    /// Whether images are collected. The field depends on [`PreviewSinks`](super::PreviewSinks).
    pub(crate) images: bool,
    /// Whether the contents of all files are kept, as [`Self::images`].
    pub(crate) keeps_contents: bool,
    /// The repository that contains the blobs of binary files without data in the patch. Only blobs
    /// that the patch names in full are read.
    pub objects: Option<Repository>,
    /// The options for merging patches with the current files (`--3way`), if requested.
    pub three_way: Option<Arc<ThreeWay>>,
    /// The conflict style for merging non-matching hunks one by one (`--merge`), if requested.
    /// Conflicts are written into the file between markers. Not available together with an index,
    /// because index entries cannot represent such conflicts.
    pub merge_hunks: Option<ConflictStyle>,
    /// Receives the progress of this and all other stages.
    pub progress: Progress,
}

impl Options {
    /// Returns the maximum size of a file that is read, in bytes.
    pub(crate) fn max_read(&self) -> u64 {
        self.max_file.min(self.policy.max_read())
    }

    /// Returns whether the digests of contents are computed.
    pub(crate) fn needs_digests(&self) -> bool {
        self.describe || self.digests
    }

    /// Returns the hash of the object names in diffs.
    pub(crate) fn object_format(&self) -> ObjectFormat {
        let conversions = self.conversions.as_deref();
        conversions.map_or(ObjectFormat::Sha1, Conversions::object_format)
    }

    /// Returns whether every problem of a hunk is reported, as GNU patch does.
    pub(crate) fn has_unlimited_problems(&self) -> bool {
        self.rules.is_gnu
    }

    /// Returns whether resolving stops at the first error.
    pub(crate) fn can_stop_early(&self) -> bool {
        self.rules.detail != MismatchDetail::Full
    }

    /// Returns the maximum size of a file that is written, in bytes.
    pub(crate) fn max_write(&self) -> u64 {
        self.max_file.min(self.policy.max_write())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: Arc::default(),
            approval_gate: ApprovalGate::default(),
            rules: MatchRules::default(),
            overwrite: false,
            describe: false,
            digests: false,
            diff: false,
            full_diff: false,
            max_diff: usize::MAX,
            no_large_diff: false,
            max_file: 1 << 29,
            max_ratio: 200,
            max_growth: 1 << 27,
            encoding: None,
            reject: false,
            reject_to: RejectTo::default(),
            failed_files: Arc::default(),
            idempotent: false,
            unmet_precondition: UnmetPrecondition::default(),
            whitespace: WhitespaceRules::default(),
            defers_whitespace: false,
            conversions: None,
            links_are_files: false,
            checks_rights: false,
            keeps_hard_links: false,
            text_repair: None,
            guards: Vec::new(),
            images: false,
            keeps_contents: false,
            objects: None,
            three_way: None,
            merge_hunks: None,
            progress: Progress::default(),
        }
    }
}

/// The problem of a file that is not in the state that the guard of its operation requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnmetPrecondition {
    /// The file conflicts with an undo.
    #[default]
    Conflict,
    /// The file changed after the new state was computed from it.
    Stale,
}

/// The changes with the verdict `ask` that are refused like denied changes. The variants are in
/// ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ApprovalGate {
    /// None. The user who sees the result is the one who approves.
    #[default]
    Nothing,
    /// Changes to files that need approval for reading. The report, which shows their content, goes
    /// to another person.
    Reading,
    /// All. The change is to be committed without an approval.
    Everything,
}

impl ApprovalGate {
    /// Returns the mildest verdict on reading that prevents wpatch from reading a file.
    #[must_use]
    pub fn denied_read_verdict(self) -> Verdict {
        if self == Self::Nothing {
            Verdict::Deny
        } else {
            Verdict::Ask
        }
    }
}

/// The suffix of a file for rejected hunks.
const SUFFIX: &[u8] = b".rej";

/// The place where rejected hunks are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RejectTo {
    /// A file next to the target file.
    #[default]
    Beside,
    /// This file, for all rejected hunks (`--reject-file`).
    File(RelPath),
    /// Nowhere: the rejected hunks are not written.
    Nowhere,
}

impl RejectTo {
    /// Returns the file for the rejected hunks of `path`, if they are written.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is too long.
    pub(crate) fn path(&self, path: &RelPath) -> Result<Option<RelPath>, PathError> {
        match self {
            Self::Beside => RelPath::new(&[path.as_bytes(), SUFFIX].concat()).map(Some),
            Self::File(path) => Ok(Some(path.clone())),
            Self::Nowhere => Ok(None),
        }
    }
}

/// The action on white space errors (`--whitespace`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WhitespaceAction {
    /// White space is not checked.
    #[default]
    #[serde(rename = "nowarn")]
    NoWarn,
    /// Errors are reported as warnings.
    Warn,
    /// Errors prevent the patch from being applied.
    Error,
    /// Errors prevent the patch from being applied, and each error is reported.
    ErrorAll,
    /// Errors are fixed.
    Fix,
}

/// The names of the actions. git has two names for [`WhitespaceAction::Fix`].
pub const ACTIONS: [(&str, WhitespaceAction); 6] = [
    ("nowarn", WhitespaceAction::NoWarn),
    ("warn", WhitespaceAction::Warn),
    ("error", WhitespaceAction::Error),
    ("error-all", WhitespaceAction::ErrorAll),
    ("fix", WhitespaceAction::Fix),
    ("strip", WhitespaceAction::Fix),
];

impl WhitespaceAction {
    /// Returns the action with the name `name`.
    #[must_use]
    pub fn from_name(name: &[u8]) -> Option<Self> {
        ACTIONS
            .iter()
            .find(|(known, _)| known.as_bytes() == name)
            .map(|(_, action)| *action)
    }

    /// Returns the name of the action.
    #[must_use]
    pub fn name(self) -> &'static str {
        ACTIONS
            .iter()
            .find(|(_, action)| *action == self)
            .map_or("", |(name, _)| name)
    }

    pub(super) fn is_refusing(self) -> bool {
        matches!(self, Self::Error | Self::ErrorAll)
    }
}

/// The white space rules of each file, and the action on errors.
#[derive(Clone, Debug, Default)]
pub struct WhitespaceRules {
    /// The action on errors.
    pub action: WhitespaceAction,
    /// The rule for files without a rule of their own.
    pub default_rule: WhitespaceRule,
    /// The rules of individual files.
    pub rules: Arc<HashMap<RelPath, WhitespaceRule>>,
    /// Whether a line of the patch has an error. Like git, wpatch corrects new lines only in this
    /// case.
    pub(super) has_errors: bool,
}

/// Repairs the texts of operations.
pub trait TextRepair: Debug + Send + Sync {
    /// Returns the repaired edits of the operation at `index` for a file with `content`; `None` if
    /// nothing needs to be repaired.
    fn repair(&self, index: usize, operation: &Operation, content: &[u8]) -> Option<Replacements>;
}
