//! What is asked of patches.

use std::ffi::OsString;

use super::{Commands, Habits, Indexed, Lenience, ThreeWayRequest, WhitespaceRequest};
use crate::diagnostics;
use crate::plan::{self, Listed};
use crate::preflight;
use crate::syntax;
use crate::text::Bytes;
use crate::transaction;

/// Patches, and what is to be done with them.
///
/// # Examples
///
/// A diff without prefixes of a tool that counts badly, for one folder:
///
/// ```
/// use wpatch::engine::Request;
///
/// let mut request = Request::of("--- a\n+++ a\n@@ -1,7 +1,7 @@\n-one\n+1\n");
/// request.selection.strip = Some(0);
/// request.selection.directory = b"folder".to_vec();
/// request.syntax.recount = true;
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    /// The patches, each with the name that messages call it by; one after the other.
    pub patches: Vec<(String, Bytes)>,
    /// The list that names the patches, if one does (`--series`).
    pub series: Option<Series>,
    /// A word of `--format`: `auto`, or the name of a grammar.
    pub format: String,
    /// How patches are read.
    pub syntax: syntax::Options,
    /// Which operations are meant.
    pub selection: plan::Selection,
    /// How the tree is looked at.
    pub preflight: preflight::Options,
    /// How the change is committed.
    pub transaction: transaction::Options,
    /// The `plan_id` that was approved, as a check of the same patches with the same options and the same choice of them
    /// has it; anything else is refused, and so is what was rejected.
    pub approve: Option<String>,
    /// Whether the patches are those of a saved plan: one that does not fit any more is stale, see
    /// [`planned`](super::planned).
    pub is_saved: bool,
    /// Whether and how a patch that does not fit as it stands is repaired (`--lenient`).
    pub lenience: Option<Lenience>,
    /// What language servers are asked of the change (`--diagnostics`).
    pub diagnostics: Option<diagnostics::Options>,
    /// Whether line numbers may be those of an earlier version that the history has, where every line that is named
    /// stands unchanged (`--relocate`).
    pub relocate: bool,
    /// What of git's index the change is made in, if it is (`--index`, `--cached`).
    pub index: Option<Indexed>,
    /// How patches are merged with what became of their files, if they are (`--3way`).
    pub three_way: Option<ThreeWayRequest>,
    /// What is looked for in the white space of new lines, and how white space is compared.
    pub whitespace: WhitespaceRequest,
    /// What GNU patch does with a patch and git does not.
    pub habits: Habits,
    /// The commands of the user around the change.
    pub commands: Commands,
    /// Whether the report may leave the files out where the change is made just as the patches say, and nothing has to be
    /// said of any of them; its summary has the numbers all the same.
    pub is_brief: bool,
    /// What is suggested if the patches do not apply.
    pub hints: Hints,
}

/// What is suggested if patches do not apply. Suggestions are tried, which can take as long as several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hints {
    /// Nothing.
    Nothing,
    /// Names, and the order of the patches.
    Words,
    /// The same, as a command line: the one with these words, with other options.
    Command(Vec<OsString>),
}

/// A list of patches, as quilt keeps it. Each is read as the list says, whatever the strip level of the selection is; one
/// without a change changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// How messages call it.
    pub name: String,
    /// One entry for each patch.
    pub entries: Vec<Listed>,
}

impl Request {
    /// Returns the request to apply one patch with the defaults of the program.
    #[must_use]
    pub fn of(patch: impl Into<Bytes>) -> Self {
        Self {
            patches: vec![("-".to_owned(), patch.into())],
            series: None,
            format: "auto".to_owned(),
            syntax: syntax::Options::default(),
            selection: plan::Selection::default(),
            preflight: preflight::Options::default(),
            transaction: transaction::Options::default(),
            approve: None,
            is_saved: false,
            lenience: None,
            diagnostics: None,
            relocate: false,
            index: None,
            three_way: None,
            whitespace: WhitespaceRequest::default(),
            habits: Habits::default(),
            commands: Commands::default(),
            is_brief: false,
            hints: Hints::Words,
        }
    }
}
