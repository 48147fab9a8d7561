//! The options that can change the result of a request, and therefore its `plan_id`.
//!
//! The same type is stored with a saved plan and read from the options of a batch job. To add an
//! option, add a field here, its argument on the command line, and the stage that implements it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::gnu::GnuOptions;
use super::index::UpdateScope;
use crate::digest::Sha256;
use crate::guard::{GUARDS, Guard};
use crate::matching::{ConflictResolution, ConflictStyle, MatchRules};
use crate::plan::{Direction, FilterRule, HunkSelection, MatchMode, Selection};
use crate::preflight::{self, RejectTo, WhitespaceAction};
use crate::syntax::{self, UnnamedHandling};
use crate::text::EncodingChoice;

/// Every option that can change the result of a request.
///
/// # Examples
///
/// Applies a diff without name prefixes in one folder, and ignores its wrong line counts:
///
/// ```
/// use wpatch::engine::{Decide, Request};
///
/// let mut request = Request::of("--- a\n+++ a\n@@ -1,7 +1,7 @@\n-one\n+1\n");
/// request.decide = Decide { strip: Some(0), directory: b"folder".to_vec(), recount: true, ..Decide::default() };
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Decide {
    /// `auto`, or the name of a grammar (`--format`).
    pub format: String,
    /// Whether the lines of a hunk are counted instead of read from its header (`--recount`).
    pub recount: bool,
    /// Whether a change that the text names but does not contain is an error (`--strict-input`).
    pub strict_input: bool,
    /// Whether a text without a section is accepted as a patch that changes nothing
    /// (`--allow-empty`).
    pub allow_empty: bool,
    /// Whether a patch that does not apply is repaired (`--lenient`).
    pub lenient: bool,
    /// Whether line numbers can refer to an earlier version in the history, if every line that the
    /// patch names is unchanged (`--relocate`).
    pub relocate: bool,
    /// The number of leading components to remove from names with a prefix (`-p`); see
    /// [`Selection::strip`].
    pub strip: Option<usize>,
    /// The directory to put before every name (`--directory`).
    #[serde(deserialize_with = "bytes")]
    pub directory: Vec<u8>,
    /// The path of the root below the top of its repository, if git diffs name files from the top
    /// (`--git-paths`).
    pub below: Option<Vec<u8>>,
    /// The patterns of `--include` and `--exclude`, in the given order; see [`Selection::filters`].
    pub filters: Vec<FilterRule>,
    /// Whether the patch is applied in reverse (`-R`).
    pub reverse: bool,
    /// The file below the root that a patch of one file changes, regardless of the name in the
    /// patch (`--file`).
    #[serde(deserialize_with = "optional_bytes")]
    pub file: Option<Vec<u8>>,
    /// The digest that the only file of a patch must have before the change (`--expect-hash`).
    pub expect_hash: Option<Sha256>,
    /// The files and hunks to apply (`--only`); see [`Selection::only`].
    pub only: Option<HunkSelection>,
    /// The absolute paths of the root. The last one contains no links. Names in patches can start
    /// with one of these paths.
    pub roots: Vec<Vec<u8>>,
    /// How closely texts and lines must match (`--match`, `--reindent`).
    #[serde(rename = "closeness")]
    pub match_mode: MatchMode,
    /// The number of context lines that must match on each side; `None` for all (`-C`).
    pub context: Option<usize>,
    /// The number of context lines that can be ignored on each side if nothing else matches
    /// (`--fuzz`).
    pub fuzz: usize,
    /// Whether a hunk without context can match anywhere (`--unidiff-zero`).
    pub unidiff_zero: bool,
    /// The action for lines with white-space errors; `None` for the configured action
    /// (`--whitespace`).
    pub whitespace: Option<WhitespaceAction>,
    /// Whether all runs of blanks compare as equal; `None` for the configured comparison
    /// (`--ignore-whitespace`).
    pub ignore_whitespace: Option<bool>,
    /// Whether a last line can lack its terminator if the patch has one (`--inaccurate-eof`).
    pub inaccurate_eof: bool,
    /// Whether the insertions of the patch are ignored (`--no-add`).
    pub no_add: bool,
    /// Whether a hunk can overlap the placement of another hunk (`--allow-overlap`).
    pub allow_overlap: bool,
    /// Whether a hunk must have a unique match unless it matches at its stated line (`--unique`).
    /// `--lenient` implies this option.
    pub unique: bool,
    /// Whether a file that the patch creates or moves can replace an existing file (`--overwrite`).
    pub overwrite: bool,
    /// Whether hunks that do not apply are written to a file while the others are applied
    /// (`--reject`).
    pub reject: bool,
    /// Where rejected hunks are written (`--reject-file`).
    pub reject_to: RejectTo,
    /// Whether a change that is already applied counts as success (`--idempotent`).
    pub idempotent: bool,
    /// Whether a file with several hard links is overwritten, so that all its names change
    /// (`--in-place`).
    pub in_place: bool,
    /// How conflicts are written if hunks are merged one by one; `None` for no merge (`--merge`).
    pub merge_hunks: Option<ConflictStyle>,
    /// The options of a three-way merge with the current files; `None` for no merge (`--3way`).
    pub three_way: Option<ThreeWayOptions>,
    /// The use of git's index; `None` to ignore the index (`--index`, `--cached`,
    /// `--intent-to-add`).
    pub index: Option<UpdateScope>,
    /// The encoding of files in which texts are replaced; `None` to compare bytes (`--encoding`).
    pub encoding: Option<EncodingChoice>,
    /// The options that only GNU patch has.
    pub gnu: GnuOptions,
    /// The checks of the new contents (`--guard`).
    #[serde(serialize_with = "guard_names", deserialize_with = "guards")]
    pub guards: Vec<&'static Guard>,
    /// The limit on the number of files in a patch.
    pub max_files: usize,
    /// The limit on the number of hunks in a patch.
    pub max_hunks: usize,
    /// The limit on the size of a file that is read or created, in bytes.
    pub max_file: u64,
    /// The limit on the number of bytes to which one byte of binary data can expand.
    pub max_ratio: u64,
    /// The expansion limit, in bytes.
    pub max_growth: u64,
}

impl Default for Decide {
    fn default() -> Self {
        let (syntax, preflight) = (syntax::Options::default(), preflight::Options::default());
        Self {
            format: "auto".to_owned(),
            recount: false,
            strict_input: false,
            allow_empty: false,
            lenient: false,
            relocate: false,
            strip: None,
            directory: Vec::new(),
            below: None,
            filters: Vec::new(),
            reverse: false,
            file: None,
            expect_hash: None,
            only: None,
            roots: Vec::new(),
            match_mode: MatchMode::Exact,
            context: None,
            fuzz: 0,
            unidiff_zero: false,
            whitespace: None,
            ignore_whitespace: None,
            inaccurate_eof: false,
            no_add: false,
            allow_overlap: false,
            unique: false,
            overwrite: false,
            reject: false,
            reject_to: RejectTo::default(),
            idempotent: false,
            in_place: false,
            merge_hunks: None,
            three_way: None,
            index: None,
            encoding: None,
            gnu: GnuOptions::default(),
            guards: Vec::new(),
            max_files: syntax.max_files,
            max_hunks: syntax.max_hunks,
            max_file: preflight.max_file,
            max_ratio: preflight.max_ratio,
            max_growth: preflight.max_growth,
        }
    }
}

impl Decide {
    /// Returns the direction in which the patch is applied.
    pub(in crate::engine) fn direction(&self) -> Direction {
        if self.reverse {
            Direction::Reverse
        } else {
            Direction::Forward
        }
    }

    /// Returns the options of the parsers.
    pub(in crate::engine) fn syntax_options(&self) -> syntax::Options {
        // GNU patch takes a name from an `Index:` line or from its arguments.
        let unnamed = match &self.file {
            _ if self.gnu.as_gnu => UnnamedHandling::Accept,
            Some(_) => UnnamedHandling::Blocks,
            None => UnnamedHandling::Refused,
        };
        syntax::Options {
            recount: self.recount,
            lenient: self.lenient,
            strict_input: self.strict_input,
            allow_empty: self.allow_empty,
            unnamed,
            max_files: self.max_files,
            max_hunks: self.max_hunks,
            ..syntax::Options::default()
        }
    }

    /// Returns the filters that choose operations, and how names are resolved.
    pub(in crate::engine) fn selection(&self) -> Selection {
        Selection {
            strip: self.strip,
            directory: self.directory.clone(),
            below: self.below.clone(),
            filters: self.filters.clone(),
            direction: self.direction(),
            file: self.file.clone(),
            expected: self.expect_hash,
            only: self.only.clone(),
            match_mode: self.match_mode,
            roots: self.roots.clone(),
        }
    }

    /// Returns the rules for placing hunks.
    pub(in crate::engine) fn rules(&self) -> MatchRules {
        MatchRules {
            context: self.context.unwrap_or(usize::MAX),
            fuzz: self.fuzz,
            zero_context: self.unidiff_zero,
            is_gnu: self.gnu.as_gnu,
            converts_line_ends: self.gnu.converts_line_ends,
            inaccurate_eof: self.inaccurate_eof,
            no_add: self.no_add,
            allow_overlap: self.allow_overlap,
            skips_applied: self.idempotent,
            // If several places match, git chooses one. A model can mean any of them.
            unique: self.unique || self.lenient,
            match_mode: self.match_mode,
            ..MatchRules::default()
        }
    }

    /// Returns the absolute path of the root, with which names in damaged patches can start.
    pub(in crate::engine) fn root(&self) -> &[u8] {
        self.roots.last().map_or(b"/", Vec::as_slice)
    }
}

/// How patches are merged with the current files (`--3way`).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ThreeWayOptions {
    /// How lines that both sides changed are resolved (`--ours`, `--theirs`, `--union`).
    pub favour: Option<ConflictResolution>,
    /// How conflicts are written into files; `None` to refuse a patch with conflicts.
    pub marking: Option<ConflictMarkers>,
}

/// How conflicts are written into files (`--conflict`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConflictMarkers {
    /// The style that git's `merge.conflictStyle` sets. Both sides are written if it is not set.
    Configured,
    /// Both sides and their common base.
    Base,
}

/// A text or a list of bytes.
#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrBytes {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<TextOrBytes> for Vec<u8> {
    fn from(value: TextOrBytes) -> Self {
        match value {
            TextOrBytes::Text(text) => text.into_bytes(),
            TextOrBytes::Bytes(bytes) => bytes,
        }
    }
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    TextOrBytes::deserialize(deserializer).map(Into::into)
}

fn optional_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    Ok(Option::<TextOrBytes>::deserialize(deserializer)?.map(Into::into))
}

fn guard_names<S: Serializer>(guards: &[&'static Guard], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(guards.iter().map(|guard| guard.name))
}

fn guards<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'static Guard>, D::Error> {
    let find = |name: String| {
        let found = GUARDS.iter().find(|guard| guard.name == name);
        found.ok_or_else(|| serde::de::Error::custom(format!("unknown guard `{name}`")))
    };
    Vec::<String>::deserialize(deserializer)?
        .into_iter()
        .map(find)
        .collect()
}
