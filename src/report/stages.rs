//! The inputs of a report: the results of the steps of one command.

use std::sync::Arc;

use super::{CommandReport, HistoryReport, IndexReport, Outcome, SessionReport};
use crate::diagnostics::Findings;
use crate::path::RelPath;
use crate::plan::{ExcludedItem, Input, Plan};
use crate::policy::Policy;
use crate::preflight::{FileWhitespace, Problem, Resolution};
use crate::transaction::history::IndexChange;
use crate::transaction::{HardLinkMode, KeptFile, Receipt, RecoveredTransaction};

/// The properties of a command that its report depends on.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Command {
    /// The name in reports.
    pub name: &'static str,
    /// The outcome if there is no problem.
    pub success: Outcome,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// Whether a full report was requested, with digests and the `plan_id`.
    pub is_full_report: bool,
    /// Whether the report can omit files that change exactly as the patches state.
    pub is_brief: bool,
    /// Whether the report lists all failures, without limits.
    pub is_unlimited: bool,
    /// Whether the report contains `dry_run`. `changed` then states whether the command would
    /// change the tree.
    pub reports_dry_run: bool,
    /// Whether the patches belong to a saved plan.
    pub is_saved: bool,
    /// How the command treats other hard links of a file.
    pub hard_links: HardLinkMode,
}

impl Command {
    /// Returns a command without options, with the built-in policy.
    #[must_use]
    pub fn of(name: &'static str, success: Outcome) -> Self {
        Self {
            name,
            success,
            policy: Arc::default(),
            is_full_report: false,
            is_brief: false,
            is_unlimited: false,
            reports_dry_run: false,
            is_saved: false,
            hard_links: HardLinkMode::default(),
        }
    }
}

/// The selected operations.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// The operations.
    pub plan: Plan,
    /// Whether the plan can be resolved: every patch was parsed, and every repair is unambiguous.
    pub is_resolvable: bool,
    /// The files and hunks that were not selected.
    pub left_out: Vec<ExcludedItem>,
    /// The files that filters excluded: the source name of a rename or copy, and the name.
    pub skipped: Vec<(Option<RelPath>, RelPath)>,
    /// The problems so far, in order.
    pub problems: Vec<Problem>,
    /// The policy file that cannot be used. The position of the only problem refers to it.
    pub unusable_policy: Option<Input>,
}

/// The resulting tree.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The selected operations.
    pub selected: Selected,
    /// The outcome of each operation. Its problems are in `selected`.
    pub resolution: Option<Resolution>,
    /// The white-space errors of a plan that is not compared with files, by the index of the
    /// operation.
    pub uncompared_whitespace: Vec<(usize, FileWhitespace)>,
    /// The change of git's index.
    pub index_report: Option<IndexReport>,
    /// The changed index entries, for the history entry.
    pub index_changes: Vec<IndexChange>,
    /// The findings of language servers.
    pub findings: Option<Findings>,
}

/// The result of a commit, or of a command that commits nothing.
#[derive(Clone, Debug, Default)]
pub struct CommitResult {
    /// The proof of the commit.
    pub receipt: Option<Receipt>,
    /// Whether a command has changed the tree itself. Its changes stay, even if they cannot be
    /// recorded.
    pub is_observed: bool,
    /// The interrupted transactions that were recovered before the command began.
    pub recovered: Vec<RecoveredTransaction>,
    /// The paths that the rollback could not restore, and their displaced files.
    pub unrestored: (Vec<RelPath>, Vec<KeptFile>),
    /// The signal that interrupted the command.
    pub signal: Option<i32>,
    /// The results of the user's commands.
    pub command_reports: CommandReports,
    /// Whether the change can be undone.
    pub history: Option<HistoryReport>,
    /// The identifier of the plan, for a command that does not resolve it.
    pub plan_id: Option<String>,
    /// The time at which the saved plan expires, in seconds since 1970.
    pub saved_until: Option<u64>,
    /// The edit session of the command.
    pub session: Option<SessionReport>,
}

/// The results of the user's commands.
#[derive(Clone, Debug, Default)]
pub struct CommandReports {
    /// The result of the command that made the change.
    pub run: Option<CommandReport>,
    /// The result of the command that ran before the change.
    pub before: Option<CommandReport>,
    /// The result of the command that verified the change.
    pub verify: Option<CommandReport>,
    /// The result of the command that ran after the change.
    pub after: Option<CommandReport>,
}

/// The results of all steps, for the functions that build a report.
#[derive(Clone, Copy)]
pub(super) struct ReportInputs<'a> {
    pub(super) command: &'a Command,
    pub(super) resolved: &'a Resolved,
    pub(super) selected: &'a Selected,
    pub(super) result: &'a CommitResult,
}

impl<'a> ReportInputs<'a> {
    /// Combines the results of the steps of one command.
    pub(super) fn of(
        command: &'a Command,
        resolved: &'a Resolved,
        result: &'a CommitResult,
    ) -> Self {
        Self {
            command,
            resolved,
            selected: &resolved.selected,
            result,
        }
    }
}
