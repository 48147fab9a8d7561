//! Reads the sections of a text one after the other. They can be in different grammars.

use std::mem;

use bstr::ByteSlice;

use super::{
    Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, UnnamedHandling, content_span, lead,
    mail, message, normal, not_included, refuse_prose, series, unsupported,
};
use crate::plan::Input;
use crate::text::{Lines, Span};

/// Reads all sections of `input`.
///
/// # Errors
///
/// Returns the first error.
pub(super) fn read(
    input: &mut Input,
    among: &[&'static dyn Syntax],
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let mut reader = Reader::new(&input.bytes, among, options);
    let read = reader.read_all(sections);
    (input.formats, input.sections) = (reader.formats, reader.count);
    read
}

/// The position and the results while a text is read.
struct Reader<'t> {
    text: &'t [u8],
    options: Options,
    starts: SectionStarts,
    /// The start of the search for the next section.
    offset: usize,
    /// The end of the last section. `before` is its grammar.
    last_end: usize,
    last_syntax: Option<&'static dyn Syntax>,
    /// Whether a line after the last section names a file.
    is_named: bool,
    /// The grammars of the sections, without duplicates.
    formats: Vec<&'static str>,
    /// The number of sections.
    count: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8], among: &[&'static dyn Syntax], options: Options) -> Self {
        let (starts, formats) = (SectionStarts::new(among), Vec::new());
        let options = Options {
            is_mail: mail::find_start(text).is_some(),
            ..options
        };
        Self {
            text,
            options,
            starts,
            offset: 0,
            last_end: 0,
            last_syntax: None,
            is_named: false,
            formats,
            count: 0,
        }
    }

    fn read_all(&mut self, sections: &mut Sections) -> Result<(), SyntaxError> {
        self.read_sections(sections)?;
        self.find_not_included(self.text.len(), not_included::Neighbour::Input, sections);
        match self.last_syntax {
            _ if sections.operations.is_empty() && self.options.allow_empty => Ok(()),
            _ if sections.operations.is_empty() => Err(no_section_error(self.text, sections)),
            Some(syntax) if !syntax.can_contain_prose() => {
                refuse_prose(self.text, self.last_end, self.text.len())
            }
            _ => Ok(()),
        }
    }

    /// Finds the changes that the text from the last section to `until` names without their
    /// content.
    fn find_not_included(
        &self,
        until: usize,
        after: not_included::Neighbour,
        sections: &mut Sections,
    ) {
        if self.last_syntax.is_none_or(Syntax::is_diff) {
            let before = if self.last_end == 0 {
                not_included::Neighbour::Input
            } else {
                not_included::Neighbour::Section
            };
            not_included::find(
                self.text,
                Span::new(self.last_end, until),
                (before, after),
                &mut sections.not_included,
            );
        }
    }

    fn read_sections(&mut self, sections: &mut Sections) -> Result<(), SyntaxError> {
        while let Some((start, syntax)) = self.starts.next(self.text, self.offset) {
            if let Some(patch) = self.find_patch_after_message(start, syntax) {
                (self.offset, self.is_named) = (patch, false);
                continue;
            }
            // A normal diff names no file, and prose can quote such a diff. Without a name, it
            // counts only if the text has no section of another grammar. The caller then names the
            // file.
            let is_alone = self
                .last_syntax
                .is_none_or(|before| !before.has_file_names())
                && self.starts.has_only(syntax);
            self.is_named |= lead::names_file(&self.text[self.offset..start]);
            if syntax.has_file_names() || is_alone || self.is_named {
                self.read_section(start, syntax, sections)?;
            } else {
                let mut lines = Lines::of_span(self.text, Span::new(start, self.text.len()));
                self.offset = lines.next().map_or(self.text.len(), |(span, _)| span.end);
            }
        }
        Ok(())
    }

    /// Returns the position to continue at if the text of a message merely quotes the section of
    /// `syntax` at `start`.
    ///
    /// The header of a context diff or the first line of a normal diff can itself end the text of
    /// the message. GNU patch reads messages like any other text.
    fn find_patch_after_message(&self, start: usize, syntax: &dyn Syntax) -> Option<usize> {
        let is_gnu = self.options.unnamed == UnnamedHandling::Accept;
        if syntax.can_end_message() || is_gnu {
            None
        } else {
            message::find_patch_after(self.text, self.last_end, start)
        }
    }

    /// Reads the section of `syntax` at `start`.
    fn read_section(
        &mut self,
        start: usize,
        syntax: &'static dyn Syntax,
        sections: &mut Sections,
    ) -> Result<(), SyntaxError> {
        let is_strict = !syntax.can_contain_prose()
            || self
                .last_syntax
                .is_some_and(|syntax| !syntax.can_contain_prose());
        if is_strict {
            refuse_prose(self.text, self.last_end, start)?;
        }
        let between = &self.text[self.last_end..start];
        // Each patch of a series is a step of its own.
        if syntax.can_contain_prose() && series::has_border(between) {
            sections.step += 1;
        }
        if syntax.is_diff() {
            self.find_not_included(start, not_included::Neighbour::Section, sections);
        }
        let known = sections.operations.len();
        self.last_end = syntax.parse(self.text, start, self.options, sections)?;
        if syntax.can_contain_prose() {
            lead::record_preamble(between, &mut sections.operations[known..]);
        }
        (self.offset, self.is_named) = (self.last_end, false);
        self.options
            .allow_files(sections.operations.len(), content_span(self.text, start))?;
        self.options
            .allow_hunks(sections.hunks, content_span(self.text, start))?;
        debug_assert!(self.offset > start, "a section has at least one byte");
        if !self.formats.contains(&syntax.name()) {
            self.formats.push(syntax.name());
        }
        self.count += 1;
        self.last_syntax = Some(syntax);
        Ok(())
    }
}

/// Returns the error for a text without a section.
fn no_section_error(text: &[u8], sections: &Sections) -> SyntaxError {
    if let Some(at) = normal::find_ed_script(text) {
        return SyntaxError::new(SyntaxErrorKind::EdScript, at);
    }
    if let Some(named) = sections.not_included.first() {
        return SyntaxError::new(SyntaxErrorKind::NotIncluded, named.span);
    }
    unsupported::explain_missing_section(text)
        .unwrap_or(SyntaxError::new(SyntaxErrorKind::NoPatch, Span::new(0, 0)))
}

/// Returns whether `text` can contain a section of `syntax`.
fn can_contain_section(syntax: &dyn Syntax, text: &[u8]) -> bool {
    let marks = syntax.required_markers();
    marks.is_empty() || marks.iter().any(|mark| text.contains_str(mark.as_bytes()))
}

/// The start of the next section of each grammar. Each grammar searches each part of the text only
/// once.
struct SectionStarts {
    starts: Vec<(&'static dyn Syntax, Option<usize>)>,
    /// Whether the grammars have searched the text at least once. `None` in `next` then means that
    /// the rest of the text has no section.
    is_searched: bool,
}

impl SectionStarts {
    fn new(among: &[&'static dyn Syntax]) -> Self {
        Self {
            starts: among.iter().map(|&syntax| (syntax, None)).collect(),
            is_searched: false,
        }
    }

    /// Returns whether `syntax` is the only grammar with another section in the text.
    fn has_only(&self, syntax: &dyn Syntax) -> bool {
        self.starts
            .iter()
            .all(|(other, start)| start.is_none() || other.name() == syntax.name())
    }

    fn next(&mut self, text: &[u8], offset: usize) -> Option<(usize, &'static dyn Syntax)> {
        let is_searched = mem::replace(&mut self.is_searched, true);
        for (syntax, start) in &mut self.starts {
            let is_stale = match *start {
                Some(start) => start < offset,
                None => !is_searched && can_contain_section(*syntax, text),
            };
            if is_stale {
                *start = syntax.find(text, offset);
            }
        }
        let earliest = self
            .starts
            .iter()
            .filter_map(|&(syntax, start)| Some((start?, syntax)));
        earliest.min_by_key(|&(start, _)| start)
    }
}
