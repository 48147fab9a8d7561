//! The commands for the history: `log`, `show`, `gc`, `recover` and `init`.

mod audit;
mod versions;

use std::path::Path;
use std::sync::Arc;

use super::failure::failure_outcome;
use super::govern::{extend_policy, policy_for_entries, unusable_outcome, work_tree_policy};
use super::problems::rollback_problem;
use super::session::file_diffs;
use super::stages::{Command, Committed};
use super::top_roots::{one_root_problem, open_top_roots};
use super::{Outcome, refused_outcome};
use crate::policy::{Access, Policy, Verdict};
use crate::preflight::{Conversions, Problem, Severity, code};
use crate::report::{self, Log, LogSession};
use crate::transaction::history::{self, EntryFile, HistoryEntry, entries};
use crate::transaction::sessions::{self, SessionSearchResult};
use crate::transaction::{self, Interrupt, NoHistoryReason, Remedy};
use crate::workspace::git::Git;
use crate::workspace::{Workspace, top};
pub use audit::{agent_traces, verify_audit};
use versions::Versions;

/// Lists the history of the work tree, the newest change first. Paths are relative to its top.
///
/// The digests of a file are omitted if `policy`, or the project's own policy file, does not allow
/// reading it.
///
/// # Errors
///
/// Returns the outcome of a failure, or of a policy that cannot be used.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
/// let interrupt = Interrupt::new();
/// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
/// assert!(engine::apply(Request::edit("a", "one", "two"), &workspace, &interrupt).report.ok);
/// let log = engine::log(&workspace, &Default::default()).unwrap();
/// assert_eq!((log.entries.len(), log.entries[0].command.as_str()), (1, "edit"));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn log(workspace: &dyn Workspace, policy: &Arc<Policy>) -> Result<Log, Box<Outcome>> {
    let tops = open_top_roots(workspace).map_err(|failure| failure_outcome("log", &failure))?;
    let workspace = tops.as_ref().map_or(workspace, |tops| tops);
    let (all, policy) = read_entries("log", policy, workspace)?;
    let sessions = sessions::list(workspace).map_err(|failure| failure_outcome("log", &failure))?;
    let log = Log::of(&all, &all, |entry, file| {
        check_readable(&policy, entry, file).map(|_| None)
    });
    Ok(log.with_sessions(sessions.iter().map(LogSession::of).collect()))
}

/// Shows the change whose ID starts with `id`, with a diff of each file.
///
/// The diff and the digests of a file are omitted if `policy`, or the project's own policy file,
/// does not allow reading it.
///
/// # Errors
///
/// Returns the outcome of a failure, or of a policy that cannot be used. It is a failure if no
/// change or more than one change matches `id`.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
/// let interrupt = Interrupt::new();
/// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
/// assert!(engine::apply(Request::edit("a", "one", "two"), &workspace, &interrupt).report.ok);
/// let id = engine::log(&workspace, &Default::default()).unwrap().entries[0].id.clone();
/// let shown = engine::show(&workspace, &id, &Default::default()).unwrap();
/// assert!(shown.entries[0].files[0].diff.as_ref().unwrap().ends_with(b"-one\n+two\n"));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn show(
    workspace: &dyn Workspace,
    id: &str,
    policy: &Arc<Policy>,
) -> Result<Log, Box<Outcome>> {
    let given = policy;
    let tops = open_top_roots(workspace).map_err(|failure| failure_outcome("show", &failure))?;
    let workspace = tops.as_ref().map_or(workspace, |tops| tops);
    let (all, policy) = read_entries("show", policy, workspace)?;
    if let Some(log) = show_session(workspace, id, (given, &all))? {
        return Ok(log);
    }
    let workspace = top(workspace).map_err(|error| failure_outcome("show", &error.into()))?;
    let entry = history::find_entry(&all, id).map_err(|why| {
        let help = Some("run `wpatch log` to list the changes".to_owned());
        refused_outcome(
            "show",
            Problem {
                help,
                ..Problem::new(&code::NOTHING_TO_UNDO, why)
            },
        )
    })?;
    Ok(shown_log(workspace, &all, &policy, [entry]))
}

/// Returns the log of the entries `shown`, a subset of `all`, with the diffs of their files.
/// `workspace` is the top of the work tree.
fn shown_log<'e>(
    workspace: &dyn Workspace,
    all: &'e [HistoryEntry],
    policy: &Policy,
    shown: impl IntoIterator<Item = &'e HistoryEntry> + Clone,
) -> Log {
    let files = shown.clone().into_iter().flat_map(|entry| &entry.files);
    let paths = files
        .flat_map(|file| [Some(&file.path), file.from.as_ref()])
        .flatten()
        .cloned()
        .collect();
    let git = workspace
        .absolute_root()
        .map(|top| Arc::new(Git::for_directory(&top)));
    let conversions = git.map(|git| Conversions::new(&git, paths));
    let versions = Versions {
        workspace,
        all,
        policy,
        conversions,
    };
    Log::of(all, shown, |entry, file| versions.diff(entry, file))
}

/// Returns the log of the edit session whose ID starts with `id`, with a diff of each file. Returns
/// `None` if an entry of the history has this ID, or no session.
fn show_session(
    workspace: &dyn Workspace,
    id: &str,
    (policy, all): (&Arc<Policy>, &[HistoryEntry]),
) -> Result<Option<Log>, Box<Outcome>> {
    let found = sessions::search(workspace, id);
    let found = found.map_err(|failure| failure_outcome("show", &failure))?;
    let SessionSearchResult::Found(session) = found else {
        return Ok(None);
    };
    if all.iter().any(|entry| entry.id.starts_with(id)) {
        return Ok(None);
    }
    let mut shown = LogSession::of(&session);
    if session.damage.is_none() {
        for file in file_diffs(workspace, &session.id, policy)? {
            let path = report::path_text(&file.path);
            let mut files = shown.files.iter_mut();
            if let Some(entry) = files.find(|entry| entry.path == path) {
                entry.diff.get_or_insert_default().extend(file.diff);
            }
        }
    }
    let none: [&HistoryEntry; 0] = [];
    Ok(Some(
        Log::of(all, none, |_, _| Ok(None)).with_sessions(vec![shown]),
    ))
}

/// Returns a sentence that explains why `workspace` keeps no history, and what to do about it.
/// Returns `None` if a history is kept or the reason cannot be determined.
#[must_use]
pub fn no_history_reason(workspace: &dyn Workspace) -> Option<String> {
    let NoHistoryReason { reason, remedy, .. } =
        history::no_history_reason(workspace).ok().flatten()?;
    let advice = match remedy {
        Remedy::Init => "; run `wpatch init` to keep one",
        Remedy::Named => "",
    };
    Some(format!("no history is kept: {reason}{advice}"))
}

/// Returns the top of the git work tree if the root of `workspace` is below it. The history covers
/// the whole work tree.
#[must_use]
pub fn history_root(workspace: &dyn Workspace) -> Option<&Path> {
    workspace.work_tree().ok()?.map(|tree| tree.directory)
}

/// Removes history entries above the limits, and the files that dead processes left.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::engine::options::HistoryLimits;
/// use wpatch::path::RelPath;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\n"))]);
/// let interrupt = Interrupt::new();
/// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
/// assert!(engine::apply(Request::edit("a", "one", "two"), &workspace, &interrupt).report.ok);
/// let options = Options { history: HistoryLimits::NOTHING, ..Options::default() };
/// assert!(engine::gc(&workspace, options, &interrupt).report.ok);
/// assert!(engine::log(&workspace, &Default::default()).unwrap().entries.is_empty());
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn gc(
    workspace: &dyn Workspace,
    options: transaction::Options,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(problem) = one_root_problem("gc", workspace) {
        return *refused_outcome("gc", problem);
    }
    let mut done = Committed::default();
    match transaction::collect_garbage(workspace, options, interrupt) {
        Ok((recovered, pruned)) => {
            done.note_recovered(recovered);
            let counts = [
                (pruned.entries, "history entries"),
                (pruned.sessions, "edit sessions"),
            ];
            for (count, name) in counts.into_iter().filter(|(count, _)| *count > 0) {
                let message = format!("{count} {name} were removed");
                done.problems().push(Problem {
                    severity: Severity::Warning,
                    ..Problem::new(&code::HISTORY_PRUNED, message)
                });
            }
        }
        Err(failure) => done.add_failure(&failure, None),
    }
    done.finish(&Command::of("gc", report::Outcome::Cleaned))
}

/// Rolls back a change that was interrupted because its process died. Every command that writes
/// does this first.
///
/// A file that another process has changed since then is left unchanged, and its previous version
/// is kept. The outcome is then an error. Later calls also fail until the user has moved or deleted
/// the previous version.
///
/// # Examples
///
/// ```
/// use wpatch::engine;
/// use wpatch::transaction::Options;
/// use wpatch::workspace::memory::Memory;
///
/// let report = engine::recover(&Memory::with_files([]), Options::default()).report;
/// assert!(report.ok && !report.changed);
/// ```
pub fn recover(workspace: &dyn Workspace, options: transaction::Options) -> Outcome {
    recover_with_interrupt(workspace, options, Interrupt::never())
}

/// Rolls back an interrupted change as [`recover`] does. A signal in `interrupt` ends the wait for
/// the lock.
pub fn recover_with_interrupt(
    workspace: &dyn Workspace,
    options: transaction::Options,
    interrupt: &Interrupt,
) -> Outcome {
    let mut done = Committed::default();
    match transaction::recover_with_interrupt(workspace, options, interrupt) {
        Ok(recovered) => {
            done.problems().extend(
                recovered
                    .iter()
                    .filter_map(|one| rollback_problem(one, Severity::Error)),
            );
            done.result.recovered = recovered;
        }
        Err(failure) => done.add_failure(&failure, None),
    }
    done.finish(&Command::of("recover", report::Outcome::Recovered))
}

/// Creates a permanent state directory, so that a history can be kept. A root with a `.git`
/// directory does not need one.
///
/// # Examples
///
/// ```
/// use wpatch::engine;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::Memory;
///
/// let workspace = Memory::with_files([]);
/// assert!(engine::init(&workspace, Options::default(), &Interrupt::new()).report.ok);
/// assert!(workspace.files().keys().all(|path| path.as_bytes().starts_with(b".wpatch/")));
/// ```
pub fn init(
    workspace: &dyn Workspace,
    options: transaction::Options,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(problem) = one_root_problem("init", workspace) {
        return *refused_outcome("init", problem);
    }
    let mut done = Committed::default();
    match transaction::init(workspace, options, interrupt) {
        Ok(recovered) => done.note_recovered(recovered),
        Err(failure) => done.add_failure(&failure, None),
    }
    done.finish(&Command::of("init", report::Outcome::Initialized))
}

/// Returns the entries, and the policy for their files. Paths are relative to the top of the work
/// tree.
fn read_entries(
    command: &'static str,
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<(Vec<HistoryEntry>, Arc<Policy>), Box<Outcome>> {
    // The policy files of the root, of the top, and of every root from which an entry was made
    // apply.
    let policy = work_tree_policy(command, policy, workspace)?;
    let tree = top(workspace).map_err(|error| failure_outcome(command, &error.into()))?;
    let policy = extend_policy(command, &policy, tree)?;
    let all = entries(tree).map_err(|failure| failure_outcome(command, &failure))?;
    match policy_for_entries(&policy, &all, tree) {
        Ok(policy) => Ok((all, policy)),
        Err(unusable) => Err(unusable_outcome(command, *unusable)),
    }
}

/// Checks that policy allows reading both versions of `file`. Returns the file from which `entry`
/// moved it, if it did. The error is the reason for the refusal.
fn check_readable<'e>(
    policy: &Policy,
    entry: &'e HistoryEntry,
    file: &EntryFile,
) -> Result<Option<&'e EntryFile>, String> {
    let source = file.from.as_ref().and_then(|from| entry.file(from));
    for path in [Some(file), source]
        .into_iter()
        .flatten()
        .map(|file| &file.path)
    {
        let ruling = policy.judge(path, Access::Read);
        if ruling.verdict > Verdict::Allow {
            return Err(ruling.reason().unwrap_or_default().to_owned());
        }
    }
    Ok(source)
}
