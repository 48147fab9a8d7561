//! Tests of line diffs.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

    #[test]
    fn the_middle_of_texts_differs_as_the_whole(
        start in "(a|b|ab\n|\n|  x\n|x\n){0,12}",
        (old, new) in ("(a|b|ab\n|\n|  x\n|x\n){0,6}", "(a|b|ab\n|\n|  x\n|x\n){0,6}"),
        end in "(a|b|ab\n|\n|  x\n|x\n){0,12}",
        context in 0..4_usize,
    ) {
        let (old, new) = (format!("{start}{old}{end}"), format!("{start}{new}{end}"));
        let written = |diff: &LineDiff<'_>| {
            let mut out = Vec::new();
            diff.write_with_headings(&mut out, context);
            (String::from_utf8(out).unwrap(), diff.changed_lines(), diff.is_empty(), diff.similarity())
        };
        let whole = LineDiff::of_tables(old.as_bytes(), [&old, &new].map(|text| LineTable::from_text(text.as_bytes())), Interrupt::never());
        let diff = LineDiff::of(old.as_bytes(), new.as_bytes(), context, Interrupt::never());
        prop_assert_eq!(written(&diff), written(&whole));
    }
}

#[test]
fn texts_of_every_kind_differ_as_the_whole() {
    let many = |text: &str| text.repeat(20);
    for (old, new) in [
        (
            many("a\r\n") + "b\r\n" + &many("c\r\n"),
            many("a\r\n") + "b\n" + &many("c\r\n"),
        ),
        (
            many("a\r\n") + "b\r" + &many("c\r"),
            many("a\r\n") + "b" + &many("c\r"),
        ),
        (
            many("a\n") + "b\0\n" + &many("c\n"),
            many("a\n") + "b\n" + &many("c\n"),
        ),
        (many("a\n") + "b", many("a\n") + "b\n"),
        (many("a\n"), many("a\n")),
        (String::new(), many("a\n")),
    ] {
        for context in [0, 1, 3, usize::MAX] {
            let whole = LineDiff::of_tables(
                old.as_bytes(),
                [&old, &new].map(|text| LineTable::from_text(text.as_bytes())),
                Interrupt::never(),
            );
            let middle =
                LineDiff::of_lines(old.as_bytes(), new.as_bytes(), context, Interrupt::never());
            let written = [whole, middle].map(|diff| {
                let mut out = Vec::new();
                diff.write_with_headings(&mut out, context.min(100));
                (
                    String::from_utf8(out).unwrap(),
                    diff.changed_lines(),
                    diff.is_empty(),
                    diff.similarity(),
                )
            });
            assert_eq!(written[0], written[1], "{context}");
        }
    }
}

#[test]
fn most_of_what_is_alike_is_left_out() {
    let lines = |change: &str| {
        (0..1000)
            .map(|line| {
                if line == 500 {
                    change.to_owned()
                } else {
                    format!("{line}\n")
                }
            })
            .collect::<String>()
    };
    let (old, new) = (lines("a\n"), lines("b\n"));
    let diff = LineDiff::of(old.as_bytes(), new.as_bytes(), 3, Interrupt::never());
    assert_eq!((diff.old.len(), diff.skipped_lines), (9, 496));
}
