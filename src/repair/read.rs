//! From a text with a patch somewhere in it to sections: a reader that knows the ways in which patches come damaged.
//!
//! It goes line by line, and what it cannot place is prose. Whether a section fits a file is for others to say.

use super::chunk::{Chunk, Header};
use super::{Row, Trail};
use crate::text::{BYTE_ORDER_MARK, Span, lines, without_ending};

/// What a section does with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Create,
    Delete,
    Update,
}

/// One section.
#[derive(Clone, Debug)]
pub(super) struct Section<'t> {
    pub(super) deed: Deed,
    /// The names that it gives, best first: those of the new side before those of the old.
    pub(super) names: Vec<&'t [u8]>,
    /// The new name of a file that is moved.
    pub(super) target: Option<&'t [u8]>,
    pub(super) chunks: Vec<Chunk<'t>>,
    /// Whether it comes from an envelope, whose lines are all whole.
    pub(super) is_enveloped: bool,
    /// Its first line, counted from 1.
    pub(super) line: usize,
    /// The whole of it.
    pub(super) span: Span,
    /// Whether it has more in it than changes of lines, such as a mode or binary data, and goes as it stands.
    pub(super) is_verbatim: bool,
    has_marker: bool,
}

/// One line of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// Without terminator.
    pub(super) text: &'t [u8],
    pub(super) span: Span,
    /// Counted from 1.
    pub(super) number: usize,
}

/// Returns the lines of `text`, without the indentation that the whole patch has.
fn source<'t>(text: &'t [u8], trail: &mut Trail) -> Vec<Line<'t>> {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    if start > 0 {
        trail.note(Row::Wrapping, 1);
    }
    let all = lines(&text[start..]).enumerate().map(|(index, (span, line))| Line {
        text: without_ending(line),
        span: Span::new(span.start + start, span.end + start),
        number: index + 1,
    });
    let mut all: Vec<_> = all.collect();
    let indentation = |line: &Line<'_>| line.text.len() - line.text.trim_ascii_start().len();
    let is_header = |line: &&Line<'_>| is_file_header(line.text.trim_ascii_start());
    let Some(depth) = all.iter().filter(is_header).map(indentation).min().filter(|&depth| depth > 0) else {
        return all;
    };
    let Some(first) = all.iter().position(|line| is_file_header(line.text.trim_ascii_start())) else { return all };
    let is_whole = |line: &Line<'_>| line.text.trim_ascii().is_empty() || indentation(line) >= depth;
    let end = all[first..].iter().position(|line| !is_whole(line)).map_or(all.len(), |length| first + length);
    trail.note(Row::Wrapping, all[first].number);
    for line in &mut all[first..end] {
        line.text = line.text.get(depth..).unwrap_or_default();
    }
    all
}

/// Returns whether a line can only be the header of a file, or an envelope's.
fn is_file_header(line: &[u8]) -> bool {
    line.starts_with(b"diff --git ") || line.starts_with(b"+++ ") || marker(line).is_some()
}

/// The markers of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker<'t> {
    Begin,
    End,
    Add(&'t [u8]),
    Delete(&'t [u8]),
    Update(&'t [u8]),
    Move(&'t [u8]),
    EndOfFile,
    Environment,
}

/// Returns the marker that `line` is, also with other blanks and letters than it is written with.
fn marker(line: &[u8]) -> Option<Marker<'_>> {
    let line = line.strip_prefix(b"+").filter(|rest| rest.starts_with(b"***")).unwrap_or(line);
    let rest = line.strip_prefix(b"***")?;
    let rest = rest.trim_ascii();
    let rest = rest.strip_suffix(b"***").unwrap_or(rest).trim_ascii_end();
    let word = |word: &[u8]| {
        let (head, tail) = rest.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then(|| tail.trim_ascii())
    };
    let named = |words: &[u8]| word(words).filter(|name| !name.is_empty());
    if word(b"begin patch").is_some_and(<[u8]>::is_empty) {
        return Some(Marker::Begin);
    }
    if word(b"end patch").is_some_and(<[u8]>::is_empty) {
        return Some(Marker::End);
    }
    if word(b"end of file").is_some_and(<[u8]>::is_empty) {
        return Some(Marker::EndOfFile);
    }
    named(b"add file:")
        .map(Marker::Add)
        .or_else(|| named(b"delete file:").map(Marker::Delete))
        .or_else(|| named(b"update file:").map(Marker::Update))
        .or_else(|| named(b"move to:").map(Marker::Move))
        .or_else(|| named(b"environment id:").map(|_| Marker::Environment))
}

/// Returns whether `line` is one that `apply` reads exactly so.
fn is_exact_marker(line: &[u8]) -> bool {
    let words: [&[u8]; 8] = [
        b"*** Begin Patch",
        b"*** End Patch",
        b"*** End of File",
        b"*** Add File: ",
        b"*** Delete File: ",
        b"*** Update File: ",
        b"*** Move to: ",
        b"*** Environment ID: ",
    ];
    words.iter().any(|word| line.starts_with(word)) && !line.ends_with(b"***")
}

/// A fence of three or more backticks or tildes.
fn is_fence(line: &[u8]) -> bool {
    [b'`', b'~'].iter().any(|&mark| line.iter().take_while(|&&byte| byte == mark).count() >= 3)
}

/// Reads all sections of `text`.
///
/// # Errors
///
/// Returns the place of what looks like a change and belongs to none that was read: what is meant by it is not known.
pub(super) fn read<'t>(text: &'t [u8], trail: &mut Trail) -> Result<Vec<Section<'t>>, Span> {
    let lines = source(text, trail);
    let mut reader = Reader {
        lines,
        next: 0,
        sections: Vec::new(),
        is_enveloped: false,
        has_fence: false,
        has_gap: true,
        stray: None,
    };
    while reader.next < reader.lines.len() {
        reader.line(trail);
    }
    let is_empty = |section: &&Section<'_>| !section.has_marker && section.chunks.is_empty() && !section.is_verbatim;
    let stray = reader.stray.or(reader.sections.iter().find(is_empty).map(|section| section.span));
    stray.map_or(Ok(reader.sections), Err)
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    next: usize,
    sections: Vec<Section<'t>>,
    is_enveloped: bool,
    has_fence: bool,
    /// Whether an empty line stands between the last chunk and the next line.
    has_gap: bool,
    /// A line that looks like one of a chunk and is in none.
    stray: Option<Span>,
}

impl<'t> Reader<'t> {
    fn peek(&self, ahead: usize) -> Option<Line<'t>> {
        self.lines.get(self.next + ahead).copied()
    }

    /// Takes what starts at the next line.
    fn line(&mut self, trail: &mut Trail) {
        let Some(line) = self.peek(0) else { return };
        if let Some(marker) = marker(line.text) {
            if !is_exact_marker(line.text) {
                trail.note(Row::Envelope, line.number);
            }
            return self.marked(marker, line, trail);
        }
        if let Some(rest) = line.text.strip_prefix(b"diff --git ") {
            return self.git_header(rest, line);
        }
        if let Some(taken) = self.file_header(line) {
            self.next += taken;
            return;
        }
        if line.text.starts_with(b"@@") && !self.sections.is_empty() {
            return self.chunk(trail);
        }
        let is_added_file = self.sections.last().is_some_and(|section| {
            section.is_enveloped && section.deed == Deed::Create && section.chunks.is_empty() && self.is_enveloped
        });
        let is_update = self.sections.last().is_some_and(|section| {
            section.is_enveloped && section.deed == Deed::Update && self.is_enveloped && section.chunks.is_empty()
        });
        if is_added_file || (is_update && !line.text.is_empty()) {
            return self.chunk(trail);
        }
        if is_fence(line.text) {
            self.has_fence = !self.has_fence;
        }
        self.has_gap |= line.text.trim_ascii().is_empty();
        let is_item = self.has_gap && !self.is_enveloped && !self.has_fence && matches!(line.text, [_, b' ', ..]);
        let is_rule = line.text.len() > 2 && line.text.iter().all(|&byte| byte == b'-');
        let is_marked = matches!(line.text.first(), Some(b'+' | b'-'));
        if is_marked && !is_item && !is_rule && !self.sections.is_empty() && !is_signature(line.text) {
            self.stray.get_or_insert(line.span);
        }
        if !line.text.trim_ascii().is_empty() {
            trail.note(Row::Wrapping, line.number);
        }
        self.next += 1;
    }

    fn marked(&mut self, marker: Marker<'t>, line: Line<'t>, trail: &mut Trail) {
        self.next += 1;
        let (deed, name) = match marker {
            Marker::Begin => {
                self.is_enveloped = true;
                return;
            }
            Marker::End => {
                self.is_enveloped = false;
                return;
            }
            Marker::Move(name) => {
                if let Some(section) = self.sections.last_mut() {
                    section.target = Some(name);
                }
                return;
            }
            Marker::EndOfFile | Marker::Environment => return,
            Marker::Add(name) => (Deed::Create, name),
            Marker::Delete(name) => (Deed::Delete, name),
            Marker::Update(name) => (Deed::Update, name),
        };
        if !self.is_enveloped {
            trail.note(Row::Envelope, line.number);
        }
        self.is_enveloped = true;
        self.sections.push(Section::new(deed, vec![name], line, true));
    }

    /// `diff --git a/NAME b/NAME` and the lines behind it up to `---` or the first hunk.
    fn git_header(&mut self, rest: &'t [u8], line: Line<'t>) {
        let mut section = Section::new(Deed::Update, Vec::new(), line, false);
        section.has_marker = false;
        self.next += 1;
        self.is_enveloped = false;
        if let Some(blank) = memchr::memmem::rfind(rest, b" b/") {
            section.names = vec![&rest[blank + 1..], &rest[..blank]];
        }
        let mut moved = None;
        while let Some(line) = self.peek(0) {
            let text = line.text;
            match text {
                _ if text.starts_with(b"new file mode") => section.deed = Deed::Create,
                _ if text.starts_with(b"deleted file mode") => section.deed = Deed::Delete,
                _ if text.starts_with(b"rename to ") => moved = text.strip_prefix(b"rename to "),
                _ if text.starts_with(b"rename from ") => section.names.insert(0, &text[b"rename from ".len()..]),
                _ if text.starts_with(b"GIT binary patch") || text.starts_with(b"Binary files ") => {
                    section.is_verbatim = true;
                }
                _ if text.starts_with(b"old mode ") || text.starts_with(b"copy from ") => section.is_verbatim = true,
                _ if text.starts_with(b"--- ") || text.starts_with(b"+++ ") || text.starts_with(b"@@") => break,
                _ if text.starts_with(b"diff --git ") || is_fence(text) || marker(text).is_some() => break,
                _ => {}
            }
            section.span.end = line.span.end;
            self.next += 1;
        }
        section.target = moved;
        section.has_marker = section.deed != Deed::Update || section.target.is_some();
        self.sections.push(section);
    }

    /// `---` and `+++`, or one of the two; returns how many lines those are.
    fn file_header(&mut self, line: Line<'t>) -> Option<usize> {
        let second = self.peek(1);
        let old = line.text.strip_prefix(b"--- ");
        let new = second.and_then(|line| line.text.strip_prefix(b"+++ "));
        let is_chunk = |line: Option<Line<'_>>| line.is_some_and(|line| line.text.starts_with(b"@@"));
        let (old, new, taken) = match (old, new) {
            (Some(old), Some(new)) => (Some(old), Some(new), 2),
            (Some(old), None) if is_chunk(second) => (Some(old), None, 1),
            (None, _) => {
                let new = line.text.strip_prefix(b"+++ ").filter(|_| is_chunk(second))?;
                (None, Some(new), 1)
            }
            _ => return None,
        };
        let [old, new] = [old, new].map(|name| name.map(undated));
        let is_null = |name: Option<&[u8]>| name == Some(b"/dev/null".as_slice());
        let inside = self.is_enveloped && self.sections.last().is_some_and(|section| section.chunks.is_empty());
        if inside {
            // The envelope has named the file.
            return Some(taken);
        }
        let is_new = !self.sections.last().is_some_and(|section| {
            !section.is_enveloped && section.chunks.is_empty() && section.span.end == line.span.start
        });
        if is_new {
            self.sections.push(Section::new(Deed::Update, Vec::new(), line, false));
        }
        let section = self.sections.last_mut()?;
        match (is_null(old), is_null(new)) {
            (true, false) => section.deed = Deed::Create,
            (false, true) => section.deed = Deed::Delete,
            _ => {}
        }
        let named: Vec<_> = [new, old].into_iter().flatten().filter(|name| !is_null(Some(name))).collect();
        if !named.is_empty() {
            section.names = named;
        }
        section.has_marker = section.deed != Deed::Update;
        section.span.end = self.lines[self.next + taken - 1].span.end;
        Some(taken)
    }

    /// A chunk: its header lines, if it has any, and its body.
    fn chunk(&mut self, trail: &mut Trail) {
        let Some(first) = self.peek(0) else { return };
        let is_enveloped = self.is_enveloped;
        let mut header = Header::default();
        while let Some(line) = self.peek(0).filter(|line| line.text.starts_with(b"@@")) {
            header.take(line, trail);
            self.next += 1;
        }
        self.has_gap = false;
        let is_create = self.sections.last().is_some_and(|section| section.deed == Deed::Create);
        let mut body = Vec::new();
        let mut counts = (0, 0);
        let mut is_at_end = false;
        while let Some(line) = self.peek(0) {
            if line.text.starts_with(b"@@") {
                break;
            }
            let is_content =
                line.text.starts_with(b"+") && (!is_end_marker(line.text) || !is_enveloped || self.has_more());
            match marker(line.text).filter(|_| !is_content) {
                Some(Marker::EndOfFile) => {
                    is_at_end = true;
                    self.next += 1;
                    continue;
                }
                Some(_) => break,
                None => {}
            }
            if self.ends_body(line, &header, counts, is_enveloped && is_create) {
                break;
            }
            match line.text.first() {
                Some(b'+') => counts.1 += 1,
                Some(b'-') => counts.0 += 1,
                Some(b'\\') => {}
                _ => counts = (counts.0 + 1, counts.1 + 1),
            }
            body.push(line);
            self.next += 1;
        }
        let Some(section) = self.sections.last_mut() else { return };
        if let Some(last) = body.last() {
            section.span.end = last.span.end;
        }
        section.chunks.push(Chunk::new(header, body, first.number, is_at_end));
    }

    /// Returns whether `line` cannot belong to the body before it.
    fn ends_body(&self, line: Line<'t>, header: &Header<'t>, counts: (usize, usize), is_free: bool) -> bool {
        let text = line.text;
        let next = self.peek(1).map_or(&b""[..], |line| line.text);
        let is_file = text.starts_with(b"diff --git ") || (text.starts_with(b"--- ") && next.starts_with(b"+++ "));
        let is_lone_file = text.starts_with(b"+++ ") && next.starts_with(b"@@");
        if is_file || is_lone_file {
            return true;
        }
        let is_short = header.counts.is_some_and(|wanted| counts.0 < wanted.0 || counts.1 < wanted.1);
        let is_closing = self.has_fence && is_fence(text) || text == b"EOF" || text == b"PATCH";
        let is_tag = text.starts_with(b"</") && text.ends_with(b">") && !self.is_enveloped;
        if is_closing || is_tag {
            // Lines that look so are also in files.
            return !(self.has_more() || self.is_enveloped && self.has_end());
        }
        if is_signature(text) && next.first().is_none_or(u8::is_ascii_digit) {
            return !is_short;
        }
        // Behind the last line that is counted, what has no marker is prose.
        let is_marked = matches!(text.first(), Some(b' ' | b'+' | b'-' | b'\\'));
        !is_free && header.counts == Some(counts) && !is_marked
    }

    /// Returns whether the envelope ends further on.
    fn has_end(&self) -> bool {
        self.lines[self.next..].iter().any(|line| !line.text.starts_with(b"+") && is_end_marker(line.text))
    }

    /// Returns whether lines that add or remove something follow the next one, before another header.
    fn has_more(&self) -> bool {
        let rest = self.lines[self.next..].iter().skip(1);
        let mut rest = rest.take_while(|line| !is_file_header(line.text) && !line.text.starts_with(b"@@"));
        rest.any(|line| matches!(line.text, [b'+' | b'-', ..]) && !is_signature(line.text))
    }
}

/// The line between a mail and its signature.
fn is_signature(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"--"
}

/// `+*** End Patch`.
fn is_end_marker(line: &[u8]) -> bool {
    matches!(marker(line), Some(Marker::End))
}

/// Cuts a time stamp off a name.
fn undated(name: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\t', name).unwrap_or(name.len());
    name[..end].trim_ascii_end()
}

impl<'t> Section<'t> {
    fn new(deed: Deed, names: Vec<&'t [u8]>, line: Line<'t>, is_enveloped: bool) -> Self {
        Self {
            deed,
            names,
            target: None,
            chunks: Vec::new(),
            is_enveloped,
            line: line.number,
            span: line.span,
            is_verbatim: false,
            has_marker: is_enveloped,
        }
    }
}
