//! Conditions on the surroundings of a path at which a file is created.

use super::refuse_blocked;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::preflight::codes::code;
use crate::preflight::findings::Findings;
use crate::preflight::overlay::{Overlay, PathState};
use crate::workspace::WorkspaceError;

/// Checks whether a file can be created at a path, with respect to the directories above the path
/// and the entries below it.
pub(in crate::preflight) struct CreationCheck<'r> {
    pub(in crate::preflight) overlay: &'r Overlay<'r>,
    pub(in crate::preflight) is_removed: &'r dyn Fn(&RelPath) -> bool,
}

impl CreationCheck<'_> {
    /// Returns whether earlier operations created no file or link above `path`. An entry that the
    /// plan later removes does not count.
    pub(in crate::preflight) fn is_free_above(
        &self,
        path: &RelPath,
        findings: &mut Findings,
    ) -> bool {
        let Some((above, kind)) = self.overlay.file_above(path) else {
            return true;
        };
        if (self.is_removed)(&above) {
            return true;
        }
        let seen = if kind == FileKind::Symlink {
            PathState::ThroughLink(above)
        } else {
            PathState::BelowFile(above)
        };
        refuse_blocked(path, &seen, findings);
        false
    }

    /// Returns whether a file can replace the directory at `path`: the directory is empty, or the
    /// plan removes everything in it.
    pub(in crate::preflight) fn is_emptied(
        &self,
        path: &RelPath,
        findings: &mut Findings,
    ) -> Result<bool, WorkspaceError> {
        if self.overlay.is_empty_directory(path)? || self.is_wholly_removed(path)? {
            return Ok(true);
        }
        findings
            .error(&code::NOT_A_FILE, "is a directory that is not empty")
            .path = Some(path.clone());
        Ok(false)
    }

    fn is_wholly_removed(&self, directory: &RelPath) -> Result<bool, WorkspaceError> {
        if (self.is_removed)(directory) {
            return Ok(true);
        }
        let below = self.overlay.list(directory)?;
        if below.is_empty() {
            return Ok(false);
        }
        for path in below {
            let is_directory = self
                .overlay
                .stat(&path)?
                .is_some_and(|stat| stat.kind == FileKind::Directory);
            let goes = if is_directory {
                self.is_wholly_removed(&path)?
            } else {
                (self.is_removed)(&path)
            };
            if !goes {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
