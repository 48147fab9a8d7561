//! Other names of a file that the rule on control files does not see: links from the home, from the root of the command
//! line and from the top of its work tree, to files anywhere, and hard links. The engine looks for links in the tree.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{policy, question};
use crate::cli::args::Global;
use crate::cli::policy::names_on_the_way;
use crate::cli::{Stop, open};
use crate::engine::options::{Workspace, control_paths};
use crate::engine::{self, home};
use crate::path::RelPath;

/// Returns why `--allow` does not hold for `file`, an absolute name without links: it has hard links, or [`why_linked`].
///
/// # Errors
///
/// Stops where policy cannot be read.
pub(super) fn why_asked(file: &Path, global: &Global) -> Result<Option<String>, Stop> {
    if let Ok(stat) = fs_err::metadata(file)
        && stat.is_file()
        && stat.nlink() > 1
    {
        let links = stat.nlink();
        return Ok(Some(format!("the file has {links} hard links, and one of them may be a protected path")));
    }
    why_linked(file, global)
}

/// Returns why the user is asked before `file` is written: a control file of the root, of the top of its work tree or of the
/// home is a link to it or to a directory above it.
///
/// # Errors
///
/// Stops where policy cannot be read.
pub(super) fn why_linked(file: &Path, global: &Global) -> Result<Option<String>, Stop> {
    let root = open(global)?;
    if !engine::asks_about_control_files(&policy(global)?, &root) {
        return Ok(None);
    }
    let top = root.work_tree().ok().flatten().map(|tree| tree.directory.to_owned());
    let bases = [Some(global.root().to_owned()), top, global.given_root.clone(), home()];
    let found = bases.into_iter().flatten().find_map(|base| linked(file, &base));
    Ok(found.map(|(path, program)| format!("the link {path} leads to it, and that path controls {program}")))
}

/// Returns the question about the first of `files`, paths below the root, for which [`why_linked`] has a reason.
///
/// # Errors
///
/// Stops where policy cannot be read.
pub(super) fn question_about<'f>(
    files: impl Iterator<Item = &'f RelPath>,
    global: &Global,
) -> Result<Option<String>, Stop> {
    let root = real(global.root());
    for path in files {
        let name = root.join(OsStr::from_bytes(path.as_bytes()));
        let file = names_on_the_way(&name).pop().unwrap_or(name);
        if let Some(why) = why_linked(&file, global)? {
            return Ok(Some(question(path.as_bytes(), Some(&why))));
        }
    }
    Ok(None)
}

/// Returns the path below `base` that controls a program and is another name of `file` or of a directory above it.
fn linked(file: &Path, base: &Path) -> Option<(&'static str, &'static str)> {
    let above: Vec<_> = file.ancestors().filter_map(identity).collect();
    let mut seen = BTreeSet::new();
    let rows = control_paths().flat_map(|(path, program)| beginnings(path).map(move |start| (start, path, program)));
    let is_linked = |start: &str, path: &str| {
        let name = base.join(start);
        let end = match identity(&name) {
            Some(found) if above.contains(&found) && !is_named(file, &name, base) => real(&name),
            // A link to a file that does not exist yet.
            None if fs_err::symlink_metadata(&name).is_ok() => names_on_the_way(&name).pop().unwrap_or(name),
            _ => return false,
        };
        // The control file itself, what is below it, and what would take the place of a directory on the way to it.
        let control = end.join(path[start.len()..].trim_start_matches('/'));
        file.starts_with(&control) || control.starts_with(file)
    };
    let mut rows = rows.filter(|(start, path, _)| seen.insert((*start, *path)));
    rows.find(|(start, path, _)| is_linked(start, path)).map(|(start, _, program)| (start, program))
}

/// Returns the path of each directory on the way to `path`, and `path`.
fn beginnings(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.match_indices('/').map(|(end, _)| &path[..end]).chain([path])
}

/// Returns whether `name` is not a link and is at or above `file`, so that rules on names see it.
fn is_named(file: &Path, name: &Path, base: &Path) -> bool {
    let below = name.strip_prefix(base).unwrap_or(name);
    real(name) == real(base).join(below) && file.starts_with(real(name))
}

fn real(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// Returns device and inode of what `path` leads to.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let stat = fs_err::metadata(path).ok()?;
    Some((stat.dev(), stat.ino()))
}
