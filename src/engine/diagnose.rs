//! What language servers say of a change: asked before it is made, and again when it is in place
//! and does not count yet.
//!
//! Servers read the disk. What a file needs may be in one that the change makes, moves or deletes,
//! and that is no document of theirs; what they are told in memory would have them complain of a
//! file that is about to come. So they are asked about the tree itself, in a [`Trial`] of the
//! transaction, and what is denied is rolled back. `check` writes nothing, and can only tell them
//! the texts.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::{Arc, Mutex, OnceLock};

use super::look;
use super::stages::Resolved;
use super::task::Task;
use crate::change::{Content, FileChange, Sink};
use crate::diagnostics::{
    Diagnosis, Document, Findings, MAX_TEXT, NewErrors, Options, Place, Text,
};
use crate::mode::FileKind;
use crate::mutex::locked;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::policy::Policy;
use crate::preflight::{self, Problem, Severity, code};
use crate::progress::{Phase, Progress};
use crate::text::Bytes;
use crate::transaction::{Failure, Interrupt, Trial};
use crate::workspace::{Fault, Workspace, WorkspaceError};

/// Most bytes of texts that servers are told of.
const MAX_TEXTS: usize = 64 << 20;
/// Most files, or kinds of file, that a message names.
const NAMED: usize = 5;

/// Takes changes for another sink, and notes what servers have to know of them.
pub(super) struct Noted<'a> {
    sink: &'a dyn Sink,
    options: &'a Options,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    files: BTreeMap<RelPath, Note>,
    /// Bytes of the texts in them.
    size: usize,
}

/// A file before and after a change.
struct Note {
    was_there: bool,
    after: After,
}

impl Note {
    fn goes(&self) -> bool {
        self.was_there && matches!(self.after, After::Nothing)
    }
}

/// What is at a path afterwards.
enum After {
    Nothing,
    Contents(Arc<Bytes>),
    /// What was at this path before.
    Moved(RelPath),
    /// Something that no server is told of.
    Unknown,
}

impl<'a> Noted<'a> {
    /// Returns the sink that hands on to `sink`.
    pub(super) fn new(options: &'a Options, sink: &'a dyn Sink) -> Self {
        Self {
            sink,
            options,
            notes: Mutex::default(),
        }
    }

    fn is_asked_about(&self, path: &RelPath) -> bool {
        self.options
            .servers
            .iter()
            .any(|server| server.is_for(path))
    }

    /// Returns the files that change, with their texts where a server is for them; what is a rename
    /// in `plan` is one file. Those that servers cannot be told of are noted in `left_out`.
    fn documents(
        self,
        plan: &Plan,
        workspace: &dyn Workspace,
        left_out: &mut Vec<RelPath>,
    ) -> Result<Vec<Document>, WorkspaceError> {
        let mut notes = mem::take(&mut locked(&self.notes).files);
        let mut from = moves(&notes, plan);
        let gone: Vec<_> = from
            .values()
            .filter(|from| notes.get(*from).is_some_and(Note::goes))
            .cloned()
            .collect();
        for path in gone {
            notes.remove(&path);
        }
        let mut documents = Vec::with_capacity(notes.len());
        for (path, note) in notes {
            let from = from.remove(&path);
            let old_path = from.as_ref().unwrap_or(&path);
            let is_asked = self.is_asked_about(&path) || self.is_asked_about(old_path);
            let text = |path: &RelPath| {
                if is_asked {
                    read(workspace, path)
                } else {
                    Ok(Text::Unknown)
                }
            };
            let before = if note.was_there || from.is_some() {
                Some(text(old_path)?)
            } else {
                None
            };
            let after = match note.after {
                After::Nothing => None,
                After::Contents(contents) if is_asked => Some(known(contents)),
                After::Moved(source) => Some(text(&source)?),
                After::Contents(_) | After::Unknown => Some(Text::Unknown),
            };
            if is_asked
                && [&before, &after]
                    .into_iter()
                    .any(|text| *text == Some(Text::Unknown))
            {
                left_out.push(path.clone());
            }
            documents.push(Document {
                path,
                from,
                before,
                after,
            });
        }
        Ok(documents)
    }
}

impl Sink for Noted<'_> {
    fn take(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let is_file = |kind| kind == FileKind::Regular;
        let was_there = change
            .before
            .as_ref()
            .is_some_and(|before| is_file(before.stat.kind));
        let content = change
            .after
            .as_ref()
            .filter(|after| is_file(after.kind))
            .map(|after| &after.content);
        // A change of permissions is none of text.
        if (was_there || content.is_some()) && !matches!(content, Some(Content::Kept)) {
            let mut notes = locked(&self.notes);
            let after = match content {
                Some(Content::Bytes(contents)) if notes.size + contents.len() <= MAX_TEXTS => {
                    notes.size += contents.len();
                    After::Contents(Arc::clone(contents.whole()))
                }
                Some(Content::MovedFrom(path, _)) => After::Moved(path.clone()),
                Some(_) => After::Unknown,
                None => After::Nothing,
            };
            notes
                .files
                .insert(change.path.clone(), Note { was_there, after });
        }
        self.sink.take(change)
    }
}

/// Returns where files are afterwards, and where they were.
fn moves(notes: &BTreeMap<RelPath, Note>, plan: &Plan) -> BTreeMap<RelPath, RelPath> {
    let renames = plan
        .operations
        .iter()
        .filter(|operation| operation.action == Action::Rename);
    let renames =
        renames.filter_map(|operation| Some((operation.path.clone(), operation.from.clone()?)));
    let renames: Vec<_> = renames.collect();
    // What replaces a file that stays is compared with that one.
    let is_move = |(to, from): &(RelPath, RelPath)| {
        let is_free = notes.get(to).is_some_and(|note| !note.was_there)
            || renames.iter().any(|(_, other)| other == to);
        is_free
            && (notes.get(from).is_some_and(Note::goes)
                || renames.iter().any(|(other, _)| other == from))
    };
    let kept = notes.iter().filter_map(|(path, note)| match &note.after {
        After::Moved(from) => Some((path.clone(), from.clone())),
        _ => None,
    });
    renames
        .iter()
        .filter(|rename| is_move(rename))
        .cloned()
        .chain(kept)
        .collect()
}

/// Reads the file at `path` as it is.
fn read(workspace: &dyn Workspace, path: &RelPath) -> Result<Text, WorkspaceError> {
    match workspace.read(path, MAX_TEXT) {
        Ok((contents, _)) => Ok(known(Arc::new(contents))),
        Err(error) if error.fault == Fault::TooLarge => Ok(Text::Unknown),
        Err(error) => Err(error),
    }
}

fn known(contents: Arc<Bytes>) -> Text {
    if u64::try_from(contents.len()).is_ok_and(|size| size > MAX_TEXT) {
        return Text::Unknown;
    }
    String::from_utf8(Arc::unwrap_or_clone(contents).into_vec())
        .map_or(Text::Unknown, |text| Text::Known(Arc::new(text)))
}

/// The servers that were asked about the tree as it is, and wait for what becomes of it.
pub(super) struct Waiting<'w> {
    diagnosis: Mutex<Option<Diagnosis>>,
    findings: OnceLock<Findings>,
    new_errors: NewErrors,
    progress: Progress,
    workspace: &'w dyn Workspace,
    policy: Arc<Policy>,
}

impl Waiting<'_> {
    /// Asks them about the tree as it becomes.
    ///
    /// # Errors
    ///
    /// [`Failure::Rejected`] if what they say is to be denied, or [`Failure::Interrupted`].
    pub(super) fn ask(&self, place: Place, interrupt: &Interrupt) -> Result<(), Failure> {
        let diagnosis = locked(&self.diagnosis).take();
        let Some(mut diagnosis) = diagnosis else {
            return Ok(());
        };
        self.progress.enter(Phase::Asking, 0);
        diagnosis.go_on(place, interrupt);
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        let findings = self.findings.get_or_init(|| self.told(diagnosis));
        let is_denied = problems(findings, self.new_errors)
            .iter()
            .any(|it| it.severity == Severity::Error);
        if is_denied {
            Err(Failure::Rejected)
        } else {
            Ok(())
        }
    }

    /// Adds the findings of `waiting`, if it was asked.
    pub(super) fn finish(waiting: Option<Self>, resolved: &mut Resolved) {
        if let Some(Waiting {
            findings,
            new_errors,
            ..
        }) = waiting
            && let Some(findings) = findings.into_inner()
        {
            add_findings(findings, new_errors, resolved);
        }
    }

    fn told(&self, diagnosis: Diagnosis) -> Findings {
        diagnosis.findings(&|path| look::is_open(self.workspace, &self.policy, path))
    }
}

impl Trial for Waiting<'_> {
    fn judge(&self, interrupt: &Interrupt) -> Result<(), Failure> {
        self.ask(Place::Disk, interrupt)
    }
}

/// Asks the servers about the tree before the change. Returns the servers that are asked again
/// after the change; `None` if the answer is final.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if a signal comes.
pub(super) fn diagnose<'w>(
    task: &Task<'w>,
    noted: Noted<'_>,
    resolved: &mut Resolved,
) -> Result<Option<Waiting<'w>>, Failure> {
    let (options, mut left_out) = (noted.options.clone(), Vec::new());
    let documents = noted.documents(&resolved.selected.plan, task.workspace, &mut left_out)?;
    resolved
        .selected
        .problems
        .extend(not_asked(&options, &documents, &left_out));
    let new_errors = options.new_errors;
    task.progress().enter(Phase::Asking, 0);
    let diagnosis = Diagnosis::begin(options, documents, task.interrupt());
    if let Some(signal) = task.interrupt().signal() {
        return Err(Failure::Interrupted(signal));
    }
    // A change that is denied already is not tried.
    if diagnosis.is_idle() || new_errors == NewErrors::Denied && diagnosis.is_troubled() {
        // No server was asked about the tree after the change.
        add_findings(diagnosis.findings(&|_| false), new_errors, resolved);
        return Ok(None);
    }
    Ok(Some(Waiting {
        diagnosis: Mutex::new(Some(diagnosis)),
        findings: OnceLock::new(),
        new_errors,
        progress: task.progress().clone(),
        workspace: task.workspace,
        policy: Arc::clone(&task.command.policy),
    }))
}

fn add_findings(findings: Findings, new_errors: NewErrors, resolved: &mut Resolved) {
    resolved
        .selected
        .problems
        .extend(problems(&findings, new_errors));
    resolved.findings = Some(findings);
}

/// Says which files no server was asked about.
fn not_asked(options: &Options, documents: &[Document], left_out: &[RelPath]) -> Vec<Problem> {
    let is_asked = |path: &RelPath| options.servers.iter().any(|server| server.is_for(path));
    let others = documents
        .iter()
        .map(|document| &document.path)
        .filter(|path| !is_asked(path));
    let kinds: BTreeSet<_> = others.map(kind).collect();
    let mut problems = Vec::new();
    if !kinds.is_empty() {
        let problem = warning(
            &code::NOT_DIAGNOSED,
            format!("no language server for {}", named(kinds.into_iter())),
        );
        let help =
            Some("the configuration of the user names servers, each as a [[server]]".to_owned());
        problems.push(Problem { help, ..problem });
    }
    if !left_out.is_empty() {
        let names = named(left_out.iter().map(ToString::to_string));
        let message = format!("no language server is asked about {names}: too large, or not UTF-8");
        problems.push(warning(&code::NOT_DIAGNOSED, message));
    }
    problems
}

/// Returns what files like the one at `path` have in common.
fn kind(path: &RelPath) -> String {
    let text = path.to_string();
    let name = text.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map_or_else(|| name.to_owned(), |(_, end)| format!("*.{end}"))
}

fn named(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names.take(NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
}

/// Returns what speaks against a change, or should be known, after servers were asked.
fn problems(findings: &Findings, new_errors: NewErrors) -> Vec<Problem> {
    let is_denied = new_errors == NewErrors::Denied;
    let severity = if is_denied {
        Severity::Error
    } else {
        Severity::Warning
    };
    let silent = findings
        .servers
        .iter()
        .filter_map(|server| server.problem.as_ref());
    let mut problems: Vec<_> = silent
        .map(|problem| Problem {
            severity,
            ..Problem::new(
                &code::NO_DIAGNOSIS,
                format!("the language server {problem}"),
            )
        })
        .collect();
    if is_denied && findings.errors > 0 {
        let count = findings.errors;
        let message = format!(
            "the change brings {count} new {}",
            if count == 1 { "error" } else { "errors" }
        );
        let help =
            "fix the errors; --diagnostics=report reports them and allows the change".to_owned();
        problems.push(Problem {
            help: Some(help),
            ..Problem::new(&code::NEW_ERRORS, message)
        });
    }
    problems
}

fn warning(code: &'static preflight::Code, message: String) -> Problem {
    Problem {
        severity: Severity::Warning,
        ..Problem::new(code, message)
    }
}
