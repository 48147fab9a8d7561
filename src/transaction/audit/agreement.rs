//! Compares the history entries with their records.

use super::chain::LineFields;
use super::copies::Copies;
use super::problem::{AuditProblem, AuditProblemKind};
use super::record::{AuditFile, AuditRecord};
use crate::transaction::Failure;
use crate::transaction::journal::Journal;
use crate::transaction::scratch::Scratch;
use crate::transaction::{failure::is_unreachable, git_index_file};
use crate::workspace::Workspace;

/// Returns the first record that differs from its history entry. `lines` are a chain without
/// faults.
pub(super) fn find_disagreement(
    workspace: &dyn Workspace,
    lines: &[&[u8]],
    copies: &Copies,
) -> Result<Option<AuditProblem>, Failure> {
    for (index, line) in lines.iter().enumerate() {
        let Some(fields) = LineFields::parse(line).filter(|fields| fields.event.has_entry()) else {
            continue;
        };
        let entry = copies
            .entries
            .binary_search_by(|entry| entry.id.as_str().cmp(&fields.id));
        let Some(entry) = entry.ok().and_then(|place| copies.entries.get(place)) else {
            continue;
        };
        if let Some(message) = disagreement(workspace, line, entry)? {
            let kind = AuditProblemKind::Disagrees;
            return Ok(Some(AuditProblem::at(kind, index, &fields, message)));
        }
    }
    Ok(None)
}

/// Returns the difference between the record `line` and its entry.
fn disagreement(
    workspace: &dyn Workspace,
    line: &[u8],
    entry: &Scratch,
) -> Result<Option<String>, Failure> {
    let journal = match Journal::read_committed(workspace, entry) {
        Ok(journal) => journal,
        Err(Failure::State { .. }) => {
            return Ok(Some(format!("the history entry {} is damaged", entry.id)));
        }
        Err(Failure::Workspace(error)) if is_unreachable(error.kind) => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let Ok(record) = serde_json::from_slice::<AuditRecord>(line) else {
        return Ok(None);
    };
    let without_sha256 = |mut file: AuditFile| {
        for version in [&mut file.before, &mut file.after].into_iter().flatten() {
            version.sha256 = None;
        }
        file
    };
    let changes = journal
        .changes
        .iter()
        .filter(|change| !git_index_file::is_index_path(&change.path));
    let in_entry: Vec<_> = changes.map(|change| AuditFile::of(change, None)).collect();
    let in_record: Vec<_> = record.files.into_iter().map(without_sha256).collect();
    let differs = |(a, b): (&AuditFile, &AuditFile)| (a != b).then(|| a.path.clone());
    let path = in_record.iter().zip(&in_entry).find_map(differs);
    Ok(if let Some(path) = path {
        Some(format!(
            "the history entry {} has another change of {path}",
            entry.id
        ))
    } else if in_record.len() != in_entry.len() {
        Some(format!("the history entry {} has other files", entry.id))
    } else if journal.undoes != record.undoes {
        Some(format!(
            "the history entry {} undoes other entries",
            entry.id
        ))
    } else {
        None
    })
}
