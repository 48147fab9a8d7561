//! The terminal: arguments, standard streams, signals, exit codes. The only module that prints.

mod apply_patch;
mod args;
mod batch;
mod closeness;
mod commands;
mod config;
mod diagnostic;
mod document;
mod explain;
mod file_options;
mod files;
mod git;
mod gnu;
mod guards;
mod habits;
mod history;
mod hook;
mod index;
mod input;
mod line;
mod links;
mod look;
mod mcp;
mod merge;
mod names;
mod notebook;
mod output;
mod policy;
mod progress;
mod request;
mod series;
mod servers;
mod show;
mod signals;
mod stop;
mod tree;
mod verbs;
mod whitespace;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::path::{self, Path, PathBuf};
use std::process::ExitCode;

use args::{CheckOptions, Cli, Command, Global, PatchOptions, TreeOptions};
use commands::CommandOptions;
use output::{Output, Verbosity};
use stop::Stop;

use crate::engine::options::{Interrupt, Progress, code};
use crate::engine::{self, Disk, Outcome, Request, Target};
use crate::report;
use crate::text::without_error_number;

/// Does what `arguments` say, the name of the program first, and returns the exit code.
#[must_use]
pub fn run(arguments: &[OsString]) -> ExitCode {
    if apply_patch::is_meant(arguments) {
        return apply_patch::run(&arguments[1..]);
    }
    if gnu::is_meant(arguments) {
        return gnu::run(arguments);
    }
    match args::parse(arguments) {
        Ok(mut cli) => {
            cli.global.arguments = arguments.to_vec();
            dispatch(cli)
        }
        Err(error) if error.use_stderr() => misused(&error, arguments),
        Err(wish) => output::print(wish.render().to_string().as_bytes()),
    }
}

fn dispatch(
    Cli {
        mut global,
        command,
    }: Cli,
) -> ExitCode {
    if let (Some(format), Some(name)) = (&global.output, command.without_report()) {
        let stop = Stop::new(
            &code::USAGE,
            format!("{name} prints no report, and nothing as {format}"),
        );
        return finish(
            &stop.into_outcome(name),
            &Output::of(&global, Verbosity::Normal),
        );
    }
    if let Err(stop) = policy::aim(&mut global, command.file()) {
        return finish(
            &stop.into_outcome(command.name()),
            &Output::of(&global, Verbosity::Normal),
        );
    }
    match command {
        Command::Apply(mut apply) => {
            apply.patch.add(apply.habits);
            let task = match (apply.apply, apply.check, apply.patch.is_inert()) {
                (true, ..) | (_, false, false) => Task::Apply,
                (_, true, _) => Task::Check,
                (_, false, true) => Task::Describe,
            };
            patch(
                (task, apply.plan.map_or(Way::Plain, Way::Saved)),
                apply.patch,
                &apply.commands,
                &global,
            )
        }
        Command::Check(check) if check.batch.batch => batch::run(check, global),
        Command::Check(check) if check.patch.index.build_fake_ancestor.is_some() => finish(
            &not_looking().into_outcome("check"),
            &Output::of(&global, Verbosity::Normal),
        ),
        Command::Check(CheckOptions {
            patch: mut check,
            habits,
            tree,
            save,
            ..
        }) => {
            check.add(habits);
            let task = if check.shape {
                Task::Shape
            } else {
                Task::Check
            };
            let way = match (save, tree.is_meant()) {
                (true, _) => Way::Save,
                (_, true) => Way::Tree(&tree),
                _ => Way::Plain,
            };
            patch((task, way), check, &CommandOptions::default(), &global)
        }
        Command::Reject(options) => history::reject(&options, &global),
        Command::Edit(edit) => edit_file("edit", verbs::edit(&edit, &global), &global),
        Command::Write(write) => edit_file("write", verbs::write(*write, &global), &global),
        Command::Append(append) => edit_file("append", verbs::append(*append, &global), &global),
        Command::Notebook { command } => {
            edit_file("notebook", notebook::change(*command, &global), &global)
        }
        Command::Recover => history::recover(&global),
        Command::Undo(options) => history::undo(options, &global),
        Command::Redo(options) => history::back(Target::Undo, &options, &global),
        Command::Log => history::log(&global),
        Command::Show(options) => show::show(*options, &global),
        Command::Init => history::init(&global),
        Command::Gc { all } => history::gc(all, &global),
        Command::Grammar { name } => document::grammar(&name),
        Command::Schema { name } => document::schema(name.as_deref()),
        Command::Completions { shell } => document::completions(shell),
        Command::Man { command } => document::manual(command.as_deref()),
        Command::Read(options) => look::read(*options, &global),
        Command::List(options) => look::list(*options, &global),
        Command::Diff(options) => look::diff(*options, &global),
        Command::Policy { command } => explain::explain(command, &global),
        Command::Mcp(options) => mcp::serve(&options, &global),
        Command::Hook { agent, allow } => hook::answer(agent, &allow.into(), &global),
    }
}

/// How far a patch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Into the tree.
    Apply,
    /// Up to the tree.
    Check,
    /// No further than its own text.
    Describe,
    /// The same, for who asked for a check.
    Shape,
    /// Up to the tree, to be shown as a diff.
    Show,
}

impl Task {
    /// The command in reports.
    fn name(self) -> &'static str {
        match self {
            Self::Check | Self::Shape => "check",
            Self::Apply | Self::Describe => "apply",
            Self::Show => "show",
        }
    }
}

/// Where a plan comes from and what it is for.
#[derive(Clone, Debug)]
enum Way<'t> {
    Plain,
    /// It is for a tree of git.
    Tree(&'t TreeOptions),
    /// It is kept.
    Save,
    /// It is the one that was kept under this name.
    Saved(String),
}

fn patch(
    (task, way): (Task, Way<'_>),
    patch: PatchOptions,
    commands: &CommandOptions,
    global: &Global,
) -> ExitCode {
    // Whoever has a plan kept has to know its name.
    let usual = if matches!(way, Way::Save) {
        Verbosity::Loud
    } else {
        Verbosity::Normal
    };
    let output = Output::of(global, usual)
        .with_statistics(&patch, global)
        .with_git(&patch, global);
    let is_deterministic = patch.look.deterministic;
    let names_files = names_files(&patch, global);
    let outcome = progress::shown(global, |progress| {
        outcome((task, &way), patch, commands, global, progress)
    });
    let mut outcome = outcome.unwrap_or_else(|stop| stop.into_outcome(task.name()));
    if names_files {
        outcome.report.quoting = engine::quoting(&outcome.report, global.root());
    }
    if is_deterministic {
        report::forget_place(&mut outcome.report, &places(global));
    }
    let code = finish(&outcome, &output);
    // The process ends here, and its memory as a whole.
    std::mem::forget(outcome);
    code
}

/// Returns whether files are named in what is printed, whatever there is to say of them.
fn names_files(patch: &PatchOptions, global: &Global) -> bool {
    patch.look.is_statistics() || patch.git.reject || global.verbose
}

fn outcome(
    (task, way): (Task, &Way<'_>),
    mut patch: PatchOptions,
    commands: &CommandOptions,
    global: &Global,
    progress: Progress,
) -> Result<Outcome, Stop> {
    progress.enter(input::first(&patch.usual.patches), 0);
    let is_asked = global.json || global.output.is_some() || patch.merge.three_way;
    let is_brief = !is_asked && !names_files(&patch, global);
    let ancestor = patch.index.build_fake_ancestor.take();
    let mut request = match way {
        Way::Saved(id) => {
            match engine::planned(request::wishes(patch, task, global)?, &open(global)?, id) {
                Ok(request) => request,
                Err(outcome) => return Ok(*outcome),
            }
        }
        _ => request::request(patch, task, global)?,
    };
    request.look.progress = progress;
    if let Some(file) = ancestor {
        let file = path::absolute(&file).unwrap_or(file);
        policy::writable(&file, global)?;
        let built = engine::build_ancestor(
            request.clone(),
            &index::around(global, "--build-fake-ancestor")?,
            &file,
        );
        if matches!(task, Task::Describe | Task::Shape) || !built.report.ok {
            return Ok(built);
        }
    }
    if matches!(task, Task::Describe | Task::Shape) {
        if task == Task::Shape {
            request.decide.whitespace = None;
            request.context.git = None;
            request.context.whitespace = engine::options::WhitespaceAction::NoWarn;
        }
        let mut outcome = engine::describe(request);
        outcome.report.command = task.name();
        return Ok(outcome);
    }
    if let Way::Tree(tree) = way {
        return tree::check(request, tree, global);
    }
    let outcome = if matches!(way, Way::Save) {
        engine::save(request, &open_to_change(global)?, &watched()?)
    } else if task == Task::Check {
        engine::check(request, &open(global)?)
    } else {
        let workspace = open_to_change(global)?;
        request.commit.commands = commands.commands(global);
        request.look.is_brief = is_brief;
        // Only now: a signal that comes while the patch is read ends the process at once.
        let interrupt = watched()?;
        engine::apply(request, &workspace, &interrupt)
    };
    Ok(rooted(outcome, global))
}

/// Makes an edit of one file, or checks it.
fn edit_file(
    command: &'static str,
    asked: Result<(Task, Request), Stop>,
    global: &Global,
) -> ExitCode {
    let outcome = asked.and_then(|(task, mut request)| {
        let workspace = open_to_change(global)?;
        // A signal that comes during a check ends the process at once.
        let interrupt = if task == Task::Check {
            None
        } else {
            Some(watched()?)
        };
        Ok(progress::shown(global, |progress| {
            request.look.progress = progress;
            let outcome = match interrupt {
                None => engine::check(request, &workspace),
                Some(interrupt) => engine::apply(request, &workspace, &interrupt),
            };
            rooted(outcome, global)
        }))
    });
    finish(
        &outcome.unwrap_or_else(|stop| stop.into_outcome(command)),
        &Output::of(global, Verbosity::Normal),
    )
}

/// Opens the root for what changes it, unless the very change that is at work there runs this: each
/// would wait for the other.
fn open_to_change(global: &Global) -> Result<Disk, Stop> {
    let workspace = open(global)?;
    if env::var_os(engine::AT_WORK).is_some_and(|at_work| engine::is_within(&at_work, &workspace)) {
        let message =
            "this runs within a change of the same tree, and cannot change it meanwhile".to_owned();
        let help = Some(
            "`check`, `read`, `list` and `diff` work, and see the tree as it is going to be"
                .to_owned(),
        );
        return Err(Stop {
            help,
            ..Stop::new(&code::LOCKED, message)
        });
    }
    Ok(workspace)
}

/// Refuses what writes a file where somebody only looks.
fn not_looking() -> Stop {
    Stop::new(
        &code::USAGE,
        "--build-fake-ancestor writes a file, and belongs to apply".to_owned(),
    )
}

fn watched() -> Result<Interrupt, Stop> {
    signals::watch()
        .map_err(|error| Stop::new(&code::IO, format!("cannot watch for signals: {error}")))
}

fn open(global: &Global) -> Result<Disk, Stop> {
    let opened = match state_home() {
        Some(above) => engine::open_with_attic(global.root(), &above),
        None => engine::open(global.root()),
    };
    opened.map_err(|error| unopened(global.root(), &error))
}

fn unopened(root: &Path, error: &dyn Error) -> Stop {
    let source = error.source();
    let cause = source.map_or_else(String::new, |source| format!(": {source}"));
    let kind = source
        .and_then(|source| source.downcast_ref::<io::Error>())
        .map(io::Error::kind);
    // A directory that does not exist is a mistake in the command line.
    let is_wrong_name = matches!(
        kind,
        Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    );
    let code = if is_wrong_name {
        &code::USAGE
    } else {
        &code::IO
    };
    let cause = without_error_number(&cause);
    Stop::new(
        code,
        format!("cannot open the root {}{cause}", root.display()),
    )
}

/// Returns where the user wants programs to keep their state. The XDG Base Directory Specification
/// has a default for who says nothing; but nothing is to stay behind where nobody asked for it.
fn state_home() -> Option<PathBuf> {
    env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Returns `outcome` with the names of the root in its report.
fn rooted(mut outcome: Outcome, global: &Global) -> Outcome {
    outcome.report.root = Some(root(global));
    let base = global.root().to_string_lossy();
    outcome.report.base = Some(base.trim_end_matches('/').to_owned()).filter(|base| base != ".");
    outcome
}

fn root(global: &Global) -> String {
    real(global.root())
}

fn real(root: &Path) -> String {
    let real = fs_err::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    real.to_string_lossy().into_owned()
}

/// Returns the absolute names that the directory `root` goes by: the one that the shell has for it,
/// where that differs, and the one without links.
fn names_of(root: &Path) -> Vec<PathBuf> {
    let Ok(real) = fs_err::canonicalize(root) else {
        return Vec::new();
    };
    let named = env::var_os("PWD").map_or_else(
        || root.to_owned(),
        |directory| Path::new(&directory).join(root),
    );
    // Without `.` and doubled slashes.
    let named: PathBuf = named.components().collect();
    let is_other = named != real
        && named.is_absolute()
        && fs_err::canonicalize(&named).is_ok_and(|named| named == real);
    is_other
        .then_some(named)
        .into_iter()
        .chain([real])
        .collect()
}

/// Returns the names by which problems may call what the command line names.
fn places(global: &Global) -> Vec<String> {
    let config = config::config().ok().flatten().map(|config| config.path);
    let names = names_of(global.root())
        .into_iter()
        .chain(global.policy.iter().cloned())
        .chain(config);
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

/// A command line that cannot be understood. Whoever asked for a format anywhere in it gets it.
fn misused(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let text = error.render().to_string();
    let words: Vec<_> = text
        .lines()
        .take_while(|line| !line.is_empty())
        .map(str::trim)
        .collect();
    let message = words.join(" ");
    let stop = Stop::new(
        &code::USAGE,
        message
            .strip_prefix("error: ")
            .unwrap_or(&message)
            .to_owned(),
    );
    let output =
        args::format_among(arguments).map_or_else(|| Output::usage(text), Output::in_format);
    finish(
        &stop.into_outcome(document::command_among(arguments)),
        &output,
    )
}

/// Prints the outcome and returns its exit code.
///
/// Not 0 promises an untouched tree, so that a report which cannot be printed changes the code only
/// where nothing was done; a reader who has gone away changes nothing.
fn finish(outcome: &Outcome, output: &Output) -> ExitCode {
    let report = &outcome.report;
    match output.print(outcome) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            output::complain(&format!("cannot write the report: {error}"));
            if report.ok && !report.changed {
                ExitCode::from(4)
            } else {
                ExitCode::from(report.exit_code)
            }
        }
        _ => ExitCode::from(report.exit_code),
    }
}
