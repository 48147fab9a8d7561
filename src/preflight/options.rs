//! How the tree is looked at.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bases::ThreeWay;
use super::codes::Code;
use super::conversions::Conversions;
use crate::guard::Guard;
use crate::matching::{ConflictStyle, Detail, Rules};
use crate::path::{PathError, RelPath};
use crate::plan::{Operation, Replacements};
use crate::policy::Policy;
use crate::progress::Progress;
use crate::text::EncodingChoice;
use crate::whitespace::WhitespaceRule;
use crate::workspace::objects::Repository;

/// How the tree is looked at.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Options {
    /// What may be done.
    pub policy: Arc<Policy>,
    /// What policy asks about and is refused before any content is looked at.
    pub held: Held,
    /// How closely hunks have to fit.
    pub rules: Rules,
    /// Whether a file may be replaced by one that the patch makes or moves there (`--overwrite`).
    pub overwrite: bool,
    /// Whether digests and properties of contents are worked out, for a report or a guard.
    pub describe: bool,
    /// Whether a clean diff of each file is written, for a report.
    pub diff: bool,
    /// Whether instead a diff of all that becomes of a file, with binary contents and never cut, is
    /// written to the last operation on it, so that the diffs of a plan in their order can be
    /// applied.
    pub whole_diff: bool,
    /// The most bytes of such a diff; a longer one ends after a line.
    pub max_diff: usize,
    /// Whether a file of more than 64 KiB or 2000 lines gets no diff (`--no-large-diff`).
    pub no_large_diff: bool,
    /// Largest file that is read or made, in bytes.
    pub max_file: u64,
    /// Most bytes of contents that a byte of binary data may make; the first 16 MiB of a file are
    /// free, and so are the bytes of the file that a delta is made for.
    pub max_ratio: u64,
    /// Most bytes that copies and binary data add to files that belong together, beyond those of
    /// the patch. The first such file is free, so that what is alone has no limit but `max_file`
    /// and `max_ratio`.
    pub max_growth: u64,
    /// The encoding of files in which texts are replaced; without one texts are bytes.
    pub encoding: Option<EncodingChoice>,
    /// Whether what does not fit is left out, its hunks written to a file, and the rest done
    /// (`--reject`).
    pub reject: bool,
    /// Where these hunks go. With an index, and in a plan that is kept, it is beside their files.
    pub reject_to: RejectTo,
    /// The files that are known not to be what they have to be, and how, where what does not fit is
    /// left out.
    pub unfit: Arc<HashMap<RelPath, &'static Code>>,
    /// Whether what has been done already is left as it is, and no reason not to apply.
    pub idempotent: bool,
    /// What is looked for in the white space of new lines, and what is done about it.
    pub whitespace: Whitespace,
    /// The conversions between the work tree and the repository. Without them no content is
    /// converted.
    pub conversions: Option<Arc<Conversions>>,
    /// Whether symbolic links are written as regular files (`core.symlinks`).
    pub links_are_files: bool,
    /// What repairs the texts that operations search for. Without it no text is repaired.
    pub text_repair: Option<Arc<dyn TextRepair>>,
    /// What changes are looked at for besides (`--guard`).
    pub guards: Vec<&'static Guard>,
    /// Whether images are collected, which [`resolve_shown`](super::resolve_shown) decides.
    pub(crate) images: bool,
    /// The repository that has the blobs of binary files of which a patch has no data. It is asked
    /// only for those that the patch names in full.
    pub objects: Option<Repository>,
    /// How a patch is merged with what became of its files since it was made, if it is (`--3way`).
    pub three_way: Option<Arc<ThreeWay>>,
    /// How hunks that do not fit are merged with what became of their lines, one by one, if they
    /// are (`--merge`): what conflicts then stands in the file between markers. Not together with
    /// an index, whose entries know no such conflict.
    pub merge_hunks: Option<ConflictStyle>,
    /// Whom the run tells how far it is, this stage and all others.
    pub progress: Progress,
}

impl Options {
    /// Returns the size of the largest file that is read, in bytes.
    pub(crate) fn max_read(&self) -> u64 {
        self.max_file.min(self.policy.max_read())
    }

    /// Returns whether every problem of a hunk is reported, as GNU patch does.
    pub(crate) fn is_complete(&self) -> bool {
        self.rules.as_gnu
    }

    /// Returns whether nothing is looked at after the first error.
    pub(crate) fn ends_early(&self) -> bool {
        self.rules.detail != Detail::Full
    }

    /// Returns the size of the largest file that is made, in bytes.
    pub(crate) fn max_made(&self) -> u64 {
        self.max_file.min(self.policy.max_write())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: Arc::default(),
            held: Held::default(),
            rules: Rules::default(),
            overwrite: false,
            describe: false,
            diff: false,
            whole_diff: false,
            max_diff: usize::MAX,
            no_large_diff: false,
            max_file: 1 << 29,
            max_ratio: 200,
            max_growth: 1 << 27,
            encoding: None,
            reject: false,
            reject_to: RejectTo::default(),
            unfit: Arc::default(),
            idempotent: false,
            whitespace: Whitespace::default(),
            conversions: None,
            links_are_files: false,
            text_repair: None,
            guards: Vec::new(),
            images: false,
            objects: None,
            three_way: None,
            merge_hunks: None,
            progress: Progress::default(),
        }
    }
}

/// What policy asks about and is refused like what it denies. The least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Held {
    /// Nothing: whoever looks is the one who is asked.
    #[default]
    Nothing,
    /// What is done to files that nobody may read without being asked: whoever looks is somebody
    /// else, and a report says what is in them.
    Reading,
    /// Everything: the change is to be made, and nobody has approved it.
    Everything,
}

/// What stands behind the name of a file whose hunks were rejected.
const SUFFIX: &[u8] = b".rej";

/// Where hunks go that do not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RejectTo {
    /// To a file beside theirs.
    #[default]
    Beside,
    /// All to this one (`--reject-file`).
    File(RelPath),
    /// Nowhere.
    Nowhere,
}

impl RejectTo {
    /// Returns the file for the rejected hunks of `path`, if there is to be one.
    ///
    /// # Errors
    ///
    /// Returns an error for a name that is too long.
    pub(crate) fn path(&self, path: &RelPath) -> Result<Option<RelPath>, PathError> {
        match self {
            Self::Beside => RelPath::new(&[path.as_bytes(), SUFFIX].concat()).map(Some),
            Self::File(path) => Ok(Some(path.clone())),
            Self::Nowhere => Ok(None),
        }
    }
}

/// What is done about errors in white space (`--whitespace`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WhitespaceAction {
    /// Nothing is looked for.
    #[default]
    #[serde(rename = "nowarn")]
    NoWarn,
    /// They are told.
    Warn,
    /// They keep the patch from applying.
    Error,
    /// The same, and each of them is told.
    ErrorAll,
    /// They are put right.
    Fix,
}

/// The names of the actions; git has two for the last one.
pub const ACTIONS: [(&str, WhitespaceAction); 6] = [
    ("nowarn", WhitespaceAction::NoWarn),
    ("warn", WhitespaceAction::Warn),
    ("error", WhitespaceAction::Error),
    ("error-all", WhitespaceAction::ErrorAll),
    ("fix", WhitespaceAction::Fix),
    ("strip", WhitespaceAction::Fix),
];

impl WhitespaceAction {
    /// Returns the action that is called `name`.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Self> {
        ACTIONS
            .iter()
            .find(|(known, _)| known.as_bytes() == name)
            .map(|(_, action)| *action)
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ACTIONS
            .iter()
            .find(|(_, action)| *action == self)
            .map_or("", |(name, _)| name)
    }

    pub(super) fn refuses(self) -> bool {
        matches!(self, Self::Error | Self::ErrorAll)
    }
}

/// What is looked for in which file, and what is done about it.
#[derive(Clone, Debug, Default)]
pub struct Whitespace {
    /// What is done.
    pub action: WhitespaceAction,
    /// What is looked for where nothing else is said.
    pub usual: WhitespaceRule,
    /// What is looked for in files that have rules of their own.
    pub rules: Arc<HashMap<RelPath, WhitespaceRule>>,
    /// Whether a line of the patch has an error: git puts nothing right otherwise.
    pub(super) is_found: bool,
}

/// Repairs the texts of operations.
pub trait TextRepair: Debug + Send + Sync {
    /// Returns what the operation at `index` was meant to do with a file that has `content`; `None`
    /// if it stays as it is.
    fn repair(&self, index: usize, operation: &Operation, content: &[u8]) -> Option<Replacements>;
}
