//! What a plan comes to, as a diff for the files as they are.

use super::{Outcome, Request, Run};
use crate::report;
use crate::transaction::Interrupt;
use crate::workspace::Workspace;

/// A plan as a diff.
#[derive(Clone, Debug)]
#[must_use]
pub struct Preview {
    /// What [`check`](super::check) says of it.
    pub outcome: Outcome,
    /// One git diff for each file of the report, in their order: with every hunk where it goes, with what was repaired, and
    /// with binary contents. Empty for a file that does not change, or does not fit; of several operations on one file only
    /// the last one has any. All of them together are a patch.
    ///
    /// The bytes are those of files and names, for whom no terminal is safe.
    pub diffs: Vec<Vec<u8>>,
}

/// Says what [`apply`](super::apply) would do, in any grammar, as a git diff; takes no lock and writes nothing.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("zero\none\ntwo\n"))]);
/// let patch = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch\n";
/// let preview = engine::preview(Request::of(patch), &workspace);
/// assert!(preview.outcome.report.ok);
/// assert!(preview.diffs[0].ends_with(b"@@ -1,3 +1,3 @@\n zero\n one\n-two\n+2\n"));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn preview(mut request: Request, workspace: &dyn Workspace) -> Preview {
    let (mut run, mut options) = match Run::begin("show", report::Outcome::WouldApply, &mut request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return Preview { outcome: *outcome, diffs: Vec::new() },
    };
    let approve = request.approve.clone();
    options.whole_diff = true;
    if run.read_for(request, workspace, &mut options) {
        run.look(workspace, &options, approve.as_deref(), &Interrupt::new());
    }
    let files = run.resolution.iter_mut().flat_map(|resolution| &mut resolution.files);
    // Who asked for a description gets them in the report as well.
    let diffs = files.map(|file| if options.diff { file.diff.clone() } else { file.diff.take() }.unwrap_or_default());
    let diffs = diffs.collect();
    Preview { outcome: run.finish(), diffs }
}
