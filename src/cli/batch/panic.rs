//! Turns an error or a panic of one job into a report.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cli::EarlyExit;
use crate::engine::options::code;
use crate::report::Report;

/// The help of an invalid job.
const JOB_HELP: &str =
    r#"write one JSON object per line, such as {"root": "DIR", "patch": "TEXT"}"#;

/// Returns the report of `work`. An error or a panic also becomes a report.
pub(super) fn catch_panic(work: impl FnOnce() -> Result<Report, EarlyExit>) -> Report {
    let stop = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(report)) => return report,
        Ok(Err(mut stop)) => {
            // The help of the code is about the command line.
            if *stop.code == code::USAGE {
                stop.help.get_or_insert_with(|| JOB_HELP.to_owned());
            }
            stop
        }
        Err(_) => EarlyExit::new(
            &code::IO,
            "internal error of wpatch in this job; please report it".to_owned(),
        ),
    };
    stop.into_outcome("check").report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_panics_has_a_report() {
        let report = catch_panic(|| panic!("a bug"));
        assert_eq!((report.ok, report.exit_code), (false, 4));
        assert!(report.error.unwrap().message.starts_with("internal error"));
    }
}
