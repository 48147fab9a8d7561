//! Finds the history entries whose records are not in the audit file.

use super::chain::{LineFields, RecordKey};
use super::names::LINES_FILE;
use super::record::{AuditEvent, AuditRecord, RecordContext, origin_of_lines};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::transaction::failure::is_unreachable;
use crate::transaction::history::{PlanRejection, entries_among, sync};
use crate::transaction::ids::id_seconds;
use crate::transaction::journal::Journal;
use crate::transaction::scratch::Scratch;
use crate::transaction::{Durability, Failure};
use crate::workspace::{ErrorKind, NewFile, Workspace};

/// The maximum size of the lines of a record in bytes.
const MAX_LINES: u64 = 1 << 32;

/// The history whose records are completed.
pub(super) struct Source<'a> {
    pub(super) workspace: &'a dyn Workspace,
    pub(super) home: &'a RelPath,
    pub(super) durability: Durability,
}

/// The file that contains a line which is missing in the audit file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineOrigin {
    /// An entry of the history.
    Entry,
    /// A transaction whose process was killed before it could append the line.
    Killed,
    /// The line is new.
    New,
    /// The head.
    Head,
}

/// The lines that continue the audit file.
#[derive(Debug, Default)]
pub(super) struct MissingLines {
    /// The last record, including the lines.
    pub(super) last: RecordKey,
    pub(super) lines: Vec<String>,
    /// The number of records that the audit file should have contained.
    pub(super) restored: u64,
}

impl MissingLines {
    /// Adds those of `lines` that continue the chain. Any other line is left to the verification.
    pub(super) fn extend(&mut self, lines: &[String], origin: LineOrigin) {
        for line in lines {
            if !self.last.advance(line) {
                continue;
            }
            let is_first = self.lines.is_empty();
            self.lines.push(line.clone());
            let event = LineFields::parse(line.as_bytes()).map(|fields| fields.event);
            self.restored += u64::from(match origin {
                LineOrigin::Killed | LineOrigin::New => false,
                // A signature counts with its record.
                LineOrigin::Entry => event != Some(AuditEvent::Signature) || is_first,
                // A restored note about a repair needs no note of its own.
                LineOrigin::Head => match event {
                    Some(AuditEvent::Signature) => is_first,
                    event => event == Some(AuditEvent::Withdrawn),
                },
            });
        }
    }
}

/// Returns the entries among `names` and the transactions in `committed` that are newer than the
/// record `last`, in the order of time. If the signature of `last` is missing, its entry is the first
/// one.
pub(super) fn newer_entries(
    source: &Source<'_>,
    (names, committed): (&[Vec<u8>], &[Scratch]),
    last: &RecordKey,
) -> Vec<Scratch> {
    let entries = entries_among(source.home, names).map(|place| place.scratch);
    let mut newer: Vec<_> = entries
        .chain(committed.iter().cloned())
        .filter(|scratch| scratch.id > last.id || last.needs_signature && scratch.id == last.id)
        .collect();
    newer.sort_by(|a, b| a.id.cmp(&b.id));
    newer.dedup_by(|a, b| a.id == b.id);
    newer
}

/// Returns the lines of the entry in `scratch`, which follow the record `last`. An aborted entry
/// gets its lines here. Entries of older versions have none.
pub(super) fn lines_of_entry(
    source: &Source<'_>,
    scratch: &Scratch,
    last: &RecordKey,
) -> Result<(Vec<String>, LineOrigin), Failure> {
    let saved = saved_lines(source.workspace, scratch)?;
    if !saved.is_empty() || scratch.id == last.id {
        return Ok((saved, LineOrigin::Entry));
    }
    let rolled_back = Journal::read_rolled_back(source.workspace, scratch);
    let Some(journal) = unless_missing(rolled_back)? else {
        return Ok((Vec::new(), LineOrigin::New));
    };
    // The journal contains the record of the change that was not committed.
    let context = RecordContext {
        origin: origin_of_lines(&journal.audit),
        ..RecordContext::default()
    };
    let id = (scratch.id.as_str(), id_seconds(&scratch.id));
    let mut record = AuditRecord::of_journal(&journal, id, &context);
    record.event = AuditEvent::Aborted;
    (record.seq, record.prev) = (last.seq + 1, last.digest.clone());
    let line = record.to_line()?;
    save_lines(source, scratch, &line)?;
    Ok((vec![line], LineOrigin::New))
}

/// Returns the lines that the entry in `scratch` contains.
pub(super) fn saved_lines(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Vec<String>, Failure> {
    if let Some(journal) = unless_missing(Journal::read_committed(workspace, scratch))? {
        return Ok(journal.audit);
    }
    if let Some(rejection) = unless_missing(PlanRejection::read(workspace, scratch))? {
        return Ok(rejection.audit);
    }
    let read = workspace.read(&scratch.file(LINES_FILE)?, MAX_LINES);
    let Some((bytes, _)) = unless_missing(read.map_err(Failure::from))? else {
        return Ok(Vec::new());
    };
    // A power loss can tear the file. It is then written again.
    let text = String::from_utf8(bytes.into_vec()).unwrap_or_default();
    let is_complete = text.ends_with('\n');
    Ok(if is_complete { vec![text] } else { Vec::new() })
}

fn save_lines(source: &Source<'_>, scratch: &Scratch, line: &str) -> Result<(), Failure> {
    let path = scratch.file(LINES_FILE)?;
    match source.workspace.remove(&path) {
        Err(error) if error.kind != ErrorKind::Missing => return Err(error.into()),
        _ => {}
    }
    let permissions = Permissions::Exact(0o600);
    source
        .workspace
        .create(&path, NewFile::new(&[line.as_bytes()], permissions, None))?;
    sync(source.workspace, &path, source.durability)?;
    sync(source.workspace, &scratch.directory, source.durability)
}

/// Returns `None` for a missing or damaged record.
fn unless_missing<T>(read: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Failure::State { .. }) => Ok(None),
        Err(Failure::Workspace(error)) if is_unreachable(error.kind) => Ok(None),
        Err(failure) => Err(failure),
    }
}
