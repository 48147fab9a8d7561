//! Finds other names of a file that the rule on control files does not see. These are hard links,
//! and links to any file from the home directory, the root of the command line, or the top of its
//! work tree. The engine finds links inside the tree.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::decision::DefaultDecision;
use super::rules::{policy, question};
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::cli::path_names::follow_links;
use crate::cli::root::open;
use crate::engine::options::control_paths;
use crate::engine::{self, FileIdentity, count_hard_links, file_identity, home};
use crate::path::{RelPath, os_path, plain_path};

impl DefaultDecision {
    /// Returns the decision without a matching rule for `file`, an absolute path without links.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy cannot be read.
    pub(super) fn for_file(&self, file: &Path, global: &Global) -> Result<Self, EarlyExit> {
        let why = match self {
            Self::Allow => ask_reason(file, global)?,
            Self::None => link_reason(file, global)?,
            Self::Ask(_) => None,
        };
        Ok(why.map_or_else(|| self.clone(), Self::Ask))
    }
}

/// Returns the reason why `--allow` does not apply to `file`, an absolute path without links. The
/// reason is that the file has or can have several hard links, or the reason of [`link_reason`].
///
/// # Errors
///
/// Returns an error if the policy cannot be read.
fn ask_reason(file: &Path, global: &Global) -> Result<Option<String>, EarlyExit> {
    if let Ok(stat) = fs_err::metadata(file)
        && stat.is_file()
        && let Some(reason) = hard_link_reason(file, &stat)
    {
        return Ok(Some(reason));
    }
    link_reason(file, global)
}

fn hard_link_reason(file: &Path, stat: &Metadata) -> Option<String> {
    match count_hard_links(file, stat) {
        Some(0 | 1) => None,
        Some(links) => Some(format!(
            "the file has {links} hard links, and one of them can be a protected path"
        )),
        None => Some(
            "this system does not report hard links, and the file can have one that is a protected path"
                .to_owned(),
        ),
    }
}

/// Returns the reason to ask the user before `file` is written. The reason is that a control file
/// is a link to it or to a directory above it. The control files are those of the root, of the top
/// of its work tree, and of the home directory.
///
/// # Errors
///
/// Returns an error if the policy cannot be read.
pub(super) fn link_reason(file: &Path, global: &Global) -> Result<Option<String>, EarlyExit> {
    Ok(control_names(global)?
        .iter()
        .find_map(|name| name.link_reason(file)))
}

/// Returns the question about the first path of `files` for which [`link_reason`] has a reason. The
/// paths are relative to the root.
///
/// # Errors
///
/// Returns an error if the policy cannot be read.
pub(super) fn question_about<'f>(
    files: impl Iterator<Item = &'f RelPath>,
    global: &Global,
) -> Result<Option<String>, EarlyExit> {
    let (root, names) = (resolve_links(global.root()), control_names(global)?);
    let ask = |path: &RelPath| {
        // A path that this system cannot represent is never written.
        let name = root.join(os_path(path.as_bytes())?);
        let file = follow_links(&name).pop().unwrap_or(name);
        let why = names.iter().find_map(|name| name.link_reason(&file))?;
        Some(question(path.as_bytes(), Some(&why)))
    };
    Ok(files.into_iter().find_map(ask))
}

/// An existing name on the path to a control file.
struct ControlName {
    /// The path relative to a directory in which programs look for control files.
    path: &'static str,
    /// The program that the file controls.
    program: &'static str,
    /// The absolute path of the control file, without links.
    control: PathBuf,
    /// The target of the name; `None` if the name is a link to a missing file.
    target: Option<LinkTarget>,
}

/// The target of a name.
struct LinkTarget {
    identity: FileIdentity,
    /// The name, if no part of it is a link. Rules on names apply to the files below it.
    plain: Option<PathBuf>,
}

/// Returns the existing names on the paths to the control files of the root, of the top of its work
/// tree, and of the home directory. Returns none if policy does not ask about control files.
fn control_names(global: &Global) -> Result<Vec<ControlName>, EarlyExit> {
    let root = open(global)?;
    if !engine::asks_about_control_files(&policy(global)?, &*root) {
        return Ok(Vec::new());
    }
    let top = root
        .work_tree()
        .ok()
        .flatten()
        .map(|tree| tree.directory.to_owned());
    let bases = [
        Some(global.root().to_owned()),
        top,
        global.given_root.clone(),
        home(),
    ];
    Ok(bases
        .into_iter()
        .flatten()
        .flat_map(|base| control_names_below(&base))
        .collect())
}

fn control_names_below(base: &Path) -> Vec<ControlName> {
    let mut seen = BTreeSet::new();
    let rows = control_paths()
        .flat_map(|(path, program)| prefixes(path).map(move |start| (start, path, program)));
    let rows = rows.filter(|(start, path, _)| seen.insert((*start, *path)));
    rows.filter_map(|(start, path, program)| ControlName::find_below(base, (start, path), program))
        .collect()
}

impl ControlName {
    /// Returns the name `start` below `base`, which is on the path to the control file `path`.
    /// Returns `None` if the name does not exist.
    fn find_below(
        base: &Path,
        (start, path): (&'static str, &'static str),
        program: &'static str,
    ) -> Option<Self> {
        let name = base.join(start);
        let (end, target) = match file_identity(&name) {
            Some(identity) => {
                let end = resolve_links(&name);
                let plain = (end == resolve_links(base).join(start)).then(|| end.clone());
                (end, Some(LinkTarget { identity, plain }))
            }
            // A link to a file that does not exist yet.
            None if fs_err::symlink_metadata(&name).is_ok() => {
                (follow_links(&name).pop().unwrap_or(name), None)
            }
            None => return None,
        };
        let control = end.join(path[start.len()..].trim_start_matches('/'));
        Some(Self {
            path: start,
            program,
            control,
            target,
        })
    }

    /// Returns the reason to ask the user before `file` is written, if the name leads to it. `file`
    /// is an absolute path without links.
    fn link_reason(&self, file: &Path) -> Option<String> {
        // The file is the control file, is below it, or would replace a directory on the path to
        // it.
        let is_about = file.starts_with(&self.control) || self.control.starts_with(file);
        let is_linked = is_about
            && self
                .target
                .as_ref()
                .is_none_or(|target| target.is_alias_of(file));
        is_linked.then(|| {
            format!(
                "the path is the target of the link {}, which controls {}",
                self.path, self.program
            )
        })
    }
}

impl LinkTarget {
    /// Returns whether `file` or a directory above it is the target, and rules on names do not
    /// apply to it.
    fn is_alias_of(&self, file: &Path) -> bool {
        let is_named = self
            .plain
            .as_ref()
            .is_some_and(|plain| file.starts_with(plain));
        !is_named
            && file
                .ancestors()
                .any(|above| file_identity(above).as_ref() == Some(&self.identity))
    }
}

/// Returns the path of each directory on the path to `path`, and `path` itself.
fn prefixes(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.match_indices('/')
        .map(|(end, _)| &path[..end])
        .chain([path])
}

fn resolve_links(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).map_or_else(|_| PathBuf::from(path), plain_path)
}
