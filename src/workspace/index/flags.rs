//! The flags of index entries. git sets each of them with its own option.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::{EntryFlag, GitIndex, IndexEntry, IndexTree, IndexUpdate};
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::workspace::Result;
use crate::workspace::objects::ObjectId;

/// The options of `update-index` that set flags. `--skip-worktree` comes last: if the file exists
/// in the work tree, any git that reads the index clears that flag.
const OPTIONS: [(EntryFlag, &str); 2] = [
    (EntryFlag::AssumeUnchanged, "--assume-unchanged"),
    (EntryFlag::SkipWorktree, "--skip-worktree"),
];

/// The reason why an intent-to-add entry is refused; see [`GitIndex::can_add_intent`].
pub const INTENT_TO_ADD_REFUSED: &str =
    "git crashes on an intent-to-add entry in a directory of a sparse index";

impl IndexEntry {
    /// Returns whether this is an intent-to-add entry.
    #[must_use]
    pub fn is_intent_to_add(&self) -> bool {
        self.flag == EntryFlag::IntentToAdd
    }
}

/// Returns the paths of the `updates` with the flag `mark`, each followed by a NUL.
fn paths_with_flag(updates: &[IndexUpdate], mark: EntryFlag) -> Vec<u8> {
    let marked = updates
        .iter()
        .filter(|update| update.entry.is_some_and(|entry| entry.flag == mark));
    marked
        .flat_map(|update| [update.path.as_bytes(), b"\0"].concat())
        .collect()
}

impl GitIndex {
    /// Returns an intent-to-add entry.
    #[must_use]
    pub fn intent_to_add_entry(&self) -> Option<IndexEntry> {
        let id = ObjectId::from_hex(blob_id(b"", self.format).as_bytes())?;
        Some(IndexEntry {
            flag: EntryFlag::IntentToAdd,
            ..IndexEntry::new(FileMode::Regular, id)
        })
    }

    /// Returns whether git can handle an intent-to-add entry for `path`.
    ///
    /// It cannot if the index may contain directory entries and `path` is in a directory. git then
    /// counts one file too few and damages the index. See `index.sparse` in git-config(1).
    ///
    /// # Errors
    ///
    /// Returns an error if git cannot read its configuration.
    pub fn can_add_intent(&self, path: &RelPath) -> Result<bool> {
        let is_at_top = self.prefix.is_empty() && path.parent().is_none();
        let is_on = |key| {
            self.git
                .config_bool(key)
                .map(|is_on| is_on == Some(true))
                .map_err(|source| self.to_error(source))
        };
        Ok(is_at_top
            || !is_on("index.sparse")?
            || !is_on("core.sparsecheckout")?
            || !is_on("core.sparsecheckoutcone")?)
    }

    /// Sets the intent-to-add flag in the index at `copy`, which already contains `updates`.
    pub(super) fn set_intent_to_add(&self, copy: &Path, updates: &[IndexUpdate]) -> Result<()> {
        let input = paths_with_flag(updates, EntryFlag::IntentToAdd);
        if input.is_empty() {
            return Ok(());
        }
        for update in updates
            .iter()
            .filter(|update| update.entry.is_some_and(|entry| entry.is_intent_to_add()))
        {
            if !self.can_add_intent(&update.path)? {
                return Err(self.to_error(io::Error::other(INTENT_TO_ADD_REFUSED)));
            }
        }
        // `reset -N` keeps entries that the target tree does not contain, as intent-to-add entries.
        let arguments = [
            "--literal-pathspecs",
            "reset",
            "-q",
            "-N",
            self.empty_tree_id(),
        ];
        let arguments = [
            &arguments[..],
            &["--pathspec-from-file=-", "--pathspec-file-nul"],
        ]
        .concat();
        self.run_or_fail(&arguments, Some(copy), &input).map(drop)
    }

    /// Sets the other flags in the index at `copy`, which already contains `updates`.
    pub(super) fn set_flags(&self, copy: &Path, updates: &[IndexUpdate]) -> Result<()> {
        for (mark, option) in OPTIONS {
            let input = paths_with_flag(updates, mark);
            if !input.is_empty() {
                self.run_or_fail(
                    &[
                        "-c",
                        "index.sparse=false",
                        "update-index",
                        option,
                        "-z",
                        "--stdin",
                    ],
                    Some(copy),
                    &input,
                )?;
            }
        }
        Ok(())
    }

    /// Marks the intent-to-add entries of `staged`. git is run only if an entry has the empty blob.
    pub(super) fn detect_intent_to_add(&self, staged: &mut IndexTree) -> Result<()> {
        let empty = self.intent_to_add_entry().map(|entry| entry.id);
        let is_empty = |entry: &IndexEntry| Some(entry.id) == empty;
        let mut found: BTreeSet<_> = staged
            .entries
            .iter()
            .filter(|(_, entry)| is_empty(entry))
            .map(|(path, _)| path.clone())
            .collect();
        if found.is_empty() {
            return Ok(());
        }
        let options = [
            "diff-index",
            "--cached",
            "--ita-invisible-in-index",
            "--no-renames",
            "--relative",
        ];
        let list = self.run_or_fail(
            &[&options[..], &["--name-only", "-z", self.empty_tree_id()]].concat(),
            None,
            b"",
        )?;
        for path in list
            .split(|&byte| byte == 0)
            .filter_map(|name| RelPath::new(name).ok())
        {
            found.remove(&path);
        }
        for path in found {
            staged
                .entries
                .entry(path)
                .and_modify(|entry| entry.flag = EntryFlag::IntentToAdd);
        }
        Ok(())
    }

    /// Returns the ID of the empty tree, which git knows in every repository.
    fn empty_tree_id(&self) -> &'static str {
        match self.format {
            ObjectFormat::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            ObjectFormat::Sha256 => {
                "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
            }
        }
    }
}
