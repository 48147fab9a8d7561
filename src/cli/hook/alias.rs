//! Other names of a file that the rule on control files, which goes by names, does not see: links and hard links.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::policy;
use crate::cli::args::Global;
use crate::cli::policy::names_on_the_way;
use crate::cli::{Stop, open};
use crate::engine::options::control_paths;
use crate::engine::{self, home};

/// Returns why `--allow` does not hold for `file`, an absolute name without links: it has hard links, or a control file
/// of the root or of the home is a link to it or to a directory above it.
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
    if !engine::asks_about_control_files(&policy(global)?, &open(global)?) {
        return Ok(None);
    }
    let bases = [Some(global.root().to_owned()), global.given_root.clone(), home()];
    let found = bases.into_iter().flatten().find_map(|base| linked(file, &base));
    Ok(found.map(|(path, program)| format!("the link {path} leads to it, and that path controls {program}")))
}

/// Returns the path below `base` that controls a program and is another name of `file` or of a directory above it.
fn linked(file: &Path, base: &Path) -> Option<(&'static str, &'static str)> {
    let above: Vec<_> = file.ancestors().filter_map(identity).collect();
    let mut seen = BTreeSet::new();
    let rows = control_paths().flat_map(|(path, program)| beginnings(path).map(move |path| (path, program)));
    rows.filter(|(path, _)| seen.insert(*path)).find(|(path, _)| {
        let name = base.join(path);
        match identity(&name) {
            Some(found) => above.contains(&found) && !is_named(file, &name, base),
            // A link to a file that does not exist yet.
            None => {
                fs_err::symlink_metadata(&name).is_ok()
                    && names_on_the_way(&name).last().is_some_and(|end| file.starts_with(end))
            }
        }
    })
}

/// Returns the path of each directory on the way to `path`, and `path`.
fn beginnings(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.match_indices('/').map(|(end, _)| &path[..end]).chain([path])
}

/// Returns whether `name` is not a link and is at or above `file`, so that rules on names see it.
fn is_named(file: &Path, name: &Path, base: &Path) -> bool {
    let real = |path: &Path| fs_err::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let below = name.strip_prefix(base).unwrap_or(name);
    real(name) == real(base).join(below) && file.starts_with(real(name))
}

/// Returns device and inode of what `path` leads to.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let stat = fs_err::metadata(path).ok()?;
    Some((stat.dev(), stat.ino()))
}
