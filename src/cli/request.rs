//! Converts the command line to requests for the engine.

use std::path::Path;
use std::sync::Arc;

use super::args::{Durability, Global, PatchOptions, TreeOptions};
use super::attribution::AttributionOptions;
use super::named_roots::root_gits;
use super::policy::load_policy;
use super::root::opened_root;
use super::{CommandMode, EarlyExit, input, merge, series, tree};
use crate::engine::options::{self, MAX_DIFF, TransactionOptions, WhitespaceAction, code};
use crate::engine::{
    Commit, Decide, Git, Look, Patches, Request, RequestContext, SuggestionMode, What,
};

/// The default limit on the size of a patch, in bytes.
pub(super) const MAX_PATCH: u64 = 4 << 30;

/// Reads the patches and returns the request to apply them.
///
/// # Errors
///
/// Returns an error if an input cannot be read or the options are invalid.
pub(super) fn read_request(
    mut patch: PatchOptions,
    task: CommandMode,
    global: &Global,
) -> Result<Request, EarlyExit> {
    let paths = std::mem::take(&mut patch.basic.patches);
    let limit = patch.max_patch.unwrap_or(MAX_PATCH);
    if let Some(path) = patch.series.take() {
        let read = series::read(&path, limit, patch.basic.strip.unwrap_or(1), global)?;
        let what = What::Patches(Patches {
            texts: read.patches,
            series: Some(read.series),
            is_saved: false,
        });
        return Ok(Request {
            what,
            ..build_request(patch, task, global)?
        });
    }
    let request = build_request(patch, task, global)?;
    Ok(Request {
        what: Request::of_all(input::read_patches(&paths, limit, global)?).what,
        ..request
    })
}

/// Returns the request without patches: a batch or a saved plan supplies them later.
///
/// # Errors
///
/// Returns an error if the options are invalid or the policy cannot be read.
pub(super) fn build_request(
    mut patch: PatchOptions,
    task: CommandMode,
    global: &Global,
) -> Result<Request, EarlyExit> {
    if patch.index.build_fake_ancestor.is_some() {
        return Err(write_option_error());
    }
    let mut decide = patch.build_decide(global)?;
    let context = build_context(&patch, (&mut decide, task), global)?;
    let commit = Commit {
        approve: patch.approve.take(),
        approve_part: patch.approve_part.take(),
        transaction: transaction_options(global),
        attribution: AttributionOptions::default().attribution(global),
        ..Commit::default()
    };
    Ok(Request {
        what: What::default(),
        decide,
        look: build_look(&patch, task, global)?,
        commit,
        context,
    })
}

/// Returns the usage error for an option that writes a file in a command that must not write.
pub(super) fn write_option_error() -> EarlyExit {
    EarlyExit::new(
        &code::USAGE,
        "--build-fake-ancestor writes a file; use it with `wpatch apply`".to_owned(),
    )
}

/// Returns the data that the command reads in addition to the tree. Sets `decide.index` to the use
/// of git's index.
fn build_context(
    patch: &PatchOptions,
    (decide, task): (&mut Decide, CommandMode),
    global: &Global,
) -> Result<RequestContext, EarlyExit> {
    let base = merge::load_base(&patch.merge, decide.max_file, global)?;
    let indexed = if matches!(task, CommandMode::Apply | CommandMode::Check) {
        super::index::into_options(&patch.index, &patch.filter, &patch.merge, global)?
    } else {
        None
    };
    decide.index = indexed.as_ref().map(|indexed| indexed.scope);
    let is_in_memory = global.caller.tree().is_some();
    // Outside a repository there are no objects for a three-way merge.
    let has_objects = !is_in_memory
        && global.roots.is_empty()
        && (decide.three_way.is_none() || indexed.is_some());
    let interrupt = global.caller.interrupt();
    let git = opened_root(global).map_or_else(
        || Git::for_directory(global.root()).with_interrupt(&interrupt),
        |directory| directory.git(&interrupt),
    );
    let git = git.allow_filters(&patch.filter.allow_filter);
    let has_one_root = !is_in_memory && global.roots.is_empty();
    let git_of = |directory: &Path| {
        Git::for_directory(directory)
            .with_interrupt(&interrupt)
            .allow_filters(&patch.filter.allow_filter)
    };
    Ok(RequestContext {
        policy: load_policy(global)?,
        git: Some(Arc::new(git)).filter(|_| has_one_root),
        root_gits: root_gits(global, git_of),
        whitespace: if task == CommandMode::Apply {
            WhitespaceAction::Warn
        } else {
            WhitespaceAction::NoWarn
        },
        index: indexed.map(|indexed| indexed.index),
        objects: has_objects.then(|| tree::repository(None, &TreeOptions::default(), global)),
        base,
        interrupt,
        ..RequestContext::default()
    })
}

/// Returns the options for the content of the report.
fn build_look(patch: &PatchOptions, task: CommandMode, global: &Global) -> Result<Look, EarlyExit> {
    let usual = Look::default();
    // The JSON of `check` and `show` contains diffs by default, because they show the change.
    let is_whole = patch.look.with_diff || global.has_all_changes();
    let is_told = global.json && !patch.look.brief;
    Ok(Look {
        describe: global.has_all_changes() || is_told,
        diff: global.has_all_changes()
            || is_told
                && (patch.look.with_diff || matches!(task, CommandMode::Check | CommandMode::Show)),
        max_diff: patch.look.diff_max_bytes.unwrap_or(if is_whole {
            usual.max_diff
        } else {
            MAX_DIFF
        }),
        no_large_diff: patch.look.no_large_diff,
        // A command line has no meaning for a tree in memory.
        hints: match global.caller.tree() {
            None => SuggestionMode::Command(global.arguments.clone()),
            Some(_) => SuggestionMode::Text,
        },
        diagnostics: patch.diagnostics.to_options(global)?,
        ..usual
    })
}

/// Returns the options of the commit.
pub(super) fn transaction_options(global: &Global) -> TransactionOptions {
    let durability = match global.durability.unwrap_or_default() {
        Durability::Full => options::Durability::Full,
        Durability::None => options::Durability::None,
    };
    let defaults = TransactionOptions::default();
    TransactionOptions {
        durability,
        lock_timeout: global.lock_timeout.unwrap_or(defaults.lock_timeout),
        ..defaults
    }
}
