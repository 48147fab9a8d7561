//! The content of a patch as plain data. A plan does not depend on any tree.
//!
//! A [`syntax`](crate::syntax) parses the bytes of a patch into a `Plan<Name>`. The names in it are
//! as the patch writes them. [`select()`] applies the strip level, the filters and the direction,
//! and returns a `Plan<RelPath>`. Later stages accept only this type.
//!
//! The module reads no files. Hunks hold spans of the input instead of copies of its text, so an
//! [`Operation`] is meaningful only together with its [`Input`].
//!
//! Read this file first: it defines [`Plan`], [`Operation`] and [`Edit`]. Then read `select.rs`.

mod cell;
mod filter;
mod guess;
mod hunk;
mod lines;
mod name;
mod not_included;
mod only;
mod part;
mod precondition;
mod replacement;
mod retarget;
mod select;
mod selection;
mod steps;
mod strip_level;
mod symbol_name;

pub use cell::{CellEdit, CellId, CellKind, CellName, CellPosition};
pub use filter::FilterRule;
pub use guess::{NameGuessOptions, guess_names};
pub use hunk::{Anchor, Direction, Hunk, HunkLine, HunkLines, LineKind, LineRange, LineSelection};
pub(crate) use hunk::{count_changes, has_newline_note};
pub use lines::{LineEdit, LineEdits, LineTarget, NewLines, NumberedLines};
pub use name::{Name, NameCandidate, NameError, StripRule};
pub use not_included::{ContentlessChange, NamedChange};
#[cfg(feature = "html")]
pub(crate) use only::count_selectable_hunks;
pub use only::{ExcludedItem, HunkSelection, HunkSelectionError, parse_id};
pub use part::PatchPart;
pub use precondition::{ExpectedFile, Precondition, put_file};
pub use replacement::{
    AppendMode, EditOrder, EditTarget, MatchMode, ReplaceCount, Replacement, Replacements,
};
pub use select::{Selected, select};
pub use selection::{InvalidOperation, InvalidOperationKind, Selection};
pub use symbol_name::{SymbolAction, SymbolName, SymbolNameError, SymbolTarget};

use std::sync::Arc;

use crate::digest::{Digest, Sha256};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::text::{Bytes, EncodedSource, Position, Span};

/// A parsed patch: the input texts and the operations that they contain.
#[derive(Clone, Debug)]
pub struct Plan<P = RelPath> {
    /// The texts that the spans of the operations refer to.
    pub inputs: Vec<Input>,
    /// The operations, in the order of the patch.
    pub operations: Vec<Operation<P>>,
}

impl<P> Default for Plan<P> {
    /// Returns a plan that changes nothing.
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            operations: Vec::new(),
        }
    }
}

impl<P> Plan<P> {
    /// Returns the bytes of the input that contains `operation`.
    ///
    /// # Panics
    ///
    /// Panics if the input index of `operation` is out of range, because it belongs to another
    /// plan.
    #[must_use]
    pub fn text(&self, operation: &Operation<P>) -> &[u8] {
        &self.inputs[operation.input].bytes
    }

    /// Returns the size of all inputs in bytes.
    pub(crate) fn size(&self) -> usize {
        self.inputs.iter().map(|input| input.bytes.len()).sum()
    }
}

impl Plan<Name> {
    /// Applies the settings of the entry in the patch list `name` that lists this patch.
    pub fn apply_series_settings(&mut self, name: &str, settings: SeriesSettings) {
        for input in &mut self.inputs {
            input.series_entry = Some((name.to_owned(), settings.line));
        }
        for operation in &mut self.operations {
            operation.direction = settings.direction;
            let names = [Some(&mut operation.path), operation.from.as_mut()];
            names
                .into_iter()
                .flatten()
                .for_each(|name| name.fix_strip_level(settings.strip));
        }
        if settings.direction == Direction::Reverse {
            self.operations.reverse();
        }
    }

    /// Appends `other`. Its operations see the tree after the operations of this plan.
    pub fn append(&mut self, other: Self) {
        if self.inputs.is_empty() {
            *self = other;
            return;
        }
        let inputs = self.inputs.len();
        // The steps of a reversed patch fall, so its first operation has the highest step.
        let ends = [self.operations.first(), self.operations.last()];
        let steps = ends
            .iter()
            .flatten()
            .map(|operation| operation.step + 1)
            .max()
            .unwrap_or(0);
        self.inputs.extend(other.inputs);
        self.operations
            .extend(other.operations.into_iter().map(|operation| Operation {
                input: operation.input + inputs,
                step: operation.step + steps,
                ..operation
            }));
    }
}

/// The settings of one entry in a list of patches, for example a quilt `series` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesSettings {
    /// The line of the entry in the list, counted from 1.
    pub line: usize,
    /// The number of leading components to remove from names that have a prefix.
    pub strip: usize,
    /// Whether the patch is applied in reverse.
    pub direction: Direction,
}

/// One input text.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The name in messages: a file name, or `-` for standard input.
    pub name: String,
    /// The text that the spans refer to.
    pub bytes: Bytes,
    /// The mail from which the text was decoded.
    pub origin: Option<Arc<EncodedSource>>,
    /// The syntaxes of the sections, without duplicates, in the order of their first section.
    pub formats: Vec<&'static str>,
    /// The number of sections.
    pub sections: usize,
    /// The changes that the input names without their content.
    pub not_included: Vec<ContentlessChange>,
    /// The repairs that were made before the input was parsed.
    pub repairs: Vec<Repair>,
    /// The list that contains the patch, and the line of its entry, counted from 1.
    pub series_entry: Option<(String, usize)>,
    /// The file name in the patch, if [`Selection::file`] replaces it.
    pub header_path: Option<Vec<u8>>,
    /// The part of a patch from which the text comes; `None` for a patch. In [`Plan::inputs`], the
    /// parts of a patch follow the patch.
    pub part: Option<PatchPart>,
}

impl Input {
    /// Returns the bytes of the input before mail decoding.
    #[must_use]
    pub fn original(&self) -> &[u8] {
        self.origin
            .as_ref()
            .map_or(&self.bytes, |origin| &origin.bytes)
    }

    /// Converts an offset in the text to an offset in [`Input::original`].
    #[must_use]
    pub fn original_offset(&self, offset: usize) -> usize {
        self.origin
            .as_ref()
            .map_or(offset, |origin| origin.offset(offset))
    }

    /// Converts an offset in the text to a position in [`Input::original`].
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        Position::of(self.original(), self.original_offset(offset))
    }
}

/// One repair of a damaged patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The stable code of the repair.
    pub code: &'static str,
    /// The line of the damaged patch, counted from 1.
    pub line: usize,
    /// A description of the repair.
    pub message: &'static str,
    /// The section of the repaired patch that contains the repair, or `None` if it is in no
    /// section.
    pub section: Option<Span>,
}

/// The change of one file.
#[derive(Clone, Debug)]
pub struct Operation<P = RelPath> {
    /// The kind of change.
    pub action: Action,
    /// The path after the operation. For a deletion, the path of the deleted file.
    pub path: P,
    /// The source of a rename or a copy.
    pub from: Option<P>,
    /// The change of the content.
    pub edit: Edit,
    /// The mode that the file must have according to the patch.
    pub old_mode: Option<FileMode>,
    /// The mode that the file gets.
    pub new_mode: Option<FileMode>,
    /// The object names on the `index` line.
    pub blobs: Option<Box<BlobIds>>,
    /// The required digest of the content before the change. Any other content is stale.
    pub expected: Option<Box<Sha256>>,
    /// Index of the input that contains the operation.
    pub input: usize,
    /// Index among the operations that the filters select, counted from 0. `--only` leaves out
    /// operations without renumbering the others. The backups of `patch --backup` have higher
    /// numbers than all operations of the patch.
    pub number: usize,
    /// Sorted indexes of the hunks that `--only` leaves out. wpatch searches for them and does not
    /// apply them.
    pub left_out: Box<[usize]>,
    /// The span of the whole section in the input.
    pub span: Span,
    /// Index of the patch in a series, counted from 0. Renames and copies read the tree as it was
    /// after the previous step, as git does within one patch. Other operations see the earlier
    /// operations of the same step.
    pub step: usize,
    /// Index of the patch as the input divides the series, counted from 0. One part can contain
    /// several steps.
    pub part: usize,
    /// The direction in which hunks and binary data are read.
    pub direction: Direction,
    /// Whether the patch distinguishes an empty file from a missing file. A diff without git header
    /// does not.
    pub distinguishes_missing: bool,
    /// The required state of the path, if the plan does not come from a patch.
    pub guard: Option<Box<Precondition>>,
    /// The permission bits that the file gets, a subset of 0o7777, if the plan does not come from a
    /// patch.
    pub permissions: Option<u32>,
    /// The information from the preamble of the section.
    pub preamble: Option<Box<Preamble>>,
}

/// The lines above a section without git header that only GNU patch reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preamble {
    /// The name on an `Index:` line.
    pub index: Option<NameCandidate>,
    /// The word on a `Prereq:` line. The preimage must contain this word.
    pub prerequisite: Option<Vec<u8>>,
}

impl<P> Operation<P> {
    /// Returns whether the hunk with index `hunk` is applied.
    #[must_use]
    pub fn is_applied(&self, hunk: usize) -> bool {
        self.left_out.binary_search(&hunk).is_err()
    }

    /// Returns the hunks that are applied. For other kinds of [`Edit`], the iterator is empty.
    pub fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        let hunks = if let Edit::Hunks(hunks) = &self.edit {
            hunks.as_slice()
        } else {
            &[]
        };
        hunks
            .iter()
            .enumerate()
            .filter(|(index, _)| self.is_applied(*index))
            .map(|(_, hunk)| hunk)
    }
}

/// The kinds of change to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Creates a file.
    Create,
    /// Deletes a file.
    Delete,
    /// Changes the content, the mode or both.
    Modify,
    /// Renames a file, optionally with a change of its content.
    Rename,
    /// Copies a file, optionally with a change of the copy.
    Copy,
    /// Reverses a copy: deletes the copy. The reversed edit must turn its content into the content
    /// of the source.
    RemoveCopy,
}

/// The change to the content of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Edit {
    /// No change of the content, for example a change of the mode or the name, or an empty file.
    Keep,
    /// Hunks.
    Hunks(Vec<Hunk>),
    /// A git binary patch.
    Binary(Box<BinaryPatch>),
    /// A header without data that only states that binary files differ.
    BinaryMissing,
    /// An old version of the file from the history.
    Restore(Box<Restore>),
    /// No change of content: the path is an empty directory. The change that is undone replaced or
    /// filled this directory. Reports list only files.
    Directory,
    /// The whole new content.
    Whole(Arc<Bytes>),
    /// Replacements of texts.
    Replacements(Box<Replacements>),
    /// A change of one notebook cell.
    Cell(Box<CellEdit>),
    /// Changes of numbered lines.
    Lines(Box<LineEdits>),
}

impl Edit {
    /// Returns whether the edit contains the previous content and can therefore be reversed.
    #[must_use]
    pub fn is_reversible(&self) -> bool {
        !matches!(
            self,
            Self::Whole(_) | Self::Replacements(_) | Self::Cell(_) | Self::Lines(_)
        )
    }
}

/// An old version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restore {
    /// The path of the old version, below the root.
    pub from: RelPath,
    /// The type of the file.
    pub kind: FileKind,
    /// Digest of the content, or of the target of a symbolic link.
    pub digest: Digest,
}

/// A git binary patch with its forward and backward data.
#[derive(Clone, Copy, Debug)]
pub struct BinaryPatch {
    /// From preimage to postimage.
    pub forward: BinaryData,
    /// From postimage to preimage, if the patch contains this block.
    pub backward: Option<BinaryData>,
}

/// One of the two data blocks of a git binary patch.
#[derive(Clone, Copy, Debug)]
pub struct BinaryData {
    /// Whether the data is the content or a delta.
    pub method: BinaryMethod,
    /// The declared size of the inflated data, in bytes.
    pub size: u64,
    /// The base-85 lines.
    pub body: Span,
}

/// The two encodings of git binary data. `gitformat-pack(5)` describes deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryMethod {
    /// The whole content.
    Literal,
    /// Instructions to copy from the other side and to insert bytes.
    Delta,
}

/// The object names of an `index` line in hexadecimal, full or abbreviated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobIds {
    /// The preimage, or all zeros for a created file.
    pub old: Vec<u8>,
    /// The postimage, or all zeros for a deleted file.
    pub new: Vec<u8>,
}
