//! The result of the verification of the audit file, as data and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::text::printable;
use crate::transaction::audit::AuditVerification;

/// The name and version of the JSON format of [`AuditReport`].
pub const AUDIT_REPORT_SCHEMA: &str = "wpatch.audit-report/1";

/// The result of `log --verify`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch audit report"))]
#[non_exhaustive]
pub struct AuditReport {
    /// `wpatch.audit-report/1`.
    pub schema: &'static str,
    /// Whether all audit files are intact.
    pub ok: bool,
    /// The exit code: 0, or 1 after a fault.
    pub exit_code: u8,
    /// The audit files. The history of a work tree has one, and none before the first change.
    pub files: Vec<AuditVerification>,
}

impl AuditReport {
    /// Returns the report about `files`.
    #[must_use]
    pub fn of(files: Vec<AuditVerification>) -> Self {
        let ok = files.iter().all(|file| file.problem.is_none());
        Self {
            schema: AUDIT_REPORT_SCHEMA,
            ok,
            exit_code: u8::from(!ok),
            files,
        }
    }

    /// Prints the report as text.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        if self.files.is_empty() {
            writeln!(out, "the audit file does not exist yet")?;
        }
        for file in &self.files {
            let path = printable(file.path.as_bytes());
            if let Some(problem) = &file.problem {
                let seq = problem.seq.map(|seq| format!("record {seq}"));
                let time = problem.time.as_deref().map(|time| format!("of {time}"));
                let record: Vec<_> = seq.into_iter().chain(time).collect();
                let record = printable(record.join(" ").as_bytes()).to_string();
                let separator = if record.is_empty() { "" } else { ": " };
                let line = problem.line;
                writeln!(out, "{path}:{line}: {record}{separator}{}", problem.message)?;
                writeln!(out, "help: {}", problem.help)?;
                continue;
            }
            let (records, signed) = (file.records, file.signed);
            let repaired = match file.repaired {
                0 => String::new(),
                repaired => format!(", repaired {repaired}"),
            };
            writeln!(
                out,
                "{path}: lines {records}, signed {signed}{repaired}, intact"
            )?;
            if let (Some(seq), Some(digest)) = (file.seq, &file.digest) {
                writeln!(out, "newest record: {seq} {}", printable(digest.as_bytes()))?;
            }
        }
        Ok(())
    }
}
