//! What a patch says, without a look at any file.

use super::{Outcome, Request, Run};
use crate::report;

/// Reads the patches and says what they are about, as `git apply --stat` does: no file is read.
pub fn describe(request: Request) -> Outcome {
    let mut run = Run::new("apply", report::Outcome::Described);
    run.read(request);
    run.finish()
}
