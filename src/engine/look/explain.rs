//! Explains the policy for a path: the verdicts and the deciding rules.

use std::sync::Arc;

use super::{LookResult, path_problem, refused_outcome};
use crate::engine::Outcome;
use crate::engine::follow::resolve_links;
use crate::engine::govern::extend_policy;
use crate::path::RelPath;
use crate::policy::{Access, Policy, PolicyDecision, RuleMatch};
use crate::preflight::{self, Problem, code};
use crate::report::Explanation;
use crate::workspace::Workspace;

/// A request to explain the policy for a path.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The path below the root. Links are followed as long as they stay below the root. The file
    /// need not exist.
    pub path: Vec<u8>,
    /// The accesses to explain.
    pub accesses: Vec<Access>,
    /// The policy.
    pub policy: Arc<Policy>,
}

impl ExplainRequest {
    /// Returns a request to explain every access to `path`.
    #[must_use]
    pub fn of(path: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            accesses: Access::ALL.to_vec(),
            policy: Arc::default(),
        }
    }
}

/// Returns the verdict on each access to a path, and the deciding rule. Reads only the project's
/// own policy files.
///
/// # Errors
///
/// Returns the outcome with the problem if a policy cannot be used, or if the path is not below the
/// root.
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
    let policy = extend_policy("policy", &request.policy, workspace)?;
    let found: LookResult<_> =
        RelPath::new(&request.path[..]).map_err(|error| path_problem(&request.path, error));
    let named = found.map_err(|problem| refused_outcome("policy", *problem))?;
    // A rule for any path on the way applies.
    let (mut paths, link) = match resolve_links(workspace, &policy, &named) {
        Ok(ways) => (ways, None),
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let path = paths.last().unwrap_or(&named).clone();
    if !paths.contains(&named) {
        paths.insert(0, named.clone());
    }
    // Some rules apply only to changes by a model, and need more information about the tree.
    let policy =
        preflight::with_other_names(Arc::new(Policy::clone(&policy).for_model()), workspace);
    let policy = preflight::with_git_on_the_way(paths.iter(), &policy, workspace);
    let policy = &policy.into_owned().for_user();
    let hits = |access: Access| {
        let mut hits: Vec<RuleMatch> = link
            .iter()
            .map(|problem| link_match(&named, access, problem))
            .collect();
        hits.extend(paths.iter().flat_map(|way| policy.explain(way, access)));
        PolicyDecision::of(hits).matches.into_vec()
    };
    let accesses = request
        .accesses
        .iter()
        .map(|&access| (access, hits(access)))
        .collect();
    Ok(Explanation::of(&named, &path, accesses, policy))
}

/// Returns `problem`, which concerns a link on the way, as a match of a rule.
fn link_match(path: &RelPath, access: Access, problem: &Problem) -> RuleMatch {
    let rule = if problem.code == &code::DENIED {
        "symlinks"
    } else {
        "outside-root"
    };
    RuleMatch::of_built_in(path, access, rule, &problem.message)
}
