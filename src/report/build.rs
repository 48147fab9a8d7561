//! Builds a report from the results of the steps. Every outcome passes through this file: success,
//! usage errors, malformed patches, refusals and I/O errors.

mod problems;

use super::diagnostics::DiagnosticsReport;
use super::file::FileReport;
use super::listing::{ListedFiles, OmittedFiles};
use super::omitted::Omitted;
use super::plan_id::plan_id;
use super::rule::rule_hits;
use super::stages::{Command, CommitResult, ReportInputs, Resolved};
use super::words::{self, LineCounter, text};
use super::{
    InputReport, LeftOutReport, Outcome, PolicyReport, Report, SCHEMA, SavedReport, Summary, TOOL,
    TransactionReport, WhitespaceReport, input, plain,
};
use crate::plan::{Edit, Plan};
use crate::preflight::Severity;
use crate::syntax::Quoting;
use crate::threads::{self, MIN_PARALLEL_ITEMS};
use crate::transaction::{HardLinkMode, RecoveryOutcome};

/// Returns the report on a command whose outcome is `success` if there is no error.
///
/// The most severe error determines `error`, `outcome` and `exit_code`; of equally severe errors,
/// the first one does. A policy refusal therefore has priority over a hunk that does not apply.
#[must_use]
pub fn build(
    command: &Command,
    resolved: &Resolved,
    result: &CommitResult,
    success: Outcome,
) -> Report {
    let facts = ReportInputs::of(command, resolved, result);
    let decisive = problems::decisive_problem(facts);
    let outcome = outcome_of(facts, decisive).unwrap_or(success);
    // Rejected parts do not prevent the approval of the rest.
    let is_possible = decisive.is_none() || outcome.is_partial();
    let body = ReportBody::of(facts, &ListedFiles::of(facts, !is_possible));
    // A conflict that is written with markers is only a warning, but `error` names it.
    let decisive =
        decisive.or_else(|| problems::find_conflict(facts).filter(|_| outcome.is_partial()));
    let (problems, error) = problems::reports(facts, decisive, &body.files);
    let reach = resolved.index_report.as_ref().map(|index| index.reach);
    let id = || plan_id(&body.files, reach);
    let saved_until = result.saved_until.filter(|_| is_possible);
    let (left_out, receipt) = (&resolved.selected.left_out, result.receipt.as_ref());
    let is_named = command.is_full_report && is_possible;
    Report {
        schema: SCHEMA,
        tool: TOOL,
        command: command.name,
        ok: outcome.is_success(),
        changed: has_changed(facts, outcome),
        outcome,
        exit_code: outcome.exit_code(result.signal),
        saved: saved_until.map(|until| saved_report(id(), until)),
        plan_id: result.plan_id.clone().or_else(|| is_named.then(id)),
        dry_run: command.reports_dry_run,
        root: None,
        roots: Vec::new(),
        base: None,
        skipped: resolved.selected.skipped.clone(),
        quoting: Quoting::default(),
        tree: None,
        diagnostics: resolved.findings.as_ref().map(DiagnosticsReport::of),
        policy: policy_report(facts, &body),
        error,
        omitted: count_omitted(facts, &body, problems.len()),
        index: resolved.index_report.clone(),
        left_out: left_out.iter().map(LeftOutReport::of).collect(),
        problems,
        inputs: body.inputs,
        summary: body.summary,
        files: body.files,
        transaction: TransactionReport::of(receipt, &result.recovered, &result.unrestored),
        history: result.history.clone(),
        run: result.command_reports.run.clone(),
        session: result.session.clone(),
        converted: None,
        refresh: None,
        decisions: None,
        before: result.command_reports.before.clone(),
        verify: result.command_reports.verify.clone(),
        after: result.command_reports.after.clone(),
    }
}

/// Returns the outcome that the problem with the index `decisive` causes.
fn outcome_of(facts: ReportInputs<'_>, decisive: Option<usize>) -> Option<Outcome> {
    let problem = &facts.selected.problems[decisive?];
    (problem.severity == Severity::Error).then(|| Outcome::of(problem.code))
}

fn saved_report(id: String, until: u64) -> SavedReport {
    SavedReport {
        id,
        expires: words::format_time(until),
    }
}

/// The files and the patches of a report.
struct ReportBody {
    files: Vec<FileReport>,
    inputs: Vec<InputReport>,
    summary: Summary,
    omitted: OmittedFiles,
}

impl ReportBody {
    /// Builds the entries of the patches and of the files in `listing`. If `plain` can describe the
    /// whole change by its counts, no file is listed.
    fn of(facts: ReportInputs<'_>, listing: &ListedFiles) -> Self {
        let plan = &facts.selected.plan;
        let counted = plain::brief_summary(facts);
        let size = plan.size();
        let files = || {
            if counted.is_some() {
                Vec::new()
            } else {
                build_files(facts, listing)
            }
        };
        let (files, inputs) = threads::run_both(size, files, || input::reports(facts));
        let mut summary = counted.unwrap_or_else(|| count_files(&files, plan));
        let omitted = OmittedFiles::count(facts, listing, &mut summary);
        Self {
            files,
            inputs,
            summary,
            omitted,
        }
    }
}

/// Counts the entries that the report does not list.
fn count_omitted(facts: ReportInputs<'_>, body: &ReportBody, listed_problems: usize) -> Omitted {
    let mut omitted = body.omitted.counts;
    let of_files = body.files.iter().map(|file| &file.omitted);
    let of_inputs = body.inputs.iter().map(|input| &input.omitted);
    for part in of_files.chain(of_inputs) {
        omitted.add(part);
    }
    let outcomes = facts
        .resolved
        .resolution
        .iter()
        .flat_map(|resolution| &resolution.files);
    omitted.problems += facts.selected.problems.len() - listed_problems;
    omitted.problems += outcomes
        .map(|outcome| outcome.omitted_problems)
        .sum::<usize>();
    omitted
}

/// Returns the value of [`Report::changed`].
fn has_changed(facts: ReportInputs<'_>, outcome: Outcome) -> bool {
    let was_put_back = facts
        .result
        .recovered
        .iter()
        .any(|recovered| recovered.ending == RecoveryOutcome::RolledBack);
    match outcome {
        Outcome::Incomplete => true,
        _ if facts.result.is_observed => true,
        Outcome::Recovered => was_put_back,
        Outcome::WouldApply | Outcome::WouldBePartial if facts.command.reports_dry_run => facts
            .resolved
            .resolution
            .as_ref()
            .is_some_and(|resolution| resolution.changes > 0),
        _ => {
            facts.result.receipt.is_some()
                && facts
                    .resolved
                    .resolution
                    .as_ref()
                    .is_some_and(|resolution| resolution.changes > 0)
        }
    }
}

/// Returns the entries of the listed files.
fn build_files(facts: ReportInputs<'_>, listing: &ListedFiles) -> Vec<FileReport> {
    let (plan, policy) = (&facts.selected.plan, &facts.command.policy);
    let report = |counters: &mut Vec<LineCounter<'_>>, number: usize| {
        let (index, room) = listing.get(number);
        let operation = &plan.operations[index];
        let outcome = facts
            .resolved
            .resolution
            .as_ref()
            .and_then(|resolution| resolution.files.get(index));
        let input = &facts.selected.plan.inputs[operation.input];
        let counter = &mut counters[operation.input];
        let shown = (facts.command.is_full_report, room);
        let mut file = FileReport::of(
            (index, operation),
            (outcome, policy),
            shown,
            &input.bytes,
            counter,
        );
        file.header_path = input.header_path.as_deref().map(text);
        if let Ok(place) = facts
            .resolved
            .uncompared_whitespace
            .binary_search_by_key(&index, |(index, _)| *index)
        {
            let found = &facts.resolved.uncompared_whitespace[place].1;
            file.whitespace = Some(Box::new(WhitespaceReport::of(operation, found, counter)));
        }
        file.in_place = facts.command.hard_links == HardLinkMode::Kept && file.hardlinks.is_some();
        file.patch = input.series_entry.is_some().then(|| input.name.clone());
        file
    };
    // Each part counts all lines before its first file, so a few large parts are faster than many.
    let least = (listing.len() / 4).max(MIN_PARALLEL_ITEMS);
    let starts: Vec<_> = (0..listing.len()).step_by(least).collect();
    let part = |&start: &usize| -> Vec<FileReport> {
        let mut counters = LineCounter::of_all(&facts.selected.plan.inputs);
        (start..listing.len().min(start + least))
            .map(|number| report(&mut counters, number))
            .collect()
    };
    threads::map_parallel(&starts, 1, part)
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the counts over `files`. The number of hunks comes from the plan, because an entry of a
/// file need not list its hunks.
fn count_files(files: &[FileReport], plan: &Plan) -> Summary {
    let hunks = plan
        .operations
        .iter()
        .map(|operation| match &operation.edit {
            Edit::Hunks(hunks) => hunks.len() - operation.left_out.len(),
            Edit::Replacements(changes) => super::texts::count_blocks(changes),
            _ => 0,
        });
    let mut summary = Summary {
        hunks: hunks.sum(),
        ..Summary::default()
    };
    for file in files {
        summary.count(file);
    }
    summary
}

/// Returns the strictest verdict of all files, and the names of all rules that match.
fn policy_report(facts: ReportInputs<'_>, body: &ReportBody) -> PolicyReport {
    let (files, omitted) = (&body.files, &body.omitted.decisions);
    let mut rules_hit: Vec<String> = Vec::new();
    let others: Vec<_> = omitted.iter().flat_map(rule_hits).collect();
    for hit in files.iter().flat_map(|file| &file.policy).chain(&others) {
        if !rules_hit.contains(&hit.rule) {
            rules_hit.push(hit.rule.clone());
        }
    }
    let verdicts = files
        .iter()
        .map(|file| file.verdict)
        .chain(omitted.iter().map(|ruling| ruling.verdict));
    let sources = facts.command.policy.sources();
    PolicyReport {
        verdict: verdicts.max().unwrap_or_default(),
        source: (!sources.is_empty()).then(|| sources.join(", ")),
        rules_hit,
    }
}
