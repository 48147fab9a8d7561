//! The audit record of a change: its origin, the digests of its files, and its signature.

use std::collections::BTreeMap;

use super::request::{Attribution, SignCommand};
use super::stages::{CommitResult, Resolved};
use super::task::CommandRun;
use crate::digest::Sha256;
use crate::path::RelPath;
use crate::policy::{Access, RuleMatch};
use crate::process::{self, ErrorTarget, ExitReason, MAX_OUTPUT, ShellCommand};
use crate::report::{self, FileReport, Op, Report, Verdict};
use crate::transaction::audit::{
    Approval, ApprovalMethod, AuditSigner, PolicyFacts, RecordContext,
};
use crate::transaction::{Failure, Interrupt, Transaction};

/// The maximum number of rules in a record.
const MAX_RULES: usize = 16;

impl CommandRun<'_> {
    /// Returns the facts about the change in `resolved` for the audit record of `transaction`.
    pub(super) fn audit_context(
        &self,
        transaction: &Transaction<'_>,
        resolved: &Resolved,
    ) -> RecordContext {
        if !transaction.has_audit() {
            return RecordContext::default();
        }
        let report = self.full_report(resolved);
        let attribution = &self.request.commit.attribution;
        let inputs = resolved.selected.plan.inputs.iter();
        let mut origin = attribution.origin();
        origin.patches = inputs
            .filter(|input| !input.bytes.is_empty())
            .map(|input| Sha256::of(&input.bytes).to_string())
            .collect();
        let mut policy = PolicyFacts::default();
        policy.verdict = report.policy.verdict.to_string();
        policy.source.clone_from(&report.policy.source);
        policy.rules = deciding_rules(self, &report);
        origin.approval = approval(attribution, self.approve(), &policy);
        origin.policy = Some(policy);
        origin.plan_id = report.plan_id;
        RecordContext {
            origin,
            sha256: file_digests(&report.files),
        }
    }

    /// Returns the report about `resolved` with all files and the `plan_id`.
    pub(super) fn full_report(&self, resolved: &Resolved) -> Report {
        let command = report::Command {
            is_full_report: true,
            is_brief: false,
            ..self.command.clone()
        };
        let result = CommitResult::default();
        report::build(&command, resolved, &result, self.command.success)
    }

    /// Returns the signer of the audit record, if a command signs it.
    pub(super) fn signer(&self) -> Option<CommandSigner<'_>> {
        CommandSigner::of(&self.request.commit.attribution, self.interrupt())
    }
}

/// Returns the names of the rules that match, the strictest first. A rule that allows a change
/// decides only if no other rule matches.
fn deciding_rules(task: &CommandRun<'_>, report: &Report) -> Vec<String> {
    let mut rules = report.policy.rules_hit.clone();
    if rules.is_empty() && report.policy.verdict == Verdict::Allow {
        for file in report.files.iter().filter(|file| file.has_allow_rule) {
            let hits = task.command.policy.explain(&file.path, access_of(file.op));
            let allows = |hit: &RuleMatch| hit.verdict == Verdict::Allow && hit.source.is_some();
            rules.extend(hits.into_iter().filter(allows).map(|hit| hit.rule));
        }
        rules.sort_unstable();
        rules.dedup();
    }
    rules.truncate(MAX_RULES);
    rules
}

fn access_of(op: Op) -> Access {
    match op {
        Op::Create | Op::Copy => Access::Create,
        Op::Delete => Access::Delete,
        Op::Rename => Access::Rename,
        Op::Mode => Access::Mode,
        _ => Access::Modify,
    }
}

/// Returns the approval of a change: by its `plan_id`, or by a rule of the policy.
fn approval(
    attribution: &Attribution,
    approve: Option<&str>,
    policy: &PolicyFacts,
) -> Option<Approval> {
    let (how, rule) = match (approve, policy.rules.first()) {
        (Some(_), _) => (attribution.approval.unwrap_or(ApprovalMethod::PlanId), None),
        (None, Some(rule)) if policy.verdict == "allow" => {
            (ApprovalMethod::Policy, Some(rule.clone()))
        }
        _ => return None,
    };
    let by = attribution.by.clone().filter(|_| rule.is_none());
    Some(Approval::new(how, by, rule))
}

/// Returns the digests of the files before and after. A rename changes two files.
fn file_digests(files: &[FileReport]) -> BTreeMap<RelPath, [Option<String>; 2]> {
    let mut digests: BTreeMap<RelPath, [Option<String>; 2]> = BTreeMap::new();
    for file in files {
        let before = match (&file.from, file.op) {
            (Some(from), Op::Rename) => Some(from),
            (Some(_), _) => None,
            (None, _) => Some(&file.path),
        };
        if let Some(before) = before {
            let known = digests.entry(before.clone()).or_default();
            if known[0].is_none() && known[1].is_none() {
                known[0].clone_from(&file.sha256_before);
            }
        }
        digests.entry(file.path.clone()).or_default()[1].clone_from(&file.sha256_after);
    }
    digests
}

/// Signs records with a command of the user.
pub(super) struct CommandSigner<'a> {
    sign: &'a SignCommand,
    interrupt: &'a Interrupt,
}

impl<'a> CommandSigner<'a> {
    pub(super) fn of(attribution: &'a Attribution, interrupt: &'a Interrupt) -> Option<Self> {
        let sign = attribution.sign_with.as_ref()?;
        Some(Self { sign, interrupt })
    }
}

impl AuditSigner for CommandSigner<'_> {
    fn sign(&self, line: &[u8]) -> Result<String, Failure> {
        let refuse = |why: String| Failure::Unsigned { reason: why };
        let ran = process::run(
            &ShellCommand {
                command: &self.sign.command,
                directory: &self.sign.directory,
                environment: &[],
                input: line,
                limit: self.sign.limit,
                // The signature is the standard output alone.
                errors: ErrorTarget::Inherited,
            },
            self.interrupt,
        );
        let ran = ran.map_err(|error| refuse(error.to_string()))?;
        if let (ExitReason::Stopped, Some(signal)) = (ran.reason, self.interrupt.signal()) {
            return Err(Failure::Interrupted(signal));
        }
        if ran.reason != ExitReason::Exited(0) {
            let why = super::commands::exit_message(&ran, self.sign.limit);
            return Err(refuse(why));
        }
        let signature = String::from_utf8(ran.output).ok();
        signature
            .filter(|text| !text.trim().is_empty() && !ran.is_cut)
            .ok_or_else(|| {
                refuse(format!(
                    "it must print a signature of at most {MAX_OUTPUT} bytes of UTF-8 text"
                ))
            })
    }
}
