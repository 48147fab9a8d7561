//! Lines that stand for others: `...`, `// ... existing code ...`.

use super::Trail;
use super::chunk::{ReadLine, Reading};
use super::lines::Lines;
use super::place::{Misfit, Placed, fitted, standing};
use crate::plan::LineKind;

/// The rungs on which the lines around a gap are looked for.
const RUNGS: [usize; 2] = [0, 1];

/// Returns whether a line stands for others that are left out.
pub(super) fn is_elision(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let marks: &[char] = &['#', '/', '*', '-', ';', '%', '<', '!', '>', ' ', '\t'];
    let text = text.trim_matches(marks);
    let is_dots = |text: &str| text.starts_with("...") || text.starts_with('\u{2026}');
    let words = ["existing", "rest of", "remaining", "unchanged", "omitted", "same as"];
    is_dots(text) && (text.len() <= 3 || words.iter().any(|word| text.contains(word)))
}

/// Finds the place of a reading with gaps: what stands between them, each part with one place in the whole file, in
/// order. `None` if it has no gaps, or a part is nowhere.
///
/// Nothing else decides, neither a line number nor what is nearest, since nobody knows how long a gap is.
pub(super) fn place_parts(file: &Lines<'_>, reading: &Reading, trail: &mut Trail) -> Result<Option<Placed>, Misfit> {
    let is_gap = |line: &ReadLine| line.kind == LineKind::Context && is_elision(&line.text);
    if !reading.headings.is_empty() || !reading.lines.iter().any(is_gap) {
        return Ok(None);
    }
    // Between a line that goes and another change, those that are left out may be meant to go as well.
    let is_torn = |three: &[ReadLine]| {
        is_gap(&three[1]) && three[0].kind == LineKind::Deletion && three[2].kind != LineKind::Context
    };
    if reading.lines.windows(3).any(is_torn) {
        return Ok(None);
    }
    let mut whole: Option<Placed> = None;
    for lines in reading.lines.split(is_gap).filter(|lines| !lines.is_empty()) {
        let part = Reading { lines: lines.to_vec(), headings: Vec::new(), rows: Vec::new(), is_closed: true };
        let Some(placed) = place_part(file, &part, trail)? else { return Ok(None) };
        match &mut whole {
            None => whole = Some(placed),
            Some(before) if before.lines.end <= placed.lines.start => {
                before.lines.end = placed.lines.end;
                before.gone.extend(placed.gone);
                before.come.extend(placed.come);
            }
            Some(_) => return Ok(None),
        }
    }
    Ok(whole.filter(|placed| !placed.gone.is_empty() || !placed.come.is_empty()))
}

/// Finds the one place of what stands between two gaps.
fn place_part(file: &Lines<'_>, part: &Reading, trail: &mut Trail) -> Result<Option<Placed>, Misfit> {
    let old: Vec<_> = part.old().collect();
    if old.iter().all(|line| line.text.trim_ascii().is_empty()) {
        return Ok(None);
    }
    for rung in RUNGS {
        let starts = file.runs(&old, rung, trail)?;
        match starts[..] {
            [] => {}
            [start] => {
                let is_pure = part.lines.iter().all(|line| line.kind != LineKind::Deletion);
                return match standing(file, part, trail)?.filter(|_| is_pure) {
                    Some(line) => Err(Misfit::Applied(line)),
                    None => fitted(file, part, start, rung).map(Some),
                };
            }
            _ => return Err(Misfit::Ambiguous(starts)),
        }
    }
    Ok(None)
}
