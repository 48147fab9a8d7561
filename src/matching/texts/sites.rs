//! Selects the places of one change.

use std::ops::Range;

use super::place::{EditMismatch, TextMatch};
use super::search::{self, TextMatches, TextSearch};
use super::{nearest, symbols};
use crate::lines::LADDER;
use crate::matching::{MAX_CANDIDATES, Mismatch, MismatchKind};
use crate::plan::{EditTarget, MatchMode, ReplaceCount, Replacement};
use crate::text::{bom_length, lines};

/// Returns the places of one change.
pub(super) fn find_matches(
    file: &TextSearch<'_>,
    edit: &Replacement,
    match_mode: MatchMode,
) -> Result<Vec<TextMatch>, EditMismatch> {
    let insertion = |at: usize| {
        Ok(vec![TextMatch {
            bytes: at..at,
            rung: 0,
            core: None,
            blank_lines: (0, 0),
        }])
    };
    match &edit.target {
        EditTarget::Text { old, times } => find_text(file, old, *times, match_mode, edit),
        EditTarget::Lines(old) => find_text(file, old, ReplaceCount::Once, match_mode, edit),
        EditTarget::EmptyFile if file.text.is_empty() => insertion(0),
        EditTarget::EmptyFile => Err((Mismatch::of_kind(MismatchKind::NotEmpty), 0)),
        EditTarget::Range { from, to } => {
            let once = |text| {
                find_text(file, text, ReplaceCount::Once, match_mode, edit)
                    .map(|sites| (sites[0].bytes.clone(), sites[0].rung))
            };
            let ((first, loose), (last, looser)) = (once(from)?, once(to)?);
            // The range must end after its start.
            if last.start < first.end {
                return Err((Mismatch::of_kind(MismatchKind::NotFound), 0));
            }
            Ok(vec![TextMatch {
                bytes: first.start..last.end,
                rung: loose.max(looser),
                core: None,
                blank_lines: (0, 0),
            }])
        }
        EditTarget::After(0) => insertion(bom_length(file.text)),
        EditTarget::After(line) => match lines(file.text).nth(line - 1) {
            Some((span, _)) => insertion(span.end),
            None => Err(line_not_found(file.text)),
        },
        EditTarget::Before(line) => match line
            .checked_sub(1)
            .and_then(|line| lines(file.text).nth(line))
        {
            Some((span, _)) if span.start == 0 => insertion(bom_length(file.text)),
            Some((span, _)) => insertion(span.start),
            None => Err(line_not_found(file.text)),
        },
        EditTarget::End(_) => insertion(file.text.len()),
        EditTarget::Symbol(symbol) => {
            symbols::place_of_symbol(file, symbol, &edit.new).map(|place| vec![place])
        }
    }
}

/// Returns the mismatch for a line after the end of the file, with the last line as the closest
/// match.
fn line_not_found(text: &[u8]) -> EditMismatch {
    let mut mismatch = Mismatch::of_kind(MismatchKind::NotFound);
    mismatch.nearest = nearest::last_line(text);
    (mismatch, 0)
}

fn find_text(
    file: &TextSearch<'_>,
    old: &[u8],
    times: ReplaceCount,
    match_mode: MatchMode,
    edit: &Replacement,
) -> Result<Vec<TextMatch>, EditMismatch> {
    let rungs = if matches!(edit.target, EditTarget::Lines(_)) {
        search::LINE_RUNGS
    } else {
        search::RUNGS
    };
    let rungs = if match_mode == MatchMode::Exact {
        &rungs[..1]
    } else {
        rungs
    };
    for &(rung, search) in rungs {
        let TextMatches { places, count } = search(file, old, match_mode);
        let site = |bytes: &Range<usize>| TextMatch {
            bytes: bytes.clone(),
            rung,
            core: None,
            blank_lines: (0, 0),
        };
        match (count, times) {
            // Try the next, looser rung.
            (0, _) => {}
            (1, _) => return Ok(places.iter().map(site).collect()),
            (_, ReplaceCount::All) if places.len() == count => {
                return Ok(places.iter().map(site).collect());
            }
            _ => {
                let line = |bytes: &Range<usize>| {
                    memchr::memchr_iter(b'\n', &file.text[..bytes.start]).count()
                };
                let lines = places.iter().take(MAX_CANDIDATES).map(line).collect();
                let kind = MismatchKind::Ambiguous {
                    lines,
                    rung: LADDER[rung].name,
                    ignored_context: (0, 0),
                };
                return Err((Mismatch::of_kind(kind), count));
            }
        }
    }
    let explained = || nearest::closest_mismatch(file.text, old, edit, file.interrupt);
    let mismatch = file.spend_budget().then(explained);
    Err((
        mismatch.unwrap_or_else(|| Mismatch::of_kind(MismatchKind::NotFound)),
        0,
    ))
}
