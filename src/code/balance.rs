//! Compares the balance of brackets before and after a change.
//!
//! The grammar of CSS rejects much valid code. So a fault counts only if the change also
//! unbalances a pair, which is always a mistake. Comments and texts are not skipped, because finding
//! them needs a grammar.

/// A character, and the character that closes it.
type Pair = (u8, u8);

/// Brackets.
const BRACKETS: &[Pair] = &[(b'(', b')'), (b'[', b']'), (b'{', b'}')];

/// Returns whether a pair of brackets is balanced in `before`, but not in `after`.
pub(super) fn is_unbalanced(before: &str, after: &str) -> bool {
    BRACKETS
        .iter()
        .any(|&pair| balance(pair, before) == 0 && balance(pair, after) != 0)
}

fn balance((open, close): Pair, text: &str) -> isize {
    let count = |byte: u8| {
        memchr::memchr_iter(byte, text.as_bytes())
            .count()
            .cast_signed()
    };
    count(open) - count(close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_imbalance_counts() {
        assert!(is_unbalanced("(a)", "(a"));
        assert!(is_unbalanced("(a)", "(a)]"));
        assert!(!is_unbalanced("(a", "((a"));
        assert!(!is_unbalanced("(a)", "[b]"));
    }
}
