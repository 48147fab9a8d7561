//! Converts hunks of normal diffs.

use super::{Line, OwnedLine, Span, build_hunk_header, range, with_text};

/// The command of a hunk: `5a6,7`, `1,2c3,4` or `8d7`.
struct HunkCommand {
    old: (usize, usize),
    letter: u8,
    new: (usize, usize),
}

impl HunkCommand {
    fn read(line: &[u8]) -> Option<Self> {
        let (old, rest) = range(line)?;
        let (&letter, rest) = rest.split_first()?;
        let (new, rest) = range(rest)?;
        // The number before an insertion or after a deletion names the line above the change.
        let (old, new) = match letter {
            b'a' => ((old.0, 0), new),
            b'd' => (old, (new.0, 0)),
            b'c' => (old, new),
            _ => return None,
        };
        rest.trim_ascii()
            .is_empty()
            .then_some(Self { old, letter, new })
    }
}

/// Returns whether `line` can only be a part of a hunk: its command, or a line with a sign.
pub(super) fn is_part(line: Line<'_>) -> bool {
    HunkCommand::read(line.text).is_some() || matches!(line.text, [b'<' | b'>', b' ', ..])
}

/// Returns whether a hunk begins at the first of `lines`.
pub(super) fn is_hunk_start(lines: &[Line<'_>]) -> bool {
    let [first, second, ..] = lines else {
        return false;
    };
    let Some(command) = HunkCommand::read(first.text) else {
        return false;
    };
    let sign = if command.letter == b'a' { b'>' } else { b'<' };
    matches!(second.text, [found, b' ', ..] | [found] if *found == sign)
}

/// Appends a hunk to `out` as a unified hunk and returns its number of lines in the input. The
/// signs show where each side ends, because the numbers in the command can be wrong.
pub(super) fn convert_hunk<'t>(
    lines: &[Line<'t>],
    out: &mut Vec<OwnedLine<'t>>,
) -> Result<usize, Span> {
    let first = lines[0];
    let Some(command) = HunkCommand::read(first.text) else {
        return Err(first.span);
    };
    out.push(build_hunk_header(first, (command.old, command.new), true));
    let mut at = 1;
    if command.letter != b'a' {
        at = convert_side(lines, at, (b'<', b'-'), out);
    }
    if command.letter == b'c' {
        if lines
            .get(at)
            .is_none_or(|line| line.text.trim_ascii_end() != b"---")
        {
            return Err(first.span);
        }
        at += 1;
    }
    if command.letter != b'd' {
        at = convert_side(lines, at, (b'>', b'+'), out);
    }
    Ok(at)
}

/// Appends the lines of one side, starting at `at`, and returns the end of the side.
fn convert_side<'t>(
    lines: &[Line<'t>],
    mut at: usize,
    (from, to): (u8, u8),
    out: &mut Vec<OwnedLine<'t>>,
) -> usize {
    while let Some(line) = lines.get(at) {
        match line.text {
            // An empty line can lack the space after its sign.
            [sign, b' ', text @ ..] | [sign, text @ ..]
                if *sign == from && (text.is_empty() || line.text[1] == b' ') =>
            {
                out.push(with_text(*line, [&[to], text].concat()));
            }
            [b'\\', ..] => out.push(with_text(*line, line.text.to_vec())),
            _ => break,
        }
        at += 1;
    }
    at
}
