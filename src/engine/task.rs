//! The request of one command, with the tree to which it applies.

use super::govern::extend_policy;
use super::request::{IndexTarget, Request, UserCommands};
use super::stages::{Command, Selected};
use super::{Outcome, approval, session};
use crate::preflight::{self, PreviewSinks, Problem, code};
use crate::progress::Progress;
use crate::report;
use crate::transaction::Interrupt;
use crate::transaction::history::CommittedSession;
use crate::workspace::Workspace;

/// Whether a command checks a change or applies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandMode {
    Check,
    Apply,
}

impl CommandMode {
    /// Returns the name of the command for patches.
    pub(super) fn patch_command(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Apply => "apply",
        }
    }

    /// Returns the outcome of a command without problems.
    pub(super) fn success(self) -> report::Outcome {
        match self {
            Self::Check => report::Outcome::WouldApply,
            Self::Apply => report::Outcome::Applied,
        }
    }
}

/// A request without its input, and the tree to which it applies.
pub(super) struct CommandRun<'a> {
    pub(super) command: Command,
    pub(super) request: Request,
    /// Git's index, if the change updates it.
    pub(super) index_target: Option<IndexTarget>,
    /// The edit session that the change commits, and the number of its steps.
    pub(super) session: Option<(CommittedSession, u64)>,
    pub(super) workspace: &'a dyn Workspace,
    /// Receives the diffs and images that are displayed later.
    pub(super) preview_sinks: PreviewSinks<'a>,
}

impl<'a> CommandRun<'a> {
    /// Begins a command under the policy in force.
    ///
    /// An approval and the commands of the user need the digests of the change, so both set
    /// `describe`. The returned selection has no operations yet; it contains only the problems of
    /// the approval.
    ///
    /// # Errors
    ///
    /// Returns the outcome with the problem if the policy cannot be used.
    pub(super) fn new(
        (name, success): (&'static str, report::Outcome),
        mut request: Request,
        workspace: &'a dyn Workspace,
    ) -> Result<(Self, Selected), Box<Outcome>> {
        let policy = extend_policy(name, &request.context.policy, workspace)?;
        request.context.policy = preflight::with_other_names(policy, workspace);
        let has_commands = !request.commit.commands.is_empty();
        request.look.describe |= has_commands || request.commit.approve.is_some();
        request.look.diff |= has_commands;
        let command = Command {
            policy: request.context.policy.clone(),
            is_full_report: request.look.describe,
            // The commands of the user receive a report of all files.
            is_brief: request.look.is_brief && !has_commands,
            // GNU patch reports every hunk.
            is_unlimited: request.decide.gnu.as_gnu,
            hard_links: request.transaction_options().links,
            ..Command::of(name, success)
        };
        let mut selected = Selected::default();
        approval::check_approval(request.commit.approve.as_deref(), workspace, &mut selected);
        let indexed = request.index_target();
        Ok((
            Self {
                command,
                request,
                index_target: indexed,
                session: None,
                workspace,
                preview_sinks: PreviewSinks::default(),
            },
            selected,
        ))
    }

    pub(super) fn approve(&self) -> Option<&str> {
        self.request.commit.approve.as_deref()
    }

    pub(super) fn commands(&self) -> &UserCommands {
        &self.request.commit.commands
    }

    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.request.context.interrupt
    }

    pub(super) fn progress(&self) -> &Progress {
        &self.request.look.progress
    }

    /// Returns a problem if a shell cannot run one of the commands, if a record cannot contain one
    /// of the texts, or if an option is not possible for the tree.
    pub(super) fn usage_problem(&self) -> Option<Problem> {
        let misuse = self.commands().usage_error();
        misuse
            .or_else(|| self.request.commit.attribution.usage_error())
            .map(|misuse| Problem::new(&code::USAGE, misuse))
            .or_else(|| session::refuse_options(&self.request, self.workspace))
    }
}
