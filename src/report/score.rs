//! The similarity percentage of a git header. Only reports use it, so the plan does not contain it.

use crate::plan::{Edit, Operation};
use crate::text::{Lines, Span, without_ending};

/// Returns the percentage of the last `similarity index` or `dissimilarity index` line of the
/// section.
pub(super) fn score(operation: &Operation, patch: &[u8]) -> Option<u8> {
    let end = match &operation.edit {
        Edit::Hunks(hunks) => hunks
            .first()
            .map_or(operation.span.end, |hunk| hunk.span.start),
        Edit::Binary(binary) => binary.forward.body.start,
        Edit::Keep | Edit::BinaryMissing | Edit::Restore(_) | Edit::Directory => operation.span.end,
        Edit::Whole(_) | Edit::Replacements(_) | Edit::Cell(_) | Edit::Lines(_) => return None,
    };
    let header = Span::new(operation.span.start, end.max(operation.span.start));
    Lines::of_span(patch, header)
        .filter_map(|(_, line)| percentage(without_ending(line)))
        .last()
}

fn percentage(line: &[u8]) -> Option<u8> {
    let number = line
        .strip_prefix(b"similarity index ")
        .or_else(|| line.strip_prefix(b"dissimilarity index "))
        .and_then(|rest| rest.strip_suffix(b"%"))?;
    std::str::from_utf8(number)
        .ok()?
        .parse()
        .ok()
        .filter(|&percent| percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_percentage_is_a_score() {
        assert_eq!(percentage(b"similarity index 87%"), Some(87));
        assert_eq!(percentage(b"dissimilarity index 100%"), Some(100));
        assert_eq!(percentage(b"similarity index 101%"), None);
        assert_eq!(percentage(b"similarity index 8"), None);
    }
}
