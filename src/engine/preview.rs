//! The preview of a plan: as a patch, on a terminal, or as a page.

#[cfg(feature = "html")]
mod page;
#[cfg(feature = "review")]
mod unit;

use std::io;

use super::steps;
use super::suggest::{SeriesInfo, suggest};
use super::task::{CommandMode, CommandRun};
use super::{Outcome, Request, refused_outcome};
use crate::plan::{Operation, Plan};
use crate::preflight::{self, DiffCache, FileOutcome, ImagePreviews, PreviewSinks, Problem};
#[cfg(feature = "html")]
use crate::report::DecisionCommands;
use crate::report::{self, Report};
use crate::workspace::Workspace;

#[cfg(feature = "html")]
pub use page::render_page;
#[cfg(feature = "review")]
pub(crate) use unit::{UnitLine, UnitPlace, UnitText};

/// The preview of a plan. Most of its diffs are not in memory but rendered on request.
#[must_use]
pub struct Preview<'w> {
    /// The report of [`check`](super::check).
    pub report: Report,
    problems: Vec<Problem>,
    plan: Plan,
    /// The number of operations that were resolved: all or none.
    count: usize,
    options: preflight::Options,
    diff_cache: DiffCache,
    #[cfg_attr(
        not(feature = "html"),
        allow(dead_code, reason = "only an HTML page shows images")
    )]
    image_previews: Option<ImagePreviews>,
    #[cfg(feature = "html")]
    approval: Option<String>,
    #[cfg(feature = "html")]
    decision_commands: Option<DecisionCommands>,
    workspace: &'w dyn Workspace,
}

/// Shows the change that [`apply`](super::apply) would make as git diffs, for patches in any
/// grammar. Takes no lock and writes nothing.
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
/// assert!(preview.report.ok);
/// let diffs = preview.diffs().collect::<Result<Vec<_>, _>>()?;
/// assert!(diffs[0].ends_with(b"@@ -1,3 +1,3 @@\n zero\n one\n-two\n+2\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn preview(request: Request, workspace: &dyn Workspace) -> Preview<'_> {
    Preview::of(request, workspace, None, |options| {
        options.full_diff = true;
    })
}

impl<'w> Preview<'w> {
    /// Checks the request with the options that `adapt` changes, and collects images in `gallery`.
    fn of(
        mut request: Request,
        workspace: &'w dyn Workspace,
        image_previews: Option<ImagePreviews>,
        adapt: impl FnOnce(&mut preflight::Options),
    ) -> Self {
        let begun = request
            .take_patches()
            .map_err(|problem| refused_outcome("show", *problem))
            .and_then(|patches| {
                let success = report::Outcome::WouldApply;
                Ok((
                    patches,
                    CommandRun::new(("show", success), request, workspace)?,
                ))
            });
        let (patches, (mut task, begun)) = match begun {
            Ok(begun) => begun,
            Err(outcome) => {
                let known = (0, preflight::Options::default());
                let caches = (DiffCache::default(), None);
                return Self::new((*outcome, Vec::new()), known, caches, workspace);
            }
        };
        task.command.is_saved = patches.is_saved;
        let (origin, shelf) = (SeriesInfo::of(&patches), DiffCache::default());
        let (selected, mut options) = steps::read(&task, patches, begun);
        // If the report contains the diffs, preflight does not also pass them to the diff cache.
        let uses_cache = !options.diff;
        // A reader of the effect need not be permitted to write.
        options.checks_rights = false;
        adapt(&mut options);
        task.preview_sinks = PreviewSinks {
            diff_cache: uses_cache.then_some(&shelf),
            image_previews: image_previews.as_ref(),
            contents: None,
        };
        let mut done = task.run(selected, &options, CommandMode::Check);
        suggest(&task, &origin, &options, &mut done);
        let files = done
            .resolved
            .resolution
            .as_ref()
            .map_or(&[][..], |resolution| &resolution.files);
        cache_report_diffs(files, &shelf);
        let count = files.len();
        Self::new(
            done.finish_with_operations(&task.command),
            (count, options),
            (shelf, image_previews),
            workspace,
        )
    }

    fn new(
        (
            Outcome {
                report,
                inputs,
                problems,
            },
            operations,
        ): (Outcome, Vec<Operation>),
        (count, options): (usize, preflight::Options),
        (shelf, gallery): (DiffCache, Option<ImagePreviews>),
        workspace: &'w dyn Workspace,
    ) -> Self {
        Self {
            report,
            problems,
            plan: Plan { inputs, operations },
            count,
            options,
            diff_cache: shelf,
            image_previews: gallery,
            #[cfg(feature = "html")]
            approval: None,
            #[cfg(feature = "html")]
            decision_commands: None,
            workspace,
        }
    }

    /// Returns one git diff for each file of the report, in the same order. A diff contains every
    /// hunk at its placement, the repairs, and binary contents. It is empty for a file that does
    /// not change, and for an operation that does not apply. If several operations change a file,
    /// only the last one has a diff. All diffs of [`preview`] together are a patch. The diffs of
    /// `render_page` are not, because they have a size limit.
    ///
    /// The bytes come from files and names, so they are not safe for a terminal.
    ///
    /// # Errors
    ///
    /// An item is an error if a file has changed since the check.
    pub fn diffs(&self) -> impl Iterator<Item = io::Result<Vec<u8>>> + '_ {
        (0..self.count).map(|index| self.diff(index).map(Option::unwrap_or_default))
    }

    /// Returns the outcome of the check.
    pub fn into_outcome(self) -> Outcome {
        Outcome {
            report: self.report,
            inputs: self.plan.inputs,
            problems: self.problems,
        }
    }

    /// Returns the diff of the operation with the index `index`; `None` if it was not resolved.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed since the check.
    fn diff(&self, index: usize) -> io::Result<Option<Vec<u8>>> {
        self.diff_cache
            .diff(index, &self.plan, self.workspace, &self.options)
    }
}

/// Puts the diffs in the report into `cache`, so that they need no second rendering.
fn cache_report_diffs(files: &[FileOutcome], cache: &DiffCache) {
    for (index, file) in files.iter().enumerate() {
        if let Some(diff) = &file.diff {
            cache.put(index, diff.clone());
        }
    }
}
