//! The location of a file in a call. Below the root, the change is checked; outside, only rules
//! decide.

use std::path::{Component, Path, PathBuf};

use super::decision::{Decision, DefaultDecision};
use super::rules::{decide_refusal, policy, question};
use super::{MAX_NAME, control_links};
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::cli::path_names::follow_links;
use crate::cli::policy::{check_outside, choose_root};
use crate::cli::root::{absolute_paths, open};
use crate::engine;
use crate::engine::options::{Access, code};
use crate::path::{RelPath, path_bytes, plain_path};

/// The absolute paths of a file in a call.
pub(super) struct CallPath {
    /// The path in the call without `.` and `..`, followed by one path per link. The tool opens the
    /// last one.
    names: Vec<PathBuf>,
    /// The root, or the directory to which a policy rule grants access.
    global: Global,
    roots: Vec<PathBuf>,
}

/// The use of a file by a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileUse {
    Reads,
    Writes,
    Deletes,
    /// The tool has already changed the file.
    Changed,
}

impl FileUse {
    /// Returns the accesses to the file `name`. A change also reads, because its success depends on
    /// the content.
    fn accesses(self, name: &Path) -> &'static [Access] {
        match self {
            Self::Reads => &[Access::Read],
            Self::Deletes => &[Access::Delete],
            Self::Changed => &[Access::Modify],
            Self::Writes if fs_err::symlink_metadata(name).is_ok() => {
                &[Access::Modify, Access::Read]
            }
            Self::Writes => &[Access::Create],
        }
    }
}

impl CallPath {
    /// Finds the paths of `file`, which is absolute.
    ///
    /// Agents resolve `..` lexically before they open a file. A program that does not do so opens
    /// another file if the component before `..` is a link. The path of this other file comes
    /// first, so that rules apply to it, too.
    ///
    /// # Errors
    ///
    /// Returns an error if the path has more than [`MAX_NAME`] bytes, or if the policy cannot be
    /// read.
    pub(super) fn of(file: &Path, global: &Global) -> Result<Self, EarlyExit> {
        if file.as_os_str().len() > MAX_NAME {
            return Err(EarlyExit::new(
                &code::USAGE,
                format!("the file name exceeds {MAX_NAME} bytes"),
            ));
        }
        let plain = without_dots(file);
        let mut global = global.clone();
        choose_root(&mut global, Some(&plain))?;
        let mut names = follow_links(&plain);
        if let (Some(Ok(parent)), Some(name)) = (
            file.parent()
                .map(|above| fs_err::canonicalize(above).map(plain_path)),
            file.file_name(),
        ) && !names.contains(&parent.join(name))
        {
            names.insert(0, parent.join(name));
        }
        if names.is_empty() {
            names.push(plain);
        }
        let roots = absolute_paths(global.root());
        Ok(Self {
            names,
            global,
            roots,
        })
    }

    /// Returns the strictest decision: of the rules for each path and, below the root, of `check`.
    /// `check` receives a path relative to the root.
    pub(super) fn decide(
        &self,
        file_use: FileUse,
        check: impl Fn(&[u8], &Global) -> Result<Decision, EarlyExit>,
    ) -> Result<Decision, EarlyExit> {
        let is_below = |name: &&PathBuf| self.roots.iter().any(|root| name.starts_with(root));
        let opened = self.names.last().filter(is_below);
        let first = opened.and_then(|_| self.names.iter().find(is_below));
        let path = |name: &PathBuf| engine::relative_to(&self.roots, name);
        // The check follows links and judges the path and its target.
        let (decision, checked) = match first
            .map(|first| check(&path(first), &self.global))
            .transpose()?
        {
            None => (Decision::None, [None, None]),
            // An absolute link leads back into the root, so check the target itself.
            Some(Decision::Outside(_)) if first != opened => match opened {
                Some(opened) => (check(&path(opened), &self.global)?, [Some(opened), None]),
                None => (Decision::None, [None, None]),
            },
            Some(decision) => (decision, [first, opened]),
        };
        let others = self
            .names
            .iter()
            .filter(|name| !checked.contains(&Some(name)));
        others
            .map(|name| self.decide_path(name, file_use))
            .try_fold(decision, |strictest, ruled| Ok(strictest.stricter(ruled?)))
    }

    /// Returns the strictest decision of the rules for all paths, without a check of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy or the root cannot be read.
    pub(super) fn decide_names(&self, file_use: FileUse) -> Result<Decision, EarlyExit> {
        self.names
            .iter()
            .map(|name| self.decide_path(name, file_use))
            .try_fold(Decision::None, |strictest, ruled| {
                Ok(strictest.stricter(ruled?))
            })
    }

    /// Returns the question about writing the opened file if it is outside the root and a control
    /// file is a link to it. For files below the root, see [`CallPath::about_writes`].
    pub(super) fn decide_outside_link(&self) -> Result<Decision, EarlyExit> {
        let is_below = |name: &&PathBuf| self.roots.iter().any(|root| name.starts_with(root));
        let Some(file) = self.names.last().filter(|name| !is_below(name)) else {
            return Ok(Decision::None);
        };
        let why = control_links::link_reason(file, &self.global)?;
        let name = file.as_os_str().as_encoded_bytes();
        Ok(why.map_or(Decision::None, |why| {
            Decision::Ask(question(name, Some(&why)))
        }))
    }

    /// Returns the decision without a matching rule for writing the opened file.
    pub(super) fn default_for_write(
        &self,
        silence: &DefaultDecision,
    ) -> Result<DefaultDecision, EarlyExit> {
        self.names.last().map_or_else(
            || Ok(silence.clone()),
            |file| silence.for_file(file, &self.global),
        )
    }

    /// Returns options with this directory as the root, if the directory is outside the root.
    pub(super) fn outside_directory(&self) -> Option<Global> {
        let is_below = |name: &&PathBuf| self.roots.iter().any(|root| name.starts_with(root));
        let opened = self.names.last().filter(|name| !is_below(name))?;
        let given_root = self
            .global
            .given_root
            .clone()
            .or_else(|| Some(self.global.root().to_owned()));
        let global = Global {
            root: Some(opened.clone()),
            given_root,
            ..self.global.clone()
        };
        fs_err::metadata(opened)
            .is_ok_and(|stat| stat.is_dir())
            .then_some(global)
    }

    /// Returns the decision of the rules on one path.
    fn decide_path(&self, name: &Path, file_use: FileUse) -> Result<Decision, EarlyExit> {
        let accesses = file_use.accesses(name);
        let below = self
            .roots
            .iter()
            .find_map(|root| name.strip_prefix(root).ok());
        let Some(below) = below else {
            return check_outside(name, accesses, &self.global).map(decide_refusal);
        };
        let Ok(path) = RelPath::new(&path_bytes(below)) else {
            return Ok(Decision::None);
        };
        Ok(decide_refusal(
            engine::check_accesses(
                &path,
                accesses,
                &policy(&self.global)?,
                &*open(&self.global)?,
            )
            .err(),
        ))
    }
}

/// Removes `.` and `..` lexically.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
