//! Tests of a merge.

use super::*;

fn merged(
    base: &str,
    ours: &str,
    theirs: &str,
    favour: Option<Favour>,
    style: ConflictStyle,
) -> (String, usize) {
    let lines = |text: &str| {
        text.split_inclusive(' ')
            .collect::<Vec<_>>()
            .join("")
            .replace(' ', "\n")
    };
    let (base, ours, theirs) = (lines(base), lines(ours), lines(theirs));
    let found = merge(
        base.as_bytes(),
        ours.as_bytes(),
        theirs.as_bytes(),
        favour,
        style,
    );
    (
        String::from_utf8(found.bytes).unwrap().replace('\n', " "),
        found.conflicts.len(),
    )
}

#[test]
fn what_does_not_touch_is_merged() {
    let found = merged(
        "1 2 3 4 5 ",
        "1 b 3 4 5 ",
        "1 2 3 d 5 ",
        None,
        ConflictStyle::Sides,
    );
    assert_eq!(found, ("1 b 3 d 5 ".to_owned(), 0));
    let found = merged("1 2 3 ", "1 b 3 ", "1 b 3 ", None, ConflictStyle::Sides);
    assert_eq!(found, ("1 b 3 ".to_owned(), 0));
}

#[test]
fn what_touches_is_a_conflict() {
    let found = merged(
        "1 2 3 4 ",
        "1 b 3 4 ",
        "1 2 c 4 ",
        None,
        ConflictStyle::Sides,
    );
    assert_eq!(found.0, "1 <<<<<<< ours b 3 ======= 2 c >>>>>>> theirs 4 ");
    let found = merged(
        "1 2 3 4 ",
        "1 b 3 4 ",
        "1 2 c 4 ",
        None,
        ConflictStyle::Base,
    );
    assert_eq!(
        found.0,
        "1 <<<<<<< ours b 3 ||||||| base 2 3 ======= 2 c >>>>>>> theirs 4 "
    );
}

#[test]
fn a_favour_decides_conflicts() {
    for (favour, expected) in [
        (Favour::Ours, "1 b 3 "),
        (Favour::Theirs, "1 c 3 "),
        (Favour::Union, "1 b c 3 "),
    ] {
        let found = merged(
            "1 2 3 ",
            "1 b 3 ",
            "1 c 3 ",
            Some(favour),
            ConflictStyle::Sides,
        );
        assert_eq!(found, (expected.to_owned(), 0));
    }
}

#[test]
fn what_both_sides_have_is_no_conflict() {
    let found = merged(
        "x ",
        "a b c d e f ",
        "a z c d e y ",
        None,
        ConflictStyle::Sides,
    );
    assert_eq!(found.1, 1);
    let found = merged(
        "x ",
        "a b c d e f g ",
        "a z c d e f y ",
        None,
        ConflictStyle::Sides,
    );
    assert_eq!(found.1, 2);
    let found = merged("x ", "a b c ", "a d c ", None, ConflictStyle::ShortBase);
    assert_eq!(
        found.0,
        "a <<<<<<< ours b ||||||| base x ======= d >>>>>>> theirs c "
    );
}
