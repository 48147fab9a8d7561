//! `refresh`: rewrites patches for the current tree.
//!
//! 1. All patches are checked against the tree, in order, with fuzz. A hunk whose result is already
//!    in the tree is skipped.
//! 2. `hunks.rs` gives each hunk the line numbers and the context lines of its place, and
//!    `patch_text.rs` puts them into the text of the patch. Everything else keeps its bytes.
//! 3. `verify.rs` checks the new patches without fuzz. They must give the same tree.
//! 4. The patch files and the series file change in one transaction.
//!
//! `statuses.rs` describes the result of each hunk. `merged.rs` finds stacks of patches that the tree
//! has.

mod hunks;
mod merged;
mod patch_text;
mod statuses;
mod verify;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::request::{Decide, Patches, Series, TargetFile, TargetState, TreeChange};
use super::stages::{Command, Committed};
use super::task::{CommandMode, CommandRun};
use super::tree_change::{CommandEffects, run_with_effects};
use super::{
    Commit, Look, Outcome, Request, RequestContext, What, close_approval_gate, refused_outcome,
    steps,
};
use crate::digest::Digest;
use crate::interrupt::Interrupt;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{ExpectedFile, Plan};
use crate::preflight::{
    ApprovalGate, ContentPair, KeptContents, PreviewSinks, Problem, Resolution, Severity, code,
};
use crate::report::{self, PatchStatus, RefreshReport};
use crate::text::{Bytes, lines};
use crate::workspace::Workspace;
use patch_text::{Section, TextEdit, apply_edits};
use verify::{FinalTree, final_tree};

/// The name of the command in reports.
const NAME: &str = "refresh";
/// The file in which quilt lists the applied patches.
const QUILT_APPLIED: &[u8] = b".pc/applied-patches";

/// Patches to rewrite for the current tree.
#[derive(Clone, Debug)]
pub struct RefreshRequest {
    /// The patches and their options. [`Decide::fuzz`] is the number of context lines that the tree
    /// can have changed. [`Request::commit`] is for the change of the patch files.
    pub request: Request,
    /// The file of each patch, in the order of the patches.
    pub files: Vec<RelPath>,
    /// The series file and its content, if the patches are those of a series. A removed patch also
    /// loses its line.
    pub series: Option<(RelPath, Bytes)>,
}

/// The outcome of a refresh.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The outcome.
    pub outcome: Outcome,
    /// The tree to which the paths in the outcome belong.
    pub place: RefreshPlace,
}

/// One of the two trees of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshPlace {
    /// The tree that the patches change. The outcome is a refusal.
    Tree,
    /// The tree that contains the patch files.
    PatchFiles,
}

/// Rewrites patches so that they apply to `tree` at their stated lines and without fuzz, or leaves
/// all of them unchanged and reports the reason. The files are in `patch_tree`.
///
/// Each patch applies to the result of the patches before it. A change that the tree already has is
/// removed from its patch, and a patch without any other change is deleted.
/// [`Report::refresh`](crate::report::Report::refresh) describes each hunk.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, RefreshRequest, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let patch = "Fix two.\n\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
/// let name = RelPath::new(b"fix.patch")?;
/// let tree = Memory::with_files([(RelPath::new(b"a")?, Entry::file("zero\none\ntwo\n"))]);
/// let patches = Memory::with_files([(name.clone(), Entry::file(patch))]);
/// let refresh = RefreshRequest { request: Request::of(patch), files: vec![name.clone()], series: None };
/// let outcome = engine::refresh(refresh, &tree, &patches, &Interrupt::new()).outcome;
/// assert!(outcome.report.changed);
/// let expected = "Fix two.\n\n--- a/a\n+++ b/a\n@@ -2,2 +2,2 @@\n one\n-two\n+2\n";
/// assert_eq!(patches.files()[&name].contents, expected.as_bytes());
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn refresh(
    mut refresh: RefreshRequest,
    tree: &dyn Workspace,
    patch_tree: &dyn Workspace,
    interrupt: &Interrupt,
) -> Refreshed {
    close_approval_gate(&mut refresh.request, patch_tree);
    refresh.request.context.interrupt = interrupt.clone();
    run(refresh, (tree, patch_tree), CommandMode::Apply)
}

/// Returns the report that [`refresh()`] would produce, and writes nothing.
pub fn check_refresh(
    refresh: RefreshRequest,
    tree: &dyn Workspace,
    patch_tree: &dyn Workspace,
) -> Refreshed {
    run(refresh, (tree, patch_tree), CommandMode::Check)
}

fn run(
    refresh: RefreshRequest,
    (tree, patch_tree): (&dyn Workspace, &dyn Workspace),
    mode: CommandMode,
) -> Refreshed {
    let RefreshRequest {
        mut request,
        files,
        series,
    } = refresh;
    let taken = request.take_patches().and_then(|patches| {
        let problem = file_problem(&patches, &files).or_else(|| quilt_problem(&patches, tree));
        problem.map_or(Ok(patches), |problem| Err(Box::new(problem)))
    });
    let refused = |outcome: Box<Outcome>| Refreshed {
        outcome: *outcome,
        place: RefreshPlace::Tree,
    };
    let patches = match taken {
        Ok(patches) => patches,
        Err(problem) => return refused(refused_outcome(NAME, *problem)),
    };
    let (report, change) = match Refresh::of(patches, &request, tree) {
        Ok(refreshed) => refreshed.into_change((files, series)),
        Err(outcome) => return refused(outcome),
    };
    let mut effects = CommandEffects::default();
    effects.problems.extend(all_there_warning(&report));
    let request = Request {
        what: What::default(),
        decide: Decide {
            max_file: request.decide.max_file,
            ..Decide::default()
        },
        context: RequestContext {
            git: None,
            root_gits: Vec::new(),
            objects: None,
            ..request.context
        },
        ..request
    };
    let mut outcome = run_with_effects(change, effects, request, (mode, patch_tree));
    outcome.report.refresh = Some(Box::new(report));
    Refreshed {
        outcome,
        place: RefreshPlace::PatchFiles,
    }
}

/// Returns a problem if a file is missing for a patch or belongs to several patches.
fn file_problem(patches: &Patches, files: &[RelPath]) -> Option<Problem> {
    if patches.texts.len() != files.len() {
        let message = "the request needs one file for each patch";
        return Some(Problem::new(&code::USAGE, message));
    }
    let mut known = HashMap::new();
    let repeated = files
        .iter()
        .find(|file| known.insert(*file, ()).is_some())?;
    Some(Problem {
        path: Some(repeated.clone()),
        ..Problem::new(&code::USAGE, "the patch is named twice")
    })
}

/// Returns a problem if quilt has applied a patch of the series to the tree. All its changes would
/// count as already there.
fn quilt_problem(patches: &Patches, tree: &dyn Workspace) -> Option<Problem> {
    patches.series.as_ref()?;
    let path = RelPath::new(QUILT_APPLIED).ok()?;
    let (text, _) = tree.read(&path, 1 << 20).ok()?;
    let is_applied = lines(&text).any(|(_, line)| !line.trim_ascii().is_empty());
    is_applied.then(|| Problem {
        path: Some(path),
        help: Some("run `quilt pop -a` first".to_owned()),
        ..Problem::new(
            &code::PATCHES_APPLIED,
            "quilt has applied patches to this tree",
        )
    })
}

/// Returns a warning if the tree already has the changes of several patches, and of all of them.
fn all_there_warning(report: &RefreshReport) -> Option<Problem> {
    let patches = &report.patches;
    let is_removed = |patch: &report::RefreshedPatch| patch.status == PatchStatus::Removed;
    (patches.len() > 1 && patches.iter().all(is_removed)).then(|| Problem {
        severity: Severity::Warning,
        help: Some("if the patches are applied to this tree, undo this command".to_owned()),
        ..Problem::new(
            &code::PATCHES_APPLIED,
            "the tree already has the changes of all patches",
        )
    })
}

/// The refreshed patches.
struct Refresh {
    report: RefreshReport,
    /// The old and the new text of each patch. `None` for a patch that is removed.
    texts: Vec<(Bytes, Option<Vec<u8>>)>,
    /// The line of each patch in the series file, counted from 1.
    entries: Vec<usize>,
}

impl Refresh {
    /// Refreshes `patches`.
    ///
    /// # Errors
    ///
    /// Returns the outcome if a patch does not apply, or if it cannot be written.
    fn of(patches: Patches, request: &Request, tree: &dyn Workspace) -> Result<Self, Box<Outcome>> {
        let all = (0..patches.texts.len()).collect();
        let mut attempt = Attempt::of(&patches, all, request, tree)?;
        if attempt.checked.done.is_refused() && attempt.checked.resolution().is_some() {
            let merged = merged::find_merged(&patches, &attempt.report, request, tree);
            if !merged.is_empty() {
                attempt = attempt.without(&merged, &patches, request, tree)?;
            }
        }
        let Attempt {
            checked,
            kept,
            report,
            texts,
        } = attempt;
        if checked.done.is_refused() {
            return Err(checked.into_outcome(report));
        }
        let texts = match texts {
            Ok(texts) => texts,
            Err(problem) => return Err(checked.refuse(*problem, report)),
        };
        let refreshed = refreshed_patches(subset(&patches, &kept), &texts);
        if let Err(problem) = verify::verify(refreshed, request, tree, &checked.final_tree()) {
            return Err(checked.refuse(*problem, report));
        }
        let series = patches.series;
        let entries = series.map_or_else(Vec::new, |series| {
            series.entries.iter().map(|entry| entry.line).collect()
        });
        let mut new_texts: Vec<Option<Vec<u8>>> = vec![None; patches.texts.len()];
        kept.into_iter()
            .zip(texts)
            .for_each(|(index, text)| new_texts[index] = text);
        let texts = patches.texts.into_iter().zip(new_texts);
        Ok(Self {
            report,
            texts: texts.map(|((_, old), new)| (old, new)).collect(),
            entries,
        })
    }

    /// Returns the report, and the change of the patch files and of the series file.
    fn into_change(
        self,
        (paths, series): (Vec<RelPath>, Option<(RelPath, Bytes)>),
    ) -> (RefreshReport, TreeChange) {
        let mut removed = Vec::new();
        let mut files = Vec::new();
        for (index, ((old, new), path)) in self.texts.into_iter().zip(paths).enumerate() {
            if new.is_none() {
                removed.extend(self.entries.get(index));
            }
            if new.as_deref() != Some(&*old) {
                files.push(target_file(path, &old, new));
            }
        }
        if let Some((path, old)) = series.filter(|_| !removed.is_empty()) {
            let kept = lines(&old)
                .enumerate()
                .filter(|(index, _)| !removed.contains(&(index + 1)));
            let new: Vec<&[u8]> = kept.map(|(_, (_, line))| line).collect();
            files.push(target_file(path, &old, Some(new.concat())));
        }
        let change = TreeChange {
            command: NAME,
            files,
        };
        (self.report, change)
    }
}

/// Returns the change of the file at `path` from `old` to `new`. `None` deletes it.
fn target_file(path: RelPath, old: &[u8], new: Option<Vec<u8>>) -> TargetFile {
    TargetFile {
        path,
        from: None,
        before: Some(ExpectedFile {
            kind: FileKind::Regular,
            digest: Digest::of(old),
            permissions: None,
        }),
        after: new.map(|text| TargetState {
            mode: FileMode::Regular,
            permissions: None,
            content: Some(Arc::new(text.into())),
        }),
    }
}

/// An attempt to refresh some of the patches.
struct Attempt {
    checked: Checked,
    /// The indexes of these patches among all patches.
    kept: Vec<usize>,
    /// The report on all patches.
    report: RefreshReport,
    /// The new text of each patch, or the problem of the first one that cannot be written.
    texts: Result<Vec<Option<Vec<u8>>>, Box<Problem>>,
}

impl Attempt {
    fn of(
        patches: &Patches,
        kept: Vec<usize>,
        request: &Request,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let patches = subset(patches, &kept);
        let decide = Decide {
            idempotent: true,
            ..request.decide.clone()
        };
        let checked = Checked::of(patches.clone(), request, &decide, tree)?;
        let plan = &checked.done.resolved.selected.plan;
        let starts = patch_inputs(plan);
        let report = statuses::refresh_report(plan, &checked, &starts);
        let texts = new_texts(&checked, &starts);
        let report = match &texts {
            Ok(texts) => report.with_statuses(&patch_statuses(&patches, texts)),
            Err(_) => report,
        };
        Ok(Self {
            checked,
            kept,
            report,
            texts,
        })
    }

    /// Returns an attempt without the patches `merged`, which the tree has, if it is better than this
    /// one.
    fn without(
        self,
        merged: &[usize],
        patches: &Patches,
        request: &Request,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let is_kept = |index: &usize| merged.binary_search(index).is_err();
        let kept = (0..patches.texts.len()).filter(is_kept).collect();
        let other = Self::of(patches, kept, request, tree)?;
        if other.report.count_failed() >= self.report.count_failed() {
            return Ok(self);
        }
        let report = self.report.with_merged(other.report, &other.kept);
        Ok(Self { report, ..other })
    }
}

/// The patches, checked against the tree.
struct Checked {
    done: Committed,
    command: Command,
    contents: KeptContents,
}

impl Checked {
    /// Checks `patches` with the options `decide`.
    ///
    /// # Errors
    ///
    /// Returns the outcome if the policy cannot be used.
    fn of(
        patches: Patches,
        request: &Request,
        decide: &Decide,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let request = Request {
            what: What::default(),
            decide: decide.clone(),
            look: Look {
                describe: true,
                diff: false,
                ..request.look.clone()
            },
            commit: Commit::default(),
            context: RequestContext {
                // The patches contain lines of the files, and the files stay as they are.
                approval_gate: ApprovalGate::Reading,
                is_external_change: true,
                ..request.context.clone()
            },
        };
        let success = report::Outcome::WouldApply;
        let (mut task, begun) = CommandRun::new((NAME, success), request, tree)?;
        let contents = KeptContents::default();
        let (selected, options) = steps::read(&task, patches, begun);
        task.preview_sinks = PreviewSinks {
            contents: Some(&contents),
            ..PreviewSinks::default()
        };
        let done = task.run(selected, &options, CommandMode::Check);
        let command = task.command.clone();
        Ok(Self {
            done,
            command,
            contents,
        })
    }

    fn resolution(&self) -> Option<&Resolution> {
        self.done.resolved.resolution.as_ref()
    }

    /// Returns the contents before and after each operation.
    fn contents(&self) -> Vec<ContentPair> {
        let count = self.done.resolved.selected.plan.operations.len();
        (0..count)
            .map(|index| self.contents.contents(index))
            .collect()
    }

    fn final_tree(&self) -> FinalTree {
        let plan = &self.done.resolved.selected.plan;
        let files = self
            .resolution()
            .map_or(&[][..], |resolution| &resolution.files);
        final_tree(plan, files, &self.contents())
    }

    fn into_outcome(self, report: RefreshReport) -> Box<Outcome> {
        // Malformed patches have not been compared with the tree.
        let is_compared = self.resolution().is_some();
        let mut outcome = self.done.finish(&self.command);
        outcome.report.refresh = is_compared.then(|| Box::new(report));
        Box::new(outcome)
    }

    fn refuse(mut self, problem: Problem, report: RefreshReport) -> Box<Outcome> {
        self.done.problems().push(problem);
        self.into_outcome(report)
    }
}

/// Returns the index of each patch among the inputs of `plan`. The other inputs are parts of patches.
fn patch_inputs(plan: &Plan) -> Vec<usize> {
    let inputs = plan.inputs.iter().enumerate();
    inputs
        .filter(|(_, input)| input.part.is_none())
        .map(|(index, _)| index)
        .collect()
}

/// Returns the new text of each patch. `None` for a patch whose changes the tree already has.
///
/// # Errors
///
/// Returns the problem of the first patch that cannot be written.
fn new_texts(checked: &Checked, starts: &[usize]) -> Result<Vec<Option<Vec<u8>>>, Box<Problem>> {
    let plan = &checked.done.resolved.selected.plan;
    let contents = checked.contents();
    let files = checked
        .resolution()
        .map_or(&[][..], |resolution| &resolution.files);
    let mut edits: BTreeMap<usize, Vec<TextEdit>> = BTreeMap::new();
    let mut remaining: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, outcome) in files.iter().enumerate() {
        let patch = patch_of(plan.operations[index].input, starts);
        let section = Section::new(plan, index, outcome, &contents[index], starts[patch]);
        if outcome.failed.is_some() {
            *remaining.entry(patch).or_default() += 1;
            continue;
        }
        let refuse = |reason| write_problem(plan, starts[patch], reason);
        edits
            .entry(patch)
            .or_default()
            .extend(section.edits().map_err(refuse)?);
        *remaining.entry(patch).or_default() += usize::from(!section.is_there());
    }
    let mut texts = Vec::with_capacity(starts.len());
    for (patch, &start) in starts.iter().enumerate() {
        let input = &plan.inputs[start];
        let edits = edits.remove(&patch).unwrap_or_default();
        texts.push(match remaining.get(&patch) {
            Some(0) => None,
            _ if edits.is_empty() => Some(input.original().to_vec()),
            _ => Some(
                apply_edits(input, edits).map_err(|reason| write_problem(plan, start, reason))?,
            ),
        });
    }
    Ok(texts)
}

/// Returns the index of the patch that contains the input with the index `input`.
fn patch_of(input: usize, starts: &[usize]) -> usize {
    starts
        .partition_point(|&start| start <= input)
        .saturating_sub(1)
}

fn write_problem(plan: &Plan, input: usize, reason: &str) -> Box<Problem> {
    let message = format!("{} cannot be rewritten: {reason}", plan.inputs[input].name);
    Box::new(Problem::new(&code::NOT_REFRESHABLE, message))
}

fn patch_statuses(patches: &Patches, texts: &[Option<Vec<u8>>]) -> Vec<PatchStatus> {
    let pairs = patches.texts.iter().zip(texts);
    let status = |((_, old), new): (&(String, Bytes), &Option<Vec<u8>>)| match new {
        None => PatchStatus::Removed,
        Some(new) if **new == **old => PatchStatus::Unchanged,
        Some(_) => PatchStatus::Rewritten,
    };
    pairs.map(status).collect()
}

/// Returns the patches with these indexes, in order.
fn subset(patches: &Patches, kept: &[usize]) -> Patches {
    Patches {
        texts: kept
            .iter()
            .map(|&index| patches.texts[index].clone())
            .collect(),
        series: patches.series.as_ref().map(|series| Series {
            name: series.name.clone(),
            entries: kept.iter().map(|&index| series.entries[index]).collect(),
        }),
        is_saved: false,
    }
}

/// Returns `patches` with their new texts, without the removed ones.
fn refreshed_patches(patches: Patches, texts: &[Option<Vec<u8>>]) -> Patches {
    let is_kept = |index: &usize| texts[*index].is_some();
    let kept: Vec<usize> = (0..texts.len()).filter(is_kept).collect();
    let mut refreshed = subset(&patches, &kept);
    let new = texts.iter().flatten();
    refreshed
        .texts
        .iter_mut()
        .zip(new)
        .for_each(|((_, old), new)| *old = Bytes::from(&new[..]));
    refreshed
}
