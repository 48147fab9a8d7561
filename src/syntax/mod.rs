//! From bytes to a plan: one file for each grammar, a table of them, and detection by content.
//!
//! To add a grammar, write `syntax/<name>.rs`, a row of [`SYNTAXES`], `grammar/<name>.lark` (a JSON Schema for one of
//! JSON documents) and `fixtures/<name>/`.

mod base85;
mod binary;
mod blocks;
mod codex;
mod context;
mod edges;
mod error;
mod git;
mod hashline;
mod hunks;
mod json;
mod lead;
mod literal;
mod names;
mod normal;
mod quilt;
mod quoted;
mod recount;
mod series;
mod stamp;
#[cfg(test)]
pub(crate) mod testing;
mod unified;
pub mod write;

use std::convert::Infallible;
use std::mem;

pub use binary::{BinaryError, BinaryLimits, BinaryPostimage};
pub use error::{Broken, SyntaxError, SyntaxErrorKind};
pub use json::edits;
pub use quilt::{listed, packed};
pub(crate) use quoted::unquote;
pub use quoted::{Quoting, quote};

use crate::plan::{Action, Direction, Edit, Input, Name, Operation, Plan};
use crate::text::{Bytes, Lines, Span, without_ending};
use crate::threads::{LARGE, try_take};

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

    /// Returns whether any text may stand before, between and behind its sections, as mail does around a diff.
    fn takes_prose(&self) -> bool;

    /// Returns whether its sections name their files. Others are sections only below a line that does, or where the text
    /// has nothing else: prose may quote them.
    fn names_files(&self) -> bool {
        true
    }

    /// Byte strings of which every text that has a section has one, for others to be told fast; none where nothing is
    /// known of that.
    fn marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns where the first section at or after `from`, the start of a line, begins; `None` if there is none.
    ///
    /// Linear in the bytes up to there.
    fn find(&self, text: &[u8], from: usize) -> Option<usize>;

    /// Reads the section that [`Syntax::find`] found at `from` and returns where the next line starts.
    ///
    /// # Errors
    ///
    /// Returns the first mistake.
    fn parse(&self, text: &[u8], from: usize, options: Options, sections: &mut Sections) -> Result<usize, SyntaxError>;
}

/// How patches are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the lines of a hunk are counted instead of believing its header (`--recount`).
    pub recount: bool,
    /// Whether forms that models write by mistake are mended where they have one meaning only (`--lenient`).
    pub lenient: bool,
    /// Whether a text without a section is a patch that changes nothing (`--allow-empty`).
    pub allow_empty: bool,
    /// What is done about sections that name no file.
    pub unnamed: Unnamed,
    /// Most files that one patch text may be about, counted each time that it names them.
    pub max_files: usize,
    /// Most hunks in one patch text.
    pub max_hunks: usize,
}

/// What is done about sections that name no file: diffs with hunks alone, or with `/dev/null` on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// They are a mistake, as git has it.
    Refused,
    /// An `Index:` line above them names it, or whoever applies them, as GNU patch has it.
    Taken,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            recount: false,
            lenient: false,
            allow_empty: false,
            unnamed: Unnamed::Refused,
            max_files: 100_000,
            max_hunks: 1_000_000,
        }
    }
}

impl Options {
    /// Refuses the section at `at` if it is one too many; `count` is the number of sections with it.
    fn allow_files(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_files {
            return Ok(());
        }
        Err(SyntaxError::new(SyntaxErrorKind::TooManyFiles(self.max_files), at))
    }

    /// Refuses the hunk at `at` if it is one too many; `count` is the number of hunks with it.
    fn allow_hunks(&self, count: usize, at: Span) -> Result<(), SyntaxError> {
        if count <= self.max_hunks {
            return Ok(());
        }
        Err(SyntaxError::new(SyntaxErrorKind::TooManyHunks(self.max_hunks), at))
    }
}

/// What has been read so far.
#[derive(Debug, Default)]
pub struct Sections {
    /// The operations; a grammar leaves their `input` at 0, or makes it the number of one of [`Sections::quoted`].
    pub operations: Vec<Operation<Name>>,
    /// The step that the next operation belongs to; see [`Operation::step`].
    pub step: usize,
    /// Number of hunks in all of them.
    pub hunks: usize,
    /// Texts that stand in the patch in another form, as in strings of JSON; counted from 1.
    pub quoted: Vec<Bytes>,
}

/// Returns the grammars that the word `format` of `--format` chooses: all for `auto`, none for an unknown word.
#[must_use]
pub fn chosen(format: &str) -> Vec<&'static dyn Syntax> {
    let is_chosen = |syntax: &&&dyn Syntax| format == "auto" || syntax.formats().contains(&format);
    SYNTAXES.iter().filter(is_chosen).copied().collect()
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
    let mut input = Input { name: name.to_owned(), bytes: bytes.into(), ..Input::default() };
    let mut sections = Sections::default();
    match read(&mut input, among, options, &mut sections) {
        Ok(()) => {
            let quoted = sections.quoted.into_iter().enumerate().map(|(index, bytes)| Input {
                name: format!("{name}, diff {}", index + 1),
                bytes,
                ..Input::default()
            });
            let inputs = std::iter::once(input).chain(quoted).collect();
            let mut plan = Plan { inputs, operations: sections.operations };
            if options.recount {
                recount::note(&mut plan);
            }
            Ok(plan)
        }
        Err(error) => Err(Box::new(Broken { input, error })),
    }
}

fn read(
    input: &mut Input,
    among: &[&'static dyn Syntax],
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let text = &input.bytes;
    let mut starts = Starts::new(among);
    let (mut offset, mut end, mut before) = (0, 0, None::<&dyn Syntax>);
    let mut is_named = false;
    while let Some((start, syntax)) = starts.next(text, offset) {
        let is_alone = before.is_none_or(|before| !before.names_files()) && starts.are_all_of(syntax);
        is_named |= lead::names_file(&text[offset..start]);
        if !syntax.names_files() && !is_alone && !is_named {
            offset = Lines::within(text, Span::new(start, text.len())).next().map_or(text.len(), |(span, _)| span.end);
            continue;
        }
        let is_strict = !syntax.takes_prose() || before.is_some_and(|syntax| !syntax.takes_prose());
        if is_strict {
            refuse_prose(text, end, start)?;
        }
        let between = &text[end..start];
        if syntax.takes_prose() && series::has_border(between) {
            sections.step += 1;
        }
        let known = sections.operations.len();
        end = syntax.parse(text, start, options, sections)?;
        if syntax.takes_prose() {
            lead::note(between, &mut sections.operations[known..]);
        }
        (offset, is_named) = (end, false);
        options.allow_files(sections.operations.len(), content_span(text, start))?;
        options.allow_hunks(sections.hunks, content_span(text, start))?;
        debug_assert!(offset > start, "a section has at least one byte");
        if !input.formats.contains(&syntax.name()) {
            input.formats.push(syntax.name());
        }
        input.sections += 1;
        before = Some(syntax);
    }
    match before {
        _ if sections.operations.is_empty() && options.allow_empty => Ok(()),
        _ if sections.operations.is_empty() => Err(nothing(text)),
        Some(syntax) if !syntax.takes_prose() => refuse_prose(text, end, text.len()),
        _ => Ok(()),
    }
}

/// Says what a text without a section is.
fn nothing(text: &[u8]) -> SyntaxError {
    match normal::ed_script(text) {
        Some(at) => SyntaxError::new(SyntaxErrorKind::EdScript, at),
        None => SyntaxError::new(SyntaxErrorKind::NoPatch, Span::new(0, 0)),
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
        let mut inside = Self { step: self.step, ..Self::default() };
        read(&mut input, &mut inside).map_err(|error| SyntaxError::new(error.kind, at))?;
        self.quoted.push(input.bytes);
        let input = self.quoted.len();
        self.operations.extend(inside.operations.into_iter().map(|operation| Operation { input, ..operation }));
        self.hunks += inside.hunks;
        self.step = inside.step;
        Ok(())
    }

    /// Adds an operation that only says what is done to which file, for its grammar to complete.
    fn push(&mut self, action: Action, path: Name, edit: Edit, span: Span) -> &mut Operation<Name> {
        self.hunks += if let Edit::Hunks(hunks) = &edit { hunks.len() } else { 0 };
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
            direction: Direction::Forward,
            tells_missing: true,
            guard: None,
            permissions: None,
            lead: None,
        });
        self.operations.last_mut().expect("BUG: an operation has just been added")
    }
}

/// Returns the line that starts at `offset`, without its terminator; empty at the end of the text.
fn content_span(text: &[u8], offset: usize) -> Span {
    let line = Lines::within(text, Span::new(offset, text.len())).peek().unwrap_or_default();
    Span::new(offset, offset + without_ending(line).len())
}

fn refuse_prose(text: &[u8], start: usize, end: usize) -> Result<(), SyntaxError> {
    let between = &text[start..end];
    let Some(first) = between.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Ok(());
    };
    let line = memchr::memchr(b'\n', &between[first..]).unwrap_or(between.len() - first);
    let span = Span::new(start + first, start + first + line);
    Err(SyntaxError::new(SyntaxErrorKind::Expected("nothing but the patch"), span))
}

/// Returns whether nothing speaks against a section of `syntax` in `text`.
fn may_have(syntax: &dyn Syntax, text: &[u8]) -> bool {
    let marks = syntax.marks();
    marks.is_empty() || marks.iter().any(|mark| memchr::memmem::find(text, mark.as_bytes()).is_some())
}

/// Where each grammar's next section starts; each part of the text is searched once by each grammar.
struct Starts {
    next: Vec<(&'static dyn Syntax, Option<usize>)>,
    is_searched: bool,
}

impl Starts {
    fn new(among: &[&'static dyn Syntax]) -> Self {
        Self { next: among.iter().map(|&syntax| (syntax, None)).collect(), is_searched: false }
    }

    /// Returns whether the next sections of all grammars that have any are of `syntax`.
    fn are_all_of(&self, syntax: &dyn Syntax) -> bool {
        self.next.iter().all(|(other, start)| start.is_none() || other.name() == syntax.name())
    }

    fn next(&mut self, text: &[u8], offset: usize) -> Option<(usize, &'static dyn Syntax)> {
        let is_searched = mem::replace(&mut self.is_searched, true);
        let search = |(syntax, start): &mut (&'static dyn Syntax, Option<usize>)| -> Result<(), Infallible> {
            let is_stale = match *start {
                Some(start) => start < offset,
                None => !is_searched && may_have(*syntax, text),
            };
            if is_stale {
                *start = syntax.find(text, offset);
            }
            Ok(())
        };
        // That a grammar has no section takes a look at all of the text.
        let Ok(()) = if is_searched || text.len() < LARGE {
            self.next.iter_mut().try_for_each(search)
        } else {
            try_take(self.next.iter_mut(), search)
        };
        let earliest = self.next.iter().filter_map(|&(syntax, start)| Some((start?, syntax)));
        earliest.min_by_key(|&(start, _)| start)
    }
}
