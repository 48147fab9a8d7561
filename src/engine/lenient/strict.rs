//! The result of strict mode for the patches that `--lenient` may repair.

use super::{ReadStrictFn, Refusals};
use crate::change::DiscardSink;
use crate::engine::request::{Decide, Patches};
use crate::engine::stages::Selected;
use crate::engine::task::CommandRun;
use crate::engine::whitespace;
use crate::path::RelPath;
use crate::plan::Operation;
use crate::preflight::{self, Problem, Severity};
use crate::repair::{RepairError, RepairErrorKind, has_elision};
use crate::syntax::{Syntax, find_syntax};
use crate::text::lines;

/// The patches without repairs, resolved against the tree.
pub(super) struct StrictResolution {
    /// The operations, with the problems in the patches.
    pub(super) selected: Selected,
    /// The options of a preflight without diffs and guards.
    pub(super) options: preflight::Options,
    /// Whether the patches apply.
    pub(super) is_applicable: bool,
    /// The errors of preflight.
    errors: Vec<Problem>,
    /// Whether the patches can be repaired: they are not reversed, and policy allows reading their
    /// files.
    pub(super) is_repairable: bool,
}

impl StrictResolution {
    /// Reads the patches without repairs, and resolves them against the tree.
    pub(super) fn of(task: &CommandRun<'_>, patches: &Patches, read: ReadStrictFn<'_>) -> Self {
        let request = &task.request;
        let mut options = request.preflight_options();
        (options.describe, options.digests, options.diff) = (false, false, false);
        options.guards = Vec::new();
        // Repairs do not depend on the selection.
        let decide = Decide {
            only: None,
            ..request.decide.clone()
        };
        let mut selected = read(&decide, patches.clone());
        if selected.is_resolvable {
            // The other steps that set options do not run here. A patch that needs a merge does
            // not apply, so it is repaired first.
            whitespace::load_whitespace_rules(request, &mut selected, &mut options);
        }
        let resolved = selected
            .is_resolvable
            .then(|| preflight::resolve(&selected.plan, task.workspace, &options, &DiscardSink));
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        let (is_resolved, errors) = match resolved {
            Some(Ok(found)) => (true, found.problems.into_iter().filter(is_error).collect()),
            _ => (false, Vec::new()),
        };
        let fits = is_resolved && errors.is_empty() && !selected.is_refused();
        // A reversed patch is not repaired, and files that policy protects are not read.
        let needs_approval = selected.is_resolvable
            && preflight::needs_approval(&selected.plan, task.workspace, &options);
        let is_repairable = !needs_approval && !request.decide.reverse;
        Self {
            selected,
            options,
            is_applicable: fits,
            errors,
            is_repairable,
        }
    }

    fn any_operation(&self, is: impl Fn(&Operation, &[u8]) -> bool) -> bool {
        let plan = &self.selected.plan;
        plan.operations
            .iter()
            .any(|operation| is(operation, plan.text(operation)))
    }

    /// Returns whether the patches contain a line that is a placeholder for omitted lines.
    pub(super) fn has_placeholders(&self) -> bool {
        self.any_operation(has_elision)
    }

    /// Returns whether the patches apply and no repair can improve them.
    pub(super) fn needs_no_repair(&self) -> bool {
        self.is_applicable
            && !self.any_operation(has_trailing_hunk_lines)
            && !self.has_placeholders()
    }

    /// Returns whether all patches are git diffs, which are exact in their names and lines.
    pub(super) fn has_only_exact_formats(&self) -> bool {
        let is_git = self.selected.plan.inputs.iter().all(|input| {
            let is_exact = |format: &&str| find_syntax(format).is_some_and(Syntax::is_exact);
            !input.formats.is_empty() && input.formats.iter().all(is_exact)
        });
        is_git && !self.any_operation(has_trailing_hunk_lines) && !self.has_placeholders()
    }

    /// Returns whether a patch has a grammar with repairs of its own.
    pub(super) fn has_separate_repairs(&self) -> bool {
        let is_other = |format: &&str| !find_syntax(format).is_some_and(Syntax::has_lenient_hunks);
        self.selected.is_resolvable
            && self
                .selected
                .plan
                .inputs
                .iter()
                .any(|input| input.formats.iter().any(is_other))
    }

    /// Returns whether the reading without repairs is used in place of `refusals`.
    ///
    /// This is the case if the patches apply, and the repair only failed because its search took
    /// too long, because text follows the patch, or because of a name. It is also the case if the
    /// report without repairs is more precise. That report describes the closest match of a hunk
    /// that matches nowhere, and the line where a truncated patch ends.
    pub(super) fn is_better_than(&self, refusals: &Refusals) -> bool {
        let all = |kinds: &[RepairErrorKind]| {
            refusals
                .iter()
                .all(|(_, refusal)| kinds.contains(&refusal.kind))
        };
        let is_cut_off = self
            .selected
            .problems
            .iter()
            .any(|problem| problem.facts.is_cut_off);
        let is_whole = self.selected.is_resolvable
            && !self.any_operation(has_trailing_hunk_lines)
            && self.has_no_extra_errors(refusals);
        let is_more_precise = is_whole
            && all(&[
                RepairErrorKind::NoPatch,
                RepairErrorKind::NotFound,
                RepairErrorKind::Unreadable,
            ]);
        let is_only_unrepaired = self.needs_no_repair()
            && all(&[
                RepairErrorKind::BudgetExceeded,
                RepairErrorKind::Stray,
                RepairErrorKind::Name,
            ]);
        let is_truncation_stated = is_cut_off && all(&[RepairErrorKind::Stray]);
        let is_no_patch = all(&[RepairErrorKind::NoPatch]);
        is_more_precise || is_only_unrepaired || is_truncation_stated || is_no_patch
    }

    /// Returns whether each file has at most as many errors as `refusals`. Otherwise the report
    /// without repairs would also blame hunks that match after a repair.
    fn has_no_extra_errors(&self, refusals: &Refusals) -> bool {
        let count = |path: &RelPath| {
            self.errors
                .iter()
                .filter(|error| error.path.as_ref() == Some(path))
                .count()
        };
        let is_of = |path: &RelPath, refusal: &RepairError| refusal.path.as_ref() == Some(path);
        let refused = |path: &RelPath| {
            refusals
                .iter()
                .filter(|(_, refusal)| is_of(path, refusal))
                .count()
        };
        self.errors
            .iter()
            .filter_map(|error| error.path.as_ref())
            .all(|path| count(path) <= refused(path))
    }
}

/// Returns whether lines that look like a hunk follow the section. No hunk contains these lines.
fn has_trailing_hunk_lines(operation: &Operation, text: &[u8]) -> bool {
    let rest = text.get(operation.span.end..).unwrap_or_default();
    match rest {
        // The header of a file, followed by changed lines without a hunk header.
        [b'-', b'-', ..] => {
            let mut next = lines(rest).map(|(_, line)| line.first().copied());
            next.by_ref().take(2).eq([Some(b'-'), Some(b'+')])
                && matches!(next.next(), Some(Some(b'+' | b'-' | b' ')))
        }
        _ => matches!(rest.first(), Some(b'+' | b'-')) || rest.starts_with(b"@@"),
    }
}
