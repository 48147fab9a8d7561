//! Parses patches and selects the operations to apply.

use super::problems::{
    no_change_problem, outside_root_warning, rejection_problem, selection_problem, syntax_problem,
};
use super::request::{Decide, Patches};
use super::stages::{Parsed, Selected};
use super::{gnu, not_included};
use crate::plan::{self, Plan, Selection};
use crate::preflight::{Problem, Severity, code};
use crate::progress::{Phase, Progress};
use crate::syntax::{self, TruncationHandling};
use crate::workspace::Workspace;

/// How patches are read.
#[derive(Clone, Copy)]
pub(super) struct ReadOptions<'a> {
    pub(super) decide: &'a Decide,
    pub(super) progress: &'a Progress,
    /// How a last hunk with too few lines is treated.
    pub(super) truncated: TruncationHandling,
    /// The tree whose files decide between several name candidates; `None` to ignore the tree.
    pub(super) tree: Option<&'a dyn Workspace>,
}

impl<'a> ReadOptions<'a> {
    pub(super) fn new(decide: &'a Decide, progress: &'a Progress) -> Self {
        Self {
            decide,
            progress,
            truncated: TruncationHandling::Refused,
            tree: None,
        }
    }
}

/// Parses the patches and selects operations.
pub(super) fn read(patches: Patches, read_options: ReadOptions<'_>) -> Selected {
    let Parsed { mut plan, problem } = parse(patches, read_options);
    if let Some(problem) = problem {
        let plan = Plan {
            inputs: plan.inputs,
            operations: Vec::new(),
        };
        return Selected {
            plan,
            ..Selected::of_problem(problem)
        };
    }
    let decide = read_options.decide;
    if let Some(tree) = read_options.tree {
        gnu::choose_names(&decide.gnu, &mut plan, decide.direction(), tree);
    }
    let mut selected = select(plan, &decide.selection());
    not_included::report(contentless_severity(decide), &mut selected);
    selected
}

fn parse(patches: Patches, read_options: ReadOptions<'_>) -> Parsed {
    let mut plan = Plan::default();
    let decide = read_options.decide;
    let among = syntax::select_syntaxes(&decide.format);
    if among.is_empty() {
        let problem = Problem::new(&code::USAGE, format!("unknown format {}", decide.format));
        return Parsed {
            plan,
            problem: Some(problem),
        };
    }
    read_options.progress.enter(Phase::Reading, 0);
    let series = patches.series.as_ref();
    let options = decide.syntax_options();
    // quilt accepts an empty patch in its series.
    let allow_empty = series.is_some() || options.allow_empty;
    let options = syntax::Options {
        truncated: read_options.truncated,
        allow_empty,
        ..options
    };
    for (index, (name, bytes)) in patches.texts.into_iter().enumerate() {
        let listed =
            series.and_then(|series| Some((series.name.as_str(), *series.entries.get(index)?)));
        match syntax::parse(&name, bytes, &among, options) {
            Ok(mut parsed) => {
                if let Some((name, listed)) = listed {
                    parsed.apply_series_settings(name, listed);
                }
                plan.append(parsed);
            }
            Err(error) => {
                let problem = Some(syntax_problem(&error, plan.inputs.len()));
                let listed = listed.map(|(name, listed)| (name.to_owned(), listed.line));
                // The message shows an excerpt of this input.
                plan.inputs.push(plan::Input {
                    series_entry: listed,
                    ..error.input
                });
                return Parsed { plan, problem };
            }
        }
    }
    Parsed {
        plan,
        problem: None,
    }
}

/// Selects the operations of `whole` to apply.
pub(super) fn select(whole: Plan<plan::Name>, selection: &Selection) -> Selected {
    let is_empty = whole.operations.is_empty();
    let plan::Selected {
        plan,
        rejections,
        skipped: filtered,
        outside,
        left_out,
    } = plan::select(whole, selection);
    let rejected = |rejection| rejection_problem(rejection, &plan, selection.strip_level());
    let mut problems: Vec<_> = rejections.iter().map(rejected).collect();
    let left_out = match left_out {
        Ok(left_out) => left_out,
        Err(error) => {
            // If a name was rejected, the files have other numbers than in the report that the user
            // read. An error about these numbers would mislead.
            problems.extend(rejections.is_empty().then(|| selection_problem(&error)));
            Vec::new()
        }
    };
    if !outside.is_empty() {
        problems.push(outside_root_warning(&outside));
    } else if plan.operations.is_empty() && rejections.is_empty() && !is_empty {
        problems.push(no_change_problem(filtered.len()));
    }
    Selected {
        plan,
        is_resolvable: true,
        left_out,
        skipped: filtered,
        problems,
        ..Selected::default()
    }
}

/// Returns the severity of a change that an input names but does not contain.
pub(super) fn contentless_severity(decide: &Decide) -> Severity {
    if decide.strict_input {
        Severity::Error
    } else {
        Severity::Warning
    }
}
