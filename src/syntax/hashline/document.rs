//! Reads the sections of a document into operations.

use std::collections::HashMap;

use super::body::{self, PutBody};
use super::line::{self, LineSource, Locator};
use super::{ABORT, BEGIN, END};
use crate::path::RelPath;
use crate::plan::{
    Action, Edit, LineEdit, LineEdits, LineTarget, Name, NameCandidate, NewLines, NumberedLines,
    StripRule,
};
use crate::syntax::{Options, Sections, SyntaxError, SyntaxErrorKind};
use crate::text::{Lines, Span};

/// Reads a document into operations, one for each file.
pub(super) struct Document<'a, 's> {
    text: &'a [u8],
    lines: Lines<'a>,
    options: Options,
    sections: &'s mut Sections,
    files: HashMap<Vec<u8>, DocumentFile>,
    /// The file of the current section.
    current: Option<Vec<u8>>,
    registers: HashMap<&'a [u8], NewLines>,
    /// The number of `CUT`s into the unnamed register since the last `PUT` from it.
    unnamed_cuts: usize,
    /// Whether an earlier `PUT` has no rows.
    has_empty_put: bool,
}

/// The state of one file.
struct DocumentFile {
    /// Index of the operation.
    operation: usize,
    /// Whether the file is deleted or renamed, so that no operation may follow.
    is_closed: bool,
    /// The index of the edit for each range of lines.
    ranges: HashMap<NumberedLines, usize>,
    /// Whether the current section of the file contains an operation.
    has_operation: bool,
}

impl<'a, 's> Document<'a, 's> {
    pub(super) fn new(
        text: &'a [u8],
        from: usize,
        options: Options,
        sections: &'s mut Sections,
    ) -> Self {
        Self {
            text,
            lines: Lines::of_span(text, Span::new(from, text.len())),
            options,
            sections,
            files: HashMap::new(),
            current: None,
            registers: HashMap::new(),
            unnamed_cuts: 0,
            has_empty_put: false,
        }
    }

    /// Reads the document and returns its end.
    pub(super) fn read(mut self) -> Result<usize, SyntaxError> {
        let (mut is_first, mut has_begin) = (true, false);
        while let Some((span, whole)) = self.lines.next() {
            let content = line::trim_end(whole);
            let at = Span::new(span.start, span.start + content.len());
            match content {
                b"" => continue,
                BEGIN if is_first => has_begin = true,
                END => {
                    self.finish_section(at)?;
                    return Ok(self.lines.offset());
                }
                // The text after `*** Abort` is ignored.
                ABORT => {
                    self.finish_section(at)?;
                    return Ok(self.text.len());
                }
                _ if line::is_header_like(content) => self.read_header(content, at)?,
                _ => self.read_operation(content, at)?,
            }
            is_first = false;
        }
        let end = Span::new(self.text.len(), self.text.len());
        self.finish_section(end)?;
        if has_begin {
            return Err(error(SyntaxErrorKind::Expected("`*** End Patch`"), end));
        }
        Ok(self.text.len())
    }

    /// Rejects a section without an operation. `at` is the position where an operation is missing.
    fn finish_section(&self, at: Span) -> Result<(), SyntaxError> {
        match self.current.as_ref().map(|path| &self.files[path]) {
            Some(file) if !file.has_operation => Err(error(
                SyntaxErrorKind::Expected("`PUT`, `CUT`, `REM` or `MV`"),
                at,
            )),
            None => Err(error(SyntaxErrorKind::Expected("`[path#TAG]`"), at)),
            Some(_) => Ok(()),
        }
    }

    fn read_header(&mut self, content: &[u8], at: Span) -> Result<(), SyntaxError> {
        if self.current.is_some() {
            self.finish_section(at)?;
        }
        let (path, tag) = line::parse_header(content).map_err(|kind| error(kind, at))?;
        // `./a` and `a` are the same file. An invalid path is reported later.
        let plain =
            RelPath::new(path).map_or_else(|_| path.to_vec(), |path| path.as_bytes().to_vec());
        self.current = Some(plain.clone());
        if let Some(file) = self.files.get_mut(&plain) {
            let is_same = matches!(&self.sections.operations[file.operation].edit, Edit::Lines(lines) if lines.tag == tag);
            if file.is_closed || !is_same {
                let why = if is_same {
                    "another change of a file that is removed or moved"
                } else {
                    "two tags for one file"
                };
                return Err(error(SyntaxErrorKind::Contradiction(why), at));
            }
            file.has_operation = false;
            return Ok(());
        }
        self.options
            .allow_files(self.sections.operations.len() + 1, at)?;
        let edit = Edit::Lines(Box::new(LineEdits {
            tag,
            earlier: Vec::new(),
            edits: Vec::new(),
            repairs: Vec::new(),
        }));
        let name = literal_name(path, Span::new(at.start + 1, at.start + 1 + path.len()));
        self.sections.push(Action::Modify, name, edit, at);
        let operation = self.sections.operations.len() - 1;
        self.files.insert(
            plain,
            DocumentFile {
                operation,
                is_closed: false,
                ranges: HashMap::new(),
                has_operation: false,
            },
        );
        Ok(())
    }

    fn read_operation(&mut self, content: &'a [u8], at: Span) -> Result<(), SyntaxError> {
        if let Some(form) = line::detect_older_form(content) {
            return Err(error(SyntaxErrorKind::UnsupportedConstruct(form), at));
        }
        let read = line::parse_operation(content).map_err(|kind| error(kind, at))?;
        let (file, _) = self.file(at)?;
        if file.is_closed {
            return Err(error(
                SyntaxErrorKind::Contradiction("another change of a file that is removed or moved"),
                at,
            ));
        }
        file.has_operation = true;
        self.sections.hunks += 1;
        self.options.allow_hunks(self.sections.hunks, at)?;
        match read {
            line::OperationLine::Put(locator, source) => {
                self.put(parse_target(locator, at)?, source, at)
            }
            line::OperationLine::Cut(locator, register) => {
                self.cut(parse_target(locator, at)?, register, at)
            }
            line::OperationLine::Remove => self.remove(at),
            line::OperationLine::Move(path) => self.move_file(path, at),
        }
    }

    /// Returns the file of the current section and its edits.
    fn file(&mut self, at: Span) -> Result<(&mut DocumentFile, &mut LineEdits), SyntaxError> {
        let missing = || error(SyntaxErrorKind::Expected("`[path#TAG]`"), at);
        let file = self
            .current
            .as_ref()
            .and_then(|path| self.files.get_mut(path))
            .ok_or_else(missing)?;
        match &mut self.sections.operations[file.operation].edit {
            Edit::Lines(lines) => Ok((file, lines)),
            _ => Err(missing()),
        }
    }

    fn put(
        &mut self,
        target: LineTarget,
        source: LineSource<'a>,
        at: Span,
    ) -> Result<(), SyntaxError> {
        let is_lenient = self.options.lenient;
        let (body, span) = match source {
            LineSource::Register(name) => (PutBody::of(self.take_register(name, at)?), at),
            LineSource::Body => {
                let lines = &mut self.lines;
                let read = if is_lenient {
                    body::read_lenient(self.text, lines, target, self.has_empty_put)
                } else {
                    body::read(self.text, lines)
                };
                (read?, Span::new(at.start, self.lines.offset()))
            }
        };
        self.has_empty_put |= body
            .repairs
            .iter()
            .any(|(repair, _)| *repair == body::EMPTY_PUT);
        let (file, lines) = self.file(at)?;
        lines.repairs.extend(body.repairs);
        let edit = LineEdit {
            target,
            new: body.new,
            expected: body.deleted,
            span,
        };
        if let LineTarget::Lines(range) = target {
            if let Some(&before) = file.ranges.get(&range) {
                if !is_lenient {
                    return Err(error(
                        SyntaxErrorKind::Contradiction("two `PUT` replace the same lines"),
                        at,
                    ));
                }
                lines
                    .repairs
                    .push(("the last of two `PUT` for the same lines was used", at));
                lines.edits[before] = edit;
                return Ok(());
            }
            file.ranges.insert(range, lines.edits.len());
        }
        lines.edits.push(edit);
        Ok(())
    }

    fn cut(&mut self, target: LineTarget, register: &'a [u8], at: Span) -> Result<(), SyntaxError> {
        let (file, lines) = self.file(at)?;
        lines.edits.push(LineEdit {
            target,
            new: NewLines::Nothing,
            expected: Vec::new(),
            span: at,
        });
        let operation = file.operation;
        // `NewLines` names the operation by the start of its span.
        let operation = self.sections.operations[operation].span.start;
        let cut = match target {
            LineTarget::Lines(lines) => NewLines::Cut { operation, lines },
            LineTarget::Construct(line) => NewLines::CutConstruct { operation, line },
            _ => return Err(error(SyntaxErrorKind::Expected("`N.=M` or `N*`"), at)),
        };
        self.registers.insert(register, cut);
        self.unnamed_cuts += usize::from(register.is_empty());
        Ok(())
    }

    /// Returns the lines in a register. The unnamed register is ambiguous after several `CUT`s.
    fn take_register(&mut self, name: &[u8], at: Span) -> Result<NewLines, SyntaxError> {
        if name.is_empty() && self.unnamed_cuts > 1 {
            let several = SyntaxErrorKind::Contradiction(
                "several `CUT` without a register; name one, for example `@x`",
            );
            return Err(error(several, at));
        }
        let empty = || {
            error(
                SyntaxErrorKind::Expected("a `CUT` into this register before it is used"),
                at,
            )
        };
        // The register keeps its lines, so several `PUT` can use them.
        let lines = self.registers.get(name).cloned().ok_or_else(empty)?;
        if name.is_empty() {
            self.unnamed_cuts = 0;
        }
        Ok(lines)
    }

    fn remove(&mut self, at: Span) -> Result<(), SyntaxError> {
        let (file, lines) = self.file(at)?;
        if !lines.edits.is_empty() {
            return Err(error(
                SyntaxErrorKind::Contradiction("`REM` of a file whose lines are also changed"),
                at,
            ));
        }
        file.is_closed = true;
        let operation = file.operation;
        self.sections.operations[operation].action = Action::Delete;
        Ok(())
    }

    fn move_file(&mut self, path: &[u8], at: Span) -> Result<(), SyntaxError> {
        let (file, _) = self.file(at)?;
        file.is_closed = true;
        let operation = file.operation;
        let operation = &mut self.sections.operations[operation];
        operation.action = Action::Rename;
        // A quoted path ends before its closing quote.
        let end = at.end - usize::from(self.text[at.end - 1] == b'"' && !path.ends_with(b"\""));
        let target = literal_name(path, Span::new(end - path.len(), end));
        operation.from = Some(std::mem::replace(&mut operation.path, target));
        Ok(())
    }
}

fn literal_name(path: &[u8], span: Span) -> Name {
    Name::Agreed(vec![NameCandidate {
        bytes: path.to_vec(),
        strip: StripRule::Literal,
        span,
    }])
}

/// Converts a locator to a target.
fn parse_target(locator: Locator<'_>, at: Span) -> Result<LineTarget, SyntaxError> {
    let number = |digits: &[u8]| number(digits).map_err(|kind| error(kind, at));
    Ok(match locator {
        Locator::Before(line) => LineTarget::Before(number(line)?),
        Locator::After(line) => LineTarget::After(number(line)?),
        Locator::End => LineTarget::End,
        Locator::Lines(first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return Err(error(
                    SyntaxErrorKind::Expected(
                        "a range whose first line is not after its last line",
                    ),
                    at,
                ));
            }
            LineTarget::Lines(NumberedLines { first, last })
        }
        Locator::Construct(line) => LineTarget::Construct(number(line)?),
        Locator::AfterConstruct(line) => LineTarget::AfterConstruct(number(line)?),
    })
}

fn number(digits: &[u8]) -> Result<usize, SyntaxErrorKind> {
    if digits.starts_with(b"0") {
        return Err(SyntaxErrorKind::Expected(
            "a line number of at least 1, without leading zeros",
        ));
    }
    let text = std::str::from_utf8(digits).unwrap_or_default();
    text.parse().map_err(|_| SyntaxErrorKind::NumberTooLarge)
}

fn error(kind: SyntaxErrorKind, at: Span) -> SyntaxError {
    SyntaxError::new(kind, at)
}
