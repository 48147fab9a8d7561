//! The audit file: its verification, and the history as trace records.

use std::sync::Arc;

use super::{failure_outcome, read_entries, shown_log};
use crate::engine::top_roots::one_root_problem;
use crate::engine::{Outcome, refused_outcome};
use crate::policy::Policy;
use crate::process::Timeout;
use crate::report::{AgentTrace, AuditReport};
use crate::transaction::{self, audit};
use crate::workspace::objects::Repository;
use crate::workspace::{Workspace, top};

/// Verifies the audit file of the work tree. A fault is part of the report.
///
/// # Errors
///
/// Returns the outcome of a failure, such as an error of the disk.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
/// let interrupt = Interrupt::new();
/// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
/// assert!(engine::apply(Request::edit("a", "one", "two"), &workspace, &interrupt).report.ok);
/// let report = engine::verify_audit(&workspace, Options::default()).unwrap();
/// assert!(report.ok && report.files[0].records == 1);
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn verify_audit(
    workspace: &dyn Workspace,
    options: transaction::Options,
) -> Result<AuditReport, Box<Outcome>> {
    if let Some(problem) = one_root_problem("log --verify", workspace) {
        return Err(refused_outcome("log", problem));
    }
    audit::verify(workspace, options)
        .map(AuditReport::of)
        .map_err(|failure| failure_outcome("log", &failure))
}

/// Returns the changes in the history as trace records of Agent Trace, the newest first. The lines
/// of a file are missing if `policy`, or the project's own policy file, does not allow reading it,
/// or if its versions are not available any more.
///
/// # Errors
///
/// Returns the errors of [`log`](super::log).
pub fn agent_traces(
    workspace: &dyn Workspace,
    policy: &Arc<Policy>,
) -> Result<Vec<AgentTrace>, Box<Outcome>> {
    let (all, policy) = read_entries("log", policy, workspace)?;
    let top = top(workspace).map_err(|error| failure_outcome("log", &error.into()))?;
    let log = shown_log(top, &all, &policy, all.iter());
    let revision = top.absolute_root().and_then(|directory| {
        let repository = Repository::for_directory(&directory, Timeout::default());
        let commit = repository.tree(b"HEAD").ok()?.commit()?;
        Some(commit.to_string())
    });
    let trace = |entry| AgentTrace::of(entry, revision.as_deref());
    Ok(log.entries.iter().filter_map(trace).collect())
}
