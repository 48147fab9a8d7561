//! Between a work tree and an index: line ends, filters, encodings, as the attributes of a file and
//! the configuration of git ask for them. Only git knows how.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::super::objects::ObjectId;
use super::GitIndex;
use crate::path::RelPath;
use crate::workspace::Result;
use crate::workspace::git::{Attribute, FilterDriver};

/// The attributes that make contents differ; see "Checking-out and checking-in" in
/// gitattributes(5).
const ATTRIBUTES: [&str; 6] = [
    "text",
    "crlf",
    "eol",
    "filter",
    "ident",
    "working-tree-encoding",
];
/// How many of them say, if they are off, that a file is no text.
const TEXT: usize = 2;

impl GitIndex {
    /// Returns those of `paths` whose contents may be other in the work tree than in the index.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot tell.
    pub fn converted(&self, paths: &BTreeSet<RelPath>) -> Result<BTreeSet<RelPath>> {
        let asked: Vec<_> = paths.iter().collect();
        let attributes = self
            .git
            .attributes(&ATTRIBUTES, &asked)
            .map_err(|source| self.failed(source))?;
        let is_text = self.says("core.autocrlf")? || self.says("core.eol")?;
        let is_converted = |values: &Vec<Attribute>| {
            let is_plain = values[..TEXT].contains(&Attribute::Unset);
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

    /// Returns those of `paths` that a filter driver converts which is not allowed, with that
    /// driver.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot be asked.
    pub fn denied_filters(
        &self,
        paths: &BTreeSet<RelPath>,
    ) -> Result<Vec<(RelPath, FilterDriver)>> {
        let asked: Vec<_> = paths.iter().collect();
        let attributes = self
            .git
            .attributes(&["filter"], &asked)
            .map_err(|source| self.failed(source))?;
        let mut denied = Vec::new();
        for (path, values) in paths.iter().zip(&attributes) {
            let Attribute::Value(name) = &values[0] else {
                continue;
            };
            let driver = self
                .git
                .filter_driver(name)
                .map_err(|source| self.failed(source))?;
            denied.extend(
                driver
                    .filter(|driver| !driver.is_allowed)
                    .map(|driver| (path.clone(), driver)),
            );
        }
        Ok(denied)
    }

    /// Returns whether the execute bits of files mean nothing here.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot tell.
    pub fn ignores_modes(&self) -> Result<bool> {
        self.git
            .is_on("core.filemode")
            .map(|is_on| is_on == Some(false))
            .map_err(|source| self.failed(source))
    }

    /// Returns whether symbolic links are regular files in the work tree.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot tell.
    pub fn ignores_links(&self) -> Result<bool> {
        self.git
            .is_on("core.symlinks")
            .map(|is_on| is_on == Some(false))
            .map_err(|source| self.failed(source))
    }

    fn says(&self, key: &str) -> Result<bool> {
        self.git
            .config(key)
            .map(|value| value.is_some())
            .map_err(|source| self.failed(source))
    }

    /// Returns the blob that each of `paths` would be, if git added the file that is in the work
    /// tree now. Nothing is written. git does not look at the index: see [`GitIndex::unchanged`].
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read one of them.
    pub fn cleaned(&self, paths: &[RelPath]) -> Result<Vec<ObjectId>> {
        let (listed, alone): (Vec<_>, Vec<_>) = paths
            .iter()
            .partition(|path| is_plain(&self.full_name(path)));
        // git counts them from the top, wherever it is started.
        let input: Vec<u8> = listed
            .iter()
            .flat_map(|path| [&self.full_name(path)[..], b"\n"].concat())
            .collect();
        let answer = self.ask(&["hash-object", "--stdin-paths"], None, &input)?;
        let ids: Vec<_> = answer
            .split(|&byte| byte == b'\n')
            .filter_map(ObjectId::from_hex)
            .collect();
        if ids.len() != listed.len() {
            return Err(self.unknown());
        }
        let mut known = listed.into_iter().zip(ids);
        let id = |path| {
            if alone.contains(&path) {
                self.cleaned_alone(path)
            } else {
                Ok(known.next().map(|(_, id)| id))
            }
        };
        let ids: Vec<_> = paths.iter().map(id).collect::<Result<_>>()?;
        ids.into_iter()
            .map(|id| id.ok_or_else(|| self.unknown()))
            .collect()
    }

    /// Does the same for a path that no list of lines can have.
    fn cleaned_alone(&self, path: &RelPath) -> Result<Option<ObjectId>> {
        let arguments = [
            OsString::from("hash-object"),
            OsString::from("--"),
            named(path.as_bytes()),
        ];
        let answer = self
            .run(&arguments, None, b"", &self.interrupt)
            .map_err(|source| self.failed(source))?;
        Ok(ObjectId::from_hex(answer.trim_ascii()))
    }

    /// Returns those of `paths` that are in the work tree as the index has them. In contrast to
    /// [`GitIndex::cleaned`], git then also reads attributes that are in the index alone, and keeps
    /// CR LF in a file that has it in the index.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot tell.
    pub fn unchanged(&self, paths: &BTreeSet<RelPath>) -> Result<BTreeSet<RelPath>> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        // In a directory git forgets what the index has above it, attributes as well.
        let top = "../".repeat(memchr::memchr_iter(b'/', &self.prefix).count());
        let list = self.ask(&["-C", &top, "ls-files", "-m", "-z"], None, b"")?;
        let below = list
            .split(|&byte| byte == 0)
            .filter_map(|name| name.strip_prefix(&self.prefix[..]));
        let modified: BTreeSet<_> = below.filter_map(|name| RelPath::new(name).ok()).collect();
        Ok(paths.difference(&modified).cloned().collect())
    }

    /// Returns what the blob `id`, which is there, is in the work tree under the name `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read it, or a filter fails that has to work.
    pub fn smudged(&self, path: &RelPath, id: ObjectId) -> Result<Vec<u8>> {
        let name = self.full_name(path);
        if !is_plain(&name) {
            return self.smudged_alone(&name, id);
        }
        // It reads attributes from the index once it has looked for a name there, which none has
        // here.
        let input = [&b":0:\n"[..], id.to_string().as_bytes(), b" ", &name, b"\n"].concat();
        let answer = self.ask(&["cat-file", "--batch", "--filters"], None, &input)?;
        let mut lines = answer.splitn(3, |&byte| byte == b'\n').skip(1);
        // The size that stands there is that of the blob.
        let is_there = lines
            .next()
            .is_some_and(|line| line.starts_with(format!("{id} blob ").as_bytes()));
        let contents = lines
            .next()
            .filter(|_| is_there)
            .and_then(|rest| rest.strip_suffix(b"\n"));
        contents.map(<[u8]>::to_vec).ok_or_else(|| self.unknown())
    }

    /// Does the same for a name that no list of lines can have; attributes that are in the index
    /// alone do not count.
    fn smudged_alone(&self, name: &[u8], id: ObjectId) -> Result<Vec<u8>> {
        let mut option = OsString::from("--path=");
        option.push(named(name));
        let arguments = [
            OsString::from("cat-file"),
            OsString::from("--filters"),
            option,
            id.to_string().into(),
        ];
        self.run(&arguments, None, b"", &self.interrupt)
            .map_err(|source| self.failed(source))
    }
}

/// Returns whether git reads `name` as it is from a line of a list.
fn is_plain(name: &[u8]) -> bool {
    !name.contains(&b'\n')
        && !name.ends_with(b"\r")
        && !matches!(name.first(), Some(b'"' | b' ' | b'\t'))
}

fn named(name: &[u8]) -> OsString {
    super::git::path_of(name)
        .unwrap_or_default()
        .into_os_string()
}
