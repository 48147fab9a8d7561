//! The journal: the durable record from which rollback and recovery restore the tree.

use serde::{Deserialize, Serialize};

use super::change::{Change, ChangesByNumber, DirAttributes, MoveInSource};
use super::checksummed::{self, damaged_failure, parse_checksummed, state_failure};
use super::history::{CommittedSession, IndexRecord};
use super::scratch::{FIRST_BUCKETED, Scratch};
use super::state_location::display_path;
use super::{Failure, GroupRecord, Interrupt, escape, git_index_file};
use crate::path::RelPath;
use crate::policy::protecting_rule;
use crate::text::Bytes;
use crate::workspace::{ErrorKind, Workspace};

/// The name of the journal among the scratch files until it is complete and durable.
pub(super) const JOURNAL_DRAFT: &str = "journal.tmp";
/// The maximum size of a journal in bytes.
const MAX_JOURNAL: u64 = 1 << 32;

/// All changes of a transaction, with paths from the workspace's top directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    /// The identity of the directory, which distinguishes it from a copy.
    pub(super) root: String,
    /// The path of the command's root below the top of the work tree, if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) below: Option<String>,
    /// The paths of the command's other roots in the same work tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) also_below: Vec<String>,
    /// The transactions of all roots that are committed together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<GroupRecord>,
    /// The command, for the history.
    pub(super) command: String,
    /// The history entries that this transaction undoes.
    pub(super) undoes: Vec<String>,
    /// Whether the transaction redoes a change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_redo: bool,
    /// The changes of git's index, for the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<IndexRecord>,
    /// The edit session that the transaction commits. It is removed after the commit record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<CommittedSession>,
    /// The lines of the audit record, for the audit file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) audit: Vec<String>,
    /// The directories to create, parents first.
    pub(super) makes: Vec<CreatedDirectory>,
    /// The directories to remove if they are empty, parents first.
    pub(super) removes: Vec<RemovedDirectory>,
    pub(super) changes: Vec<Change>,
}

/// A directory to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreatedDirectory {
    #[serde(with = "escape")]
    pub(super) path: RelPath,
    /// Its attributes. By default the user owns it, with 0777 less the umask.
    pub(super) standing: Option<DirAttributes>,
}

/// A directory to remove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemovedDirectory {
    #[serde(with = "escape")]
    pub(super) path: RelPath,
    /// Its attributes.
    pub(super) standing: DirAttributes,
}

impl Journal {
    /// Writes [`JOURNAL_DRAFT`]. A raised `interrupt` ends this with [`Failure::Interrupted`].
    pub(super) fn write(
        &self,
        workspace: &dyn Workspace,
        scratch: &Scratch,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        checksummed::write(self, workspace, &scratch.file(JOURNAL_DRAFT)?, interrupt)
    }

    /// Reads the journal of an interrupted transaction.
    ///
    /// # Security
    ///
    /// A journal makes recovery write files. It is trusted only if the checksum is correct, the
    /// root is this one, and every path is allowed in a transaction.
    pub(super) fn read(workspace: &dyn Workspace, scratch: &Scratch) -> Result<Self, Failure> {
        Self::read_of_any_root(workspace, scratch)?.verify(workspace, &scratch.file("journal")?)
    }

    /// Reads the journal of an interrupted transaction, which may name another root.
    pub(super) fn read_of_any_root(
        workspace: &dyn Workspace,
        scratch: &Scratch,
    ) -> Result<Self, Failure> {
        Self::read_checked(workspace, &scratch.file("journal")?)
    }

    /// Reads the journal of a committed transaction.
    ///
    /// It can come from a copy of the root. An undo checks the files in the tree, so no action
    /// depends on this record alone.
    pub(super) fn read_committed(
        workspace: &dyn Workspace,
        scratch: &Scratch,
    ) -> Result<Self, Failure> {
        Self::read_checked(workspace, &scratch.file("done")?)
    }

    /// Reads the journal of a transaction that was rolled back.
    pub(super) fn read_rolled_back(
        workspace: &dyn Workspace,
        scratch: &Scratch,
    ) -> Result<Self, Failure> {
        Self::read_checked(workspace, &scratch.file("undone")?)
    }

    fn read_checked(workspace: &dyn Workspace, path: &RelPath) -> Result<Self, Failure> {
        let name = display_path(workspace, path);
        parse_checksummed::<Self>(&read_journal_file(workspace, path)?, &name)?.check_paths(&name)
    }

    /// Returns the journal if it belongs to this root and contains only allowed paths. It was read
    /// from `path`.
    pub(super) fn verify(self, workspace: &dyn Workspace, path: &RelPath) -> Result<Self, Failure> {
        let name = display_path(workspace, path);
        let journal = self.check_paths(&name)?;
        if journal.root != workspace.identity()? {
            return Err(Failure::OtherRoot { journal: name });
        }
        Ok(journal)
    }

    fn check_paths(self, name: &str) -> Result<Self, Failure> {
        if self.is_allowed() {
            Ok(self)
        } else {
            Err(state_failure(
                name,
                "the journal names files that a journal must not contain",
            ))
        }
    }

    /// Returns whether some scratch files are in buckets. A sync of the parent directory does not
    /// cover the names in a bucket.
    pub(super) fn has_buckets(&self) -> bool {
        self.changes
            .iter()
            .any(|change| change.number >= FIRST_BUCKETED)
    }

    /// Returns the changes whose old file is moved out, by their number. Each move in the tree
    /// refers to one of them.
    pub(super) fn outgoing_changes(&self) -> ChangesByNumber<'_> {
        self.changes
            .iter()
            .filter(|change| change.moves_out)
            .map(|change| (change.number, change))
            .collect()
    }

    /// Returns the changes whose new file is moved from elsewhere in the tree, by the number of the
    /// source's change.
    pub(super) fn incoming_changes(&self) -> ChangesByNumber<'_> {
        let number = |change: &Change| match change.source {
            Some(MoveInSource::Old(number)) => Some(number),
            _ => None,
        };
        self.changes
            .iter()
            .filter_map(|change| Some((number(change)?, change)))
            .collect()
    }

    /// Returns the path of every change.
    pub(super) fn paths(&self) -> Vec<RelPath> {
        self.changes
            .iter()
            .map(|change| change.path.clone())
            .collect()
    }

    /// Returns whether no path is protected and every move has a source.
    fn is_allowed(&self) -> bool {
        let directories = self
            .makes
            .iter()
            .map(|made| &made.path)
            .chain(self.removes.iter().map(|removed| &removed.path));
        let leaving = self.outgoing_changes();
        let files = self
            .changes
            .iter()
            .map(|change| &change.path)
            .filter(|path| !git_index_file::is_index_path(path));
        directories
            .chain(files)
            .all(|path| protecting_rule(path).is_none())
            && self.changes.iter().all(|change| match change.source {
                Some(MoveInSource::Old(number)) => leaving.contains_key(&number),
                Some(MoveInSource::Staged) | None => true,
            })
    }
}

/// Returns the content of the file at `path`.
fn read_journal_file(workspace: &dyn Workspace, path: &RelPath) -> Result<Bytes, Failure> {
    let read = workspace
        .read(path, MAX_JOURNAL)
        .map_err(|error| match error.kind {
            ErrorKind::NotRegular | ErrorKind::TooLarge => {
                damaged_failure(&display_path(workspace, path))
            }
            _ => error.into(),
        });
    read.map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::mode::Permissions;
    use crate::transaction::checksummed::MAGIC;
    use crate::workspace::NewFile;
    use crate::workspace::memory::Memory;

    fn journal(path: &str) -> Journal {
        let made = CreatedDirectory {
            path: RelPath::new(path.as_bytes()).unwrap(),
            standing: None,
        };
        Journal {
            root: "memory:1".to_owned(),
            makes: vec![made],
            ..Journal::default()
        }
    }

    fn read_back(journal: &Journal, damage: impl Fn(&mut Vec<u8>)) -> Result<Journal, String> {
        let scratch = Scratch::private(&RelPath::new(b"t").unwrap(), "1").unwrap();
        let memory = Memory::new();
        memory
            .make_dir(
                &scratch.directory.parent().unwrap(),
                crate::workspace::DirectoryPermissions::Private,
            )
            .unwrap();
        scratch.make(&memory).unwrap();
        journal
            .write(&memory, &scratch, Interrupt::never())
            .unwrap();
        let mut text = memory
            .read(&scratch.file("journal.tmp").unwrap(), u64::MAX)
            .unwrap()
            .0
            .into_vec();
        damage(&mut text);
        memory
            .create(
                &scratch.file("journal").unwrap(),
                NewFile::new(&[&text], Permissions::Exact(0o600), None),
            )
            .unwrap();
        Journal::read(&memory, &scratch).map_err(|error| error.to_string())
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let journal = journal("a \"\\%\u{e9}/b");
        assert_eq!(read_back(&journal, |_| {}), Ok(journal));
    }

    #[test]
    fn a_damaged_journal_is_not_believed() {
        for at in [0, 20, 60, 80] {
            let error = read_back(&journal("a"), |text| text[at] ^= 1).unwrap_err();
            assert!(error.contains("damaged"), "{error}");
        }
        let error = read_back(&journal("a"), |text| text.truncate(10)).unwrap_err();
        assert!(error.contains("damaged"), "{error}");
    }

    #[test]
    fn a_journal_with_a_word_that_nobody_knows_is_not_believed() {
        let error = read_back(&journal("a"), |text| {
            let body = br#"{"root":"memory:1","makes":[],"removes":[],"changes":[],"also":[]}"#;
            *text = [format!("{MAGIC} {}\n", Digest::of(body)).as_bytes(), body].concat();
        });
        assert!(error.unwrap_err().contains("damaged"));
    }

    #[test]
    fn a_digest_is_32_digits_and_nothing_else() {
        for digest in [
            "+0123456789abcdef0123456789abcdef",
            "123",
            "0123456789abcdef0123456789abcdefe",
            "",
        ] {
            let image = format!(r#"{{"kind":"file","digest":"{digest}","size":1,"mode":null}}"#);
            assert!(
                serde_json::from_str::<crate::transaction::change::FileIdentity>(&image).is_err(),
                "{digest}"
            );
        }
    }

    #[test]
    fn a_journal_of_another_root_is_not_believed() {
        let foreign = Journal {
            root: "elsewhere".to_owned(),
            ..journal("a")
        };
        assert!(
            read_back(&foreign, |_| {})
                .unwrap_err()
                .contains("another directory")
        );
    }

    #[test]
    fn a_journal_cannot_name_what_no_patch_may() {
        for path in [
            ".git",
            ".GIT/wpatch/x",
            "sub/.git/hooks/x",
            "git~1/x",
            ".wpatch",
            "sub/.Wpatch/txn-1/journal",
        ] {
            assert!(
                read_back(&journal(path), |_| {})
                    .unwrap_err()
                    .contains("must not contain"),
                "{path}"
            );
        }
    }
}
