//! Entries that only say that a file is going to be added: git has them for an empty file, with a flag that no list of
//! entries tells.

use std::collections::BTreeSet;
use std::path::Path;

use super::{GitIndex, IndexEntry, Staged, Update};
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
        Some(IndexEntry { is_intended: true, ..IndexEntry::new(FileMode::Regular, id) })
    }

    /// Lets the index at `copy`, which has `updates`, say of those that are only intended that they are.
    pub(super) fn intend(&self, copy: &Path, updates: &[Update]) -> Result<()> {
        let intended = updates.iter().filter(|update| update.entry.is_some_and(|entry| entry.is_intended));
        let input: Vec<u8> = intended.flat_map(|update| [update.path.as_bytes(), b"\0"].concat()).collect();
        if input.is_empty() {
            return Ok(());
        }
        // What is in the index and not in the tree that it is reset to stays as an intention.
        let arguments = ["--literal-pathspecs", "reset", "-q", "-N", self.nothing()];
        let arguments = [&arguments[..], &["--pathspec-from-file=-", "--pathspec-file-nul"]].concat();
        self.ask(&arguments, Some(copy), &input).map(drop)
    }

    /// Notes which entries of `staged` are only intended. git is asked if there is an empty file at all.
    pub(super) fn note_intended(&self, staged: &mut Staged) -> Result<()> {
        let empty = self.intention().map(|entry| entry.id);
        let is_empty = |entry: &IndexEntry| Some(entry.id) == empty;
        let mut found: BTreeSet<_> =
            staged.entries.iter().filter(|(_, entry)| is_empty(entry)).map(|(path, _)| path.clone()).collect();
        if found.is_empty() {
            return Ok(());
        }
        let options = ["diff-index", "--cached", "--ita-invisible-in-index", "--no-renames", "--relative"];
        let list = self.ask(&[&options[..], &["--name-only", "-z", self.nothing()]].concat(), None, b"")?;
        for path in list.split(|&byte| byte == 0).filter_map(|name| RelPath::new(name).ok()) {
            found.remove(&path);
        }
        for path in found {
            staged.entries.entry(path).and_modify(|entry| entry.is_intended = true);
        }
        Ok(())
    }

    /// Returns the name of the tree that has nothing in it, which git knows in every repository.
    fn nothing(&self) -> &'static str {
        match self.format {
            ObjectFormat::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            ObjectFormat::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }
}
