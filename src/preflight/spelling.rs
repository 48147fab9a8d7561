//! The spellings of the names of one group, on file systems that find a file under several
//! spellings.
//!
//! An existing file keeps the name that directory listings have, regardless of the spelling in the
//! patch. An added name is either another spelling of a removed file, or a new file. Two added
//! names must not be one name on the file system.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::RandomState;
use std::sync::{Mutex, OnceLock};

use super::codes::code;
use super::problem::Problem;
use crate::mode::FileKind;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::plan::{Action, Operation, Plan};
use crate::text::{hash_folded, is_same_name};
use crate::workspace::{FoldingCache, Workspace, WorkspaceError};

/// Two different paths that are one path on the file system. Both are files, or one is a directory
/// above a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathCollision {
    pub(super) first: RelPath,
    pub(super) second: RelPath,
}

impl PathCollision {
    /// Returns whether `path` is the second name or is below it.
    pub(super) fn is_at(&self, path: &RelPath) -> bool {
        *path == self.second || path.is_below(&self.second)
    }

    pub(super) fn problem(&self) -> Problem {
        let Self { first, second } = self;
        let message = format!("{first} and {second} are the same name on this file system");
        let help = "rename one of them in the patch, or use a case-sensitive file system";
        let path = Some(second.clone());
        Problem {
            path,
            help: Some(help.to_owned()),
            ..Problem::new(&code::FOLDED, message)
        }
    }
}

/// The spellings of the names of one group.
pub(crate) struct NameSpellings<'w> {
    folding: &'w FoldingCache,
    /// The added names that are other spellings of removed names.
    respelled: HashSet<&'w RelPath>,
    /// The whole plan, and the cache of the directories that it empties.
    plan: Option<(&'w Plan, &'w EmptiedDirectories)>,
}

/// The directories that a plan empties by moving or deleting all of their entries.
#[derive(Debug, Default)]
pub(super) struct EmptiedDirectories {
    hasher: RandomState,
    /// The hashes of the folded names that the plan removes.
    removed: OnceLock<HashSet<u64>>,
    known: Mutex<HashMap<RelPath, bool>>,
}

impl EmptiedDirectories {
    /// Returns whether `plan` leaves nothing in `directory`.
    fn is_emptied(
        &self,
        plan: &Plan,
        folding: &FoldingCache,
        workspace: &dyn Workspace,
        directory: &RelPath,
    ) -> Result<bool, WorkspaceError> {
        if let Some(&known) = lock_unpoisoned(&self.known).get(directory) {
            return Ok(known);
        }
        let hash = |path: &RelPath| hash_folded(path.as_bytes(), &self.hasher);
        let leaving = || {
            plan.operations
                .iter()
                .filter_map(Operation::removed_path)
                .map(hash)
                .collect()
        };
        let going = self.removed.get_or_init(leaving);
        // Every entry must be removed, or be a directory that is itself emptied.
        let mut is_emptied = !plan
            .operations
            .iter()
            .any(|it| it.has_new_path() && it.path.is_below(directory));
        for path in folding.paths_in(workspace, directory)? {
            is_emptied = is_emptied
                && (going.contains(&hash(&path))
                    || workspace
                        .stat(&path)?
                        .is_some_and(|stat| stat.kind == FileKind::Directory)
                        && self.is_emptied(plan, folding, workspace, &path)?);
        }
        lock_unpoisoned(&self.known).insert(directory.clone(), is_emptied);
        Ok(is_emptied)
    }
}

impl<'w> NameSpellings<'w> {
    pub(crate) fn of(
        operations: impl Iterator<Item = &'w Operation> + Clone,
        folding: &'w FoldingCache,
    ) -> Self {
        let leaving = || operations.clone().filter_map(Operation::removed_path);
        if leaving().next().is_none() || !operations.clone().any(Operation::has_new_path) {
            return Self {
                folding,
                respelled: HashSet::new(),
                plan: None,
            };
        }
        let hasher = RandomState::new();
        let mut known: HashMap<u64, Vec<&RelPath>> = HashMap::new();
        for path in leaving() {
            known
                .entry(hash_folded(path.as_bytes(), &hasher))
                .or_default()
                .push(path);
        }
        let coming = operations
            .filter(|operation| operation.has_new_path())
            .map(|operation| &operation.path);
        let is_respelled = |path: &&RelPath| {
            let alike = known
                .get(&hash_folded(path.as_bytes(), &hasher))
                .into_iter()
                .flatten();
            alike
                .into_iter()
                .any(|other| other != path && is_same_name(other.as_bytes(), path.as_bytes()))
        };
        Self {
            folding,
            respelled: coming.filter(is_respelled).collect(),
            plan: None,
        }
    }

    /// Adds the whole plan, which is needed to find the directories that it empties.
    pub(super) fn with_plan(self, plan: &'w Plan, emptied: &'w EmptiedDirectories) -> Self {
        Self {
            plan: Some((plan, emptied)),
            ..self
        }
    }

    /// Returns whether `path` is an added name and another spelling of a removed name.
    pub(crate) fn is_respelled(&self, path: &RelPath) -> bool {
        self.respelled.contains(path)
    }

    /// Returns whether directory listings contain `path` in exactly this spelling.
    pub(crate) fn is_listed(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
    ) -> Result<bool, WorkspaceError> {
        self.folding.is_listed(workspace, path)
    }

    /// Returns the name that the new file `path` will have, if it differs from `path`. A directory
    /// that stays keeps its spelling.
    pub(super) fn new_spelling(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
    ) -> Result<Option<RelPath>, WorkspaceError> {
        let Some((plan, emptied)) = self.plan else {
            return Ok(None);
        };
        let mut made: Option<RelPath> = None;
        // From the root down: each component gets the name that its directory listing has.
        for above in path.ancestors().collect::<Vec<_>>().iter().rev() {
            let named = made.as_ref().map_or_else(
                || RelPath::new(above.name()),
                |made| made.join(above.name()),
            );
            let Ok(named) = named else { return Ok(None) };
            let stored = self.folding.stored_path(workspace, &named)?;
            if stored != named && emptied.is_emptied(plan, self.folding, workspace, &stored)? {
                return Ok(None);
            }
            made = Some(stored);
        }
        let made = made.and_then(|made| made.join(path.name()).ok());
        Ok(made.filter(|made| made != path))
    }

    /// Returns the name that directory listings have for the existing file `path`, if it differs
    /// from `path`.
    pub(super) fn other_spelling(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        device: u64,
    ) -> Result<Option<RelPath>, WorkspaceError> {
        if !self.folding.is_folded_at(workspace, path, device)? {
            return Ok(None);
        }
        let stored = self.folding.stored_path(workspace, path)?;
        Ok((stored != *path).then_some(stored))
    }

    /// Returns a problem if two of the names that `plan` leaves in `workspace` would be one name.
    /// The check is for a plan that was resolved on a backend that distinguishes all names.
    pub(crate) fn refusal(
        &self,
        plan: &Plan,
        workspace: &dyn Workspace,
    ) -> Result<Option<Problem>, WorkspaceError> {
        let mut left = BTreeSet::new();
        for step in plan.operations.chunk_by(|a, b| a.step == b.step) {
            step.iter()
                .filter_map(Operation::removed_path)
                .for_each(|path| _ = left.remove(path));
            left.extend(
                step.iter()
                    .filter(|it| it.has_new_path() || it.action == Action::Modify)
                    .map(|it| &it.path),
            );
        }
        let Some(clash) = self.find_collision(workspace, left.into_iter())? else {
            return Ok(None);
        };
        let operation = plan
            .operations
            .iter()
            .rposition(|operation| clash.is_at(&operation.path));
        Ok(Some(Problem {
            operation,
            ..clash.problem()
        }))
    }

    /// Returns two of the names `left`, or of the directories above them, that are one name on the
    /// file system.
    ///
    /// Two spellings of an existing directory are allowed.
    pub(super) fn find_collision<'p>(
        &self,
        workspace: &dyn Workspace,
        left: impl Iterator<Item = &'p RelPath>,
    ) -> Result<Option<PathCollision>, WorkspaceError> {
        let left: BTreeSet<_> = left.collect();
        if left.len() < 2 {
            return Ok(None);
        }
        let hasher = RandomState::new();
        let mut known: HashMap<u64, &[u8]> = HashMap::new();
        for path in &left {
            for part in path.ancestor_bytes().chain([path.as_bytes()]) {
                let first = *known.entry(hash_folded(part, &hasher)).or_insert(part);
                if first == part || !is_same_name(first, part) {
                    continue;
                }
                let (Ok(first), Ok(second)) = (RelPath::new(first), RelPath::new(part)) else {
                    continue;
                };
                // Names with the same folded hash are one name only if a file system folds them.
                let are_files = left.contains(&first) && left.contains(&second);
                let is_there =
                    || Ok::<_, WorkspaceError>(!are_files && workspace.stat(&first)?.is_some());
                if self.folding.is_folded_above(workspace, &second)? && !is_there()? {
                    return Ok(Some(PathCollision { first, second }));
                }
            }
        }
        Ok(None)
    }
}
