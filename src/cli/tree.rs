//! Checking against a tree of a repository.

use std::error::Error;

use super::Stop;
use super::args::{Global, TreeOptions};
use crate::engine::options::{Fault, code};
use crate::engine::{self, Objects, Outcome, Repository, Request};
use crate::report::TreeReport;

/// Checks what is asked for against the tree that is meant.
///
/// # Errors
///
/// Stops if there is no such tree.
pub(super) fn check(request: Request, tree: &TreeOptions, global: &Global) -> Result<Outcome, Stop> {
    let Some(revision) = &tree.from_tree else {
        let stop = Stop::new(&code::USAGE, "--git-dir names a repository, and no revision of it".to_owned());
        return Err(Stop { help: Some("--from-tree names the revision".to_owned()), ..stop });
    };
    let repository = match &tree.git_dir {
        Some(git_dir) => Repository::at(git_dir),
        None => Repository::around(global.root()),
    };
    let tree = open(&repository, revision.as_encoded_bytes())?;
    let mut outcome = engine::check(request, &tree);
    outcome.report.tree = Some(told(&repository, revision.as_encoded_bytes(), &tree));
    Ok(outcome)
}

/// Opens the tree of `revision`.
///
/// # Errors
///
/// Stops if there is no such tree.
pub(super) fn open(repository: &Repository, revision: &[u8]) -> Result<Objects, Stop> {
    repository.tree(revision).map_err(|error| {
        let cause = error.source().map_or_else(String::new, |source| format!(": {source}"));
        match error.fault {
            Fault::Missing => Stop::new(&code::REVISION, format!("{error}{cause}")),
            _ => Stop::new(&code::IO, format!("{error}{cause}")),
        }
    })
}

/// Returns what a report says of `tree`.
pub(super) fn told(repository: &Repository, revision: &[u8], tree: &Objects) -> TreeReport {
    TreeReport {
        repository: Some(repository.directory().to_string_lossy().into_owned()),
        revision: String::from_utf8_lossy(revision).into_owned(),
        commit: tree.commit().map(|id| id.to_string()),
        id: tree.id().to_string(),
    }
}
