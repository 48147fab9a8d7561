//! git's index: what it holds, and what it is to hold, by git's own plumbing.
//!
//! | what | here |
//! | --- | --- |
//! | where it is | [`GitIndex::around`] |
//! | its entries, as a [`Workspace`](super::Workspace) that can be read | [`GitIndex::read`], which returns a [`Staged`] |
//! | new contents for it | [`Blobs`], written by [`Blobs::write`]: nothing is written before |
//! | new entries for it | [`GitIndex::rewrite`], which works on a copy: whose lock that is, and when it takes the place of the index, is for the transaction |
//! | a file of the work tree as git would add it, and the other way round | [`GitIndex::cleaned`], [`GitIndex::smudged`] |
//!
//! Paths are those below the root, which may be a directory of the work tree; git has its own view
//! of what is outside. git runs no hook and no monitor of files here. A filter driver runs if the
//! attributes of a file name it, and only if the user's own configuration defines it or
//! [`GitIndex::allow_filters`] names it.

mod blobs;
mod convert;
mod entry;
mod find;
mod git;
mod marks;
mod staged;
mod verbs;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::git::{answered, path_of};
use super::git::{Git, special};
use super::objects::Repository;
use super::{Fault, Result, WorkspaceError};
use crate::digest::ObjectFormat;
use crate::interrupt::Interrupt;
use crate::mode::FileMode;
use crate::path::RelPath;

pub use blobs::Blobs;
pub use entry::{IndexEntry, Mark, Stages, Update};
pub use marks::SPOILING;
pub use staged::Staged;

/// How an index begins.
const SIGNATURE: &[u8] = b"DIRC";

/// The index of the repository that a root is in.
#[derive(Clone, Debug)]
pub struct GitIndex {
    root: PathBuf,
    file: PathBuf,
    /// From the top of the work tree to the root, with a slash at the end; or nothing.
    prefix: Vec<u8>,
    format: ObjectFormat,
    has_work_tree: bool,
    objects: Repository,
    git: Arc<Git>,
    interrupt: Interrupt,
}

/// Returns the directories of the entries in an answer of `ls-files -s -z`, which is sorted.
fn directories(list: &[u8]) -> Vec<PathBuf> {
    let names = list
        .split(|&byte| byte == 0)
        .filter_map(|entry| entry.splitn(2, |&byte| byte == b'\t').nth(1));
    let mut directories: Vec<_> = names
        .filter_map(|name| Some(&name[..memchr::memrchr(b'/', name)?]))
        .collect();
    directories.dedup();
    directories.into_iter().filter_map(path_of).collect()
}

impl GitIndex {
    /// Allows the filter drivers `names`, even if the repository defines them; see
    /// [`Git::allow_filters`].
    #[must_use]
    pub fn allow_filters(self, names: &[String]) -> Self {
        let git = Git::with_index(&self.root, &self.file)
            .interrupted_by(&self.interrupt)
            .allow_filters(names);
        Self {
            git: Arc::new(git),
            ..self
        }
    }

    /// Returns the directory that it is in, absolute.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    /// Returns its name there.
    #[must_use]
    pub fn name(&self) -> Vec<u8> {
        self.file
            .file_name()
            .unwrap_or_default()
            .as_encoded_bytes()
            .to_vec()
    }

    /// Returns whether the root is in a work tree, and not in a bare repository or a git directory.
    #[must_use]
    pub fn has_work_tree(&self) -> bool {
        self.has_work_tree
    }

    /// Returns how objects are named.
    #[must_use]
    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    /// Returns the repository, for its objects.
    #[must_use]
    pub fn objects(&self) -> &Repository {
        &self.objects
    }

    /// Returns what git says of the root.
    #[must_use]
    pub fn git(&self) -> &Arc<Git> {
        &self.git
    }

    /// Returns whether the repository has the contents of all of `stages`; commits of submodules
    /// are in others.
    #[must_use]
    pub fn has(&self, stages: &Stages) -> bool {
        let mut blobs = stages
            .0
            .values()
            .filter(|entry| entry.mode != FileMode::Submodule);
        blobs.all(|entry| self.objects.blob_size(entry.id).is_ok())
    }

    /// Returns what it holds now.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read it.
    pub fn read(&self) -> Result<Staged> {
        let list = self.ask(&["ls-files", "-s", "-v", "-z"], None, b"")?;
        let mut staged = Staged::of(&list, self).ok_or_else(|| self.unknown())?;
        // git reads the attributes of each entry that it compares with its file, whenever it writes
        // an index.
        let directories: Vec<_> = directories(&list)
            .iter()
            .map(|directory| self.root.join(directory))
            .collect();
        let directories = directories
            .iter()
            .map(PathBuf::as_path)
            .chain([self.root.as_path()]);
        special::check_attributes(directories).map_err(|source| self.failed(source))?;
        self.note_intended(&mut staged)?;
        Ok(staged)
    }

    /// Makes `updates` true in the index at `copy`, an absolute name, which is a copy of this one
    /// or not there.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot write it; then `copy` has to be given up.
    pub fn rewrite(&self, copy: &Path, updates: &[Update]) -> Result<()> {
        self.date(copy).map_err(|source| self.failed(source))?;
        // What goes makes room for what comes; an entry stays beside the stages of a conflict
        // unless it goes.
        let goes = updates
            .iter()
            .filter(|update| update.entry.is_none() || update.stage > 0);
        let goes: BTreeSet<_> = goes.map(|update| &update.path).collect();
        let gone = goes.into_iter().map(|path| Update {
            path: path.clone(),
            entry: None,
            stage: 0,
        });
        let comes = updates
            .iter()
            .filter(|update| update.entry.is_some())
            .cloned();
        let input: Vec<u8> = gone
            .chain(comes)
            .flat_map(|update| self.line(&update))
            .collect();
        // A directory that stands for its files would stay beside one of them that is put in:
        // git-config(1), index.sparse.
        self.ask(
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
        self.intend(copy, updates)?;
        self.mark(copy, updates)
    }

    /// Gives a copy the time of the index: git looks again at files that are as young as that, see
    /// "racy git" in its technical documentation.
    fn date(&self, copy: &Path) -> io::Result<()> {
        match fs::metadata(&self.file) {
            Ok(index) => File::options()
                .write(true)
                .open(copy)?
                .set_modified(index.modified()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes an index with nothing but `entries` to `file`, which is outside of any transaction.
    /// Another one gives way to it, but for this one.
    ///
    /// # Errors
    ///
    /// [`Fault::Exists`] if a file is there that is to stay. Returns an error if git cannot write
    /// it.
    pub fn write_alone(&self, file: &Path, entries: &[Update]) -> Result<()> {
        let is_this = file.canonicalize().is_ok_and(|file| file == self.file);
        if is_this || !is_index(file).unwrap_or(true) {
            let source = io::Error::other("another file is there, which stays");
            return Err(WorkspaceError {
                verb: "write",
                path: shown(file),
                fault: Fault::Exists,
                source,
            });
        }
        let input: Vec<u8> = entries
            .iter()
            .flat_map(|update| self.line(update))
            .collect();
        self.ask(&["read-tree", "--empty"], Some(file), b"")?;
        self.ask(&["update-index", "-z", "--index-info"], Some(file), &input)
            .map(drop)
    }

    /// Lets git note what the files of the work tree are now, so that none of them looks changed
    /// that is not. Nobody minds if it cannot: it is done at the next look. Whoever wants to stop
    /// waits for it: a git that is killed leaves its lock of the index behind.
    pub fn refresh(&self) {
        let arguments = ["update-index", "-q", "--refresh"].map(OsString::from);
        let _ = self.run(&arguments, None, b"", &Interrupt::new());
    }

    /// Returns a line as `update-index --index-info` reads them.
    fn line(&self, update: &Update) -> Vec<u8> {
        let head = match update.entry {
            Some(entry) => format!("{} {} {}\t", entry.mode, entry.id, update.stage),
            None => format!("0 {}\t", "0".repeat(self.format.hex_length())),
        };
        [head.as_bytes(), &self.full_name(&update.path), b"\0"].concat()
    }

    /// Returns the name that `path` has from the top of the work tree on.
    fn full_name(&self, path: &RelPath) -> Vec<u8> {
        [&self.prefix, path.as_bytes()].concat()
    }

    fn ask(&self, arguments: &[&str], index: Option<&Path>, input: &[u8]) -> Result<Vec<u8>> {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        self.run(&arguments, index, input, &self.interrupt)
            .map_err(|source| self.failed(source))
    }

    /// Runs git with `arguments`. It runs no filter driver that is not allowed, for any file that
    /// it looks at.
    fn run(
        &self,
        arguments: &[OsString],
        index: Option<&Path>,
        input: &[u8],
        interrupt: &Interrupt,
    ) -> io::Result<Vec<u8>> {
        let arguments = [&self.git.without_filters()?, arguments].concat();
        answered(&self.root, &arguments, index, input, interrupt)
    }

    fn unknown(&self) -> WorkspaceError {
        self.failed(io::Error::other("git answers in an unknown way"))
    }

    fn failed(&self, source: io::Error) -> WorkspaceError {
        WorkspaceError {
            verb: "use",
            path: shown(&self.file),
            fault: Fault::Other,
            source,
        }
    }
}

/// Returns whether the file at `path` is an index, or empty; see gitformat-index(5).
fn is_index(path: &Path) -> io::Result<bool> {
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)?
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut start)?;
    Ok(SIGNATURE.starts_with(&start))
}

fn shown(path: &Path) -> String {
    crate::text::printable(path.as_os_str().as_encoded_bytes()).to_string()
}
