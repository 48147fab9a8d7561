//! What a patch says: the first waist of the pipeline, plain data that knows of no file.
//!
//! A [`syntax`](crate::syntax) makes a `Plan<Name>`; [`select()`] strips, filters and reverses it
//! into a `Plan<RelPath>`, the only kind that later stages take.

mod aim;
mod cell;
mod depth;
mod filter;
mod guess;
mod hunk;
mod lines;
mod name;
mod not_included;
mod only;
mod replacement;
mod select;
mod selection;
mod steps;

pub use cell::{CellEdit, CellId, CellKind, CellName, CellPlace};
pub use filter::Filter;
pub use guess::{Naming, guess};
pub(crate) use hunk::has_note;
pub use hunk::{Anchor, Direction, Hunk, HunkLine, HunkLines, LineKind, LineRange};
pub use lines::{LineEdit, LineEdits, LineTarget, NewLines, NumberedLines};
pub use name::{Claim, Name, NameError, Strip};
pub use not_included::{NamedChange, NotIncluded};
pub use only::{LeftOut, Only, OnlyError};
pub use replacement::{Closeness, EditOrder, Ending, Replacement, Replacements, Target, Times};
pub use select::{Selected, select};
pub use selection::{Rejection, RejectionKind, Selection};

use std::sync::Arc;

use crate::digest::{Digest, Sha256};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::text::{Bytes, Origin, Position, Span};

/// A parsed patch: its texts, and what they ask for, in order.
#[derive(Clone, Debug)]
pub struct Plan<P = RelPath> {
    /// The texts that the spans of the operations point into.
    pub inputs: Vec<Input>,
    /// What is asked for, in the order of the patch.
    pub operations: Vec<Operation<P>>,
}

impl<P> Default for Plan<P> {
    /// Returns the plan that changes nothing.
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            operations: Vec::new(),
        }
    }
}

impl<P> Plan<P> {
    /// Returns the bytes of the input that `operation` came from.
    ///
    /// # Panics
    ///
    /// If `operation` belongs to another plan.
    #[must_use]
    pub fn text(&self, operation: &Operation<P>) -> &[u8] {
        &self.inputs[operation.input].bytes
    }
}

impl Plan<Name> {
    /// Reads it as the list `name` says.
    pub fn read_as(&mut self, name: &str, listed: Listed) {
        for input in &mut self.inputs {
            input.listed = Some((name.to_owned(), listed.line));
        }
        for operation in &mut self.operations {
            operation.direction = listed.direction;
            let names = [Some(&mut operation.path), operation.from.as_mut()];
            names
                .into_iter()
                .flatten()
                .for_each(|name| name.fix(listed.strip));
        }
        if listed.direction == Direction::Reverse {
            self.operations.reverse();
        }
    }

    /// Puts `other` behind it: a patch that sees what this one leaves.
    pub fn append(&mut self, other: Self) {
        if self.inputs.is_empty() {
            *self = other;
            return;
        }
        let inputs = self.inputs.len();
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

/// How one patch of a list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The line of the list that names it, counted from 1.
    pub line: usize,
    /// Leading components to take off names that have a prefix.
    pub strip: usize,
    /// Whether it is undone instead of done.
    pub direction: Direction,
}

/// One patch text.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// How messages call it: a file's name, or `-` for standard input.
    pub name: String,
    /// The text that spans point into.
    pub bytes: Bytes,
    /// The mail that the text was decoded from.
    pub origin: Option<Arc<Origin>>,
    /// The syntaxes of its sections, each once, in the order in which they first came.
    pub formats: Vec<&'static str>,
    /// Number of sections.
    pub sections: usize,
    /// The changes that it names and does not contain.
    pub not_included: Vec<NotIncluded>,
    /// What was repaired before it was read.
    pub repairs: Vec<Repair>,
    /// The list that names it, and the line there, counted from 1.
    pub listed: Option<(String, usize)>,
    /// The name that it has for its only file, where [`Selection::file`] names another one.
    pub header_path: Option<Vec<u8>>,
}

impl Input {
    /// Returns the bytes as they were read.
    #[must_use]
    pub fn original(&self) -> &[u8] {
        self.origin
            .as_ref()
            .map_or(&self.bytes, |origin| &origin.bytes)
    }

    /// Returns the offset in [`Input::original`] of the byte of the text at `offset`.
    #[must_use]
    pub fn original_offset(&self, offset: usize) -> usize {
        self.origin
            .as_ref()
            .map_or(offset, |origin| origin.offset(offset))
    }

    /// Returns the position in [`Input::original`] of the byte of the text at `offset`.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        Position::of(self.original(), self.original_offset(offset))
    }
}

/// One repair of a damaged patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What was repaired, by a stable name.
    pub code: &'static str,
    /// Line of the damaged patch, counted from 1.
    pub line: usize,
    /// The same in words.
    pub message: &'static str,
    /// The section of the repaired patch that it came to; `None` if it belongs to none.
    pub section: Option<Span>,
}

/// What becomes of one file.
#[derive(Clone, Debug)]
pub struct Operation<P = RelPath> {
    /// What is done.
    pub action: Action,
    /// The file afterwards; the file that goes, for a deletion.
    pub path: P,
    /// The other file of a rename or a copy.
    pub from: Option<P>,
    /// What happens to the contents.
    pub edit: Edit,
    /// The mode that the patch says the file has.
    pub old_mode: Option<FileMode>,
    /// The mode that the patch gives it.
    pub new_mode: Option<FileMode>,
    /// The blobs of an `index` line.
    pub blobs: Option<Box<Blobs>>,
    /// The digest that the contents before must have; what is there otherwise is stale.
    pub expected: Option<Box<Sha256>>,
    /// Index of the input that it came from.
    pub input: usize,
    /// Its place among the operations of the whole patch, counted from 0, whatever was left out of
    /// it; copies of old files (`patch --backup`) come behind all of these.
    pub number: usize,
    /// Indexes of the hunks that were left out, in order: they are looked for and not applied.
    pub left_out: Box<[usize]>,
    /// The whole section in that input.
    pub span: Span,
    /// The patch of a series that it belongs to, counted from 0. Renames and copies read the tree
    /// as the step before left it, as git does within one patch; everything else sees what came
    /// before in its own step.
    pub step: usize,
    /// The patch of the series as the input divides it, counted from 0; steps may divide it
    /// further.
    pub part: usize,
    /// Which way hunks and binary data are read.
    pub direction: Direction,
    /// Whether the patch tells an empty file from one that is not there. A diff without git header
    /// does not.
    pub tells_missing: bool,
    /// What has to be there, where the plan does not come from a patch.
    pub guard: Option<Box<Guard>>,
    /// The permission bits that the file gets, of 0o7777, where the plan does not come from a
    /// patch.
    pub permissions: Option<u32>,
    /// What the text above the section says of it.
    pub lead: Option<Box<Lead>>,
}

/// What may stand above a section without git header, as GNU patch reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lead {
    /// The name on an `Index:` line.
    pub index: Option<Claim>,
    /// The word of a `Prereq:` line, which the file before has to hold.
    pub prerequisite: Option<Vec<u8>>,
}

impl<P> Operation<P> {
    /// Returns whether the hunk with this index was not left out.
    #[must_use]
    pub fn takes(&self, hunk: usize) -> bool {
        self.left_out.binary_search(&hunk).is_err()
    }

    /// Returns the hunks of a diff that were not left out; none of another grammar.
    pub fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        let hunks = if let Edit::Hunks(hunks) = &self.edit {
            hunks.as_slice()
        } else {
            &[]
        };
        hunks
            .iter()
            .enumerate()
            .filter(|(index, _)| self.takes(*index))
            .map(|(_, hunk)| hunk)
    }
}

/// The things that can become of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// A file that was not there.
    Create,
    /// A file that goes away.
    Delete,
    /// Contents, mode or both.
    Modify,
    /// Another name, perhaps with a change.
    Rename,
    /// A second file from a first, perhaps with a change.
    Copy,
    /// The reverse of a copy: a file goes away whose contents, read backwards, are those of its
    /// source.
    Uncopy,
}

/// What happens to the contents of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Edit {
    /// Nothing: a mode, a name, an empty file.
    Keep,
    /// Contiguous changes of lines.
    Hunks(Vec<Hunk>),
    /// A change of bytes as git writes it.
    Binary(Box<Binary>),
    /// A header that only says that binary files differ.
    BinaryMissing,
    /// An old version of the file, which the history keeps.
    Restore(Box<Restore>),
    /// Nothing: the path is an empty directory, which a change that is undone replaced or filled.
    /// Reports list only files.
    Directory,
    /// The whole contents, given.
    Whole(Arc<Bytes>),
    /// Changes of texts.
    Replacements(Box<Replacements>),
    /// A change of a cell of a notebook.
    Cell(Box<CellEdit>),
    /// Changes of numbered lines.
    Lines(Box<LineEdits>),
}

impl Edit {
    /// Returns whether it says what was there before, so that it can be taken back.
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
    /// Where it is, below the root.
    pub from: RelPath,
    /// What it is.
    pub kind: FileKind,
    /// Digest of its contents, or of the target of a link.
    pub digest: Digest,
}

/// What has to be at the path of an operation, by its contents; anything else is somebody's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guard {
    /// Nothing.
    Nothing,
    /// A file or link with this digest, and with these permission bits where they are known.
    Contents(Digest, Option<u32>),
    /// Whatever it is: somebody said so.
    Anything,
}

/// A git binary patch: how the postimage is made, and how the preimage is made back.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    /// From preimage to postimage.
    pub forward: BinaryData,
    /// From postimage to preimage, where the patch has it.
    pub backward: Option<BinaryData>,
}

/// One of the two data blocks of a git binary patch.
#[derive(Clone, Copy, Debug)]
pub struct BinaryData {
    /// Whether it holds the contents or a delta.
    pub method: BinaryMethod,
    /// Declared size of the inflated data, in bytes.
    pub size: u64,
    /// The base-85 lines.
    pub body: Span,
}

/// The two ways git writes binary data ("gitformat-pack" in git's documentation describes deltas).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryMethod {
    /// The whole contents.
    Literal,
    /// Copies from the other side and insertions.
    Delta,
}

/// The object names of an `index` line, as hex digits, full or short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blobs {
    /// The preimage; all zeros for a file that is made.
    pub old: Vec<u8>,
    /// The postimage; all zeros for a file that goes.
    pub new: Vec<u8>,
}
