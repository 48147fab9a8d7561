//! Finds renamed and copied files, as `diffcore_rename` of git does: first files with the same
//! content, then the most similar ones.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::file::{FilePair, NEW, OLD, TreeFile, Trees};
use super::{MoveDetection, TreeResult};
use crate::digest::Digest;
use crate::lines::ChunkCounts;
use crate::mode::{FileKind, FileMode};
use crate::plan::Action;
use crate::text::Bytes;
use crate::threads::map_parallel;
use crate::workspace::ObjectId;

/// The maximum number of comparisons of a created file with a possible source.
const MAX_COMPARISONS: usize = 1_000_000;

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

/// What identifies a content: an object of git, or a digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ContentId {
    Object(ObjectId),
    Digest(Digest),
}

/// Replaces creations in `pairs` with renames and copies, and removes the deletions of renamed files.
/// The sources are the changed files and `unchanged`. Returns false if only files with the same
/// content were joined, because there are too many others.
pub(super) fn join_moves(
    pairs: &mut Vec<FilePair>,
    unchanged: &[TreeFile],
    trees: &Trees<'_>,
) -> TreeResult<bool> {
    let kind = trees.request.moves;
    if kind == MoveDetection::None {
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
    let mut moves = Moves {
        sources: sources(pairs, unchanged, kind),
        targets,
        found: HashMap::new(),
        can_copy: kind >= MoveDetection::Copies,
    };
    moves.find_same(pairs, trees)?;
    let is_complete = moves.find_similar(pairs, trees)?;
    moves.write(pairs);
    Ok(is_complete)
}

fn is_regular(file: Option<&TreeFile>) -> bool {
    file.is_some_and(|file| file.mode.kind() == FileKind::Regular && file.size != Some(0))
}

/// Returns the possible sources, in the order of their paths within each kind.
fn sources(pairs: &[FilePair], unchanged: &[TreeFile], kind: MoveDetection) -> Vec<Source> {
    let changed = pairs.iter().enumerate().filter_map(|(index, pair)| {
        let is_deleted = pair.action == Action::Delete;
        let file = pair.before.clone().filter(|file| is_regular(Some(file)))?;
        (is_deleted || kind >= MoveDetection::Copies).then_some(Source {
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

struct Moves {
    sources: Vec<Source>,
    /// The indexes of the pairs that create a file, without those that have a source.
    targets: Vec<usize>,
    /// The source of each pair that is a move, and its kind.
    found: HashMap<usize, (usize, Action)>,
    can_copy: bool,
}

impl Moves {
    /// Joins files with the same content. Files with the same name have precedence.
    fn find_same(&mut self, pairs: &[FilePair], trees: &Trees<'_>) -> TreeResult<()> {
        let sizes: HashSet<_> = self
            .targets
            .iter()
            .filter_map(|&target| pairs[target].after.as_ref()?.size)
            .collect();
        let has_size = |file: &TreeFile| file.size.is_none_or(|size| sizes.contains(&size));
        let ids = map_parallel(&self.sources, 16, |source| {
            let file = &source.file;
            has_size(file)
                .then(|| content_id(trees, file, OLD))
                .transpose()
        });
        let mut by_id: HashMap<ContentId, Vec<usize>> = HashMap::new();
        for (index, id) in ids.into_iter().enumerate() {
            if let Some(id) = id? {
                by_id.entry(id).or_default().push(index);
            }
        }
        let ids = map_parallel(&self.targets, 16, |&target| {
            let file = pairs[target].after.as_ref();
            file.map(|file| content_id(trees, file, NEW)).transpose()
        });
        for (target, id) in self.targets.clone().into_iter().zip(ids) {
            let Some(candidates) = id?.and_then(|id| by_id.get(&id)) else {
                continue;
            };
            let best = candidates.iter().copied().max_by_key(|&index| {
                let source = &self.sources[index];
                let has_name = source.file.path.name() == pairs[target].path().name();
                (source.can_be_renamed(), has_name, Reverse(index))
            });
            if let Some(source) = best {
                self.join(source, target);
            }
        }
        self.targets
            .retain(|target| !self.found.contains_key(target));
        Ok(())
    }

    /// Joins the most similar files first.
    fn find_similar(&mut self, pairs: &[FilePair], trees: &Trees<'_>) -> TreeResult<bool> {
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

    /// Makes the file that the pair `target` creates a rename or a copy of `source`.
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

    /// Changes the pairs.
    fn write(self, pairs: &mut Vec<FilePair>) {
        for (target, (source, action)) in self.found {
            pairs[target].action = action;
            pairs[target].before = Some(self.sources[source].file.clone());
        }
        let renamed = self.sources.iter().filter(|source| source.is_renamed);
        let deletions: HashSet<usize> = renamed.filter_map(|source| source.deletion).collect();
        let mut index = 0;
        pairs.retain(|_| {
            index += 1;
            !deletions.contains(&(index - 1))
        });
    }
}

fn content_id(trees: &Trees<'_>, file: &TreeFile, side: usize) -> TreeResult<ContentId> {
    trees.check_interrupt()?;
    // Objects of different repositories can use different hash functions, but both trees are either
    // in one repository or consist of files.
    match file.object {
        Some(id) if file.mode != FileMode::Submodule => Ok(ContentId::Object(id)),
        _ => Ok(ContentId::Digest(Digest::of(&trees.content(file, side)?))),
    }
}

fn chunk_counts(
    files: &[usize],
    read: impl Fn(&usize) -> TreeResult<Bytes> + Send + Sync,
) -> TreeResult<Vec<ChunkCounts>> {
    let counted = map_parallel(files, 4, |file| Ok(ChunkCounts::of(&read(file)?)));
    counted.into_iter().collect()
}
