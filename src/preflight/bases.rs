//! Three-way merges: the options, the sources of merge bases, and the outcome.

use std::collections::HashMap;
use std::sync::Arc;

use super::codes::code;
use super::findings::Findings;
use crate::matching::{Conflict, ConflictResolution, ConflictStyle, MergedHunk};
use crate::path::RelPath;
use crate::plan::{Action, BlobIds, Operation};
use crate::text::Bytes;
use crate::workspace::objects::{Repository, RepositoryTree};
use crate::workspace::{ErrorKind, Workspace, WorkspaceError};

/// The maximum number of conflicts that a message names.
const MAX_NAMED: usize = 8;

/// The options of three-way merges.
#[derive(Clone, Debug, Default)]
pub struct ThreeWay {
    /// The sources of merge bases.
    pub bases: Bases,
    /// The side whose lines resolve a conflict.
    pub favour: Option<ConflictResolution>,
    /// The treatment of conflicts that `favour` does not resolve.
    pub conflicts: ConflictHandling,
    /// The merge driver that the `merge` attribute selects for each file; see gitattributes(5).
    pub drivers: HashMap<RelPath, MergeDriver>,
    /// Whether git's index is updated together with the files. As in git, a rename or copy can then
    /// replace an existing entry at its target, and the index receives the sides of each conflict.
    pub is_indexed: bool,
}

impl ThreeWay {
    /// Returns whether the operation is a rename or copy that may replace an existing file at its
    /// target. As in git, this requires an index, hunks, and a known merge base.
    pub(super) fn can_replace_target(
        &self,
        operation: &Operation,
        limit: u64,
    ) -> Result<bool, WorkspaceError> {
        let may_merge = self.is_indexed
            && matches!(operation.action, Action::Rename | Action::Copy)
            && operation.hunks().next().is_some();
        Ok(may_merge && self.bases.find(operation, limit)?.is_some())
    }
}

/// The sources of merge bases, in the order in which they are searched.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    /// The base that the user names (`--base`).
    pub given: Option<ExplicitBase>,
    /// A repository that contains the blobs of `index` lines.
    pub objects: Option<Repository>,
    /// Contents from the history, by path and by the blob name in an `index` line.
    pub kept: HistoryBases,
}

/// Contents by path and blob name.
pub type HistoryBases = HashMap<(RelPath, Vec<u8>), Arc<Bytes>>;

/// A merge base that the user names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ExplicitBase {
    /// One content, which is the base of every changed file.
    Contents(Arc<Bytes>),
    /// A tree object that contains the base of each file.
    Tree(Arc<RepositoryTree>),
}

/// The treatment of lines that both sides changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConflictHandling {
    /// The patch is refused.
    #[default]
    Refuse,
    /// Both sides are written into the file, between conflict markers (`--conflict`).
    WriteMarkers(ConflictStyle),
}

/// The merge driver that git would use for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeDriver {
    /// Keeps the lines of both sides.
    Union,
    /// Keeps one side as a whole.
    Binary,
    /// A configured program with this name. wpatch does not run it.
    Program(Vec<u8>),
}

/// The source of a merge base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BaseSource {
    /// The repository, which contains the blob.
    Objects,
    /// The history.
    History,
    /// The user named the base.
    User,
    /// The base is empty, because both sides create the file.
    Empty,
    /// The hunks themselves, which contain the base only in part.
    Hunks,
}

/// The reason why a patch is applied directly to the current file, without a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoMergeReason {
    /// The operation is of a kind that is not merged, for example a deletion, or the patch does not
    /// apply to its merge base.
    Unmergeable,
    /// No source contains the merge base.
    NoBase,
}

/// A merge base and its source.
type Base = (Arc<Bytes>, BaseSource);

/// The outcome of a merge of a patch with the current file.
#[derive(Clone, Debug)]
pub struct MergeOutcome {
    /// The source of the merge base.
    pub base: BaseSource,
    /// The lines that both sides changed and that no option or driver resolved. For binary files
    /// and links this is the whole content.
    pub conflicts: Vec<Conflict>,
    /// Whether the contents are merged as a whole instead of by lines. This is also true for
    /// symbolic links.
    pub is_binary: bool,
    /// Whether the conflicts are written into the file.
    pub is_marked: bool,
    /// The result of each hunk, if the hunks were merged one by one.
    pub hunks: Vec<MergedHunk>,
    /// The merged contents, if the file is written with conflicts and git's index receives the
    /// sides.
    pub sides: Option<MergeSides>,
}

/// The contents that were merged.
#[derive(Clone, Debug)]
pub struct MergeSides {
    /// The merge base; `None` if the patch creates the file.
    pub base: Option<Arc<Bytes>>,
    /// The current content of the file.
    pub ours: Arc<Bytes>,
    /// The result of applying the patch to the base.
    pub theirs: Arc<Bytes>,
}

impl Bases {
    /// Returns the merge base of the operation and its source, if the base is known and has at most
    /// `limit` bytes.
    pub(super) fn find(
        &self,
        operation: &Operation,
        limit: u64,
    ) -> Result<Option<Base>, WorkspaceError> {
        if operation.action == Action::Create {
            return Ok(Some((Arc::default(), BaseSource::Empty)));
        }
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        match &self.given {
            Some(ExplicitBase::Contents(contents)) => {
                return Ok(Some((Arc::clone(contents), BaseSource::User)));
            }
            Some(ExplicitBase::Tree(tree)) => {
                return match tree.read(path, limit) {
                    Ok((contents, _)) => Ok(Some((Arc::new(contents), BaseSource::User))),
                    Err(error) if error.kind == ErrorKind::Other => Err(error),
                    Err(_) => Ok(None),
                };
            }
            None => {}
        }
        let Some(BlobIds { old: name, .. }) = operation.blobs.as_deref() else {
            return Ok(None);
        };
        let blob = self
            .objects
            .as_ref()
            .map(|objects| objects.find_blob(name, limit))
            .transpose()?
            .flatten();
        let found = blob.map(|(_, contents)| (Arc::new(contents.into()), BaseSource::Objects));
        let kept = || {
            self.kept
                .get(&(path.clone(), name.clone()))
                .map(|kept| (Arc::clone(kept), BaseSource::History))
        };
        Ok(found.or_else(kept))
    }
}

/// Reports the conflicts of a merge, if there are any. With a `favour`, the remaining conflicts of
/// a text contain lines that were not compared.
pub(super) fn report_conflicts(
    merge: &MergeOutcome,
    favour: Option<ConflictResolution>,
    findings: &mut Findings,
) {
    let conflicts = &merge.conflicts;
    if conflicts.is_empty() {
        return;
    }
    let is_uncompared = favour.is_some() && !merge.is_binary;
    let message = if merge.is_binary {
        "both the patch and the file change the same binary content".to_owned()
    } else {
        let places = format_conflicts(conflicts);
        if is_uncompared {
            format!(
                "the file differs too much from the preimage of the patch to compare all lines: \
                 {places}"
            )
        } else {
            format!("the patch changes lines that differ in the file: {places}")
        }
    };
    let problem = if merge.is_marked {
        findings.warning(&code::MERGE_CONFLICT, message)
    } else {
        findings.error(&code::MERGE_CONFLICT, message)
    };
    problem.lines = conflicts
        .iter()
        .map(|conflict| conflict.ours.start)
        .collect();
    let help = match (merge.is_marked, merge.is_binary) {
        (true, false) => "both versions are in the file, between conflict markers; resolve them",
        (true, true) => "the file was not changed; use --theirs for the version of the patch",
        (false, _) if is_uncompared => {
            "use --conflict markers to write both versions into the file"
        }
        (false, true) => "use --ours or --theirs to take one version of the file",
        (false, false) => {
            "use --ours, --theirs or --union to resolve it, or --conflict markers to write both versions into the file"
        }
    };
    problem.help = Some(help.to_owned());
}

/// Returns the positions of conflicts as text.
fn format_conflicts(conflicts: &[Conflict]) -> String {
    let named: Vec<_> = conflicts
        .iter()
        .take(MAX_NAMED)
        .map(format_conflict)
        .collect();
    let more = if conflicts.len() > MAX_NAMED {
        " and others"
    } else {
        ""
    };
    let what = if conflicts.len() == 1 {
        "a conflict"
    } else {
        "conflicts"
    };
    format!("{what} at {}{more}", named.join(", "))
}

/// Returns the position of a conflict in the current file as text, with lines counted from 1.
fn format_conflict(conflict: &Conflict) -> String {
    let lines = &conflict.ours;
    match lines.len() {
        0 => format!("line {} (no line)", lines.start + 1),
        1 => format!("line {}", lines.end),
        _ => format!("lines {}-{}", lines.start + 1, lines.end),
    }
}
