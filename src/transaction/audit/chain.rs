//! The fields of a line that link the records to a chain.

use serde::Deserialize;

use super::record::{AuditEvent, line_digest};

/// The fields of a line that the chain needs.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct LineFields {
    pub(super) seq: u64,
    pub(super) prev: Option<String>,
    pub(super) time: String,
    pub(super) event: AuditEvent,
    pub(super) id: String,
    #[serde(default)]
    pub(super) of: Option<u64>,
    #[serde(default)]
    pub(super) signed: bool,
}

impl LineFields {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
    }

    /// Returns the number in `line`; 0 if it is damaged.
    pub(super) fn seq_of(line: &str) -> u64 {
        Self::parse(line.as_bytes()).map_or(0, |fields| fields.seq)
    }
}

/// The key of the last record of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordKey {
    /// The number; 0 for an empty chain.
    pub(super) seq: u64,
    /// The digest of the line; `None` for an empty chain.
    pub(super) digest: Option<String>,
    /// The history entry. IDs sort by time.
    pub(super) id: String,
    /// Whether the line cannot be parsed. Its number is then an estimate.
    pub(super) is_damaged: bool,
    /// Whether the next line must be the signature of this record.
    pub(super) needs_signature: bool,
}

impl RecordKey {
    /// Makes `line` the last record if it continues the chain. Returns whether it does.
    pub(super) fn advance(&mut self, line: &str) -> bool {
        let Some(fields) = LineFields::parse(line.as_bytes()) else {
            return false;
        };
        if fields.seq != self.seq + 1 || fields.prev != self.digest {
            return false;
        }
        *self = Self {
            seq: fields.seq,
            digest: Some(line_digest(line.as_bytes())),
            // A record without an entry can have the ID of an older one.
            id: fields.id.max(std::mem::take(&mut self.id)),
            is_damaged: false,
            needs_signature: fields.signed,
        };
        true
    }
}
