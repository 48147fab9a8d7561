//! Unified diffs without git header: POSIX, GNU, Subversion, CVS and whatever else writes `---`, `+++`, `@@`.
//!
//! Other forms that `diff` writes are recognised so that they are refused instead of being passed over: what a patch
//! says has to happen as a whole.

use super::names::{self, Side};
use super::{Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, content_span, hunks};
use crate::plan::{Action, Claim, Edit, Name, Strip};
use crate::text::{Lines, Span, without_ending};

/// The grammar of unified diffs.
pub(super) struct Unified;

impl Syntax for Unified {
    fn name(&self) -> &'static str {
        "unified"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["unified", "diff", "git"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../grammar/unified.lark")
    }

    fn takes_prose(&self) -> bool {
        true
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut lines = Lines::within(text, Span::new(from, text.len()));
        loop {
            if form(&lines).is_some() {
                return Some(lines.offset());
            }
            lines.next()?;
        }
    }

    fn parse(&self, text: &[u8], from: usize, options: Options, sections: &mut Sections) -> Result<usize, SyntaxError> {
        let mut lines = Lines::within(text, Span::new(from, text.len()));
        let line = content_span(text, from);
        let refuse = |kind| Err(SyntaxError::new(kind, line));
        match form(&lines) {
            Some(Form::Unified) => unified(text, &mut lines, options, sections),
            Some(Form::BinaryMissing) => Ok(binary_missing(text, line, sections)),
            Some(Form::LoneHunk) => refuse(SyntaxErrorKind::Expected("`---` and `+++` lines before a hunk")),
            Some(Form::Other(what)) => refuse(SyntaxErrorKind::Unsupported(what)),
            None => refuse(SyntaxErrorKind::Expected("`---`, `+++` and `@@` lines")),
        }
    }
}

/// What starts at a line.
enum Form {
    Unified,
    /// `Binary files a and b differ`.
    BinaryMissing,
    /// A hunk that belongs to no file.
    LoneHunk,
    /// A form that is not taken.
    Other(&'static str),
}

fn form(lines: &Lines<'_>) -> Option<Form> {
    let line = lines.peek()?;
    match line[0] {
        b'-' | b'*' => header_form(line, lines.clone()),
        b'@' if hunks::is_whole_header(line) => Some(Form::LoneHunk),
        b'B' | b'C' | b'F' | b'd' => single_line_form(line.trim_ascii_end()),
        _ => None,
    }
}

fn header_form(first: &[u8], mut lines: Lines<'_>) -> Option<Form> {
    lines.next();
    let (_, second) = lines.next()?;
    let third = lines.peek()?;
    if first.starts_with(b"*** ") && second.starts_with(b"--- ") && third.starts_with(b"***************") {
        return Some(Form::Other("context diffs"));
    }
    if !first.starts_with(b"--- ") || !second.starts_with(b"+++ ") {
        return None;
    }
    match third {
        [b'@', b'@', b'@', ..] => Some(Form::Other("combined diffs")),
        [b'@', b'@', ..] => Some(Form::Unified),
        _ if is_ed_command(without_ending(third)) => Some(Form::Other("ed scripts")),
        _ => None,
    }
}

/// `1,2c`, `3a`, `4d`: the commands that `diff -e` begins a script with.
fn is_ed_command(line: &[u8]) -> bool {
    let Some((command, lines)) = line.split_last() else {
        return false;
    };
    let is_number = |number: &[u8]| !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    matches!(command, b'a' | b'c' | b'd' | b'i') && lines.splitn(2, |&byte| byte == b',').all(is_number)
}

fn single_line_form(line: &[u8]) -> Option<Form> {
    let has = |words: &[u8]| memchr::memmem::find(line, words).is_some();
    if differing(line).is_some() {
        return Some(Form::BinaryMissing);
    }
    // The words of `diff -r` where a file and a directory have one name.
    if line.starts_with(b"File ") && has(b" while file ") && has(b" is a directory") {
        return Some(Form::Other("changes between a file and a directory"));
    }
    if line == b"Cannot display: file marked as a binary type." {
        return Some(Form::Other("binary files without their contents"));
    }
    let is_combined = line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ");
    is_combined.then_some(Form::Other("combined diffs"))
}

fn unified(
    text: &[u8],
    lines: &mut Lines<'_>,
    options: Options,
    sections: &mut Sections,
) -> Result<usize, SyntaxError> {
    let start = lines.offset();
    let (old, new) = (side(text, lines)?, side(text, lines)?);
    let (hunks, end) = hunks::read(text, lines.offset(), options)?;
    let (action, name) = meaning(old, new).ok_or_else(|| {
        let says = SyntaxErrorKind::Contradiction("a file cannot be /dev/null on both sides");
        SyntaxError::new(says, content_span(text, start))
    })?;
    hunks::refuse_other_side(action, &hunks)?;
    sections.push(action, name, Edit::Hunks(hunks), Span::new(start, end));
    Ok(end)
}

/// The name on the next line, behind its four-byte marker.
fn side(text: &[u8], lines: &mut Lines<'_>) -> Result<Side, SyntaxError> {
    let line = content_span(text, lines.offset());
    lines.next();
    names::dated(text, Span::new(line.start + 4, line.end))
}

/// Time stamps of the epoch mean what `/dev/null` means, as in git.
fn meaning(old: Side, new: Side) -> Option<(Action, Name)> {
    Some(match (old, new) {
        (Side::Null, Side::Null) => return None,
        (Side::Null, Side::File(claim, _)) => (Action::Create, Name::Agreed(vec![claim])),
        (Side::File(claim, _), Side::Null) => (Action::Delete, Name::Agreed(vec![claim])),
        (Side::File(old, is_new), Side::File(new, is_gone)) => {
            let action = match (is_new, is_gone) {
                (true, _) => Action::Create,
                (_, true) => Action::Delete,
                _ => Action::Modify,
            };
            (action, Name::Traditional { old, new })
        }
    })
}

fn binary_missing(text: &[u8], line: Span, sections: &mut Sections) -> usize {
    let claim = |name: &[u8], end: usize| Claim {
        bytes: name.to_vec(),
        strip: Strip::Prefixed,
        span: Span::new(end - name.len(), end),
    };
    if let Some((old, new)) = differing(line.of(text).trim_ascii_end()) {
        let old_end = line.start + BINARY.len() + old.len();
        let (old, new) = (claim(old, old_end), claim(new, old_end + AND.len() + new.len()));
        let (action, name) = match (&*old.bytes, &*new.bytes) {
            (b"/dev/null", _) => (Action::Create, Name::Agreed(vec![new])),
            (_, b"/dev/null") => (Action::Delete, Name::Agreed(vec![old])),
            _ => (Action::Modify, Name::Traditional { old, new }),
        };
        sections.push(action, name, Edit::BinaryMissing, line);
    }
    Lines::within(text, Span::new(line.start, text.len())).next().map_or(text.len(), |(span, _)| span.end)
}

const BINARY: &[u8] = b"Binary files ";
const AND: &[u8] = b" and ";

/// The names in `Binary files OLD and NEW differ`, told apart where they are alike behind their first component,
/// else at the first ` and `.
fn differing(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let names = line.strip_prefix(BINARY)?.strip_suffix(b" differ")?;
    let mut splits = memchr::memmem::find_iter(names, AND).map(|at| (&names[..at], &names[at + AND.len()..]));
    let tail = |name: &[u8]| memchr::memchr(b'/', name).map_or(0, |slash| name.len() - slash);
    let is_alike = |(old, new): &(&[u8], &[u8])| tail(old) == tail(new) && old.ends_with(&new[new.len() - tail(new)..]);
    let first = splits.clone().next()?;
    Some(splits.find(is_alike).unwrap_or(first))
}
