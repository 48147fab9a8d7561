//! The outcome of a command that a failure ends before it has a plan.

use super::Outcome;
use super::stages::{Command, Committed};
use crate::report;
use crate::transaction::Failure;

/// Returns the outcome of the command `command` that ends with `failure`.
pub(super) fn failure_outcome(command: &'static str, failure: &Failure) -> Box<Outcome> {
    let mut done = Committed::default();
    done.add_failure(failure, None);
    Box::new(done.finish(&Command::of(command, report::Outcome::Described)))
}
