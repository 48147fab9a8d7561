//! The attributes of paths, from `.gitattributes` and git's other attribute files.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use bstr::ByteSlice;

use super::config_files::{
    LowercaseContents, RepositoryPaths, RepositorySearch, common_attribute_files,
};
use super::environment::directory_of;
use super::{Git, process, special_files};
use crate::mutex::lock_unpoisoned;
use crate::path::{RelPath, plain_path};
use crate::process::Timeout;

/// The name of attribute files in a tree.
const ATTRIBUTE_FILE: &str = ".gitattributes";
/// The attributes that git's built-in macro `binary` unsets.
const BINARY_MACRO_ATTRIBUTES: [&str; 3] = ["diff", "merge", "text"];
/// The limit on the directories that are searched. Above it, git is run.
const MAX_DIRECTORIES: usize = 2000;

/// A path that does not exist. git treats a missing index as empty.
const NO_INDEX: &str = "/nonexistent/index";

/// The state of an attribute of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attribute {
    /// No attribute file mentions it.
    #[default]
    Unspecified,
    /// The attribute is set.
    Set,
    /// The attribute is unset.
    Unset,
    /// The attribute has this value.
    Value(Vec<u8>),
}

/// The attribute files read last.
#[derive(Debug, Default)]
pub(super) struct AttributeFiles {
    names: Vec<PathBuf>,
    texts: Option<LowercaseContents>,
}

impl AttributeFiles {
    /// Returns the texts of the files `names`, or `None` if the effect of a file on git is unknown.
    fn read(&mut self, names: Vec<PathBuf>) -> Option<&LowercaseContents> {
        if self.names != names {
            let mut texts = LowercaseContents::default();
            let are_read = names.iter().all(|name| texts.read(name).is_some());
            (self.names, self.texts) = (names, are_read.then_some(texts));
        }
        self.texts.as_ref()
    }
}

impl Git {
    /// Returns the attributes `names` of each of `paths`, which are below the directory. git is run
    /// once for all paths, and only if an attribute file contains one of the names.
    ///
    /// # Errors
    ///
    /// Returns git's reason if it is run and fails.
    pub fn attributes(
        &self,
        names: &[&str],
        paths: &[&RelPath],
    ) -> io::Result<Vec<Vec<Attribute>>> {
        if paths.is_empty() || !self.can_have_attributes(names, paths)? {
            return Ok(vec![vec![Attribute::Unspecified; names.len()]; paths.len()]);
        }
        let below = paths
            .iter()
            .filter_map(|path| std::str::from_utf8(path.parent_bytes()?).ok());
        let below: Vec<_> = below.map(|path| self.directory.join(path)).collect();
        special_files::check_attributes(
            below
                .iter()
                .map(PathBuf::as_path)
                .chain([self.directory.as_path()]),
        )?;
        let input = paths
            .iter()
            .flat_map(|path| [path.as_bytes(), b"\0"].concat())
            .collect();
        let mut command = self.check_attr_command(names)?;
        let answer = process::run(
            &mut command,
            input,
            Timeout {
                limit: process::GIT_TIMEOUT,
                interrupt: self.interrupt.clone(),
            },
        )?;
        let values: Vec<_> = answer
            .split(|&byte| byte == 0)
            .skip(2)
            .step_by(3)
            .map(parse_attribute)
            .collect();
        if values.len() != names.len() * paths.len() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "git printed an unexpected answer",
            ));
        }
        Ok(values
            .chunks(names.len().max(1))
            .map(<[_]>::to_vec)
            .collect())
    }

    /// Returns the command that prints the attributes `names` of the paths in its input.
    fn check_attr_command(&self, names: &[&str]) -> io::Result<Command> {
        let arguments: Vec<_> = ["check-attr", "-z", "--stdin"]
            .iter()
            .chain(names)
            .copied()
            .collect();
        let mut command = process::command(&self.directory, &arguments)?;
        if self.index.is_none() {
            // `git apply` reads attributes from the index only with `--index` and `--cached`.
            command.env("GIT_INDEX_FILE", NO_INDEX);
        }
        if self.is_outside_work_tree()? {
            // `git check-attr` requires a work tree. `git apply` reads attributes as if the
            // directory were one.
            command.env("GIT_WORK_TREE", ".");
        }
        Ok(command)
    }

    /// Returns whether the directory belongs to a repository whose work tree does not contain it.
    fn is_outside_work_tree(&self) -> io::Result<bool> {
        match directory_of("GIT_WORK_TREE").filter(|top| !top.as_os_str().is_empty()) {
            Some(top) => {
                let top = fs_err::canonicalize(top).map(plain_path).ok();
                let directory = fs_err::canonicalize(&self.directory).map(plain_path)?;
                Ok(top.is_none_or(|top| !directory.starts_with(top)))
            }
            None => Ok(*self.discover() == RepositorySearch::InGitDirectory
                && self.config_bool("core.bare")? != Some(true)),
        }
    }

    /// Returns whether an attribute file that applies to one of `paths` contains one of `words`,
    /// which must be in lower case. Also returns true if only git knows which files apply.
    ///
    /// # Errors
    ///
    /// Returns an error if git is run to read the configuration and fails.
    pub fn can_mention(&self, words: &[&str], paths: &[&RelPath]) -> io::Result<bool> {
        Ok(!paths.is_empty() && self.can_have_attributes(words, paths)?)
    }

    /// Returns whether an attribute file that applies to one of `paths` contains one of `names`.
    /// Also returns true if only git knows which files apply.
    fn can_have_attributes(&self, names: &[&str], paths: &[&RelPath]) -> io::Result<bool> {
        let place = match self.discover() {
            RepositorySearch::Nowhere => return Ok(false),
            RepositorySearch::InWorkTree(place) => place,
            RepositorySearch::InGitDirectory | RepositorySearch::Undetermined => return Ok(true),
        };
        let is_elsewhere = ["GIT_ATTR_SOURCE", "GIT_WORK_TREE"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        if is_elsewhere
            || self.config("core.attributesfile")?.is_some()
            || self.config("attr.tree")?.is_some()
        {
            return Ok(true);
        }
        let Some(of_tree) = attribute_files_of_tree(place, paths) else {
            return Ok(true);
        };
        let mut files = lock_unpoisoned(&self.attribute_files);
        let Some(texts) = files.read(common_attribute_files(place).chain(of_tree).collect()) else {
            return Ok(true);
        };
        let is_said = |name: &&str| texts.contains(&name.to_ascii_lowercase());
        let is_macro = names
            .iter()
            .any(|name| BINARY_MACRO_ATTRIBUTES.contains(name))
            && is_said(&"binary");
        Ok(is_macro || names.iter().any(is_said) || self.can_have_staged_attributes(paths))
    }

    /// Returns whether the index may contain an attribute file that applies to one of `paths` and
    /// is not in the work tree.
    #[must_use]
    pub fn can_have_staged_attributes(&self, paths: &[&RelPath]) -> bool {
        let Some(index) = &self.index else {
            return false;
        };
        match self.discover() {
            RepositorySearch::Nowhere => false,
            RepositorySearch::InWorkTree(place) => attribute_files_of_tree(place, paths)
                .is_none_or(|files| can_be_staged(index, &place.top, files)),
            RepositorySearch::InGitDirectory | RepositorySearch::Undetermined => true,
        }
    }
}

/// Returns the `.gitattributes` paths of all directories from the top down to each of `paths`.
/// Returns `None` if there are too many directories, or if a name is not UTF-8.
fn attribute_files_of_tree(
    RepositoryPaths { top, directory, .. }: &RepositoryPaths,
    paths: &[&RelPath],
) -> Option<impl Iterator<Item = PathBuf> + use<>> {
    let mut directories: BTreeSet<_> = directory
        .ancestors()
        .take_while(|above| above.starts_with(top))
        .collect();
    let below: HashSet<_> = paths
        .iter()
        .filter_map(|path| path.parent_bytes())
        .collect();
    let joined = |path| Some(directory.join(std::str::from_utf8(path).ok()?));
    let below: Vec<_> = below.into_iter().map(joined).collect::<Option<_>>()?;
    for path in &below {
        directories.extend(path.ancestors().take_while(|above| *above != directory));
        if directories.len() > MAX_DIRECTORIES {
            return None;
        }
    }
    Some(
        directories
            .into_iter()
            .map(|directory| directory.join(ATTRIBUTE_FILE))
            .collect::<Vec<_>>()
            .into_iter(),
    )
}

/// Returns whether one of `files`, which are below `top`, may be only in `index`.
fn can_be_staged(index: &Path, top: &Path, files: impl Iterator<Item = PathBuf>) -> bool {
    let missing: Vec<_> = files
        .filter(|file| fs_err::symlink_metadata(file).is_err())
        .collect();
    if missing.is_empty() {
        return false;
    }
    let bytes = match fs_err::read(index) {
        Ok(bytes) => bytes,
        Err(error) => return error.kind() != io::ErrorKind::NotFound,
    };
    // Versions 2 and 3 of the index contain each name in full, followed by a NUL. Names can be
    // missing in a split index (`link`) and in a sparse index (`sdir`); see gitformat-index(5).
    let is_whole = matches!(bytes.get(..8), Some([.., 2 | 3]));
    let has = |name: &[u8]| bytes.contains_str([name, b"\0"].concat());
    let is_named = |file: &PathBuf| {
        has(file
            .strip_prefix(top)
            .unwrap_or(file)
            .as_os_str()
            .as_encoded_bytes())
    };
    !is_whole
        || has(b"link")
        || has(b"sdir")
        || has(ATTRIBUTE_FILE.as_bytes()) && missing.iter().any(is_named)
}

fn parse_attribute(value: &[u8]) -> Attribute {
    match value {
        b"unspecified" => Attribute::Unspecified,
        b"set" => Attribute::Set,
        b"unset" => Attribute::Unset,
        value => Attribute::Value(value.to_vec()),
    }
}
