//! Reads the sections of a damaged patch in any of the formats of diffs.

use super::older::{self, OwnedLine};
use super::read::{self, ReadError, Section};
use super::{RepairError, RepairErrorKind, RepairLog};
use crate::text::Span;

/// A damaged patch. Its context and normal diffs are converted to unified diffs.
pub(crate) struct DamagedPatch<'t> {
    text: &'t [u8],
    /// The lines of the patch; `None` if no hunk needs a conversion.
    converted: Option<Vec<OwnedLine<'t>>>,
}

impl<'t> DamagedPatch<'t> {
    /// Converts the context and normal diffs in `text`.
    ///
    /// # Errors
    ///
    /// Returns the refusal of a hunk that cannot be converted.
    pub(crate) fn new(text: &'t [u8]) -> Result<Self, Box<RepairError>> {
        match older::convert_hunks(text).transpose() {
            Ok(converted) => Ok(Self { text, converted }),
            Err(span) => Err(Box::new(refuse(&ReadError::Stray(span)))),
        }
    }

    /// Returns the sections of the patch, at least one. `file` is the file of the hunks before the
    /// first header.
    ///
    /// # Errors
    ///
    /// Returns the refusal of a text whose sections cannot be read, or that contains no section.
    pub(crate) fn sections<'s>(
        &'s self,
        file: Option<&'s [u8]>,
        log: &mut RepairLog,
    ) -> Result<Vec<Section<'s>>, Box<RepairError>> {
        let sections = read::read(self.text, self.converted.as_deref(), file, log)
            .map_err(|error| Box::new(refuse(&error)))?;
        if sections.is_empty() {
            let message = "no patch found";
            let refusal =
                RepairError::new(RepairErrorKind::NoPatch, None, Span::default(), message);
            return Err(Box::new(refusal));
        }
        Ok(sections)
    }
}

/// Returns the refusal of a text whose sections cannot be read.
fn refuse(error: &ReadError) -> RepairError {
    let (kind, span, message) = match error {
        ReadError::Stray(span) => (
            RepairErrorKind::Stray,
            span,
            "these lines do not belong to any change in the patch".to_owned(),
        ),
        ReadError::Mixed { diff, block, span } => {
            let message = format!(
                "line {diff} starts a diff and line {block} starts a SEARCH/REPLACE block, and the diff does not \
                 apply; provide each in a separate input"
            );
            (RepairErrorKind::Stray, span, message)
        }
        ReadError::Truncated(span) => (
            RepairErrorKind::Truncated,
            span,
            "the patch ends in the middle of this section".to_owned(),
        ),
    };
    RepairError::new(kind, None, *span, message)
}
