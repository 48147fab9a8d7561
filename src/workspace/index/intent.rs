//! Entries that only say that a file is going to be added: git has them for an empty file, with a flag that no list of
//! entries tells.

use std::collections::BTreeSet;

use super::{GitIndex, IndexEntry, Staged, Update, path_of};
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::workspace::Result;
use crate::workspace::objects::ObjectId;

impl GitIndex {
    /// Returns the entry that says that a file is going to be added.
    #[must_use]
    pub fn intention(&self) -> Option<IndexEntry> {
        let id = ObjectId::from_hex(blob_id(b"", self.format).as_bytes())?;
        Some(IndexEntry { mode: FileMode::Regular, id })
    }

    /// Notes in the index at `copy`, as [`GitIndex::rewrite`] takes it, that `paths`, which it does not have, are going to
    /// be added.
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot write it; then `copy` has to be given up.
    pub fn intend(&self, copy: &RelPath, paths: &[RelPath]) -> Result<()> {
        let update = |path: &RelPath| Update { path: path.clone(), entry: self.intention(), stage: 0 };
        self.rewrite(copy, &paths.iter().map(update).collect::<Vec<_>>())?;
        let copy = self.root.join(path_of(copy.as_bytes()).unwrap_or_default());
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
        // What is in the index and not in the tree that it is reset to stays as an intention.
        let arguments = ["--literal-pathspecs", "reset", "-q", "-N", self.nothing()];
        let arguments = [&arguments[..], &["--pathspec-from-file=-", "--pathspec-file-nul"]].concat();
        self.ask(&arguments, Some(&copy), &input).map(drop)
    }

    /// Returns those of `staged` that are only going to be added. git is asked if there is an empty file at all.
    pub(super) fn intended(&self, staged: &Staged) -> Result<BTreeSet<RelPath>> {
        let empty = self.intention().map(|entry| entry.id);
        let is_empty = |entry: &IndexEntry| Some(entry.id) == empty;
        let mut found: BTreeSet<_> =
            staged.entries.iter().filter(|(_, entry)| is_empty(entry)).map(|(path, _)| path.clone()).collect();
        if found.is_empty() {
            return Ok(found);
        }
        let options = ["diff-index", "--cached", "--ita-invisible-in-index", "--no-renames", "--relative"];
        let list = self.ask(&[&options[..], &["--name-only", "-z", self.nothing()]].concat(), None, b"")?;
        for path in list.split(|&byte| byte == 0).filter_map(|name| RelPath::new(name).ok()) {
            found.remove(&path);
        }
        Ok(found)
    }

    /// Returns the name of the tree that has nothing in it, which git knows in every repository.
    fn nothing(&self) -> &'static str {
        match self.format {
            ObjectFormat::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            ObjectFormat::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }
}
