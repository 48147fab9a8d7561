//! Adapts new content to the line endings and the indentation of its place.

use super::{TextMatch, ending_at, search};
use crate::lines::common_ends;
use crate::lines::ladder::{INDENT, PUNCT};
use crate::matching::reindent::Reindent;
use crate::plan::{AppendMode as AtEnd, EditTarget, MatchMode, Replacement, SymbolAction};
use crate::text::{BYTE_ORDER_MARK, LineEnding, lines, without_ending};

/// Returns the bytes that replace `site` in the file `text`, or `None` if their indentation cannot
/// be derived.
pub(super) fn fit_edit(
    text: &[u8],
    edit: &Replacement,
    site: &TextMatch,
    match_mode: MatchMode,
) -> Option<Vec<u8>> {
    Some(match &edit.target {
        // The text itself contains CR, so the line endings of the new content are kept.
        EditTarget::Text { old, .. } if search::is_literal(old) => edit.new.clone(),
        EditTarget::Text { old, .. } => {
            let region = &text[site.bytes.clone()];
            // Unlike for whole lines, the rung `PUNCT` does not ignore the indentation of a text.
            let is_loose =
                match_mode == MatchMode::Reindented && (INDENT..PUNCT).contains(&site.rung);
            let new = if is_loose {
                reindent(&edit.new, old, region)?
            } else {
                edit.new.clone()
            };
            with_endings(&new, region, ending_at(text, site.bytes.end))
        }
        EditTarget::Lines(old) => whole_lines(text, edit, old, site, match_mode)?,
        EditTarget::Range { .. } => with_endings(
            &edit.new,
            &text[site.bytes.clone()],
            ending_at(text, site.bytes.end),
        ),
        EditTarget::After(_) => insert_lines(
            text,
            site.bytes.start,
            &edit.new,
            ending_before(text, site.bytes.start),
        ),
        EditTarget::Before(_) => insert_lines(
            text,
            site.bytes.start,
            &edit.new,
            ending_at(text, site.bytes.start),
        ),
        EditTarget::Symbol(symbol) => fit_symbol(text, symbol.action, &edit.new, site),
        EditTarget::EmptyFile | EditTarget::End(AtEnd::Bytes) => edit.new.clone(),
        EditTarget::End(AtEnd::Lines) if edit.new.is_empty() => Vec::new(),
        EditTarget::End(AtEnd::Lines) => {
            let ending = ending_at(text, text.len());
            let open = if is_unterminated(text) {
                ending
            } else {
                LineEnding::Missing
            };
            let new = with_endings(&edit.new, b"", ending);
            let last = if new.ends_with(b"\n") {
                LineEnding::Missing
            } else {
                ending
            };
            [open.bytes(), &new, last.bytes()].concat()
        }
    })
}

/// Returns the new text for a symbol, or the lines to insert next to it.
fn fit_symbol(text: &[u8], action: SymbolAction, new: &[u8], site: &TextMatch) -> Vec<u8> {
    let start = site.bytes.start;
    let (before, after) = site.blank_lines;
    let ending = match action {
        SymbolAction::Delete => return Vec::new(),
        SymbolAction::Replace if new.is_empty() => return Vec::new(),
        SymbolAction::Replace => {
            let ending = ending_at(text, site.bytes.end);
            return with_endings(without_ending(new), &text[site.bytes.clone()], ending);
        }
        SymbolAction::InsertBefore => ending_at(text, start),
        SymbolAction::InsertAfter => ending_before(text, start),
    };
    // Blank lines of the new text count.
    let content = without_ending(new);
    let leading = content.iter().take_while(|&&byte| byte == b'\n').count();
    let trailing = content
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\n')
        .count();
    let padded = [
        &b"\n".repeat(before.saturating_sub(leading))[..],
        content,
        b"\n",
        &b"\n".repeat(after.saturating_sub(trailing)),
    ]
    .concat();
    insert_lines(text, start, &padded, ending)
}

/// Returns the replacement for whole lines. If they end with an unterminated last line, so does the
/// replacement. Returns `None` if the indentation cannot be derived.
fn whole_lines(
    text: &[u8],
    edit: &Replacement,
    old: &[u8],
    site: &TextMatch,
    match_mode: MatchMode,
) -> Option<Vec<u8>> {
    let region = &text[site.bytes.clone()];
    let is_loose = match_mode == MatchMode::Reindented && (INDENT..=PUNCT).contains(&site.rung);
    let mut new = if is_loose {
        reindent(&edit.new, old, region)?
    } else {
        edit.new.clone()
    };
    if !search::is_literal(old) {
        new = with_endings(&new, region, ending_at(text, site.bytes.end));
    }
    // An unterminated last line stays unterminated.
    if !region.ends_with(b"\n") {
        new.truncate(without_ending(&new).len());
    }
    Some(new)
}

/// Returns the ending of the line before `offset`, which must be the start of a line. At the start
/// of the file, returns the ending of the first line.
fn ending_before(text: &[u8], offset: usize) -> LineEnding {
    let is_behind_line = text[..offset].ends_with(b"\n");
    if is_behind_line {
        LineEnding::of(&text[offset.saturating_sub(2)..offset])
    } else {
        ending_at(text, offset)
    }
}

/// Returns whole lines to insert before offset `at`. After an unterminated last line, the inserted
/// text also has no final terminator.
fn insert_lines(text: &[u8], at: usize, new: &[u8], ending: LineEnding) -> Vec<u8> {
    let new = with_endings(new, b"", ending);
    if new.is_empty() {
        return new;
    }
    if at == text.len() && is_unterminated(text) {
        return [ending.bytes(), without_ending(&new)].concat();
    }
    let last = if new.ends_with(b"\n") {
        LineEnding::Missing
    } else {
        ending
    };
    [&new[..], last.bytes()].concat()
}

/// Returns whether the last line of `text` has no terminator.
fn is_unterminated(text: &[u8]) -> bool {
    !(text.is_empty() || text.ends_with(b"\n") || text == BYTE_ORDER_MARK)
}

/// Replaces each LF of `new` with the ending of the corresponding line of `region`.
///
/// Lines at the start and the end that are equal in both correspond to each other. In between,
/// lines correspond by index, and further lines repeat the last ending. `otherwise` is used if the
/// region has no line ending. CR LF in `new` is kept.
fn with_endings(new: &[u8], region: &[u8], otherwise: LineEnding) -> Vec<u8> {
    if memchr::memchr(b'\n', new).is_none() {
        return new.to_vec();
    }
    let [old, new_lines]: [Vec<&[u8]>; 2] =
        [region, new].map(|text| lines(text).map(|(_, line)| line).collect());
    let (_, last) = common_ends(&old, &new_lines, |old, new| {
        without_ending(old) == without_ending(new)
    });
    let (changed, kept) = old.split_at(old.len() - last);
    let mut ending = old
        .iter()
        .find_map(|line| LineEnding::of(line).into_option())
        .unwrap_or(otherwise);
    let mut out = Vec::with_capacity(new.len() + 16);
    for (index, line) in new_lines.iter().enumerate() {
        let counterpart = match (index + last).checked_sub(new_lines.len()) {
            Some(index) => kept.get(index),
            None => changed.get(index),
        };
        ending = counterpart
            .and_then(|line| LineEnding::of(line).into_option())
            .unwrap_or(ending);
        match LineEnding::of(line) {
            LineEnding::Lf => {
                out.extend_from_slice(without_ending(line));
                out.extend_from_slice(ending.bytes());
            }
            LineEnding::CrLf | LineEnding::Missing => out.extend_from_slice(line),
        }
    }
    out
}

/// Converts the indentation of the lines of `new` from the indentation of `old` to the file.
/// Returns `None` if it cannot be derived.
fn reindent(new: &[u8], old: &[u8], found: &[u8]) -> Option<Vec<u8>> {
    let old: Vec<_> = lines(old).map(|(_, line)| line).collect();
    let depths = Reindent::new(&old, lines(found).map(|(_, line)| line));
    let mut out = Vec::with_capacity(new.len());
    for (_, line) in lines(new) {
        let (before, after) = depths.convert(without_ending(line))?;
        out.extend_from_slice(&after);
        out.extend_from_slice(&line[before.len()..]);
    }
    Some(out)
}
