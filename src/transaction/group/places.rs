//! Finds the work trees of a command, and the order of their locks.

use super::roots::{MemberRoot, MemberRoots};
use crate::transaction::Failure;
use crate::transaction::root_prefix::RootPrefix;
use crate::workspace::{Workspace, top};

/// A work tree with roots of the command.
pub(in crate::transaction) struct MemberPlace<'w> {
    /// The tree of the first root, which can be below the top.
    pub(in crate::transaction) workspace: &'w dyn Workspace,
    pub(in crate::transaction) roots: MemberRoots,
    /// The key of the lock order.
    order: (String, Vec<u8>),
}

/// Returns the work trees of the roots of `workspace`, in the order in which every process takes
/// their locks.
pub(in crate::transaction) fn find_places(
    workspace: &dyn Workspace,
) -> Result<Vec<MemberPlace<'_>>, Failure> {
    let Some(roots) = workspace.roots() else {
        let prefix = RootPrefix::of(workspace.work_tree()?.as_ref());
        return Ok(vec![MemberPlace {
            workspace,
            roots: MemberRoots(vec![MemberRoot { name: None, prefix }]),
            order: Default::default(),
        }]);
    };
    let mut places: Vec<MemberPlace<'_>> = Vec::new();
    for root in roots.roots() {
        let one = MemberRoots(vec![MemberRoot {
            name: Some(root.name.clone()),
            prefix: RootPrefix::default(),
        }]);
        let about = |error| Failure::Workspace(one.error_to_caller(error));
        let root_workspace = &*root.workspace;
        let prefix = RootPrefix::of(root_workspace.work_tree().map_err(about)?.as_ref());
        let top = top(root_workspace).map_err(about)?;
        let order = (
            top.identity().map_err(about)?,
            top.location().unwrap_or_default(),
        );
        let member_root = MemberRoot {
            name: Some(root.name.clone()),
            prefix,
        };
        match places
            .iter_mut()
            .find(|place| place.order == order && !order.1.is_empty())
        {
            Some(place) => place.roots.0.push(member_root),
            None => places.push(MemberPlace {
                workspace: root_workspace,
                roots: MemberRoots(vec![member_root]),
                order,
            }),
        }
    }
    places.sort_unstable_by(|one, other| one.order.cmp(&other.order));
    Ok(places)
}
