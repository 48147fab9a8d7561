//! The format for clients of the Agent Client Protocol: an update of a tool call.

use std::io;

use serde_json::{Value, json};

use super::words::text;
use super::{FileReport, FileStatus, FileType, Format, Op, Outcome, Report, print_json, refusal};
use crate::policy::Verdict;
use crate::syntax::write::{self, DiffHunk};
use crate::text::printable;

/// One `ToolCallUpdate`. It can be the `update` of a `session/update` or the `toolCall` of a
/// `session/request_permission`.
///
/// After a check the status of the call is `pending`. The sender must set `toolCallId` to the id of
/// its own call.
pub(super) struct Acp;

impl Format for Acp {
    fn name(&self) -> &'static str {
        "acp"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let status = match report.outcome {
            Outcome::WouldApply | Outcome::Described => "pending",
            _ if report.ok => "completed",
            _ => "failed",
        };
        print_json(
            &json!({
                "sessionUpdate": "tool_call_update",
                "toolCallId": call_id(report),
                "title": title(report),
                "kind": kind(report),
                "status": status,
                "content": content(report),
                "locations": report.files.iter().flat_map(|file| locations(report, file)).collect::<Vec<_>>(),
                "rawOutput": {
                    "outcome": report.outcome,
                    "exit_code": report.exit_code,
                    "plan_id": report.plan_id,
                    "policy": report.policy,
                    "summary": report.summary,
                },
            }),
            out,
        )
    }
}

fn content(report: &Report) -> Vec<Value> {
    let refused = (!report.ok).then(|| text_block(&refusal(report)));
    let files: &[FileReport] = if report.ok || report.outcome.is_partial() {
        &report.files
    } else {
        &[]
    };
    let changed = files.iter().filter(|file| report.ok || is_changed(file));
    // After an applied change the approval was already given.
    let asked = files.iter().filter(|_| report.outcome.is_dry_run());
    refused
        .into_iter()
        .chain(changed.flat_map(|file| content_blocks(report, file)))
        .chain(asked.filter_map(permission_request))
        .collect()
}

/// Returns whether a partial change affects the file: not all hunks were rejected, or the file also
/// has another name or mode.
fn is_changed(file: &FileReport) -> bool {
    match file.status {
        FileStatus::Ok => true,
        FileStatus::Partial => file.op != Op::Modify || file.added + file.removed > 0,
        _ => false,
    }
}

/// Returns the reason why the file needs an approval.
fn permission_request(file: &FileReport) -> Option<Value> {
    let reason = file
        .reason
        .as_deref()
        .filter(|_| file.verdict == Verdict::Ask)?;
    let said = format!("policy requires approval for {}: {reason}", file.path);
    Some(text_block(&printable(said.as_bytes()).to_string()))
}

/// Returns the default id of the call, for senders without an id of their own.
fn call_id(report: &Report) -> &str {
    let committed = report
        .transaction
        .as_ref()
        .and_then(|transaction| transaction.id.as_deref());
    committed.or(report.plan_id.as_deref()).unwrap_or("wpatch")
}

fn title(report: &Report) -> String {
    match report.files.as_slice() {
        [] => "Apply a patch".to_owned(),
        [file] => format!("{} {}", verb(file.op), file.path),
        files => format!("Edit {} files", files.len()),
    }
}

fn verb(op: Op) -> &'static str {
    match op {
        Op::Create | Op::Copy => "Create",
        Op::Modify | Op::Mode => "Edit",
        Op::Delete => "Delete",
        Op::Rename => "Move",
    }
}

fn kind(report: &Report) -> &'static str {
    let all = |op: Op| !report.files.is_empty() && report.files.iter().all(|file| file.op == op);
    match () {
        () if all(Op::Delete) => "delete",
        () if all(Op::Rename) => "move",
        () => "edit",
    }
}

/// Returns the positions of changes in a file, for clients that follow the agent. Returns none if
/// the report does not contain the root.
fn locations(report: &Report, file: &FileReport) -> Vec<Value> {
    let Some(root) = &report.root else {
        return Vec::new();
    };
    let path = absolute_path(root, file);
    let lines: Vec<_> = changed_lines(file)
        .iter()
        .map(|hunk| hunk.line.max(1))
        .collect();
    let failed = file
        .hunks
        .iter()
        .filter_map(|hunk| Some(hunk.nearest.as_ref()?.first_differing_line()));
    let lines: Vec<_> = lines.into_iter().chain(failed).collect();
    match lines.as_slice() {
        [] => vec![json!({"path": path})],
        lines => lines
            .iter()
            .map(|line| json!({"path": path, "line": line}))
            .collect(),
    }
}

/// Returns each changed range as old and new text, and other changes as a sentence.
fn content_blocks(report: &Report, file: &FileReport) -> Vec<Value> {
    let path = absolute_path(report.root.as_deref().unwrap_or_default(), file);
    let diffs = changed_lines(file).into_iter().map(|hunk| {
        let old = Some(hunk.old).filter(|_| file.op != Op::Create);
        json!({"type": "diff", "path": path, "oldText": old, "newText": hunk.new})
    });
    let mut shown: Vec<_> = diffs.collect();
    if shown.is_empty() && file.op == Op::Create && file.file_type == FileType::Text {
        shown.push(json!({"type": "diff", "path": path, "oldText": null, "newText": ""}));
    }
    let is_more =
        file.is_mode_change() || matches!(file.op, Op::Rename | Op::Copy) || shown.is_empty();
    if is_more {
        shown.push(text_block(&super::text::line(file)));
    }
    shown
}

fn text_block(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

fn absolute_path(root: &str, file: &FileReport) -> String {
    format!(
        "{}/{}",
        root.trim_end_matches('/'),
        text(file.path.as_bytes())
    )
}

/// One changed range.
struct ChangedLines {
    /// The first line after the change, counted from 1.
    line: usize,
    old: String,
    new: String,
}

/// Returns the hunks of the file's diff. A diff that is not UTF-8 was escaped to a single line, so
/// it has no hunks.
fn changed_lines(file: &FileReport) -> Vec<ChangedLines> {
    let diff = file.diff.as_deref().unwrap_or_default().as_bytes();
    let lines = |hunk: DiffHunk<'_>| ChangedLines {
        line: hunk.new.start,
        old: side_text(&hunk.lines, b'-'),
        new: side_text(&hunk.lines, b'+'),
    };
    write::hunks(diff).into_iter().map(lines).collect()
}

/// Returns the text of the context lines and of the lines with the marker `sign`.
fn side_text(lines: &[&[u8]], sign: u8) -> String {
    let mut text = Vec::new();
    let mut is_last = false;
    for line in lines {
        match line.split_first() {
            // `\ No newline at end of file` refers to the line before it.
            Some((b'\\', _)) if is_last => drop(text.pop()),
            Some((marker, rest)) if *marker == b' ' || *marker == sign => {
                text.extend_from_slice(rest);
                text.push(b'\n');
                is_last = true;
            }
            _ => is_last = false,
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
