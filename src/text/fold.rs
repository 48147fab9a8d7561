//! Folds names that some file system treats as equal: removes case, normalisation and ignorable
//! characters.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

use unicode_normalization::UnicodeNormalization;

/// Returns a form that is the same for all spellings of `text`.
///
/// The result has no case differences, one normal form, and no characters that file systems ignore.
/// The conversion to upper case between the two conversions to lower case unifies letters such as
/// long s and s. Together, they fold at least as much as Unicode case folding.
#[must_use]
pub fn fold_spelling(text: &str) -> String {
    let shown: String = text
        .chars()
        .filter(|&character| !is_ignorable(character))
        .collect();
    let lower = |character: char| character.to_lowercase();
    shown
        .nfd()
        .flat_map(lower)
        .flat_map(char::to_uppercase)
        .flat_map(lower)
        .nfc()
        .collect()
}

/// Returns the folded form of a name or a path. A pure ASCII name is returned unchanged, with its
/// case. Bytes that are not UTF-8 are also returned unchanged.
#[must_use]
pub fn fold_name(name: &[u8]) -> Cow<'_, [u8]> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    std::str::from_utf8(name).map_or(Cow::Borrowed(name), |text| {
        Cow::Owned(fold_spelling(text).into_bytes())
    })
}

/// Returns whether some file system treats `a` and `b` as the same name.
#[must_use]
pub fn is_same_name(a: &[u8], b: &[u8]) -> bool {
    let is_plain = a.is_ascii() && b.is_ascii();
    a.eq_ignore_ascii_case(b) || !is_plain && fold_name(a).eq_ignore_ascii_case(&fold_name(b))
}

/// Returns a hash that is the same for all spellings of `name`. For an ASCII name this needs no
/// allocation.
#[must_use]
pub fn hash_folded(name: &[u8], hasher: &impl BuildHasher) -> u64 {
    let mut state = hasher.build_hasher();
    let mut buffer = [0; 64];
    for part in fold_name(name).chunks(buffer.len()) {
        let lower = &mut buffer[..part.len()];
        lower.copy_from_slice(part);
        lower.make_ascii_lowercase();
        state.write(lower);
    }
    state.finish()
}

/// Returns whether file systems ignore the character in names. HFS+ has its own list. ext4 ignores
/// all characters with the Unicode property `Default_Ignorable_Code_Point`.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use std::hash::RandomState;

    use super::*;

    #[test]
    fn spellings_of_one_name_have_one_hash() {
        let hasher = RandomState::new();
        let long = "a".repeat(100);
        for (a, b, is_one) in [
            ("src/README", "SRC/readme", true),
            ("\u{e9}", "E\u{301}", true),
            ("stra\u{df}e", "STRASSE", true),
            (&long, &long.to_uppercase(), true),
            ("a\u{200b}b", "AB", true),
            ("a", "b", false),
            ("\u{e9}", "e", false),
        ] {
            let [first, second] = [a, b].map(str::as_bytes);
            assert_eq!(is_same_name(first, second), is_one, "{a} {b}");
            assert_eq!(
                hash_folded(first, &hasher) == hash_folded(second, &hasher),
                is_one,
                "{a} {b}"
            );
        }
    }
}
