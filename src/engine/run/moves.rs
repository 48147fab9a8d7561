//! Finds the files that a command moved.

use std::collections::{HashMap, HashSet};

use crate::digest::Digest;
use crate::engine::request::{TargetFile, TargetState};
use crate::mode::FileKind;

/// Joins each deletion with the creation of a file with the same content to one move.
///
/// Empty files are not joined. Nor are files of which several have the same content: any pairing
/// would be a guess.
pub(super) fn join_moves(files: &[TargetFile]) -> Vec<TargetFile> {
    let mut pairs: HashMap<Digest, Pair> = HashMap::new();
    for (place, file) in files.iter().enumerate() {
        match (&file.before, &file.after) {
            (Some(before), None) if before.kind == FileKind::Regular => {
                pairs.entry(before.digest).or_default().deleted.push(place);
            }
            (None, Some(after)) if after.mode.kind() == FileKind::Regular => {
                let content = after.content.iter().filter(|content| !content.is_empty());
                for content in content {
                    let pair = pairs.entry(Digest::of(content)).or_default();
                    pair.created.push(place);
                }
            }
            _ => {}
        }
    }
    let sources: HashMap<usize, usize> = pairs.into_values().filter_map(Pair::only).collect();
    let deleted: HashSet<usize> = sources.values().copied().collect();
    let joined = files.iter().enumerate().filter_map(|(place, file)| {
        if deleted.contains(&place) {
            return None;
        }
        Some(match sources.get(&place) {
            Some(source) => moved(&files[*source], file),
            None => file.clone(),
        })
    });
    joined.collect()
}

/// The places of the files with one content.
#[derive(Default)]
struct Pair {
    deleted: Vec<usize>,
    created: Vec<usize>,
}

impl Pair {
    /// Returns the place of the created and of the deleted file, if there is one of each.
    fn only(self) -> Option<(usize, usize)> {
        match (&self.created[..], &self.deleted[..]) {
            (&[created], &[deleted]) => Some((created, deleted)),
            _ => None,
        }
    }
}

/// Returns the move from the deleted file `old` to the created file `new`.
fn moved(old: &TargetFile, new: &TargetFile) -> TargetFile {
    let after = new.after.as_ref().map(|after| TargetState {
        content: None,
        ..after.clone()
    });
    TargetFile {
        path: new.path.clone(),
        from: Some(old.path.clone()),
        before: old.before,
        after,
    }
}
