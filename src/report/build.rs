//! From what the stages found to a report. Usage errors, broken patches, refusals, failures of the disk and
//! success all come through here.

use super::diagnostics::DiagnosticsReport;
use super::file::FileReport;
use super::finding::ProblemReport;
use super::hunk::HunkReport;
use super::listing::{Listing, OmittedFiles, listed_problems};
use super::omitted::{NOTES, Omitted};
use super::parts::Parts;
use super::plan_id::plan_id;
use super::rule::rule_hits;
use super::words::{self, Counter, text};
use super::{
    InputReport, KeptReport, LeftOutReport, ListedReport, NotIncludedReport, Outcome, PolicyReport, RecoveredReport,
    Repair, Report, SCHEMA, SavedReport, Summary, TOOL, TransactionReport, WhitespaceReport, plain,
};
use crate::digest::Sha256;
use crate::plan::{Edit, Input, Plan};
use crate::policy::{Policy, Ruling};
use crate::preflight::{Problem, Severity, code};
use crate::syntax::Quoting;
use crate::threads::{self, MANY};
use crate::transaction::{Durability, Ending, Links, Receipt, Recovered};

/// Returns the report on `parts`.
///
/// Of several errors the one that decides (`error`, `outcome`, `exit_code`) is the gravest, and the first of
/// equals: what policy refuses is refused, whatever else does not fit.
#[must_use]
pub fn build(parts: &Parts<'_>) -> Report {
    let plain = plain::summary(parts);
    let decisive = decisive(parts);
    let outcome = match decisive.map(|index| &parts.problems[index]) {
        Some(problem) if problem.severity == Severity::Error => Outcome::of(problem.code),
        _ => parts.success,
    };
    // What is left out is no reason against the rest, which can be approved.
    let is_possible = decisive.is_none() || outcome.is_partial();
    let listing = Listing::of(parts, !is_possible);
    let size = parts.inputs.iter().map(|input| input.bytes.len()).sum();
    let files = || if plain.is_some() { Vec::new() } else { files(parts, &listing) };
    let (files, inputs) = threads::both_of(size, files, || inputs(parts));
    let mut summary = plain.unwrap_or_else(|| summary(&files, parts.plan));
    let omitted_files = OmittedFiles::count(parts, &listing, &mut summary);
    let decisive = decisive.or_else(|| conflict(parts).filter(|_| outcome.is_partial()));
    let (problems, error) = problems(parts, decisive, &files);
    let omitted = omitted(parts, (&files, &inputs), problems.len(), omitted_files.counts);
    Report {
        schema: SCHEMA,
        tool: TOOL,
        command: parts.command,
        ok: outcome.is_success(),
        changed: has_changed(parts, outcome),
        outcome,
        exit_code: outcome.exit_code(parts.signal),
        saved: parts.saved_until.filter(|_| is_possible).map(|until| SavedReport {
            id: plan_id(&files, parts.index.map(|index| index.reach)),
            expires: words::time(until),
        }),
        plan_id: match parts.plan_id {
            Some(named) => Some(named.to_owned()),
            None => (parts.is_described && is_possible).then(|| plan_id(&files, parts.index.map(|index| index.reach))),
        },
        dry_run: parts.is_dry,
        root: None,
        base: None,
        skipped: Vec::new(),
        quoting: Quoting::default(),
        tree: None,
        inputs,
        summary,
        diagnostics: parts.findings.map(DiagnosticsReport::of),
        policy: policy(parts, &files, &omitted_files.rulings),
        error,
        omitted,
        index: parts.index.cloned(),
        left_out: parts.left_out.iter().map(LeftOutReport::of).collect(),
        problems,
        files,
        transaction: transaction(parts),
        history: parts.history.cloned(),
        before: None,
        verify: None,
        after: None,
    }
}

/// Returns the reports on the problems that are listed, and the one on the problem at `decisive`.
fn problems(
    parts: &Parts<'_>,
    decisive: Option<usize>,
    files: &[FileReport],
) -> (Vec<ProblemReport>, Option<ProblemReport>) {
    let mut counters = Counter::of_all(parts.inputs);
    let number = |problem: &Problem| Some(parts.plan?.operations.get(problem.operation?)?.number);
    let mut report = |index: usize| {
        let problem = &parts.problems[index];
        let listed = hunk_of(problem, files);
        (ProblemReport::of((index, problem), number(problem), listed, &mut counters), listed)
    };
    let problems = listed_problems(parts).into_iter().map(|index| report(index).0).collect();
    let error = decisive.map(|index| {
        let (error, listed) = report(index);
        let nearest = listed.and_then(|(_, hunk)| hunk.nearest.clone());
        ProblemReport { nearest: nearest.or(error.nearest), ..error }
    });
    (problems, error)
}

/// Returns the index of the problem that decides.
fn decisive(parts: &Parts<'_>) -> Option<usize> {
    let gravity = |index: usize| {
        let problem = &parts.problems[index];
        // What is denied nobody can approve.
        (Outcome::of(problem.code).gravity(), problem.code != &code::APPROVAL_REQUIRED)
    };
    let all = |severity| (0..parts.problems.len()).filter(move |&index| parts.problems[index].severity == severity);
    // What is left out decides where nothing is refused.
    let least = if all(Severity::Error).next().is_some() { Severity::Error } else { Severity::Reject };
    all(least).reduce(|gravest, index| if gravity(index) > gravity(gravest) { index } else { gravest })
}

/// Returns the index of the first problem that keeps a part of the change out.
fn conflict(parts: &Parts<'_>) -> Option<usize> {
    parts.problems.iter().position(|problem| problem.code == &code::MERGE_CONFLICT)
}

/// Returns the hunk that `problem` speaks of, and its index in its file.
fn hunk_of<'a>(problem: &Problem, files: &'a [FileReport]) -> Option<(usize, &'a HunkReport)> {
    let index = problem.hunk?;
    let file = files.binary_search_by_key(&problem.operation?, |file| file.index).ok()?;
    Some((index, files[file].hunk(index)?))
}

/// Counts what the report does not list.
fn omitted(
    parts: &Parts<'_>,
    (files, inputs): (&[FileReport], &[InputReport]),
    listed_problems: usize,
    omitted_files: Omitted,
) -> Omitted {
    let mut omitted = omitted_files;
    for part in files.iter().map(|file| &file.omitted).chain(inputs.iter().map(|input| &input.omitted)) {
        omitted.add(part);
    }
    let outcomes = parts.resolution.iter().flat_map(|resolution| &resolution.files);
    omitted.problems += parts.problems.len() - listed_problems;
    omitted.problems += outcomes.map(|outcome| outcome.omitted_problems).sum::<usize>();
    omitted
}

fn has_changed(parts: &Parts<'_>, outcome: Outcome) -> bool {
    let was_put_back = parts.recovered.iter().any(|recovered| recovered.ending == Ending::RolledBack);
    match outcome {
        Outcome::Incomplete => true,
        Outcome::Recovered => was_put_back,
        Outcome::WouldApply | Outcome::WouldBePartial if parts.is_dry => {
            parts.resolution.is_some_and(|resolution| resolution.changes > 0)
        }
        _ => parts.receipt.is_some() && parts.resolution.is_some_and(|resolution| resolution.changes > 0),
    }
}

/// Returns the reports on the files that are listed.
fn files(parts: &Parts<'_>, listing: &Listing) -> Vec<FileReport> {
    let Some(plan) = parts.plan else { return Vec::new() };
    let built_in = Policy::default();
    let policy = parts.policy.unwrap_or(&built_in);
    let report = |counters: &mut Vec<Counter<'_>>, number: usize| {
        let (index, room) = listing.get(number);
        let operation = &plan.operations[index];
        let outcome = parts.resolution.and_then(|resolution| resolution.files.get(index));
        let input = &parts.inputs[operation.input];
        let counter = &mut counters[operation.input];
        let shown = (parts.is_described, room);
        let mut file = FileReport::of((index, operation), (outcome, policy), shown, &input.bytes, counter);
        file.header_path = input.header_path.as_deref().map(text);
        if let Ok(place) = parts.described_whitespace.binary_search_by_key(&index, |(index, _)| *index) {
            let found = &parts.described_whitespace[place].1;
            file.whitespace = Some(Box::new(WhitespaceReport::of(operation, found, counter)));
        }
        file.in_place = parts.links == Links::Kept && file.hardlinks.is_some();
        file.patch = input.listed.is_some().then(|| input.name.clone());
        file
    };
    // Where a thread begins, all lines before are counted.
    let least = (listing.len() / 4).max(MANY);
    threads::map_numbers(listing.len(), least, || Counter::of_all(parts.inputs), report)
}

fn inputs(parts: &Parts<'_>) -> Vec<InputReport> {
    let (mut named, mut repaired) = if parts.is_complete { (usize::MAX, usize::MAX) } else { (NOTES, NOTES) };
    let report = |(index, input): (usize, &Input)| {
        let not_included: Vec<_> = input.not_included.iter().take(named).map(NotIncludedReport::of).collect();
        let repairs = input.repairs.iter().take(repaired);
        let repairs: Vec<_> = repairs.map(|repair| Repair::of(*repair, index, parts.plan)).collect();
        (named, repaired) = (named - not_included.len(), repaired - repairs.len());
        InputReport {
            index,
            name: input.name.clone(),
            listed: input.listed.clone().map(|(series, line)| ListedReport { series, line }),
            format: (!input.formats.is_empty()).then(|| input.formats.join("+")),
            bytes: input.original().len(),
            sha256: parts.is_described.then(|| Sha256::of(input.original()).to_string()),
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
    parts.inputs.iter().enumerate().map(report).collect()
}

fn summary(files: &[FileReport], plan: Option<&Plan>) -> Summary {
    let hunks = plan.iter().flat_map(|plan| &plan.operations).map(|operation| match &operation.edit {
        Edit::Hunks(hunks) => hunks.len() - operation.left_out.len(),
        Edit::Replacements(changes) => super::texts::blocks(changes),
        _ => 0,
    });
    let mut summary = Summary { hunks: hunks.sum(), ..Summary::default() };
    for file in files {
        summary.count(file);
    }
    summary
}

/// Returns the strictest of what policy says of each file.
fn policy(parts: &Parts<'_>, files: &[FileReport], omitted: &[Ruling]) -> PolicyReport {
    let mut rules_hit: Vec<String> = Vec::new();
    let others: Vec<_> = omitted.iter().flat_map(rule_hits).collect();
    for hit in files.iter().flat_map(|file| &file.policy).chain(&others) {
        if !rules_hit.contains(&hit.rule) {
            rules_hit.push(hit.rule.clone());
        }
    }
    let verdicts = files.iter().map(|file| file.verdict).chain(omitted.iter().map(|ruling| ruling.verdict));
    let sources = parts.policy.map(Policy::sources).unwrap_or_default();
    PolicyReport {
        verdict: verdicts.max().unwrap_or_default(),
        source: (!sources.is_empty()).then(|| sources.join(", ")),
        rules_hit,
    }
}

fn transaction(parts: &Parts<'_>) -> Option<TransactionReport> {
    let (left, kept) = parts.unrestored;
    if parts.receipt.is_none() && parts.recovered.is_empty() && left.is_empty() {
        return None;
    }
    let durability = |receipt: &Receipt| match receipt.durability {
        Durability::Full => "full",
        Durability::None => "none",
    };
    Some(TransactionReport {
        id: parts.receipt.map(|receipt| receipt.id.clone()),
        durability: parts.receipt.map(durability),
        recovered: parts.recovered.iter().map(recovered).collect(),
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
        left: recovered.left.iter().map(|path| text(path.as_bytes())).collect(),
        kept: recovered.kept.iter().map(KeptReport::of).collect(),
    }
}
