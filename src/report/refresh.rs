//! The result of `refresh`: what each patch and each hunk needed, as data and as text.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{hex_if_lossy, text};
use crate::path::RelPath;
use crate::text::printable;

/// The patches that `refresh` has compared with the tree, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RefreshReport {
    /// One entry for each patch.
    pub patches: Vec<RefreshedPatch>,
}

/// One patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RefreshedPatch {
    /// The name of the patch.
    pub patch: String,
    /// What happens to the patch file.
    pub status: PatchStatus,
    /// The changed files, in the order of the patch.
    pub files: Vec<RefreshedFile>,
}

/// The change that a patch file needs. No file is written if the command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PatchStatus {
    /// The file stays as it is.
    Unchanged,
    /// Some parts are written again, or removed.
    Rewritten,
    /// The tree already has all changes, so the file and its entry in the series are removed.
    Removed,
    /// The file must change but cannot be rewritten, for example because a mail encodes the patch.
    NotRewritable,
    /// A change does not apply.
    Conflict,
    /// A change was not compared, because an earlier change of the same file does not apply.
    NotChecked,
}

/// One changed file in a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RefreshedFile {
    /// The path of the file.
    pub path: String,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The result for the whole file.
    pub status: RefreshStatus,
    /// The hunks. A change without lines has none.
    pub hunks: Vec<RefreshedHunk>,
}

/// One hunk in a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RefreshedHunk {
    /// The number of the hunk in its file section, counted from 1.
    pub number: usize,
    /// The result.
    pub status: RefreshStatus,
    /// The first preimage line that the patch states, counted from 1.
    pub stated_line: usize,
    /// The first line in the tree after the earlier patches, counted from 1: of the preimage for
    /// `clean` and `moved`, of the postimage for `already_there`, of the closest match for
    /// `conflict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The distance from the stated line, in lines of the file after the earlier hunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<isize>,
    /// The number of context lines that differ at the start or the end, whichever is larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuzz: Option<usize>,
    /// The lines where a hunk with a conflict also matches, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<usize>,
}

/// The result for a hunk or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefreshStatus {
    /// The tree already has the change, so it is removed from the patch.
    AlreadyThere,
    /// The change applies as the patch states, apart from hunks that are already in the tree.
    Clean,
    /// The change applies at another line, or with other context lines, which replace those of the
    /// patch.
    Moved,
    /// The change was not compared with the tree.
    NotChecked,
    /// The change does not apply.
    Conflict,
}

impl RefreshedFile {
    /// Returns the entry for the file at `path`.
    #[must_use]
    pub fn new(path: &RelPath, status: RefreshStatus, hunks: Vec<RefreshedHunk>) -> Self {
        Self {
            path: text(path.as_bytes()),
            path_hex: hex_if_lossy(&path.as_bytes()),
            status,
            hunks,
        }
    }
}

impl RefreshedHunk {
    /// Returns an entry without a place.
    #[must_use]
    pub fn new(number: usize, status: RefreshStatus, stated_line: usize) -> Self {
        Self {
            number,
            status,
            stated_line,
            line: None,
            offset: None,
            fuzz: None,
            candidates: Vec::new(),
        }
    }
}

impl PatchStatus {
    fn words(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Rewritten => "rewritten",
            Self::Removed => "removed, because the tree already has all its changes",
            Self::NotRewritable => "cannot be rewritten",
            Self::Conflict => "conflict",
            Self::NotChecked => "not checked",
        }
    }
}

/// The hunks that a text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownHunks {
    /// All hunks.
    All,
    /// The hunks that are not `clean`.
    NotClean,
}

impl RefreshReport {
    /// Returns a line for each patch, and a line for each hunk that `shown` selects. `is_changed`
    /// states whether the patch files are changed.
    #[must_use]
    pub fn to_text(&self, is_changed: bool, shown: ShownHunks) -> String {
        let mut out = String::new();
        for patch in &self.patches {
            let name = printable(patch.patch.as_bytes());
            push_line(&mut out, &format!("{name}: {}", patch.status.words()));
            // All files of a removed patch have the same status.
            if patch.status != PatchStatus::Removed {
                patch
                    .files
                    .iter()
                    .for_each(|file| push_file(&mut out, file, shown));
            }
        }
        let needs_change = |patch: &RefreshedPatch| patch.status != PatchStatus::Unchanged;
        let is_pending = !is_changed && self.patches.iter().any(needs_change);
        let note = if is_pending {
            "; no file was changed"
        } else {
            ""
        };
        push_line(&mut out, &format!("{}{note}", self.total()));
        out
    }

    /// Returns the number of patches with each status.
    fn total(&self) -> String {
        let mut line = match self.patches.len() {
            1 => "1 patch".to_owned(),
            all => format!("{all} patches"),
        };
        let statuses = [
            (PatchStatus::Unchanged, "unchanged"),
            (PatchStatus::Rewritten, "rewritten"),
            (PatchStatus::Removed, "removed"),
            (PatchStatus::NotRewritable, "not rewritable"),
            (PatchStatus::Conflict, "with a conflict"),
            (PatchStatus::NotChecked, "not checked"),
        ];
        let counts = statuses.map(|(status, name)| {
            let of_status = self.patches.iter().filter(|patch| patch.status == status);
            (of_status.count(), name)
        });
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        if !counts.is_empty() {
            line = format!("{line}: {}", counts.join(", "));
        }
        line
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// Appends a line for each shown hunk of `file`, or one for the file if it has no hunks.
fn push_file(out: &mut String, file: &RefreshedFile, shown: ShownHunks) {
    let path = printable(file.path.as_bytes());
    let is_shown = |status| shown == ShownHunks::All || status != RefreshStatus::Clean;
    if file.hunks.is_empty() && is_shown(file.status) {
        push_line(out, &format!("  {path}: {}", file_words(file.status)));
    }
    for hunk in file.hunks.iter().filter(|hunk| is_shown(hunk.status)) {
        push_line(
            out,
            &format!("  {path}: hunk {} {}", hunk.number, hunk_words(hunk)),
        );
    }
}

fn file_words(status: RefreshStatus) -> &'static str {
    match status {
        RefreshStatus::AlreadyThere => "already there",
        RefreshStatus::Clean => "clean",
        RefreshStatus::Moved => "moved",
        RefreshStatus::NotChecked => "not checked",
        RefreshStatus::Conflict => "conflict",
    }
}

fn hunk_words(hunk: &RefreshedHunk) -> String {
    let line = hunk.line.unwrap_or(hunk.stated_line);
    match hunk.status {
        RefreshStatus::Moved => {
            let words = match hunk.offset {
                Some(0) | None => format!("stays at line {line}"),
                Some(offset) => format!("moved by {offset:+} to line {line}"),
            };
            match hunk.fuzz {
                Some(0) | None => words,
                Some(1) => words + ", with 1 context line replaced",
                Some(fuzz) => format!("{words}, with {fuzz} context lines replaced"),
            }
        }
        RefreshStatus::AlreadyThere => match hunk.line {
            Some(line) => format!("already there at line {line}"),
            None => "already there".to_owned(),
        },
        RefreshStatus::Conflict if !hunk.candidates.is_empty() => {
            let lines: Vec<_> = hunk.candidates.iter().map(usize::to_string).collect();
            format!("conflict, several matches: lines {}", lines.join(", "))
        }
        RefreshStatus::Conflict => match hunk.line {
            Some(line) => format!("conflict, closest match at line {line}"),
            None => "conflict, no similar lines".to_owned(),
        },
        RefreshStatus::Clean => format!("clean at line {line}"),
        status @ RefreshStatus::NotChecked => file_words(status).to_owned(),
    }
}
