//! Opens the root, and finds its names.

use std::env;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Global;
use super::opened_directory::OpenedDirectory;
use super::{EarlyExit, config};
use crate::engine::options::{Workspace, code};
use crate::engine::{self, Disk, Outcome, Roots};
use crate::path::plain_path;
use crate::report::RootReport;
use crate::text::without_error_number;

/// Opens the root for a change. Fails if the process runs inside a change of the same tree: each
/// would wait for the other.
pub(super) fn open_to_change(global: &Global) -> Result<Arc<dyn Workspace>, EarlyExit> {
    let workspace = open_writable(global)?;
    if env::var_os(engine::TRANSACTION_VARIABLE)
        .is_some_and(|at_work| engine::is_inside_change(&at_work, &*workspace))
    {
        let message = "a command of a running change cannot change the same tree".to_owned();
        let help = Some(
            "use `--dry-run`, `check`, `read` or `diff`, which see the changed tree".to_owned(),
        );
        return Err(EarlyExit {
            help,
            ..EarlyExit::new(&code::LOCKED, message)
        });
    }
    in_session(workspace, global)
}

/// Returns `workspace` as the edit session of `--in` sees it, if the option is given.
fn in_session(
    workspace: Arc<dyn Workspace + Send>,
    global: &Global,
) -> Result<Arc<dyn Workspace>, EarlyExit> {
    let Some(id) = &global.session else {
        return Ok(workspace);
    };
    match engine::open_shared_session(&workspace, id) {
        Ok(tree) => Ok(Arc::new(tree)),
        Err(mut outcome) => Err(match outcome.problems.pop() {
            Some(problem) => EarlyExit::from_problem(problem),
            None => EarlyExit::new(&code::IO, "the edit session cannot be opened".to_owned()),
        }),
    }
}

/// Opens the root without the handles that the caller keeps open.
fn open_writable(global: &Global) -> Result<Arc<dyn Workspace + Send>, EarlyExit> {
    if !global.roots.is_empty() {
        return Ok(open_roots(global)?);
    }
    if let Some(directory) = opened_root(global) {
        directory.check_path()?;
    }
    Ok(match global.caller.tree() {
        Some(tree) => Arc::clone(tree) as Arc<_>,
        None => Arc::new(open_directory(global.root())?),
    })
}

/// Opens the root, or returns the tree in memory of the caller.
pub(super) fn open(global: &Global) -> Result<Arc<dyn Workspace>, EarlyExit> {
    if !global.roots.is_empty() {
        return Ok(open_roots(global)?);
    }
    if let Some(tree) = global.caller.tree() {
        return in_session(Arc::clone(tree) as Arc<_>, global);
    }
    if let Some(directory) = opened_root(global) {
        directory.check_path()?;
        return in_session(directory.workspace(), global);
    }
    in_session(Arc::new(open_directory(global.root())?), global)
}

/// Returns the directory that the caller has opened, if it is the root.
pub(super) fn opened_root(global: &Global) -> Option<&OpenedDirectory> {
    let directory = global.caller.directory()?;
    let is_root = global.roots.is_empty() && directory.path() == global.root();
    is_root.then_some(&**directory)
}

/// Opens the directory `root`.
pub(super) fn open_directory(root: &Path) -> Result<Disk, EarlyExit> {
    let opened = match engine::state_home() {
        Some(above) => engine::open_with_external_history(root, &above),
        None => engine::open(root),
    };
    opened.map_err(|error| open_error(root, &error))
}

/// Returns the error for a root that cannot be opened.
pub(super) fn open_error(root: &Path, error: &dyn Error) -> EarlyExit {
    let source = error.source();
    let cause = source.map_or_else(String::new, |source| format!(": {source}"));
    let kind = source
        .and_then(|source| source.downcast_ref::<io::Error>())
        .map(io::Error::kind);
    // A missing directory is a mistake in the command line.
    let is_wrong_name = matches!(
        kind,
        Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    );
    let code = if is_wrong_name {
        &code::USAGE
    } else {
        &code::IO
    };
    let cause = without_error_number(&cause);
    EarlyExit::new(
        code,
        format!("cannot open the root {}{cause}", root.display()),
    )
}

/// Returns `outcome` with the names of the root in its report.
pub(super) fn with_root(mut outcome: Outcome, global: &Global) -> Outcome {
    outcome.report.roots = root_reports(global);
    outcome.report.root = root_name(global);
    if outcome.report.root.is_none() {
        return outcome;
    }
    let base = global.root().to_string_lossy();
    outcome.report.base = Some(base.trim_end_matches('/').to_owned()).filter(|base| base != ".");
    outcome
}

/// Returns the absolute path of the root, with links resolved; `None` for a tree in memory and for
/// several roots.
pub(super) fn root_name(global: &Global) -> Option<String> {
    let is_directory = global.caller.tree().is_none() && global.roots.is_empty();
    is_directory.then(|| canonical_root(global))
}

/// Returns the absolute path of the root, with links resolved.
pub(super) fn canonical_root(global: &Global) -> String {
    opened_root(global).map_or_else(
        || resolve_links(global.root()),
        |directory| directory.real_path().to_owned(),
    )
}

/// Returns the absolute path of the directory `root`, with links resolved.
pub(super) fn resolve_links(root: &Path) -> String {
    let real = fs_err::canonicalize(root).map_or_else(|_| root.to_owned(), plain_path);
    real.to_string_lossy().into_owned()
}

/// Returns the absolute paths of the root. A tree in memory and several roots have none.
pub(super) fn root_paths(global: &Global) -> Vec<PathBuf> {
    if global.caller.tree().is_some() || !global.roots.is_empty() {
        return Vec::new();
    }
    opened_root(global).map_or_else(
        || absolute_paths(global.root()),
        |directory| directory.paths().to_vec(),
    )
}

/// Returns the absolute paths of the directory `root`: the path that the shell uses (`PWD`), if it
/// differs, and last the path with links resolved.
pub(super) fn absolute_paths(root: &Path) -> Vec<PathBuf> {
    let Ok(real) = fs_err::canonicalize(root).map(plain_path) else {
        return Vec::new();
    };
    let named = env::var_os("PWD").map_or_else(
        || root.to_owned(),
        |directory| Path::new(&directory).join(root),
    );
    // Iterating over the components removes `.` and repeated slashes.
    let named: PathBuf = named.components().collect();
    let is_other = named != real
        && named.is_absolute()
        && fs_err::canonicalize(&named)
            .map(plain_path)
            .is_ok_and(|named| named == real);
    is_other
        .then_some(named)
        .into_iter()
        .chain([real])
        .collect()
}

/// Returns the paths from the command line that messages of problems can contain.
pub(super) fn argument_paths(global: &Global) -> Vec<String> {
    let config = config::load_config()
        .ok()
        .flatten()
        .map(|config| config.path);
    let names = root_paths(global)
        .into_iter()
        .chain(global.roots.iter().map(|root| root.directory.clone()))
        .chain(global.policy.iter().cloned())
        .chain(config);
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

/// Opens all roots as one tree.
fn open_roots(global: &Global) -> Result<Arc<Roots>, EarlyExit> {
    let mut opened = Vec::with_capacity(global.roots.len());
    for root in &global.roots {
        let workspace: Box<dyn Workspace + Send> = Box::new(open_directory(&root.directory)?);
        opened.push((&root.name, workspace));
    }
    let roots =
        Roots::new(opened).map_err(|error| EarlyExit::new(&code::USAGE, error.to_string()))?;
    Ok(Arc::new(roots))
}

/// Returns the roots for a report. The list is empty for a command with one root.
pub(super) fn root_reports(global: &Global) -> Vec<RootReport> {
    let roots = global.roots.iter();
    roots
        .map(|root| RootReport::new(root.name.clone(), resolve_links(&root.directory)))
        .collect()
}
