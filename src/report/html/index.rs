//! The problems and repairs on a page, by the identifiers of files and hunks.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::Page;
use crate::plan::Input;
use crate::report::ProblemReport;
use crate::report::words::LineCounter;

/// The patches, and the problems and repairs of each file and hunk.
pub(super) struct ProblemIndex<'a> {
    pub(super) inputs: &'a [Input],
    counters: RefCell<Vec<LineCounter<'a>>>,
    problems: HashMap<&'a str, Vec<&'a ProblemReport>>,
    repairs: HashMap<&'a str, BTreeSet<&'static str>>,
}

impl<'a> ProblemIndex<'a> {
    pub(super) fn of(page: &Page<'a>) -> Self {
        let (mut problems, mut repairs) = (
            HashMap::<_, Vec<_>>::new(),
            HashMap::<_, BTreeSet<_>>::new(),
        );
        for problem in &page.report.problems {
            let name = problem.hunk.as_deref().or(problem.file.as_deref());
            if let Some(name) = name {
                problems.entry(name).or_default().push(problem);
            }
        }
        for repair in page.report.inputs.iter().flat_map(|input| &input.repairs) {
            if let Some(name) = repair.file.as_deref() {
                repairs.entry(name).or_default().insert(repair.code);
            }
        }
        Self {
            inputs: page.inputs,
            counters: RefCell::new(LineCounter::of_all(page.inputs)),
            problems,
            repairs,
        }
    }

    /// Returns the line, counted from 1, of the byte at `offset` of the decoded text of a patch.
    pub(super) fn line(&self, input: usize, offset: usize) -> Option<usize> {
        let mut counters = self.counters.borrow_mut();
        Some(counters.get_mut(input)?.line(offset))
    }

    /// Returns the problems of a hunk. For a file, returns the problems that belong to no hunk.
    pub(super) fn problems(&self, id: &str) -> &[&'a ProblemReport] {
        self.problems.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns the codes of the repairs of a file, without duplicates.
    pub(super) fn repairs(&self, id: &str) -> impl Iterator<Item = &'static str> {
        self.repairs.get(id).into_iter().flatten().copied()
    }
}
