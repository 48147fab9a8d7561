//! Finds the first fault of a chain of records, and its kind.

use super::chain::LineFields;
use super::copies::Copies;
use super::problem::{AuditProblem, AuditProblemKind};
use super::record::{AuditEvent, line_digest};

/// The verification of the lines of an audit file, from the first to the last.
pub(super) struct ChainCheck<'a> {
    lines: &'a [&'a [u8]],
    copies: &'a Copies,
}

/// The state of the chain before a line: the number that the line must have, and its `prev`.
struct Expected {
    seq: u64,
    digest: Option<String>,
    /// Whether the line must be the signature of the one before it.
    is_signature: bool,
}

impl<'a> ChainCheck<'a> {
    pub(super) fn new(lines: &'a [&'a [u8]], copies: &'a Copies) -> Self {
        Self { lines, copies }
    }

    /// Returns the first fault.
    pub(super) fn first_problem(&self) -> Option<AuditProblem> {
        let mut expected = Expected {
            seq: 1,
            digest: None,
            is_signature: false,
        };
        for (index, line) in self.lines.iter().enumerate() {
            if !line.ends_with(b"\n") {
                return Some(self.incomplete(index, &expected));
            }
            let Some(fields) = LineFields::parse(line) else {
                let message = "the line is not an audit record".to_owned();
                let problem = AuditProblem::of_line(AuditProblemKind::Changed, index, message);
                let seq = Some(expected.seq);
                return Some(AuditProblem { seq, ..problem });
            };
            if self.copies.proves(fields.seq, line) == Some(false) {
                return Some(self.differing(index, &fields));
            }
            if fields.seq != expected.seq {
                return Some(self.misplaced(index, &fields, &expected));
            }
            if fields.prev != expected.digest {
                return Some(self.broken_link(index, &fields));
            }
            if expected.is_signature && fields.event != AuditEvent::Signature {
                let message = "the signature of the record before it is missing".to_owned();
                let kind = AuditProblemKind::Dropped;
                return Some(AuditProblem::at(kind, index, &fields, message));
            }
            expected = Expected {
                seq: fields.seq + 1,
                digest: Some(line_digest(line)),
                is_signature: fields.signed,
            };
        }
        None
    }

    fn fields(&self, index: usize) -> Option<LineFields> {
        LineFields::parse(self.lines.get(index)?)
    }

    /// Returns whether a later line contains the digest of the line `index`.
    fn is_linked(&self, index: usize) -> Option<bool> {
        let next = self.fields(index + 1)?;
        Some(next.prev == Some(line_digest(self.lines[index])))
    }

    /// Returns the problem of the last line, which has no line feed.
    fn incomplete(&self, index: usize, expected: &Expected) -> AuditProblem {
        let copy = self.copies.lines.get(&expected.seq);
        let is_start = copy.is_some_and(|copy| copy.as_bytes().starts_with(self.lines[index]));
        let message = "the last record is incomplete".to_owned();
        let problem = AuditProblem::of_line(AuditProblemKind::Incomplete, index, message);
        let fields = copy.and_then(|copy| LineFields::parse(copy.as_bytes()));
        let help = if is_start {
            "run `wpatch recover`, which completes the record from the history".to_owned()
        } else {
            problem.help
        };
        AuditProblem {
            seq: Some(expected.seq),
            time: fields.map(|fields| fields.time),
            help,
            ..problem
        }
    }

    /// Returns the problem of the line `index`, which differs from the record of its number in the
    /// history or in the head.
    fn differing(&self, index: usize, fields: &LineFields) -> AuditProblem {
        let copy = self.copies.lines.get(&fields.seq);
        let is_original = |line: &&[u8]| copy.is_some_and(|copy| copy.as_bytes() == *line);
        let (kind, message) = if self.lines[index..].iter().any(is_original) {
            (
                AuditProblemKind::Inserted,
                "the record was inserted: a later line is the record of this number",
            )
        } else {
            (
                AuditProblemKind::Changed,
                "the record was changed: the history has another one",
            )
        };
        AuditProblem::at(kind, index, fields, message.to_owned())
    }

    /// Returns the problem of the line `index`, which has another number than expected.
    fn misplaced(&self, index: usize, fields: &LineFields, expected: &Expected) -> AuditProblem {
        let at = |kind, message: String| AuditProblem::at(kind, index, fields, message);
        let next = self.fields(index + 1).map(|next| next.seq);
        let later = || (index + 1..self.lines.len()).filter_map(|index| self.fields(index));
        if fields.seq > expected.seq {
            let seq = expected.seq;
            if next == Some(seq + 1) {
                let message = format!("the number was changed from {seq}");
                return at(AuditProblemKind::Changed, message);
            }
            if later().any(|later| later.seq == seq) {
                let message = format!("the record is out of order: record {seq} follows it");
                return at(AuditProblemKind::Reordered, message);
            }
            let range = if fields.seq == seq + 1 {
                format!("record {seq} is")
            } else {
                format!("records {seq} to {} are", fields.seq - 1)
            };
            let message = format!("{range} missing before record {}", fields.seq);
            let problem = at(AuditProblemKind::Dropped, message);
            let copy = self.copies.lines.get(&seq);
            let copy = copy.and_then(|copy| LineFields::parse(copy.as_bytes()));
            return AuditProblem {
                seq: Some(seq),
                time: copy.map(|copy| copy.time),
                ..problem
            };
        }
        if next == Some(expected.seq + 1) && !self.lines[..index].contains(&self.lines[index]) {
            let message = format!("the number was changed from {}", expected.seq);
            return at(AuditProblemKind::Changed, message);
        }
        let before = index.checked_sub(1).and_then(|index| self.fields(index));
        let is_duplicate = self.lines[..index].contains(&self.lines[index]);
        match before {
            // Both lines have the same number. The following line shows which one belongs there.
            Some(before)
                if !is_duplicate
                    && before.seq == fields.seq
                    && self.is_linked(index) == Some(true) =>
            {
                let message = "the record was inserted: the next line has the same number";
                let kind = AuditProblemKind::Inserted;
                AuditProblem::at(kind, index - 1, &before, message.to_owned())
            }
            _ => {
                let message = format!(
                    "the record was inserted: a line before it has the number {}",
                    fields.seq
                );
                at(AuditProblemKind::Inserted, message)
            }
        }
    }

    /// Returns the problem of the line `index`, whose `prev` is not the digest of the line before.
    fn broken_link(&self, index: usize, fields: &LineFields) -> AuditProblem {
        let is_genuine = match self.copies.proves(fields.seq, self.lines[index]) {
            Some(is_genuine) => is_genuine,
            None => self.is_linked(index).unwrap_or(true),
        };
        let before = index.checked_sub(1).and_then(|index| self.fields(index));
        let is_before_proven = before.as_ref().is_some_and(|before| {
            self.copies.proves(before.seq, self.lines[index - 1]) == Some(true)
        });
        match before {
            Some(before) if is_genuine && !is_before_proven => {
                let message = "the record was changed: the next record has another digest of it";
                let kind = AuditProblemKind::Changed;
                AuditProblem::at(kind, index - 1, &before, message.to_owned())
            }
            _ => {
                let message = "the record was changed: its digest of the previous line is wrong";
                let kind = AuditProblemKind::Changed;
                AuditProblem::at(kind, index, fields, message.to_owned())
            }
        }
    }
}
