//! One section of a damaged patch: the change of one file.

use crate::mode::FileMode;
use crate::repair::chunk::RawHunk;
use crate::repair::line::Line;
use crate::text::Span;

/// The operation of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionAction {
    Create,
    Delete,
    Update,
}

/// One section.
#[derive(Clone, Debug)]
pub(crate) struct Section<'t> {
    pub(crate) action: SectionAction,
    /// The names in the section, the most reliable first: those of the new side before those of the
    /// old.
    pub(crate) names: Vec<&'t [u8]>,
    /// The new name of a renamed file.
    pub(crate) target: Option<&'t [u8]>,
    /// The mode that the section sets.
    pub(in crate::repair) mode: Option<FileMode>,
    pub(in crate::repair) hunks: Vec<RawHunk<'t>>,
    /// Whether the section comes from an envelope.
    pub(crate) is_enveloped: bool,
    /// The number of the first line, counted from 1.
    pub(crate) line: usize,
    /// The whole section.
    pub(crate) span: Span,
    /// Whether the section contains more than changes of lines, such as a copy or binary data. Such
    /// a section is copied unchanged.
    pub(crate) is_verbatim: bool,
    /// The origin of the line endings in the section.
    pub(crate) ending_source: EndingSource,
    /// Whether the section is complete without a hunk.
    pub(super) has_marker: bool,
}

/// The origin of the line endings in a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndingSource {
    /// The program that wrote the patch. A new file gets these line endings.
    Patch,
    /// A mail program or an editor, which has converted the whole patch.
    Transport,
}

impl<'t> Section<'t> {
    /// Returns the section as the creation of a file, if it is one insertion of a normal diff at
    /// the start of the file. A normal diff has no `/dev/null`, so `0a1,2` can mean both.
    pub(crate) fn as_creation(&self) -> Option<Self> {
        let [only] = &self.hunks[..] else {
            return None;
        };
        let is_new =
            only.is_normal && only.header.stated.is_none() && self.action == SectionAction::Update;
        is_new.then(|| Self {
            action: SectionAction::Create,
            ..self.clone()
        })
    }

    /// Returns whether every hunk deletes a line.
    pub(crate) fn has_only_deleting_hunks(&self) -> bool {
        let is_deleting =
            |chunk: &RawHunk<'_>| chunk.body.iter().any(|line| line.text.starts_with(b"-"));
        self.hunks.iter().all(is_deleting)
    }

    pub(super) fn new(action: SectionAction, names: Vec<&'t [u8]>, line: Line<'t>) -> Self {
        Self {
            action,
            names,
            target: None,
            mode: None,
            hunks: Vec::new(),
            is_enveloped: false,
            line: line.number,
            span: line.span,
            is_verbatim: false,
            ending_source: EndingSource::Patch,
            has_marker: false,
        }
    }
}
