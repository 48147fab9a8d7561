//! White space errors in the lines of a patch: detection, reports and corrections.

use super::Resolution;
use super::codes::code;
use super::findings::Findings;
use super::options::{Options, WhitespaceAction, WhitespaceRules};
use super::problem::{Problem, Severity};
use crate::interrupt::Interrupt;
use crate::matching::{
    MatchRules, Placement, SplicedFile, WhitespaceCorrection, find_trailing_blank_lines,
};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Direction, Edit, Hunk, LineKind, Operation, Plan};
use crate::text::Span;
use crate::whitespace::{WhitespaceFlags, WhitespaceRule, check};

/// The maximum number of lines of a file that are reported one by one. Further lines are counted.
const MAX_TOLD: usize = 1000;

/// Returns the rule for the file of `operation`.
fn rule(whitespace: &WhitespaceRules, operation: &Operation) -> WhitespaceRule {
    whitespace
        .rules
        .get(lookup_name(operation))
        .copied()
        .unwrap_or(whitespace.default_rule)
}

/// Returns the name by which rules are looked up: the new name in the patch.
#[must_use]
pub fn lookup_name(operation: &Operation) -> &RelPath {
    match (operation.direction, &operation.from) {
        (Direction::Reverse, Some(from)) => from,
        _ => &operation.path,
    }
}

/// The white space errors of a patch in one file, and the corrections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileWhitespace {
    /// The action on errors.
    pub action: WhitespaceAction,
    /// The lines of the patch with errors, each with the kinds of error; at most the first 1000
    /// lines.
    pub errors: Vec<(Span, WhitespaceFlags)>,
    /// The number of further lines with errors.
    pub more: usize,
    /// The lines of the patch that were corrected.
    pub corrected: Vec<Span>,
    /// The blank lines of the patch that were omitted at the end of the file.
    pub left_out: Vec<Span>,
}

impl FileWhitespace {
    /// Returns the number of lines with errors.
    #[must_use]
    pub fn count(&self) -> usize {
        self.errors.len() + self.more
    }

    fn add(&mut self, span: Span, flags: WhitespaceFlags) {
        match self.errors.len() {
            _ if flags.is_empty() => {}
            MAX_TOLD.. => self.more += 1,
            _ => self.errors.push((span, flags)),
        }
    }
}

/// Checks the lines of all operations, regardless of whether they match. Returns the operations
/// with errors, by index. Stops early if `interrupt` is raised.
pub(super) fn find_errors(
    plan: &Plan,
    whitespace: &WhitespaceRules,
    interrupt: &Interrupt,
) -> Vec<(usize, FileWhitespace)> {
    let asked = if whitespace.action == WhitespaceAction::NoWarn {
        &[]
    } else {
        &plan.operations[..]
    };
    let asked = asked.iter().take_while(|_| !interrupt.is_raised());
    let all = asked
        .enumerate()
        .map(|(index, operation)| (index, check_lines(plan, operation, whitespace)));
    all.filter(|(_, found)| found.count() > 0).collect()
}

fn check_lines(plan: &Plan, operation: &Operation, whitespace: &WhitespaceRules) -> FileWhitespace {
    let (mut found, text, direction) = (
        FileWhitespace::default(),
        plan.text(operation),
        operation.direction,
    );
    let mut rule = rule(whitespace, operation);
    if operation
        .new_mode
        .or(operation.old_mode)
        .is_some_and(|mode| mode.kind() == FileKind::Symlink)
    {
        rule.flags = rule.flags.without_flags(WhitespaceFlags::INCOMPLETE_LINE);
    }
    // `fix` also corrects context lines, which stay in the file.
    let looks_at_context =
        whitespace.action == WhitespaceAction::Fix && direction == Direction::Forward;
    let Edit::Hunks(hunks) = &operation.edit else {
        return found;
    };
    for hunk in hunks
        .iter()
        .enumerate()
        .filter(|(index, _)| operation.is_applied(*index))
        .map(|(_, hunk)| hunk)
    {
        for line in hunk.lines(text, direction) {
            // The file has CR LF from here on, so CR at the end of a line is no error.
            if is_crlf_preimage(line.kind, line.text) {
                rule = rule.with_cr();
            }
            if line.kind == LineKind::Insertion
                || looks_at_context && line.kind == LineKind::Context
            {
                found.add(line.span, check(line.text, rule));
            }
        }
    }
    found
}

/// Returns whether `line` is a preimage line that ends with CR LF, or with CR if the line has no
/// newline.
fn is_crlf_preimage(kind: LineKind, line: &[u8]) -> bool {
    kind != LineKind::Insertion && line.strip_suffix(b"\n").unwrap_or(line).ends_with(b"\r")
}

/// Returns whether a preimage line of the hunks ends with CR LF. The patch then has the line
/// endings of the file. The function returns `false` if no hunk has a numbered anchor.
pub(super) fn has_crlf_preimage(operation: &Operation, (text, hunks): (&[u8], &[Hunk])) -> bool {
    let lines = || {
        hunks
            .iter()
            .flat_map(|hunk| hunk.lines(text, operation.direction))
    };
    hunks.iter().any(|hunk| hunk.anchor.is_numbered())
        && lines().any(|line| is_crlf_preimage(line.kind, line.text))
}

/// Returns the rules by which the hunks of `operation` must match.
pub(super) fn match_rules(
    operation: &Operation,
    patch: (&[u8], &[Hunk]),
    options: &Options,
) -> MatchRules {
    let mut rules = options.rules.clone();
    let whitespace = &options.whitespace;
    if whitespace.action == WhitespaceAction::Fix {
        let rule = rule(whitespace, operation);
        let rule = if has_crlf_preimage(operation, patch) {
            rule.with_cr()
        } else {
            rule
        };
        rules.correction = Some(WhitespaceCorrection {
            rule,
            corrects_new_lines: whitespace.has_errors,
        });
    }
    rules
}

/// Records the blank lines that the hunks add at the end of the file. Reports them as errors if the
/// action requires this.
pub(super) fn check_blank_end<'h>(
    operation: &Operation,
    text: &[u8],
    preimage: &[u8],
    placed: impl Iterator<Item = (&'h Hunk, &'h Placement)>,
    whitespace: &WhitespaceRules,
    findings: &mut Findings,
) {
    let action = whitespace.action;
    if action == WhitespaceAction::NoWarn
        || !rule(whitespace, operation).has(WhitespaceFlags::BLANK_AT_EOF)
    {
        return;
    }
    for (hunk, placement) in placed {
        if let Some(end) =
            find_trailing_blank_lines(preimage, text, hunk, operation.direction, placement)
        {
            findings
                .outcome
                .whitespace
                .get_or_insert_default()
                .add(end.first, WhitespaceFlags::BLANK_AT_EOF);
            if action.is_refusing() {
                findings.error(&code::WHITESPACE, count_message(1)).place =
                    Some((operation.input, end.first));
            }
        }
    }
}

/// Records the corrected and omitted lines.
pub(super) fn record_corrections(spliced: &mut SplicedFile, findings: &mut Findings) {
    if spliced.corrected.is_empty() && spliced.omitted.is_empty() {
        return;
    }
    let told = findings.outcome.whitespace.get_or_insert_default();
    told.corrected.append(&mut spliced.corrected);
    told.left_out.append(&mut spliced.omitted);
}

/// Adds the errors that were found to the outcomes of the operations.
pub(super) fn report_errors(
    plan: &Plan,
    found: Vec<(usize, FileWhitespace)>,
    action: WhitespaceAction,
    resolution: &mut Resolution,
) {
    let mut found = found.into_iter().peekable();
    for (index, file) in resolution.files.iter_mut().enumerate() {
        let mut lines_alone = 0;
        if let Some((_, lines)) = found.next_if(|(found, _)| *found == index) {
            lines_alone = lines.count();
            let end = file.whitespace.take().map(|end| *end).unwrap_or_default();
            let errors = lines.errors.into_iter().chain(end.errors).collect();
            file.whitespace = Some(Box::new(FileWhitespace {
                errors,
                more: lines.more + end.more,
                ..end
            }));
        }
        let Some(all) = &mut file.whitespace else {
            continue;
        };
        all.action = action;
        // If the action refuses the patch, blank lines at the end of the file are already reported.
        let count = if action.is_refusing() {
            lines_alone
        } else {
            all.count()
        };
        if count == 0 {
            continue;
        }
        if action.is_refusing() {
            file.failed.get_or_insert(&code::WHITESPACE);
        }
        resolution.problems.push(problem(plan, index, all, count));
    }
}

impl Resolution {
    /// Checks the lines of the patch if [`Options::defers_whitespace`] left them unchecked.
    /// Returns the operations with errors, by index, for [`Resolution::add_deferred_whitespace`].
    /// Stops early if `interrupt` is raised; the list is then incomplete.
    #[must_use]
    pub fn find_deferred_whitespace(
        &self,
        plan: &Plan,
        interrupt: &Interrupt,
    ) -> Vec<(usize, FileWhitespace)> {
        let deferred = self.deferred_whitespace.as_ref();
        deferred.map_or_else(Vec::new, |rules| find_errors(plan, rules, interrupt))
    }

    /// Adds the errors `found` and their problems. A second call has no effect.
    pub fn add_deferred_whitespace(&mut self, plan: &Plan, found: Vec<(usize, FileWhitespace)>) {
        if let Some(rules) = self.deferred_whitespace.take() {
            report_errors(plan, found, rules.action, self);
        }
    }
}

/// Checks the lines of a plan without comparing it with files. Returns the errors and the problems.
#[must_use]
pub fn check_plan(
    plan: &Plan,
    whitespace: &WhitespaceRules,
    interrupt: &Interrupt,
) -> (Vec<(usize, FileWhitespace)>, Vec<Problem>) {
    let mut found = find_errors(plan, whitespace, interrupt);
    for (_, lines) in &mut found {
        lines.action = whitespace.action;
    }
    let problems = found
        .iter()
        .map(|(index, lines)| problem(plan, *index, lines, lines.count()))
        .collect();
    (found, problems)
}

fn problem(plan: &Plan, index: usize, found: &FileWhitespace, count: usize) -> Problem {
    let severity = if found.action.is_refusing() {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut problem = Problem {
        severity,
        ..Problem::new(&code::WHITESPACE, count_message(count))
    };
    problem.place = found
        .errors
        .first()
        .map(|(span, _)| (plan.operations[index].input, *span));
    problem.set_operation(plan, index);
    problem
}

fn count_message(count: usize) -> String {
    let line = if count == 1 { "line adds" } else { "lines add" };
    format!("{count} {line} whitespace errors")
}
