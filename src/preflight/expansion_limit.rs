//! The expansion limit: a limit on the bytes that copies and binary patches add.

use super::codes::code;
use super::findings::Findings;
use super::overlay::Node;
use crate::plan::{Edit, Operation};

/// The number of bytes that the operations of a group added beyond the bytes in the patch.
///
/// All files of a group are in memory at once, and one line of a patch suffices for another copy.
#[derive(Default)]
pub(super) struct ExpansionLimit(u64);

impl ExpansionLimit {
    /// Counts the bytes that `operation` adds, and returns whether they are within `limit`.
    /// `before` is the preimage; if it `is_copied`, it also stays in the tree. The first operation
    /// that adds bytes is always allowed.
    pub(super) fn allow(
        &mut self,
        operation: &Operation,
        (before, is_copied): (Option<&Node>, bool),
        after: &Node,
        limit: u64,
        findings: &mut Findings,
    ) -> bool {
        let takes_lines =
            matches!(&operation.edit, Edit::Lines(lines) if lines.sources().next().is_some());
        if !is_copied && !takes_lines && !matches!(operation.edit, Edit::Binary(_)) {
            return true;
        }
        let had = before
            .filter(|_| !is_copied)
            .map_or(0, |node| node.bytes.len())
            + operation.span.len();
        let added = after.bytes.len().saturating_sub(had) as u64;
        let is_first = self.0 == 0;
        self.0 = self.0.saturating_add(added);
        if added == 0 || is_first || self.0 <= limit {
            return true;
        }
        let message = format!("copies and binary data add more than the limit of {limit} bytes");
        findings.error(&code::GROWTH, message).help =
            Some("use --max-growth to raise the limit".into());
        false
    }
}
