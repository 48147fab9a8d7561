//! Reads a file or a part of it.

mod rows;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{
    LookResult, contents, file_problem, refused_outcome, resolve_readable, symbols,
    too_large_problem,
};
use crate::engine::Outcome;
use crate::engine::govern::extend_policy;
use crate::engine::request::MAX_FILE;
use crate::engine::suggest::explain_missing_file;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::SymbolName;
use crate::policy::Policy;
use crate::preflight::{Problem, code};
use crate::report::{Extract, ListedSymbol};
use crate::text::tag::HashlineTag;
use crate::text::{DecodeError, bom_length, decode, is_binary_for_edit};
use crate::workspace::Workspace;
use rows::LineFormatter;

/// A request to read a file.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// The path of the file below the root. Links are followed as long as they stay below the root.
    pub path: Vec<u8>,
    /// The part of the file to read.
    pub range: ReadRange,
    /// The form of the output.
    pub format: ReadFormat,
    /// The encoding of the file: a name in the Encoding Standard, or `auto`; `None` to return the
    /// bytes unchanged. With an encoding, offsets and lines refer to the text in UTF-8. Size and
    /// digest always refer to the file.
    pub encoding: Option<String>,
    /// The limit on the size of the file, in bytes.
    pub max_file: u64,
    /// The limit on the number of lines in the output.
    pub max_lines: usize,
    /// The limit on the size of the output, in bytes.
    pub max_output: usize,
    /// The policy.
    pub policy: Arc<Policy>,
}

/// A part of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadRange {
    /// The whole file.
    #[default]
    All,
    /// A range of bytes. It ends at the end of the file at the latest.
    Bytes {
        /// The first byte, counted from 0.
        offset: u64,
        /// The number of bytes.
        length: u64,
    },
    /// A range of lines. It ends at the end of the file at the latest.
    Lines {
        /// The first line, counted from 1.
        first: usize,
        /// The last line, counted from 1. The range includes it.
        last: usize,
    },
    /// The lines of a symbol in source code, with its attributes and comments.
    Symbol(Box<SymbolName>),
}

/// The form in which a file is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadFormat {
    /// The bytes without changes.
    #[default]
    Plain,
    /// Each line after its number and a tab. A line is cut after 2000 characters.
    Numbered,
    /// A line `[path#TAG]`, then each line after its number and a colon, without its terminator.
    Hashline,
}

impl ReadRequest {
    /// Returns a request to read a whole file of at most 10 MiB without changes.
    #[must_use]
    pub fn of(path: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            range: ReadRange::All,
            format: ReadFormat::Plain,
            encoding: None,
            max_file: MAX_FILE,
            max_lines: usize::MAX,
            max_output: usize::MAX,
            policy: Arc::default(),
        }
    }
}

/// Reads a file, or a part of it.
///
/// A text is cut only between characters. A read that starts at `next_offset` continues without a
/// gap and without an overlap.
///
/// # Errors
///
/// Returns the outcome with the problem. Examples are a file that is missing, too large or outside
/// the root, binary data in a view by lines, and bytes that are invalid in the encoding.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, ReadRequest, ReadRange};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\ntwo\nthree\n"))]);
/// let range = ReadRange::Lines { first: 2, last: 2 };
/// let extract = engine::read(&ReadRequest { range, ..ReadRequest::of("a") }, &workspace).unwrap();
/// assert_eq!((extract.content.as_slice(), extract.next_offset), (&b"two\n"[..], Some(8)));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn read(request: &ReadRequest, workspace: &dyn Workspace) -> Result<Extract, Box<Outcome>> {
    let policy = extend_policy("read", &request.policy, workspace)?;
    extract(request, &policy, workspace).map_err(|mut problem| {
        explain_missing_file(&mut problem, workspace, &policy);
        refused_outcome("read", *problem)
    })
}

/// Checks whether policy allows reading the file at `path` below the root. Reads no contents. The
/// file need not exist.
///
/// # Security
///
/// The answer holds for the current tree. A process that can change links can change the answer
/// before the file is read.
///
/// # Errors
///
/// Returns the outcome with the rule, the size limit, or the path or link that leads out of the
/// root.
pub fn may_read(
    path: &[u8],
    policy: &Arc<Policy>,
    workspace: &dyn Workspace,
) -> Result<(), Box<Outcome>> {
    let policy = extend_policy("read", policy, workspace)?;
    check_readable(path, &policy, workspace).map_err(|problem| refused_outcome("read", *problem))
}

/// Checks whether policy allows reading the file at `path`, by its rules and its size limit.
pub(super) fn check_readable(
    path: &[u8],
    policy: &Policy,
    workspace: &dyn Workspace,
) -> LookResult<()> {
    let small_enough = |path: &RelPath| match workspace.stat(path) {
        Ok(Some(stat)) if stat.kind == FileKind::Regular && stat.size > policy.max_read() => {
            Err(too_large_problem(path, policy.max_read(), Some(stat.size)))
        }
        _ => Ok(()),
    };
    resolve_readable(workspace, policy, path).and_then(|path| small_enough(&path))
}

fn extract(
    request: &ReadRequest,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> LookResult<Extract> {
    let path = resolve_readable(workspace, policy, &request.path)?;
    let raw = contents(workspace, &path, request.max_file.min(policy.max_read()))?;
    let (text, encoding) = match &request.encoding {
        None => (Cow::Borrowed(&raw[..]), None),
        Some(label) => {
            let decoded = decode(&raw, label).map_err(|error| decode_problem(&path, &error))?;
            (into_bytes(decoded.text), Some(decoded.encoding))
        }
    };
    let is_by_lines = request.format != ReadFormat::Plain;
    if is_by_lines && is_binary_for_edit(&text) {
        return Err(file_problem(
            &path,
            &code::BINARY_FILE,
            "the file is binary and has no lines",
        ));
    }
    let mut extract = Extract::new(path.as_bytes(), &raw, &text);
    if let ReadRange::Symbol(name) = &request.range {
        extract.symbol = Some(symbols::find(&path, &text, name)?);
    }
    let range = byte_range(&text, &request.range, extract.symbol.as_ref());
    let window = first_lines(&text, range, request.max_lines);
    extract.first_line = memchr::memchr_iter(b'\n', &text[..window.start]).count() + 1;
    let start = window.start;
    if is_by_lines {
        if request.format == ReadFormat::Hashline {
            extract.tag = Some(HashlineTag::of(&text).to_string());
        }
        let mut rows = LineFormatter::new(request, &extract);
        let end = rows.add_lines(&text, window);
        extract.lines_cut = Some(rows.cut);
        extract.set_position(start, end, text.len());
        extract.set_content(rows.out, encoding);
    } else {
        let end = character_boundary(
            &text,
            start,
            window.end.min(start.saturating_add(request.max_output)),
        );
        extract.set_position(start, end, text.len());
        extract.set_content(text[start..end].to_vec(), encoding);
    }
    Ok(extract)
}

fn into_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn decode_problem(path: &RelPath, error: &DecodeError) -> Box<Problem> {
    match error {
        DecodeError::Unknown(_) => {
            let help = Some(
                "use a name of the WHATWG Encoding Standard, such as gb18030, or `auto`".to_owned(),
            );
            Box::new(Problem {
                help,
                ..Problem::new(&code::USAGE, error.to_string())
            })
        }
        DecodeError::Undecodable(_) => file_problem(path, &code::ENCODING, &error.to_string()),
        #[cfg(not(feature = "encodings"))]
        DecodeError::Unsupported => file_problem(path, &code::UNSUPPORTED_FORM, &error.to_string()),
    }
}

/// Returns the range of `window` in `text`, in bytes. `symbol` is the symbol that it names.
fn byte_range(text: &[u8], window: &ReadRange, symbol: Option<&ListedSymbol>) -> Range<usize> {
    let end_of_lines = |lines: usize| match lines.checked_sub(1) {
        None => 0,
        Some(last) => memchr::memchr_iter(b'\n', text)
            .nth(last)
            .map_or(text.len(), |newline| newline + 1),
    };
    let whole_lines = |first: usize, last| {
        let start = end_of_lines(first.saturating_sub(1));
        start..end_of_lines(last).max(start)
    };
    match *window {
        ReadRange::All => 0..text.len(),
        ReadRange::Bytes { offset, length } => {
            let place = |offset: u64| {
                usize::try_from(offset)
                    .unwrap_or(usize::MAX)
                    .min(text.len())
            };
            place(offset)..place(offset.saturating_add(length))
        }
        ReadRange::Lines { first, last } => whole_lines(first, last),
        ReadRange::Symbol(_) => symbol.map_or(0..text.len(), |symbol| {
            // An edit of the symbol keeps the byte order mark.
            let range = whole_lines(symbol.first_line, symbol.last_line);
            range.start.max(bom_length(text))..range.end
        }),
    }
}

/// Returns the first `count` lines of `window`.
fn first_lines(text: &[u8], window: Range<usize>, count: usize) -> Range<usize> {
    let end = match count.checked_sub(1) {
        None => window.start,
        Some(last) => memchr::memchr_iter(b'\n', &text[window.clone()])
            .nth(last)
            .map_or(window.end, |newline| window.start + newline + 1),
    };
    window.start..end
}

/// Returns the largest end up to `end` that does not cut a character. Returns `end` if nothing
/// would remain, or if the bytes are not UTF-8.
fn character_boundary(text: &[u8], start: usize, end: usize) -> usize {
    if end == text.len() {
        return end;
    }
    match std::str::from_utf8(&text[start..end]) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            start + error.valid_up_to()
        }
        _ => end,
    }
}
