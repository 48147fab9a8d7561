//! The sections that grammars have read from one text.

use super::SyntaxError;
use crate::plan::{Action, Direction, Edit, Input, Name, NotIncluded, Operation};
use crate::text::{Bytes, Span};

/// What has been read so far.
#[derive(Debug, Default)]
pub struct Sections {
    /// The operations; a grammar leaves their `input` at 0, or makes it the number of one of
    /// [`Sections::quoted`].
    pub operations: Vec<Operation<Name>>,
    /// The step that the next operation belongs to; see [`Operation::step`].
    pub step: usize,
    /// Number of hunks in all of them.
    pub hunks: usize,
    /// Texts that stand in the patch in another form, as in strings of JSON; counted from 1.
    pub quoted: Vec<Bytes>,
    /// The changes that the text names and does not contain.
    pub not_included: Vec<NotIncluded>,
}

impl Sections {
    /// Adds what `read` finds in `input`, a text of its own; a mistake in it is one at `at`.
    pub(super) fn quote(
        &mut self,
        mut input: Input,
        at: Span,
        read: impl FnOnce(&mut Input, &mut Self) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        let mut inside = Self {
            step: self.step,
            ..Self::default()
        };
        read(&mut input, &mut inside).map_err(|error| SyntaxError::new(error.kind, at))?;
        self.quoted.push(input.bytes);
        let input = self.quoted.len();
        self.operations.extend(
            inside
                .operations
                .into_iter()
                .map(|operation| Operation { input, ..operation }),
        );
        self.not_included.extend(
            inside
                .not_included
                .into_iter()
                .map(|named| NotIncluded { input, ..named }),
        );
        self.hunks += inside.hunks;
        self.step = inside.step;
        Ok(())
    }

    /// Adds an operation that only says what is done to which file, for its grammar to complete.
    pub(super) fn push(
        &mut self,
        action: Action,
        path: Name,
        edit: Edit,
        span: Span,
    ) -> &mut Operation<Name> {
        self.hunks += if let Edit::Hunks(hunks) = &edit {
            hunks.len()
        } else {
            0
        };
        self.operations.push(Operation {
            action,
            path,
            from: None,
            edit,
            old_mode: None,
            new_mode: None,
            blobs: None,
            expected: None,
            input: 0,
            number: 0,
            left_out: Box::default(),
            span,
            step: self.step,
            part: 0,
            direction: Direction::Forward,
            tells_missing: true,
            guard: None,
            permissions: None,
            lead: None,
        });
        self.operations
            .last_mut()
            .expect("BUG: an operation has just been added")
    }
}
