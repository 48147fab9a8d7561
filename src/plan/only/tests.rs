//! Tests of the parser of lists.

use super::*;

fn read(list: &str) -> Result<Vec<(usize, usize, Option<usize>)>, HunkSelectionError> {
    let only: HunkSelection = list.parse()?;
    Ok(only
        .0
        .into_iter()
        .map(|part| (part.files.0, part.files.1, part.hunk))
        .collect())
}

#[test]
fn a_list_has_numbers_ranges_and_names() {
    let expected = vec![(1, 1, None), (3, 4, None), (2, 2, None), (12, 12, Some(3))];
    assert_eq!(read("1,3-4, f2,f12h3"), Ok(expected));
    assert_eq!(
        read("7-99999999999999999999999"),
        Ok(vec![(7, usize::MAX, None)])
    );
}

#[test]
fn what_is_no_list_is_named() {
    for (list, word) in [
        ("", ""),
        ("1,,2", ""),
        ("x", "x"),
        ("1,-2", "-2"),
        ("1-", "1-"),
        ("+1", "+1"),
        ("f", "f"),
        ("f1h", "f1h"),
        ("h1", "h1"),
        ("f1-f2", "f1-f2"),
        ("F1", "F1"),
    ] {
        assert_eq!(
            read(list),
            Err(HunkSelectionError::Unreadable(word.to_owned())),
            "{list:?}"
        );
    }
}
