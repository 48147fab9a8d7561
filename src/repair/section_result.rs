//! The file of a section before and after the change.

use super::chunk::count_lines;
use super::compose::{self, compose};
use super::read::{Section, SectionAction};
use super::refusal::{collect_refusals, describe_truncation};
use super::{RepairError, RepairErrorKind, RepairLog};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan;
use crate::syntax::write::{DiffSide, git_diff};
use crate::text::Bytes;

/// The mode and content of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileVersion {
    pub(crate) mode: FileMode,
    pub(crate) content: Bytes,
}

/// Returns the file at `path` after `section`; `None` if the section deletes it. `before` is the
/// current file, or `None` if the file does not exist.
///
/// A new file has no context that could show missing lines, so its header must not count more lines
/// than follow, unless the text shows that the hunk is complete.
///
/// # Errors
///
/// Returns all reasons why the section cannot be repaired for this file.
pub(crate) fn apply_section(
    section: &Section<'_>,
    path: &RelPath,
    before: Option<&FileVersion>,
    log: &mut RepairLog,
) -> Result<Option<FileVersion>, Vec<RepairError>> {
    let refuse = |kind, message: String| {
        Err(vec![RepairError::new(
            kind,
            Some(path.clone()),
            section.span,
            message,
        )])
    };
    match (section.action, before) {
        (SectionAction::Create, _) => {
            if let Some(message) = describe_shortage(section) {
                return refuse(RepairErrorKind::Truncated, message);
            }
            match compose::created_content(section, log) {
                Some(content) => Ok(Some(FileVersion {
                    mode: section.mode.unwrap_or(FileMode::Regular),
                    content: content.into(),
                })),
                None => refuse(
                    RepairErrorKind::Stray,
                    "it is unclear which lines belong to the new file".to_owned(),
                ),
            }
        }
        (SectionAction::Delete, Some(FileVersion { content, .. })) => {
            match compose::is_whole_content(section, content, log) {
                Ok(true) => Ok(None),
                Ok(false) => refuse(
                    RepairErrorKind::NotFound,
                    "the file to delete differs from the patch".to_owned(),
                ),
                Err(error) => Err(collect_refusals(
                    section,
                    path,
                    content,
                    vec![(0, error)],
                    log,
                )),
            }
        }
        (SectionAction::Delete | SectionAction::Update, None) => {
            refuse(RepairErrorKind::Name, "the file does not exist".to_owned())
        }
        (SectionAction::Update, Some(FileVersion { mode, content })) => {
            match compose(section, content, log) {
                Ok(after) => Ok(Some(FileVersion {
                    mode: section.mode.unwrap_or(*mode),
                    content: after.into(),
                })),
                Err(errors) => Err(collect_refusals(section, path, content, errors, log)),
            }
        }
    }
}

/// Returns the message for a last hunk with fewer lines than its header counts; `None` if it is
/// complete.
fn describe_shortage(section: &Section<'_>) -> Option<String> {
    // In a complete hunk, only the count is wrong.
    let chunk = section.hunks.last().filter(|chunk| !chunk.is_closed)?;
    let shortage = chunk.shortage(count_lines(&chunk.body))?;
    let hunk = format!("hunk {}", section.hunks.len());
    Some(describe_truncation(&hunk, shortage))
}

/// The change of one file by a section.
pub(crate) struct SectionChange<'f> {
    pub(crate) action: SectionAction,
    pub(crate) path: &'f RelPath,
    pub(crate) before: Option<&'f FileVersion>,
    /// The path after the change. It differs from `path` if the section renames the file.
    pub(crate) target: &'f RelPath,
    pub(crate) after: Option<&'f FileVersion>,
}

impl SectionChange<'_> {
    /// Returns the change as a git diff.
    pub(crate) fn git_diff(&self) -> Vec<u8> {
        // If a file to create already exists, applying the repaired patch reports it.
        let before = self.before.filter(|_| self.action != SectionAction::Create);
        let action = match (self.path == self.target, self.action) {
            (false, _) => plan::Action::Rename,
            (_, SectionAction::Create) => plan::Action::Create,
            (_, SectionAction::Delete) => plan::Action::Delete,
            (_, SectionAction::Update) => plan::Action::Modify,
        };
        git_diff(
            action,
            side(self.path, before).as_ref(),
            side(self.target, self.after).as_ref(),
        )
    }
}

/// Returns one side of a diff.
fn side<'f>(path: &'f RelPath, file: Option<&'f FileVersion>) -> Option<DiffSide<'f>> {
    file.map(|FileVersion { mode, content }| DiffSide {
        path,
        mode: *mode,
        content,
        // Without object names, the diff has no `index` line.
        blob: "",
    })
}
