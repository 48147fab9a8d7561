//! Reads the sections of a damaged patch in any of the formats of diffs.

use super::older::{self, OwnedLine};
use super::read::{self, Section, Unread};
use super::{Refusal, RefusalKind, RepairLog};
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
    pub(crate) fn new(text: &'t [u8]) -> Result<Self, Box<Refusal>> {
        match older::convert_hunks(text).transpose() {
            Ok(converted) => Ok(Self { text, converted }),
            Err(span) => Err(Box::new(refuse(&Unread::Stray(span)))),
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
    ) -> Result<Vec<Section<'s>>, Box<Refusal>> {
        let sections = read::read(self.text, self.converted.as_deref(), file, log)
            .map_err(|error| Box::new(refuse(&error)))?;
        if sections.is_empty() {
            let message = "no patch found";
            let refusal = Refusal::new(RefusalKind::NoPatch, None, Span::default(), message);
            return Err(Box::new(refusal));
        }
        Ok(sections)
    }
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
