//! From the texts of a request to the plan that it means.

use std::mem;

use super::problems::{broken, elsewhere, rejected, skipped, unchosen};
use super::{Decide, Request, Run, What};
use crate::plan::{self, Plan, Selected};
use crate::preflight::{Problem, Severity, code};
use crate::progress::Phase;
use crate::syntax::{self, Truncated};
use crate::workspace::Workspace;

impl Run {
    /// Parses and selects; returns whether there is a plan to look at.
    pub(super) fn read(&mut self, request: Request) -> bool {
        self.read_with(request, Truncated::Refused)
    }

    /// The same with another rule for a last hunk that is too short.
    pub(super) fn read_with(&mut self, mut request: Request, truncated: Truncated) -> bool {
        let Some(whole) = self.parsed(&mut request, truncated) else { return false };
        self.select(whole, &request.decide.selection());
        self.report_not_included(severity(&request.decide));
        true
    }

    /// The same for a tree, by whose files names may be chosen.
    pub(super) fn read_as(&mut self, mut request: Request, workspace: &dyn Workspace) -> bool {
        let Some(mut whole) = self.parsed(&mut request, Truncated::Refused) else { return false };
        let decide = &request.decide;
        decide.gnu.name(&mut whole, decide.direction(), workspace);
        self.select(whole, &decide.selection());
        self.report_not_included(severity(decide));
        self.apply_gnu_options(&decide.gnu, workspace);
        true
    }

    fn parsed(&mut self, request: &mut Request, truncated: Truncated) -> Option<Plan<plan::Name>> {
        let among = syntax::chosen(&request.decide.format);
        if among.is_empty() {
            self.problems.push(Problem::new(&code::USAGE, format!("unknown format {}", request.decide.format)));
            return None;
        }
        let mut whole = Plan { inputs: Vec::new(), operations: Vec::new() };
        let What::Patches(patches) = &mut request.what else {
            self.problems.push(Problem::new(&code::USAGE, "the request has no patches"));
            return None;
        };
        request.look.progress.enter(Phase::Reading, 0);
        let series = patches.series.as_ref();
        let options = request.decide.syntax();
        let options = syntax::Options { truncated, allow_empty: series.is_some() || options.allow_empty, ..options };
        for (index, (name, bytes)) in mem::take(&mut patches.texts).into_iter().enumerate() {
            let listed = series.and_then(|series| Some((series.name.as_str(), *series.entries.get(index)?)));
            match syntax::parse(&name, bytes, &among, options) {
                Ok(mut plan) => {
                    if let Some((name, listed)) = listed {
                        plan.read_as(name, listed);
                    }
                    whole.append(plan);
                }
                Err(error) => {
                    self.problems.push(broken(&error, whole.inputs.len()));
                    let listed = listed.map(|(name, listed)| (name.to_owned(), listed.line));
                    whole.inputs.push(plan::Input { listed, ..error.input });
                    self.plan.inputs = whole.inputs;
                    return None;
                }
            }
        }
        Some(whole)
    }

    /// Takes of `whole` what is meant.
    pub(super) fn select(&mut self, whole: Plan<plan::Name>, selection: &plan::Selection) {
        let is_empty = whole.operations.is_empty();
        let Selected { plan, rejections, skipped: filtered, outside, left_out } = plan::select(whole, selection);
        self.plan = plan;
        self.problems.extend(rejections.iter().map(|rejection| rejected(rejection, &self.plan, selection.level())));
        match left_out {
            Ok(left_out) => self.left_out = left_out,
            // Of a patch that names other files than it should, the numbers are not those that anybody saw.
            Err(_) if !rejections.is_empty() => {}
            Err(error) => self.problems.push(unchosen(&error)),
        }
        if !outside.is_empty() {
            self.problems.push(elsewhere(&outside));
        } else if self.plan.operations.is_empty() && rejections.is_empty() && !is_empty {
            self.problems.push(skipped(filtered.len()));
        }
        self.skipped = filtered;
    }
}

/// Returns the severity of a change that an input names and does not contain.
pub(super) fn severity(decide: &Decide) -> Severity {
    if decide.strict_input { Severity::Error } else { Severity::Warning }
}
