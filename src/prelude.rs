//! The public interface of the library: commands, requests, reports and workspaces.

pub use crate::engine::{
    Applied, Attribution, Commit, Decide, DiffRequest, ListRequest, Look, Outcome, ReadRequest,
    Refused, RejectRequest, Request, TargetFile, TargetState, TreeChange, UndoTarget, What, abort,
    apply, begin, check, diff, gc, init, list, load_plan, log, open, open_session, open_tree,
    preview, read, recover, reject, save, show,
};
#[cfg(feature = "schema")]
pub use crate::engine::{ToolOptions, tool};
pub use crate::interrupt::Interrupt;
pub use crate::path::{PathError, RelPath};
pub use crate::policy::Policy;
pub use crate::report::{Difference, Extract, FileReport, Listing, Log, ProblemReport, Report};
pub use crate::transaction::{Durability, Options as TransactionOptions};
pub use crate::workspace::disk::Disk;
pub use crate::workspace::memory::{Entry, Memory};
pub use crate::workspace::{LayeredTree, Roots, RootsError, Workspace, WorkspaceError};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_can_share_all_values() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<(Request, Outcome, Applied, Refused, Report)>();
        is_shared::<(Interrupt, Policy, Disk, Memory, Roots)>();
    }
}
