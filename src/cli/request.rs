//! From the command line to what the engine is asked for.

use std::ffi::OsString;
use std::sync::Arc;

use super::args::{Durability, Global, PatchOptions, TreeOptions};
use super::closeness::closeness;
use super::policy::policy;
use super::{Stop, Task, input, merge, series, signals, tree};
use crate::engine::options::{self, Filter, MAX_DIFF, RejectTo, TransactionOptions, WhitespaceAction, code};
use crate::engine::{self, Commit, Context, Decide, Git, Hints, Look, Patches, Request, What};
use crate::path::{PathError, PatternError, RelPath};

/// Largest patch that is read unless something else is asked for, in bytes.
pub(super) const MAX_PATCH: u64 = 4 << 30;

/// Reads the patches, and returns the request to apply them.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn request(mut patch: PatchOptions, task: Task, global: &Global) -> Result<Request, Stop> {
    let paths = std::mem::take(&mut patch.usual.patches);
    let limit = patch.max_patch.unwrap_or(MAX_PATCH);
    if let Some(path) = patch.series.take() {
        let (texts, series) = series::read(&path, limit, patch.usual.strip.unwrap_or(1), global)?;
        let what = What::Patches(Patches { texts, series: Some(series), is_saved: false });
        return Ok(Request { what, ..wishes(patch, task, global)? });
    }
    let request = wishes(patch, task, global)?;
    Ok(Request { what: Request::of_all(input::read(&paths, limit, global)?).what, ..request })
}

/// Returns the request for patches that are read elsewhere.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn wishes(mut patch: PatchOptions, task: Task, global: &Global) -> Result<Request, Stop> {
    if patch.index.build_fake_ancestor.is_some() {
        return Err(super::not_looking());
    }
    let mut decide = decide(&mut patch, global)?;
    let context = context(&patch, (&mut decide, task), global)?;
    let commit = Commit { approve: patch.approve.take(), transaction: transaction(global), ..Commit::default() };
    Ok(Request { what: What::default(), decide, look: look(&patch, task, global)?, commit, context })
}

/// Returns the options that decide the result, except for git's index.
fn decide(patch: &mut PatchOptions, global: &Global) -> Result<Decide, Stop> {
    let usual = Decide::default();
    Ok(Decide {
        format: patch.usual.format.take().unwrap_or(usual.format),
        recount: patch.recount,
        strict_input: patch.strict_input,
        allow_empty: patch.git.allow_empty,
        lenient: patch.lenient,
        relocate: patch.relocate,
        strip: patch.usual.strip,
        directory: patch.directory.take().map_or(Ok(Vec::new()), directory)?,
        below: patch.git.git_paths.then(|| below(global)).transpose()?,
        filters: patch.filters.iter().map(|(takes, pattern)| filter(*takes, pattern)).collect::<Result<_, _>>()?,
        reverse: patch.usual.reverse,
        file: patch.file.take().map(OsString::into_encoded_bytes),
        expect_hash: patch.expect_hash,
        only: patch.only.take(),
        roots: roots(global),
        closeness: closeness(patch.closeness, patch.reindent)?,
        context: patch.context,
        fuzz: if patch.merge.merge_hunks.is_some() { 0 } else { patch.fuzz.unwrap_or_default() },
        unidiff_zero: patch.unidiff_zero,
        whitespace: patch.whitespace.action(),
        ignore_whitespace: patch.whitespace.ignores(),
        inaccurate_eof: patch.whitespace.inaccurate_eof,
        no_add: patch.git.no_add,
        allow_overlap: patch.git.allow_overlap,
        unique: patch.unique,
        overwrite: patch.overwrite,
        reject: patch.git.reject,
        reject_to: rejects(patch.git.reject_file.clone())?,
        idempotent: patch.idempotent,
        in_place: patch.links.in_place,
        merge_hunks: patch.merge.hunkwise(),
        three_way: merge::options(&patch.merge),
        index: None,
        encoding: None,
        gnu: std::mem::take(&mut patch.gnu),
        guards: patch.guard.meant(),
        max_files: patch.max_files.unwrap_or(usual.max_files),
        max_hunks: patch.max_hunks.unwrap_or(usual.max_hunks),
        max_file: patch.max_file.unwrap_or(usual.max_file),
        max_ratio: patch.max_ratio.unwrap_or(usual.max_ratio),
        max_growth: patch.max_growth.unwrap_or(usual.max_growth),
    })
}

/// Returns what the command reads in addition to the tree. `decide` gets what of the index changes.
fn context(patch: &PatchOptions, (decide, task): (&mut Decide, Task), global: &Global) -> Result<Context, Stop> {
    let base = merge::base(&patch.merge, decide.max_file, global)?;
    let indexed = if matches!(task, Task::Apply | Task::Check) {
        super::index::meant(&patch.index, &patch.filter, &patch.merge, global)?
    } else {
        None
    };
    decide.index = indexed.as_ref().map(|indexed| indexed.reach);
    // In no repository, there is none to merge with.
    let has_objects = decide.three_way.is_none() || indexed.is_some();
    let git = Git::around(global.root()).interrupted_by(signals::interrupt()).allow_filters(&patch.filter.allow_filter);
    Ok(Context {
        policy: policy(global)?,
        git: Some(Arc::new(git)),
        whitespace: if task == Task::Apply { WhitespaceAction::Warn } else { WhitespaceAction::NoWarn },
        index: indexed.map(|indexed| indexed.index),
        objects: has_objects.then(|| tree::repository(None, &TreeOptions::default(), global)),
        base,
        is_stopped: signals::is_stopped,
        ..Context::default()
    })
}

/// Returns what the report contains.
fn look(patch: &PatchOptions, task: Task, global: &Global) -> Result<Look, Stop> {
    let usual = Look::default();
    let is_whole = patch.look.with_diff || global.shows_changes();
    let is_told = global.json && !patch.look.brief;
    Ok(Look {
        describe: global.shows_changes() || is_told,
        diff: global.shows_changes() || is_told && (patch.look.with_diff || matches!(task, Task::Check | Task::Show)),
        max_diff: patch.look.diff_max_bytes.unwrap_or(if is_whole { usual.max_diff } else { MAX_DIFF }),
        no_large_diff: patch.look.no_large_diff,
        hints: Hints::Command(global.arguments.clone()),
        diagnostics: patch.diagnostics.meant(super::root(global))?,
        ..usual
    })
}

/// Returns where the root is below the top of its repository.
fn below(global: &Global) -> Result<Vec<u8>, Stop> {
    let unknown = |error| Stop::new(&code::USAGE, format!("--git-paths: git cannot tell where the root is: {error}"));
    Git::around(global.root()).interrupted_by(signals::interrupt()).prefix().map_err(unknown)
}

/// Returns the directory to put in front of names.
fn directory(named: OsString) -> Result<Vec<u8>, Stop> {
    let bytes = named.into_encoded_bytes();
    if RelPath::new(bytes.as_slice()) == Err(PathError::Outside) {
        // The words are git's.
        let message = format!("unable to normalize directory: '{}'", String::from_utf8_lossy(&bytes));
        return Err(Stop::new(&code::OUTSIDE_ROOT, message));
    }
    Ok(bytes)
}

/// Returns where rejected hunks go.
///
/// # Errors
///
/// Stops at a name outside of the root.
pub(super) fn rejects(file: Option<OsString>) -> Result<RejectTo, Stop> {
    let Some(file) = file.map(OsString::into_encoded_bytes) else { return Ok(RejectTo::Beside) };
    if file == b"-" {
        return Ok(RejectTo::Nowhere);
    }
    let outside = |error: PathError| Stop::new(&code::OUTSIDE_ROOT, format!("--reject-file: {error}"));
    RelPath::new(&file).map(RejectTo::File).map_err(outside)
}

/// Returns the absolute names of the root.
pub(super) fn roots(global: &Global) -> Vec<Vec<u8>> {
    engine::root_names(&super::names_of(global.root()))
}

/// Returns how a change is committed.
pub(super) fn transaction(global: &Global) -> TransactionOptions {
    let durability = match global.durability.unwrap_or_default() {
        Durability::Full => options::Durability::Full,
        Durability::None => options::Durability::None,
    };
    let defaults = TransactionOptions::default();
    TransactionOptions { durability, patience: global.lock_timeout.unwrap_or(defaults.patience), ..defaults }
}

/// Returns a filter as git reads its patterns.
///
/// # Errors
///
/// Stops at a pattern that cannot be read.
pub(super) fn filter(takes: bool, pattern: &str) -> Result<Filter, Stop> {
    let unusable = |error: PatternError| Stop::new(&code::USAGE, format!("the pattern {pattern}: {error}"));
    Filter::new(takes, pattern).map_err(unusable)
}
