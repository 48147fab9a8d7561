//! Reads and writes git's index with git's own plumbing commands.
//!
//! | task | item |
//! | --- | --- |
//! | find the index | [`GitIndex::find`] |
//! | read its entries as a read-only workspace | [`GitIndex::read`], returns an [`IndexTree`] |
//! | add contents to the repository | [`BlobCollector::add`], then [`BlobCollector::write`] |
//! | change the entries in a copy of the index | [`GitIndex::rewrite`] |
//! | hash a file of the work tree as git does | [`GitIndex::hash_work_tree_files`] |
//! | convert a blob to a file of the work tree | [`GitIndex::smudge`] |
//!
//! The transaction locks the index and replaces it with the changed copy.
//!
//! Paths are relative to the root, which can be a subdirectory of the work tree. git runs no hooks
//! and no file system monitor here. A filter driver runs only if the attributes of a file name it,
//! and if the user's own configuration defines it or [`GitIndex::allow_filters`] names it.
//!
//! Read [`GitIndex`] first, then `staged.rs`.

mod blobs;
mod convert;
mod entry;
mod find;
mod flags;
mod git;
mod index_tree;
mod verbs;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::git::run_git;
use super::git::{Git, special_files};
use super::objects::Repository;
use super::{ErrorKind, Result, WorkspaceError};
use crate::digest::ObjectFormat;
use crate::interrupt::Interrupt;
use crate::mode::FileMode;
use crate::path::{RelPath, os_path, plain_path};

pub use blobs::BlobCollector;
pub use entry::{EntryFlag, IndexEntry, IndexUpdate, Stages};
pub use flags::INTENT_TO_ADD_REFUSED;
pub use index_tree::IndexTree;

/// The signature of an index file; see gitformat-index(5).
const SIGNATURE: &[u8] = b"DIRC";

/// The index of the repository that contains a root.
#[derive(Clone, Debug)]
pub struct GitIndex {
    root: PathBuf,
    file: PathBuf,
    /// The path from the top of the work tree to the root, with a final slash. Empty at the top.
    prefix: Vec<u8>,
    format: ObjectFormat,
    has_work_tree: bool,
    objects: Repository,
    git: Arc<Git>,
    interrupt: Interrupt,
}

/// Returns the directories of the entries in an output of `ls-files -s -z`, which is sorted.
fn parse_directories(list: &[u8]) -> Vec<PathBuf> {
    let names = list
        .split(|&byte| byte == 0)
        .filter_map(|entry| entry.splitn(2, |&byte| byte == b'\t').nth(1));
    let mut directories: Vec<_> = names
        .filter_map(|name| Some(&name[..memchr::memrchr(b'/', name)?]))
        .collect();
    directories.dedup();
    directories
        .into_iter()
        .filter_map(os_path)
        .map(Path::to_owned)
        .collect()
}

impl GitIndex {
    /// Allows the filter drivers `names`, even if the repository defines them; see
    /// [`Git::allow_filters`].
    #[must_use]
    pub fn allow_filters(self, names: &[String]) -> Self {
        let git = Git::with_index(&self.root, &self.file)
            .with_interrupt(&self.interrupt)
            .allow_filters(names);
        Self {
            git: Arc::new(git),
            ..self
        }
    }

    /// Returns the absolute path of the directory that contains the index file.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    /// Returns the name of the index file in its directory.
    #[must_use]
    pub fn name(&self) -> Vec<u8> {
        self.file
            .file_name()
            .unwrap_or_default()
            .as_encoded_bytes()
            .to_vec()
    }

    /// Returns whether the root is in a work tree, not in a bare repository or a git directory.
    #[must_use]
    pub fn has_work_tree(&self) -> bool {
        self.has_work_tree
    }

    /// Returns the hash function of object IDs.
    #[must_use]
    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    /// Returns the repository, for access to its objects.
    #[must_use]
    pub fn objects(&self) -> &Repository {
        &self.objects
    }

    /// Returns the handle that reads git's configuration and attributes for the root.
    #[must_use]
    pub fn git(&self) -> &Arc<Git> {
        &self.git
    }

    /// Returns whether the repository contains all blobs of `stages`. Commits of submodules are
    /// ignored, because they are in other repositories.
    #[must_use]
    pub fn has_blobs(&self, stages: &Stages) -> bool {
        let mut blobs = stages
            .0
            .values()
            .filter(|entry| entry.mode != FileMode::Submodule);
        blobs.all(|entry| self.objects.blob_size(entry.id).is_ok())
    }

    /// Returns the current entries.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read the index.
    pub fn read(&self) -> Result<IndexTree> {
        let list = self.run_or_fail(&["ls-files", "-s", "-v", "-z"], None, b"")?;
        let mut staged = IndexTree::of(&list, self).ok_or_else(|| self.answer_error())?;
        // Whenever git writes an index, it reads the attributes of each entry that it compares with
        // its file. A special attribute file would block it.
        let directories: Vec<_> = parse_directories(&list)
            .iter()
            .map(|directory| self.root.join(directory))
            .collect();
        let directories = directories
            .iter()
            .map(PathBuf::as_path)
            .chain([self.root.as_path()]);
        special_files::check_attributes(directories).map_err(|source| self.to_error(source))?;
        self.detect_intent_to_add(&mut staged)?;
        Ok(staged)
    }

    /// Applies `updates` to the index at `copy`, an absolute path. The file is a copy of this
    /// index, or does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot write the copy. Discard the copy then.
    pub fn rewrite(&self, copy: &Path, updates: &[IndexUpdate]) -> Result<()> {
        self.copy_modified_time(copy)
            .map_err(|source| self.to_error(source))?;
        // Removals come first, because they make room for new entries. The entry of a path that
        // gets conflict stages is removed too. Otherwise its stage 0 would remain next to them.
        let goes = updates
            .iter()
            .filter(|update| update.entry.is_none() || update.stage > 0);
        let goes: BTreeSet<_> = goes.map(|update| &update.path).collect();
        let removals = goes.into_iter().map(|path| IndexUpdate {
            path: path.clone(),
            entry: None,
            stage: 0,
        });
        let additions = updates
            .iter()
            .filter(|update| update.entry.is_some())
            .cloned();
        let input: Vec<u8> = removals
            .chain(additions)
            .flat_map(|update| self.format_update(&update))
            .collect();
        // A directory entry of a sparse index would remain next to a new entry below it; see
        // index.sparse in git-config(1).
        self.run_or_fail(
            &[
                "-c",
                "index.sparse=false",
                "update-index",
                "-z",
                "--index-info",
            ],
            Some(copy),
            &input,
        )?;
        self.set_intent_to_add(copy, updates)?;
        self.set_flags(copy, updates)
    }

    /// Copies the modification time of the index to a copy. git compares the content of files that
    /// are not older than the index; see "racy git" in its technical documentation.
    fn copy_modified_time(&self, copy: &Path) -> io::Result<()> {
        match fs::metadata(&self.file) {
            Ok(index) => File::options()
                .write(true)
                .open(copy)?
                .set_modified(index.modified()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes an index with only `entries` to `file`, outside of any transaction. The function
    /// replaces another index, but never this one.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Exists`] if `file` is this index, or a file that is not an index.
    /// Returns an error if `file` exists and cannot be read, or if git cannot write the file.
    pub fn write_new_index(&self, file: &Path, entries: &[IndexUpdate]) -> Result<()> {
        let is_this = file
            .canonicalize()
            .map(plain_path)
            .is_ok_and(|file| file == self.file);
        let is_replaceable = is_missing_or_index(file).map_err(|source| WorkspaceError {
            verb: "read",
            path: display_path(file),
            kind: ErrorKind::Other,
            source,
        })?;
        if is_this || !is_replaceable {
            let source = io::Error::other("another file exists at this path and was kept");
            return Err(WorkspaceError {
                verb: "write",
                path: display_path(file),
                kind: ErrorKind::Exists,
                source,
            });
        }
        let input: Vec<u8> = entries
            .iter()
            .flat_map(|update| self.format_update(update))
            .collect();
        self.run_or_fail(&["read-tree", "--empty"], Some(file), b"")?;
        self.run_or_fail(&["update-index", "-z", "--index-info"], Some(file), &input)
            .map(drop)
    }

    /// Lets git record the current attributes of the files in the work tree, so that unchanged
    /// files do not look changed. Errors are ignored, because git refreshes the index at its next
    /// use. An interrupt does not end this run: a killed git would leave its lock file of the
    /// index.
    pub fn refresh(&self) {
        let arguments = ["update-index", "-q", "--refresh"].map(OsString::from);
        let _ = self.run(&arguments, None, b"", &Interrupt::new());
    }

    /// Returns a line in the input format of `update-index --index-info`.
    fn format_update(&self, update: &IndexUpdate) -> Vec<u8> {
        let head = match update.entry {
            Some(entry) => format!("{} {} {}\t", entry.mode, entry.id, update.stage),
            None => format!("0 {}\t", "0".repeat(self.format.hex_length())),
        };
        [head.as_bytes(), &self.full_name(&update.path), b"\0"].concat()
    }

    /// Returns `path` relative to the top of the work tree.
    fn full_name(&self, path: &RelPath) -> Vec<u8> {
        [&self.prefix, path.as_bytes()].concat()
    }

    fn run_or_fail(
        &self,
        arguments: &[&str],
        index: Option<&Path>,
        input: &[u8],
    ) -> Result<Vec<u8>> {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        self.run(&arguments, index, input, &self.interrupt)
            .map_err(|source| self.to_error(source))
    }

    /// Runs git with `arguments`. git runs no filter driver that is not allowed.
    fn run(
        &self,
        arguments: &[OsString],
        index: Option<&Path>,
        input: &[u8],
        interrupt: &Interrupt,
    ) -> io::Result<Vec<u8>> {
        let arguments = [&self.git.options_without_filters()?, arguments].concat();
        run_git(&self.root, &arguments, index, input, interrupt)
    }

    fn answer_error(&self) -> WorkspaceError {
        self.to_error(io::Error::other("git printed an unexpected answer"))
    }

    fn to_error(&self, source: io::Error) -> WorkspaceError {
        WorkspaceError {
            verb: "use",
            path: display_path(&self.file),
            kind: ErrorKind::Other,
            source,
        }
    }
}

/// Returns whether the file at `path` is missing, empty, or an index; see gitformat-index(5).
fn is_missing_or_index(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    }
    let mut start = Vec::new();
    File::open(path)?
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut start)?;
    Ok(SIGNATURE.starts_with(&start))
}

fn display_path(path: &Path) -> String {
    crate::text::printable(path.as_os_str().as_encoded_bytes()).to_string()
}
