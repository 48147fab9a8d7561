//! Selects the places of a hunk that are below its headings.

use crate::repair::RepairLog;
use crate::repair::chunk::Reading;
use crate::repair::error::PlacementError;
use crate::repair::lines::FileLines;

/// Returns the places below all headings. Each heading must be below the previous one. A heading
/// can also be the first line of the place, because models repeat that line. Returns `None` if a
/// heading is missing.
pub(super) fn places_below(
    file: &FileLines<'_>,
    reading: &Reading,
    starts: &[usize],
    old: usize,
    log: &mut RepairLog,
) -> Result<Option<Vec<usize>>, PlacementError> {
    let Some(outermost) = reading.headings.last() else {
        return Ok(Some(starts.to_vec()));
    };
    // `first` is the line of the last heading, and `from` is the line after it.
    let (mut from, mut first) = (0, 0);
    for heading in &reading.headings {
        let Some(at) = find_heading(file, heading, from, log)? else {
            return Ok(None);
        };
        (from, first) = (at + 1, at);
    }
    let again = find_heading(file, outermost, first + 1, log)?;
    // Without preimage lines, the place is below the heading. A second heading is a second place.
    if old == 0 {
        return Ok(Some(
            [Some(first + 1), again.map(|line| line + 1)]
                .into_iter()
                .flatten()
                .collect(),
        ));
    }
    // Select the nearest place below the last heading. If that heading occurs again, return all
    // remaining places.
    let left: Vec<_> = starts
        .iter()
        .copied()
        .filter(|&start| start >= first)
        .collect();
    if again.is_some() && left.len() > 1 {
        return Ok(Some(left));
    }
    Ok(Some(left.into_iter().take(1).collect()))
}

/// Returns the first line that equals the heading, or else the first line that contains it. The
/// line `fn b()` must precede the line `pub fn b()`, although both contain the heading `fn b()`.
fn find_heading(
    file: &FileLines<'_>,
    heading: &[u8],
    from: usize,
    log: &mut RepairLog,
) -> Result<Option<usize>, PlacementError> {
    let wanted = heading.trim_ascii();
    let finder = memchr::memmem::Finder::new(wanted);
    let count = file.all.len();
    let whole = (from..count).find(|&index| file.content(index).trim_ascii() == wanted);
    log.spend((whole.map_or(count, |at| at + 1)).saturating_sub(from))?;
    if whole.is_some() {
        return Ok(whole);
    }
    let part = (from..count).find(|&index| finder.find(file.content(index)).is_some());
    log.spend((part.map_or(count, |at| at + 1)).saturating_sub(from))?;
    Ok(part)
}
