//! The sections that the grammars have read from one text.

use super::SyntaxError;
use crate::plan::{Action, ContentlessChange, Direction, Edit, Input, Name, Operation, PatchPart};
use crate::text::Span;

/// The sections read so far.
#[derive(Debug, Default)]
pub struct Sections {
    /// The operations. A grammar leaves their `input` at 0, or sets it to the number of an entry of
    /// [`Sections::quoted`].
    pub operations: Vec<Operation<Name>>,
    /// The step of the next operation, see [`Operation::step`].
    pub step: usize,
    /// The total number of hunks.
    pub hunks: usize,
    /// Texts that the patch contains in another form, for example in JSON strings. They are
    /// numbered from 1.
    pub quoted: Vec<Input>,
    /// The changes that the text names without their content.
    pub not_included: Vec<ContentlessChange>,
}

impl Sections {
    /// Adds the sections that `read` finds in `input`, the text of `part`. An error in it is
    /// reported at `at`.
    pub(super) fn read_quoted(
        &mut self,
        mut input: Input,
        (part, at): (PatchPart, Span),
        read: impl FnOnce(&mut Input, &mut Self) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        let mut inside = Self {
            step: self.step,
            ..Self::default()
        };
        read(&mut input, &mut inside).map_err(|error| SyntaxError::new(error.kind, at))?;
        input.part = Some(part);
        // A quoted text can quote texts itself: a JSON string can contain a context diff.
        let first = self.quoted.len() + 1;
        // The formats of a quoted text are those of the text around it.
        self.quoted.push(Input {
            formats: Vec::new(),
            ..input
        });
        self.quoted.append(&mut inside.quoted);
        self.operations
            .extend(inside.operations.into_iter().map(|operation| Operation {
                input: first + operation.input,
                ..operation
            }));
        self.not_included.extend(
            inside
                .not_included
                .into_iter()
                .map(|named| ContentlessChange {
                    input: first + named.input,
                    ..named
                }),
        );
        self.hunks += inside.hunks;
        self.step = inside.step;
        Ok(())
    }

    /// Adds an operation with an action, a name and an edit, and returns it so that the grammar can
    /// set the other fields.
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
            distinguishes_missing: true,
            guard: None,
            permissions: None,
            preamble: None,
        });
        self.operations
            .last_mut()
            .expect("BUG: an operation has just been added")
    }
}
