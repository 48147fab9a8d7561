//! What a patch says, without a look at any file.

use super::{Outcome, Request, Run};
use crate::report;

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
    run.policy = std::sync::Arc::clone(&request.preflight.policy);
    run.read(request);
    run.finish()
}
