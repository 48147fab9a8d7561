//! What policy says of a path, and why.

use std::sync::Arc;

use super::{Found, refused, unusable};
use crate::engine::Outcome;
use crate::engine::follow::names_on_the_way;
use crate::engine::govern::governed;
use crate::path::RelPath;
use crate::policy::{Access, Hit, Policy, Ruling};
use crate::preflight::{self, Problem, code};
use crate::report::Explanation;
use crate::workspace::Workspace;

/// What is asked about.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The path below the root. Links that stay below the root are followed. Nothing has to be
    /// there.
    pub path: Vec<u8>,
    /// What is to be done with it.
    pub accesses: Vec<Access>,
    /// What may be done.
    pub policy: Arc<Policy>,
}

impl ExplainRequest {
    /// Returns the question what may be done with `path` at all.
    #[must_use]
    pub fn of(path: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            accesses: Access::ALL.to_vec(),
            policy: Arc::default(),
        }
    }
}

/// Says what may be done with a path, and which rule decides. Nothing is read but the project's own
/// policy file.
///
/// # Errors
///
/// Returns the report of a policy that cannot be used, or of a path that is none below the root.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, ExplainRequest};
/// use wpatch::report::Verdict;
/// use wpatch::workspace::memory::Memory;
///
/// let explanation = engine::explain(&ExplainRequest::of(".git/config"), &Memory::with_files([])).unwrap();
/// let access = &explanation.accesses[0];
/// assert_eq!((access.verdict, access.rule.as_ref().unwrap().hit.rule.as_str()), (Verdict::Deny, "git-directory"));
/// ```
pub fn explain(
    request: &ExplainRequest,
    workspace: &dyn Workspace,
) -> Result<Explanation, Box<Outcome>> {
    let policy = governed("policy", &request.policy, workspace)?;
    let found: Found<_> =
        RelPath::new(&request.path[..]).map_err(|error| unusable(&request.path, error));
    let named = found.map_err(|problem| refused("policy", *problem))?;
    // A rule on any name on the way holds.
    let (mut ways, link) = match names_on_the_way(workspace, &policy, &named) {
        Ok(ways) => (ways, None),
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let path = ways.last().unwrap_or(&named).clone();
    if !ways.contains(&named) {
        ways.insert(0, named.clone());
    }
    // Some rules hold for what models do only, and need more of the tree.
    let policy =
        preflight::with_other_names(Arc::new(Policy::clone(&policy).for_model()), workspace);
    let policy = preflight::with_git_on_the_way(ways.iter(), &policy, workspace);
    let policy = &policy.into_owned().for_user();
    let hits = |access: Access| {
        let mut hits: Vec<Hit> = link
            .iter()
            .map(|problem| on_the_way(&named, access, problem))
            .collect();
        hits.extend(ways.iter().flat_map(|way| policy.explain(way, access)));
        Ruling::of(hits).hits.into_vec()
    };
    let accesses = request
        .accesses
        .iter()
        .map(|&access| (access, hits(access)))
        .collect();
    Ok(Explanation::of(&named, &path, accesses, policy))
}

/// Returns `problem`, which a link on the way has, as a rule.
fn on_the_way(path: &RelPath, access: Access, problem: &Problem) -> Hit {
    let rule = if problem.code == &code::DENIED {
        "symlinks"
    } else {
        "outside-root"
    };
    Hit::built_in(path, access, rule, &problem.message)
}
