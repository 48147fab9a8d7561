//! The decisions of a review in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// The decisions of a reviewer on a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch decisions"))]
#[non_exhaustive]
pub struct Decisions {
    /// `wpatch.decisions/1`.
    pub schema: &'static str,
    /// `applied`, `saved`, `rejected`, or `ended` if the review ended without a result. `failed` if
    /// the accepted part was not applied or saved, for the reason in the report.
    pub result: ReviewResult,
    /// The `plan_id` of the whole patch, without edits of the reviewer; null if the patch does not
    /// apply as a whole.
    pub plan_id: Option<String>,
    /// The `plan_id` of the accepted part; null if nothing was applied or saved.
    pub accepted_plan_id: Option<String>,
    /// The list for `--only` that selects the accepted part; null if nothing is accepted.
    pub only: Option<String>,
    /// A summary for the author of the patch, with all reasons.
    pub message: String,
    /// The files of the patch, in order.
    pub files: Vec<FileDecisions>,
}

impl Decisions {
    /// Returns the reasons of the rejections, by the `id` of the file or hunk.
    pub(super) fn reasons(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().flat_map(|file| {
            let own = (&file.id, &file.reason);
            let hunks = file.hunks.iter().map(|hunk| (&hunk.id, &hunk.reason));
            let all = std::iter::once(own).chain(hunks);
            all.filter_map(|(id, reason)| Some((id.as_str(), reason.as_deref()?)))
        })
    }
}

/// The result of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReviewResult {
    /// The accepted part is applied.
    Applied,
    /// The accepted part is saved as a plan.
    Saved,
    /// The patch is rejected.
    Rejected,
    /// The reviewer ended the review without applying or rejecting.
    Ended,
    /// The accepted part was not applied or saved.
    Failed,
}

/// The decisions on one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct FileDecisions {
    /// The `id` of the file in the report of a check of the patch.
    pub id: String,
    /// The path after the change, or the path of a deleted file. Bytes that are not UTF-8 are
    /// escaped.
    pub path: String,
    /// The decision on all parts of the file.
    pub decision: PartDecision,
    /// The reason of the rejection of a file without hunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hunks, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkDecision>,
}

/// The decision on one hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct HunkDecision {
    /// The `id` of the hunk in the report of a check of the patch.
    pub id: String,
    /// The decision on the hunk.
    pub decision: PartDecision,
    /// The accepted lines, if only some are accepted: ranges of lines, counted from 1 below the
    /// header of the hunk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// The reason of the rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The text that the reviewer has written in place of the hunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
}

/// The decision on a file or a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PartDecision {
    /// All of it is accepted.
    Accepted,
    /// All of it is rejected.
    Rejected,
    /// A part of it is accepted.
    Partial,
    /// The reviewer has not decided. It is not accepted.
    Undecided,
}

/// The name and version of the JSON format of [`Decisions`].
pub const DECISIONS_SCHEMA: &str = "wpatch.decisions/1";

impl Decisions {
    /// Returns the decisions with the summary for the author.
    #[must_use]
    pub fn new(result: ReviewResult, only: Option<String>, files: Vec<FileDecisions>) -> Self {
        let message = summarize(result, &files);
        Self {
            schema: DECISIONS_SCHEMA,
            result,
            plan_id: None,
            accepted_plan_id: None,
            only,
            message,
            files,
        }
    }
}

impl FileDecisions {
    /// Returns the decisions on one file.
    #[must_use]
    pub fn new(
        (id, path): (String, String),
        decision: PartDecision,
        reason: Option<String>,
        hunks: Vec<HunkDecision>,
    ) -> Self {
        Self {
            id,
            path,
            decision,
            reason,
            hunks,
        }
    }
}

impl HunkDecision {
    /// Returns the decision on one hunk, without edit.
    #[must_use]
    pub fn new(
        id: String,
        decision: PartDecision,
        lines: Vec<String>,
        reason: Option<String>,
    ) -> Self {
        Self {
            id,
            decision,
            lines,
            reason,
            edited: None,
        }
    }
}

/// Returns the summary for the author: the result, and a line for each part that is not accepted.
fn summarize(result: ReviewResult, files: &[FileDecisions]) -> String {
    let is_accepted = |file: &FileDecisions| {
        let is_edited = file.hunks.iter().any(|hunk| hunk.edited.is_some());
        file.decision == PartDecision::Accepted && !is_edited
    };
    let is_whole = files.iter().all(is_accepted);
    let head = match (result, is_whole) {
        (ReviewResult::Applied, true) => "The reviewer applied the whole patch.",
        (ReviewResult::Applied, false) => "The reviewer applied the accepted part of the patch.",
        (ReviewResult::Saved, true) => "The reviewer accepted the whole patch, which is saved.",
        (ReviewResult::Saved, false) => {
            "The reviewer accepted a part of the patch, which is saved."
        }
        (ReviewResult::Rejected, _) => "The reviewer rejected the patch.",
        (ReviewResult::Ended, _) => "The reviewer ended the review. Nothing was applied.",
        (ReviewResult::Failed, _) => "The accepted part of the patch was not applied.",
    };
    let mut lines = vec![head.to_owned()];
    for file in files {
        let part = |id: &str, words: String| format!("- {} ({id}): {words}", file.path);
        if file.hunks.is_empty() {
            let words = describe(file.decision, &[], file.reason.as_deref());
            lines.extend(words.map(|words| part(&file.id, words)));
        }
        for hunk in &file.hunks {
            let words = describe(hunk.decision, &hunk.lines, hunk.reason.as_deref());
            let edited = hunk.edited.as_ref().map(|_| "edited".to_owned());
            let words: Vec<_> = edited.into_iter().chain(words).collect();
            if !words.is_empty() {
                lines.push(part(&hunk.id, words.join("; ")));
            }
        }
    }
    lines.join("\n")
}

/// Describes a part that is not wholly accepted.
fn describe(decision: PartDecision, lines: &[String], reason: Option<&str>) -> Option<String> {
    let words = match decision {
        PartDecision::Accepted => return None,
        PartDecision::Rejected => "rejected".to_owned(),
        PartDecision::Partial if lines.is_empty() => "not accepted".to_owned(),
        PartDecision::Partial => format!("only lines {} accepted", lines.join(", ")),
        PartDecision::Undecided => "no decision".to_owned(),
    };
    Some(match reason {
        Some(reason) => format!("{words}: {reason}"),
        None => words,
    })
}
