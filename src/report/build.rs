//! From what the stages found to a report. Usage errors, broken patches, refusals, failures of the
//! disk and success all come through here.

use super::diagnostics::DiagnosticsReport;
use super::file::FileReport;
use super::finding::ProblemReport;
use super::hunk::HunkReport;
use super::listing::{Listing, OmittedFiles, listed_problems};
use super::omitted::{NOTES, Omitted};
use super::plan_id::plan_id;
use super::rule::rule_hits;
use super::stages::{Command, CommitResult, Facts, Resolved};
use super::words::{self, Counter, text};
use super::{
    InputReport, KeptReport, LeftOutReport, ListedReport, NotIncludedReport, Outcome, PolicyReport,
    RecoveredReport, Repair, Report, SCHEMA, SavedReport, Summary, TOOL, TransactionReport,
    WhitespaceReport, plain,
};
use crate::digest::Sha256;
use crate::plan::{Edit, Input, Plan};
use crate::policy::Ruling;
use crate::preflight::{Problem, Severity, code};
use crate::syntax::Quoting;
use crate::threads::{self, MANY};
use crate::transaction::{Durability, Ending, Links, Receipt, Recovered};

/// Returns the report on a command that ends with `success` if there is no error.
///
/// Of several errors the one that decides (`error`, `outcome`, `exit_code`) is the gravest, and the
/// first of equals: what policy refuses is refused, whatever else does not fit.
#[must_use]
pub fn build(
    command: &Command,
    resolved: &Resolved,
    result: &CommitResult,
    success: Outcome,
) -> Report {
    let facts = Facts {
        command,
        resolved,
        selected: &resolved.selected,
        result,
    };
    let plain = plain::summary(facts);
    let decisive = decisive(facts);
    let outcome = match decisive.map(|index| &facts.selected.problems[index]) {
        Some(problem) if problem.severity == Severity::Error => Outcome::of(problem.code),
        _ => success,
    };
    // What is left out is no reason against the rest, which can be approved.
    let is_possible = decisive.is_none() || outcome.is_partial();
    let listing = Listing::of(facts, !is_possible);
    let size = facts
        .selected
        .plan
        .inputs
        .iter()
        .map(|input| input.bytes.len())
        .sum();
    let files = || {
        if plain.is_some() {
            Vec::new()
        } else {
            files(facts, &listing)
        }
    };
    let (files, inputs) = threads::both(size, files, || inputs(facts));
    let mut summary = plain.unwrap_or_else(|| summary(&files, &facts.selected.plan));
    let omitted_files = OmittedFiles::count(facts, &listing, &mut summary);
    let decisive = decisive.or_else(|| conflict(facts).filter(|_| outcome.is_partial()));
    let (problems, error) = problems(facts, decisive, &files);
    let omitted = omitted(
        facts,
        (&files, &inputs),
        problems.len(),
        omitted_files.counts,
    );
    let reach = resolved.index_report.as_ref().map(|index| index.reach);
    Report {
        schema: SCHEMA,
        tool: TOOL,
        command: facts.command.name,
        ok: outcome.is_success(),
        changed: has_changed(facts, outcome),
        outcome,
        exit_code: outcome.exit_code(facts.result.signal),
        saved: result
            .saved_until
            .filter(|_| is_possible)
            .map(|until| SavedReport {
                id: plan_id(&files, reach),
                expires: words::time(until),
            }),
        plan_id: match &result.plan_id {
            Some(named) => Some(named.clone()),
            None => (command.is_described && is_possible).then(|| plan_id(&files, reach)),
        },
        dry_run: facts.command.reports_dry_run,
        root: None,
        base: None,
        skipped: facts.selected.skipped.clone(),
        quoting: Quoting::default(),
        tree: None,
        inputs,
        summary,
        diagnostics: resolved.findings.as_ref().map(DiagnosticsReport::of),
        policy: policy(facts, &files, &omitted_files.rulings),
        error,
        omitted,
        index: resolved.index_report.clone(),
        left_out: facts
            .selected
            .left_out
            .iter()
            .map(LeftOutReport::of)
            .collect(),
        problems,
        files,
        transaction: transaction(facts),
        history: result.history.clone(),
        before: result.answers.before.clone(),
        verify: result.answers.verify.clone(),
        after: result.answers.after.clone(),
    }
}

/// Returns the reports on the problems that are listed, and the one on the problem at `decisive`.
fn problems(
    facts: Facts<'_>,
    decisive: Option<usize>,
    files: &[FileReport],
) -> (Vec<ProblemReport>, Option<ProblemReport>) {
    let mut counters = Counter::of_all(&facts.selected.plan.inputs);
    let number = |problem: &Problem| {
        Some(
            facts
                .selected
                .plan
                .operations
                .get(problem.operation?)?
                .number,
        )
    };
    let mut report = |index: usize| {
        let problem = &facts.selected.problems[index];
        ProblemReport::of((index, problem), number(problem), &mut counters)
    };
    let problems = listed_problems(facts)
        .into_iter()
        .map(&mut report)
        .collect();
    let error = decisive.map(|index| {
        let problem = &facts.selected.problems[index];
        let listed = hunk_of(problem, files);
        let nearest = listed.and_then(|(_, hunk)| hunk.nearest.clone());
        let error = report(index).with_details(problem, listed);
        ProblemReport {
            nearest: nearest.or(error.nearest),
            ..error
        }
    });
    (problems, error)
}

/// Returns the index of the problem that decides.
fn decisive(facts: Facts<'_>) -> Option<usize> {
    let gravity = |index: usize| {
        let problem = &facts.selected.problems[index];
        // What is denied nobody can approve.
        (
            Outcome::of(problem.code).gravity(),
            problem.code != &code::APPROVAL_REQUIRED,
        )
    };
    let problems = &facts.selected.problems;
    let all =
        |severity| (0..problems.len()).filter(move |&index| problems[index].severity == severity);
    // What is left out decides where nothing is refused.
    let least = if all(Severity::Error).next().is_some() {
        Severity::Error
    } else {
        Severity::Reject
    };
    all(least).reduce(|gravest, index| {
        if gravity(index) > gravity(gravest) {
            index
        } else {
            gravest
        }
    })
}

/// Returns the index of the first problem that keeps a part of the change out.
fn conflict(facts: Facts<'_>) -> Option<usize> {
    facts
        .selected
        .problems
        .iter()
        .position(|problem| problem.code == &code::MERGE_CONFLICT)
}

/// Returns the hunk that `problem` speaks of, and its index in its file.
fn hunk_of<'a>(problem: &Problem, files: &'a [FileReport]) -> Option<(usize, &'a HunkReport)> {
    let index = problem.hunk?;
    let file = files
        .binary_search_by_key(&problem.operation?, |file| file.index)
        .ok()?;
    Some((index, files[file].hunk(index)?))
}

/// Counts what the report does not list.
fn omitted(
    facts: Facts<'_>,
    (files, inputs): (&[FileReport], &[InputReport]),
    listed_problems: usize,
    omitted_files: Omitted,
) -> Omitted {
    let mut omitted = omitted_files;
    for part in files
        .iter()
        .map(|file| &file.omitted)
        .chain(inputs.iter().map(|input| &input.omitted))
    {
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

fn has_changed(facts: Facts<'_>, outcome: Outcome) -> bool {
    let was_put_back = facts
        .result
        .recovered
        .iter()
        .any(|recovered| recovered.ending == Ending::RolledBack);
    match outcome {
        Outcome::Incomplete => true,
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

/// Returns the reports on the files that are listed.
fn files(facts: Facts<'_>, listing: &Listing) -> Vec<FileReport> {
    let (plan, policy) = (&facts.selected.plan, &facts.command.policy);
    let report = |counters: &mut Vec<Counter<'_>>, number: usize| {
        let (index, room) = listing.get(number);
        let operation = &plan.operations[index];
        let outcome = facts
            .resolved
            .resolution
            .as_ref()
            .and_then(|resolution| resolution.files.get(index));
        let input = &facts.selected.plan.inputs[operation.input];
        let counter = &mut counters[operation.input];
        let shown = (facts.command.is_described, room);
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
            .described_whitespace
            .binary_search_by_key(&index, |(index, _)| *index)
        {
            let found = &facts.resolved.described_whitespace[place].1;
            file.whitespace = Some(Box::new(WhitespaceReport::of(operation, found, counter)));
        }
        file.in_place = facts.command.links == Links::Kept && file.hardlinks.is_some();
        file.patch = input.listed.is_some().then(|| input.name.clone());
        file
    };
    // Where a thread begins, all lines before are counted.
    let least = (listing.len() / 4).max(MANY);
    let numbers: Vec<_> = (0..listing.len()).collect();
    let parts: Vec<_> = numbers.chunks(least).collect();
    let part = |numbers: &&[usize]| -> Vec<FileReport> {
        let mut counters = Counter::of_all(&facts.selected.plan.inputs);
        numbers
            .iter()
            .map(|&number| report(&mut counters, number))
            .collect()
    };
    threads::map(&parts, 1, part)
        .into_iter()
        .flatten()
        .collect()
}

fn inputs(facts: Facts<'_>) -> Vec<InputReport> {
    let (mut named, mut repaired) = if facts.command.is_complete {
        (usize::MAX, usize::MAX)
    } else {
        (NOTES, NOTES)
    };
    let report = |(index, input): (usize, &Input)| {
        let not_included: Vec<_> = input
            .not_included
            .iter()
            .take(named)
            .map(NotIncludedReport::of)
            .collect();
        let repairs = input.repairs.iter().take(repaired);
        let repairs: Vec<_> = repairs
            .map(|repair| Repair::of(*repair, index, &facts.selected.plan))
            .collect();
        (named, repaired) = (named - not_included.len(), repaired - repairs.len());
        InputReport {
            index,
            name: input.name.clone(),
            listed: input
                .listed
                .clone()
                .map(|(series, line)| ListedReport { series, line }),
            format: (!input.formats.is_empty()).then(|| input.formats.join("+")),
            bytes: input.original().len(),
            sha256: facts
                .command
                .is_described
                .then(|| Sha256::of(input.original()).to_string()),
            sections: input.sections,
            omitted: Omitted {
                not_included: input.not_included.len() - not_included.len(),
                repairs: input.repairs.len() - repairs.len(),
                ..Omitted::default()
            },
            not_included,
            repairs,
        }
    };
    facts
        .selected
        .plan
        .inputs
        .iter()
        .enumerate()
        .map(report)
        .collect()
}

fn summary(files: &[FileReport], plan: &Plan) -> Summary {
    let hunks = plan
        .operations
        .iter()
        .map(|operation| match &operation.edit {
            Edit::Hunks(hunks) => hunks.len() - operation.left_out.len(),
            Edit::Replacements(changes) => super::texts::blocks(changes),
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

/// Returns the strictest of what policy says of each file.
fn policy(facts: Facts<'_>, files: &[FileReport], omitted: &[Ruling]) -> PolicyReport {
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

fn transaction(facts: Facts<'_>) -> Option<TransactionReport> {
    let (left, kept) = &facts.result.unrestored;
    if facts.result.receipt.is_none() && facts.result.recovered.is_empty() && left.is_empty() {
        return None;
    }
    let durability = |receipt: &Receipt| match receipt.durability {
        Durability::Full => "full",
        Durability::None => "none",
    };
    Some(TransactionReport {
        id: facts
            .result
            .receipt
            .as_ref()
            .map(|receipt| receipt.id.clone()),
        durability: facts.result.receipt.as_ref().map(durability),
        recovered: facts.result.recovered.iter().map(recovered).collect(),
        left: left.iter().map(|path| text(path.as_bytes())).collect(),
        kept: kept.iter().map(KeptReport::of).collect(),
    })
}

fn recovered(recovered: &Recovered) -> RecoveredReport {
    RecoveredReport {
        id: recovered.id.clone(),
        ending: match recovered.ending {
            Ending::Committed => "committed",
            Ending::Waiting => "waiting",
            Ending::RolledBack => "rolled_back",
            Ending::Abandoned => "abandoned",
            Ending::Kept => "kept",
        },
        left: recovered
            .left
            .iter()
            .map(|path| text(path.as_bytes()))
            .collect(),
        kept: recovered.kept.iter().map(KeptReport::of).collect(),
    }
}
