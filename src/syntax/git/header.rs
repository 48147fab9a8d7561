//! The extended header lines of a git diff.

use bstr::ByteSlice;

use super::{START, parse_mode, read_header_name};
use crate::mode::FileMode;
use crate::plan::{BlobIds, Name, NameCandidate, StripRule};
use crate::syntax::names::{self, HeaderName};
use crate::syntax::{SyntaxError, SyntaxErrorKind};
use crate::text::{Lines, Span, without_ending};

/// The header lines of one section.
#[derive(Debug)]
pub(super) struct GitHeader {
    /// The `diff --git` line.
    pub(super) line: Span,
    /// The name on that line.
    pub(super) both_names: Name,
    /// `new file mode`.
    pub(super) new_file_line: Option<Span>,
    /// `deleted file mode`.
    pub(super) deleted_file_line: Option<Span>,
    pub(super) old_mode: Option<FileMode>,
    pub(super) new_mode: Option<FileMode>,
    /// The mode at the end of an `index` line. It holds for both sides.
    pub(super) index_mode: Option<FileMode>,
    pub(super) blobs: Option<Box<BlobIds>>,
    /// Both names of a rename.
    pub(super) rename: Option<(NameCandidate, NameCandidate)>,
    /// Both names of a copy.
    pub(super) copy: Option<(NameCandidate, NameCandidate)>,
    /// The `---` line.
    pub(super) old: Option<HeaderName>,
    /// The `+++` line.
    pub(super) new: Option<HeaderName>,
}

/// The kinds of header line.
#[derive(Clone, Copy)]
enum Keyword {
    OldMode,
    NewMode,
    Deleted,
    Created,
    CopyFrom,
    CopyTo,
    RenameFrom,
    RenameTo,
    Similarity,
    Index,
    OldName,
    NewName,
}

/// The keywords at the start of the lines. `rename old` and `rename new` are the keywords of git
/// before 1.5.
const KEYWORDS: &[(&[u8], Keyword)] = &[
    (b"old mode ", Keyword::OldMode),
    (b"new mode ", Keyword::NewMode),
    (b"deleted file mode ", Keyword::Deleted),
    (b"new file mode ", Keyword::Created),
    (b"copy from ", Keyword::CopyFrom),
    (b"copy to ", Keyword::CopyTo),
    (b"rename from ", Keyword::RenameFrom),
    (b"rename to ", Keyword::RenameTo),
    (b"rename old ", Keyword::RenameFrom),
    (b"rename new ", Keyword::RenameTo),
    (b"similarity index ", Keyword::Similarity),
    (b"dissimilarity index ", Keyword::Similarity),
    (b"index ", Keyword::Index),
    (b"--- ", Keyword::OldName),
    (b"+++ ", Keyword::NewName),
];

/// The lines read so far that belong to a pair, or that may occur only once.
#[derive(Default)]
struct SeenLines {
    similarity: Option<Span>,
    index: Option<Span>,
    rename: (Option<NameCandidate>, Option<NameCandidate>),
    copy: (Option<NameCandidate>, Option<NameCandidate>),
}

impl GitHeader {
    /// Reads the `diff --git` line at `line` and the header lines below it. Returns the header and
    /// the start of the next line.
    pub(super) fn read(text: &[u8], line: Span) -> Result<(Self, usize), SyntaxError> {
        let name = Span::new(line.start + START.len(), line.end);
        let mut header = Self::new(line, read_header_name(text, name)?);
        let mut seen = SeenLines::default();
        let mut lines = Lines::of_span(text, Span::new(line.start, text.len()));
        lines.next();
        while let Some((keyword, rest)) = find_keyword(&lines) {
            header.take(text, keyword, rest, &mut seen)?;
            lines.next();
        }
        header.rename = require_both(seen.rename, "a rename needs two names", line)?;
        header.copy = require_both(seen.copy, "a copy needs two names", line)?;
        Ok((header, lines.offset()))
    }

    fn new(line: Span, both_names: Name) -> Self {
        Self {
            line,
            both_names,
            new_file_line: None,
            deleted_file_line: None,
            old_mode: None,
            new_mode: None,
            index_mode: None,
            blobs: None,
            rename: None,
            copy: None,
            old: None,
            new: None,
        }
    }

    fn take(
        &mut self,
        text: &[u8],
        keyword: Keyword,
        rest: Span,
        seen: &mut SeenLines,
    ) -> Result<(), SyntaxError> {
        let name = || names::read_name(text, rest, StripRule::Bare);
        match keyword {
            Keyword::OldMode => set_once(&mut self.old_mode, parse_mode(text, rest)?, rest),
            Keyword::NewMode => set_once(&mut self.new_mode, parse_mode(text, rest)?, rest),
            Keyword::Deleted => {
                // The line also states the mode, so a further `old mode` line is a duplicate.
                set_once(&mut self.deleted_file_line, rest, rest)?;
                set_once(&mut self.old_mode, parse_mode(text, rest)?, rest)
            }
            Keyword::Created => {
                set_once(&mut self.new_file_line, rest, rest)?;
                set_once(&mut self.new_mode, parse_mode(text, rest)?, rest)
            }
            Keyword::CopyFrom => set_once(&mut seen.copy.0, name()?, rest),
            Keyword::CopyTo => set_once(&mut seen.copy.1, name()?, rest),
            Keyword::RenameFrom => set_once(&mut seen.rename.0, name()?, rest),
            Keyword::RenameTo => set_once(&mut seen.rename.1, name()?, rest),
            Keyword::Similarity => set_once(&mut seen.similarity, rest, rest),
            Keyword::Index => {
                set_once(&mut seen.index, rest, rest)?;
                self.take_index(text, rest)
            }
            Keyword::OldName => set_once(&mut self.old, names::read_until_tab(text, rest)?, rest),
            Keyword::NewName => set_once(&mut self.new, names::read_until_tab(text, rest)?, rest),
        }
    }

    /// Parses `OLD..NEW` with an optional mode. As in git, any other form has no effect.
    fn take_index(&mut self, text: &[u8], rest: Span) -> Result<(), SyntaxError> {
        let line = rest.slice(text);
        let end = memchr::memchr(b' ', line).unwrap_or(line.len());
        let Some(dots) = line[..end].find(b"..") else {
            return Ok(());
        };
        let (old, new) = (&line[..dots], &line[dots + 2..end]);
        let is_id = |id: &[u8]| matches!(id.len(), 1..=64) && id.iter().all(u8::is_ascii_hexdigit);
        if !is_id(old) || !is_id(new) {
            return Ok(());
        }
        self.blobs = Some(Box::new(BlobIds {
            old: old.to_vec(),
            new: new.to_vec(),
        }));
        if end < line.len() {
            self.index_mode = Some(parse_mode(text, Span::new(rest.start + end + 1, rest.end))?);
        }
        Ok(())
    }
}

fn find_keyword(lines: &Lines<'_>) -> Option<(Keyword, Span)> {
    let line = lines.peek()?;
    let start = lines.offset();
    let &(words, keyword) = KEYWORDS.iter().find(|(words, _)| line.starts_with(words))?;
    Some((
        keyword,
        Span::new(
            start + words.len(),
            start + words.len().max(without_ending(line).len()),
        ),
    ))
}

fn set_once<T>(slot: &mut Option<T>, value: T, at: Span) -> Result<(), SyntaxError> {
    if slot.replace(value).is_some() {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Contradiction("a header line occurs twice"),
            at,
        ));
    }
    Ok(())
}

fn require_both(
    seen: (Option<NameCandidate>, Option<NameCandidate>),
    says: &'static str,
    line: Span,
) -> Result<Option<(NameCandidate, NameCandidate)>, SyntaxError> {
    match seen {
        (Some(from), Some(to)) => Ok(Some((from, to))),
        (None, None) => Ok(None),
        (Some(half), None) | (None, Some(half)) => {
            let at = if half.span.is_empty() {
                line
            } else {
                half.span
            };
            Err(SyntaxError::new(SyntaxErrorKind::Contradiction(says), at))
        }
    }
}
