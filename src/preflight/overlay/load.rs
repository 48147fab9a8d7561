//! Reads the entry at a path, or finds the obstacle above it.

use super::{LoadedEntry, Node, Overlay, PathState};
use crate::change::FileState;
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{ErrorKind, Stat, WorkspaceError};

impl Overlay<'_> {
    pub(super) fn load(&self, path: &RelPath) -> Result<LoadedEntry, WorkspaceError> {
        if self.is_respelled(path) && self.is_unlisted(path)? {
            return Ok((PathState::Nothing, None));
        }
        if self
            .directories
            .is_some_and(|directories| directories.is_parent_missing(path))
        {
            return Ok((PathState::Nothing, None));
        }
        let (limit, interrupt) = (self.max_file, self.interrupt);
        match self.workspace.read_in_parts(path, limit, interrupt) {
            Ok((bytes, stat)) => self.load_node(path, stat, bytes),
            Err(error) => match error.kind {
                ErrorKind::Missing => {
                    self.directories
                        .iter()
                        .for_each(|directories| directories.note(path, self.workspace));
                    Ok((PathState::Nothing, None))
                }
                ErrorKind::TooLarge => {
                    let size = self
                        .workspace
                        .stat(path)?
                        .map_or(self.max_file, |stat| stat.size);
                    Ok((
                        PathState::TooLarge {
                            size,
                            limit: self.max_file,
                        },
                        None,
                    ))
                }
                ErrorKind::NotRegular => self.load_irregular(path),
                ErrorKind::ThroughLink | ErrorKind::NotDirectory => {
                    Ok((self.find_obstacle(path)?, None))
                }
                _ => Err(error),
            },
        }
    }

    fn load_irregular(&self, path: &RelPath) -> Result<LoadedEntry, WorkspaceError> {
        let Some(stat) = self.workspace.stat(path)? else {
            return Ok((PathState::Nothing, None));
        };
        match stat.kind {
            FileKind::Symlink => self.load_node(path, stat, self.workspace.read_link(path)?.into()),
            FileKind::Directory => self.load_node(path, stat, Bytes::default()),
            FileKind::Special | FileKind::Regular => Ok((PathState::Special, None)),
        }
    }

    /// Returns the topmost obstacle above `path`. Returns [`PathState::Nothing`] if another process
    /// has removed the obstacle in the meantime.
    fn find_obstacle(&self, path: &RelPath) -> Result<PathState, WorkspaceError> {
        let mut above: Vec<_> = path.ancestors().collect();
        above.reverse();
        for directory in above {
            match self.workspace.stat(&directory)?.map(|stat| stat.kind) {
                Some(FileKind::Directory) => {}
                Some(FileKind::Symlink) => return Ok(PathState::ThroughLink(directory)),
                Some(_) => return Ok(PathState::BelowFile(directory)),
                None => break,
            }
        }
        Ok(PathState::Nothing)
    }

    fn load_node(
        &self,
        path: &RelPath,
        stat: Stat,
        bytes: Bytes,
    ) -> Result<LoadedEntry, WorkspaceError> {
        let digest = Digest::of_slices(&[&bytes], self.interrupt)
            .ok_or_else(|| WorkspaceError::interrupted("read", path))?;
        let node = Node {
            kind: stat.kind,
            permissions: Permissions::Exact(stat.permissions),
            bytes: bytes.into(),
            in_repository: None,
            like: Some(path.clone()),
            origin: Some(path.clone()),
            restored: None,
        };
        Ok((
            PathState::Node(node.clone()),
            Some((FileState { stat, digest }, node)),
        ))
    }
}
