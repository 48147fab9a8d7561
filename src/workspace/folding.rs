//! Detects file systems that find a file under several spellings of its name: other case, or
//! another Unicode normal form.
//!
//! Detection writes nothing. It looks up an existing file under another spelling of its name. If
//! that lookup succeeds, a listing of the directory shows whether the other spelling is another
//! file. Inode numbers cannot show this, because some drivers give each spelling its own number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use unicode_normalization::UnicodeNormalization;

use super::{Directory, ErrorKind, Result, Workspace};
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::text::{fold_name, is_same_name};

/// How the file systems of a workspace spell names.
pub trait Spellings: Sync {
    /// Returns whether listings of `directory` contain names as they were stored. `lowntfs-3g` with
    /// `ignore_case` lists names in lower case.
    fn lists_stored_names(&self, directory: Directory<'_>) -> bool;

    /// Returns whether another spelling finds the root, or a directory above it on the same file
    /// system.
    fn is_root_folded(&self) -> bool;
}

/// The names in a directory, by their folded form.
type FoldedNames = HashMap<Vec<u8>, Vec<Vec<u8>>>;

/// Cached facts about the file systems at and below one root.
#[derive(Debug, Default)]
pub struct FoldingCache {
    /// Whether a file system folds names. The key is the device and whether the probed path is
    /// ASCII: a file system can fold ASCII letters only.
    answers: Mutex<HashMap<(u64, bool), bool>>,
    /// The names in each listed directory. The key is its path; the root has the empty path.
    listings: Mutex<HashMap<Vec<u8>, Arc<FoldedNames>>>,
}

impl FoldingCache {
    /// Returns whether the file system of the existing file `path` on `device` folds names.
    ///
    /// The answer is cached for each device. If names are not folded, a probe costs one call for
    /// each other spelling.
    ///
    /// # Errors
    ///
    /// Returns the error of the file system.
    pub fn is_folded_at(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        device: u64,
    ) -> Result<bool> {
        if workspace.spellings().is_none() {
            return Ok(false);
        }
        let key = (device, path.as_bytes().is_ascii());
        if let Some(&known) = lock_unpoisoned(&self.answers).get(&key) {
            return Ok(known);
        }
        let Some(answer) = self.probe(workspace, path)? else {
            return Ok(false);
        };
        lock_unpoisoned(&self.answers).insert(key, answer);
        Ok(answer)
    }

    /// Returns whether the file system on which `path` will be created folds names.
    ///
    /// # Errors
    ///
    /// Returns the error of the file system.
    pub fn is_folded_above(&self, workspace: &dyn Workspace, path: &RelPath) -> Result<bool> {
        let Some(spellings) = workspace.spellings() else {
            return Ok(false);
        };
        let is_ascii = path.as_bytes().is_ascii();
        for directory in path.ancestors() {
            if let Some(stat) = workspace.stat(&directory)? {
                return Ok(
                    match self.probe_inside(workspace, Some(&directory), is_ascii)? {
                        Some(answer) => answer,
                        None => self.is_folded_at(workspace, &directory, stat.device)?,
                    },
                );
            }
        }
        Ok(match self.probe_inside(workspace, None, is_ascii)? {
            Some(answer) => answer,
            None => spellings.is_root_folded(),
        })
    }

    /// Returns the path of the existing file `path` in the spelling that listings contain.
    ///
    /// # Errors
    ///
    /// Returns the error of the file system.
    pub fn stored_path(&self, workspace: &dyn Workspace, path: &RelPath) -> Result<RelPath> {
        let mut stored: Option<RelPath> = None;
        for name in path.components() {
            let listing = self.listing(workspace, stored.as_ref())?;
            let listed = listing
                .get(&folding_key(name))
                .map_or(&[][..], Vec::as_slice);
            let name = match listed {
                [only] => only,
                _ => name,
            };
            let joined = stored
                .as_ref()
                .map_or_else(|| RelPath::new(name), |above| above.join(name));
            let Ok(joined) = joined else {
                return Ok(path.clone());
            };
            stored = Some(joined);
        }
        // If listings do not show the stored names, they cannot correct the spelling.
        let is_stored = |_: &RelPath| has_stored_name(workspace, path);
        Ok(stored.filter(is_stored).unwrap_or_else(|| path.clone()))
    }

    /// Returns whether listings contain `path` in exactly this spelling.
    ///
    /// # Errors
    ///
    /// Returns the error of the file system.
    pub fn is_listed(&self, workspace: &dyn Workspace, path: &RelPath) -> Result<bool> {
        let mut above: Option<RelPath> = None;
        for name in path.components() {
            let listing = self.listing(workspace, above.as_ref())?;
            if !listing
                .get(&folding_key(name))
                .is_some_and(|listed| listed.iter().any(|listed| listed == name))
            {
                return Ok(false);
            }
            above = above
                .as_ref()
                .map_or_else(|| RelPath::new(name), |above| above.join(name))
                .ok();
        }
        Ok(has_stored_name(workspace, path))
    }

    /// Returns the paths of all files and directories in `directory`.
    ///
    /// # Errors
    ///
    /// Returns the error of the file system.
    pub fn paths_in(&self, workspace: &dyn Workspace, directory: &RelPath) -> Result<Vec<RelPath>> {
        let listing = self.listing(workspace, Some(directory))?;
        Ok(listing
            .values()
            .flatten()
            .filter_map(|name| directory.join(name).ok())
            .collect())
    }

    /// Returns whether another spelling finds the existing file `path`. If the last name has only
    /// one spelling, the names above it are probed. Returns `None` if no name has another spelling.
    fn probe(&self, workspace: &dyn Workspace, path: &RelPath) -> Result<Option<bool>> {
        for path in std::iter::once(path.clone()).chain(path.ancestors()) {
            let others = other_spellings(path.name());
            for other in &others {
                let other_path = path
                    .parent()
                    .map_or_else(|| RelPath::new(other), |above| above.join(other));
                let Ok(beside) = other_path else { continue };
                if workspace.stat(&beside)?.is_some() {
                    // Two listed names with one folded form are two files. The lookup then found
                    // the second file, and the directory does not fold names.
                    let listing = self.listing(workspace, path.parent().as_ref())?;
                    return Ok(Some(
                        listing
                            .get(&folding_key(path.name()))
                            .is_some_and(|listed| listed.len() == 1),
                    ));
                }
            }
            if !others.is_empty() {
                return Ok(Some(false));
            }
        }
        Ok(None)
    }

    /// Probes a file in `directory`. If the path to be created is not ASCII, also probes another
    /// normal form: a file system can tell case apart and still treat two forms as one name. Returns `None` if no name has another
    /// spelling.
    fn probe_inside(
        &self,
        workspace: &dyn Workspace,
        directory: Directory<'_>,
        is_ascii: bool,
    ) -> Result<Option<bool>> {
        let listing = self.listing(workspace, directory)?;
        let names = || listing.values().flatten();
        let by_case = names().filter(|name| has_letters(name)).min();
        let has_forms = |name: &&Vec<u8>| !name.is_ascii() && !other_spellings(name).is_empty();
        let by_form = names().filter(has_forms).min().filter(|_| !is_ascii);
        let mut answer = None;
        for name in by_case.into_iter().chain(by_form) {
            // The file system of `directory` finds the other spelling, even of a mount point.
            let path = directory.map_or_else(|| RelPath::new(name), |above| above.join(name));
            if let Ok(path) = path {
                answer = self.probe(workspace, &path)?.or(answer);
            }
            if answer == Some(true) {
                break;
            }
        }
        Ok(answer)
    }

    /// Returns the names in `directory`, which are read once. Returns no names if the directory is
    /// missing.
    fn listing(
        &self,
        workspace: &dyn Workspace,
        directory: Directory<'_>,
    ) -> Result<Arc<FoldedNames>> {
        let place = directory.map_or_else(Vec::new, |directory| directory.as_bytes().to_vec());
        if let Some(known) = lock_unpoisoned(&self.listings).get(&place) {
            return Ok(Arc::clone(known));
        }
        let names = match workspace.list(directory) {
            Err(error)
                if matches!(
                    error.kind,
                    ErrorKind::Missing | ErrorKind::NotDirectory | ErrorKind::ThroughLink
                ) =>
            {
                Vec::new()
            }
            names => names?,
        };
        let mut listing = FoldedNames::new();
        for name in names {
            listing.entry(folding_key(&name)).or_default().push(name);
        }
        let listing = Arc::new(listing);
        lock_unpoisoned(&self.listings).insert(place, Arc::clone(&listing));
        Ok(listing)
    }
}

/// Returns whether `directory` contains a name that some file system treats as equal to `name`.
///
/// # Errors
///
/// Returns the error of the file system.
pub fn has_equal_name(
    workspace: &dyn Workspace,
    directory: Directory<'_>,
    name: &[u8],
) -> Result<bool> {
    Ok(workspace
        .list(directory)?
        .iter()
        .any(|listed| is_same_name(listed, name)))
}

/// Returns whether listings show the name of `path` as it was stored.
fn has_stored_name(workspace: &dyn Workspace, path: &RelPath) -> bool {
    let spellings = workspace.spellings();
    spellings.is_none_or(|spellings| spellings.lists_stored_names(path.parent().as_ref()))
}

fn folding_key(name: &[u8]) -> Vec<u8> {
    fold_name(name).to_ascii_lowercase()
}

fn has_letters(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_alphabetic)
}

/// Returns other spellings of `name`: ASCII letters in the other case, and the text in another
/// Unicode normal form.
#[must_use]
pub fn other_spellings(name: &[u8]) -> Vec<Vec<u8>> {
    let mut others = Vec::new();
    if has_letters(name) {
        let swap = |&byte: &u8| {
            if byte.is_ascii_lowercase() {
                byte.to_ascii_uppercase()
            } else {
                byte.to_ascii_lowercase()
            }
        };
        others.push(name.iter().map(swap).collect());
    }
    if let (false, Ok(text)) = (name.is_ascii(), std::str::from_utf8(name)) {
        let forms = [text.nfc().collect::<String>(), text.nfd().collect()];
        others.extend(
            forms
                .map(String::into_bytes)
                .into_iter()
                .filter(|form| form != name),
        );
    }
    others
}
