//! The patch of a review and the tree: every call of the engine that a review makes.

use super::choices::Choices;
use super::reviewed::{Fingerprint, ReviewedPatch};
use crate::engine::options::{HunkSelection, Interrupt, Problem, Progress, Workspace, code};
use crate::engine::{self, Outcome, Preview, ReadRange, ReadRequest, RejectRequest, Request, What};
use crate::path::RelPath;
use crate::report::LeftOutReport;
use crate::text::{Bytes, Span};

/// The origin of the patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatchOrigin {
    /// Files, standard input or a saved plan.
    Patches,
    /// The change of an edit session, with its identifier.
    Session(String),
}

/// The patch under review and the tree that it changes.
pub(super) struct ReviewSource<'w> {
    request: Request,
    workspace: &'w dyn Workspace,
    origin: PatchOrigin,
    /// The part that the request selects.
    only: Option<HunkSelection>,
    /// The texts of the patches before edits of the reviewer.
    original: Vec<(String, Bytes)>,
}

impl<'w> ReviewSource<'w> {
    /// Returns the source for the patches of `request`, all parts of them.
    pub(super) fn new(
        mut request: Request,
        workspace: &'w dyn Workspace,
        origin: PatchOrigin,
    ) -> Self {
        request.look.describe = true;
        // The approval of a saved plan is only for the whole plan.
        request.commit.approve = None;
        let only = request.decide.only.take();
        let patches = request.patches();
        let original = patches.map_or_else(Vec::new, |patches| patches.texts.clone());
        Self {
            request,
            workspace,
            origin,
            only,
            original,
        }
    }

    /// Returns the parts that the request leaves out; `None` if it selects no part.
    ///
    /// # Errors
    ///
    /// Returns the outcome of the check if a selected part does not exist.
    pub(super) fn initially_left_out(&self) -> Result<Option<Vec<LeftOutReport>>, Box<Outcome>> {
        let Some(only) = self.only.clone() else {
            return Ok(None);
        };
        let outcome = self.check(Some(only));
        let is_misuse = |problem: &Problem| problem.code == &code::USAGE;
        if outcome.problems.iter().any(is_misuse) {
            return Err(Box::new(outcome));
        }
        Ok(Some(outcome.report.left_out))
    }

    /// Returns the reason why no plan can be saved.
    pub(super) fn save_problem(&self) -> Option<&'static str> {
        let decide = &self.request.decide;
        if matches!(self.origin, PatchOrigin::Session(_)) || self.workspace.layered().is_some() {
            return Some("the change of an edit session cannot be saved as a plan");
        }
        let is_merge = decide.three_way.is_some() || decide.merge_hunks.is_some();
        (decide.index.is_some() || is_merge)
            .then_some("a plan with the index or with a merge cannot be saved")
    }

    /// Checks the whole patch.
    pub(super) fn open(&self) -> (ReviewedPatch<'w>, Choices) {
        ReviewedPatch::new(self.preview())
    }

    fn preview(&self) -> Preview<'w> {
        engine::preview(self.request.clone(), self.workspace)
    }

    /// Returns the request for the part `only`.
    fn request(&self, only: Option<HunkSelection>) -> Request {
        let mut request = self.request.clone();
        request.decide.only = only;
        request
    }

    /// Checks the part `only`.
    pub(super) fn check(&self, only: Option<HunkSelection>) -> Outcome {
        let mut request = self.request(only);
        request.look.diagnostics = None;
        engine::check(request, self.workspace)
    }

    /// Applies the part `only`, whose check returned `plan_id`. The whole change of a session commits
    /// the session.
    pub(super) fn apply(
        &self,
        only: Option<HunkSelection>,
        plan_id: &str,
        (progress, interrupt): (Progress, &Interrupt),
    ) -> Outcome {
        let mut request = match &self.origin {
            PatchOrigin::Session(id) if only.is_none() && !self.is_edited() => Request {
                what: Request::commit_session(id.clone()).what,
                ..self.request(None)
            },
            _ => self.request(only),
        };
        request.commit.approve = Some(plan_id.to_owned());
        request.look.progress = progress;
        engine::apply(request, self.workspace, interrupt)
    }

    /// Saves the part `only` as a plan.
    pub(super) fn save(&self, only: Option<HunkSelection>, interrupt: &Interrupt) -> Outcome {
        engine::save(self.request(only), self.workspace, interrupt)
    }

    /// Rejects the plan `plan_id` with the reasons for its hunks and files.
    pub(super) fn reject(
        &self,
        plan_id: &str,
        hunks: Vec<(String, String)>,
        interrupt: &Interrupt,
    ) -> Outcome {
        let request = RejectRequest {
            reason: None,
            hunks,
            transaction: self.request.commit.transaction,
            attribution: self.request.commit.attribution.clone(),
        };
        engine::reject(plan_id, &request, self.workspace, interrupt)
    }

    /// Returns the lines from `first` to `last` of a file, counted from 1. Returns nothing if policy
    /// or the system denies reading it.
    pub(super) fn read_lines(&self, path: &RelPath, first: usize, last: usize) -> Vec<u8> {
        if first > last {
            return Vec::new();
        }
        let request = ReadRequest {
            range: ReadRange::Lines { first, last },
            policy: self.request.context.policy.clone(),
            ..ReadRequest::of(path.as_bytes())
        };
        engine::read(&request, self.workspace).map_or_else(|_| Vec::new(), |read| read.content)
    }

    /// Returns the [`Fingerprint`] of each file; `None` for a file that is
    /// missing or cannot be examined.
    pub(super) fn fingerprints<'p>(
        &self,
        paths: impl Iterator<Item = &'p RelPath>,
    ) -> Vec<Option<Fingerprint>> {
        let fingerprint = |path| {
            let stat = self.workspace.stat(path).ok()??;
            let time = stat.modified;
            let (mode, size) = (stat.permissions, stat.size);
            Some((mode, size, time.seconds, time.nanoseconds, stat.inode))
        };
        paths.map(fingerprint).collect()
    }

    /// Returns the texts of the patches.
    pub(super) fn texts(&self) -> Vec<(String, Bytes)> {
        let patches = self.request.patches();
        patches.map_or_else(Vec::new, |patches| patches.texts.clone())
    }

    fn is_edited(&self) -> bool {
        let patches = self.request.patches();
        let texts = patches.iter().flat_map(|patches| &patches.texts);
        let contents = texts.map(|(_, text)| &text[..]);
        contents.ne(self.original.iter().map(|(_, text)| &text[..]))
    }

    /// Replaces the texts of the patches.
    pub(super) fn set_texts(&mut self, texts: Vec<(String, Bytes)>) {
        if let What::Patches(patches) = &mut self.request.what {
            patches.texts = texts;
        }
    }

    /// Returns the texts of the patches with `new` in place of `span` of the patch `input`; `None` if
    /// the text there is not `old`, for example because the patch is an encoded mail.
    pub(super) fn with_replaced(
        &self,
        (input, span): (usize, Span),
        old: &[u8],
        new: &[u8],
    ) -> Option<Vec<(String, Bytes)>> {
        let mut texts = self.texts();
        let (_, text) = texts.get_mut(input)?;
        let (before, rest) = text.split_at_checked(span.start)?;
        let after = rest.strip_prefix(old)?;
        *text = [before, new, after].concat().into();
        Some(texts)
    }
}
