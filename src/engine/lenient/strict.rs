//! What strict mode makes of the patches that `--lenient` may repair.

use super::Refusals;
use crate::change::Dropped;
use crate::engine::{Decide, Request, Run};
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::preflight::{self, Problem, Severity};
use crate::repair::{Refusal, RefusalKind, has_elision};
use crate::text::lines;
use crate::workspace::Workspace;

/// The patches without repairs, as they fit the tree.
pub(super) struct Strict {
    pub(super) plan: Plan,
    /// The options of a look at the tree that shows nothing.
    pub(super) options: preflight::Options,
    /// Whether every patch was read.
    pub(super) has_plan: bool,
    /// Whether there is no problem.
    pub(super) fits: bool,
    /// What is wrong in the tree.
    errors: Vec<Problem>,
    /// What is wrong in the patches.
    problems: Vec<Problem>,
    /// Whether the patches can be repaired: they are for the direction that they say, and policy lets them read.
    pub(super) is_open: bool,
}

impl Strict {
    /// Reads the patches of `request` as `run` does without repairs, and looks where they fit.
    pub(super) fn of(run: &Run, request: &Request, workspace: &dyn Workspace) -> Self {
        let mut strict = Run::new(run.command, run.success);
        let options = strict.asked(request);
        let (describe, diff, whole_diff) = (false, false, false);
        let options = preflight::Options { describe, diff, whole_diff, guards: Vec::new(), ..options };
        let mut options = preflight::Options { gallery: None, shelf: None, ..options };
        // What is repaired does not depend on what is chosen of it.
        let decide = Decide { only: None, ..request.decide.clone() };
        let has_plan = strict.read(Request { decide, ..request.clone() });
        if has_plan {
            strict.consult(&request.decide, &request.context, &mut options);
        }
        let resolved = has_plan.then(|| preflight::resolve(&strict.plan, workspace, &options, &Dropped));
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        let (is_resolved, errors) = match resolved {
            Some(Ok(found)) => (true, found.problems.into_iter().filter(is_error).collect()),
            _ => (false, Vec::new()),
        };
        let fits = is_resolved && errors.is_empty() && !strict.problems.iter().any(is_error);
        // The way back is not repaired, and what policy closes is not read.
        let is_closed = has_plan && preflight::is_held(&strict.plan, workspace, &options);
        let is_open = !is_closed && !request.decide.reverse;
        Self { plan: strict.plan, options, has_plan, fits, errors, problems: strict.problems, is_open }
    }

    fn any_operation(&self, is: impl Fn(&Operation, &[u8]) -> bool) -> bool {
        self.plan.operations.iter().any(|operation| is(operation, self.plan.text(operation)))
    }

    /// Returns whether the patches write a line that stands for others.
    pub(super) fn is_elided(&self) -> bool {
        self.any_operation(has_elision)
    }

    /// Returns whether the patches fit, and no repair can say more of them.
    pub(super) fn stays(&self) -> bool {
        self.fits && !self.any_operation(is_torn) && !self.is_elided()
    }

    /// Returns whether the patches are git's own diffs, which are exact about names and lines.
    pub(super) fn is_exact(&self) -> bool {
        let is_git = self.plan.inputs.iter().all(|input| input.formats == ["git"]);
        is_git && !self.any_operation(is_torn) && !self.is_elided()
    }

    /// Returns whether a patch is of a grammar that has repairs of its own.
    pub(super) fn is_of_texts(&self) -> bool {
        let is_other = |format: &&str| !["unified", "git", "codex", "context", "normal"].contains(format);
        self.has_plan && self.plan.inputs.iter().any(|input| input.formats.iter().any(is_other))
    }

    /// Returns whether the reading without repairs counts in place of `refusals`. It fits, and only the search for repairs
    /// takes too long, text follows the patch, or a name is written as the grammar says; or its report says more: what fits
    /// nowhere is refused with all that is known of its places, and a patch that is cut off names the line where it ends.
    pub(super) fn decides(&self, refusals: &Refusals) -> bool {
        let all = |kinds: &[RefusalKind]| refusals.iter().all(|(_, refusal)| kinds.contains(&refusal.kind));
        let is_cut_off = self.problems.iter().any(|problem| problem.facts.is_cut_off);
        let is_whole = self.has_plan && !self.any_operation(is_torn) && self.blames_no_other(refusals);
        is_whole && all(&[RefusalKind::NoPatch, RefusalKind::NotFound, RefusalKind::Unreadable])
            || all(&[RefusalKind::NoPatch])
            || self.stays() && all(&[RefusalKind::TooMuch, RefusalKind::Stray, RefusalKind::Name])
            || is_cut_off && all(&[RefusalKind::Stray])
    }

    /// Returns whether each file has at most as many errors as `refusals`: other hunks fit after a repair, and the report
    /// without repairs blames them, too.
    fn blames_no_other(&self, refusals: &Refusals) -> bool {
        let count = |path: &RelPath| self.errors.iter().filter(|error| error.path.as_ref() == Some(path)).count();
        let is_of = |path: &RelPath, refusal: &Refusal| refusal.path.as_ref() == Some(path);
        let refused = |path: &RelPath| refusals.iter().filter(|(_, refusal)| is_of(path, refusal)).count();
        self.errors.iter().filter_map(|error| error.path.as_ref()).all(|path| count(path) <= refused(path))
    }
}

/// Returns whether lines that look like those of a hunk follow a section, which nobody would read.
fn is_torn(operation: &Operation, text: &[u8]) -> bool {
    let rest = text.get(operation.span.end..).unwrap_or_default();
    match rest {
        // The header of a file above changes without a header of their own.
        [b'-', b'-', ..] => {
            let mut next = lines(rest).map(|(_, line)| line.first().copied());
            next.by_ref().take(2).eq([Some(b'-'), Some(b'+')]) && matches!(next.next(), Some(Some(b'+' | b'-' | b' ')))
        }
        _ => matches!(rest.first(), Some(b'+' | b'-')) || rest.starts_with(b"@@"),
    }
}
