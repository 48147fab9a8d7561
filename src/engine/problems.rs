//! Builds the problems of all stages except preflight.
//!
//! Each function takes the failure of one stage and returns it as a [`Problem`]. `patch.rs`
//! contains the problems of parsing and selection, `repair.rs` those of `--lenient`, `commit.rs`
//! those of the transaction.

mod commit;
mod patch;
mod repair;

use std::fmt::Write;

use crate::preflight::{Problem, ProblemFacts, code};
use crate::transaction::audit::HunkReason;
use crate::transaction::history::PlanRejection;

pub(super) use commit::{
    IN_USE, altered_warning, commit_problems, foreign_state_problem, pruned_warning,
    read_only_root_warning, remove_unchanged, rollback_problem, sweep_warning, unfinished_warning,
};
pub(super) use patch::{
    add_series_position, no_change_problem, outside_root_warning, rejection_problem,
    selection_problem, syntax_problem,
};
pub(super) use repair::{refusal_problem, repair_warnings};

/// The limit on the number of names in one message.
const MAX_NAMED: usize = 8;

/// Returns the problem of a plan that was rejected.
pub(super) fn rejected_plan_problem(refusal: &PlanRejection) -> Problem {
    let reasons = Some(reasons(refusal)).filter(|reasons| !reasons.is_empty());
    let why = reasons
        .as_ref()
        .map_or_else(String::new, |reasons| format!(": {reasons}"));
    let help = Some(
        "run `wpatch reject --withdraw` with its plan_id to allow its approval again".to_owned(),
    );
    let facts = ProblemFacts {
        reason: reasons,
        ..ProblemFacts::default()
    };
    Problem {
        help,
        facts,
        ..Problem::new(&code::REJECTED, format!("the plan was rejected{why}"))
    }
}

/// Returns the reasons for a rejection as one text; an empty text if there are none.
fn reasons(rejection: &PlanRejection) -> String {
    let mut text = rejection.reason.clone().unwrap_or_default();
    for HunkReason { hunk, reason, .. } in &rejection.hunks {
        let separator = if text.is_empty() { "" } else { "; " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{hunk}: {reason}");
    }
    text
}

/// Returns the problem of a tree that has no place for the history, in which `what` would be kept.
pub(super) fn no_state_directory_problem(what: &str) -> Problem {
    let help = "run `wpatch init`, use a git work tree, or set XDG_STATE_HOME";
    let message = format!("{what} cannot be saved: the root has no state directory");
    Problem {
        help: Some(help.to_owned()),
        ..Problem::new(&code::NO_PLACE, message)
    }
}

/// Returns the problem of an edit session that another process changed before its commit.
pub(super) fn changed_session_problem() -> Problem {
    let message = "another process changed the edit session";
    Problem {
        help: Some("check it again, then commit it".to_owned()),
        ..Problem::new(&code::STALE, message)
    }
}

/// Returns the problem of a change that differs from the approved change.
pub(super) fn not_approved_problem() -> Problem {
    let stale = Problem::new(
        &code::NOT_APPROVED,
        "this plan differs from the approved plan",
    );
    Problem {
        help: Some("run `wpatch check --json` again and approve the new plan_id".to_owned()),
        ..stale
    }
}

/// Changes the message of a missing file to name the index. The work tree can have the file.
pub(super) fn set_index_message(problem: &mut Problem) {
    "does not exist in index".clone_into(&mut problem.message);
}
