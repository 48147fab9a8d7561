//! Patches as models make them: what is not taken as it stands is repaired, and then taken like any other.

mod strict;

use super::{Decide, Request, Run, What, reading};
use crate::path::RelPath;
use crate::plan::{Input, NotIncluded, Repair};
use crate::policy::Verdict;
use crate::preflight::{self, Facts, Held, Problem, Severity, code};
use crate::repair::{Refusal, RefusalKind, Repaired, plain_text, repair, unquoted};
use crate::syntax;
use crate::text::{Bytes, lines};
use crate::transaction::Failure;
use crate::workspace::Workspace;
use strict::Strict;

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
        let (decide, context) = (request.decide.clone(), request.context.clone());
        let has_plan =
            if decide.lenient { self.read_leniently(request, workspace) } else { self.read_as(request, workspace) };
        if !has_plan {
            return false;
        }
        if decide.relocate {
            self.recall(workspace, decide.max_file);
        }
        self.consult(&decide, &context, options);
        if let Some(merge) = decide.three_way {
            self.find_bases(merge, &context, workspace, options);
        }
        true
    }

    /// Reads the patches after repairs of the whole text, which do not depend on the tree.
    fn read_leniently(&mut self, mut request: Request, workspace: &dyn Workspace) -> bool {
        let mut repairs = Vec::new();
        for (_, text) in texts_of(&mut request) {
            let (plain, repaired) = plain_text(text).unzip();
            *text = plain.unwrap_or_else(|| text.clone());
            repairs.push(repaired.unwrap_or_default());
        }
        let has_plan = self.read_repairable(&request, workspace);
        self.problems.extend(repairs.iter().flat_map(|repairs| told(repairs)));
        for (input, repairs) in self.plan.inputs.iter_mut().zip(repairs) {
            input.repairs.splice(..0, repairs);
        }
        has_plan
    }

    /// Takes the patches as they stand if they fit, else as they are when they are repaired.
    fn read_repairable(&mut self, request: &Request, workspace: &dyn Workspace) -> bool {
        let strict = Strict::of(self, request, workspace);
        if !strict.is_open {
            return self.read(request.clone());
        }
        let fits = strict.fits && !strict.is_elided();
        if let Some(alone) = unquoted_request(request).filter(|_| !fits) {
            return self.read_repairable(&alone, workspace);
        }
        if strict.is_of_texts() {
            return self.read(request.clone()) && (fits || self.repair_texts(workspace, &strict.options));
        }
        if fits && strict.is_exact() {
            return self.read(request.clone());
        }
        let texts = request.patches().map_or(&[][..], |patches| &patches.texts);
        let opened = texts.iter().map(|(name, bytes)| syntax::opened(name, bytes.clone()));
        // Mail that cannot be decoded is refused with the place of the mistake.
        let Ok(inputs) = opened.collect::<Result<Inputs, _>>() else { return self.read(request.clone()) };
        match self.repaired(request, &inputs, workspace) {
            Ok(Ok(_)) if strict.stays() && self.repairs.iter().all(Vec::is_empty) => {
                self.repairs.clear();
                self.read(request.clone())
            }
            Ok(Ok(patches)) => {
                let named = not_included(strict.has_plan.then_some(&strict.plan.inputs[..]), &inputs);
                self.read_repaired(request, patches, named)
            }
            Ok(Err(refusals)) if strict.decides(&refusals) => self.read(request.clone()),
            Ok(Err(refusals)) => {
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
        workspace: &dyn Workspace,
    ) -> Result<Result<Patches, Refusals>, Failure> {
        let (mut patches, mut refusals) = (Vec::new(), Vec::new());
        let options = request.preflight();
        let unread = if options.held == Held::Nothing { Verdict::Deny } else { Verdict::Ask };
        for (index, input) in inputs.iter().enumerate() {
            let names = (request.decide.root(), request.decide.file.as_deref());
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
    fn read_repaired(&mut self, request: &Request, texts: Patches, not_included: Vec<Vec<NotIncluded>>) -> bool {
        let (format, directory) = ("auto".to_owned(), Vec::new());
        let decide = Decide { format, recount: false, strip: Some(1), directory, ..request.decide.clone() };
        let severity = reading::severity(&decide);
        let mut repaired = Request { decide, ..request.clone() };
        *texts_of(&mut repaired) = texts;
        let is_read = self.read(repaired);
        for (input, named) in self.plan.inputs.iter_mut().zip(not_included) {
            input.not_included = named;
        }
        for (input, repairs) in self.plan.inputs.iter_mut().zip(std::mem::take(&mut self.repairs)) {
            input.repairs = repairs;
        }
        self.report_not_included(severity);
        self.problems.extend(self.plan.inputs.iter().flat_map(|input| told(&input.repairs)));
        is_read
    }
}

/// Returns `request` with the patches that are strings of JSON documents taken out of them, which are repaired as if they
/// came alone; `None` if there are none.
fn unquoted_request(request: &Request) -> Option<Request> {
    let mut alone = request.clone();
    let mut is_quoted = false;
    for (_, text) in texts_of(&mut alone) {
        if let Some(patch) = unquoted(text) {
            (*text, is_quoted) = (patch.into(), true);
        }
    }
    is_quoted.then_some(alone)
}

/// Returns the patches with their names. A request of anything else is never repaired.
fn texts_of(request: &mut Request) -> &mut Patches {
    match &mut request.what {
        What::Patches(patches) => &mut patches.texts,
        What::Edit(_) | What::Undo(_) => unreachable!("BUG: the input is no patch"),
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
