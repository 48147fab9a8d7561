//! The files that a patch changes, in their state after the sections so far.

use std::collections::HashMap;

use bstr::ByteSlice;

use super::names::{NameLookup, NameLookupResult};
use super::target_tree::{NameOptions, TargetTree};
use crate::path::RelPath;
use crate::repair::{
    EndingSource, FileVersion, RepairError, RepairErrorKind, RepairKind, RepairLog, Section,
    SectionAction, SectionChange, apply_section,
};
use crate::text::{Span, lines};
use crate::workspace::WorkspaceError;

/// The files after the sections so far.
pub(super) struct FileOverlay<'w> {
    tree: &'w TargetTree<'w>,
    names: NameLookup<'w>,
    /// The files that sections changed; `None` if the file does not exist.
    now: HashMap<RelPath, Option<FileVersion>>,
}

impl<'w> FileOverlay<'w> {
    /// Returns the files of `tree` before the first section of the first patch.
    pub(super) fn new(tree: &'w TargetTree<'w>) -> Self {
        Self {
            tree,
            names: NameLookup {
                tree,
                file: None,
                removed_prefix: None,
            },
            now: HashMap::new(),
        }
    }

    /// Sets the file that all sections of the next patch are for, or `None` if their names decide.
    pub(super) fn set_file(&mut self, file: Option<RelPath>) {
        self.names.file = file;
    }

    /// Learns from the sections of existing files how the patch names its files, and whether its
    /// line endings come from its transport. Sections that create files then follow them.
    pub(super) fn learn(
        &mut self,
        text: &[u8],
        sections: &mut [Section<'_>],
    ) -> Result<(), WorkspaceError> {
        let is_crlf = |(_, line): (Span, &[u8])| line.ends_with(b"\r\n");
        let is_text_crlf = lines(text).all(is_crlf);
        let (mut prefixes, mut has_lf, mut has_crlf) = (Vec::new(), false, false);
        for section in sections.iter().filter(|section| !section.is_verbatim) {
            if section.action == SectionAction::Create {
                continue;
            }
            let is_known = |path: &RelPath| self.now.get(path).is_some_and(Option::is_some);
            let Ok(found) = self.names.resolve(section, is_known)?.into_path() else {
                continue;
            };
            prefixes.push(self.names.removed_prefix(section, &found.path));
            if is_text_crlf
                && self.tree.denial(&found.path, section.action).is_none()
                && let Ok(Some(file)) = self.load(&found.path)?
            {
                let file_has_crlf = file.content.contains_str(b"\r\n");
                has_lf |= !file_has_crlf;
                has_crlf |= file_has_crlf;
            }
        }
        if has_lf && !has_crlf {
            let all = sections.iter_mut();
            all.for_each(|section| section.ending_source = EndingSource::Transport);
        }
        self.names.set_removed_prefix(&prefixes)
    }

    /// Returns the options that determine the paths of names.
    pub(super) fn naming(&self) -> &NameOptions<'w> {
        &self.tree.naming
    }

    /// Returns the section as a git diff, or the reasons why it cannot be repaired.
    pub(super) fn repair_section(
        &mut self,
        section: &Section<'_>,
        log: &mut RepairLog,
    ) -> Result<Result<Vec<u8>, Vec<RepairError>>, WorkspaceError> {
        let refuse = |kind, path: Option<RelPath>, message: String| {
            let error = RepairError::new(kind, path, section.span, message);
            Ok(Err(vec![error]))
        };
        let is_known = |path: &RelPath| self.now.get(path).is_some_and(Option::is_some);
        let named = self.names.resolve(section, is_known)?;
        // A normal diff has no `/dev/null`, so a missing file can mean that the section creates it.
        if matches!(named, NameLookupResult::None(_))
            && let Some(section) = section.as_creation()
        {
            return self.repair_section(&section, log);
        }
        let found = match named.into_path() {
            Ok(found) => found,
            Err((kind, message)) => return refuse(kind, None, message),
        };
        if found.is_other {
            log.note(RepairKind::Name, section.line);
        }
        let path = found.path;
        if let Some((kind, message)) = self.tree.denial(&path, section.action) {
            return refuse(kind, Some(path), message);
        }
        let before = match self.load(&path)? {
            Ok(before) => before,
            Err(message) => return refuse(RepairErrorKind::Unreadable, Some(path), message),
        };
        let Some(target) = self.target_path(section, &path) else {
            let message = "the new name leads outside the root".into();
            return refuse(RepairErrorKind::OutsideRoot, Some(path), message);
        };
        let after = match apply_section(section, &path, before.as_ref(), log) {
            Ok(after) => after,
            Err(refusals) => return Ok(Err(refusals)),
        };
        let change = SectionChange {
            action: section.action,
            path: &path,
            before: before.as_ref(),
            target: &target,
            after: after.as_ref(),
        };
        let diff = change.git_diff();
        // The order matters: without a rename, both paths are equal and the second entry remains.
        self.now.insert(path, None);
        self.now.insert(target, after);
        Ok(Ok(diff))
    }

    /// Returns the path of the file after `section`, or `None` if its new name leads out of the
    /// root.
    fn target_path(&self, section: &Section<'_>, path: &RelPath) -> Option<RelPath> {
        match section.target {
            Some(name) => self.names.new_path(name, section),
            None => Some(path.clone()),
        }
    }

    /// Returns the file at `path`, or the reason why it cannot be read.
    fn load(&self, path: &RelPath) -> Result<Result<Option<FileVersion>, String>, WorkspaceError> {
        match self.now.get(path) {
            Some(found) => Ok(Ok(found.clone())),
            None => self.tree.read(path),
        }
    }
}
