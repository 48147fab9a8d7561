//! Counts the elements that two sequences have in common at their ends.

/// Returns the number of elements that two sequences have in common at the start, and the number
/// of the remaining elements that they have in common at the end. No element counts twice.
pub(crate) fn common_ends<T>(
    old: &[T],
    new: &[T],
    is_same: impl Fn(&T, &T) -> bool,
) -> (usize, usize) {
    let is_same = |(old, new): &(&T, &T)| is_same(old, new);
    let start = old.iter().zip(new).take_while(is_same).count();
    let rest = old[start..].iter().rev().zip(new[start..].iter().rev());
    (start, rest.take_while(is_same).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_element_counts_at_both_ends() {
        let found = |old: &str, new: &str| {
            common_ends(old.as_bytes(), new.as_bytes(), |old, new| old == new)
        };
        assert_eq!(found("abcd", "abxd"), (2, 1));
        assert_eq!(found("aa", "aaa"), (2, 0));
        assert_eq!(found("xaba", "yaba"), (0, 3));
        assert_eq!(found("abc", "abc"), (3, 0));
        assert_eq!(found("", "abc"), (0, 0));
    }
}
