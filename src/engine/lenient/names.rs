//! Finds the file that the names in a section refer to.

use super::spelling::{clean_name, is_absolute, strip_git_prefix};
use super::target_tree::{NameOptions, TargetTree};
use crate::mode::FileKind;
use crate::path::{PathError, RelPath, below_root, with_slashes};
use crate::repair::{RepairErrorKind, Section, SectionAction};
use crate::text::printable;
use crate::workspace::WorkspaceError;

/// The inputs for looking up names.
pub(super) struct NameLookup<'w> {
    pub(super) tree: &'w TargetTree<'w>,
    /// The file that an option names, if the patch is for one file.
    pub(super) file: Option<RelPath>,
    /// The directories that the patch puts before the names of all existing files, with a final
    /// slash, although the tree does not have them.
    pub(super) removed_prefix: Option<Vec<u8>>,
}

/// A path that a name in a section can refer to.
#[derive(Clone)]
pub(super) struct PathCandidate {
    pub(super) path: RelPath,
    /// Whether the path differs from the name in the patch.
    pub(super) is_other: bool,
}

impl PathCandidate {
    /// Returns a path that differs from the name in the patch.
    fn other(path: RelPath) -> Self {
        Self {
            path,
            is_other: true,
        }
    }
}

/// The result of looking up the names of a section.
pub(super) enum NameLookupResult {
    Path(PathCandidate),
    Outside(String),
    None(String),
    Several(String),
}

impl NameLookupResult {
    /// Returns the path of the file.
    ///
    /// # Errors
    ///
    /// Returns the kind and the message of the refusal if the name does not refer to exactly one
    /// file.
    pub(super) fn into_path(self) -> Result<PathCandidate, (RepairErrorKind, String)> {
        Err(match self {
            Self::Path(found) => return Ok(found),
            Self::Outside(name) => (
                RepairErrorKind::OutsideRoot,
                format!("{name} leads outside the root"),
            ),
            Self::None(name) => (
                RepairErrorKind::Name,
                format!("no file in the tree has the name {name}"),
            ),
            Self::Several(name) => (
                RepairErrorKind::Name,
                format!("the name {name} matches more than one file"),
            ),
        })
    }
}

impl NameLookup<'_> {
    /// Returns the file that `section` changes. `is_known` returns whether an earlier section left
    /// a file at a path.
    pub(super) fn resolve(
        &self,
        section: &Section<'_>,
        is_known: impl Fn(&RelPath) -> bool,
    ) -> Result<NameLookupResult, WorkspaceError> {
        if let Some(file) = &self.file {
            return Ok(NameLookupResult::Path(PathCandidate {
                path: file.clone(),
                is_other: false,
            }));
        }
        let shown = section
            .names
            .first()
            .map_or_else(String::new, |name| printable(name).to_string());
        let mut candidates = Vec::new();
        for name in &section.names {
            match self.candidates(name, section) {
                Some(found) => candidates.push(found),
                None => return Ok(NameLookupResult::Outside(shown)),
            }
        }
        // A denied path is refused without a lookup, so that the answer does not show whether it
        // exists.
        let is_denied =
            |found: &&PathCandidate| self.tree.denial(&found.path, section.action).is_some();
        if let Some(found) = candidates.iter().flatten().find(is_denied) {
            return Ok(NameLookupResult::Path(found.clone()));
        }
        if section.action == SectionAction::Create {
            let first = candidates.into_iter().flatten().next();
            let first = first.map(|candidate| self.without_prefix(candidate));
            return Ok(first.map_or(NameLookupResult::None(shown), NameLookupResult::Path));
        }
        let existing = self.existing(candidates, is_known)?;
        if is_ambiguous(&existing, section) {
            return Ok(NameLookupResult::Several(shown));
        }
        if let Some(found) = existing.into_iter().flatten().next() {
            return Ok(NameLookupResult::Path(found));
        }
        // Only deletions, which the file must contain, confirm a file with another path.
        if section.action != SectionAction::Update || !section.has_only_deleting_hunks() {
            return Ok(NameLookupResult::None(shown));
        }
        self.find_by_suffix(section, shown)
    }

    /// Returns the candidates of each name that are files.
    fn existing(
        &self,
        candidates: Vec<Vec<PathCandidate>>,
        is_known: impl Fn(&RelPath) -> bool,
    ) -> Result<Vec<Vec<PathCandidate>>, WorkspaceError> {
        let mut existing = Vec::new();
        for of_name in candidates {
            let mut found = Vec::new();
            for candidate in of_name {
                let stat = self.tree.stat(&candidate.path)?;
                if is_known(&candidate.path)
                    || stat.is_some_and(|stat| stat.kind != FileKind::Directory)
                {
                    found.push(candidate);
                }
            }
            existing.push(found);
        }
        Ok(existing)
    }

    /// Returns the directories that `section` puts before `path`, the file to which it refers.
    /// Returns `None` if its name does not end with the path.
    pub(super) fn removed_prefix(&self, section: &Section<'_>, path: &RelPath) -> Option<Vec<u8>> {
        let likely = self.candidates(section.names.first()?, section)?;
        let prefix = likely
            .first()?
            .path
            .as_bytes()
            .strip_suffix(path.as_bytes())?;
        (prefix.is_empty() || prefix.ends_with(b"/")).then(|| prefix.to_vec())
    }

    /// Sets the prefix of created files, if all existing files have the same one. `prefixes` are
    /// those of the existing files.
    pub(super) fn set_removed_prefix(
        &mut self,
        prefixes: &[Option<Vec<u8>>],
    ) -> Result<(), WorkspaceError> {
        self.removed_prefix = None;
        let Some((Some(first), rest)) = prefixes.split_first() else {
            return Ok(());
        };
        let directory = first
            .strip_suffix(b"/")
            .and_then(|name| RelPath::new(name).ok());
        if let Some(directory) = directory
            && rest.iter().all(|other| other.as_ref() == Some(first))
            && self.tree.stat(&directory)?.is_none()
        {
            self.removed_prefix = Some(first.clone());
        }
        Ok(())
    }

    /// Returns the path of a created file without the prefix that the tree does not have.
    fn without_prefix(&self, candidate: PathCandidate) -> PathCandidate {
        let prefix = self.removed_prefix.as_deref();
        let rest = prefix.and_then(|prefix| candidate.path.as_bytes().strip_prefix(prefix));
        match rest.map(RelPath::new) {
            Some(Ok(path)) => PathCandidate::other(path),
            _ => candidate,
        }
    }

    /// Returns the paths that a name can refer to, the most likely first. Returns `None` if the
    /// name leads out of the root.
    fn candidates(&self, name: &[u8], section: &Section<'_>) -> Option<Vec<PathCandidate>> {
        let plain = clean_name(name);
        let naming = &self.tree.naming;
        if naming.is_exact() && !section.is_enveloped {
            return self.exact_candidates(name, &plain, section);
        }
        if is_absolute(&plain) {
            return Some(vec![PathCandidate::other(self.below_root(&plain)?)]);
        }
        let mut found = Vec::new();
        // An envelope has no prefixes, but models write them there, too.
        let stripped = strip_git_prefix(&plain);
        // As in strict mode, `..` may lead back to the root. No reading of the name may lead out of
        // it.
        if [Some(&*plain), stripped]
            .into_iter()
            .flatten()
            .any(|name| RelPath::new(name) == Err(PathError::Outside))
        {
            return None;
        }
        // The same first component on both sides is a directory, not a prefix.
        let is_directory = section.names.len() > 1
            && section
                .names
                .iter()
                .all(|name| name.get(..2) == plain.get(..2));
        let locate = |name| naming.locate(name, section.is_enveloped);
        let whole = locate(&plain);
        let stripped = stripped.and_then(locate);
        // git writes the names of a rename without a prefix.
        let is_whole = section.is_enveloped || is_directory || section.target.is_some();
        let (likely, unlikely) = if is_whole {
            (whole, stripped)
        } else {
            (stripped, whole)
        };
        found.extend(likely.map(|path| PathCandidate {
            path,
            is_other: plain != name,
        }));
        found.extend(unlikely.map(PathCandidate::other));
        if found.is_empty() {
            return None;
        }
        // The name of a backup refers to the original file only if the backup does not exist.
        let originals = found
            .iter()
            .filter_map(|backup| RelPath::new(backup.path.as_bytes().strip_suffix(b".orig")?).ok());
        let originals: Vec<_> = originals.map(PathCandidate::other).collect();
        if section.action == SectionAction::Update && !section.is_enveloped {
            found.extend(originals);
        }
        Some(found)
    }

    /// Returns the candidates if the options determine the path: at most one.
    fn exact_candidates(
        &self,
        name: &[u8],
        plain: &[u8],
        section: &Section<'_>,
    ) -> Option<Vec<PathCandidate>> {
        let is_other = plain != name;
        let path = self.exact_path(plain, section);
        // With `--git-paths`, a name can refer to a file outside the root.
        if path.is_none() && self.tree.naming.below.is_some() {
            return None;
        }
        let candidate = path.map(|path| PathCandidate { path, is_other });
        Some(candidate.into_iter().collect())
    }

    /// Returns the only file whose path is the end of a name. Models put the name of the project or
    /// a path of another machine before the path: `a/demo/app/conf.py`.
    fn find_by_suffix(
        &self,
        section: &Section<'_>,
        shown: String,
    ) -> Result<NameLookupResult, WorkspaceError> {
        let mut found: Vec<RelPath> = Vec::new();
        let naming = &self.tree.naming;
        if naming.is_exact() && !section.is_enveloped {
            return Ok(NameLookupResult::None(shown));
        }
        for name in &section.names {
            let plain = clean_name(name);
            let mut rest = plain.as_slice();
            while let Some(slash) = memchr::memchr(b'/', rest) {
                rest = &rest[slash + 1..];
                let Some(path) = naming.locate(rest, section.is_enveloped) else {
                    break;
                };
                let is_file = self
                    .tree
                    .stat(&path)?
                    .is_some_and(|stat| stat.kind == FileKind::Regular);
                if is_file && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        Ok(match found.len() {
            0 => NameLookupResult::None(shown),
            1 => NameLookupResult::Path(PathCandidate::other(found.remove(0))),
            _ => NameLookupResult::Several(shown),
        })
    }

    /// Returns the new path of a file that `section` renames to `name`; `None` if the name leads
    /// out of the root.
    pub(super) fn new_path(&self, name: &[u8], section: &Section<'_>) -> Option<RelPath> {
        let plain = clean_name(name);
        let naming = &self.tree.naming;
        if is_absolute(&plain) && (section.is_enveloped || !naming.is_exact()) {
            self.below_root(&plain)
        } else if section.is_enveloped {
            naming.locate(&plain, true)
        } else {
            self.exact_path(&plain, section)
        }
    }

    /// Returns the path of a name in a diff according to the options. Without a strip level, the
    /// name must have no prefix.
    fn exact_path(&self, plain: &[u8], section: &Section<'_>) -> Option<RelPath> {
        let naming = &self.tree.naming;
        // git writes the names of a rename without a prefix.
        let prefixes = usize::from(section.target.is_some());
        let level = naming
            .strip_level
            .map(|level| level.saturating_sub(prefixes));
        let default = 1 - prefixes;
        let name = NameOptions::strip(plain, level.unwrap_or(default))?;
        naming.locate(name, false)
    }

    /// Returns the path of an absolute name, if the path is below the root. As in strict mode, a
    /// name below `--directory` cannot be absolute.
    fn below_root(&self, name: &[u8]) -> Option<RelPath> {
        if !self.tree.naming.directory.is_empty() {
            return None;
        }
        RelPath::new(below_root(self.tree.root, &with_slashes(name))?).ok()
    }
}

/// Returns whether several existing files are possible. Either both names of the section exist and
/// neither is a backup of the other, or a single name exists with and without its prefix.
fn is_ambiguous(existing: &[Vec<PathCandidate>], section: &Section<'_>) -> bool {
    if section.is_enveloped {
        return false;
    }
    let firsts: Vec<_> = existing
        .iter()
        .filter_map(|found| found.first())
        .map(|first| first.path.as_bytes())
        .collect();
    match existing {
        [found] => {
            matches!(&found[..], [one, other, ..] if !is_backup(one.path.as_bytes(), other.path.as_bytes()))
        }
        _ => matches!(firsts[..], [new, old] if new != old && !is_backup(new, old)),
    }
}

/// Returns whether one name is a backup of the other, such as `f.orig` and `f`.
fn is_backup(one: &[u8], other: &[u8]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
