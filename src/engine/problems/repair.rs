//! The problems of `--lenient`: repairs, and parts of a patch without a certain reading.

use crate::path::RelPath;
use crate::plan::Repair;
use crate::preflight::{Problem, ProblemFacts, Severity, code};
use crate::repair::{RepairError, RepairErrorKind};

/// Returns the problem of a part of a patch that has no certain reading.
pub(in crate::engine) fn refusal_problem(refusal: &RepairError, input: usize) -> Problem {
    let code = match refusal.kind {
        RepairErrorKind::NoPatch => &code::NO_PATCH,
        RepairErrorKind::Stray => &code::EXTRA_LINES,
        RepairErrorKind::Truncated => &code::TRUNCATED,
        RepairErrorKind::NotFound => &code::NOT_FOUND,
        RepairErrorKind::Overlap => &code::OVERLAP,
        RepairErrorKind::Ambiguous => &code::AMBIGUOUS,
        RepairErrorKind::Applied => &code::ALREADY_APPLIED,
        RepairErrorKind::Name => &code::MISSING,
        RepairErrorKind::VerbatimName => &code::UNSUPPORTED_FORM,
        RepairErrorKind::OutsideRoot => &code::OUTSIDE_ROOT,
        RepairErrorKind::Denied => &code::CLOSED,
        RepairErrorKind::Unapproved => &code::APPROVAL_REQUIRED,
        RepairErrorKind::Unreadable => &code::NOT_A_FILE,
        RepairErrorKind::BudgetExceeded => &code::TOO_LARGE,
    };
    let path: Option<RelPath> = refusal.path.clone();
    let lines = refusal.lines.clone();
    let help = match refusal.kind {
        RepairErrorKind::Truncated => Some("provide the complete patch".to_owned()),
        RepairErrorKind::VerbatimName => {
            Some("fix the other sections, or apply this section as a patch of its own".to_owned())
        }
        _ => None,
    };
    let facts = ProblemFacts {
        nearest: refusal.nearest.clone(),
        advice: help.clone(),
        ..ProblemFacts::default()
    };
    Problem {
        place: Some((input, refusal.span)),
        path,
        lines,
        facts,
        help,
        ..Problem::new(code, refusal.message.clone())
    }
}

/// Returns one warning for each kind of repair.
pub(in crate::engine) fn repair_warnings(repairs: &[Repair]) -> Vec<Problem> {
    let mut told: Vec<(&Repair, usize)> = Vec::new();
    for repair in repairs {
        match told.iter_mut().find(|(known, _)| known.code == repair.code) {
            Some((_, more)) => *more += 1,
            None => told.push((repair, 0)),
        }
    }
    let problem = |(repair, more): (&Repair, usize)| {
        let others = match more {
            0 => String::new(),
            1 => " and 1 more place".to_owned(),
            more => format!(" and {more} more places"),
        };
        let message = format!(
            "repaired at line {} of the patch{others}: {}",
            repair.line, repair.message
        );
        Problem {
            severity: Severity::Warning,
            ..Problem::new(&code::REPAIRED, message)
        }
    };
    told.into_iter().map(problem).collect()
}
