//! The values that a report is built from: the result of each step of a command.

use std::sync::Arc;

use super::{CommandReport, HistoryReport, IndexReport, Outcome};
use crate::diagnostics::Findings;
use crate::path::RelPath;
use crate::plan::{LeftOut, Plan};
use crate::policy::Policy;
use crate::preflight::{FileWhitespace, Problem, Resolution};
use crate::transaction::history::IndexChange;
use crate::transaction::{KeptFile, Links, Receipt, Recovered};

/// The properties of a command that its report contains.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Command {
    /// The name in reports.
    pub name: &'static str,
    /// The outcome if there is no problem.
    pub success: Outcome,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// Whether the report contains digests and the `plan_id`.
    pub is_described: bool,
    /// Whether the report can omit files that change just as the patches say.
    pub is_brief: bool,
    /// Whether the report lists every failure.
    pub is_complete: bool,
    /// Whether the report says `dry_run`. `changed` then states whether the command would change
    /// the tree.
    pub reports_dry_run: bool,
    /// Whether the patches are those of a saved plan.
    pub is_saved: bool,
    /// What becomes of the other names of files.
    pub links: Links,
}

impl Command {
    /// Returns a command without options, under the built-in policy.
    #[must_use]
    pub fn of(name: &'static str, success: Outcome) -> Self {
        Self {
            name,
            success,
            policy: Arc::default(),
            is_described: false,
            is_brief: false,
            is_complete: false,
            reports_dry_run: false,
            is_saved: false,
            links: Links::default(),
        }
    }
}

/// The operations that are applied.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    /// The operations.
    pub plan: Plan,
    /// Whether the plan can be resolved: every patch was read, and every text has a certain repair.
    pub is_resolvable: bool,
    /// The files and hunks that are not selected (`--only`).
    pub left_out: Vec<LeftOut>,
    /// The files that filters left out, each with the name that it would have come from.
    pub skipped: Vec<(Option<RelPath>, RelPath)>,
    /// The problems so far, in order.
    pub problems: Vec<Problem>,
}

/// The resulting tree.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The operations that are applied.
    pub selected: Selected,
    /// The outcome of each operation; its problems are those of `selected`.
    pub resolution: Option<Resolution>,
    /// The white-space errors of a plan that is compared with no file, by the index of the
    /// operation.
    pub described_whitespace: Vec<(usize, FileWhitespace)>,
    /// The change of git's index.
    pub index_report: Option<IndexReport>,
    /// The changed index entries, for the record in the history.
    pub index_changes: Vec<IndexChange>,
    /// The findings of language servers.
    pub findings: Option<Findings>,
}

/// The result of a commit, or of a command that commits nothing.
#[derive(Clone, Debug, Default)]
pub struct CommitResult {
    /// The proof of the commit.
    pub receipt: Option<Receipt>,
    /// The interrupted changes that were recovered before this one began.
    pub recovered: Vec<Recovered>,
    /// What the rollback could not restore: the paths, and the displaced files.
    pub unrestored: (Vec<RelPath>, Vec<KeptFile>),
    /// The signal that ended the command.
    pub signal: Option<i32>,
    /// The results of the commands of the user.
    pub answers: Answers,
    /// Whether the change can be undone later.
    pub history: Option<HistoryReport>,
    /// The plan that the command is about if it resolves none.
    pub plan_id: Option<String>,
    /// The time until which a plan is kept, in seconds since 1970.
    pub saved_until: Option<u64>,
}

/// The results of the commands of the user.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The result of `--before`.
    pub before: Option<CommandReport>,
    /// The result of `--verify`.
    pub verify: Option<CommandReport>,
    /// The result of `--after`.
    pub after: Option<CommandReport>,
}

/// The values of all steps, for the functions that build a report.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) command: &'a Command,
    pub(super) resolved: &'a Resolved,
    pub(super) selected: &'a Selected,
    pub(super) result: &'a CommitResult,
}

impl<'a> Facts<'a> {
    /// Returns the values of the steps of one command.
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
