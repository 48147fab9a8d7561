//! What a page shows of a patch.

use std::sync::Arc;

use super::{Outcome, Request, Run};
use crate::preflight::Gallery;
use crate::report::{self, Exhibit};
use crate::transaction::Interrupt;
use crate::workspace::Workspace;

/// Most bytes of the diff of one file.
const MOST_OF_DIFF: usize = 1 << 20;

/// What a page shows of a patch.
#[derive(Clone, Debug)]
#[must_use]
pub struct Exhibition {
    /// What [`check`](super::check) says.
    pub outcome: Outcome,
    /// One for each file of its report.
    pub exhibits: Vec<Exhibit>,
}

impl Exhibition {
    /// Returns the page of it, for [`print_html`](report::print_html).
    #[must_use]
    pub fn page(&self) -> report::Page<'_> {
        report::Page { report: &self.outcome.report, inputs: &self.outcome.inputs, exhibits: &self.exhibits }
    }
}

/// Checks, as [`check`](super::check) does, and keeps what a person wants to see of it: the diff of each file, and images.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::report::print_html;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
/// let exhibition = engine::exhibit(Request::of("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"), &workspace);
/// let mut page = Vec::new();
/// print_html(&exhibition.page(), &mut page)?;
/// assert!(String::from_utf8(page)?.starts_with("<!DOCTYPE html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn exhibit(mut request: Request, workspace: &dyn Workspace) -> Exhibition {
    let gallery = Arc::new(Gallery::default());
    let preflight = &mut request.preflight;
    (preflight.describe, preflight.diff) = (true, true);
    preflight.max_diff = preflight.max_diff.min(MOST_OF_DIFF);
    preflight.gallery = Some(Arc::clone(&gallery));
    let (mut run, mut options) = match Run::begin("show", report::Outcome::WouldApply, &mut request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return Exhibition { outcome: *outcome, exhibits: Vec::new() },
    };
    let approve = request.approve.clone();
    if run.read_for(request, workspace, &mut options) {
        run.look(workspace, &options, approve.as_deref(), &Interrupt::new());
    }
    let exhibits = run.exhibits(&gallery);
    Exhibition { outcome: run.finish(), exhibits }
}

impl Run {
    fn exhibits(&mut self, gallery: &Gallery) -> Vec<Exhibit> {
        let mut exhibits = Vec::with_capacity(self.plan.operations.len());
        for (index, operation) in self.plan.operations.iter().enumerate() {
            let outcome = self.resolution.as_ref().and_then(|resolution| resolution.files.get(index));
            exhibits.push(Exhibit {
                diff: outcome.and_then(|outcome| outcome.diff.clone()),
                images: gallery.images(index),
                section: Some((operation.input, operation.span)),
            });
        }
        exhibits
    }
}
