//! Writes the new content of one change to its scratch file.

use super::{Arrival, ChangeStager};
use crate::change::{Content, FileState, Postimage};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions, with_execution};
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::text::Contents;
use crate::threads::run_both;
use crate::transaction::change::{Change, FileIdentity, MoveInSource, exact_bits};
use crate::transaction::failure::is_unreachable;
use crate::transaction::scratch::{Scratch, ScratchFile};
use crate::transaction::staged::StagedChange;
use crate::transaction::verify::read_content;
use crate::transaction::{Failure, Interrupt};
use crate::workspace::{
    AttributeSource, ErrorKind, ModeProbe, NewFile, Stat, Workspace, WorkspaceError,
};

impl ChangeStager {
    /// Stages the postimage `after` of `change`. `missing` is the number of missing directories
    /// above the path. `arrival` is the source of a file that moves from another root.
    pub(super) fn stage(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (one, missing): (&mut StagedChange, usize),
        (after, arrival): (Postimage, Option<&Arrival>),
    ) -> Result<(), Failure> {
        let Postimage {
            kind,
            permissions,
            content,
            attribute_source: like,
        } = after;
        // The existing bits are those of the moved file, or of the file at the path.
        let shown = if let Content::MovedFrom(_, state) = &content {
            Some(state)
        } else {
            one.found.as_ref()
        };
        let permissions = self.effective_permissions(workspace, &change.path, shown, permissions);
        match content {
            Content::Bytes(bytes) => {
                let above = change.path.ancestors().nth(missing);
                let found = one.found.as_ref().filter(|_| kind == FileKind::Regular);
                let like = match arrival {
                    Some(Arrival { location, path }) => {
                        AttributeSource::OtherRoot { location, path }
                    }
                    None => attribute_source(like.as_ref(), above.as_ref(), (&change.path, found)),
                };
                self.stage_content(workspace, change, (kind, &bytes), permissions, like)
            }
            Content::Unchanged => match &one.found {
                Some(found) => self.keep_content(workspace, change, found, permissions),
                None => Err(stale_failure(&change.path)),
            },
            Content::Restored(from, state) => {
                self.stage_from_history(workspace, change, (&from, &state), permissions)
            }
            Content::MovedFrom(from, state) => {
                self.stage_move(workspace, change, (&from, &state), (kind, permissions))?;
                one.moved = Some((from, state));
                Ok(())
            }
        }
    }

    /// Stages a mode change of the file found at the path. Copies the file if its other hard links
    /// must keep their mode.
    fn keep_content(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        found: &FileState,
        permissions: Permissions,
    ) -> Result<(), Failure> {
        let permissions = to_exact(permissions, found.stat.permissions);
        if found.stat.links > 1 && !self.has_links_to_keep(Some(found)) {
            let path = change.path.clone();
            return self.stage_copy(workspace, change, (&path, found), permissions);
        }
        change.after = Some(FileIdentity {
            mode: exact_bits(permissions),
            ..FileIdentity::from(found)
        });
        Ok(())
    }

    /// Stages a move of the file found at `from`. Copies the file if it cannot be renamed or if its
    /// mode changes.
    fn stage_move(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (from, found): (&RelPath, &FileState),
        (kind, permissions): (FileKind, Permissions),
    ) -> Result<(), Failure> {
        // This call also records where the scratch files of the source must be, so it must not be
        // skipped.
        let is_beside = self.is_outside_state(workspace, from.parent().as_ref())?
            || change.stage_depth.is_some();
        let is_same_mode =
            kind == FileKind::Symlink || permissions == Permissions::Exact(found.stat.permissions);
        if is_beside || !is_same_mode {
            let permissions = to_exact(permissions, found.stat.permissions);
            return self.stage_copy(workspace, change, (from, found), permissions);
        }
        change.after = Some(FileIdentity::from(found));
        Ok(())
    }

    /// Returns the bits that the file system stores for `permissions`, or the existing bits if it is
    /// known to store none.
    ///
    /// The journal must state the bits that the file will really have.
    fn effective_permissions(
        &self,
        workspace: &dyn Workspace,
        path: &RelPath,
        found: Option<&FileState>,
        permissions: Permissions,
    ) -> Permissions {
        let Permissions::Exact(bits) = permissions else {
            return permissions;
        };
        if found.is_some_and(|found| found.stat.permissions == bits) {
            return permissions;
        }
        let above = path
            .ancestors()
            .find(|above| !lock_unpoisoned(&self.missing).contains(above));
        let stored = workspace.stored_bits(above.as_ref(), bits, ModeProbe::Never);
        let stored = stored.or(found.map(|found| found.stat.permissions));
        stored.map_or(Permissions::New { executable: false }, Permissions::Exact)
    }

    /// Stages a file from the history, which was found at `from`. Creates a hard link to it if
    /// possible.
    fn stage_from_history(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (from, found): (&RelPath, &FileState),
        permissions: Permissions,
    ) -> Result<(), Failure> {
        let has_same_permissions = found.stat.kind == FileKind::Symlink
            || permissions == Permissions::Exact(found.stat.permissions);
        // A file with other hard links must be copied, or the links would share its later changes.
        if change.stage_depth.is_none() && has_same_permissions && found.stat.links == 1 {
            match workspace.link(
                from,
                &self.scratch.scratch_path(change, ScratchFile::Staged)?,
            ) {
                Err(error)
                    if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::CrossDevice) => {}
                linked => {
                    linked?;
                    change.after = Some(FileIdentity::from(found));
                    change.source = Some(MoveInSource::Staged);
                    return Ok(());
                }
            }
        }
        self.stage_copy(workspace, change, (from, found), permissions)
    }

    /// Stages a copy of the file found at `from`.
    fn stage_copy(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (from, found): (&RelPath, &FileState),
        permissions: Permissions,
    ) -> Result<(), Failure> {
        let (bytes, digest) = read_content(workspace, from, found.stat.kind, &self.interrupt)?;
        // The commit fails later if a copied file has changed since it was read.
        if digest != found.digest {
            lock_unpoisoned(&self.stale).push(from.clone());
        }
        self.stage_content(
            workspace,
            change,
            (found.stat.kind, &bytes.into()),
            permissions,
            AttributeSource::File(from),
        )
    }

    fn stage_content(
        &self,
        workspace: &dyn Workspace,
        change: &mut Change,
        (kind, contents): (FileKind, &Contents),
        permissions: Permissions,
        like: AttributeSource<'_>,
    ) -> Result<(), Failure> {
        let written = || {
            write_staged_file(
                workspace,
                (&self.scratch, change),
                (kind, contents),
                permissions,
                (like, &self.interrupt),
            )
        };
        let digest = || Digest::of_slices(&contents.slices(), &self.interrupt);
        let (written, digest) = run_both(contents.len(), written, digest);
        let written = written?;
        let digest = digest.ok_or_else(|| WorkspaceError::interrupted("stage", &change.path))?;
        // `is_overwrite` needs the staged file.
        change.set_staged_file(kind, (digest, contents.len()), permissions);
        // A file that is overwritten in place keeps its owner and group, and so all its bits.
        if !change.is_overwrite() {
            change.set_staged_file(kind, (digest, contents.len()), written);
        }
        Ok(())
    }
}

/// Returns the attribute source of a new file: the file at `like`, or else the directory `above`.
///
/// If `like` is the path itself and `found` has no attributes beyond owner and group, the file is
/// not read again.
pub(in crate::transaction) fn attribute_source<'a>(
    like: Option<&'a RelPath>,
    above: Option<&'a RelPath>,
    (path, found): (&RelPath, Option<&FileState>),
) -> AttributeSource<'a> {
    let is_all =
        |stat: &Stat| like == Some(path) && stat.kind == FileKind::Regular && stat.has_no_xattrs;
    match (like, found) {
        (_, Some(FileState { stat, .. })) if is_all(stat) => AttributeSource::OwnerOnly {
            uid: stat.uid,
            gid: stat.gid,
            inode_flags: stat.inode_flags,
        },
        (Some(like), _) => AttributeSource::File(like),
        (None, _) => AttributeSource::NewIn(above),
    }
}

/// Writes the staged file of `change`. Returns the permissions that it has, because the journal must
/// state them.
fn write_staged_file(
    workspace: &dyn Workspace,
    (scratch, change): (&Scratch, &Change),
    (kind, contents): (FileKind, &Contents),
    permissions: Permissions,
    (like, interrupt): (AttributeSource<'_>, &Interrupt),
) -> Result<Permissions, Failure> {
    let path = scratch.scratch_path(change, ScratchFile::Staged)?;
    let staged = if kind == FileKind::Symlink {
        let model = if let AttributeSource::File(model) = like {
            Some(model)
        } else {
            None
        };
        let linked = workspace.symlink(contents, &path, &change.path, model);
        linked.map(|()| permissions)
    } else {
        let slices = contents.slices();
        let new = NewFile::new(&slices, permissions, Some(like));
        workspace.create(&path, new.with_interrupt(interrupt))
    };
    staged.map_err(|error| match like {
        // The attribute source was removed, or a link replaced one of its directories.
        AttributeSource::File(model)
            if is_unreachable(error.kind) && error.path == model.to_string() =>
        {
            stale_failure(model)
        }
        _ => Failure::from(WorkspaceError {
            verb: "stage",
            ..error
        })
        .with_path(&change.path),
    })
}

fn to_exact(permissions: Permissions, old: u32) -> Permissions {
    match permissions {
        Permissions::New { executable } => Permissions::Exact(with_execution(old, executable)),
        Permissions::Exact(_) => permissions,
    }
}

fn stale_failure(path: &RelPath) -> Failure {
    Failure::Stale(vec![path.clone()])
}
