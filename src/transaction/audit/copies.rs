//! The records that other files than the audit file contain.

use std::collections::BTreeMap;

use super::chain::LineFields;
use super::head::{Head, read_head};
use super::missing::saved_lines;
use super::record::line_digest;
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::history::list_entries;
use crate::transaction::journal::Journal;
use crate::transaction::scratch::Scratch;
use crate::workspace::Workspace;

/// The lines of records that other files contain, by their number.
pub(super) struct Copies {
    pub(super) lines: BTreeMap<u64, String>,
    pub(super) head: Option<Head>,
    /// The entries, in the order of time.
    pub(super) entries: Vec<Scratch>,
}

impl Copies {
    /// Reads the history `home`. `unfinished` are transactions that are not in the history yet.
    pub(super) fn read(
        workspace: &dyn Workspace,
        home: &RelPath,
        unfinished: &[Scratch],
    ) -> Result<Self, Failure> {
        let entries = list_entries(workspace, home)?;
        let entries: Vec<_> = entries.into_iter().map(|place| place.scratch).collect();
        let head = read_head(workspace, home)?;
        let mut lines = BTreeMap::new();
        let mut add = |all: &[String]| {
            lines.extend(
                all.iter()
                    .map(|line| (LineFields::seq_of(line), line.clone())),
            );
        };
        for scratch in entries.iter().chain(unfinished) {
            add(&saved_lines(workspace, scratch)?);
        }
        add(head.as_ref().map_or(&[], |head| &head.lines[..]));
        Ok(Self {
            lines,
            head,
            entries,
        })
    }

    /// Returns whether the entry `id` was rolled back and contains no line of its record: a power
    /// loss can remove the line from the entry and not from the audit file.
    pub(super) fn has_bare_rollback(
        &self,
        workspace: &dyn Workspace,
        id: &str,
    ) -> Result<bool, Failure> {
        let Some(entry) = self.entries.iter().find(|entry| entry.id == id) else {
            return Ok(false);
        };
        Ok(Journal::read_rolled_back(workspace, entry).is_ok()
            && saved_lines(workspace, entry)?.is_empty())
    }

    /// Returns the number of the newest record that another file contains.
    pub(super) fn newest(&self) -> u64 {
        let head = self.head.as_ref().map_or(0, |head| head.seq);
        self.lines
            .keys()
            .next_back()
            .copied()
            .max(Some(head))
            .unwrap_or_default()
    }

    /// Returns whether another file proves that `line` is the record `seq`, or that it is not.
    /// Returns `None` without such a file.
    pub(super) fn proves(&self, seq: u64, line: &[u8]) -> Option<bool> {
        if let Some(copy) = self.lines.get(&seq) {
            return Some(copy.as_bytes() == line);
        }
        let head = self.head.as_ref().filter(|head| head.seq == seq)?;
        Some(head.digest == line_digest(line))
    }
}
