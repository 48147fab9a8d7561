//! The commands of the user around a change: `--before`, `--verify` and `--after`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Run, report};
use crate::mutex::locked;
use crate::preflight::{self, Problem, Severity, code};
use crate::process::{self, Ending, Errand, Ran};
use crate::progress::{Phase, Progress};
use crate::report::{CommandReport, Report, print_json};
use crate::transaction::{Failure, Interrupt, Trial};
use crate::workspace::{Workspace, top};

/// The variable that has the identity of the work tree, or of the root, for what runs while the change is half made.
pub const AT_WORK: &str = "WPATCH_TRANSACTION";

/// The commands of the user that a change is put to. Each is what `sh -c` does in the root, gets the report as JSON on
/// its standard input, and runs in a process group of its own that is killed when it ends.
///
/// # Security
///
/// They run with all that the user may do. They come from whoever calls this, never from a patch or from the tree; but
/// what they run may well be in the tree, as tests are.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Asked before anything is written; any exit code but 0 refuses the change.
    pub before: Option<OsString>,
    /// Asked when the change is in place; anything but exit code 0 in time puts everything back.
    pub verify: Option<OsString>,
    /// Told what was done.
    pub after: Option<OsString>,
    /// How long each of them may take.
    pub limit: Duration,
    /// Where they run: the root.
    pub directory: PathBuf,
}

impl Default for Commands {
    fn default() -> Self {
        let directory = PathBuf::from(".");
        Self { before: None, verify: None, after: None, limit: Duration::from_secs(60), directory }
    }
}

impl Commands {
    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        let named = [("before", &self.before), ("verify", &self.verify), ("after", &self.after)];
        named.into_iter().filter_map(|(name, command)| Some((name, command.as_ref()?)))
    }

    /// Returns `options` with what the commands are told of the change.
    pub(super) fn described(&self, options: preflight::Options) -> preflight::Options {
        let is_asked = !self.is_empty();
        preflight::Options { describe: options.describe || is_asked, diff: options.diff || is_asked, ..options }
    }

    /// Says what no shell could run.
    pub(super) fn misuse(&self) -> Option<String> {
        let is_wrong = |command: &OsString| {
            let bytes = command.as_encoded_bytes();
            bytes.trim_ascii().is_empty() || bytes.contains(&0)
        };
        let wrong = self.all().find(|(_, command)| is_wrong(command));
        wrong.map(|(name, _)| format!("--{name} needs a command: it is empty, or has a NUL in it"))
    }
}

/// Returns whether `at_work`, the value of the variable [`AT_WORK`], says that this process is run by a change of the work
/// tree that `workspace` is in, or of its root. Whatever changes it waits for that change, which waits for this process.
pub fn is_within(at_work: &OsStr, workspace: &dyn Workspace) -> bool {
    top(workspace).and_then(Workspace::identity).is_ok_and(|identity| at_work == identity.as_str())
}

/// One command that is to run: everything but when.
struct Turn<'a> {
    command: &'a OsStr,
    commands: &'a Commands,
    input: Vec<u8>,
    environment: Vec<(&'static str, OsString)>,
    phase: Phase,
    progress: Progress,
}

impl Turn<'_> {
    fn run(&self, interrupt: &Interrupt) -> Result<Ran, Failure> {
        let Self { command, commands, input, environment, phase, progress } = self;
        progress.enter(*phase, 0);
        let errand = Errand { command, directory: &commands.directory, environment, input, limit: commands.limit };
        let ran = process::run(&errand, &|| interrupt.signal().is_some());
        let ran = ran.map_err(|error| Failure::Command { reason: error.to_string() })?;
        match (ran.ending, interrupt.signal()) {
            (Ending::Stopped, Some(signal)) => Err(Failure::Interrupted(signal)),
            _ => Ok(ran),
        }
    }
}

/// The command that verifies a change.
pub(super) struct Verification<'a> {
    turn: Turn<'a>,
    ran: Mutex<Option<Ran>>,
}

impl Trial for Verification<'_> {
    fn judge(&self, interrupt: &Interrupt) -> Result<(), Failure> {
        let ran = self.turn.run(interrupt)?;
        let has_passed = ran.ending == Ending::Exited(0);
        *locked(&self.ran) = Some(ran);
        if has_passed { Ok(()) } else { Err(Failure::Rejected) }
    }
}

/// What came of the commands.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) before: Option<CommandReport>,
    pub(super) verify: Option<CommandReport>,
    pub(super) after: Option<CommandReport>,
}

impl Answers {
    /// Puts them into `report`.
    pub(super) fn tell(&self, report: &mut Report) {
        (report.before, report.verify, report.after) = (self.before.clone(), self.verify.clone(), self.after.clone());
    }
}

impl Run {
    /// Lets `--before` have its say; returns whether the change may go on.
    pub(super) fn ask_before(
        &mut self,
        commands: &Commands,
        workspace: &dyn Workspace,
        interrupt: &Interrupt,
    ) -> Result<bool, Failure> {
        let Some(command) = &commands.before else { return Ok(true) };
        let turn = self.turn((command, Phase::Before), commands, report::Outcome::WouldApply, Some(workspace))?;
        let ran = turn.run(interrupt);
        workspace.forget();
        let ran = ran?;
        self.answers.before = Some(CommandReport::of(command.as_encoded_bytes(), &ran));
        let is_allowed = ran.ending == Ending::Exited(0);
        if !is_allowed {
            let problem = Problem::new(&code::BEFORE, format!("--before refused the change: {}", told(&ran, commands)));
            self.problems.push(Problem { help: Some("nothing was written".to_owned()), ..problem });
        }
        Ok(is_allowed)
    }

    /// Returns who is to verify the change.
    pub(super) fn verification<'c>(
        &self,
        commands: &'c Commands,
        workspace: &dyn Workspace,
    ) -> Result<Option<Verification<'c>>, Failure> {
        let Some(command) = &commands.verify else { return Ok(None) };
        let turn = self.turn((command, Phase::Verifying), commands, report::Outcome::Applied, Some(workspace))?;
        Ok(Some(Verification { turn, ran: Mutex::default() }))
    }

    /// Notes what `verification` said.
    pub(super) fn verified(&mut self, verification: Verification<'_>) {
        let Verification { turn, ran } = verification;
        let Some(ran) = ran.into_inner().unwrap_or_else(PoisonError::into_inner) else { return };
        self.answers.verify = Some(CommandReport::of(turn.command.as_encoded_bytes(), &ran));
        if ran.ending != Ending::Exited(0) {
            let message = format!("--verify sent the change back: {}", told(&ran, turn.commands));
            self.problems.push(Problem::new(&code::VERIFY, message));
        }
    }

    /// Tells `--after` what was done. Nothing that comes of it changes how the command ends.
    pub(super) fn tell_after(&mut self, commands: &Commands, interrupt: &Interrupt) {
        let Some(command) = commands.after.as_ref().filter(|_| self.receipt.is_some()) else { return };
        let turn = self.turn((command, Phase::After), commands, report::Outcome::Applied, None);
        let ran = turn.and_then(|turn| turn.run(interrupt));
        let why = match &ran {
            Ok(ran) => {
                self.answers.after = Some(CommandReport::of(command.as_encoded_bytes(), ran));
                (ran.ending != Ending::Exited(0)).then(|| told(ran, commands))
            }
            Err(failure) => Some(failure.to_string()),
        };
        if let Some(why) = why {
            let problem = Problem::new(&code::AFTER, format!("--after failed, and the change stays: {why}"));
            self.problems.push(Problem { severity: Severity::Warning, ..problem });
        }
    }

    /// Returns what `command` gets: the report as it is if the change ends like this. While it is half made
    /// there is a `workspace`, which the environment names.
    fn turn<'c>(
        &self,
        (command, phase): (&'c OsStr, Phase),
        commands: &'c Commands,
        success: report::Outcome,
        workspace: Option<&dyn Workspace>,
    ) -> Result<Turn<'c>, Failure> {
        let mut report = self.report_as(success);
        report.root = Some(commands.directory.to_string_lossy().into_owned());
        let mut input = Vec::new();
        // Its keys are strings and memory takes everything, so that it cannot fail.
        let _ = print_json(&report, &mut input);
        let mut environment = vec![
            ("WPATCH_ROOT", commands.directory.clone().into_os_string()),
            ("WPATCH_COMMAND", self.command.into()),
            ("WPATCH_PLAN_ID", report.plan_id.unwrap_or_default().into()),
        ];
        if let Some(workspace) = workspace {
            environment.push((AT_WORK, top(workspace)?.identity()?.into()));
        }
        Ok(Turn { command, commands, input, environment, phase, progress: self.progress.clone() })
    }
}

fn told(ran: &Ran, commands: &Commands) -> String {
    match ran.ending {
        Ending::Exited(code) => format!("exit code {code}"),
        Ending::Signalled(signal) => format!("it was ended by signal {signal}"),
        Ending::TimedOut => format!("it took longer than {} ms", commands.limit.as_millis()),
        Ending::Stopped => "it was stopped".to_owned(),
    }
}
