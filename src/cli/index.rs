//! Opens the git index that the index options need.

use std::env;
use std::error::Error;
use std::sync::Arc;

use super::EarlyExit;
use super::args::{FilterOptions, Global, IndexOptions, MergeOptions};
use crate::engine::options::{ErrorKind, code};
use crate::engine::{Git, GitIndex, IndexTarget, UpdateScope};
use crate::path::plain_path;

/// Returns the index and how the change uses it; `None` if no option uses the index.
///
/// # Errors
///
/// Returns an error if an option needs an index or a work tree and there is none.
pub(super) fn into_options(
    options: &IndexOptions,
    filter: &FilterOptions,
    merge: &MergeOptions,
    global: &Global,
) -> Result<Option<IndexTarget>, EarlyExit> {
    let (reach, option) = match (options.cached, options.index) {
        (true, _) => (UpdateScope::Cached, "--cached"),
        (_, true) => (UpdateScope::Both, "--index"),
        // As in git, `--3way` and `--intent-to-add` ignore a missing repository.
        _ if (merge.three_way || options.intent_to_add) && !is_in_repository(global) => {
            return Ok(None);
        }
        _ if merge.three_way => (UpdateScope::Both, "--3way"),
        _ if options.intent_to_add => {
            let index = find_index(global, "--intent-to-add")?.allow_filters(&filter.allow_filter);
            let index = Some(index).filter(GitIndex::has_work_tree);
            return Ok(index.map(|index| IndexTarget {
                index: Arc::new(index),
                scope: UpdateScope::Intent,
            }));
        }
        _ => return Ok(None),
    };
    let index = find_index(global, option)?.allow_filters(&filter.allow_filter);
    if reach == UpdateScope::Both && !index.has_work_tree() {
        let help = Some("--cached changes only the index".to_owned());
        return Err(EarlyExit {
            help,
            ..EarlyExit::new(&code::USAGE, format!("{option} needs a git work tree"))
        });
    }
    Ok(Some(IndexTarget {
        index: Arc::new(index),
        scope: reach,
    }))
}

/// Returns the index that `option` needs.
///
/// # Errors
///
/// Returns an error if the root is not in a repository.
pub(super) fn find_index(global: &Global, option: &str) -> Result<GitIndex, EarlyExit> {
    GitIndex::find(global.root(), &global.caller.interrupt()).map_err(|error| {
        let cause = error
            .source()
            .map_or_else(String::new, |source| format!(": {source}"));
        if error.kind == ErrorKind::NotRegular {
            return EarlyExit::new(&code::IO, format!("{}{cause}", error.path));
        }
        EarlyExit::new(
            &code::USAGE,
            format!("{option} needs a git repository{cause}"),
        )
    })
}

/// Returns whether the root appears to be in a repository. Outside a repository, there is no index
/// to update.
fn is_in_repository(global: &Global) -> bool {
    if global.caller.tree().is_some() {
        return false;
    }
    if env::var_os("GIT_DIR").is_some() {
        return Git::for_directory(global.root()).has_repository();
    }
    let root =
        fs_err::canonicalize(global.root()).map_or_else(|_| global.root().to_owned(), plain_path);
    root.ancestors().any(|above| above.join(".git").exists())
}
