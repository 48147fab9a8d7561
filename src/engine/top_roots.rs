//! Opens the tops of the work trees of several roots. Their histories belong to the tops.

use crate::path::RelPath;
use crate::preflight::{Problem, code};
use crate::transaction::Failure;
use crate::workspace::{Roots, Workspace, top};

/// Returns the problem of a command that needs one root, if `workspace` has several.
pub(super) fn one_root_problem(command: &str, workspace: &dyn Workspace) -> Option<Problem> {
    workspace.roots()?;
    let message = format!("{command} cannot be used with several roots; use it in each root");
    Some(Problem::new(&code::USAGE, message))
}

/// The roots that were opened: the name, the location and the tree of each.
pub(super) type OpenedRoots = Vec<(RelPath, Vec<u8>, Box<dyn Workspace + Send>)>;

/// Returns the tops of the work trees of several roots as one tree. Returns `None` for one root.
pub(super) fn open_top_roots(workspace: &dyn Workspace) -> Result<Option<Roots>, Failure> {
    into_roots(open_tops(workspace)?)
}

/// Opens the tops of the work trees of several roots. Returns an empty list for one root.
pub(super) fn open_tops(workspace: &dyn Workspace) -> Result<OpenedRoots, Failure> {
    let Some(roots) = workspace.roots() else {
        return Ok(Vec::new());
    };
    let mut opened: OpenedRoots = Vec::new();
    for root in roots.roots() {
        let top = top(&*root.workspace)?;
        let location = top.location().unwrap_or_default();
        if opened.iter().all(|(_, other, _)| *other != location) {
            let opened_top = top.open_root(&location)?;
            opened.push((root.name.clone(), location, opened_top));
        }
    }
    Ok(opened)
}

/// Returns the tree of the roots `opened`, or `None` if there are none.
pub(super) fn into_roots(opened: OpenedRoots) -> Result<Option<Roots>, Failure> {
    if opened.is_empty() {
        return Ok(None);
    }
    let opened = opened.into_iter();
    let roots = opened.map(|(name, _, tree)| (name.as_bytes().to_vec(), tree));
    let roots = Roots::new(roots).map_err(|error| Failure::State {
        reason: error.to_string(),
    });
    roots.map(Some)
}
