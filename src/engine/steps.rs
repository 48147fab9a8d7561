//! The optional steps of a change. [`STEPS`] lists all of them in execution order.
//!
//! To add a step, write it in its own file and add a row to the table. Each function of this file
//! runs the rows of one kind.

use super::parse::{self, ReadOptions};
use super::request::{Decide, Patches};
use super::stages::{Committed, Resolved, Selected, StagingTarget, TreeCheck};
use super::task::CommandRun;
use super::{commands, diagnose, gnu, index, lenient, load_history, three_way, whitespace};
use crate::preflight;
use crate::progress::Progress;
use crate::transaction::Failure;
use crate::workspace::Workspace;

/// An optional step. A step does nothing if the request does not ask for it.
enum Step {
    /// Reads the patches in place of [`read_strict`], if the first function allows it.
    Read(fn(&Decide) -> bool, lenient::ReadPatchesFn),
    /// Changes the selected operations.
    Select(fn(&Decide, &dyn Workspace, &mut Selected)),
    /// Sets options of preflight.
    Configure(fn(&CommandRun<'_>, &mut Selected, &mut preflight::Options)),
    /// Computes the resulting tree in place of preflight alone.
    Resolve(ResolveFn),
    /// Runs before the commit, and returns whether the change is allowed.
    Before(fn(&CommandRun<'_>, &mut Committed) -> Result<bool, Failure>),
    /// Returns a check of the new tree during the commit.
    Verify(for<'c> fn(&'c CommandRun<'_>, &Committed) -> Result<OptionalCheck<'c>, Failure>),
    /// Runs after the commit.
    After(fn(&CommandRun<'_>, &mut Committed)),
}

/// A check of the new tree, if there is one.
type OptionalCheck<'c> = Option<Box<dyn TreeCheck + 'c>>;

/// Computes the resulting tree. Returns `None` if the request does not ask for this step.
type ResolveFn = for<'w> fn(
    &CommandRun<'w>,
    &preflight::Options,
    &StagingTarget<'_>,
    &mut Resolved,
) -> Option<Result<OptionalCheck<'w>, Failure>>;

/// The optional steps, in execution order.
const STEPS: [Step; 11] = [
    Step::Read(|decide| decide.lenient, lenient::read),
    Step::Select(gnu::apply_options),
    Step::Select(load_history::load_history),
    Step::Configure(|task, selected, options| {
        whitespace::load_whitespace_rules(&task.request, selected, options);
    }),
    Step::Configure(three_way::find_bases),
    Step::Resolve(index::resolve_index),
    Step::Resolve(diagnose::resolve_with_servers),
    Step::Before(commands::run_before),
    Step::Verify(commands::prepare_verification),
    Step::After(index::refresh),
    Step::After(commands::run_after),
];

/// Reads the patches for the tree of `task`. Returns the selected operations and the options of
/// preflight. The problems of `begun` come first.
pub(super) fn read(
    task: &CommandRun<'_>,
    patches: Patches,
    initial: Selected,
) -> (Selected, preflight::Options) {
    let decide = &task.request.decide;
    let strict =
        |decide: &Decide, patches| read_strict(patches, decide, task.workspace, task.progress());
    let other = STEPS.iter().find_map(|step| match step {
        Step::Read(is_on, read) if is_on(decide) => Some(read),
        _ => None,
    });
    let mut selected = match other {
        Some(read) => read(task, patches, &strict),
        None => strict(decide, patches),
    };
    selected.problems.splice(..0, initial.problems);
    let mut options = task.request.preflight_options();
    if selected.is_resolvable {
        for step in &STEPS {
            if let Step::Configure(configure) = step {
                configure(task, &mut selected, &mut options);
            }
        }
    }
    (selected, options)
}

/// Reads the patches without repairs, and changes the selection as `decide` asks.
pub(super) fn read_strict(
    patches: Patches,
    decide: &Decide,
    workspace: &dyn Workspace,
    progress: &Progress,
) -> Selected {
    let read_options = ReadOptions {
        tree: Some(workspace),
        ..ReadOptions::new(decide, progress)
    };
    let mut selected = parse::read(patches, read_options);
    if selected.is_resolvable {
        for step in &STEPS {
            if let Step::Select(select) = step {
                select(decide, workspace, &mut selected);
            }
        }
    }
    selected
}

/// Computes the resulting tree by the first step that the request asks for; `None` if there is no
/// such step.
pub(super) fn resolve<'w>(
    task: &CommandRun<'w>,
    options: &preflight::Options,
    staging: &StagingTarget<'_>,
    resolved: &mut Resolved,
) -> Option<Result<OptionalCheck<'w>, Failure>> {
    STEPS.iter().find_map(|step| match step {
        Step::Resolve(resolve) => resolve(task, options, staging, resolved),
        _ => None,
    })
}

/// Runs the steps before the commit. Returns whether all of them allow the change.
pub(super) fn run_before_steps(
    task: &CommandRun<'_>,
    done: &mut Committed,
) -> Result<bool, Failure> {
    for step in &STEPS {
        if let Step::Before(before) = step
            && !before(task, done)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the checks of the new tree during the commit.
pub(super) fn checks<'c>(
    task: &'c CommandRun<'_>,
    done: &Committed,
) -> Result<Vec<Box<dyn TreeCheck + 'c>>, Failure> {
    let mut checks = Vec::new();
    for step in &STEPS {
        if let Step::Verify(check) = step {
            checks.extend(check(task, done)?);
        }
    }
    Ok(checks)
}

/// Runs the steps after the change.
pub(super) fn run_after_steps(task: &CommandRun<'_>, done: &mut Committed) {
    for step in &STEPS {
        if let Step::After(after) = step {
            after(task, done);
        }
    }
}
