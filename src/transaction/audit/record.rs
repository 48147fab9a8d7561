//! The content of an audit record.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::{Approval, HunkReason};
use crate::digest::Sha256;
use crate::path::RelPath;
use crate::text::{format_rfc3339, printable};
use crate::transaction::change::{Change, FileIdentity};
use crate::transaction::group::{GroupMember, GroupRecord};
use crate::transaction::journal::Journal;
use crate::transaction::{Failure, git_index_file};

/// The name and version of the format of a record.
const AUDIT_SCHEMA: &str = "wpatch.audit/1";

/// One line of the audit file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch audit record"))]
#[non_exhaustive]
pub struct AuditRecord {
    /// `wpatch.audit/1`.
    pub schema: String,
    /// The number of the record. The first record has number 1.
    pub seq: u64,
    /// The digest of the bytes of the previous line, including its line feed, as `sha256:HEX`; null
    /// in the first record.
    pub prev: Option<String>,
    /// The time of the record, in RFC 3339 format.
    pub time: String,
    /// What happened.
    pub event: AuditEvent,
    /// The identifier of the entry in the history.
    pub id: String,
    /// The command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The entries that the change undoes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<String>,
    /// The origin of the change.
    #[serde(flatten)]
    pub origin: ChangeOrigin,
    /// The reason for a rejection, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reasons for the rejection of hunks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkReason>,
    /// The root of the command below the top of the work tree, if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The roots of a change of several roots. The record in the audit file of each root has the
    /// same identifier and the files of that root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<AuditRoot>,
    /// The changed files, sorted by path. Paths start at the top of the work tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AuditFile>,
    /// Whether the next line is the signature of this record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// The number of the signed or repaired record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// The signature of the line with number `of`: the output of the command of `--sign-with`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The number of bytes of the record `of` that were in the file before the repair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The number of records that the repair restored, starting with the record `of`. A crash or a
    /// full disk can have prevented them, or another program removed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
}

/// A root of a change of several roots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AuditRoot {
    /// The name of the root in the command.
    pub name: String,
    /// The absolute path of the top of the work tree, or of the root outside of git.
    pub path: String,
}

/// What a record states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent {
    /// A change was committed.
    #[default]
    Applied,
    /// Changes were undone.
    Undone,
    /// An undo was undone.
    Redone,
    /// The process died before the commit record, and recovery rolled the change back.
    Aborted,
    /// A plan was rejected.
    Rejected,
    /// The rejection of a plan was removed.
    Withdrawn,
    /// The record contains the signature of the record before it.
    Signature,
    /// The end of the file was an incomplete record, or records were missing there. They were
    /// restored.
    Repaired,
}

impl AuditEvent {
    /// Returns whether such a record belongs to an entry of the history.
    pub(super) fn has_entry(self) -> bool {
        matches!(
            self,
            Self::Applied | Self::Undone | Self::Redone | Self::Aborted | Self::Rejected
        )
    }
}

/// The origin of a change: the approved plan, the caller and the patches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ChangeOrigin {
    /// The plan: the `plan_id` of the change or of the rejected plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// The approval of the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// The author of the change, as the caller states it (`--actor`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The person who is responsible for the command, as the caller states it (`--by`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The caller's identifier of the request (`--request-id`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The trace context of the command: `TRACEPARENT` of W3C Trace Context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// The verdict of policy on the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyFacts>,
    /// The SHA-256 digest of each patch, as `sha256:HEX`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<String>,
}

/// The verdict of policy, with the rules that decide it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct PolicyFacts {
    /// `allow`, `ask` or `deny`.
    pub verdict: String,
    /// The names of the rules that match, the deciding rule first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The policy files; absent if only built-in rules apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A file of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AuditFile {
    /// The path.
    pub path: String,
    /// `create`, `modify`, `delete` or `mode`.
    pub op: String,
    /// The file before the change; null for a new file.
    #[serde(default)]
    pub before: Option<AuditVersion>,
    /// The file after the change; null for a deleted file.
    #[serde(default)]
    pub after: Option<AuditVersion>,
}

/// One version of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AuditVersion {
    /// The SHA-256 digest of the content; absent if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The XXH3-128 digest of the content, or of the target of a link.
    pub xxh3: String,
    /// The size in bytes.
    pub size: u64,
}

/// Signs records.
pub trait AuditSigner: Sync {
    /// Returns the signature of `line`, the bytes of a record with its line feed.
    ///
    /// # Errors
    ///
    /// Returns the reason why there is no signature. The change is then refused.
    fn sign(&self, line: &[u8]) -> Result<String, Failure>;
}

/// The facts about a change that the journal does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordContext {
    /// The origin.
    pub origin: ChangeOrigin,
    /// The SHA-256 digests before and after, by the path below the root.
    pub sha256: BTreeMap<RelPath, [Option<String>; 2]>,
}

impl AuditRecord {
    /// Returns a record without number and digest.
    pub(in crate::transaction) fn new(event: AuditEvent, id: &str, seconds: u64) -> Self {
        Self {
            schema: AUDIT_SCHEMA.to_owned(),
            time: format_rfc3339(seconds),
            event,
            id: id.to_owned(),
            ..Self::default()
        }
    }

    /// Returns the record of the change in `journal`.
    pub(in crate::transaction) fn of_journal(
        journal: &Journal,
        (id, seconds): (&str, u64),
        context: &RecordContext,
    ) -> Self {
        let event = match (journal.undoes.is_empty(), journal.is_redo) {
            (true, _) => AuditEvent::Applied,
            (false, true) => AuditEvent::Redone,
            (false, false) => AuditEvent::Undone,
        };
        let new = Self::new(event, id, seconds);
        let mut origin = context.origin.clone();
        if let Some(approval) = &mut origin.approval {
            approval.time.clone_from(&new.time);
        }
        let changes = journal
            .changes
            .iter()
            .filter(|change| !git_index_file::is_index_path(&change.path));
        Self {
            command: journal.command.clone(),
            undoes: journal.undoes.clone(),
            origin,
            root: journal.below.clone(),
            roots: journal.group.as_ref().map(audit_roots).unwrap_or_default(),
            files: changes
                .map(|change| AuditFile::of(change, context.sha256.get(&change.path)))
                .collect(),
            ..new
        }
    }

    /// Returns the bytes of the line. Its `prev` is the digest of the line before it.
    pub(super) fn to_line(&self) -> Result<String, Failure> {
        let mut line = serde_json::to_string(self).map_err(|error| Failure::State {
            reason: error.to_string(),
        })?;
        line.push('\n');
        Ok(line)
    }
}

fn audit_roots(group: &GroupRecord) -> Vec<AuditRoot> {
    let members = group.members.iter();
    let root = |member: &GroupMember| AuditRoot {
        name: member.name().map_or_else(String::new, |it| it.to_string()),
        path: printable(&member.location()).to_string(),
    };
    members.map(root).collect()
}

/// Returns the digest of a line as a record contains it.
pub(super) fn line_digest(line: &[u8]) -> String {
    Sha256::of(line).to_string()
}

/// Returns the origin in the first of `lines`, the lines of an entry.
pub(in crate::transaction) fn origin_of_lines(lines: &[String]) -> ChangeOrigin {
    let origin = lines
        .first()
        .and_then(|line| serde_json::from_str(line).ok());
    origin.unwrap_or_default()
}

impl AuditFile {
    pub(super) fn of(change: &Change, sha256: Option<&[Option<String>; 2]>) -> Self {
        let [before_sha256, after_sha256] = sha256.cloned().unwrap_or_default();
        let op = match (change.before, change.after) {
            (None, _) => "create",
            (Some(_), None) => "delete",
            (Some(before), Some(after)) if before.is_same_content(&after) => "mode",
            (Some(_), Some(_)) => "modify",
        };
        Self {
            path: String::from_utf8_lossy(change.path.as_bytes()).into_owned(),
            op: op.to_owned(),
            before: change
                .before
                .map(|image| AuditVersion::of(image, before_sha256)),
            after: change
                .after
                .map(|image| AuditVersion::of(image, after_sha256)),
        }
    }
}

impl AuditVersion {
    fn of(image: FileIdentity, sha256: Option<String>) -> Self {
        Self {
            sha256,
            xxh3: image.digest.to_string(),
            size: image.size,
        }
    }
}
