//! Removes additions of a viewer from lines: line numbers, or HTML entities. Models copy such lines
//! from the output of their tools.

use super::RepairKind;
use super::chunk::{Reading, ReadingLine};
use crate::plan::LineKind;
use crate::text::decode_entities;

/// Removes the line numbers of a viewer and the separator `separator` after them. Returns `None` unless
/// every preimage line has a number and the numbers are consecutive.
pub(super) fn without_numbers(reading: &Reading, separator: &[u8]) -> Option<Reading> {
    let mut lines = reading.lines.clone();
    let mut last = None;
    for line in lines
        .iter_mut()
        .filter(|line| line.kind != LineKind::Insertion)
    {
        let (number, rest) = split_number(line.raw.as_deref().unwrap_or(&line.text))?;
        if last.is_some_and(|last| number != last + 1) {
            return None;
        }
        last = Some(number);
        // An empty line can lack the separator, because viewers write no blanks at its end.
        let rest = if rest.is_empty() {
            rest
        } else {
            rest.strip_prefix(separator)?
        };
        (line.text, line.raw) = (rest.to_vec(), None);
    }
    let last = last?;
    strip_new_numbers(&mut lines, last, separator)?;
    let rows = reading
        .repairs
        .iter()
        .copied()
        .chain([RepairKind::LineNumbers])
        .collect();
    Some(Reading {
        lines,
        repairs: rows,
        ..reading.clone()
    })
}

/// Removes the line numbers of the new lines, if every new line has a number near `last`, the last
/// number of the preimage. Returns `None` if only some of them have one: `8080: http` can be the
/// content of a line.
fn strip_new_numbers(lines: &mut [ReadingLine], last: usize, separator: &[u8]) -> Option<()> {
    let count = lines.len();
    let stripped = |line: &ReadingLine| {
        let (number, rest) = split_number(&line.text)?;
        // The numbers of a viewer continue. A number far from the preimage is content.
        let is_near = number <= last + count && number + count > last;
        let rest = if rest.is_empty() {
            rest
        } else {
            rest.strip_prefix(separator)?
        };
        is_near.then(|| rest.to_vec())
    };
    let is_new = |line: &&mut ReadingLine| {
        line.kind == LineKind::Insertion && !line.text.trim_ascii().is_empty()
    };
    let has_number = |line: &ReadingLine| {
        split_number(&line.text).is_some_and(|(number, _)| number <= last + count)
    };
    let mut new: Vec<_> = lines.iter_mut().filter(is_new).collect();
    if !new.iter().any(|line| has_number(line)) {
        return Some(());
    }
    let texts: Vec<_> = new
        .iter()
        .map(|line| stripped(line))
        .collect::<Option<_>>()?;
    new.iter_mut()
        .zip(texts)
        .for_each(|(line, text)| line.text = text);
    Some(())
}

/// Splits ` 12| text`, `12: text`, `12<TAB>text`, `12→text`.
fn split_number(line: &[u8]) -> Option<(usize, &[u8])> {
    let line = line.trim_ascii_start();
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number: u32 = std::str::from_utf8(&line[..digits]).ok()?.parse().ok()?;
    let rest = line[digits..].trim_ascii_start();
    let rest = match line[digits..].first()? {
        b'\t' => &line[digits + 1..],
        // The arrow represents a tab.
        _ if rest.starts_with("\u{2192}".as_bytes()) => {
            let text = &rest["\u{2192}".len()..];
            text.strip_prefix(b"\t").unwrap_or(text)
        }
        _ => rest
            .strip_prefix(b"|")
            .or_else(|| rest.strip_prefix(b":"))
            .or_else(|| rest.strip_prefix("\u{2502}".as_bytes()))?,
    };
    Some((usize::try_from(number).ok()?, rest))
}

/// Decodes the HTML entities in all lines, if a preimage line contains one. Entities only in new
/// lines can be intended.
pub(super) fn decode_reading(reading: &Reading) -> Option<Reading> {
    if !reading
        .old()
        .any(|line| decode_entities(&line.text) != line.text)
    {
        return None;
    }
    let turned = |line: &ReadingLine| ReadingLine {
        text: decode_entities(&line.text),
        raw: line.raw.as_deref().map(decode_entities),
        ..line.clone()
    };
    let rows = reading
        .repairs
        .iter()
        .copied()
        .chain([RepairKind::Escaped])
        .collect();
    Some(Reading {
        lines: reading.lines.iter().map(turned).collect(),
        repairs: rows,
        ..reading.clone()
    })
}
