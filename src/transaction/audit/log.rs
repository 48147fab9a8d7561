//! Appends records to the audit file and completes it after a crash.
//!
//! A record is first written to the history entry, and then appended. An entry that is newer than
//! the last record therefore lacks its record. Every command that takes the lock appends such
//! records before its own. Only the end of the file is read.
//!
//! A process that was killed before the append leaves its transaction outside of the history, so the
//! kill explains the missing record. Any other missing record may have been removed, so a `repaired`
//! record names it.

use super::chain::{LineFields, RecordKey};
use super::fragment::remove_fragment;
use super::names::{AUDIT_FILE, HEAD_FILE, has_name};
use super::record::{AuditEvent, AuditRecord, AuditSigner, RecordContext, line_digest};
use super::tail::{Tail, read_tail};
use super::{head, missing};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::transaction::history::create_external_directory;
use crate::transaction::ids::{id_seconds, new_id};
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{Scratch, join};
use crate::transaction::{Durability, Failure, history};
use crate::workspace::{ErrorKind, NewFile, Workspace};
use missing::{LineOrigin, MissingLines};

/// The audit file of a locked state directory.
#[derive(Debug, Default)]
pub(in crate::transaction) enum AuditState {
    /// No history is kept, so no record is.
    #[default]
    None,
    Open(AuditLog),
    /// The file cannot be read, for this reason. A change without a permanent state directory then
    /// has no record.
    Unusable {
        reason: String,
        is_external: bool,
    },
}

/// The end of an audit file, under the lock.
#[derive(Debug)]
pub(in crate::transaction) struct AuditLog {
    home: RelPath,
    tail: Tail,
    /// The ID of the newest history entry or edit session when the file was opened.
    newest_entry: Option<String>,
    /// Lines that belong to the file and could not be appended yet.
    pending: Vec<String>,
    /// The last record by the head file, if it is missing and in no other file. Its number is not used
    /// again, so the gap stays visible.
    removed: Option<Box<RecordKey>>,
    durability: Durability,
}

impl AuditState {
    /// Opens the audit file of the history `home` and completes it. `recovered` are the transactions
    /// that are not in the history yet, and the IDs of all transactions that this command recovered.
    pub(in crate::transaction) fn open(
        workspace: &dyn Workspace,
        home: Option<&RelPath>,
        recovered: (&[Scratch], &[&str]),
        durability: Durability,
    ) -> Self {
        let Some(home) = home else { return Self::None };
        match AuditLog::open(workspace, home, recovered, durability) {
            Ok(log) => Self::Open(log),
            Err(failure) => Self::Unusable {
                reason: failure.to_string(),
                is_external: workspace.external_history().as_ref() == Some(home),
            },
        }
    }

    /// Returns the newest ID in the history `home` and in its audit records. New IDs must sort after
    /// it. The caller holds the lock since [`AuditState::open`], so no other command has added an
    /// entry.
    pub(in crate::transaction) fn newest_id(
        &self,
        workspace: &dyn Workspace,
        home: &RelPath,
    ) -> Option<String> {
        match self {
            Self::Open(log) => log.newest_entry.clone().max(Some(log.last().id)),
            Self::None | Self::Unusable { .. } => {
                history::newest_id(home, &history::list_names(workspace, home).ok()?)
            }
        }
    }

    /// Returns the reason why entries must not be removed: records of them are not in the file.
    pub(in crate::transaction) fn obstacle(&self) -> Option<String> {
        match self {
            Self::Open(log) if !log.pending.is_empty() => {
                Some("the audit file lacks records of the newest changes".to_owned())
            }
            _ => None,
        }
    }

    /// Returns the lines of an audit record and of its signature. Calls `record` only if there is an
    /// audit file, because a record has an entry for each file.
    ///
    /// # Errors
    ///
    /// Returns the error of `signer`, and an error if there is a signer and no audit file. An audit
    /// file that cannot be read prevents the change.
    pub(in crate::transaction) fn lines_of(
        &self,
        record: impl FnOnce() -> AuditRecord,
        signer: Option<&dyn AuditSigner>,
    ) -> Result<Vec<String>, Failure> {
        match (self, signer) {
            (Self::Open(log), _) => log.lines_of(record(), signer),
            (
                Self::Unusable {
                    is_external: true, ..
                }
                | Self::None,
                None,
            ) => Ok(Vec::new()),
            (Self::None, Some(_)) => Err(Failure::Unsigned {
                reason: "no history is kept here, and it would contain the record".to_owned(),
            }),
            (Self::Unusable { reason, .. }, _) => Err(Failure::State {
                reason: format!("the audit file cannot be read, move it away: {reason}"),
            }),
        }
    }

    /// Appends `lines`, which [`AuditState::lines_of`] returned. Returns a warning if they are not
    /// in the file.
    pub(in crate::transaction) fn append(
        &mut self,
        workspace: &dyn Workspace,
        lines: &[String],
    ) -> Option<String> {
        let why = match self {
            Self::None => return None,
            Self::Unusable { reason, .. } => reason.clone(),
            Self::Open(log) => {
                log.pending.extend_from_slice(lines);
                match log.append_pending(workspace) {
                    Ok(()) => return None,
                    Err(failure) => {
                        return Some(format!(
                            "the audit record was not written, the next command completes it: {failure}"
                        ));
                    }
                }
            }
        };
        Some(format!("this change is not in the audit file: {why}"))
    }
}

impl AuditLog {
    fn open(
        workspace: &dyn Workspace,
        home: &RelPath,
        recovered: (&[Scratch], &[&str]),
        durability: Durability,
    ) -> Result<Self, Failure> {
        let names = match workspace.list(Some(home)) {
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::NotDirectory) => {
                Vec::new()
            }
            names => names?,
        };
        let newest_entry = history::newest_id(home, &names);
        let mut tail = if has_name(&names, AUDIT_FILE) {
            read_tail(workspace, home)?
        } else {
            Tail::default()
        };
        if tail.last.is_damaged {
            // The damage hides which entry is the last one, so none counts as missing.
            tail.last.id = newest_entry.clone().unwrap_or_default();
        }
        let mut log = Self {
            home: home.clone(),
            tail,
            newest_entry,
            pending: Vec::new(),
            removed: None,
            durability,
        };
        let repair = log.find_pending(workspace, &names, recovered)?;
        if !log.pending.is_empty() {
            // A record that cannot be appended now waits for the next command.
            let _ = log.append_pending(workspace);
        }
        if let Some(repair) = repair.filter(|_| log.pending.is_empty()) {
            let _ = log.append_repair(workspace, repair);
        }
        Ok(log)
    }

    /// Finds the entries without a record, and the lines that belong to the file. `names` are the
    /// names in the history. Returns a record about the repair, if the end of the file is torn.
    fn find_pending(
        &mut self,
        workspace: &dyn Workspace,
        names: &[Vec<u8>],
        (committed, recovered): (&[Scratch], &[&str]),
    ) -> Result<Option<AuditRecord>, Failure> {
        let source = missing::Source {
            workspace,
            home: &self.home,
            durability: self.durability,
        };
        let mut found = MissingLines {
            last: self.tail.last.clone(),
            ..MissingLines::default()
        };
        let head = if has_name(names, HEAD_FILE) {
            head::read_head(workspace, &self.home)?
        } else {
            None
        };
        let announced = head.as_ref().map(|head| &*head.lines).unwrap_or_default();
        found.extend(announced, LineOrigin::Head);
        for place in missing::newer_entries(&source, (names, committed), &self.tail.last) {
            let is_killed = recovered.contains(&&*place.id);
            let (lines, origin) = missing::lines_of_entry(&source, &place, &found.last)?;
            let origin = if is_killed {
                LineOrigin::Killed
            } else {
                origin
            };
            found.extend(&lines, origin);
            found.extend(announced, LineOrigin::Head);
        }
        self.removed = head
            .filter(|head| head.seq > found.last.seq)
            .map(|head| Box::new(head.key(&found.last.id)));
        self.pending = found.lines;
        let torn = self.tail.fragment.len();
        let is_torn = torn > 0
            && self
                .pending
                .first()
                .is_some_and(|line| self.tail.is_incomplete(line.as_bytes()));
        if !is_torn && found.restored == 0 {
            return Ok(None);
        }
        let mut record = AuditRecord::new(
            AuditEvent::Repaired,
            &found.last.id,
            u64::try_from(workspace.now().seconds).unwrap_or_default(),
        );
        record.of = Some(self.tail.last.seq + 1);
        record.bytes = is_torn.then_some(torn as u64);
        record.records = (found.restored > 0).then_some(found.restored);
        Ok(Some(record))
    }

    /// Returns the key of the last record, including the pending ones.
    fn last(&self) -> RecordKey {
        let mut last = self.tail.last.clone();
        for line in &self.pending {
            last.advance(line);
        }
        match &self.removed {
            Some(removed) if removed.seq > last.seq => RecordKey::clone(removed),
            _ => last,
        }
    }

    fn lines_of(
        &self,
        mut record: AuditRecord,
        signer: Option<&dyn AuditSigner>,
    ) -> Result<Vec<String>, Failure> {
        let last = self.last();
        (record.seq, record.prev) = (last.seq + 1, last.digest);
        record.signed = signer.is_some();
        let line = record.to_line()?;
        let Some(signer) = signer else {
            return Ok(vec![line]);
        };
        let signature = AuditRecord {
            schema: record.schema,
            seq: record.seq + 1,
            prev: Some(line_digest(line.as_bytes())),
            time: record.time,
            event: AuditEvent::Signature,
            id: record.id,
            of: Some(record.seq),
            signature: Some(signer.sign(line.as_bytes())?),
            ..AuditRecord::default()
        };
        let second = signature.to_line()?;
        Ok(vec![line, second])
    }

    /// Appends the pending lines. After an error, some of them can be in the file.
    fn append_pending(&mut self, workspace: &dyn Workspace) -> Result<(), Failure> {
        let Some(first) = self.pending.first() else {
            return Ok(());
        };
        let path = join(&self.home, AUDIT_FILE)?;
        let mut bytes = self.pending.concat().into_bytes();
        if !self.tail.fragment.is_empty() {
            if first.as_bytes().starts_with(&self.tail.fragment) {
                bytes.drain(..self.tail.fragment.len());
            } else if self.tail.is_incomplete(first.as_bytes()) {
                remove_fragment(workspace, &self.home, &self.tail, self.durability)?;
            } else {
                // The damaged end stays as evidence.
                bytes.insert(0, b'\n');
            }
        }
        let result = if self.tail.exists {
            workspace.append(&path, &bytes)
        } else {
            create_external_directory(workspace, &self.home)?;
            workspace
                .create(
                    &path,
                    NewFile::new(&[&bytes], Permissions::Exact(0o600), None),
                )
                .map(drop)
        };
        if let Err(error) = result {
            // The file can contain a part of the bytes, or all of them.
            if let Ok(tail) = read_tail(workspace, &self.home) {
                self.tail = tail;
                let written = self.tail.last.seq;
                self.pending
                    .retain(|line| LineFields::seq_of(line) > written);
            }
            if self.pending.is_empty() && self.tail.fragment.is_empty() {
                return Ok(());
            }
            return Err(error.into());
        }
        self.tail.last = self.last();
        self.pending.clear();
        self.tail.fragment.clear();
        self.tail.exists = true;
        Ok(())
    }

    /// Appends a record that has no history entry.
    fn append_repair(
        &mut self,
        workspace: &dyn Workspace,
        record: AuditRecord,
    ) -> Result<(), Failure> {
        let lines = self.lines_of(record, None)?;
        head::announce_lines(workspace, &self.home, &lines)?;
        self.pending = lines;
        self.append_pending(workspace)
    }
}

/// Adds the lines of the audit record of `journal` to `journal`.
///
/// # Errors
///
/// Returns the errors of [`AuditState::lines_of`].
pub(in crate::transaction) fn add_record(
    audit: &AuditState,
    journal: &mut Journal,
    (id, context, signer): (&str, &RecordContext, Option<&dyn AuditSigner>),
) -> Result<(), Failure> {
    let record = || AuditRecord::of_journal(journal, (id, id_seconds(id)), context);
    journal.audit = audit.lines_of(record, signer)?;
    Ok(())
}

/// Appends `record`, which has no history entry, to the audit file in `audit`.
pub(in crate::transaction) fn append_record(
    workspace: &dyn Workspace,
    home: &RelPath,
    (audit, signer): (&mut AuditState, Option<&dyn AuditSigner>),
    mut record: AuditRecord,
) -> Result<(), Failure> {
    let AuditState::Open(log) = audit else {
        return Ok(());
    };
    // The ID must sort after the newest entry, so that the entry does not seem to lack a record.
    let names = history::list_names(workspace, home).unwrap_or_default();
    let newest = history::newest_id(home, &names).max(Some(log.last().id));
    record.id = new_id(workspace.now(), newest.as_deref());
    let lines = log.lines_of(record, signer)?;
    head::announce_lines(workspace, home, &lines)?;
    log.pending.extend(lines);
    log.append_pending(workspace)
}
