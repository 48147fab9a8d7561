//! Conversions between a work tree and an index: line endings, filters and encodings, as attributes
//! and configuration define them. git performs them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;

use super::super::objects::ObjectId;
use super::GitIndex;
use crate::path::{RelPath, os_str};
use crate::text::printable;
use crate::workspace::git::{Attribute, FilterDriver};
use crate::workspace::{ErrorKind, Result, WorkspaceError};

/// The attributes that change content; see "Checking-out and checking-in" in gitattributes(5).
const ATTRIBUTES: [&str; 6] = [
    "text",
    "crlf",
    "eol",
    "filter",
    "ident",
    "working-tree-encoding",
];
/// The number of leading [`ATTRIBUTES`] that mark a file as binary if they are unset.
const TEXT_ATTRIBUTES: usize = 2;

impl GitIndex {
    /// Returns the `paths` whose content can differ between work tree and index.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn converted_paths(&self, paths: &BTreeSet<RelPath>) -> Result<BTreeSet<RelPath>> {
        let asked: Vec<_> = paths.iter().collect();
        let attributes = self
            .git
            .attributes(&ATTRIBUTES, &asked)
            .map_err(|source| self.to_error(source))?;
        let is_text = self.has_config("core.autocrlf")? || self.has_config("core.eol")?;
        let is_converted = |values: &Vec<Attribute>| {
            let is_plain = values[..TEXT_ATTRIBUTES].contains(&Attribute::Unset);
            let is_other =
                |value: &Attribute| matches!(value, Attribute::Set | Attribute::Value(_));
            is_text && !is_plain || values.iter().any(is_other)
        };
        let converted = paths
            .iter()
            .zip(&attributes)
            .filter(|(_, values)| is_converted(values));
        Ok(converted.map(|(path, _)| path.clone()).collect())
    }

    /// Returns the `paths` to which a filter driver applies that is not allowed, each with its
    /// driver.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn denied_filters(
        &self,
        paths: &BTreeSet<RelPath>,
    ) -> Result<Vec<(RelPath, FilterDriver)>> {
        let asked: Vec<_> = paths.iter().collect();
        let attributes = self
            .git
            .attributes(&["filter"], &asked)
            .map_err(|source| self.to_error(source))?;
        let mut denied = Vec::new();
        for (path, values) in paths.iter().zip(&attributes) {
            let Attribute::Value(name) = &values[0] else {
                continue;
            };
            let driver = self
                .git
                .filter_driver(name)
                .map_err(|source| self.to_error(source))?;
            denied.extend(
                driver
                    .filter(|driver| !driver.is_allowed)
                    .map(|driver| (path.clone(), driver)),
            );
        }
        Ok(denied)
    }

    /// Returns whether git ignores the execute bits of files (`core.filemode` is false).
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn ignores_modes(&self) -> Result<bool> {
        self.git
            .config_bool("core.filemode")
            .map(|is_on| is_on == Some(false))
            .map_err(|source| self.to_error(source))
    }

    /// Returns whether symbolic links are regular files in the work tree (`core.symlinks` is
    /// false).
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn ignores_links(&self) -> Result<bool> {
        self.git
            .config_bool("core.symlinks")
            .map(|is_on| is_on == Some(false))
            .map_err(|source| self.to_error(source))
    }

    fn has_config(&self, key: &str) -> Result<bool> {
        self.git
            .config(key)
            .map(|value| value.is_some())
            .map_err(|source| self.to_error(source))
    }

    /// Returns the blob ID that each of `paths` would get if git added the current file of the work
    /// tree. Nothing is written. git does not read the index here, unlike in
    /// [`GitIndex::unchanged_paths`].
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read a file.
    pub fn hash_work_tree_files(&self, paths: &[RelPath]) -> Result<Vec<ObjectId>> {
        let (listed, alone): (Vec<_>, Vec<_>) = paths
            .iter()
            .partition(|path| is_plain(&self.full_name(path)));
        // git resolves these paths from the top of the work tree, whatever its current directory
        // is.
        let input: Vec<u8> = listed
            .iter()
            .flat_map(|path| [&self.full_name(path)[..], b"\n"].concat())
            .collect();
        let answer = self.run_or_fail(&["hash-object", "--stdin-paths"], None, &input)?;
        let ids: Vec<_> = answer
            .split(|&byte| byte == b'\n')
            .filter_map(ObjectId::from_hex)
            .collect();
        if ids.len() != listed.len() {
            return Err(self.answer_error());
        }
        let mut known = listed.into_iter().zip(ids);
        let id = |path| {
            if alone.contains(&path) {
                self.hash_work_tree_file(path)
            } else {
                Ok(known.next().map(|(_, id)| id))
            }
        };
        let ids: Vec<_> = paths.iter().map(id).collect::<Result<_>>()?;
        ids.into_iter()
            .map(|id| id.ok_or_else(|| self.answer_error()))
            .collect()
    }

    /// Does the same for a path that cannot be written as a line of a list.
    fn hash_work_tree_file(&self, path: &RelPath) -> Result<Option<ObjectId>> {
        let arguments = [
            OsString::from("hash-object"),
            OsString::from("--"),
            to_os_string(path.as_bytes())?,
        ];
        let answer = self
            .run(&arguments, None, b"", &self.interrupt)
            .map_err(|source| self.to_error(source))?;
        Ok(ObjectId::from_hex(answer.trim_ascii()))
    }

    /// Returns the `paths` whose file in the work tree matches the index. Unlike
    /// [`GitIndex::clean`], git then also reads attributes that are only in the index. It also
    /// keeps CR LF in a file that has CR LF in the index.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails.
    pub fn unchanged_paths(&self, paths: &BTreeSet<RelPath>) -> Result<BTreeSet<RelPath>> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        // In a subdirectory, git ignores index entries above it, including attribute files. Start
        // at the top.
        let top = "../".repeat(memchr::memchr_iter(b'/', &self.prefix).count());
        let list = self.run_or_fail(&["-C", &top, "ls-files", "-m", "-z"], None, b"")?;
        let below = list
            .split(|&byte| byte == 0)
            .filter_map(|name| name.strip_prefix(&self.prefix[..]));
        let modified: BTreeSet<_> = below.filter_map(|name| RelPath::new(name).ok()).collect();
        Ok(paths.difference(&modified).cloned().collect())
    }

    /// Returns the content of the existing blob `id` as it would be in the work tree at `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read the blob, or if a required filter fails.
    pub fn smudge(&self, path: &RelPath, id: ObjectId) -> Result<Vec<u8>> {
        let name = self.full_name(path);
        if !is_plain(&name) {
            return self.smudge_one(&name, id);
        }
        // git reads attributes from the index only after it has looked up a name there. The first
        // request does this, with a name that no entry has.
        let input = [&b":0:\n"[..], id.to_string().as_bytes(), b" ", &name, b"\n"].concat();
        let answer = self.run_or_fail(&["cat-file", "--batch", "--filters"], None, &input)?;
        let mut lines = answer.splitn(3, |&byte| byte == b'\n').skip(1);
        // The size in this line is that of the blob, not of the converted content.
        let is_there = lines
            .next()
            .is_some_and(|line| line.starts_with(format!("{id} blob ").as_bytes()));
        let contents = lines
            .next()
            .filter(|_| is_there)
            .and_then(|rest| rest.strip_suffix(b"\n"));
        contents
            .map(<[u8]>::to_vec)
            .ok_or_else(|| self.answer_error())
    }

    /// Does the same for a name that cannot be written as a line of a list. Attributes that are
    /// only in the index have no effect.
    fn smudge_one(&self, name: &[u8], id: ObjectId) -> Result<Vec<u8>> {
        let mut option = OsString::from("--path=");
        option.push(to_os_string(name)?);
        let arguments = [
            OsString::from("cat-file"),
            OsString::from("--filters"),
            option,
            id.to_string().into(),
        ];
        self.run(&arguments, None, b"", &self.interrupt)
            .map_err(|source| self.to_error(source))
    }
}

/// Returns whether git reads `name` unchanged from a line of a list.
fn is_plain(name: &[u8]) -> bool {
    !name.contains(&b'\n')
        && !name.ends_with(b"\r")
        && !matches!(name.first(), Some(b'"' | b' ' | b'\t'))
}

/// Returns `name` as an argument for git.
fn to_os_string(name: &[u8]) -> Result<OsString> {
    let error = || WorkspaceError {
        verb: "use",
        path: printable(name).to_string(),
        kind: ErrorKind::Unsupported,
        source: io::Error::other("the path is not valid UTF-8"),
    };
    os_str(name).map(OsStr::to_owned).ok_or_else(error)
}
