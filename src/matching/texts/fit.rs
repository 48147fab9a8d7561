//! What comes to a place, with the line ends and the indentation of the place.

use super::{Site, ending_at, search};
use crate::matching::ladder::{INDENT, PUNCT};
use crate::matching::reindent::Reindent;
use crate::plan::{Closeness, Ending as AtEnd, Replacement, Target};
use crate::text::{Ending, lines, without_ending};

/// Returns the bytes that take the place `site` of the file `text`.
pub(super) fn fitted(text: &[u8], edit: &Replacement, site: &Site, closeness: Closeness) -> Vec<u8> {
    match &edit.target {
        Target::Text { old, .. } if search::is_literal(old) => edit.new.clone(),
        Target::Text { old, .. } => {
            let region = &text[site.bytes.clone()];
            let is_loose = closeness == Closeness::Reindented && (INDENT..PUNCT).contains(&site.rung);
            let new = if is_loose { reindented(&edit.new, old, region) } else { edit.new.clone() };
            with_endings(&new, endings(region), ending_at(text, site.bytes.end))
        }
        Target::Lines(old) => whole_lines(text, edit, old, site, closeness),
        Target::Range { .. } => {
            with_endings(&edit.new, endings(&text[site.bytes.clone()]), ending_at(text, site.bytes.end))
        }
        Target::After(_) | Target::Before(_) => inserted(text, site.bytes.start, &edit.new),
        Target::Nothing | Target::End(AtEnd::Bytes) => edit.new.clone(),
        Target::End(AtEnd::Lines) if edit.new.is_empty() => Vec::new(),
        Target::End(AtEnd::Lines) => {
            let ending = ending_at(text, text.len());
            let open = if text.is_empty() || text.ends_with(b"\n") { Ending::Missing } else { ending };
            let new = with_endings(&edit.new, std::iter::empty(), ending);
            let last = if new.ends_with(b"\n") { Ending::Missing } else { ending };
            [open.bytes(), &new, last.bytes()].concat()
        }
    }
}

/// Returns whole lines for others; for a last line without terminator they come without one.
fn whole_lines(text: &[u8], edit: &Replacement, old: &[u8], site: &Site, closeness: Closeness) -> Vec<u8> {
    let region = &text[site.bytes.clone()];
    let is_loose = closeness == Closeness::Reindented && (INDENT..=PUNCT).contains(&site.rung);
    let mut new = if is_loose { reindented(&edit.new, old, region) } else { edit.new.clone() };
    if !search::is_literal(old) {
        new = with_endings(&new, endings(region), ending_at(text, site.bytes.end));
    }
    if !region.ends_with(b"\n") {
        new.truncate(without_ending(&new).len());
    }
    new
}

/// Returns whole lines that come before the line at `at`; behind a last line that is open, they are open as well.
fn inserted(text: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let before = text[..at].last().is_some_and(|&byte| byte == b'\n');
    let ending = if before { Ending::of(&text[at.saturating_sub(2)..at]) } else { ending_at(text, at) };
    let new = with_endings(new, std::iter::empty(), ending);
    if new.is_empty() {
        return new;
    }
    let is_behind_open_line = at == text.len() && at > 0 && !before && without_mark(text);
    if is_behind_open_line {
        return [ending.bytes(), without_ending(&new)].concat();
    }
    let last = if new.ends_with(b"\n") { Ending::Missing } else { ending };
    [&new[..], last.bytes()].concat()
}

/// Returns whether there is more in `text` than a byte order mark.
fn without_mark(text: &[u8]) -> bool {
    text != crate::text::BYTE_ORDER_MARK
}

fn endings(region: &[u8]) -> impl Iterator<Item = Ending> {
    lines(region).map(|(_, line)| Ending::of(line)).filter(|&ending| ending != Ending::Missing)
}

/// Writes each line feed of `new` as the line end of the same line of the region, the last one for all further ones,
/// `otherwise` where the region has none. CR LF stays as it is.
fn with_endings(new: &[u8], mut region: impl Iterator<Item = Ending>, otherwise: Ending) -> Vec<u8> {
    let mut out = Vec::with_capacity(new.len() + 16);
    let mut ending = otherwise;
    for (_, line) in lines(new) {
        ending = region.next().unwrap_or(ending);
        match Ending::of(line) {
            Ending::Lf => {
                out.extend_from_slice(without_ending(line));
                out.extend_from_slice(ending.bytes());
            }
            Ending::CrLf | Ending::Missing => out.extend_from_slice(line),
        }
    }
    out
}

/// Moves the lines of `new` to the indentation that the lines of `old` have in the file.
fn reindented(new: &[u8], old: &[u8], found: &[u8]) -> Vec<u8> {
    let old: Vec<_> = lines(old).map(|(_, line)| line).collect();
    let depths = Reindent::new(&old, lines(found).map(|(_, line)| line));
    let mut out = Vec::with_capacity(new.len());
    for (_, line) in lines(new) {
        let (before, after) = depths.apply(without_ending(line)).unwrap_or((b"", Vec::new()));
        out.extend_from_slice(&after);
        out.extend_from_slice(&line[before.len()..]);
    }
    out
}
