//! Repairs one patch for the files of a tree.

use super::files::FileOverlay;
use crate::path::RelPath;
use crate::plan::Repair;
use crate::repair::{
    DamagedPatch, RepairError, RepairErrorKind, RepairLog, Section, SectionSpan, budget_refusal,
};
use crate::text::Span;
use crate::workspace::WorkspaceError;

/// A repaired patch.
#[derive(Clone, Debug)]
pub(super) struct RepairedPatch {
    /// The same change as a git diff for the current files.
    pub(super) text: Vec<u8>,
    /// The repairs in the order of the patch, each once per hunk.
    pub(super) repairs: Vec<Repair>,
}

/// Repairs `text` for `files`, which contain the changes of the earlier patches. If an option names
/// one `file`, the patch is for this file. All files, hunks and readings of the patch share the
/// budget of `log`.
///
/// # Errors
///
/// Returns all reasons why the patch cannot be repaired, or the error of a failed file access.
pub(super) fn repair(
    text: &[u8],
    file: Option<&[u8]>,
    files: &mut FileOverlay<'_>,
    mut log: RepairLog,
) -> Result<Result<RepairedPatch, Vec<RepairError>>, WorkspaceError> {
    let patch = match DamagedPatch::new(text) {
        Ok(patch) => patch,
        Err(refusal) => return Ok(Err(vec![*refusal])),
    };
    let mut sections = match patch.sections(file, &mut log) {
        Ok(sections) => sections,
        Err(refusal) => return Ok(Err(vec![*refusal])),
    };
    let (mut out, mut refusals, mut results) = (Vec::new(), Vec::new(), Vec::new());
    files.set_file(file.and_then(|file| single_file(&sections, file)));
    files.learn(text, &mut sections)?;
    for section in &sections {
        let start = out.len();
        if section.is_verbatim && files.naming().changes_git_names() {
            refusals.push(verbatim_refusal(section.span));
        } else if section.is_verbatim {
            out.extend_from_slice(section.span.slice(text));
        } else {
            match files.repair_section(section, &mut log)? {
                Ok(diff) => out.extend(diff),
                Err(mut found) => refusals.append(&mut found),
            }
        }
        results.push(SectionSpan {
            line: section.line,
            span: Span::new(start, out.len()),
        });
        // A search that was cut short proves nothing, so the whole patch is refused.
        if log.is_spent() {
            if refusals.is_empty() {
                refusals.push(budget_refusal(section.span));
            }
            break;
        }
    }
    if !refusals.is_empty() {
        return Ok(Err(refusals));
    }
    Ok(Ok(RepairedPatch {
        text: out,
        repairs: log.repairs(&results),
    }))
}

/// Returns the refusal of a section that is copied to the result, with its names. The names in the
/// result are paths below the root.
fn verbatim_refusal(span: Span) -> RepairError {
    let message = "another section needs a repair, and then the names of this section must be paths \
                   below the root, with the prefixes a/ and b/";
    RepairError::new(
        RepairErrorKind::VerbatimName,
        None,
        span,
        message.to_owned(),
    )
}

/// Returns the path of `file`, which an option names, if the patch is for one file.
fn single_file(sections: &[Section<'_>], file: &[u8]) -> Option<RelPath> {
    let is_lone = sections
        .iter()
        .all(|section| section.names.first() == sections[0].names.first());
    RelPath::new(file).ok().filter(|_| is_lone)
}
