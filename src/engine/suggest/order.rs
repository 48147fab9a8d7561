//! Finds an order in which the patches apply, and patches that are already applied.

use std::collections::BTreeSet;

use super::command::CommandChange;
use super::{ProblemHelp, TrialContext, budget};
use crate::matching::{MatchRules, MismatchDetail};
use crate::plan::{Action, Operation, Plan};
use crate::preflight::{self, Problem, ProblemCode, Resolution, Severity, code};
use crate::text::printable;

/// The limit on the number of patches that are reordered.
const MAX_PATCHES: usize = 16;

/// The problems of hunks whose lines are in the file neither before nor after the patch.
const NOT_APPLIED: [ProblemCode; 4] = [
    code::NOT_FOUND,
    code::AMBIGUOUS,
    code::OVERLAP,
    code::NAME_STRIPPED,
];

/// The patches of a request, each with its operations.
struct PatchOperations<'a> {
    trials: &'a TrialContext<'a>,
    all: Vec<Vec<Operation>>,
    /// The work of resolving each patch.
    work: Vec<u64>,
}

/// An order in which patches apply.
struct PatchOrder {
    /// The numbers of the patches that apply, in this order.
    numbers: Vec<usize>,
    /// Each patch that had to wait, with the last patch that it waited for.
    needs: Vec<(usize, usize)>,
    /// Whether all patches apply.
    is_complete: bool,
}

/// Returns advice if the patches apply in another order, or are already applied.
pub(super) fn suggest(trials: &TrialContext<'_>) -> Option<ProblemHelp> {
    let patches = PatchOperations::of(trials);
    let failed = patches.first_failed()?;
    let is_series = (2..=MAX_PATCHES).contains(&patches.all.len());
    // An order in which every patch still changes something is the best explanation, so it is tried
    // before the search for applied patches.
    let strict = is_series.then(|| patches.find_order(&trials.options));
    if let Some(found) = strict.as_ref().filter(|found| found.is_complete)
        && let Some(&(late, early)) = found.needs.iter().find(|(late, _)| *late == failed)
    {
        return Some(patches.order_advice((late, early), found, false));
    }
    // The kind of a mismatch shows whether a hunk is already applied.
    let rules = MatchRules {
        detail: MismatchDetail::Kind,
        ..trials.options.rules.clone()
    };
    let options = preflight::Options {
        idempotent: true,
        rules,
        ..trials.options.clone()
    };
    if let Some(advice) = patches
        .can_be_already_applied()
        .then(|| patches.applied_advice(&options))
        .flatten()
    {
        return Some(advice);
    }
    let repeated = is_series.then(|| patches.find_order(&options));
    for (found, is_repeated) in [(repeated, true), (strict, false)] {
        if let Some(found) = found.filter(|found| found.is_complete || !is_repeated)
            && let Some(&(late, early)) = found.needs.iter().find(|(late, _)| *late == failed)
        {
            return Some(patches.order_advice((late, early), &found, is_repeated));
        }
    }
    None
}

impl<'a> PatchOperations<'a> {
    fn of(trials: &'a TrialContext<'a>) -> Self {
        let operations = &trials.selected.plan.operations;
        let parts: BTreeSet<_> = operations.iter().map(|operation| operation.part).collect();
        // If the input has only one part, the steps separate its patches.
        let number = |operation: &Operation| {
            if parts.len() > 1 {
                operation.part
            } else {
                operation.step
            }
        };
        let mut all: Vec<Vec<Operation>> = Vec::new();
        for operation in operations {
            match all.last_mut() {
                Some(last)
                    if last
                        .last()
                        .is_some_and(|before| number(before) == number(operation)) =>
                {
                    last.push(operation.clone());
                }
                _ => all.push(vec![operation.clone()]),
            }
        }
        let work = all
            .iter()
            .map(|operations| budget::work(operations, trials.workspace))
            .collect();
        Self { trials, all, work }
    }

    /// Returns the first patch that has an error.
    fn first_failed(&self) -> Option<usize> {
        let first = self
            .errors()
            .filter_map(|problem| problem.operation)
            .min()?;
        let mut end = 0;
        self.all.iter().position(|operations| {
            end += operations.len();
            first < end
        })
    }

    /// Resolves the patches `order`, one after the other.
    fn resolve(&self, order: &[usize], options: &preflight::Options) -> Option<Resolution> {
        let (mut operations, mut next): (Vec<Operation>, usize) = (Vec::new(), 0);
        for (part, &number) in order.iter().enumerate() {
            let first = self.all[number]
                .first()
                .map_or(0, |operation| operation.step);
            // The steps must rise in the new order.
            let renumbered = self.all[number].iter().map(|operation| {
                let step = next + operation.step.saturating_sub(first);
                Operation {
                    step,
                    part,
                    ..operation.clone()
                }
            });
            operations.extend(renumbered);
            next = operations.last().map_or(next, |last| last.step + 1);
        }
        let plan = Plan {
            inputs: self.trials.selected.plan.inputs.clone(),
            operations,
        };
        super::resolve(&plan, options, self.trials.workspace)
    }

    /// Applies in each round the first patch that applies, as long as the budget allows trials.
    fn find_order(&self, options: &preflight::Options) -> PatchOrder {
        let mut found = PatchOrder {
            numbers: Vec::new(),
            needs: Vec::new(),
            is_complete: false,
        };
        let mut rest: Vec<usize> = (0..self.all.len()).collect();
        while let Some(place) = rest.iter().position(|&number| {
            let order = [&found.numbers[..], &[number]].concat();
            let work = order
                .iter()
                .map(|&number| self.work[number])
                .fold(0, u64::saturating_add);
            self.trials.budget.spend(work) && self.resolve(&order, options).is_some()
        }) {
            let number = rest.remove(place);
            // The patch applies only after a patch that follows it in the given order.
            if let Some(&before) = found.numbers.last().filter(|&&before| before > number) {
                found.needs.push((number, before));
            }
            found.numbers.push(number);
        }
        found.is_complete = rest.is_empty();
        found
    }

    /// Returns the name of a patch: its input, with a line if the input contains several patches.
    fn name(&self, number: usize) -> String {
        let plan = &self.trials.selected.plan;
        let Some(first) = self.all[number].first() else {
            return String::new();
        };
        let Some(input) = plan.inputs.get(first.input) else {
            return String::new();
        };
        let start = self.all[number]
            .iter()
            .map(|operation| operation.span.start)
            .min()
            .unwrap_or_default();
        let of_input =
            |patch: &&Vec<Operation>| patch.iter().any(|operation| operation.input == first.input);
        let name = if input.name == "-" {
            "standard input".to_owned()
        } else {
            printable(input.name.as_bytes()).to_string()
        };
        if self.all.iter().filter(of_input).count() > 1 {
            format!("the patch at line {} of {name}", input.position(start).line)
        } else {
            name
        }
    }

    /// Returns the inputs of the patches in `order`. Returns `None` unless each input contains
    /// exactly one patch.
    fn input_names(&self, order: &[usize]) -> Option<Vec<String>> {
        let inputs = &self.trials.selected.plan.inputs;
        let numbers: Vec<_> = order
            .iter()
            .map(|&number| self.all[number].first().map(|first| first.input))
            .collect();
        let numbers: Vec<usize> = numbers.into_iter().collect::<Option<_>>()?;
        let is_whole = numbers.len() == inputs.len()
            && numbers.iter().collect::<BTreeSet<_>>().len() == inputs.len();
        (is_whole && self.trials.series_info.series.is_none()).then(|| {
            numbers
                .iter()
                .map(|&number| inputs[number].name.clone())
                .collect()
        })
    }

    fn command(&self, order: &[usize], idempotent: bool) -> Option<String> {
        let is_changed = order.windows(2).any(|pair| pair[0] > pair[1]);
        let order = if is_changed {
            self.input_names(order)?
        } else {
            Vec::new()
        };
        let reads_input = self
            .trials
            .selected
            .plan
            .inputs
            .iter()
            .any(|input| input.name == "-");
        let difference = CommandChange {
            idempotent,
            order,
            reads_input,
            ..CommandChange::default()
        };
        self.trials.command(&difference)
    }

    fn order_advice(
        &self,
        (late, early): (usize, usize),
        found: &PatchOrder,
        idempotent: bool,
    ) -> ProblemHelp {
        let (late, early) = (self.name(late), self.name(early));
        let fault = format!("{late} depends on {early}, which comes after it");
        let command = found
            .is_complete
            .then(|| self.command(&found.numbers, idempotent))
            .flatten();
        let applied = if idempotent {
            " and skip the applied changes"
        } else {
            ""
        };
        let help = match command {
            Some(command) => format!("{fault}; run {command} to apply them in order"),
            None => format!("{fault}; apply {early} first{applied}"),
        };
        ProblemHelp {
            codes: &[],
            help,
            next_step: format!("{fault}; send {early} first"),
        }
    }

    /// Returns whether an already applied patch can cause one of the problems.
    fn can_be_already_applied(&self) -> bool {
        self.errors()
            .any(|problem| !NOT_APPLIED.contains(problem.code))
    }

    fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.trials
            .selected
            .problems
            .iter()
            .filter(|problem| problem.severity != Severity::Warning)
    }

    /// Returns advice about the patches that are already applied, if the others apply in the given
    /// order.
    fn applied_advice(&self, options: &preflight::Options) -> Option<ProblemHelp> {
        let order: Vec<_> = (0..self.all.len()).collect();
        let resolution = self.resolve(&order, options)?;
        // A missing file does not prove that a deletion was applied.
        let is_seen = |operation: &Operation| {
            !matches!(operation.action, Action::Delete | Action::RemoveCopy)
        };
        // The given order is unchanged, so the outcomes are in the order of the operations.
        let mut outcomes = resolution.files.iter();
        let is_applied = |problem: &Problem| *problem.code == code::ALREADY_APPLIED;
        let mut has_done = self.trials.selected.problems.iter().any(is_applied);
        let mut done: Vec<usize> = Vec::new();
        for &number in &order {
            let of_patch: Vec<_> = self.all[number].iter().zip(outcomes.by_ref()).collect();
            let seen: Vec<_> = of_patch
                .iter()
                .filter(|(operation, outcome)| outcome.is_already_applied && is_seen(operation))
                .collect();
            has_done |= !seen.is_empty();
            if !seen.is_empty()
                && of_patch
                    .iter()
                    .all(|(_, outcome)| outcome.is_already_applied)
            {
                done.push(number);
            }
        }
        if !has_done {
            return None;
        }
        let command = self.command(&order, true);
        let with = command.as_deref().unwrap_or("--idempotent");
        let (help, next_step) = self.describe_applied(&done, with);
        Some(ProblemHelp {
            codes: &[],
            help,
            next_step,
        })
    }

    /// Returns the help and the next step if the patches `done` are completely applied. The help
    /// contains the command or option `with`, which accepts applied patches.
    fn describe_applied(&self, done: &[usize], with: &str) -> (String, String) {
        if done.len() == self.all.len() {
            return (
                format!("the patch is already applied; use {with} to accept that as success"),
                "the patch is already applied; continue with the next task".to_owned(),
            );
        }
        if done.is_empty() {
            let next_step = "part of the patch is already applied; read the files again and send \
                only the missing changes";
            return (
                format!("part of the patch is already applied; use {with} to apply the rest"),
                next_step.to_owned(),
            );
        }
        let names: Vec<_> = done.iter().map(|&number| self.name(number)).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        let names = names.join(", ");
        (
            format!("{names} {are} already applied; use {with} to apply the others"),
            format!("{names} {are} already applied; send only the other patches"),
        )
    }
}
