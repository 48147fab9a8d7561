//! Binary changes in git diffs: base-85 blocks, or a line that only states that the files differ.

use crate::plan::{BinaryData, BinaryMethod, BinaryPatch, Edit};
use crate::syntax::{SyntaxError, SyntaxErrorKind, base85, content_span};
use crate::text::{Lines, Span, without_ending};

/// The methods and the words at the start of their blocks.
const METHODS: &[(&[u8], BinaryMethod)] = &[
    (b"literal ", BinaryMethod::Literal),
    (b"delta ", BinaryMethod::Delta),
];

/// Reads the binary change at `from` and returns it with the start of the next line. Returns `None`
/// if no binary change starts there.
///
/// # Errors
///
/// Returns [`SyntaxErrorKind::Binary`] for a damaged block.
pub(super) fn read(text: &[u8], from: usize) -> Result<Option<(Edit, usize)>, SyntaxError> {
    let mut lines = Lines::of_span(text, Span::new(from, text.len()));
    let Some((_, line)) = lines.next() else {
        return Ok(None);
    };
    let line = line.trim_ascii_end();
    if says_only_that_files_differ(line) {
        return Ok(Some((Edit::BinaryMissing, lines.offset())));
    }
    if line != b"GIT binary patch" {
        return Ok(None);
    }
    let Some(forward) = read_block(text, &mut lines)? else {
        let at = content_span(text, lines.offset());
        return Err(SyntaxError::new(SyntaxErrorKind::NO_METHOD, at));
    };
    let backward = read_block(text, &mut lines)?;
    Ok(Some((
        Edit::Binary(Box::new(BinaryPatch { forward, backward })),
        lines.offset(),
    )))
}

fn says_only_that_files_differ(line: &[u8]) -> bool {
    (line.starts_with(b"Binary files ") || line.starts_with(b"Files "))
        && line.ends_with(b" differ")
}

/// Reads one block and the empty line after it. If no block starts here, returns `None` and does
/// not move `lines`.
fn read_block(text: &[u8], lines: &mut Lines<'_>) -> Result<Option<BinaryData>, SyntaxError> {
    let first = content_span(text, lines.offset());
    let Some(&(word, method)) = METHODS
        .iter()
        .find(|(word, _)| first.slice(text).starts_with(word))
    else {
        return Ok(None);
    };
    let size = size(text, Span::new(first.start + word.len(), first.end))?;
    lines.next();
    let start = lines.offset();
    loop {
        let here = lines.offset();
        let damaged =
            |what| SyntaxError::new(SyntaxErrorKind::Binary(what), content_span(text, here));
        let Some((span, line)) = lines.next() else {
            return Err(damaged("the empty line at the end is missing"));
        };
        let line = without_ending(line);
        if line.is_empty() {
            return Ok(Some(BinaryData {
                method,
                size,
                body: Span::new(start, span.start),
            }));
        }
        // Only the form is checked here. `BinaryPostimage` decodes the data under size limits.
        base85::declared_length(line)
            .ok_or_else(|| damaged("a line is not valid base85 of the declared length"))?;
    }
}

fn size(text: &[u8], span: Span) -> Result<u64, SyntaxError> {
    let digits = span.slice(text).trim_ascii_end();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("the size in bytes"),
            span,
        ));
    }
    let add = |size: u64, digit: &u8| size.checked_mul(10)?.checked_add((digit - b'0').into());
    let size = digits.iter().try_fold(0, add);
    size.ok_or_else(|| SyntaxError::new(SyntaxErrorKind::NumberTooLarge, span))
}
