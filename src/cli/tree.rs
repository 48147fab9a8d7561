//! `--from-tree`: checks a patch against a tree of a git repository.

use std::error::Error;
use std::path::Path;

use super::EarlyExit;
use super::args::{Global, TreeOptions};
use crate::engine::options::{ErrorKind, Timeout, code};
use crate::engine::{self, Outcome, Repository, RepositoryTree, Request};
use crate::report::TreeReport;

/// Checks `request` against the tree that the options name.
///
/// # Errors
///
/// Returns an error if the options name no revision or if the tree cannot be opened.
pub(super) fn check(
    request: Request,
    tree: &TreeOptions,
    global: &Global,
) -> Result<Outcome, EarlyExit> {
    let Some(revision) = &tree.from_tree else {
        let stop = EarlyExit::new(&code::USAGE, "--git-dir needs a revision".to_owned());
        return Err(EarlyExit {
            help: Some("use --from-tree to name the revision".to_owned()),
            ..stop
        });
    };
    // The process that started git must also stop it, so catch the signals.
    global.caller.catch_signals()?;
    let repository = repository(tree.git_dir.as_deref(), tree, global);
    check_tree(&repository, revision.as_encoded_bytes(), request)
}

/// Returns the repository `git_dir`, or the repository that contains the root.
pub(super) fn repository(
    git_dir: Option<&Path>,
    tree: &TreeOptions,
    global: &Global,
) -> Repository {
    let usual = Timeout::default();
    let limit = tree.git_timeout.unwrap_or(usual.limit);
    let patience = Timeout {
        limit,
        interrupt: global.caller.interrupt(),
    };
    match git_dir {
        Some(git_dir) => Repository::at(git_dir, Some(global.root()), patience),
        None => Repository::for_directory(global.root(), patience),
    }
}

/// Checks `request` against the tree of `revision`.
///
/// # Errors
///
/// Returns an error if the tree cannot be opened, or if a signal arrives before the check succeeds.
pub(super) fn check_tree(
    repository: &Repository,
    revision: &[u8],
    mut request: Request,
) -> Result<Outcome, EarlyExit> {
    request.context.objects = Some(repository.clone());
    request.context.is_git_tree = true;
    // The root need not be in the repository that `--git-dir` names, so ignore git's attributes and
    // configuration around the root.
    if repository.is_explicit() {
        request.context.git = None;
    }
    let interrupt = request.context.interrupt.clone();
    let checked = open(repository, revision).map(|tree| {
        let mut outcome = engine::check(request, &tree);
        outcome.report.tree = Some(tree_report(repository, revision, &tree));
        outcome
    });
    match interrupt.signal() {
        Some(signal) if !checked.as_ref().is_ok_and(|outcome| outcome.report.ok) => {
            Err(EarlyExit::from_signal(signal))
        }
        _ => checked,
    }
}

/// Opens the tree of `revision`.
///
/// # Errors
///
/// Returns an error if the revision does not exist or the repository cannot be read.
pub(super) fn open(repository: &Repository, revision: &[u8]) -> Result<RepositoryTree, EarlyExit> {
    repository.tree(revision).map_err(|error| {
        let cause = error
            .source()
            .map_or_else(String::new, |source| format!(": {source}"));
        match error.kind {
            ErrorKind::Missing => EarlyExit::new(&code::REVISION, format!("{error}{cause}")),
            _ => EarlyExit::new(&code::IO, format!("{error}{cause}")),
        }
    })
}

/// Returns the description of `tree` in the report.
fn tree_report(repository: &Repository, revision: &[u8], tree: &RepositoryTree) -> TreeReport {
    TreeReport {
        repository: Some(repository.directory().to_string_lossy().into_owned()),
        revision: String::from_utf8_lossy(revision).into_owned(),
        commit: tree.commit().map(|id| id.to_string()),
        id: tree.id().to_string(),
    }
}
