//! The decisions of policy rules, and the policy itself.

use std::sync::Arc;

use super::decision::Decision;
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::cli::policy::load_policy;
use crate::engine::Outcome;
use crate::engine::options::{Policy, code};
use crate::report::{ProblemKind, refusal};
use crate::text::printable;

/// Returns the policy for a model's actions below the root.
pub(super) fn policy(global: &Global) -> Result<Arc<Policy>, EarlyExit> {
    Ok(Arc::new(Policy::clone(&*load_policy(global)?).for_model()))
}

/// Returns the decision of a rule that denies or asks.
pub(super) fn decide_refusal(outcome: Option<Box<Outcome>>) -> Decision {
    let Some(outcome) = outcome else {
        return Decision::None;
    };
    let report = outcome.report.for_model();
    match &report.error {
        // The user has rejected this change, so the model gets the reasons.
        Some(error) if error.code == code::REJECTED.name => Decision::Deny(refusal(&report)),
        Some(error) if error.kind == ProblemKind::ApprovalRequired => Decision::Ask(question(
            error.path.as_deref().unwrap_or(".").as_bytes(),
            error.details.reason.as_deref(),
        )),
        Some(error) if error.kind == ProblemKind::OutsideRoot => {
            Decision::Outside(refusal(&report))
        }
        _ => Decision::Deny(refusal(&report)),
    }
}

/// Returns the question about one file.
pub(super) fn question(path: &[u8], reason: Option<&str>) -> String {
    let reason = printable(reason.unwrap_or("a rule requires it").as_bytes()).to_string();
    format!("{}: policy requires approval: {reason}", printable(path))
}
