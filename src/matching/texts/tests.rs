//! Tests for text replacements. Most cases come from the specification of the editing commands.

mod cancelled;
mod indentation;
mod whole_lines;

use super::*;
use crate::plan::{EditTarget, ReplaceCount};
use crate::text::Span;

fn text(old: &str, new: &str, times: ReplaceCount) -> Replacement {
    edit(
        EditTarget::Text {
            old: old.into(),
            times,
        },
        new,
    )
}

fn edit(target: EditTarget, new: &str) -> Replacement {
    Replacement {
        target,
        new: new.into(),
        span: Span::default(),
        index: None,
        line: None,
    }
}

fn made(file: &[u8], edits: Vec<Replacement>, order: EditOrder, match_mode: MatchMode) -> String {
    match replace(
        file,
        &Replacements {
            edits,
            order,
            match_mode,
        },
        u64::MAX,
        &Interrupt::new(),
    ) {
        Ok((after, _)) => after.escape_ascii().to_string(),
        Err(UnplacedChanges {
            mismatches: misfits,
            ..
        }) => {
            let told = misfits.iter().map(|misfit| match &misfit.mismatch.kind {
                MismatchKind::Ambiguous { lines, rung, .. } => {
                    format!("{}: {rung} {lines:?} of {}", misfit.edit, misfit.count)
                }
                kind => format!("{}: {kind:?}", misfit.edit),
            });
            format!("refused {}", told.collect::<Vec<_>>().join(", "))
        }
    }
}

fn one(file: &[u8], old: &str, new: &str) -> String {
    made(
        file,
        vec![text(old, new, ReplaceCount::Once)],
        EditOrder::Simultaneous,
        MatchMode::Exact,
    )
}

fn ladder(file: &str, old: &str, new: &str) -> String {
    made(
        file.as_bytes(),
        vec![text(old, new, ReplaceCount::Once)],
        EditOrder::Simultaneous,
        MatchMode::Ladder,
    )
}

#[test]
fn bytes_outside_the_place_stay() {
    assert_eq!(
        one(b"a\r\nb\r\nc\r\nd\r\n", "b\nc\n", "B\nC\nD\n"),
        r"a\r\nB\r\nC\r\nD\r\nd\r\n"
    );
    assert_eq!(
        one(b"one\r\ntwo\nthree\r\nfour\n", "three", "3\n3"),
        r"one\r\ntwo\n3\r\n3\r\nfour\n"
    );
    assert_eq!(
        one(b"a\nb\r\nc", "a\nb\nc", "1\n2\n3\n4"),
        r"1\n2\r\n3\r\n4"
    );
    assert_eq!(one(b"caf\xe9 price", "price", "cost"), r"caf\xe9 cost");
    assert_eq!(one(b"\xef\xbb\xbfx\n", "x", "y"), r"\xef\xbb\xbfy\n");
    assert_eq!(one(b"a\r\nb", "\nb", "\nc"), r"a\r\nc");
    assert_eq!(one(b"$1", "$1", r"\1&"), r"\\1&");
}

#[test]
fn lines_on_both_sides_of_a_change_keep_their_ends() {
    assert_eq!(one(b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nc\n"), r"a\r\nc\r\n");
    assert_eq!(
        one(b"a\r\nc\n", "a\nc\n", "a\nb\nb\nc\n"),
        r"a\r\nb\r\nb\r\nc\n"
    );
    assert_eq!(
        one(b"a\r\nb\nc\n", "a\nb\n", "x\na\nb\n"),
        r"x\r\na\r\nb\nc\n"
    );
    assert_eq!(
        one(b"a\nb\r\nc\n", "a\nb\nc\n", "a\n1\n2\nc\n"),
        r"a\n1\r\n2\r\nc\n"
    );
}

#[test]
fn carriage_returns_in_the_text_are_meant() {
    assert_eq!(one(b"a\r\nb\n", "a\r\n", "a\n"), r"a\nb\n");
    assert_eq!(one(b"a\nb\n", "a\r\n", "c\n"), "refused 0: NotFound");
    assert_eq!(one(b"a\nb\n", "a\n", "a\r\n"), r"a\r\nb\n");
}

#[test]
fn a_text_has_to_be_unmistakable() {
    assert_eq!(one(b"x\ny\nx\n", "x", "z"), "refused 0: exact [0, 2] of 2");
    assert_eq!(one(b"ababa", "aba", "z"), "refused 0: exact [0] of 2");
    let every = |file: &[u8], old| {
        made(
            file,
            vec![text(old, "z", ReplaceCount::All)],
            EditOrder::Simultaneous,
            MatchMode::Exact,
        )
    };
    assert_eq!(every(b"x\ny\nx", "x"), r"z\ny\nz");
    assert_eq!(every(b"ababa", "aba"), "refused 0: exact [0] of 2");
    assert_eq!(every(b"aaa", "b"), "refused 0: NotFound");
}

#[test]
fn the_ladder_goes_from_strict_to_loose() {
    assert_eq!(ladder("a \nb\n", "a\nb\n", "c\n"), r"c\n");
    assert_eq!(ladder("\tif x:\n\t\ty\n", "if x:\n    y", "z"), r"z\n");
    assert_eq!(
        ladder("\tx\n\t\tx\n", "    x\n", "y\n"),
        "refused 0: indent [0, 1] of 2"
    );
    assert_eq!(
        ladder("\tx\n  x\n    x\n", "  x\n", "  y\n"),
        r"\tx\n  y\n    x\n"
    );
    assert_eq!(
        ladder("— “a” – b\r\n", "\"a\" - b\n", "c\n"),
        r"\xe2\x80\x94 c\r\n"
    );
    assert_eq!(ladder("a\n \nb\n", "  \n", "c\n"), "refused 0: NotFound");
    assert_eq!(one(b"\tx\n", "  x", "y"), "refused 0: NotFound");
}

#[test]
fn what_comes_is_indented_as_what_goes() {
    let edits = vec![text(
        "def f():\n    return 1\n",
        "def f():\n    x = 2\n    return x\n",
        ReplaceCount::Once,
    )];
    let file = b"class A:\n    def f():\n        return 1\n";
    let made = made(file, edits, EditOrder::Simultaneous, MatchMode::Reindented);
    assert_eq!(
        made,
        r"class A:\n    def f():\n        x = 2\n        return x\n"
    );
}

#[test]
fn several_changes_see_the_file_as_it_was_or_each_other() {
    let edits = || {
        vec![
            text("one", "two", ReplaceCount::Once),
            text("two", "three", ReplaceCount::Once),
        ]
    };
    assert_eq!(
        made(
            b"one\ntwo\n",
            edits(),
            EditOrder::Simultaneous,
            MatchMode::Exact
        ),
        r"two\nthree\n"
    );
    assert_eq!(
        made(b"one\n", edits(), EditOrder::Simultaneous, MatchMode::Exact),
        "refused 1: NotFound"
    );
    assert_eq!(
        made(b"one\n", edits(), EditOrder::Sequential, MatchMode::Exact),
        r"three\n"
    );
    let touching = vec![
        text("ab", "x", ReplaceCount::Once),
        text("bc", "y", ReplaceCount::Once),
    ];
    assert_eq!(
        made(b"abc", touching, EditOrder::Simultaneous, MatchMode::Exact),
        "refused 1: Overlap"
    );
}

#[test]
fn lines_come_where_they_are_counted_to() {
    let at = |file: &[u8], target, new| {
        made(
            file,
            vec![edit(target, new)],
            EditOrder::Simultaneous,
            MatchMode::Exact,
        )
    };
    assert_eq!(
        at(b"1\r\n2\r\n", EditTarget::After(0), "0"),
        r"0\r\n1\r\n2\r\n"
    );
    assert_eq!(
        at(b"\xef\xbb\xbf1\n", EditTarget::After(0), "0\n"),
        r"\xef\xbb\xbf0\n1\n"
    );
    assert_eq!(at(b"1\n2", EditTarget::After(2), "3\n"), r"1\n2\n3");
    assert_eq!(at(b"1\n2\n", EditTarget::After(2), "3"), r"1\n2\n3\n");
    assert_eq!(
        at(b"1\n2\n", EditTarget::Before(2), "1.5\n"),
        r"1\n1.5\n2\n"
    );
    assert_eq!(
        at(b"1\n2\r\n", EditTarget::Before(2), "1.5\n"),
        r"1\n1.5\r\n2\r\n"
    );
    assert_eq!(
        at(b"1\n2\r\n", EditTarget::After(1), "1.5\n"),
        r"1\n1.5\n2\r\n"
    );
    assert_eq!(
        at(b"1\n2\n", EditTarget::After(3), "x"),
        "refused 0: NotFound"
    );
    assert_eq!(
        at(b"1\n2\n", EditTarget::Before(0), "x"),
        "refused 0: NotFound"
    );
    assert_eq!(at(b"", EditTarget::After(0), "x"), r"x\n");
}

#[test]
fn the_end_takes_bytes_or_lines() {
    use crate::plan::AppendMode;
    let at = |file: &[u8], ending, new| {
        made(
            file,
            vec![edit(EditTarget::End(ending), new)],
            EditOrder::Simultaneous,
            MatchMode::Exact,
        )
    };
    assert_eq!(at(b"a\r\nb", AppendMode::Bytes, "c\n"), r"a\r\nbc\n");
    assert_eq!(at(b"a\r\nb", AppendMode::Lines, "c"), r"a\r\nb\r\nc\r\n");
    assert_eq!(at(b"", AppendMode::Lines, "c"), r"c\n");
    assert_eq!(
        at(b"\xef\xbb\xbf", AppendMode::Lines, "c"),
        r"\xef\xbb\xbfc\n"
    );
    assert_eq!(at(b"a", AppendMode::Lines, ""), "a");
}

#[test]
fn a_range_goes_from_one_text_to_another() {
    let range = |from: &str, to: &str| {
        edit(
            EditTarget::Range {
                from: from.into(),
                to: to.into(),
            },
            "",
        )
    };
    let made = |from, to| {
        made(
            b"a\n# begin\nb\n# end\nc\n",
            vec![range(from, to)],
            EditOrder::Simultaneous,
            MatchMode::Exact,
        )
    };
    assert_eq!(made("# begin", "# end\n"), r"a\nc\n");
    assert_eq!(made("# end", "# begin"), "refused 0: NotFound");
    assert_eq!(made("#", "c"), "refused 0: exact [1, 3] of 2");
}

#[test]
fn a_text_that_is_not_there_has_a_nearest_place() {
    let nearest = |file: &[u8], old| {
        let wanted = Replacements {
            edits: vec![text(old, "x", ReplaceCount::Once)],
            order: EditOrder::Simultaneous,
            match_mode: MatchMode::Exact,
        };
        let nearest = replace(file, &wanted, u64::MAX, &Interrupt::new())
            .unwrap_err()
            .mismatches
            .remove(0)
            .mismatch
            .nearest;
        nearest.map(|nearest| {
            (
                nearest.line,
                nearest.matched,
                nearest.text.concat().escape_ascii().to_string(),
            )
        })
    };
    let file = b"def f():\n    result = 0\n    return result\n";
    assert_eq!(
        nearest(file, "result = 42"),
        Some((1, 0, "    result = 0".to_owned()))
    );
    assert_eq!(
        nearest(file, "def f():\n    result = 1\n"),
        Some((0, 1, "def f():    result = 0".to_owned()))
    );
    assert_eq!(nearest(file, "nothing"), None);
}

#[test]
fn an_empty_file_may_be_filled() {
    let filled = |file: &[u8]| {
        made(
            file,
            vec![edit(EditTarget::EmptyFile, "a\n")],
            EditOrder::Sequential,
            MatchMode::Exact,
        )
    };
    assert_eq!(
        [filled(b""), filled(b"\n")],
        ["a\\n".to_owned(), "refused 0: NotEmpty".to_owned()]
    );
}

#[test]
fn changes_in_turn_are_all_judged() {
    let edits = ["a\n", "b\n", "c\n", "d\n"]
        .map(|old| edit(EditTarget::Lines(old.into()), "x\n"))
        .to_vec();
    let wanted = Replacements {
        edits,
        order: EditOrder::Sequential,
        match_mode: MatchMode::Exact,
    };
    let UnplacedChanges {
        mismatches: misfits,
        places,
    } = replace(b"a\nc\n", &wanted, u64::MAX, &Interrupt::new()).unwrap_err();
    let edits = (
        misfits.iter().map(|misfit| misfit.edit).collect(),
        places.iter().map(|place| place.edit).collect(),
    );
    assert_eq!(edits, (vec![1, 3], vec![0, 2]));
}

#[test]
fn in_a_large_file_only_the_first_that_fail_have_a_nearest_place() {
    let file = format!("a word {}\n", "x".repeat(1 << 12)).repeat(1 << 11);
    let count = 2 * MAX_SEARCHED / file.len();
    let edits = (0..count)
        .map(|_| text("no word", "x", ReplaceCount::Once))
        .collect();
    let wanted = Replacements {
        order: EditOrder::Sequential,
        ..Replacements::of(edits)
    };
    let misfits = replace(file.as_bytes(), &wanted, u64::MAX, &Interrupt::new())
        .unwrap_err()
        .mismatches;
    let is_placed: Vec<_> = misfits
        .iter()
        .map(|misfit| misfit.mismatch.nearest.is_some())
        .collect();
    let first = MAX_SEARCHED.div_ceil(file.len());
    assert_eq!(
        is_placed,
        (0..count).map(|nth| nth < first).collect::<Vec<_>>()
    );
}
