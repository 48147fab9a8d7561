//! The names of the files of the audit.

/// The name of the audit file.
pub(in crate::transaction) const AUDIT_FILE: &str = "audit.jsonl";
/// The file of a history entry with the lines of its record, if the journal does not contain them.
pub(super) const LINES_FILE: &str = "audit";
/// The file with the number and the digest of the last record, for a history without entries.
pub(in crate::transaction) const HEAD_FILE: &str = "audit.head";

/// Returns whether `names` contains `wanted`. Ignores ASCII case, because the file system may
/// ignore it.
pub(super) fn has_name(names: &[Vec<u8>], wanted: &str) -> bool {
    names
        .iter()
        .any(|name| name.eq_ignore_ascii_case(wanted.as_bytes()))
}
