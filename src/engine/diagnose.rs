//! Asks language servers about a change: before the change, and again when it is in place but not
//! yet committed.
//!
//! Language servers read files from disk. A changed file can depend on other files that the change
//! creates, moves or deletes, and that the server does not have as open documents. With texts in
//! memory alone, a server would report errors about a file that does not exist yet. `apply`
//! therefore asks the servers about the real tree, in a commit hook ([`CommitHook`]) of the
//! transaction. A change that they deny is rolled back. `check` writes nothing and can only send
//! the texts.
//!
//! The input is the list of changes that [`RecordingSink`] records. The results are findings for
//! the report, and problems. Read [`resolve_with_servers`] first.

mod also;
mod noted;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use super::look;
use super::stages::{Committed, Resolved, StagingTarget, TreeCheck};
use super::task::CommandRun;
use crate::diagnostics::{
    DiagnosticsOptions, DiagnosticsSession, Document, FileLocation, Findings, NewErrors,
};
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::policy::Policy;
use crate::preflight::{self, Problem, Severity, code};
use crate::progress::{Phase, Progress};
use crate::transaction::{CommitHook, Failure, Interrupt};
use crate::workspace::Workspace;

use noted::RecordingSink;

/// The limit on the number of files, or types of files, that a message names.
const MAX_NAMED: usize = 5;

/// The servers that were asked about the tree before the change, and are asked again about the tree
/// after it.
struct PendingDiagnosis<'w> {
    diagnosis: Mutex<Option<DiagnosticsSession>>,
    findings: OnceLock<Findings>,
    new_errors: NewErrors,
    progress: Progress,
    workspace: &'w dyn Workspace,
    policy: Arc<Policy>,
}

impl PendingDiagnosis<'_> {
    /// Asks the servers about the tree after the change.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Rejected`] if the findings deny the change, or [`Failure::Interrupted`]
    /// after a signal.
    fn ask(&self, place: FileLocation, interrupt: &Interrupt) -> Result<(), Failure> {
        // The servers are asked once. A second call has no session and changes nothing.
        let diagnosis = lock_unpoisoned(&self.diagnosis).take();
        let Some(mut diagnosis) = diagnosis else {
            return Ok(());
        };
        self.progress.enter(Phase::WaitingForServers, 0);
        diagnosis.query_changed(place, interrupt);
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        let findings = self
            .findings
            .get_or_init(|| self.diagnosis_findings(diagnosis));
        let is_denied = problems(findings, self.new_errors)
            .iter()
            .any(|it| it.severity == Severity::Error);
        if is_denied {
            Err(Failure::Rejected)
        } else {
            Ok(())
        }
    }

    fn diagnosis_findings(&self, diagnosis: DiagnosticsSession) -> Findings {
        diagnosis.finish(&|path| look::is_readable(self.workspace, &self.policy, path))
    }
}

impl CommitHook for PendingDiagnosis<'_> {
    fn check(&self, interrupt: &Interrupt) -> Result<(), Failure> {
        self.ask(FileLocation::Disk, interrupt)
    }
}

impl TreeCheck for PendingDiagnosis<'_> {
    fn check_unwritten(&self, interrupt: &Interrupt) -> Result<(), Failure> {
        self.ask(FileLocation::Memory, interrupt)
    }

    fn finish(self: Box<Self>, done: &mut Committed) {
        let PendingDiagnosis {
            findings,
            new_errors,
            ..
        } = *self;
        if let Some(findings) = findings.into_inner() {
            add_findings(findings, new_errors, &mut done.resolved);
        }
    }
}

/// Computes the resulting tree. If the patches apply, asks the servers that `--diagnostics` names
/// about the current tree. Returns `None` without this option.
pub(super) fn resolve_with_servers<'w>(
    task: &CommandRun<'w>,
    options: &preflight::Options,
    staging: &StagingTarget<'_>,
    resolved: &mut Resolved,
) -> Option<Result<Option<Box<dyn TreeCheck + 'w>>, Failure>> {
    let noted = RecordingSink::new(task.request.look.diagnostics.as_ref()?, staging.sink);
    Some(resolve_and_ask(task, options, noted, resolved))
}

fn resolve_and_ask<'w>(
    task: &CommandRun<'w>,
    options: &preflight::Options,
    noted: RecordingSink<'_>,
    resolved: &mut Resolved,
) -> Result<Option<Box<dyn TreeCheck + 'w>>, Failure> {
    let plan = &resolved.selected.plan;
    let resolution = preflight::resolve_with_previews(
        plan,
        task.workspace,
        options,
        &noted,
        task.preview_sinks,
    )?;
    resolved.add_resolution(resolution, &task.command, task.approve());
    if resolved.is_refused() {
        return Ok(None);
    }
    let waiting = diagnose(task, noted, resolved)?;
    Ok(waiting.map(|waiting| Box::new(waiting) as Box<dyn TreeCheck + 'w>))
}

/// Asks the servers about the tree before the change. Returns the servers that are asked again
/// after the change; `None` if the answer is final.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or after a signal.
fn diagnose<'w>(
    task: &CommandRun<'w>,
    noted: RecordingSink<'_>,
    resolved: &mut Resolved,
) -> Result<Option<PendingDiagnosis<'w>>, Failure> {
    let (options, mut left_out) = (noted.options().clone(), Vec::new());
    let mut documents = noted.documents(&resolved.selected.plan, task.workspace, &mut left_out)?;
    resolved
        .selected
        .problems
        .extend(unchecked_warnings(&options, &documents, &left_out));
    let tree = (task.workspace, &*task.command.policy);
    let (related, warnings) =
        also::related_documents(&options, &documents, tree, task.interrupt())?;
    documents.extend(related);
    resolved.selected.problems.extend(warnings);
    let new_errors = options.new_errors;
    task.progress().enter(Phase::WaitingForServers, 0);
    let diagnosis = DiagnosticsSession::start(options, documents, task.interrupt());
    if let Some(signal) = task.interrupt().signal() {
        return Err(Failure::Interrupted(signal));
    }
    // A change that is already denied is not put in place.
    if diagnosis.is_idle() || new_errors == NewErrors::Denied && diagnosis.has_failed_server() {
        // No server was asked about the tree after the change.
        add_findings(diagnosis.finish(&|_| false), new_errors, resolved);
        return Ok(None);
    }
    Ok(Some(PendingDiagnosis {
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

/// Returns warnings about the files that no server checks.
fn unchecked_warnings(
    options: &DiagnosticsOptions,
    documents: &[Document],
    left_out: &[RelPath],
) -> Vec<Problem> {
    let is_asked = |path: &RelPath| options.servers.iter().any(|server| server.is_for(path));
    let others = documents
        .iter()
        .map(|document| &document.path)
        .filter(|path| !is_asked(path));
    let kinds: BTreeSet<_> = others.map(file_type).collect();
    let mut problems = Vec::new();
    if !kinds.is_empty() {
        let problem = warning(
            &code::NOT_DIAGNOSED,
            format!(
                "no language server is configured for {}",
                list_names(kinds.into_iter())
            ),
        );
        let help = Some("add a [[server]] table to the configuration file of the user".to_owned());
        problems.push(Problem { help, ..problem });
    }
    problems.extend(unknown_text_warning(left_out));
    problems
}

/// Returns a warning about files whose texts cannot be sent; `None` if there are none.
fn unknown_text_warning(paths: &[RelPath]) -> Option<Problem> {
    if paths.is_empty() {
        return None;
    }
    let names = list_names(paths.iter().map(ToString::to_string));
    let message = format!(
        "not checked by a language server, because the file is unreadable, too large or not UTF-8: \
         {names}"
    );
    Some(warning(&code::NOT_DIAGNOSED, message))
}

/// Returns the file type of `path`: the pattern of its extension, or its name if it has none.
fn file_type(path: &RelPath) -> String {
    let text = path.to_string();
    let name = text.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map_or_else(|| name.to_owned(), |(_, end)| format!("*.{end}"))
}

fn list_names(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown = names.take(MAX_NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
}

/// Returns the problems after the servers were asked: servers that failed, and new errors if they
/// are denied.
fn problems(findings: &Findings, new_errors: NewErrors) -> Vec<Problem> {
    let is_denied = new_errors == NewErrors::Denied;
    let silent = findings
        .servers
        .iter()
        .filter_map(|server| Some((server.new_errors, server.problem.as_ref()?)));
    let mut problems: Vec<_> = silent
        .map(|(of_server, problem)| Problem {
            severity: if is_denied && of_server == NewErrors::Denied {
                Severity::Error
            } else {
                Severity::Warning
            },
            ..Problem::new(
                &code::NO_DIAGNOSIS,
                format!("the language server {problem}"),
            )
        })
        .collect();
    if is_denied && findings.denied_errors > 0 {
        let count = findings.denied_errors;
        let message = format!(
            "the change introduces {count} new {}",
            if count == 1 { "error" } else { "errors" }
        );
        let help =
            "fix the errors, or use --diagnostics=report to report them without refusing the change".to_owned();
        problems.push(Problem {
            help: Some(help),
            ..Problem::new(&code::NEW_ERRORS, message)
        });
    }
    problems
}

fn warning(code: &'static preflight::ProblemCode, message: String) -> Problem {
    Problem {
        severity: Severity::Warning,
        ..Problem::new(code, message)
    }
}
