//! The audit file: one record for each change, undo, rollback and rejection.
//!
//! `audit.jsonl` is in the directory of the history and outside of its limits. Each line is a JSON
//! document that contains the SHA-256 digest of the line before it, so every later change of the
//! file is visible. `AuditLog` appends records under the lock. Read `record.rs` for the content
//! of a record, `log.rs` for the crash safety, and `verify.rs` for the verification.
//!
//! Invariants:
//!
//! - The lines of a record are durable in the history entry before the commit record. A command
//!   that finds an entry without its record appends these lines.
//! - The file only grows. Only a torn end is rewritten, if a complete record proves that it is an
//!   incomplete append.

mod agreement;
mod approval;
mod chain;
mod check;
mod copies;
mod fragment;
mod head;
mod log;
mod missing;
mod names;
mod problem;
mod record;
mod tail;
mod verify;

pub use approval::{Approval, ApprovalMethod, HunkReason};
pub use problem::{AuditProblem, AuditProblemKind, AuditVerification};
pub use record::{
    AuditEvent, AuditFile, AuditRecord, AuditRoot, AuditSigner, AuditVersion, ChangeOrigin,
    PolicyFacts, RecordContext,
};
pub use verify::verify;

pub(super) use head::save_head;
pub(super) use log::{AuditState, add_record, append_record};
pub(super) use names::{AUDIT_FILE, HEAD_FILE};
pub(super) use record::origin_of_lines;
pub(super) use tail::sync_file;
