//! `--lenient` for blocks and edits: repairs the texts that they search for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex};

use super::problems::{refusal_problem, repair_warnings};
use super::stages::Selected;
use crate::change::DiscardSink;
use crate::interrupt::Interrupt;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::plan::{Edit, Operation, Plan, Repair, Replacements};
use crate::policy::{Access, Policy, Verdict};
use crate::preflight::{self, Problem, TextRepair};
use crate::repair::{REPAIRS, RepairError, RepairKind, StepBudget, TextRepairs, repair_texts};
use crate::text::Span;
use crate::workspace::Workspace;

/// Repairs the texts of each operation to match its file, and records the repairs. The file has the
/// contents that the operations before it leave.
#[derive(Debug)]
struct TextRepairer {
    policy: Arc<Policy>,
    /// A file is not read if the verdict on reading is at least this strict.
    min_unread_verdict: Verdict,
    /// The number of files that each input changes. Each of these files has an equal share of the
    /// budget, so the order of the repairs does not change the result.
    file_counts: HashMap<usize, usize>,
    interrupt: Interrupt,
    results: Mutex<RepairResults>,
}

#[derive(Debug, Default)]
struct RepairResults {
    /// The repairs of each operation, by its index.
    repairs: BTreeMap<usize, Result<TextRepairs, Vec<RepairError>>>,
    /// The work on each file of an input.
    budgets: HashMap<(usize, RelPath), StepBudget>,
}

impl TextRepairer {
    fn new(plan: &Plan, options: &preflight::Options) -> Self {
        let is_of_texts = |operation: &&Operation| matches!(operation.edit, Edit::Replacements(_));
        let operations = plan.operations.iter().filter(is_of_texts);
        let paths: HashSet<_> = operations
            .map(|operation| (operation.input, &operation.path))
            .collect();
        let mut files = HashMap::new();
        for (input, _) in paths {
            *files.entry(input).or_default() += 1;
        }
        Self {
            policy: Arc::clone(&options.policy),
            min_unread_verdict: options.approval_gate.denied_read_verdict(),
            file_counts: files,
            interrupt: options.rules.interrupt.clone(),
            results: Mutex::default(),
        }
    }
}

impl TextRepair for TextRepairer {
    fn repair(&self, index: usize, operation: &Operation, content: &[u8]) -> Option<Replacements> {
        let Edit::Replacements(changes) = &operation.edit else {
            return None;
        };
        if self.policy.judge(&operation.path, Access::Read).verdict >= self.min_unread_verdict {
            return None;
        }
        let file = (operation.input, operation.path.clone());
        let share = || {
            StepBudget::share(
                self.file_counts.get(&operation.input).copied().unwrap_or(1),
                content,
            )
        };
        // The budget leaves the map during the repair, so that the lock is free. Operations on one
        // file run one after the other.
        let mut work = lock_unpoisoned(&self.results)
            .budgets
            .remove(&file)
            .unwrap_or_else(share);
        let repaired = repair_texts(content, changes, &mut work, &self.interrupt);
        let changes = repaired
            .as_ref()
            .ok()
            .filter(|repairs| !repairs.rows.is_empty());
        let changes = changes.map(|repairs| repairs.changes.clone());
        let mut kept = lock_unpoisoned(&self.results);
        kept.budgets.insert(file, work);
        if changes.is_some() || repaired.is_err() {
            kept.repairs.insert(index, repaired);
        }
        changes
    }
}

/// Repairs the texts that the plan searches for. A text without a certain repair is a problem. The
/// plan then cannot be resolved.
pub(super) fn repair(
    workspace: &dyn Workspace,
    options: &preflight::Options,
    selected: &mut Selected,
) {
    let text_repair = Arc::new(TextRepairer::new(&selected.plan, options));
    let options = preflight::Options {
        describe: false,
        diff: false,
        full_diff: false,
        guards: Vec::new(),
        text_repair: Some(Arc::clone(&text_repair) as _),
        ..options.clone()
    };
    // Errors are ignored here. The preflight after the repairs reports them.
    let _ = preflight::resolve(&selected.plan, workspace, &options, &DiscardSink);
    let repairs = mem::take(&mut lock_unpoisoned(&text_repair.results).repairs);
    for (index, repaired) in repairs {
        let Some(operation) = selected.plan.operations.get_mut(index) else {
            continue;
        };
        match repaired {
            Ok(TextRepairs { changes, rows }) => {
                operation.edit = Edit::Replacements(Box::new(changes));
                let (input, span) = (operation.input, operation.span);
                let repairs = rows
                    .into_iter()
                    .filter_map(|(at, row)| Some((at, text_repair_of(row, span)?)))
                    .collect();
                record_repairs(input, repairs, selected);
            }
            Err(refusals) => {
                let problems = refusals
                    .into_iter()
                    .map(|refusal| text_refusal_problem(refusal, operation));
                selected.problems.extend(problems);
                selected.is_resolvable = false;
            }
        }
    }
}

/// Returns the repair that the row `row` of [`REPAIRS`] describes, for a text in the section `span`.
/// The caller sets the line.
fn text_repair_of(row: RepairKind, span: Span) -> Option<Repair> {
    let &(_, code, message) = REPAIRS.iter().find(|(known, ..)| *known == row)?;
    Some(Repair {
        code,
        line: 0,
        message,
        section: Some(span),
    })
}

/// Returns the problem of a text of `operation` without a certain repair.
fn text_refusal_problem(refusal: RepairError, operation: &Operation) -> Problem {
    let refusal = RepairError {
        path: Some(operation.path.clone()),
        ..refusal
    };
    refusal_problem(&refusal, operation.input)
}

/// Records `repairs`, each with its offset in the text of the input, and warns about them.
fn record_repairs(input: usize, repairs: Vec<(usize, Repair)>, selected: &mut Selected) {
    let Some(input) = selected.plan.inputs.get_mut(input) else {
        return;
    };
    let located = |(at, repair): (usize, Repair)| Repair {
        line: input.position(at).line,
        ..repair
    };
    let repairs: Vec<_> = repairs.into_iter().map(located).collect();
    selected.problems.extend(repair_warnings(&repairs));
    input.repairs.extend(repairs);
}
