//! Where the state is, and what is believed that lies there.

use super::Failure;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{PASSING, Stat, Workspace};

/// Returns where state directories are below a root: in that of git, and beside everything.
fn state_directories() -> [RelPath; 2] {
    [".git/wpatch", ".wpatch"].map(|name| RelPath::new(name.as_bytes()).expect("BUG: a plain name is no path"))
}

/// Where the state of a root is.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) directory: RelPath,
    /// Where it was before the root became a work tree of git; `None` if it is none.
    pub(super) former: Option<RelPath>,
}

/// Returns where the state is.
pub(super) fn place(workspace: &dyn Workspace) -> Result<Place, Failure> {
    let git = RelPath::new(b".git").expect("BUG: a plain name is no path");
    let is_in_git = workspace.stat(&git)?.is_some_and(|stat| stat.kind == FileKind::Directory);
    let [in_git, beside] = state_directories();
    Ok(if is_in_git {
        Place { directory: in_git, former: Some(beside) }
    } else {
        Place { directory: beside, former: None }
    })
}

/// Returns whether a state directory was made for one command.
pub(super) fn passes(stat: &Stat) -> bool {
    stat.permissions & PASSING != 0
}

/// What has the place of a directory of the program's own.
pub(super) enum Found {
    Nothing,
    Directory(Stat),
    /// The file of a [`SingleChange`](super::SingleChange).
    Single,
}

impl Found {
    /// Returns whether it is a directory.
    pub(super) fn is_directory(&self) -> bool {
        matches!(self, Self::Directory(_))
    }

    /// Returns whether it is a directory that was made for one command.
    pub(super) fn passes(&self) -> bool {
        matches!(self, Self::Directory(stat) if passes(stat))
    }
}

/// Looks for the program's own at `directory`.
///
/// # Security
///
/// What lies there is believed only if nobody but the user can have put it there: a journal is a list of
/// files to write.
pub(super) fn find(workspace: &dyn Workspace, directory: &RelPath) -> Result<Found, Failure> {
    let Some(stat) = workspace.stat(directory)? else { return Ok(Found::Nothing) };
    let reason = match stat.kind {
        _ if stat.uid != workspace.user() => format!("{directory}: belongs to another user"),
        // There is nothing in an empty one to believe, whatever its permission bits; some file systems have none.
        FileKind::Regular if directory.parent().is_none() && (stat.size == 0 || is_private(workspace, &stat)) => {
            return Ok(Found::Single);
        }
        FileKind::Directory if stat.permissions & 0o022 != 0 => format!("{directory}: others can write to it"),
        FileKind::Directory => return Ok(Found::Directory(stat)),
        kind => format!("{directory}: a {kind} where the state directory should be"),
    };
    Err(Failure::State { reason })
}

/// Returns whether a file belongs to the user and to nobody else. One that is being removed has no name any more.
pub(super) fn is_private(workspace: &dyn Workspace, stat: &Stat) -> bool {
    stat.uid == workspace.user() && stat.permissions & 0o7177 == 0 && stat.links <= 1
}
