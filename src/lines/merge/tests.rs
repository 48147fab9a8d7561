//! Tests of a merge.

use super::*;

fn merged(
    base: &str,
    ours: &str,
    theirs: &str,
    favour: Option<ConflictResolution>,
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
        (ConflictResolution::Ours, "1 b 3 "),
        (ConflictResolution::Theirs, "1 c 3 "),
        (ConflictResolution::Union, "1 b c 3 "),
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

/// Returns pseudo-random lines, of which `count` are different.
fn random(seed: u64, length: usize, count: u64) -> Vec<String> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % count
    };
    (0..length).map(|_| format!("w{}\n", next())).collect()
}

/// Replaces one line of the base, and other lines as `change` does. Asserts that a merge of both
/// contains both changes.
fn both_changes(base: &[String], line: usize, change: impl Fn(&mut Vec<String>)) {
    let new = "new\n".to_owned();
    let (mut ours, mut theirs) = (base.to_vec(), base.to_vec());
    change(&mut ours);
    theirs[line].clone_from(&new);
    let mut both = theirs.clone();
    change(&mut both);
    let [base, ours, theirs, both] = [base, &ours, &theirs, &both].map(<[String]>::concat);
    for favour in [
        None,
        Some(ConflictResolution::Ours),
        Some(ConflictResolution::Theirs),
    ] {
        let found = merge(
            base.as_bytes(),
            ours.as_bytes(),
            theirs.as_bytes(),
            favour,
            ConflictStyle::Sides,
        );
        assert_eq!(found.conflicts, []);
        assert!(found.bytes == both.as_bytes(), "the change is elsewhere");
    }
}

/// git aligns several of these texts otherwise, and then has a conflict at another place.
#[test]
fn changes_of_large_texts_with_few_different_lines_are_merged_at_their_place() {
    for (seed, count) in [(1, 2), (2, 8), (3, 49)] {
        let (base, added) = (random(seed, 8000, count), random(seed + 100, 900, count));
        both_changes(&base, 4000, |lines| drop(lines.drain(5000..7000)));
        both_changes(&base, 4000, |lines| drop(lines.drain(1000..3500)));
        both_changes(&base, 4000, |lines| {
            lines.drain(5000..6000);
            lines.drain(1000..2500);
        });
        both_changes(&base, 4000, |lines| {
            drop(lines.splice(4100..5900, added.clone()));
        });
        both_changes(&base, 4000, |lines| {
            let moved: Vec<_> = lines.drain(5000..6000).collect();
            lines.splice(100..100, moved);
        });
        both_changes(&base, 6500, |lines| {
            lines.splice(6600..6600, added.clone());
            lines.drain(3000..4500);
            lines.splice(200..700, added.clone());
        });
    }
}

#[test]
fn a_change_far_from_a_large_deletion_is_merged_at_its_place() {
    let base = random(1, 51_475, 49);
    both_changes(&base, 20_000, |lines| {
        lines.drain(25_776..45_776);
        lines.drain(..17);
    });
}

#[test]
fn no_favour_resolves_a_conflict_with_lines_that_were_not_compared() {
    let (base, ours) = (random(6, 3000, 2), random(7, 3000, 2));
    let mut theirs = base.clone();
    theirs[1500] = "new\n".to_owned();
    let [base, ours, theirs] = [base, ours, theirs].map(|lines| lines.concat());
    let texts = MergeInputs {
        base: LineTable::from_text(base.as_bytes()),
        ours: LineTable::from_text(ours.as_bytes()),
        theirs: LineTable::from_text(theirs.as_bytes()),
    };
    for style in [
        ConflictStyle::Sides,
        ConflictStyle::Base,
        ConflictStyle::ShortBase,
    ] {
        for favour in [
            ConflictResolution::Ours,
            ConflictResolution::Theirs,
            ConflictResolution::Union,
        ] {
            let found = merge_within(&texts, Some(favour), style, Budget(10_000));
            assert!(!found.conflicts.is_empty(), "{favour:?}");
            let enough = merge_within(&texts, Some(favour), style, Budget::default());
            assert_eq!(enough.conflicts, []);
        }
    }
    // Only one side changed, so there is no conflict.
    let texts = MergeInputs {
        theirs: texts.base.clone(),
        ..texts
    };
    let found = merge_within(&texts, None, ConflictStyle::Sides, Budget(10_000));
    assert_eq!(
        (found.conflicts, found.bytes == ours.as_bytes()),
        (vec![], true)
    );
}
