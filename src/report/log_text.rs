//! The texts of the log: notes, who made a change, and the lines of diffs.

use std::io;

use serde::{Serialize, Serializer};

use super::words::text;
use crate::text::{printable, printable_line, without_ending};
use crate::transaction::audit::{ApprovalMethod, ChangeOrigin};

/// Prints the note of an edit session.
pub(super) fn print_note(note: &str, out: &mut dyn io::Write) -> io::Result<()> {
    note.lines()
        .try_for_each(|line| writeln!(out, "  note: {}", printable(line.as_bytes())))
}

/// Prints a line of a diff with its original line ending, which programs that parse the diff need.
pub(super) fn print_line(line: &[u8], out: &mut dyn io::Write) -> io::Result<()> {
    let text = without_ending(line);
    write!(out, "{}", printable_line(text))?;
    out.write_all(&line[text.len()..])
}

#[allow(clippy::ref_option, reason = "the shape that serde calls")]
pub(super) fn as_text<S: Serializer>(
    diff: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    diff.as_deref().map(text).serialize(serializer)
}

/// Prints the plan of a rejection or of an approval, and who made the change.
pub(super) fn print_origin(
    origin: &ChangeOrigin,
    is_rejection: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = |text: &String| printable(text.as_bytes()).to_string();
    if let Some(plan) = origin.plan_id.as_ref().filter(|_| is_rejection) {
        writeln!(out, "  {}", text(plan))?;
    }
    let named = [
        ("actor", &origin.actor),
        ("by", &origin.by),
        ("request", &origin.request_id),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            writeln!(out, "  {name}: {}", text(value))?;
        }
    }
    let Some(approval) = &origin.approval else {
        return Ok(());
    };
    match (approval.how, &origin.plan_id, &approval.rule) {
        (ApprovalMethod::PlanId, Some(plan), _) => writeln!(out, "  approved: {}", text(plan)),
        (ApprovalMethod::Elicitation, _, _) => writeln!(out, "  approved: answer of the user"),
        (ApprovalMethod::Review, _, _) => writeln!(out, "  approved: review in the terminal"),
        (ApprovalMethod::Policy, _, Some(rule)) => {
            writeln!(out, "  approved: policy rule {}", text(rule))
        }
        _ => Ok(()),
    }
}
