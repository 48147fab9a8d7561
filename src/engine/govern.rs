//! Computes the policy in force: the policy of the caller, extended by the project's own policy
//! files.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::policy_file::{
    PROJECT_POLICY, UnusablePolicy, policy_layer, policy_problem, project_file, project_layer,
    read_policy_file, unreadable_policy_problem,
};
use super::{Outcome, open, refused_outcome};
use crate::mode::FileKind;
use crate::path::{RelPath, os_path, path_bytes, split_root};
use crate::plan::{Input, Plan};
use crate::policy::{
    Access, GIT_DIRECTORY_RULE, Policy, PolicyDecision, PolicyOrigin, RuleMatch, Verdict, root_rule,
};
use crate::preflight::{
    Problem, ProblemFacts, approval_problem, code, denial_problem, is_in_git_directory,
    with_git_on_the_way, with_other_names, with_own_git,
};
use crate::transaction::history::HistoryEntry;
use crate::workspace::{FoldingCache, Roots, Workspace};

/// Returns `given`, extended by the policy files of the root and of the top of its work tree, and
/// by rules about the location of the root.
pub(super) fn extend_policy(
    command: &'static str,
    given: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<Arc<Policy>, Box<Outcome>> {
    if let Some(roots) = workspace.roots() {
        let policy = Arc::new(for_each_root(given, roots, |given, root| {
            extend_policy(command, given, root)
        })?);
        return Ok(with_own_git(policy, workspace));
    }
    let governed = || {
        let own = with_root_policy_file(given, workspace)?;
        fold_spellings(
            with_top_policy_file(for_root(own, workspace), workspace)?,
            workspace,
        )
    };
    let policy = governed().map_err(|unusable| unusable_outcome(command, *unusable))?;
    Ok(with_own_git(policy, workspace))
}

/// Returns the policy of `roots`, each of which has the policy that `extend` returns. `given` is the
/// policy of the caller. It can have a policy for each root.
fn for_each_root<E>(
    given: &Arc<Policy>,
    roots: &Roots,
    extend: impl Fn(&Arc<Policy>, &dyn Workspace) -> Result<Arc<Policy>, E>,
) -> Result<Policy, E> {
    let extended = roots.roots().iter().map(|root| {
        let given = given.of_root(&root.name).unwrap_or(given);
        Ok((root.name.clone(), extend(given, &*root.workspace)?))
    });
    Ok(Policy::of_roots(extended.collect::<Result<_, E>>()?))
}

/// Returns the outcome of a command with a policy file that cannot be used.
pub(super) fn unusable_outcome(
    command: &'static str,
    UnusablePolicy { problem, text }: UnusablePolicy,
) -> Box<Outcome> {
    Box::new(Outcome {
        inputs: vec![text],
        ..*refused_outcome(command, problem)
    })
}

fn with_root_policy_file(
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<Arc<Policy>, Box<UnusablePolicy>> {
    let layer = project_layer(PROJECT_POLICY, workspace)?;
    Ok(layer.map_or_else(
        || Arc::clone(policy),
        |layer| Arc::new(policy.with_layer(layer)),
    ))
}

/// Returns `policy`, extended by the policy file of the top if the root is below the top of its
/// work tree.
fn with_top_policy_file(
    policy: Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<Arc<Policy>, Box<UnusablePolicy>> {
    // An error in locating the work tree is reported when the work tree is needed.
    let Ok(Some(tree)) = workspace.work_tree() else {
        return Ok(policy);
    };
    // Messages name the file relative to the root.
    let name = [
        &"../".repeat(tree.prefix.components().count()),
        PROJECT_POLICY,
    ]
    .concat();
    let layer = project_layer(&name, tree.top)?;
    let top = path_bytes(tree.directory);
    Ok(layer.map_or_else(
        || Arc::clone(&policy),
        |layer| Arc::new(policy.with_outer(layer, tree.prefix, &top)),
    ))
}

/// Returns `policy` for the location of the root. Rules can apply to a directory that contains the
/// root.
fn for_root(policy: Arc<Policy>, workspace: &dyn Workspace) -> Arc<Policy> {
    let Some(root) = workspace.absolute_root() else {
        return policy;
    };
    let root = &*path_bytes(&root);
    // If no rule protects the whole root, only the policy of a model depends on its location.
    if root_rule(root, None).is_none() && !policy.is_for_model() {
        return policy;
    }
    let git = || {
        RelPath::new(b".git")
            .ok()
            .and_then(|git| workspace.stat(&git).ok().flatten())
    };
    let depth = match workspace.work_tree() {
        Ok(Some(tree)) => Some(tree.prefix.components().count()),
        Ok(None) | Err(_) => git().map(|_| 0),
    };
    let policy = policy.for_root(root, depth);
    let is_in_git = || {
        let (top, below) = split_root(root)?;
        let path = RelPath::new(below).ok()?;
        Some(is_in_git_directory(&path, &open(os_path(top)?).ok()?))
    };
    let is_inside = policy.is_for_model() && is_in_git() == Some(true);
    Arc::new(if is_inside {
        policy.for_git_directory()
    } else {
        policy
    })
}

/// Returns `policy` for all spellings with which the file system of the root finds a file.
///
/// # Security
///
/// A rule on `secrets.txt` must hold for `SECRETS.TXT` if both name one file.
fn fold_spellings(
    policy: Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<Arc<Policy>, Box<UnusablePolicy>> {
    // If the file system cannot be examined, assume the stricter case.
    let folding = FoldingCache::default();
    // A file system can tell case apart and still treat two normal forms of a letter as one name.
    let letter = RelPath::new("\u{e9}".as_bytes()).expect("BUG: a plain name is no path");
    let mut paths = [project_file(), letter].into_iter();
    let is_folded = |path| folding.is_folded_above(workspace, &path).unwrap_or(true);
    if !policy.has_rules() || !paths.any(is_folded) {
        return Ok(policy);
    }
    let folded = policy.with_folding().map(Arc::new);
    folded.map_err(|(name, why)| {
        Box::new(UnusablePolicy {
            problem: policy_problem(&name, &why),
            text: Input::default(),
        })
    })
}

/// Returns `given` as the policy of the git work tree that contains `workspace`. If the root is
/// below the top, the result includes the policy file of the root. It never includes the policy
/// file of the top.
pub(super) fn work_tree_policy(
    command: &'static str,
    given: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<Arc<Policy>, Box<Outcome>> {
    match workspace.work_tree() {
        Ok(Some(tree)) => {
            let policy = with_root_policy_file(given, workspace)
                .and_then(|policy| fold_spellings(policy, workspace));
            let policy = policy.map_err(|unusable| unusable_outcome(command, *unusable))?;
            Ok(Arc::new(
                policy.for_work_tree(tree.prefix, &path_bytes(tree.directory)),
            ))
        }
        // An error in locating the work tree is reported when the work tree is needed.
        Ok(None) | Err(_) => Ok(Arc::clone(given)),
    }
}

/// Returns `given`, extended by the policy files of the roots from which `entries` were made. The
/// entries are from the history of `workspace`.
///
/// # Errors
///
/// Returns the problem of a policy file that cannot be used.
pub(super) fn policy_for_entries<'e>(
    given: &Arc<Policy>,
    entries: impl IntoIterator<Item = &'e HistoryEntry>,
    workspace: &dyn Workspace,
) -> Result<Arc<Policy>, Box<UnusablePolicy>> {
    let mut policy = Arc::clone(given);
    let inner: BTreeSet<_> = entries
        .into_iter()
        .flat_map(|entry| &entry.root_prefixes)
        .collect();
    for prefix in inner {
        let Ok(path) = prefix.join(PROJECT_POLICY.as_bytes()) else {
            continue;
        };
        let name = path.to_string();
        let text = read_policy_file(workspace, &path).map_err(|why| {
            Box::new(UnusablePolicy {
                problem: unreadable_policy_problem(&name, &why),
                text: Input::default(),
            })
        })?;
        let Some(text) = text else { continue };
        let root = workspace.absolute_path(prefix).unwrap_or_default();
        // The top is the absolute path of the other root without `prefix`.
        let end = [b"/", prefix.as_bytes()].concat();
        let root = path_bytes(&root);
        let root = root.strip_suffix(&end[..]).unwrap_or_default();
        policy = Arc::new(policy.with_inner(
            policy_layer(&name, text, PolicyOrigin::Project)?,
            prefix,
            root,
        ));
    }
    fold_spellings(policy, workspace)
}

/// Checks whether policy allows writing a file at `path` below the root that is not part of a
/// change. The rule about git directories does not apply: git decides about its own files.
///
/// # Errors
///
/// Returns the outcome with the rule that denies or asks. There is no plan that could be approved.
pub fn check_write_policy(
    path: &RelPath,
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<(), Box<Outcome>> {
    let policy = extend_policy("apply", policy, workspace)?;
    let is_there = matches!(workspace.stat(path), Ok(Some(_)));
    let ruling = policy.judge(
        path,
        if is_there {
            Access::Modify
        } else {
            Access::Create
        },
    );
    let is_against = |hit: &&RuleMatch| hit.rule != GIT_DIRECTORY_RULE;
    ruling
        .matches
        .iter()
        .find(is_against)
        .map_or(Ok(()), |hit| {
            Err(refused_outcome("apply", denial_problem(hit)))
        })
}

/// Checks whether policy allows all `accesses` to `path`. Reads no contents and follows no link.
///
/// # Errors
///
/// Returns the outcome with the strictest rule that denies or asks.
pub fn check_accesses(
    path: &RelPath,
    accesses: &[Access],
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<(), Box<Outcome>> {
    let policy = with_other_names(extend_policy("check", policy, workspace)?, workspace);
    let policy = with_git_on_the_way([path].into_iter(), &policy, workspace);
    refusal(
        accesses
            .iter()
            .flat_map(|&access| policy.judge(path, access).matches)
            .collect(),
    )
    .map_or(Ok(()), Err)
}

/// Returns the rules of `policy` that match `accesses` to `path`. `policy` covers the whole file
/// system, and `path` is relative to its root `top`. Git directories are recognized even if their
/// name is not `.git`.
#[must_use]
pub fn matching_rules(
    (top, path): (&Path, &RelPath),
    accesses: &[Access],
    policy: &Policy,
) -> Vec<RuleMatch> {
    let policy = match open(top) {
        Ok(system) => with_git_on_the_way([path].into_iter(), policy, &system),
        Err(_) => Cow::Borrowed(policy),
    };
    accesses
        .iter()
        .flat_map(|&access| policy.judge(path, access).matches)
        .collect()
}

/// Returns whether `policy`, with the project's own policy files, asks before a model writes
/// control files. Returns `true` if a policy file cannot be used.
#[must_use]
pub fn asks_about_control_files(policy: &Arc<Policy>, workspace: &dyn Workspace) -> bool {
    extend_policy("check", policy, workspace)
        .map_or(true, |policy| policy.asks_about_control_files())
}

/// Returns the outcome with the strictest rule of `hits`, if that rule denies or asks.
#[must_use]
pub fn refusal(hits: Vec<RuleMatch>) -> Option<Box<Outcome>> {
    let ruling = PolicyDecision::of(hits);
    let hit = ruling.matches.first()?;
    match ruling.verdict {
        Verdict::Deny => Some(refused_outcome("check", denial_problem(hit))),
        Verdict::Ask => Some(refused_outcome(
            "check",
            Problem {
                help: None,
                ..approval_problem(hit)
            },
        )),
        Verdict::Allow => None,
    }
}

/// Returns a problem for each path of `plan` that is a hard link to a policy file. A change in
/// place would also change the policy file.
pub(super) fn hard_link_problems(
    plan: &Plan,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> Vec<Problem> {
    let identity = |path: &RelPath| {
        let stat = workspace.stat(path).ok().flatten()?;
        (stat.kind == FileKind::Regular && stat.links > 1).then_some((stat.device, stat.inode))
    };
    let own = project_file();
    let files: Vec<_> = policy.files().chain([&own]).filter_map(identity).collect();
    let paths = plan
        .operations
        .iter()
        .flat_map(|operation| operation.from.iter().chain([&operation.path]));
    let reaching =
        paths.filter(|path| identity(path).is_some_and(|identity| files.contains(&identity)));
    let protected_problem = |path: &RelPath| {
        let reason = "the file is a hard link to a policy file, and --in-place would change it";
        let facts = ProblemFacts {
            reason: Some(reason.to_owned()),
            ..ProblemFacts::default()
        };
        let problem = Problem::new(&code::DENIED, format!("policy denies this path: {reason}"));
        Problem {
            path: Some(path.clone()),
            facts,
            ..problem
        }
    };
    reaching.map(protected_problem).collect()
}
