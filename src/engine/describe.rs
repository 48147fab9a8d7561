//! What a patch says, without a look at any file.

use std::path::Path;

use super::{Outcome, Request, Run};
use crate::preflight;
use crate::report::{self, Report};
use crate::syntax::{Quoting, Truncated};
use crate::workspace::git::Git;

/// Returns which names of `report` git quotes for who is in `directory`. It is asked only where one is not ASCII.
#[must_use]
pub fn quoting(report: &Report, directory: &Path) -> Quoting {
    let mut names = report.files.iter().flat_map(|file| [Some(&file.path), file.from.as_ref()]).flatten();
    let is_off = || matches!(Git::around(directory).is_on("core.quotepath"), Ok(Some(false)));
    if names.any(|name| !name.as_bytes().is_ascii()) && is_off() { Quoting::Unreadable } else { Quoting::Full }
}

impl Run {
    /// Notes the errors in the white space of the lines, which git tells even where it applies nothing.
    fn describe_whitespace(&mut self, options: &preflight::Options) {
        let (found, problems) = preflight::described(&self.plan, &options.whitespace);
        self.problems.extend(problems);
        self.described_whitespace = found;
    }
}

/// Reads the patches and says what they are about, as `git apply --stat` does: no file is read.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
///
/// let report = engine::describe(Request::of("--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n one\n+two\n")).report;
/// assert_eq!((report.summary.files, report.summary.added), (1, 1));
/// ```
pub fn describe(request: Request) -> Outcome {
    let mut run = Run::new("apply", report::Outcome::Described);
    run.policy = std::sync::Arc::clone(&request.context.policy);
    let (decide, context, mut options) = (request.decide.clone(), request.context.clone(), request.preflight());
    if run.read_with(request, Truncated::Read) {
        run.consult(&decide, &context, &mut options);
        run.describe_whitespace(&options);
    }
    run.finish()
}
