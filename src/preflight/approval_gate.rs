//! Applies the policy before any content is read.

use super::findings::Findings;
use super::git_directories::with_git_of_plan;
use super::options::{ApprovalGate, Options};
use super::{
    MIN_PER_THREAD, Problem, ProblemCode, ProblemFacts, code, decide, decide_all, find_kind,
};
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::policy::{
    Access, GIT_DIRECTORY_RULE, PolicyDecision, REQUIRE_HASH_RULE, RuleMatch, Verdict,
};
use crate::threads;
use crate::workspace::Workspace;

/// Returns whether policy denies a part of `plan`, or a part needs approval, regardless of the file
/// contents.
#[must_use]
pub fn needs_approval(plan: &Plan, workspace: &dyn Workspace, options: &Options) -> bool {
    let policy = with_git_of_plan(plan, &options.policy, workspace);
    let is_held = |operation: &Operation| {
        decide(operation, workspace, &policy)
            .matches
            .iter()
            .any(|hit| is_refused(hit, workspace, options))
    };
    threads::map_parallel(&plan.operations, MIN_PER_THREAD, is_held).contains(&true)
}

/// Returns the problems for which policy refuses parts of `plan`, regardless of the file contents.
#[must_use]
pub fn refusals(plan: &Plan, workspace: &dyn Workspace, options: &Options) -> Vec<Problem> {
    let rulings = decide_all(plan, workspace, &options.policy);
    check_rulings(plan, rulings, workspace, options)
        .flat_map(|findings| findings.problems)
        .collect()
}

/// Returns the verdicts for each operation, and a problem for each refused path.
pub(super) fn check_rulings<'a>(
    plan: &'a Plan,
    rulings: Vec<PolicyDecision>,
    workspace: &'a dyn Workspace,
    options: &'a Options,
) -> impl Iterator<Item = Findings> + 'a {
    rulings.into_iter().enumerate().map(move |(index, ruling)| {
        let mut findings = Findings::default();
        let mut told: Vec<&RelPath> = Vec::new();
        for hit in ruling
            .matches
            .iter()
            .filter(|hit| is_refused(hit, workspace, options))
        {
            if !told.contains(&&hit.path) {
                told.push(&hit.path);
                let problem = if hit.verdict == Verdict::Deny {
                    denial_problem(hit)
                } else {
                    approval_problem(hit)
                };
                findings.outcome.failed.get_or_insert(problem.code);
                findings.problems.push(problem);
                findings.set_operations(plan, index);
            }
        }
        for path in named_paths(&plan.operations[index]).filter(|path| !told.contains(path)) {
            if let Err(reason) = workspace.check_name(path) {
                let problem = name_problem(path, reason);
                findings.outcome.failed.get_or_insert(problem.code);
                findings.problems.push(problem);
                findings.set_operations(plan, index);
            }
        }
        findings.outcome.decision = ruling;
        findings
    })
}

fn named_paths(operation: &Operation) -> impl Iterator<Item = &RelPath> {
    std::iter::once(&operation.path).chain(&operation.from)
}

/// Returns the problem of a path that no file can have on this system.
fn name_problem(path: &RelPath, reason: &str) -> Problem {
    Problem {
        path: Some(path.clone()),
        help: Some("choose another name".to_owned()),
        facts: ProblemFacts {
            reason: Some(reason.to_owned()),
            ..ProblemFacts::default()
        },
        ..Problem::new(&code::CLOSED, reason.to_owned())
    }
}

fn is_refused(hit: &RuleMatch, workspace: &dyn Workspace, options: &Options) -> bool {
    match (hit.verdict, options.approval_gate) {
        (Verdict::Deny, _) | (Verdict::Ask, ApprovalGate::Everything) => true,
        (Verdict::Ask, ApprovalGate::Reading) => {
            options.policy.judge(&hit.path, Access::Read).verdict > Verdict::Allow
                && find_kind(workspace, &hit.path).is_some()
        }
        (Verdict::Allow, _) | (Verdict::Ask, ApprovalGate::Nothing) => false,
    }
}

/// The next step for a model if the policy requires the hash of each changed file.
const STATE_HASH: &str = "send the change as a JSON document with the `expected_hash` of each file";

/// Returns the problem of a path that a rule denies.
#[must_use]
pub fn denial_problem(hit: &RuleMatch) -> Problem {
    let modes = hit
        .modes
        .map(|(active, required)| (active.name(), required.name()));
    let help = match &hit.source {
        Some((name, line)) => Some(format!("see line {line} of {name} for the rule")),
        None if hit.rule == REQUIRE_HASH_RULE => {
            Some("use --expect-hash to state the hash".to_owned())
        }
        None => None,
    };
    let path = Some(hit.path.clone());
    let needs_hash = hit.rule == REQUIRE_HASH_RULE && hit.source.is_none();
    let facts = ProblemFacts {
        modes,
        reason: Some(hit.reason.clone()),
        advice: needs_hash.then(|| STATE_HASH.to_owned()),
        ..ProblemFacts::default()
    };
    let code = denial_code(hit);
    // The reasons of built-in rules state that the path is protected.
    let is_built_in = hit.rule == GIT_DIRECTORY_RULE && hit.source.is_none();
    let message = if is_built_in || needs_hash {
        hit.reason.clone()
    } else {
        format!("policy denies this path: {}", hit.reason)
    };
    Problem {
        path,
        help,
        facts,
        ..Problem::new(code, message)
    }
}

/// Returns the problem of a change that needs approval.
#[must_use]
pub fn approval_problem(hit: &RuleMatch) -> Problem {
    let message = format!("this change needs approval: {}", hit.reason);
    let help =
        "run `wpatch check --json` to get the plan_id, then `wpatch apply --approve PLAN_ID`"
            .to_owned();
    let path = Some(hit.path.clone());
    let facts = ProblemFacts {
        reason: Some(hit.reason.clone()),
        ..ProblemFacts::default()
    };
    Problem {
        path,
        help: Some(help),
        facts,
        ..Problem::new(&code::APPROVAL_REQUIRED, message)
    }
}

fn denial_code(hit: &RuleMatch) -> &'static ProblemCode {
    if hit.source.is_some() {
        &code::DENIED
    } else {
        &code::CLOSED
    }
}
