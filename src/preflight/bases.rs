//! How patches are merged with what became of their files, and the contents that they were made
//! for.

use std::collections::HashMap;
use std::sync::Arc;

use super::codes::code;
use super::findings::Findings;
use crate::matching::{Conflict, ConflictStyle, Favour, MergedHunk};
use crate::path::RelPath;
use crate::plan::{Action, Blobs, Operation};
use crate::text::Bytes;
use crate::workspace::objects::{Objects, Repository};
use crate::workspace::{Fault, Workspace, WorkspaceError};

/// Most conflicts that a message names.
const MOST_NAMED: usize = 8;

/// How patches are merged with what became of their files.
#[derive(Clone, Debug, Default)]
pub struct ThreeWay {
    /// Where the contents are that patches were made for.
    pub bases: Bases,
    /// Whose lines are taken where both sides changed the same.
    pub favour: Option<Favour>,
    /// What is done where nothing decides that.
    pub conflicts: Conflicts,
    /// What attributes say of files; see "merge" in gitattributes(5).
    pub drivers: HashMap<RelPath, Driver>,
    /// Whether git's index changes with the files. What it has gives way to what is renamed or
    /// copied to its name, as in git, and it gets the sides of conflicts.
    pub is_indexed: bool,
}

impl ThreeWay {
    /// Returns whether what is there gives way to what the operation makes; git wants a merge of
    /// lines for that.
    pub(super) fn clears(&self, operation: &Operation, limit: u64) -> Result<bool, WorkspaceError> {
        let may_merge = self.is_indexed
            && matches!(operation.action, Action::Rename | Action::Copy)
            && operation.hunks().next().is_some();
        Ok(may_merge && self.bases.find(operation, limit)?.is_some())
    }
}

/// Where the contents are that patches were made for, first to last.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    /// What the user names (`--base`).
    pub given: Option<Given>,
    /// A repository that has the blobs of `index` lines.
    pub objects: Option<Repository>,
    /// What the history keeps, by the path and the name that an `index` line has for the blob.
    pub kept: KeptBases,
}

/// Contents by path and name.
pub type KeptBases = HashMap<(RelPath, Vec<u8>), Arc<Bytes>>;

/// What the user names as the contents that a patch was made for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Given {
    /// The contents of every file that it changes.
    Contents(Arc<Bytes>),
    /// The tree that it was made for.
    Tree(Arc<Objects>),
}

/// What is done where both sides changed the same lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflicts {
    /// Nothing is applied.
    #[default]
    Refused,
    /// Both sides are written into the file, between markers (`--conflict`).
    Marked(ConflictStyle),
}

/// How git would merge a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Driver {
    /// Lines of both sides are taken.
    Union,
    /// One side is taken as a whole.
    Binary,
    /// A program of this name in the configuration, which is not run.
    Program(Vec<u8>),
}

/// Where the contents came from that a patch was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BaseKind {
    /// The repository, which has the blob.
    Objects,
    /// The history.
    History,
    /// What the user named.
    Given,
    /// Nothing: both sides made the file.
    Nothing,
    /// The hunks themselves, as far as they have it.
    Hunks,
}

/// Why a patch is not merged with what became of its file, but applied as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fallback {
    /// It changes no lines that are there, or not those that it was made for.
    Unmergeable,
    /// Nobody has what it was made for.
    Baseless,
}

/// What a patch was made for, and where that came from.
type Base = (Arc<Bytes>, BaseKind);

/// How a patch was merged with what became of its file.
#[derive(Clone, Debug)]
pub struct Merge {
    /// Where the contents came from that it was made for.
    pub base: BaseKind,
    /// The lines that both sides changed, and that nothing decided. Of binary files and links they
    /// are all.
    pub conflicts: Vec<Conflict>,
    /// Whether the sides are taken as a whole, as those of links are, too.
    pub is_binary: bool,
    /// Whether the file is going to have the conflicts in it.
    pub is_marked: bool,
    /// What became of each hunk, where they were merged one by one.
    pub hunks: Vec<MergedHunk>,
    /// The sides, of a file that is going to have conflicts in it, where an index gets them.
    pub sides: Option<MergeSides>,
}

/// The contents that were merged.
#[derive(Clone, Debug)]
pub struct MergeSides {
    /// What the patch was made for; `None` if it makes the file.
    pub base: Option<Arc<Bytes>>,
    /// What became of that since.
    pub ours: Arc<Bytes>,
    /// What the patch makes of it.
    pub theirs: Arc<Bytes>,
}

impl Bases {
    /// Returns the contents that the operation was made for, if they are known and not larger than
    /// `limit`.
    pub(super) fn find(
        &self,
        operation: &Operation,
        limit: u64,
    ) -> Result<Option<Base>, WorkspaceError> {
        if operation.action == Action::Create {
            return Ok(Some((Arc::default(), BaseKind::Nothing)));
        }
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        match &self.given {
            Some(Given::Contents(contents)) => {
                return Ok(Some((Arc::clone(contents), BaseKind::Given)));
            }
            Some(Given::Tree(tree)) => {
                return match tree.read(path, limit) {
                    Ok((contents, _)) => Ok(Some((Arc::new(contents), BaseKind::Given))),
                    Err(error) if error.fault == Fault::Other => Err(error),
                    Err(_) => Ok(None),
                };
            }
            None => {}
        }
        let Some(Blobs { old: name, .. }) = operation.blobs.as_deref() else {
            return Ok(None);
        };
        let blob = self
            .objects
            .as_ref()
            .map(|objects| objects.find_blob(name, limit))
            .transpose()?
            .flatten();
        let found = blob.map(|(_, contents)| (Arc::new(contents.into()), BaseKind::Objects));
        let kept = || {
            self.kept
                .get(&(path.clone(), name.clone()))
                .map(|kept| (Arc::clone(kept), BaseKind::History))
        };
        Ok(found.or_else(kept))
    }
}

/// Says where the conflicts are, if there are any.
pub(super) fn tell(merge: &Merge, findings: &mut Findings) {
    let &Merge {
        ref conflicts,
        is_binary,
        is_marked,
        ..
    } = merge;
    if conflicts.is_empty() {
        return;
    }
    let message = if is_binary {
        "the patch and the file change the same binary contents".to_owned()
    } else {
        let named: Vec<_> = conflicts.iter().take(MOST_NAMED).map(place).collect();
        let more = if conflicts.len() > MOST_NAMED {
            " and others"
        } else {
            ""
        };
        let what = if conflicts.len() == 1 {
            "a conflict"
        } else {
            "conflicts"
        };
        format!(
            "the patch changes lines that the file has otherwise: {what} at {}{more}",
            named.join(", ")
        )
    };
    let problem = if is_marked {
        findings.warning(&code::MERGE_CONFLICT, message)
    } else {
        findings.error(&code::MERGE_CONFLICT, message)
    };
    problem.lines = conflicts
        .iter()
        .map(|conflict| conflict.ours.start)
        .collect();
    let help = if is_marked && !is_binary {
        "both sides are in the file, between markers"
    } else if is_marked {
        "the file is unchanged; --theirs uses the result of the patch"
    } else {
        "--ours, --theirs or --union decides, --conflict markers writes both sides into the file"
    };
    problem.help = Some(help.to_owned());
}

/// Returns where a conflict is in the file as it was, as people count lines.
fn place(conflict: &Conflict) -> String {
    let lines = &conflict.ours;
    match lines.len() {
        0 => format!("line {} (nothing there)", lines.start + 1),
        1 => format!("line {}", lines.end),
        _ => format!("lines {}-{}", lines.start + 1, lines.end),
    }
}
