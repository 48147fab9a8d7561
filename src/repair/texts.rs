//! Texts that a block or an edit searches for: the same repairs as for the chunks of a diff.
//!
//! The old and the new text become a chunk without a header, so that one table of repairs serves every grammar.

use super::chunk::{Chunk, Header};
use super::compose::spliced;
use super::elision::writes_elision;
use super::lines::Lines;
use super::place::{Misfit, place};
use super::read::Line;
use super::refusal::words;
use super::{Refusal, Row, Trail};
use crate::matching::{self, MismatchKind, folds_to_same};
use crate::plan::{Closeness, LineKind, Replacement, Replacements, Target, Times};
use crate::text::{BYTE_ORDER_MARK, lines, without_ending};

/// Most pairs of lines that are compared to find the common lines of two texts.
const MOST_PAIRS: usize = 1 << 20;

/// An edit that was repaired: whole lines of the file, and what they become.
#[derive(Clone, Debug)]
pub struct RepairedText {
    /// The lines of the file, which are there once.
    pub old: Vec<u8>,
    /// What they become.
    pub new: Vec<u8>,
    /// What was repaired.
    pub rows: Vec<Row>,
}

/// Returns `edit` as it was meant for a file with `content`; `None` if it fits as it is, or has no reading that fits.
///
/// # Errors
///
/// Returns why no reading is certain.
pub fn repair_text(content: &[u8], edit: &Replacement) -> Result<Option<RepairedText>, Box<Refusal>> {
    let (Target::Text { old, times: Times::Once } | Target::Lines(old)) = &edit.target else { return Ok(None) };
    let refuse = |misfit| {
        let (kind, message, lines) = words(edit.index.map_or(1, |index| index + 1), misfit);
        Box::new(Refusal { lines, ..Refusal::new(kind, None, edit.span, message) })
    };
    if is_elided(old, &edit.new) {
        return Err(refuse(Misfit::Elided));
    }
    let alone = |closeness| Replacements { closeness, ..Replacements::of(vec![edit.clone()]) };
    match matching::replace(content, &alone(Closeness::Exact), u64::MAX) {
        Ok(_) => return Ok(None),
        Err(misplaced) if edit.line.is_none() => {
            let is_several =
                |misfit: &matching::TextMismatch| matches!(misfit.mismatch.kind, MismatchKind::Ambiguous { .. });
            if misplaced.misfits.iter().any(is_several) {
                return Ok(None);
            }
        }
        Err(_) => {}
    }
    let Some((old_lines, new_lines)) = both_lines(old, &edit.new) else { return folded(content, old, edit, &refuse) };
    let mut trail = Trail::default();
    match placed(content, &body(&old_lines, &new_lines), edit, &mut trail) {
        Ok((old, new)) => {
            let rows = trail.into_rows().into_iter().chain(edit.line.map(|_| Row::Envelope)).collect();
            Ok(Some(RepairedText { old, new, rows }))
        }
        Err(Misfit::NotFound) => folded(content, old, edit, &refuse),
        Err(Misfit::Nothing) => Ok(None),
        Err(misfit) => Err(refuse(misfit)),
    }
}

/// Returns whether `new` writes a line that stands for others, which `old` does not have there.
fn is_elided(old: &[u8], new: &[u8]) -> bool {
    let [old, new] = [old, new].map(|text| lines(text).map(|(_, line)| without_ending(line)).collect::<Vec<_>>());
    let body = body(&old, &new);
    let kind = |line: &Vec<u8>| match line[0] {
        b'-' => LineKind::Deletion,
        b'+' => LineKind::Insertion,
        _ => LineKind::Context,
    };
    writes_elision(&body.iter().map(|line| (kind(line), &line[1..])).collect::<Vec<_>>())
}

/// The lines of a text, without their terminators.
type TextLines<'t> = Vec<&'t [u8]>;

/// Returns the lines of both texts; `None` if the new one would join its last line with the next line of the file.
fn both_lines<'t>(old: &'t [u8], new: &'t [u8]) -> Option<(TextLines<'t>, TextLines<'t>)> {
    let split = |text: &'t [u8]| text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    match (old.strip_suffix(b"\n"), new.strip_suffix(b"\n")) {
        (Some(old), Some(new)) => Some((split(old).collect(), split(new).collect())),
        (Some(old), None) if new.is_empty() => Some((split(old).collect(), Vec::new())),
        // Without its newline the old text ends within a line or at its end, and so does the new one.
        (None, _) => Some((split(old).collect(), split(new).collect())),
        (Some(_), None) => None,
    }
}

/// Returns the lines of a hunk from `old` to `new`.
fn body(old: &[&[u8]], new: &[&[u8]]) -> Vec<Vec<u8>> {
    let line = |sign: u8, line: &[u8]| [&[sign], line].concat();
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
    let (gone, come) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut body: Vec<_> = old[..head].iter().map(|text| line(b' ', text)).collect();
    // For each pair of ends, how many lines they have in common.
    let width = come.len() + 1;
    let is_small = gone.len().saturating_add(1).saturating_mul(width) <= MOST_PAIRS;
    let mut common = vec![0_u32; if is_small { (gone.len() + 1) * width } else { 0 }];
    for (at, index) in (0..gone.len()).rev().flat_map(|at| (0..come.len()).rev().map(move |index| (at, index))) {
        if !is_small {
            break;
        }
        common[at * width + index] = if gone[at] == come[index] {
            common[(at + 1) * width + index + 1] + 1
        } else {
            common[(at + 1) * width + index].max(common[at * width + index + 1])
        };
    }
    let (mut at, mut index) = (0, 0);
    while is_small && at < gone.len() && index < come.len() {
        if gone[at] == come[index] {
            body.push(line(b' ', gone[at]));
            (at, index) = (at + 1, index + 1);
        } else if common[(at + 1) * width + index] >= common[at * width + index + 1] {
            body.push(line(b'-', gone[at]));
            at += 1;
        } else {
            body.push(line(b'+', come[index]));
            index += 1;
        }
    }
    body.extend(gone[at..].iter().map(|text| line(b'-', text)));
    body.extend(come[index..].iter().map(|text| line(b'+', text)));
    body.extend(old[old.len() - tail..].iter().map(|text| line(b' ', text)));
    body
}

/// Returns the lines of the file that `body` is about, and what they become.
fn placed(
    content: &[u8],
    body: &[Vec<u8>],
    edit: &Replacement,
    trail: &mut Trail,
) -> Result<(Vec<u8>, Vec<u8>), Misfit> {
    let number = |(index, text)| Line::new(text, edit.span, index + 1);
    let lines: Vec<_> = body.iter().map(Vec::as_slice).enumerate().map(number).collect();
    let Some(&first) = lines.first() else { return Err(Misfit::Nothing) };
    let header = Header { stated: edit.line, ..Header::default() };
    let chunk = Chunk { is_text: true, ..Chunk::new(header, lines, first, false) };
    let file = Lines::of(content, trail)?;
    let one = place(&file, &chunk, (0, false), trail)?;
    if edit.line.is_some_and(|line| line != one.lines.start + 1) {
        trail.note(Row::StartLine, 1);
    }
    let after = spliced(&file, std::slice::from_ref(&one));
    let mark = if file.has_mark { BYTE_ORDER_MARK.len() } else { 0 };
    let length = |range: &[&[u8]]| range.iter().map(|line| line.len()).sum::<usize>();
    let (mut start, mut end) = (one.lines.start, one.lines.end);
    // A line number may have chosen one of several places: more lines make it the only one.
    loop {
        let region = file.all[start..end].concat();
        let is_other = |at: usize| at != start && file.all[at..].starts_with(&file.all[start..end]);
        let is_lone = !(0..=file.all.len() - (end - start)).any(is_other);
        if is_lone || start == 0 && end == file.all.len() {
            let (before, behind) = (mark + length(&file.all[..start]), length(&file.all[end..]));
            let new = after[before..after.len() - behind].to_vec();
            return Ok((closed(region), if new.is_empty() { new } else { closed(new) }));
        }
        (start, end) = (start.saturating_sub(1), (end + 1).min(file.all.len()));
        if !trail.charge(file.all.len()) {
            return Err(Misfit::TooMuch);
        }
    }
}

/// Returns whole lines: the last line of a file is one without its newline, too.
fn closed(mut lines: Vec<u8>) -> Vec<u8> {
    if !lines.ends_with(b"\n") {
        lines.push(b'\n');
    }
    lines
}

/// Finds a text within lines that differs in typographic characters only. What the new text has in common with the old
/// one keeps the characters of the file.
fn folded(
    content: &[u8],
    old: &[u8],
    edit: &Replacement,
    refuse: &dyn Fn(Misfit) -> Box<Refusal>,
) -> Result<Option<RepairedText>, Box<Refusal>> {
    let wanted = Replacements { closeness: Closeness::Ladder, ..Replacements::of(vec![edit.clone()]) };
    let change = match matching::replace(content, &wanted, u64::MAX) {
        Ok((_, mut changes)) if changes.len() == 1 => changes.remove(0),
        Ok(_) => return Ok(None),
        Err(misplaced) => match misplaced.misfits.first().map(|misfit| &misfit.mismatch.kind) {
            Some(MismatchKind::Ambiguous { lines, .. }) => return Err(refuse(Misfit::Ambiguous(lines.clone()))),
            _ => return Ok(None),
        },
    };
    let bytes = change.placement.bytes;
    let texts = [&content[bytes.clone()], old, &edit.new].map(|text| std::str::from_utf8(text).ok());
    let [Some(found), Some(old), Some(new)] = texts else { return Ok(None) };
    if found.contains('\r') || !folds_to_same(found, old) || found == old {
        return Ok(None);
    }
    let head = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let most = old.chars().count().min(new.chars().count()) - head;
    let tail = old.chars().rev().zip(new.chars().rev()).take(most).take_while(|(old, new)| old == new).count();
    let middle = new.chars().skip(head).take(new.chars().count() - head - tail);
    let count = found.chars().count();
    // What the new text has of the old one is known at its ends only.
    let is_kept = |(at, (old, found)): (usize, (char, char))| old == found || at < head || at >= count - tail;
    if !old.chars().zip(found.chars()).enumerate().all(is_kept) && middle.clone().any(|character| !character.is_ascii())
    {
        return Ok(None);
    }
    let kept: String = found.chars().take(head).chain(middle).chain(found.chars().skip(count - tail)).collect();
    let start = memchr::memrchr(b'\n', &content[..bytes.start]).map_or(0, |end| end + 1);
    let start = if start == 0 && content.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { start };
    let is_whole = content[..bytes.end].ends_with(b"\n");
    let rest = memchr::memchr(b'\n', &content[bytes.end..]).map_or(content.len(), |end| bytes.end + end + 1);
    let end = if is_whole { bytes.end } else { rest };
    let line = [&content[start..bytes.start], kept.as_bytes(), &content[bytes.end..end]].concat();
    let region = content[start..end].to_vec();
    let text =
        |text: Vec<u8>| if without_ending(&text).len() == text.len() && !text.is_empty() { closed(text) } else { text };
    Ok(Some(RepairedText { old: closed(region), new: text(line), rows: vec![Row::Typography] }))
}
