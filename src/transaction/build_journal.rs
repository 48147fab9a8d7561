//! Builds the journal from the staged changes, together with the file states that the swap
//! verifies.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::RandomState;

use super::change::{Change, DirAttributes, FileIdentity, MoveInSource};
use super::escape::escape;
use super::journal::{CreatedDirectory, Journal, RemovedDirectory};
use super::stage::ChangeStager;
use super::staged::{FoundFiles, StagedChanges};
use super::{Failure, TransactionLabel};
use crate::change::FileState;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::hash_folded;
use crate::threads;
use crate::workspace::{ErrorKind, FoldingCache, Workspace, WorkspaceError};

/// The minimum number of directories per thread.
const DIRECTORIES_PER_THREAD: usize = 16;

/// The names in one directory.
type DirectoryNames<'a> = Vec<Cow<'a, [u8]>>;

/// The journal, and the file states it is based on.
#[derive(Debug)]
pub(super) struct BuiltJournal {
    pub(super) journal: Journal,
    /// The file found at the path of each change, by the change's number.
    pub(super) found: FoundFiles,
}

/// Builds the journal.
pub(super) fn build_journal(
    workspace: &dyn Workspace,
    stage: &ChangeStager,
    staged: StagedChanges,
    (label, roots): (&TransactionLabel, &[&RelPath]),
    directories: &BTreeMap<RelPath, DirAttributes>,
) -> Result<BuiltJournal, Failure> {
    let StagedChanges {
        changes: staged,
        mut found,
        moves,
        created_dirs: mut makes,
        removed_dirs: mut removes,
        kept_dirs: keeps,
    } = staged;
    let is_sorted = staged.is_sorted_by(|a, b| a.path < b.path);
    debug_assert!(is_sorted, "each path has one change");
    let mut changes = UniqueChanges {
        staged,
        sources: BTreeMap::new(),
    };
    found.add_missing(connect_moves(workspace, stage, &mut changes, moves)?);
    removes.extend(find_emptied_directories(
        workspace,
        &changes,
        (&makes, &keeps),
        &removes,
    )?);
    raise_stage_depth(workspace, stage, &mut changes, &removes)?;
    makes.extend(find_respelled_directories(
        workspace, &changes, &removes, &makes,
    )?);
    let to_created = |path| CreatedDirectory {
        standing: directories.get(&path).copied(),
        path,
    };
    let to_removed = |(path, standing)| RemovedDirectory { path, standing };
    let journal = Journal {
        makes: makes.into_iter().map(to_created).collect(),
        removes: removes.into_iter().map(to_removed).collect(),
        changes: changes.into_sorted(),
        ..journal_of_label(workspace, label, roots)?
    };
    Ok(BuiltJournal { journal, found })
}

/// Returns a journal without changes. `roots` are the roots of the command.
pub(super) fn journal_of_label(
    workspace: &dyn Workspace,
    label: &TransactionLabel,
    roots: &[&RelPath],
) -> Result<Journal, Failure> {
    let mut prefixes = roots.iter().map(|root| escape(root.as_bytes()).into());
    Ok(Journal {
        root: workspace.identity()?,
        below: prefixes.next(),
        also_below: prefixes.collect(),
        command: label.command.clone(),
        undoes: label.undoes.clone(),
        is_redo: label.is_redo,
        index: label.index.clone(),
        session: label.session.clone(),
        ..Journal::default()
    })
}

/// The changes, at most one per path.
struct UniqueChanges {
    /// The staged changes, sorted by path.
    staged: Vec<Change>,
    /// The changes of files that are moved to another path.
    sources: BTreeMap<RelPath, Change>,
}

impl UniqueChanges {
    fn get_mut(&mut self, path: &RelPath) -> Option<&mut Change> {
        match self.staged.binary_search_by(|change| change.path.cmp(path)) {
            Ok(place) => Some(&mut self.staged[place]),
            Err(_) => self.sources.get_mut(path),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Change> {
        self.staged.iter().chain(self.sources.values())
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Change> {
        self.staged.iter_mut().chain(self.sources.values_mut())
    }

    fn into_sorted(self) -> Vec<Change> {
        let Self {
            staged: mut changes,
            sources: left,
        } = self;
        if !left.is_empty() {
            changes.extend(left.into_values());
            // Both parts are sorted. `sort_by` merges sorted runs, `sort_unstable_by` does not.
            changes.sort_by(|a, b| a.path.cmp(&b.path));
        }
        changes
    }
}

/// Makes each moved file the source of the change at its target. `moves` contains the target, the
/// source and the source's state. A file that moves to another root has no target here. Returns the
/// states by the number of the source's change.
fn connect_moves(
    workspace: &dyn Workspace,
    stage: &ChangeStager,
    changes: &mut UniqueChanges,
    moves: Vec<(Option<RelPath>, RelPath, FileState)>,
) -> Result<Vec<(usize, FileState)>, Failure> {
    let mut sources = Vec::with_capacity(moves.len());
    for (to, from, state) in moves {
        let number = mark_moved_out(workspace, stage, changes, (&from, &state))?;
        sources.push((number, state));
        if let Some(change) = to.as_ref().and_then(|to| changes.get_mut(to)) {
            // A staged copy takes precedence over the inode of the source. An existing file at the
            // target is moved out first, because a move in never replaces a file.
            change.source.get_or_insert(MoveInSource::Old(number));
            change.moves_out |= change.before.is_some();
        }
    }
    Ok(sources)
}

/// Marks the file at `from` as moved out and returns the number of its change.
fn mark_moved_out(
    workspace: &dyn Workspace,
    stage: &ChangeStager,
    changes: &mut UniqueChanges,
    (from, found): (&RelPath, &FileState),
) -> Result<usize, Failure> {
    if let Some(change) = changes.get_mut(from) {
        change.moves_out = true;
        return Ok(change.number);
    }
    let change = Change {
        number: stage.allocate_number(workspace)?.value,
        path: from.clone(),
        before: Some(FileIdentity::from(found)),
        after: None,
        moves_out: true,
        source: None,
        stage_depth: stage.is_known_outside_state(from).then_some(0),
        overwrites: false,
    };
    stage.record_location(workspace, &change)?;
    let number = change.number;
    changes.sources.insert(from.clone(), change);
    Ok(number)
}

/// Moves the scratch files of deletions above the directories that are removed. A scratch file in
/// such a directory would prevent its removal.
fn raise_stage_depth(
    workspace: &dyn Workspace,
    stage: &ChangeStager,
    changes: &mut UniqueChanges,
    removes: &BTreeMap<RelPath, DirAttributes>,
) -> Result<(), Failure> {
    for change in changes.iter_mut().filter(|change| change.source.is_none()) {
        let Some(above) = change.stage_depth else {
            continue;
        };
        let is_removed = |directory: &RelPath| {
            removes.contains_key(directory) && !stage.is_mount_point(workspace, directory)
        };
        let going = change
            .path
            .ancestors()
            .skip(above)
            .take_while(is_removed)
            .count();
        if going > 0 {
            change.stage_depth = Some(above + going);
            stage.update_location(workspace, change)?;
        }
    }
    Ok(())
}

/// Returns the directories that become empty, with their attributes. Directories in `keeps` are not
/// included.
fn find_emptied_directories(
    workspace: &dyn Workspace,
    changes: &UniqueChanges,
    (makes, keeps): (&BTreeSet<RelPath>, &BTreeSet<RelPath>),
    removes: &BTreeMap<RelPath, DirAttributes>,
) -> Result<BTreeMap<RelPath, DirAttributes>, Failure> {
    let goes = |change: &&Change| change.moves_out && change.after.is_none();
    let gone = changes.iter().filter(goes).map(|change| &change.path);
    let mut open = group_by_depth(gone.chain(removes.keys()));
    if open.is_empty() {
        return Ok(BTreeMap::new());
    }
    let stays = changes
        .iter()
        .filter(|change| change.after.is_some())
        .map(|change| &change.path);
    let needed = ancestors_of(stays.chain(makes).chain(keeps), keeps);
    let mut found = BTreeMap::new();
    // The deepest directories are first, so that a directory is examined after all its
    // subdirectories.
    while let Some((_, mut level)) = open.pop_last() {
        level.retain(|directory, _| {
            !needed.contains(directory.as_bytes()) && !removes.contains_key(directory)
        });
        let level: Vec<_> = level.into_iter().collect();
        let standings =
            threads::map_parallel(&level, DIRECTORIES_PER_THREAD, |(directory, names)| {
                attributes_if_emptied(workspace, directory, names)
            });
        for ((directory, _), standing) in level.into_iter().zip(standings) {
            let Some(standing) = standing? else { continue };
            if let Some(above) = directory.parent() {
                let names = open
                    .entry(depth(&above))
                    .or_default()
                    .entry(above)
                    .or_default();
                names.push(Cow::Owned(directory.name().to_vec()));
            }
            found.insert(directory, standing);
        }
    }
    Ok(found)
}

/// Returns the names of `paths` by the depth and the path of their directory, without names
/// directly in the root.
fn group_by_depth<'a>(
    paths: impl Iterator<Item = &'a RelPath>,
) -> BTreeMap<usize, BTreeMap<RelPath, DirectoryNames<'a>>> {
    let mut names: Vec<_> = paths
        .filter_map(|path| Some((path.parent_bytes()?, path.name())))
        .collect();
    names.sort_unstable();
    let mut groups: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for part in names.chunk_by(|(a, _), (b, _)| a == b) {
        let Ok(directory) = RelPath::new(part[0].0) else {
            continue;
        };
        let names = part.iter().map(|&(_, name)| Cow::Borrowed(name)).collect();
        groups
            .entry(depth(&directory))
            .or_default()
            .insert(directory, names);
    }
    groups
}

/// Returns directories to create that seemed to exist under another spelling.
///
/// On a case-folding file system, `Src` seems to exist while all of `src` moves to it.
fn find_respelled_directories(
    workspace: &dyn Workspace,
    changes: &UniqueChanges,
    removes: &BTreeMap<RelPath, DirAttributes>,
    makes: &BTreeSet<RelPath>,
) -> Result<BTreeSet<RelPath>, Failure> {
    let mut found = BTreeSet::new();
    if removes.is_empty() || workspace.spellings().is_none() {
        return Ok(found);
    }
    let (folding, hasher) = (FoldingCache::default(), RandomState::new());
    let gone: HashSet<_> = removes
        .keys()
        .map(|path| hash_folded(path.as_bytes(), &hasher))
        .collect();
    let coming = changes
        .iter()
        .filter(|change| change.after.is_some())
        .map(|change| &change.path);
    for directory in ancestors_of(coming, &BTreeSet::new()) {
        let is_gone = gone.contains(&hash_folded(directory, &hasher));
        let Ok(directory) = RelPath::new(directory) else {
            continue;
        };
        let is_known = makes.contains(&directory) || removes.contains_key(&directory);
        if is_gone
            && !is_known
            && workspace.stat(&directory)?.is_some()
            && !folding.is_listed(workspace, &directory)?
        {
            found.insert(directory);
        }
    }
    Ok(found)
}

/// Returns the attributes of `directory` if it is empty without `names`.
fn attributes_if_emptied(
    workspace: &dyn Workspace,
    directory: &RelPath,
    names: &DirectoryNames<'_>,
) -> Result<Option<DirAttributes>, WorkspaceError> {
    let names: BTreeSet<_> = names.iter().map(|name| &name[..]).collect();
    let listed = match workspace.list(Some(directory)) {
        // A directory that this user can change but not list may contain other files, so it stays.
        Err(error) if error.kind == ErrorKind::Denied => return Ok(None),
        listed => listed?,
    };
    if !listed.iter().all(|name| names.contains(&name[..])) {
        return Ok(None);
    }
    let stat = workspace
        .stat(directory)?
        .filter(|stat| stat.kind == FileKind::Directory);
    Ok(stat.as_ref().map(DirAttributes::from))
}

/// Returns all directories above `paths`, and the paths in `itself`.
///
/// The walk stops at the first known directory, because the directories above it are known too. A
/// chain of nested directories therefore costs only its length.
fn ancestors_of<'a>(
    paths: impl Iterator<Item = &'a RelPath>,
    extra: &'a BTreeSet<RelPath>,
) -> HashSet<&'a [u8]> {
    let mut found = HashSet::new();
    let mut last = None;
    for path in paths {
        // Consecutive paths are often in the same directory.
        if path.parent_bytes() == last {
            continue;
        }
        last = path.parent_bytes();
        path.ancestor_bytes()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .take_while(|above| found.insert(*above))
            .for_each(drop);
    }
    found.extend(extra.iter().map(RelPath::as_bytes));
    found
}

fn depth(path: &RelPath) -> usize {
    path.components().count()
}
