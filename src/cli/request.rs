//! From the command line to what the engine is asked for.

use std::ffi::OsString;

use super::args::{Durability, Global, PatchOptions, TreeOptions};
use super::policy::policy;
use super::{Stop, Task, input, merge, series, signals, tree, verbs};
use crate::engine::options::{
    self, Closeness, Direction, Filter, MAX_DIFF, PreflightOptions, RejectTo, Rules, Selection, SyntaxOptions,
    TransactionOptions, code,
};
use crate::engine::{self, Commands, Git, Hints, Lenience, Request};
use crate::path::{PathError, RelPath};

/// Largest patch that is read unless something else is asked for, in bytes.
pub(super) const MAX_PATCH: u64 = 4 << 30;

/// Reads the patches and returns what to do with them.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn request(mut patch: PatchOptions, task: Task, global: &Global) -> Result<Request, Stop> {
    let paths = std::mem::take(&mut patch.usual.patches);
    let limit = patch.max_patch.unwrap_or(MAX_PATCH);
    if let Some(path) = patch.series.take() {
        let (patches, series) = series::read(&path, limit, patch.usual.strip.unwrap_or(1), global)?;
        return Ok(Request { patches, series: Some(series), ..wishes(patch, task, global)? });
    }
    let wishes = wishes(patch, task, global)?;
    Ok(Request { patches: input::read(&paths, limit, global)?, ..wishes })
}

/// Returns what is to be done with patches that come from elsewhere.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn wishes(mut patch: PatchOptions, task: Task, global: &Global) -> Result<Request, Stop> {
    if patch.index.build_fake_ancestor.is_some() {
        return Err(super::not_looking());
    }
    let closeness = verbs::closeness(patch.closeness, patch.reindent)?;
    let selection = selection(&mut patch, closeness, global)?;
    let preflight = looks(&patch, (task, closeness), global)?;
    let three_way = merge::meant(&patch.merge, preflight.max_file, global)?;
    let index = if matches!(task, Task::Apply | Task::Check) {
        super::index::meant(&patch.index, &patch.merge, global)?
    } else {
        None
    };
    // In no repository, there is none to merge with.
    let has_objects = three_way.is_none() || index.is_some();
    let objects = has_objects.then(|| tree::repository(None, &TreeOptions::default(), global));
    Ok(Request {
        patches: Vec::new(),
        series: None,
        syntax: syntax(&patch),
        selection,
        preflight: PreflightOptions { objects, ..preflight },
        transaction: TransactionOptions { links: patch.links.links(), ..transaction(global) },
        three_way,
        index,
        is_saved: false,
        commands: Commands::default(),
        is_brief: false,
        hints: Hints::Command(global.arguments.clone()),
        lenience: patch.lenient.then(|| Lenience { root: super::root(global).into_bytes() }),
        whitespace: patch.whitespace.meant(task, global, &patch.index.allow_filter),
        diagnostics: patch.diagnostics.meant(super::root(global))?,
        format: patch.usual.format.unwrap_or_else(|| "auto".to_owned()),
        approve: patch.approve,
        relocate: patch.relocate,
        habits: patch.habits,
    })
}

/// Returns which operations are meant.
fn selection(patch: &mut PatchOptions, closeness: Closeness, global: &Global) -> Result<Selection, Stop> {
    Ok(Selection {
        file: patch.file.take().map(OsString::into_encoded_bytes),
        closeness,
        strip: patch.usual.strip,
        below: patch.git.git_paths.then(|| below(global)).transpose()?,
        directory: patch.directory.take().map_or(Ok(Vec::new()), directory)?,
        filters: patch.filters.iter().map(|(takes, pattern)| filter(*takes, pattern)).collect::<Result<_, _>>()?,
        expected: patch.expect_hash,
        only: patch.only.take(),
        direction: if patch.usual.reverse { Direction::Reverse } else { Direction::Forward },
        roots: roots(global),
    })
}

/// Returns how the tree is looked at.
fn looks(
    patch: &PatchOptions,
    (task, closeness): (Task, Closeness),
    global: &Global,
) -> Result<PreflightOptions, Stop> {
    let rules = Rules {
        context: patch.context.unwrap_or(usize::MAX),
        fuzz: if patch.merge.merge_hunks.is_some() { 0 } else { patch.fuzz.unwrap_or_default() },
        zero_context: patch.unidiff_zero,
        inaccurate_eof: patch.whitespace.inaccurate_eof,
        no_add: patch.git.no_add,
        allow_overlap: patch.git.allow_overlap,
        unique: patch.unique,
        closeness,
        is_stopped: signals::is_stopped,
        ..Rules::default()
    };
    let defaults = PreflightOptions::default();
    let is_whole = patch.with_diff || global.shows_changes();
    let is_told = global.json && !patch.brief;
    Ok(PreflightOptions {
        policy: policy(global)?,
        rules,
        overwrite: patch.overwrite,
        describe: global.shows_changes() || is_told,
        diff: global.shows_changes() || is_told && (patch.with_diff || matches!(task, Task::Check | Task::Show)),
        max_diff: patch.diff_max_bytes.unwrap_or(if is_whole { defaults.max_diff } else { MAX_DIFF }),
        no_large_diff: patch.no_large_diff,
        max_file: patch.max_file.unwrap_or(defaults.max_file),
        max_ratio: patch.max_ratio.unwrap_or(defaults.max_ratio),
        max_growth: patch.max_growth.unwrap_or(defaults.max_growth),
        reject: patch.git.reject,
        reject_to: rejects(patch.git.reject_file.clone())?,
        idempotent: patch.idempotent,
        merge_hunks: patch.merge.hunkwise(),
        guards: patch.guard.meant(),
        ..defaults
    })
}

/// Returns how the patches are read.
fn syntax(patch: &PatchOptions) -> SyntaxOptions {
    let defaults = SyntaxOptions::default();
    SyntaxOptions {
        recount: patch.recount,
        max_files: patch.max_files.unwrap_or(defaults.max_files),
        max_hunks: patch.max_hunks.unwrap_or(defaults.max_hunks),
        lenient: patch.lenient,
        strict_input: patch.strict_input,
        allow_empty: patch.git.allow_empty,
        ..defaults
    }
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
    let unusable = |error: globset::Error| Stop::new(&code::USAGE, format!("the pattern {pattern}: {error}"));
    Filter::new(takes, pattern).map_err(unusable)
}
