//! `apply` and `check`: from the options to the printed outcome.
//!
//! [`run_request`] chooses the engine function for the options; read it first.

use std::path::{self, PathBuf};
use std::process::ExitCode;

use super::args::{ApplyOptions, CheckOptions, Global, PatchOptions, TreeOptions};
use super::attribution::AttributionOptions;
use super::commands::CommandOptions;
use super::output::{Output, Verbosity};
use super::root::{argument_paths, open, open_to_change, with_root};
use super::{CommandMode, EarlyExit, finish, index, input, policy, refuse, request, tree, watcher};
use crate::engine::options::{Progress, WhitespaceAction};
use crate::engine::{self, Outcome, Request};
use crate::report;

/// Applies a patch. With `--check` or an option that turns applying off, does less.
pub(super) fn apply(mut options: ApplyOptions, global: &Global) -> ExitCode {
    options.patch.add_gnu_options(options.gnu);
    let task = match (
        options.apply,
        options.check,
        options.patch.is_apply_disabled(),
    ) {
        (true, ..) | (_, false, false) => CommandMode::Apply,
        (_, true, _) => CommandMode::Check,
        (_, false, true) => CommandMode::Describe,
    };
    let way = options.plan.map_or(PlanSource::Plain, PlanSource::Saved);
    let output = Output::of(global, Verbosity::Normal);
    run(
        (task, way),
        options.patch,
        (&options.commands, &options.attribution),
        (global, output),
    )
}

/// Checks a patch.
pub(super) fn check(options: CheckOptions, global: &Global) -> ExitCode {
    let CheckOptions {
        mut patch,
        gnu,
        tree,
        save,
        ..
    } = options;
    if patch.index.build_fake_ancestor.is_some() {
        return refuse(request::write_option_error(), "check", global);
    }
    patch.add_gnu_options(gnu);
    let task = if patch.shape {
        CommandMode::Shape
    } else {
        CommandMode::Check
    };
    let way = match (save, tree.is_given()) {
        (true, _) => PlanSource::Save,
        (_, true) => PlanSource::Tree(&tree),
        _ => PlanSource::Plain,
    };
    // The user needs the identifier of the saved plan, so print it by default.
    let usual = if save {
        Verbosity::Verbose
    } else {
        Verbosity::Normal
    };
    let mut output = Output::of(global, usual);
    if task == CommandMode::Check {
        output = output.with_summary(global);
    }
    run(
        (task, way),
        patch,
        (&CommandOptions::default(), &AttributionOptions::default()),
        (global, output),
    )
}

/// The source or destination of the plan.
#[derive(Clone, Debug)]
enum PlanSource<'t> {
    Plain,
    /// The plan is checked against a git tree.
    Tree(&'t TreeOptions),
    /// The plan is saved.
    Save,
    /// The plan is the saved plan with this identifier.
    Saved(String),
}

/// The commands of the user around a change, and who makes it.
type ChangeOptions<'a> = (&'a CommandOptions, &'a AttributionOptions);

fn run(
    (mode, source): (CommandMode, PlanSource<'_>),
    patch: PatchOptions,
    commands: ChangeOptions<'_>,
    (global, output): (&Global, Output),
) -> ExitCode {
    let output = output
        .with_statistics(&patch, global)
        .with_git(&patch, global);
    let is_deterministic = patch.look.deterministic;
    let names_files = has_file_names(&patch, global);
    let has_summary = output.has_summary();
    let outcome = watcher::run(mode.name(), global, |progress| {
        run_request(
            (mode, &source),
            (patch, has_summary),
            commands,
            global,
            progress,
        )
    });
    let mut outcome = outcome.unwrap_or_else(|stop| stop.into_outcome(mode.name()));
    if names_files {
        outcome.report.quoting = engine::quoting(&outcome.report, global.root());
    }
    if is_deterministic {
        report::make_deterministic(&mut outcome.report, &argument_paths(global));
    }
    let code = finish(&outcome, &output);
    if !global.caller.is_library() {
        // The process ends after this, so skip the destructors of the large report.
        std::mem::forget(outcome);
    }
    code
}

/// Returns whether the output names files that have no problem.
fn has_file_names(patch: &PatchOptions, global: &Global) -> bool {
    patch.look.has_statistics() || patch.git.reject || global.verbose
}

fn run_request(
    (mode, source): (CommandMode, &PlanSource<'_>),
    (mut patch, has_summary): (PatchOptions, bool),
    (commands, attribution): ChangeOptions<'_>,
    global: &Global,
    progress: Progress,
) -> Result<Outcome, EarlyExit> {
    progress.enter(input::first_phase(&patch.basic.patches, &global.caller), 0);
    // A brief report omits files that change as the patches state. Use it only if no output names
    // these files.
    let is_asked = global.has_report() || patch.merge.three_way;
    let is_brief = !is_asked && !has_file_names(&patch, global);
    let ancestor = patch.index.build_fake_ancestor.take();
    let mut request = match source {
        // A saved plan contains its patches, so no input is read.
        PlanSource::Saved(id) => {
            let usual = request::build_request(patch, mode, global)?;
            match engine::load_plan(usual, &*open(global)?, id) {
                Ok(request) => request,
                Err(outcome) => return Ok(*outcome),
            }
        }
        _ => request::read_request(patch, mode, global)?,
    };
    request.look.progress = progress;
    // The summary prints a command with the `plan_id`.
    request.look.describe |= has_summary;
    if let Some(file) = ancestor {
        let built = build_ancestor(request.clone(), file, global)?;
        if matches!(mode, CommandMode::Describe | CommandMode::Shape) || !built.report.ok {
            return Ok(built);
        }
    }
    if matches!(mode, CommandMode::Describe | CommandMode::Shape) {
        return Ok(describe(request, mode));
    }
    if let PlanSource::Tree(tree) = source {
        return tree::check(request, tree, global);
    }
    let outcome = if matches!(source, PlanSource::Save) {
        engine::save(
            request,
            &*open_to_change(global)?,
            &global.caller.catch_signals()?,
        )
    } else if mode == CommandMode::Check {
        engine::check(request, &*open(global)?)
    } else {
        let workspace = open_to_change(global)?;
        request.commit.commands = commands.commands(global);
        request.commit.attribution = attribution.attribution(global);
        request.look.is_brief = is_brief;
        let interrupt = global.caller.catch_signals_in_transactions()?;
        engine::apply(request, &*workspace, &interrupt)
    };
    Ok(with_root(outcome, global))
}

/// Writes the index of `--build-fake-ancestor` to `file`.
fn build_ancestor(request: Request, file: PathBuf, global: &Global) -> Result<Outcome, EarlyExit> {
    let file = path::absolute(&file).unwrap_or(file);
    policy::check_writable(&file, global)?;
    // From here on, a signal must not end the process while the file is written.
    global.caller.catch_signals()?;
    let index = index::find_index(global, "--build-fake-ancestor")?;
    Ok(engine::build_ancestor(request, &index, &file))
}

/// Describes the patches of `request` without reading a file of the tree.
fn describe(mut request: Request, task: CommandMode) -> Outcome {
    if task == CommandMode::Shape {
        request.decide.whitespace = None;
        request.context.git = None;
        request.context.whitespace = WhitespaceAction::NoWarn;
    }
    let mut outcome = engine::describe(request);
    outcome.report.command = task.name();
    outcome
}
