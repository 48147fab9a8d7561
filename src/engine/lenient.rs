//! Patches as models make them: what is not taken as it stands is repaired, and then taken like any other.

use super::{Request, Run, reading};
use crate::change::Dropped;
use crate::path::RelPath;
use crate::plan::{Direction, Input, NotIncluded, Operation, Repair, Selection};
use crate::policy::Verdict;
use crate::preflight::{self, Facts, Held, Problem, Severity, code};
use crate::repair::{Refusal, RefusalKind, Repaired, has_elision, plain_text, repair, unquoted};
use crate::syntax;
use crate::text::{Bytes, lines};
use crate::transaction::Failure;
use crate::workspace::Workspace;

/// How patches are repaired.
#[derive(Clone, Debug)]
pub struct Lenience {
    /// The absolute name of the root, which patches may have in front of names.
    pub root: Vec<u8>,
}

/// Patches with their names.
type Patches = Vec<(String, Bytes)>;
/// The decoded texts of patches.
type Inputs = Vec<Input>;
/// Why some cannot be repaired, each with the number of its patch.
type Refusals = Vec<(usize, Refusal)>;

impl Run {
    /// Reads the patches for the tree that they are for; returns whether there is a plan to look at.
    pub(super) fn read_for(
        &mut self,
        request: Request,
        workspace: &dyn Workspace,
        options: &mut preflight::Options,
    ) -> bool {
        let (whitespace, three_way) = (request.whitespace.clone(), request.three_way.clone());
        let (relocates, most) = (request.relocate, request.preflight.max_file);
        let has_plan = match request.lenience.clone() {
            Some(lenience) => self.read_leniently(request, &lenience, workspace),
            None => self.read_as(request, workspace),
        };
        if has_plan && relocates {
            self.recall(workspace, most);
        }
        if has_plan {
            self.consult(&whitespace, options);
        }
        if let Some(asked) = three_way.filter(|_| has_plan) {
            self.find_bases(asked, workspace, options);
        }
        has_plan
    }

    /// Reads the patches after repairs of the whole text, which do not depend on the tree.
    fn read_leniently(&mut self, mut request: Request, lenience: &Lenience, workspace: &dyn Workspace) -> bool {
        let mut repairs = Vec::with_capacity(request.patches.len());
        for (_, text) in &mut request.patches {
            let (plain, repaired) = plain_text(text).unzip();
            *text = plain.unwrap_or_else(|| text.clone());
            repairs.push(repaired.unwrap_or_default());
        }
        let has_plan = self.read_repairable(&request, lenience, workspace);
        self.problems.extend(repairs.iter().flat_map(|repairs| told(repairs)));
        for (input, repairs) in self.plan.inputs.iter_mut().zip(repairs) {
            input.repairs.splice(..0, repairs);
        }
        has_plan
    }

    /// Takes the patches as they stand if they fit, else as they are when they are repaired.
    fn read_repairable(&mut self, request: &Request, lenience: &Lenience, workspace: &dyn Workspace) -> bool {
        let mut strict = Self::new(self.command, self.success);
        let options = strict.asked(request);
        let (describe, diff, whole_diff) = (false, false, false);
        let options = preflight::Options { describe, diff, whole_diff, guards: Vec::new(), ..options };
        let mut options = preflight::Options { gallery: None, shelf: None, ..options };
        let plain = Request { lenience: None, ..request.clone() };
        // What is repaired does not depend on what is chosen of it.
        let selection = Selection { only: None, ..plain.selection.clone() };
        let has_plan = strict.read(Request { selection, ..plain.clone() });
        if has_plan {
            strict.consult(&request.whitespace, &mut options);
        }
        let resolved = has_plan.then(|| preflight::resolve(&strict.plan, workspace, &options, &Dropped));
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        let fits = matches!(&resolved, Some(Ok(found)) if !found.problems.iter().chain(&strict.problems).any(is_error));
        // git's own diffs are exact about names and lines. The way back is not repaired, and what policy closes is
        // not read.
        let is_torn = strict.plan.operations.iter().any(|operation| is_torn(operation, strict.plan.text(operation)));
        let is_elided =
            || strict.plan.operations.iter().any(|operation| has_elision(operation, strict.plan.text(operation)));
        let is_exact = strict.plan.inputs.iter().all(|input| input.formats == ["git"]) && !is_torn && !is_elided();
        let is_closed = has_plan && preflight::is_held(&strict.plan, workspace, &options);
        if !is_closed && request.selection.direction == Direction::Forward && (!fits || is_elided()) {
            // A patch in a string is repaired as if it came alone.
            let mut alone = request.clone();
            let is_quoted = alone.patches.iter_mut().fold(false, |is_quoted, (_, text)| match unquoted(text) {
                Some(patch) => {
                    *text = patch.into();
                    true
                }
                None => is_quoted,
            });
            if is_quoted {
                return self.read_repairable(&alone, lenience, workspace);
            }
        }
        // Grammars of which every form is exact have their own mends.
        let has_own_mends = |format: &&str| !["unified", "git", "codex", "context", "normal"].contains(format);
        let is_other = has_plan && strict.plan.inputs.iter().any(|input| input.formats.iter().any(has_own_mends));
        if is_other && !is_closed && request.selection.direction == Direction::Forward {
            return self.read(plain) && (fits && !is_elided() || self.repair_texts(workspace, &options));
        }
        if fits && is_exact || is_other || is_closed || request.selection.direction == Direction::Reverse {
            return self.read(plain);
        }
        let opened = request.patches.iter().map(|(name, bytes)| syntax::opened(name, bytes.clone()));
        // Mail that cannot be decoded is refused with the place of the mistake.
        let Ok(inputs) = opened.collect::<Result<Inputs, _>>() else { return self.read(plain) };
        match self.repaired(request, &inputs, lenience, workspace) {
            Ok(Ok(patches)) => {
                let named = not_included(has_plan.then_some(&strict.plan.inputs[..]), &inputs);
                self.read_repaired(Request { patches, ..plain }, named)
            }
            Ok(Err(refusals)) => {
                let is_unknown = |refusal: &Refusal| {
                    matches!(refusal.kind, RefusalKind::NoPatch | RefusalKind::NotFound | RefusalKind::Unreadable)
                };
                // What fits nowhere is refused as it stands, with all that is known of its places.
                let is_nothing = |refusal: &Refusal| refusal.kind == RefusalKind::NoPatch;
                let all = |is: &dyn Fn(&Refusal) -> bool| refusals.iter().all(|(_, refusal)| is(refusal));
                let errors: Vec<_> = match &resolved {
                    Some(Ok(found)) => found.problems.iter().filter(|problem| is_error(problem)).collect(),
                    _ => Vec::new(),
                };
                let is_exact_plan = has_plan && !is_torn && blames_no_other(&errors, &refusals);
                // The strict reading says where the patch ends too early.
                let is_cut_off = strict.problems.iter().any(|problem| problem.facts.is_cut_off)
                    && all(&|refusal| refusal.kind == RefusalKind::Stray);
                if is_exact_plan && all(&is_unknown) || all(&is_nothing) || is_cut_off {
                    return self.read(plain);
                }
                self.problems.extend(refusals.iter().map(|(input, refusal)| unrepaired(refusal, *input)));
                self.plan.inputs = inputs;
                false
            }
            Err(failure) => {
                self.fail(&failure);
                false
            }
        }
    }

    /// Returns every patch repaired, or why some cannot be, each with the number of its patch.
    fn repaired(
        &mut self,
        request: &Request,
        inputs: &[Input],
        lenience: &Lenience,
        workspace: &dyn Workspace,
    ) -> Result<Result<Patches, Refusals>, Failure> {
        let (mut patches, mut refusals) = (Vec::new(), Vec::new());
        let options = &request.preflight;
        let unread = if options.held == Held::Nothing { Verdict::Deny } else { Verdict::Ask };
        for (index, input) in inputs.iter().enumerate() {
            let names = (&*lenience.root, request.selection.file.as_deref());
            match repair(&input.bytes, workspace, (&options.policy, unread), names, options.max_read())
                .map_err(Failure::Workspace)?
            {
                Ok(Repaired { text, mut repairs }) => {
                    renumber(&mut repairs, input);
                    self.repairs.push(repairs);
                    patches.push((input.name.clone(), text.into()));
                }
                Err(found) => refusals.extend(found.into_iter().map(|refusal| (index, refusal))),
            }
        }
        Ok(if refusals.is_empty() { Ok(patches) } else { Err(refusals) })
    }

    /// Reads patches that were repaired, which are git diffs.
    fn read_repaired(&mut self, request: Request, not_included: Vec<Vec<NotIncluded>>) -> bool {
        let selection = Selection { strip: Some(1), directory: Vec::new(), ..request.selection.clone() };
        let format = "auto".to_owned();
        let syntax = syntax::Options { recount: false, ..request.syntax };
        let is_read = self.read(Request { format, syntax, selection, ..request });
        for (input, named) in self.plan.inputs.iter_mut().zip(not_included) {
            input.not_included = named;
        }
        for (input, repairs) in self.plan.inputs.iter_mut().zip(std::mem::take(&mut self.repairs)) {
            input.repairs = repairs;
        }
        self.report_not_included(reading::severity(&syntax));
        self.problems.extend(self.plan.inputs.iter().flat_map(|input| told(&input.repairs)));
        is_read
    }
}

/// Returns the changes that each patch names and does not contain; `read` are the patches if they could be read.
fn not_included(read: Option<&[Input]>, inputs: &[Input]) -> Vec<Vec<NotIncluded>> {
    let damaged = |input: &Input| {
        let is_envelope = memchr::memmem::find(&input.bytes, b"*** Begin Patch").is_some();
        let mut found = if is_envelope { Vec::new() } else { syntax::find_in_damaged(&input.bytes) };
        if let Some(origin) = &input.origin {
            let line = origin.line_numbers();
            for named in &mut found {
                named.line = line(named.span.start);
            }
        }
        found
    };
    match read {
        Some(inputs) => inputs.iter().map(|input| input.not_included.clone()).collect(),
        None => inputs.iter().map(damaged).collect(),
    }
}

/// Makes the lines of `repairs`, which are those of the decoded text of a mail, lines of the mail.
fn renumber(repairs: &mut [Repair], input: &Input) {
    let Some(origin) = &input.origin else { return };
    let starts: Vec<_> = lines(&input.bytes).map(|(span, _)| span.start).collect();
    let line = origin.line_numbers();
    for repair in repairs {
        if let Some(&start) = repair.line.checked_sub(1).and_then(|line| starts.get(line)) {
            repair.line = line(start);
        }
    }
}

/// Returns whether lines that look like those of a hunk follow a section, which nobody would read.
fn is_torn(operation: &Operation, text: &[u8]) -> bool {
    match text.get(operation.span.end..).unwrap_or_default() {
        [b'-', b'-', ..] => false,
        rest => matches!(rest.first(), Some(b'+' | b'-')) || rest.starts_with(b"@@"),
    }
}

/// Returns whether each file has at most as many `errors` as `refusals`: other hunks fit after a repair, and a report
/// on the patch without repairs blames them, too.
fn blames_no_other(errors: &[&Problem], refusals: &Refusals) -> bool {
    let count = |path: &RelPath| errors.iter().filter(|error| error.path.as_ref() == Some(path)).count();
    let refused = |path: &RelPath| refusals.iter().filter(|(_, refusal)| refusal.path.as_ref() == Some(path)).count();
    errors.iter().filter_map(|error| error.path.as_ref()).all(|path| count(path) <= refused(path))
}

/// A part of a patch that has no certain reading.
pub(super) fn unrepaired(refusal: &Refusal, input: usize) -> Problem {
    let code = match refusal.kind {
        RefusalKind::NoPatch => &code::NO_PATCH,
        RefusalKind::Stray => &code::EXTRA_LINES,
        RefusalKind::Cut => &code::TRUNCATED,
        RefusalKind::NotFound => &code::NOT_FOUND,
        RefusalKind::Overlap => &code::OVERLAP,
        RefusalKind::Ambiguous => &code::AMBIGUOUS,
        RefusalKind::Applied => &code::ALREADY_APPLIED,
        RefusalKind::Name => &code::MISSING,
        RefusalKind::Outside => &code::OUTSIDE_ROOT,
        RefusalKind::Closed => &code::CLOSED,
        RefusalKind::Unapproved => &code::APPROVAL_REQUIRED,
        RefusalKind::Unreadable => &code::NOT_A_FILE,
        RefusalKind::TooMuch => &code::TOO_LARGE,
    };
    let path: Option<RelPath> = refusal.path.clone();
    let lines = refusal.lines.clone();
    let help = (refusal.kind == RefusalKind::Cut).then(|| "send the complete patch".to_owned());
    let facts = Facts { nearest: refusal.nearest.clone(), advice: help.clone(), ..Facts::default() };
    Problem {
        place: Some((input, refusal.span)),
        path,
        lines,
        facts,
        help,
        ..Problem::new(code, refusal.message.clone())
    }
}

/// Says what was repaired, each kind once.
pub(super) fn told(repairs: &[Repair]) -> Vec<Problem> {
    let mut told: Vec<(&Repair, usize)> = Vec::new();
    for repair in repairs {
        match told.iter_mut().find(|(known, _)| known.code == repair.code) {
            Some((_, more)) => *more += 1,
            None => told.push((repair, 0)),
        }
    }
    let problem = |(repair, more): (&Repair, usize)| {
        let others = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!("repaired at line {}{others} of the patch: {}", repair.line, repair.message);
        Problem { severity: Severity::Warning, ..Problem::new(&code::REPAIRED, message) }
    };
    told.into_iter().map(problem).collect()
}
