//! Verifies the audit file: the chain, its head, and the history entries that still exist.

use super::agreement::find_disagreement;
use super::chain::LineFields;
use super::check::ChainCheck;
use super::copies::Copies;
use super::names::AUDIT_FILE;
use super::problem::{AuditProblem, AuditProblemKind, AuditVerification};
use super::record::{AuditEvent, line_digest};
use crate::path::RelPath;
use crate::text::{Bytes, lines};
use crate::transaction::failure::is_unreachable;
use crate::transaction::history::history_directories;
use crate::transaction::recover::find_transactions;
use crate::transaction::scratch::{Scratch, join};
use crate::transaction::state::StateDirectory;
use crate::transaction::state_location::{display_path, locate_state};
use crate::transaction::{Failure, Options};
use crate::workspace::{Workspace, top};

/// Verifies the audit files of the work tree. Waits for a running command, so that a record that is
/// being written does not count as a fault. Changes nothing.
///
/// # Errors
///
/// Returns [`Failure::Locked`] if a command runs for longer than the lock timeout, and the errors
/// of the disk.
pub fn verify(
    workspace: &dyn Workspace,
    options: Options,
) -> Result<Vec<AuditVerification>, Failure> {
    let workspace = top(workspace)?;
    let directory = locate_state(workspace)?.directory;
    let _lock = match StateDirectory::open_existing(workspace, &directory, options.lock_timeout) {
        Err(Failure::Locked) => return Err(Failure::Locked),
        // Without write access there is no lock.
        locked => locked.ok().flatten(),
    };
    let unfinished = find_unfinished(workspace, &directory)?;
    let mut verified = Vec::new();
    let homes = history_directories(workspace)?;
    for home in &homes {
        let bytes = read_file(workspace, home)?;
        // A new state directory takes over the external history.
        let is_current = *home == directory || homes.len() == 1;
        let unfinished = if is_current { &unfinished[..] } else { &[] };
        let copies = Copies::read(workspace, home, unfinished)?;
        if bytes.is_none() && copies.lines.is_empty() && copies.head.is_none() {
            continue;
        }
        let path = display_path(workspace, &join(home, AUDIT_FILE)?);
        let bytes = bytes.unwrap_or_default();
        verified.push(verify_file(workspace, path, &bytes, &copies)?);
    }
    Ok(verified)
}

/// Returns the transactions of the state directory `directory` that are not in the history.
fn find_unfinished(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<Vec<Scratch>, Failure> {
    match workspace.list(Some(directory)) {
        Ok(names) => find_transactions(workspace, directory, &names),
        Err(error) if is_unreachable(error.kind) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn read_file(workspace: &dyn Workspace, home: &RelPath) -> Result<Option<Bytes>, Failure> {
    let path = join(home, AUDIT_FILE)?;
    match workspace.read(&path, u64::MAX) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        // A file of another type, such as a directory or a link, is not a missing file.
        Err(error) if is_unreachable(error.kind) && !exists(workspace, &path) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn exists(workspace: &dyn Workspace, path: &RelPath) -> bool {
    matches!(workspace.stat(path), Ok(Some(_)))
}

fn verify_file(
    workspace: &dyn Workspace,
    path: String,
    bytes: &[u8],
    copies: &Copies,
) -> Result<AuditVerification, Failure> {
    let lines: Vec<_> = lines(bytes).map(|(_, line)| line).collect();
    let check = ChainCheck::new(&lines, copies);
    let mut problem = check.first_problem();
    if problem.is_none() {
        problem = check_end(workspace, &lines, copies)?;
    }
    if problem.is_none() {
        problem = find_disagreement(workspace, &lines, copies)?;
    }
    let last = lines.last().and_then(|line| LineFields::parse(line));
    Ok(AuditVerification {
        path,
        records: lines.len(),
        signed: count(&lines, AuditEvent::Signature),
        repaired: count(&lines, AuditEvent::Repaired),
        digest: last
            .as_ref()
            .and(lines.last())
            .map(|line| line_digest(line)),
        seq: last.map(|fields| fields.seq),
        problem,
    })
}

/// Returns the number of records with `event` that concern another record.
fn count(lines: &[&[u8]], event: AuditEvent) -> usize {
    let fields = lines.iter().filter_map(|line| LineFields::parse(line));
    fields
        .filter(|fields| fields.event == event && fields.of.is_some())
        .count()
}

/// Checks that the newest record that other files contain is the last one in the file.
fn check_end(
    workspace: &dyn Workspace,
    lines: &[&[u8]],
    copies: &Copies,
) -> Result<Option<AuditProblem>, Failure> {
    let last = lines.last().and_then(|line| LineFields::parse(line));
    let seq = last.as_ref().map_or(0, |fields| fields.seq);
    let mut newest = copies.newest();
    if last.as_ref().is_some_and(|fields| fields.signed) {
        // The signature belongs to the record.
        newest = newest.max(seq + 1);
    }
    if newest > seq {
        let missing = copies.lines.get(&(seq + 1));
        let fields = missing.and_then(|line| LineFields::parse(line.as_bytes()));
        let range = if newest == seq + 1 {
            format!("record {newest} is")
        } else {
            format!("records {} to {newest} are", seq + 1)
        };
        return Ok(Some(AuditProblem {
            kind: AuditProblemKind::Truncated,
            line: lines.len() + 1,
            seq: Some(seq + 1),
            time: fields.map(|fields| fields.time),
            message: format!("{range} missing at the end of the file"),
            help: "if the last command was killed or could not write its record, run `wpatch \
                   recover`, which completes the file; otherwise restore the file from a backup"
                .to_owned(),
        }));
    }
    let Some(fields) = last.filter(|last| last.seq > newest) else {
        return Ok(None);
    };
    if fields.event == AuditEvent::Aborted && copies.has_bare_rollback(workspace, &fields.id)? {
        return Ok(None);
    }
    let message = "neither the history nor its head contains this record".to_owned();
    let kind = AuditProblemKind::Inserted;
    let last = lines.len() - 1;
    Ok(Some(AuditProblem::at(kind, last, &fields, message)))
}
