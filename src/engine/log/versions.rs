//! Finds the file versions that the history refers to, and renders the diffs between them.

use super::check_readable;
use crate::digest::{Digest, ObjectFormat, blob_id};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::Action;
use crate::policy::Policy;
use crate::preflight::Conversions;
use crate::syntax::write::{DiffSide, git_diff};
use crate::text::{Bytes, Contents};
use crate::transaction::history::{EntryFile, HistoryEntry, OldContentLocation, Version};
use crate::workspace::Workspace;

/// The limit on the size of a version that is shown in a diff, in bytes.
const MAX_SHOWN: u64 = 16 << 20;

/// Finds file versions by digest: in the tree, or among the displaced files that the history keeps.
pub(super) struct Versions<'a> {
    pub(super) workspace: &'a dyn Workspace,
    pub(super) all: &'a [HistoryEntry],
    pub(super) policy: &'a Policy,
    /// git's conversions, by its current attributes and configuration.
    pub(super) conversions: Option<Conversions>,
}

impl Versions<'_> {
    /// Returns the diff of `file` in `entry`; `None` if one of the versions is not found. The error
    /// is the reason why policy withholds the diff.
    pub(super) fn diff(
        &self,
        entry: &HistoryEntry,
        file: &EntryFile,
    ) -> Result<Option<Vec<u8>>, String> {
        check_readable(self.policy, entry, file).map(|source| self.file_diff(source, file))
    }

    /// Returns the diff of `file`. `source` is the file that was moved to it, if any.
    fn file_diff(&self, source: Option<&EntryFile>, file: &EntryFile) -> Option<Vec<u8>> {
        let old = source.unwrap_or(file);
        // The old content of a file that was only moved is at its new path.
        let here = [&old.path, &file.path];
        let (before, after) = (
            self.find(here, old.before),
            self.find([&file.path; 2], file.after),
        );
        if before.is_none() && old.before.is_some() || after.is_none() && file.after.is_some() {
            return None;
        }
        let action = match (source, &before, &after) {
            (Some(_), ..) => Action::Rename,
            (None, None, _) => Action::Create,
            (None, _, None) => Action::Delete,
            _ => Action::Modify,
        };
        let [before, after] = self.to_repository([before, after]);
        let (old, new) = (
            before.as_ref().map(VersionContent::side),
            after.as_ref().map(VersionContent::side),
        );
        Some(git_diff(action, old.as_ref(), new.as_ref()))
    }

    /// Converts both versions to the contents in the repository. `git diff` shows these contents,
    /// and `git apply` accepts them. Returns the versions unconverted if they differ only before
    /// the conversion.
    fn to_repository(&self, versions: [Option<VersionContent>; 2]) -> [Option<VersionContent>; 2] {
        let Some(conversions) = &self.conversions else {
            return versions;
        };
        let shown = versions
            .each_ref()
            .map(|found| found.as_ref().map(|found| found.convert(conversions)));
        let is_same = |[before, after]: &[Option<VersionContent>; 2]| {
            before
                .as_ref()
                .zip(after.as_ref())
                .is_some_and(|(before, after)| before.content == after.content)
        };
        if is_same(&shown) && !is_same(&versions) {
            versions
        } else {
            shown
        }
    }

    /// Returns `version` with its contents, read from `paths` or from a kept file; `None` if
    /// no file has these contents. The result has the first path.
    fn find(&self, paths: [&RelPath; 2], version: Option<Version>) -> Option<VersionContent> {
        let version = version?;
        let kept = self
            .all
            .iter()
            .flat_map(|entry| &entry.files)
            .filter_map(|file| match (&file.old_content, file.before) {
                (OldContentLocation::Kept(place), Some(before))
                    if before.digest == version.digest =>
                {
                    Some(place)
                }
                _ => None,
            });
        let mut places = paths.into_iter().chain(kept);
        let content = places.find_map(|place| self.read(place, version))?;
        Some(VersionContent::new(
            paths[0],
            version,
            content.into(),
            self.object_format(),
        ))
    }

    fn object_format(&self) -> ObjectFormat {
        self.conversions
            .as_ref()
            .map_or(ObjectFormat::Sha1, Conversions::object_format)
    }

    fn read(&self, place: &RelPath, version: Version) -> Option<Bytes> {
        let content = match version.kind {
            FileKind::Symlink => self.workspace.read_link(place).ok()?.into(),
            _ => self.workspace.read(place, MAX_SHOWN).ok()?.0,
        };
        (Digest::of(&content) == version.digest).then_some(content)
    }
}

/// A version with its contents.
struct VersionContent {
    path: RelPath,
    version: Version,
    content: Contents,
    blob: String,
}

impl VersionContent {
    fn new(path: &RelPath, version: Version, content: Contents, format: ObjectFormat) -> Self {
        let blob = blob_id(&content, format);
        Self {
            path: path.clone(),
            version,
            content,
            blob,
        }
    }

    fn convert(&self, conversions: &Conversions) -> Self {
        let is_file = self.version.kind == FileKind::Regular;
        let content = if is_file {
            conversions.convert_for_diff(&self.path, &self.content)
        } else {
            self.content.clone()
        };
        Self::new(
            &self.path,
            self.version,
            content,
            conversions.object_format(),
        )
    }

    fn side(&self) -> DiffSide<'_> {
        let is_executable = self
            .version
            .permissions
            .is_some_and(|bits| bits & 0o100 != 0);
        let mode = match self.version.kind {
            FileKind::Symlink => FileMode::Symlink,
            _ if is_executable => FileMode::Executable,
            _ => FileMode::Regular,
        };
        DiffSide {
            path: &self.path,
            mode,
            content: &self.content,
            blob: &self.blob,
        }
    }
}
