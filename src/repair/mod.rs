//! Repairs damaged patches, as models write them. A patch with exactly one possible reading becomes
//! a git diff for the current files.
//!
//! [`repair()`] converts a patch text to a [`Repaired`] patch, or returns all reasons ([`Refusal`])
//! against a repair. [`repair_texts`] repairs the texts that edits search for. [`plain_text`]
//! decodes UTF-16 and removes colours before parsing.
//!
//! 1. `older` converts context and normal diffs to unified hunks.
//! 2. `read` finds the sections and hunks in the text.
//! 3. `names` finds the file of each section.
//! 4. `readings` lists the readings of each hunk, and `place` finds the place of one of them.
//! 5. `compose` computes the new content, and `files` writes the change as a git diff.
//!
//! Invariants:
//!
//! - It writes no file. The resulting diff is matched, checked, reported and committed like any
//!   other patch.
//! - It never guesses between two readings. A hunk without a place, or with several, is refused.
//! - All work of one input shares one budget in steps, so the result does not depend on time.
//!
//! Read `readings.rs` and `place.rs` first. To add a repair, add a row to [`ROWS`] and the
//! corresponding reading in `chunk`, `read` or `names`.

mod bodies;
mod chunk;
mod compose;
mod depth;
mod elision;
mod error;
mod files;
mod fitted;
mod folded;
mod line;
mod lines;
mod lost;
mod names;
mod older;
mod parts;
mod place;
mod quoted;
mod read;
mod readings;
mod refusal;
mod rows;
mod second_match;
mod shown;
#[cfg(test)]
mod tests;
mod text;
mod texts;
mod typography;
mod unwrap;
mod vocabulary;

use crate::path::RelPath;
use crate::plan::Repair;
use crate::policy::{Policy, Verdict};
use crate::text::Span;
use crate::workspace::{Workspace, WorkspaceError};

use files::Files;
use names::Names;
use older::OwnedLine;
pub use quoted::unquoted;
use read::{Section, Unread};
use refusal::unfinished;
pub use refusal::{Refusal, RefusalKind};
use rows::RepairLog;
pub use rows::{ROWS, RepairKind, Work};
pub use text::plain_text;
pub use texts::{TextRepairs, has_elision, repair_texts};

/// A repaired patch.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The same change as a git diff for the current files.
    pub text: Vec<u8>,
    /// The repairs in the order of the patch, each once per hunk.
    pub repairs: Vec<Repair>,
}

/// Repairs `text` for the files below the root of `workspace`, whose absolute path is `root`. If an
/// option names one `file`, the patch is for this file. Files of more than `max_file` bytes are not
/// read. Files that `policy` denies, or whose verdict on reading is at least as strict as `unread`,
/// are not read either.
///
/// # Errors
///
/// Returns all reasons why the patch cannot be repaired, or the error of a failed file access.
pub fn repair(
    text: &[u8],
    workspace: &dyn Workspace,
    (policy, unread): (&Policy, Verdict),
    (root, file): (&[u8], Option<&[u8]>),
    max_file: u64,
) -> Result<Result<Repaired, Vec<Refusal>>, WorkspaceError> {
    repair_within(
        text,
        workspace,
        (policy, unread),
        (root, file),
        max_file,
        RepairLog::default(),
    )
}

/// Repairs `text` like [`repair`], with the budget of `log`. All files, hunks and readings of the
/// input share this budget.
fn repair_within(
    text: &[u8],
    workspace: &dyn Workspace,
    (policy, unread): (&Policy, Verdict),
    (root, file): (&[u8], Option<&[u8]>),
    max_file: u64,
    mut log: RepairLog,
) -> Result<Result<Repaired, Vec<Refusal>>, WorkspaceError> {
    let converted = match older::converted(text).transpose() {
        Ok(converted) => converted,
        Err(span) => return Ok(Err(vec![refuse(&Unread::Stray(span))])),
    };
    let sections = match read_sections(text, converted.as_deref(), file, &mut log) {
        Ok(sections) => sections,
        Err(refusal) => return Ok(Err(vec![*refusal])),
    };
    let (mut out, mut refusals, mut made) = (Vec::new(), Vec::new(), Vec::new());
    let file = file.and_then(|file| lone_file(&sections, file));
    let mut files = Files::new(
        Names {
            workspace,
            policy,
            unread,
            root,
            file,
        },
        max_file,
    );
    for section in &sections {
        let start = out.len();
        if section.is_verbatim {
            out.extend_from_slice(section.span.of(text));
        } else {
            match files.section(section, &mut log)? {
                Ok(diff) => out.extend(diff),
                Err(mut found) => refusals.append(&mut found),
            }
        }
        made.push((section.line, Span::new(start, out.len())));
        if log.is_spent() {
            if refusals.is_empty() {
                refusals.push(unfinished(section.span));
            }
            break;
        }
    }
    if !refusals.is_empty() {
        return Ok(Err(refusals));
    }
    Ok(Ok(Repaired {
        text: out,
        repairs: log.repairs(&made),
    }))
}

/// Reads the sections of `text`. The result contains at least one section.
fn read_sections<'t>(
    text: &'t [u8],
    converted: Option<&'t [OwnedLine<'t>]>,
    file: Option<&'t [u8]>,
    log: &mut RepairLog,
) -> Result<Vec<Section<'t>>, Box<Refusal>> {
    let sections =
        read::read(text, converted, file, log).map_err(|error| Box::new(refuse(&error)))?;
    if sections.is_empty() {
        let message = "no patch found";
        let refusal = Refusal::new(RefusalKind::NoPatch, None, Span::default(), message);
        return Err(Box::new(refusal));
    }
    Ok(sections)
}

/// Returns the path of `file`, which an option names, if the patch is for one file.
fn lone_file(sections: &[Section<'_>], file: &[u8]) -> Option<RelPath> {
    let is_lone = sections
        .iter()
        .all(|section| section.names.first() == sections[0].names.first());
    RelPath::new(file).ok().filter(|_| is_lone)
}

/// Returns the refusal of a text whose sections cannot be read.
fn refuse(error: &Unread) -> Refusal {
    let (kind, span, message) = match error {
        Unread::Stray(span) => (
            RefusalKind::Stray,
            span,
            "these lines do not belong to any change in the patch".to_owned(),
        ),
        Unread::Mixed { diff, block, span } => {
            let message = format!(
                "line {diff} starts a diff and line {block} starts a SEARCH/REPLACE block, and the diff does not \
                 apply; provide each in a separate input"
            );
            (RefusalKind::Stray, span, message)
        }
        Unread::Cut(span) => (
            RefusalKind::Cut,
            span,
            "the patch ends in the middle of this section".to_owned(),
        ),
    };
    Refusal::new(kind, None, *span, message)
}
