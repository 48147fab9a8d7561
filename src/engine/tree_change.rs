//! Checks or applies files with their new states.

use super::Outcome;
use super::request::{Request, TreeChange};
use super::stages::{Committed, Selected};
use super::task::{CommandMode, CommandRun};
use crate::mode::{FileKind, FileMode};
use crate::preflight::{self, Problem, UnmetPrecondition, code};
use crate::report::CommandReport;
use crate::workspace::Workspace;

/// The results of a command that made the change, in addition to its files.
#[derive(Debug, Default)]
pub(super) struct CommandEffects {
    /// How the command ended.
    pub(super) report: Option<CommandReport>,
    /// The problems of the command and of its changes.
    pub(super) problems: Vec<Problem>,
}

/// Checks or applies `change`.
pub(super) fn run(
    change: TreeChange,
    request: Request,
    mode: CommandMode,
    workspace: &dyn Workspace,
) -> Outcome {
    let effects = CommandEffects::default();
    run_with_effects(change, effects, request, (mode, workspace))
}

/// Checks or applies `change`. The report contains `effects`.
pub(super) fn run_with_effects(
    change: TreeChange,
    effects: CommandEffects,
    request: Request,
    (mode, workspace): (CommandMode, &dyn Workspace),
) -> Outcome {
    let (mut task, begun) =
        match CommandRun::new((change.command, mode.success()), request, workspace) {
            Ok(begun) => begun,
            Err(outcome) => return *outcome,
        };
    task.command.reports_dry_run = mode == CommandMode::Check;
    if let Some(misuse) = task.usage_problem().or_else(|| change.usage_problem()) {
        let mut done = Committed::from(begun);
        done.problems().push(misuse);
        return done.finish(&task.command);
    }
    let options = preflight::Options {
        unmet_precondition: UnmetPrecondition::Stale,
        ..task.request.preflight_options()
    };
    let mut selected = Selected {
        plan: change.into_plan(),
        is_resolvable: true,
        ..begun
    };
    selected.problems.extend(effects.problems);
    let mut done = task.run(selected, &options, mode);
    done.result.command_reports.run = effects.report;
    done.finish(&task.command)
}

impl TreeChange {
    /// Returns the problem of a file whose states are invalid in every tree.
    fn usage_problem(&self) -> Option<Problem> {
        self.files.iter().find_map(|file| {
            let is_directory = file
                .before
                .is_some_and(|before| before.kind == FileKind::Directory)
                || file
                    .after
                    .as_ref()
                    .is_some_and(|after| after.mode == FileMode::Submodule);
            let has_no_content = file.after.as_ref().is_some_and(|after| {
                after.content.is_none()
                    && file
                        .before
                        .is_none_or(|before| before.kind != after.mode.kind())
            });
            let message = if is_directory {
                "a directory is not a file of a change"
            } else if has_no_content {
                "a new file needs a content"
            } else {
                return None;
            };
            Some(Problem {
                path: Some(file.path.clone()),
                ..Problem::new(&code::USAGE, message)
            })
        })
    }
}
