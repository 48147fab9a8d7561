//! The records of the files that a step changes.

use super::step::{ReceivedChange, SessionStep};
use super::{Session, SessionFile, StoredFile};
use crate::change::{Content, FileChange, FileState, Postimage};
use crate::digest::Digest;
use crate::mode::{FileKind, FileMode, Permissions};
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::verify::read_content;

impl SessionStep<'_> {
    /// Returns the records of files that move to another path and have no change of their own.
    pub(super) fn moved_files(
        &self,
        before: &Session,
        received: &[ReceivedChange],
    ) -> Result<Vec<SessionFile>, Failure> {
        let mut moved = Vec::new();
        for ReceivedChange { change, .. } in received {
            let after = change.after.as_ref().map(|after| &after.content);
            let Some(Content::MovedFrom(path, state)) = after else {
                continue;
            };
            moved.push(SessionFile {
                path: path.clone(),
                base: self.base(before, path, Some(state))?,
                new: None,
                from: None,
            });
        }
        Ok(moved)
    }

    /// Returns the file of the tree at `path` when the session first changed it. `found` is the
    /// file before this step.
    fn base(
        &self,
        before: &Session,
        path: &RelPath,
        found: Option<&FileState>,
    ) -> Result<Option<StoredFile>, Failure> {
        match before.file(path) {
            Some(file) => Ok(file.base.clone()),
            None => found
                .filter(|state| state.stat.kind != FileKind::Directory)
                .map(|state| self.copy_base(path, state))
                .transpose(),
        }
    }

    /// Returns the record of a changed file. `before` is the session before the step.
    pub(super) fn session_file(
        &self,
        before: &Session,
        ReceivedChange { change, content }: ReceivedChange,
    ) -> Result<SessionFile, Failure> {
        let FileChange {
            path,
            before: found,
            after,
        } = change;
        let known = before.file(&path);
        let base = self.base(before, &path, found.as_ref())?;
        let Some(after) = after else {
            return Ok(SessionFile {
                path,
                base,
                new: None,
                from: None,
            });
        };
        let from = match &after.attribute_source {
            Some(source) if *source == path => known.and_then(|file| file.from.clone()),
            Some(source) => origin(before, source),
            None => None,
        };
        let previous = known.and_then(|file| file.new.as_ref());
        let (permissions, mode) = stored_mode(&after, (base.is_none(), previous));
        let kept = previous.or(base.as_ref());
        let (content, digest) = match (content, after.content, kept) {
            (Some(content), ..) => content,
            (None, Content::MovedFrom(source, _), _) => self.moved_content(before, &source)?,
            (None, _, Some(kept)) => (kept.content.clone(), kept.digest),
            (None, _, None) => return Err(Failure::Stale(vec![path])),
        };
        let new = StoredFile {
            kind: after.kind,
            digest,
            permissions,
            mode,
            content,
        };
        Ok(SessionFile {
            path,
            base,
            new: Some(new),
            from,
        })
    }

    /// Returns the content of the file that moves from `source`, whose record is in the session.
    fn moved_content(
        &self,
        before: &Session,
        source: &RelPath,
    ) -> Result<(RelPath, Digest), Failure> {
        let moved = before.file(source).and_then(|file| file.new.as_ref());
        let base = || self.session.file(source)?.base.as_ref();
        let moved = moved.or_else(base);
        let moved = moved.ok_or_else(|| Failure::Stale(vec![source.clone()]))?;
        Ok((moved.content.clone(), moved.digest))
    }

    /// Copies the file of the tree at `path`, which was read with `state`.
    fn copy_base(&self, path: &RelPath, state: &FileState) -> Result<StoredFile, Failure> {
        let (content, digest) = self.copy_content(path, state)?;
        let permissions = (state.stat.kind == FileKind::Regular).then_some(state.stat.permissions);
        Ok(StoredFile {
            kind: state.stat.kind,
            digest,
            permissions,
            mode: FileMode::of(state.stat.kind, permissions),
            content,
        })
    }

    fn copy_content(
        &self,
        path: &RelPath,
        state: &FileState,
    ) -> Result<(RelPath, Digest), Failure> {
        let (bytes, digest) = read_content(self.workspace, path, state.stat.kind, &self.interrupt)?;
        if digest != state.digest {
            return Err(Failure::Stale(vec![path.clone()]));
        }
        Ok((self.write_content(&[&bytes])?, state.digest))
    }
}

/// Returns the path in the tree from which the file at `source` in the session comes.
fn origin(before: &Session, source: &RelPath) -> Option<RelPath> {
    match before.file(source) {
        None => Some(source.clone()),
        Some(file) => {
            let own = || file.base.as_ref().map(|_| file.path.clone());
            file.from.clone().or_else(own)
        }
    }
}

/// Returns the permission bits and the mode of a new file. A file that the session created keeps the
/// usual bits of a new file, which depend on the process that commits the session.
fn stored_mode(
    after: &Postimage,
    (is_new, previous): (bool, Option<&StoredFile>),
) -> (Option<u32>, FileMode) {
    match (after.kind, after.permissions) {
        (FileKind::Regular, Permissions::New { executable }) => {
            let mode = if executable {
                FileMode::Executable
            } else {
                FileMode::Regular
            };
            (None, mode)
        }
        (FileKind::Regular, Permissions::Exact(bits)) => {
            let has_usual_bits = previous.is_some_and(|file| file.permissions.is_none());
            let kept = (!(is_new && has_usual_bits)).then_some(bits);
            (kept, FileMode::of(after.kind, Some(bits)))
        }
        (kind, _) => (None, FileMode::of(kind, None)),
    }
}
