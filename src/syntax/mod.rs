//! From bytes to a plan: one file for each grammar, a table of them, and detection by content.
//!
//! To add a grammar, write `syntax/<name>.rs`, a row of [`SYNTAXES`], `grammar/<name>.lark` (a JSON
//! Schema for one of JSON documents) and `fixtures/<name>/`.

mod base85;
mod binary;
mod blocks;
mod codex;
mod context;
mod edges;
mod error;
pub(crate) mod foreign;
mod git;
mod hashline;
mod hunks;
mod json;
mod lead;
mod line_diff;
mod literal;
pub mod mail;
mod message;
mod names;
mod normal;
mod not_included;
mod quilt;
mod quoted;
mod reader;
mod recount;
mod series;
mod stamp;
#[cfg(test)]
pub(crate) mod testing;
mod unified;
pub mod write;

pub use binary::{BinaryError, BinaryLimits, BinaryPostimage};
pub use error::{Broken, Foreign, SyntaxError, SyntaxErrorKind};
pub(crate) use hashline::is_header as is_hashline_header;
pub(crate) use hunks::is_mail_signature;
pub use json::{EditList, edits};
pub use mail::MailError;
pub(crate) use message::{begins_patch, patch_after};
pub(crate) use not_included::find_in_damaged;
pub use quilt::{listed, packed};
pub(crate) use quoted::unquote;
pub use quoted::{Quoting, quote};
use reader::read;
pub(crate) use series::is_from_line;

use std::sync::Arc;

use crate::plan::{Action, Direction, Edit, Input, Name, NotIncluded, Operation, Plan};
use crate::text::{Bytes, Lines, Span, without_ending};

/// Every grammar, most specific first: of two that start at one place the first takes it.
pub const SYNTAXES: &[&dyn Syntax] = &[
    &json::Json,
    &hashline::Hashline,
    &codex::Codex,
    &blocks::Blocks,
    &git::Git,
    &context::Context,
    &normal::Normal,
    &unified::Unified,
];

/// One grammar.
pub trait Syntax: Sync {
    /// Its name, as reports have it.
    fn name(&self) -> &'static str;

    /// The words of `--format` that choose it, its name among them.
    fn formats(&self) -> &'static [&'static str];

    /// Its formal grammar, as `wpatch grammar` prints it.
    fn grammar(&self) -> &'static str;

    /// Returns whether any text may stand before, between and behind its sections, as mail does
    /// around a diff.
    fn takes_prose(&self) -> bool {
        self.is_diff()
    }

    /// Returns whether programs that compare trees write it, so that lines between its sections may
    /// name changes that it cannot express (`Only in b: x`).
    fn is_diff(&self) -> bool {
        false
    }

    /// Returns whether `git apply` reads it. A section of these grammars can be parsed from any
    /// offset.
    fn is_read_by_git(&self) -> bool {
        false
    }

    /// Returns whether it is exact about names, modes and lines, as git's own diffs are.
    fn is_exact(&self) -> bool {
        false
    }

    /// Returns whether the first column of each line of a hunk is its sign.
    fn has_sign_column(&self) -> bool {
        self.is_read_by_git()
    }

    /// Returns whether `--lenient` reads damaged sections as hunks. Other grammars have repairs of
    /// their own.
    fn has_lenient_hunks(&self) -> bool {
        self.is_diff()
    }

    /// Returns whether `--summary` prints a letter for each file, as Codex does.
    fn has_letter_summary(&self) -> bool {
        false
    }

    /// Returns whether its first line can end the text of a message, where `git am` reads no patch.
    fn can_end_message(&self) -> bool {
        false
    }

    /// Returns whether its sections name their files. Others are sections only below a line that
    /// does, or where the text has nothing else: prose may quote them.
    fn names_files(&self) -> bool {
        true
    }

    /// Byte strings of which every text that has a section has one, for others to be told fast;
    /// none where nothing is known of that.
    fn marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns where the first section at or after `from`, the start of a line, begins; `None` if
    /// there is none.
    ///
    /// Linear in the bytes up to there.
    fn find(&self, text: &[u8], from: usize) -> Option<usize>;

    /// Reads the section that [`Syntax::find`] found at `from` and returns where the next line
    /// starts.
    ///
    /// # Errors
    ///
    /// Returns the first mistake.
    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError>;
}

/// How patches are read.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Options {
    /// Whether the lines of a hunk are counted instead of believing its header (`--recount`).
    pub recount: bool,
    /// What `recount` does with a last hunk that has fewer lines than its header counts.
    pub truncated: Truncated,
    /// Whether forms that models write by mistake are mended where they have one meaning only
    /// (`--lenient`).
    pub lenient: bool,
    /// Whether a change that the text names and does not contain is an error (`--strict-input`).
    pub strict_input: bool,
    /// Whether a text without a section is a patch that changes nothing (`--allow-empty`).
    pub allow_empty: bool,
    /// What is done about sections that name no file.
    pub unnamed: Unnamed,
    /// Whether the text is mail, where `-- ` after a complete hunk begins the signature. [`parse`]
    /// sets it for each text.
    pub is_mail: bool,
    /// Most files that one patch text may be about, counted each time that it names them.
    pub max_files: usize,
    /// Most hunks in one patch text.
    pub max_hunks: usize,
}

/// What `--recount` does with a last hunk that has fewer lines than its header counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Truncated {
    /// It is a mistake: the patch was cut off.
    Refused,
    /// It is read, for output such as `--stat` that changes no file.
    Read,
}

/// What is done about sections that name no file: diffs with hunks alone, or with `/dev/null` on
/// both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unnamed {
    /// Blocks are read: an option names their file (`--file`). Diffs are a mistake.
    Blocks,
    /// They are a mistake, as git has it.
    Refused,
    /// An `Index:` line above them names it, or whoever applies them, as GNU patch has it.
    Taken,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            recount: false,
            truncated: Truncated::Refused,
            lenient: false,
            strict_input: false,
            allow_empty: false,
            unnamed: Unnamed::Refused,
            is_mail: false,
            max_files: 100_000,
            max_hunks: 1_000_000,
        }
    }
}

impl Options {
    /// Refuses the section at `at` if it is one too many; `count` is the number of sections with
    /// it.
    fn allow_files(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_files {
            return Ok(());
        }
        Err(SyntaxError::new(
            SyntaxErrorKind::TooManyFiles(self.max_files),
            at,
        ))
    }

    /// Refuses the hunk at `at` if it is one too many; `count` is the number of hunks with it.
    fn allow_hunks(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_hunks {
            return Ok(());
        }
        Err(SyntaxError::new(
            SyntaxErrorKind::TooManyHunks(self.max_hunks),
            at,
        ))
    }
}

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

/// Returns the grammars that the word `format` of `--format` chooses: all for `auto`, none for an
/// unknown word.
#[must_use]
pub fn chosen(format: &str) -> Vec<&'static dyn Syntax> {
    let is_chosen = |syntax: &&&dyn Syntax| format == "auto" || syntax.formats().contains(&format);
    SYNTAXES.iter().filter(is_chosen).copied().collect()
}

/// Returns the grammar with the name `name`.
#[must_use]
pub fn find_syntax(name: &str) -> Option<&'static dyn Syntax> {
    SYNTAXES
        .iter()
        .copied()
        .find(|syntax| syntax.name() == name)
}

/// Reads all sections of one text, whatever of the grammars `among` they are written in.
///
/// # Errors
///
/// Returns the first mistake, [`SyntaxErrorKind::NoPatch`] for a text without a section.
pub fn parse(
    name: &str,
    bytes: impl Into<Bytes>,
    among: &[&'static dyn Syntax],
    options: Options,
) -> Result<Plan<Name>, Box<Broken>> {
    let mut input = opened(name, bytes.into())?;
    let mut sections = Sections::default();
    let started = foreign::refuse_start(&input.bytes);
    match started.and_then(|()| read(&mut input, among, options, &mut sections)) {
        Ok(()) => {
            let quoted = sections
                .quoted
                .into_iter()
                .enumerate()
                .map(|(index, bytes)| Input {
                    name: format!("{name}, diff {}", index + 1),
                    bytes,
                    ..Input::default()
                });
            let mut inputs: Vec<_> = std::iter::once(input).chain(quoted).collect();
            for named in sections.not_included {
                inputs[named.input].not_included.push(named);
            }
            inputs.iter_mut().for_each(number_not_included);
            let mut plan = Plan {
                inputs,
                operations: sections.operations,
            };
            if options.recount {
                if let Some((input, error)) =
                    recount::truncation(&plan).filter(|_| options.truncated == Truncated::Refused)
                {
                    return Err(Box::new(Broken {
                        input: plan.inputs.swap_remove(input),
                        error,
                    }));
                }
                recount::note(&mut plan);
            }
            Ok(plan)
        }
        Err(error) => {
            input.not_included = sections
                .not_included
                .into_iter()
                .filter(|named| named.input == 0)
                .collect();
            number_not_included(&mut input);
            Err(Box::new(Broken { input, error }))
        }
    }
}

/// Numbers the lines that name changes as those of the input as it was read.
fn number_not_included(input: &mut Input) {
    not_included::number(&input.bytes, &mut input.not_included);
    if let Some(origin) = &input.origin {
        let line = origin.line_numbers();
        for named in &mut input.not_included {
            named.line = line(named.span.start);
        }
    }
}

/// Returns `bytes` as an input: mail is decoded.
///
/// # Errors
///
/// Returns the first part of a mail that cannot be decoded.
pub fn opened(name: &str, bytes: Bytes) -> Result<Input, Box<Broken>> {
    let name = name.to_owned();
    match mail::open(&bytes) {
        Ok(None) => Ok(Input {
            name,
            bytes,
            ..Input::default()
        }),
        Ok(Some(opened)) => {
            let (text, origin) = opened.into_parts(bytes);
            Ok(Input {
                name,
                bytes: text.into(),
                origin: Some(Arc::new(origin)),
                ..Input::default()
            })
        }
        Err(error) => Err(Box::new(Broken {
            input: Input {
                name,
                bytes,
                ..Input::default()
            },
            error,
        })),
    }
}

impl Sections {
    /// Adds what `read` finds in `input`, a text of its own; a mistake in it is one at `at`.
    fn quote(
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
    fn push(&mut self, action: Action, path: Name, edit: Edit, span: Span) -> &mut Operation<Name> {
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

/// Returns the line that starts at `offset`, without its terminator; empty at the end of the text.
fn content_span(text: &[u8], offset: usize) -> Span {
    let line = Lines::within(text, Span::new(offset, text.len()))
        .peek()
        .unwrap_or_default();
    Span::new(offset, offset + without_ending(line).len())
}

/// Returns where the first line at or after `from` starts for which `is_start` returns `true`.
fn find_line(text: &[u8], from: usize, is_start: impl Fn(Lines<'_>) -> bool) -> Option<usize> {
    let mut lines = Lines::within(text, Span::new(from, text.len()));
    while !is_start(lines.clone()) {
        lines.next()?;
    }
    Some(lines.offset())
}

fn refuse_prose(text: &[u8], start: usize, end: usize) -> Result<(), SyntaxError> {
    let between = &text[start..end];
    let Some(first) = between.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Ok(());
    };
    let line = memchr::memchr(b'\n', &between[first..]).unwrap_or(between.len() - first);
    let span = Span::new(start + first, start + first + line);
    Err(SyntaxError::new(
        SyntaxErrorKind::Expected("nothing but the patch"),
        span,
    ))
}
