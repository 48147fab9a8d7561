//! Finds texts within lines that differ from the file only in typographic characters.

use std::ops::Range;

use super::error::PlacementError;
use super::typography::Typography;
use super::{RepairError, RepairKind};
use crate::interrupt::Interrupt;
use crate::lines::ladder::folds_to_same;
use crate::matching::{self, MismatchKind};
use crate::plan::{MatchMode, Replacement, Replacements};
use crate::text::{BYTE_ORDER_MARK, without_ending};

/// A repaired edit: whole lines of the file, and their replacement.
#[derive(Clone, Debug)]
pub(super) struct RepairedText {
    /// The lines of the file, which occur exactly once.
    pub(super) old: Vec<u8>,
    /// The replacement.
    pub(super) new: Vec<u8>,
    /// The repairs that were made.
    pub(super) rows: Vec<RepairKind>,
}

/// Finds a text within lines that differs only in typographic characters. The parts that the new
/// text shares with the old text keep the characters of the file.
pub(super) fn match_folded(
    (content, interrupt): (&[u8], &Interrupt),
    old: &[u8],
    edit: &Replacement,
    refuse: &dyn Fn(PlacementError) -> Box<RepairError>,
) -> Result<Option<RepairedText>, Box<RepairError>> {
    let Some(bytes) = find_place((content, interrupt), edit, refuse)? else {
        return Ok(None);
    };
    let texts =
        [&content[bytes.clone()], old, &edit.new].map(|text| std::str::from_utf8(text).ok());
    let [Some(found), Some(old), Some(new)] = texts else {
        return Ok(None);
    };
    // A place with CR, or with other than typographic differences, is not repaired. Equal texts
    // need no repair.
    if found.contains('\r') || !folds_to_same(found, old) || found == old {
        return Ok(None);
    }
    let typography = Typography::of_part(old, found);
    let Some(kept) = typography.keep_characters(new, &[0]) else {
        return Err(refuse(PlacementError::Typography));
    };
    let start = memchr::memrchr(b'\n', &content[..bytes.start]).map_or(0, |end| end + 1);
    // The lines of a file exclude its byte order mark, so the edit starts after the mark.
    let start = if start == 0 && content.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        start
    };
    // Unless the old and the new text both end at a line end, the edit extends to the next line
    // end.
    let is_whole = content[..bytes.end].ends_with(b"\n")
        && (kept.ends_with('\n') || kept.is_empty() && start == bytes.start);
    let rest = memchr::memchr(b'\n', &content[bytes.end..])
        .map_or(content.len(), |end| bytes.end + end + 1);
    let end = if is_whole { bytes.end } else { rest };
    let line = [
        &content[start..bytes.start],
        kept.as_bytes(),
        &content[bytes.end..end],
    ]
    .concat();
    let region = content[start..end].to_vec();
    let text = |text: Vec<u8>| {
        if without_ending(&text).len() == text.len() && !text.is_empty() {
            with_newline(text)
        } else {
            text
        }
    };
    Ok(Some(RepairedText {
        old: with_newline(region),
        new: text(line),
        rows: vec![RepairKind::Typography],
    }))
}

/// Returns the place of the old text of `edit` in `content`, if there is exactly one.
fn find_place(
    (content, interrupt): (&[u8], &Interrupt),
    edit: &Replacement,
    refuse: &dyn Fn(PlacementError) -> Box<RepairError>,
) -> Result<Option<Range<usize>>, Box<RepairError>> {
    let wanted = Replacements {
        match_mode: MatchMode::Ladder,
        ..Replacements::of(vec![edit.clone()])
    };
    match matching::replace_unexplained(content, &wanted, u64::MAX, interrupt) {
        Ok((_, mut changes)) if changes.len() == 1 => Ok(Some(changes.remove(0).placement.bytes)),
        Ok(_) => Ok(None),
        Err(misplaced) => match misplaced
            .mismatches
            .first()
            .map(|error| &error.mismatch.kind)
        {
            Some(MismatchKind::Ambiguous { lines, .. }) => {
                Err(refuse(PlacementError::Ambiguous(lines.clone())))
            }
            _ => Ok(None),
        },
    }
}

/// Returns `lines` with a final newline. The last line of a file also matches without its newline.
pub(super) fn with_newline(mut lines: Vec<u8>) -> Vec<u8> {
    if !lines.ends_with(b"\n") {
        lines.push(b'\n');
    }
    lines
}
