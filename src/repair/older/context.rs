//! Converts hunks of context diffs.

use super::{Line, OwnedLine, Span, build_hunk_header, range, with_text};

const STARS: &[u8] = b"***************";

/// Returns whether a hunk begins at the first of `lines`.
pub(super) fn is_hunk_start(lines: &[Line<'_>]) -> bool {
    matches!(lines, [stars, old, ..] if stars.text.starts_with(STARS) && parse_bounds(old.text, b"*** ").is_some())
}

/// Returns whether `line` is the first line of a hunk, which may be truncated.
pub(super) fn is_border(line: Line<'_>) -> bool {
    line.text == STARS
}

/// Parses the line range of a half.
fn parse_bounds(line: &[u8], mark: &[u8]) -> Option<(usize, usize)> {
    let (edges, rest) = range(line.strip_prefix(mark)?)?;
    rest.trim_ascii()
        .iter()
        .all(|byte| *byte == mark[0])
        .then_some(edges)
}

/// One line of a half.
#[derive(Clone, Copy)]
struct HalfLine<'t> {
    line: Line<'t>,
    /// ` `, `-`, `+` or `!`, or `\` for a note.
    sign: u8,
    /// The content, without the sign.
    text: &'t [u8],
}

/// Appends a hunk to `out` as a unified hunk and returns its number of lines in the input.
pub(super) fn convert_hunk<'t>(
    lines: &[Line<'t>],
    out: &mut Vec<OwnedLine<'t>>,
) -> Result<usize, Span> {
    let stars = lines[0];
    let Some(old_edges) = parse_bounds(lines[1].text, b"*** ") else {
        return Err(stars.span);
    };
    // Line 0 has the stars, and line 1 is the header of the old half.
    let middle = lines[2..].iter().position(|line| {
        parse_bounds(line.text, b"--- ").is_some() || line.text.starts_with(STARS)
    });
    // A truncated patch has no second half.
    let middle = 2 + middle.ok_or(stars.span)?;
    let Some(new_edges) = parse_bounds(lines[middle].text, b"--- ") else {
        return Err(stars.span);
    };
    let old = lines[2..middle]
        .iter()
        .map(|line| parse_half_line(*line, b"-!"))
        .collect::<Option<Vec<_>>>();
    let old = old.ok_or(stars.span)?;
    let new = read_new_half(&lines[middle + 1..], new_edges.1, old.is_empty());
    if old.is_empty() && new.is_empty() {
        return Err(stars.span);
    }
    let end = middle + 1 + new.len();
    // Lines after the counted ones can belong to the half. If one half has changed lines (`!`), so
    // must the other.
    let is_more = lines
        .get(end)
        .is_some_and(|line| matches!(line.text, [b' ' | b'-' | b'+' | b'!', b' ', ..]));
    let has_change = |half: &[HalfLine<'_>]| half.iter().any(|line| line.sign == b'!');
    if is_more || !old.is_empty() && !new.is_empty() && has_change(&old) != has_change(&new) {
        return Err(stars.span);
    }
    let (old, new) = match (&old[..], &new[..]) {
        (_, []) => (old.clone(), other_half(&old).ok_or(stars.span)?),
        ([], _) => (other_half(&new).ok_or(stars.span)?, new),
        _ => (old, new),
    };
    let first = out.len();
    // Context that lost its spaces and begins with a sign is tried only if the halves do not agree
    // as they are written.
    if merge(&old, &new, out, is_plain).is_err() {
        out.truncate(first);
        merge(&old, &new, out, is_signed_context)
            .map_err(|line| line.map_or(stars.span, |line| line.span))?;
    }
    out.insert(
        first,
        build_hunk_header(stars, (old_edges, new_edges), false),
    );
    Ok(end)
}

/// Returns the lines of the new half, of which the header counts `count`. This half can be omitted,
/// unless the old half is.
fn read_new_half<'t>(lines: &[Line<'t>], count: usize, is_old_empty: bool) -> Vec<HalfLine<'t>> {
    // After an empty line, either text follows, or the empty line is context without its spaces.
    let is_body = |line: &Line<'_>| matches!(line.text, [b' ' | b'+' | b'!', b' ', ..]);
    let is_left_out = !is_old_empty
        && lines.first().is_some_and(|line| line.text.is_empty())
        && !lines
            .iter()
            .take(count)
            .take_while(|line| !is_border(**line))
            .any(is_body);
    let (mut new, mut found) = (Vec::new(), 0);
    for line in lines.iter().filter(|_| !is_left_out) {
        let is_note = line.text.starts_with(b"\\");
        if found >= count && !is_note {
            break;
        }
        match parse_half_line(*line, b"+!") {
            Some(line) => new.push(line),
            None => break,
        }
        found += usize::from(!is_note);
    }
    new
}

/// Parses a line of a half; `None` if the line cannot belong to a half.
fn parse_half_line<'t>(line: Line<'t>, signs: &[u8]) -> Option<HalfLine<'t>> {
    let half = |sign, text| Some(HalfLine { line, sign, text });
    match line.text {
        [] => half(b' ', b""),
        [b'\\', ..] => half(b'\\', line.text),
        [b' ', b' ', text @ ..] => half(b' ', text),
        [sign, b' ', text @ ..] if signs.contains(sign) => half(*sign, text),
        [sign] if signs.contains(sign) || *sign == b' ' => half(*sign, b""),
        // The sign of the other half is the first character of context that lost its spaces.
        [b'-' | b'+', b' ', ..] => half(b' ', line.text),
        [b'-' | b'+' | b'!' | b'*' | b'`' | b'~', ..] => None,
        // Both halves contain the context, so it is recognised without its spaces.
        [b' ', text @ ..] | text => half(b' ', text),
    }
}

/// Returns the omitted half next to `half`, which is the context of `half`. Returns `None` if
/// `half` has changed lines.
fn other_half<'t>(half: &[HalfLine<'t>]) -> Option<Vec<HalfLine<'t>>> {
    let is_changed = half.iter().any(|line| line.sign == b'!');
    (!is_changed).then(|| {
        half.iter()
            .filter(|line| line.sign == b' ')
            .copied()
            .collect()
    })
}

/// Returns `false`: a line with a sign is never context.
fn is_plain(_: &HalfLine<'_>, _: Option<&HalfLine<'_>>) -> bool {
    false
}

/// Returns whether `line` is context that lost its spaces. The next line of the other half must be
/// the same line as context.
fn is_signed_context(line: &HalfLine<'_>, other: Option<&HalfLine<'_>>) -> bool {
    other.is_some_and(|other| other.sign == b' ' && other.text == line.line.text)
}

/// Appends both halves as one body. A line with a sign is context if `is_context` returns `true`.
fn merge<'t>(
    old: &[HalfLine<'t>],
    new: &[HalfLine<'t>],
    out: &mut Vec<OwnedLine<'t>>,
    is_context: fn(&HalfLine<'t>, Option<&HalfLine<'t>>) -> bool,
) -> Result<(), Option<Line<'t>>> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    let signed = |line: &HalfLine<'t>, sign: u8| {
        let text = if line.sign == b'\\' {
            line.text.to_vec()
        } else {
            [&[sign], line.text].concat()
        };
        with_text(line.line, text)
    };
    loop {
        while let Some(line) =
            old.next_if(|line| line.sign != b' ' && !is_context(line, new.peek().copied()))
        {
            out.push(signed(line, b'-'));
        }
        while let Some(line) =
            new.next_if(|line| line.sign != b' ' && !is_context(line, old.peek().copied()))
        {
            out.push(signed(line, b'+'));
        }
        match (old.next(), new.next()) {
            (None, None) => return Ok(()),
            (Some(old), Some(new)) if old.sign == new.sign && old.text == new.text => {
                out.push(signed(old, b' '));
            }
            (Some(old), Some(new)) if is_context(old, Some(new)) => out.push(signed(new, b' ')),
            (Some(old), Some(new)) if is_context(new, Some(old)) => out.push(signed(old, b' ')),
            (old, new) => return Err(new.or(old).map(|line| line.line)),
        }
    }
}
