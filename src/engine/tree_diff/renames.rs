//! Finds renamed and copied files, as `diffcore_rename` of git does: first files with the same
//! content, then the most similar ones.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::file::{FilePair, NEW, OLD, TreeComparison, TreeFile};
use super::{MIN_READS, MIN_WRITES, RenameDetection, TreeResult};
use crate::digest::Digest;
use crate::lines::ChunkCounts;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::Action;
use crate::text::Bytes;
use crate::threads::map_parallel;
use crate::workspace::ObjectId;

/// The maximum number of comparisons of a created file with a possible source.
const MAX_COMPARISONS: usize = 1_000_000;

/// The maximum number of files with the same content among which one with the same name is searched.
const MAX_CANDIDATES: usize = 100;

/// A file of the old tree from which a created file can come.
struct Source {
    file: TreeFile,
    /// The index of its pair, if the new tree does not have the file. A rename then replaces the
    /// deletion.
    deletion: Option<usize>,
    is_renamed: bool,
}

impl Source {
    /// Returns whether a created file can be a rename of this one.
    fn can_be_renamed(&self) -> bool {
        self.deletion.is_some() && !self.is_renamed
    }
}

/// The identity of a content: a git object, or a digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ContentId {
    Object(ObjectId),
    Digest(Digest),
}

/// Replaces creations in `pairs` with renames and copies, and removes the deletions of renamed files.
/// The sources are the changed files and `unchanged`. Returns false if only files with the same
/// content were joined, because there are more than [`MAX_COMPARISONS`] pairs of other files.
pub(super) fn join_renames(
    pairs: &mut Vec<FilePair>,
    unchanged: &[TreeFile],
    trees: &TreeComparison<'_>,
) -> TreeResult<bool> {
    let detection = trees.request.renames;
    if detection == RenameDetection::None {
        return Ok(true);
    }
    let targets: Vec<usize> = (0..pairs.len())
        .filter(|&index| {
            pairs[index].action == Action::Create && is_regular(pairs[index].after.as_ref())
        })
        .collect();
    if targets.is_empty() {
        return Ok(true);
    }
    let mut search = RenameSearch {
        sources: sources(pairs, unchanged, detection),
        targets,
        found: HashMap::new(),
        can_copy: detection >= RenameDetection::Copies,
    };
    search.find_same(pairs, trees)?;
    let is_complete = search.find_similar(pairs, trees)?;
    search.apply_to(pairs);
    Ok(is_complete)
}

fn is_regular(file: Option<&TreeFile>) -> bool {
    file.is_some_and(|file| file.mode.kind() == FileKind::Regular)
}

/// Returns the possible sources, in the order of their paths within each kind.
fn sources(pairs: &[FilePair], unchanged: &[TreeFile], detection: RenameDetection) -> Vec<Source> {
    let changed = pairs.iter().enumerate().filter_map(|(index, pair)| {
        let is_deleted = pair.action == Action::Delete;
        let file = pair.before.clone().filter(|file| is_regular(Some(file)))?;
        (is_deleted || detection >= RenameDetection::Copies).then_some(Source {
            file,
            deletion: is_deleted.then_some(index),
            is_renamed: false,
        })
    });
    let unchanged = unchanged.iter().filter(|file| is_regular(Some(file)));
    let unchanged = unchanged.map(|file| Source {
        file: file.clone(),
        deletion: None,
        is_renamed: false,
    });
    changed.chain(unchanged).collect()
}

struct RenameSearch {
    sources: Vec<Source>,
    /// The indexes of the pairs that create a file and have no source yet.
    targets: Vec<usize>,
    /// The source of each pair that is a move, and its kind.
    found: HashMap<usize, (usize, Action)>,
    can_copy: bool,
}

impl RenameSearch {
    /// Joins files with the same content. Prefers deleted files, then files with the same name.
    fn find_same(&mut self, pairs: &[FilePair], trees: &TreeComparison<'_>) -> TreeResult<()> {
        let sizes: HashSet<_> = self
            .targets
            .iter()
            .filter_map(|&target| pairs[target].after.as_ref()?.size)
            .collect();
        let has_size = |file: &TreeFile| file.size.is_none_or(|size| sizes.contains(&size));
        let ids = map_parallel(&self.sources, MIN_READS, |source| {
            let file = &source.file;
            has_size(file)
                .then(|| content_id(trees, file, OLD))
                .transpose()
        });
        let mut by_id: HashMap<ContentId, Candidates> = HashMap::new();
        for (index, id) in ids.into_iter().enumerate() {
            if let Some(id) = id? {
                by_id.entry(id).or_default().sources.push(index);
            }
        }
        let ids = map_parallel(&self.targets, MIN_READS, |&target| {
            let file = pairs[target].after.as_ref();
            file.map(|file| content_id(trees, file, NEW)).transpose()
        });
        for (target, id) in self.targets.clone().into_iter().zip(ids) {
            trees.check_interrupt()?;
            if let Some(candidates) = id?.and_then(|id| by_id.get_mut(&id)) {
                let best = candidates.best(&self.sources, pairs[target].path());
                self.join(best, target);
            }
        }
        self.targets
            .retain(|target| !self.found.contains_key(target));
        Ok(())
    }

    /// Joins the most similar files first.
    fn find_similar(&mut self, pairs: &[FilePair], trees: &TreeComparison<'_>) -> TreeResult<bool> {
        let sources: Vec<usize> = (0..self.sources.len())
            .filter(|&index| self.can_copy || self.sources[index].can_be_renamed())
            .collect();
        if sources.len().saturating_mul(self.targets.len()) > MAX_COMPARISONS {
            return Ok(false);
        }
        let old = chunk_counts(&sources, |&index| {
            trees.content(&self.sources[index].file, OLD)
        })?;
        let new = chunk_counts(&self.targets, |&target| {
            let file = pairs[target].after.as_ref().expect("BUG: a target exists");
            trees.content(file, NEW)
        })?;
        // In units of 1/10000, as the result of `similarity`.
        let min_similarity = trees.request.min_similarity as u64 * 100;
        let rows: Vec<usize> = (0..self.targets.len()).collect();
        let scores = map_parallel(&rows, 1, |&row| {
            let scored = old
                .iter()
                .enumerate()
                .map(|(column, counts)| (counts.similarity(&new[row]), column));
            scored
                .filter(|(score, _)| *score >= min_similarity)
                .collect::<Vec<_>>()
        });
        let mut candidates = Vec::new();
        for (row, scores) in scores.into_iter().enumerate() {
            let target = self.targets[row];
            for (score, column) in scores {
                let source = sources[column];
                let has_name = self.sources[source].file.path.name() == pairs[target].path().name();
                candidates.push((Reverse((score, has_name)), target, source));
            }
        }
        candidates.sort_unstable();
        for (_, target, source) in candidates {
            if !self.found.contains_key(&target) {
                self.join(source, target);
            }
        }
        Ok(true)
    }

    /// Makes the file that the pair `target` creates a rename of `source`, or a copy if `source` is
    /// already renamed or not deleted. Does nothing if copies are not searched for.
    fn join(&mut self, source: usize, target: usize) {
        let action = if self.sources[source].can_be_renamed() {
            self.sources[source].is_renamed = true;
            Action::Rename
        } else if self.can_copy {
            Action::Copy
        } else {
            return;
        };
        self.found.insert(target, (source, action));
    }

    /// Sets the source of each renamed or copied file, and removes the deletions of renamed files.
    fn apply_to(self, pairs: &mut Vec<FilePair>) {
        for (target, (source, action)) in self.found {
            pairs[target].action = action;
            pairs[target].before = Some(self.sources[source].file.clone());
        }
        let renamed = self.sources.iter().filter(|source| source.is_renamed);
        let deletions: HashSet<usize> = renamed.filter_map(|source| source.deletion).collect();
        let all = std::mem::take(pairs).into_iter().enumerate();
        pairs.extend(
            all.filter(|(index, _)| !deletions.contains(index))
                .map(|(_, pair)| pair),
        );
    }
}

/// The sources with the same content, in order.
#[derive(Default)]
struct Candidates {
    sources: Vec<usize>,
    /// The index of the first source that can still be renamed.
    next: usize,
}

impl Candidates {
    /// Returns the best source of a file at `path`: one that can be renamed, and one with the same
    /// name among the first [`MAX_CANDIDATES`]. The list must not be empty.
    fn best(&mut self, sources: &[Source], path: &RelPath) -> usize {
        let can_be_renamed = |index: &usize| sources[*index].can_be_renamed();
        while self
            .sources
            .get(self.next)
            .is_some_and(|index| !can_be_renamed(index))
        {
            self.next += 1;
        }
        let rest = &self.sources[self.next..];
        // All sources are used, so the file is a copy.
        let rest = if rest.is_empty() {
            &self.sources[..]
        } else {
            rest
        };
        let first = rest.iter().take(MAX_CANDIDATES).copied();
        let best = first.max_by_key(|index| {
            let has_name = sources[*index].file.path.name() == path.name();
            (can_be_renamed(index), has_name, Reverse(*index))
        });
        best.expect("BUG: each content has a source")
    }
}

fn content_id(trees: &TreeComparison<'_>, file: &TreeFile, side: usize) -> TreeResult<ContentId> {
    trees.check_interrupt()?;
    // Both trees are in one repository, or none has objects.
    Ok(match file.object {
        Some(id) => ContentId::Object(id),
        None => ContentId::Digest(Digest::of(&trees.content(file, side)?)),
    })
}

fn chunk_counts(
    files: &[usize],
    read: impl Fn(&usize) -> TreeResult<Bytes> + Send + Sync,
) -> TreeResult<Vec<ChunkCounts>> {
    let counted = map_parallel(files, MIN_WRITES, |file| Ok(ChunkCounts::of(&read(file)?)));
    counted.into_iter().collect()
}
