//! Each action of the screen, and random sequences of actions: the result is that of `apply --only`.

use super::{Desk, Ended, FILES, PATCH, Review};
use crate::dice::Dice;
use crate::terminal::wpatch;
use crate::tree;

/// Returns the `--only` list that a review with `keys` and `w` accepts. Asserts that the tree and the
/// `plan_id` are those of `apply --only` with this list.
fn accepted_by(keys: &[&str]) -> Option<String> {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    for keys in keys {
        review.press(keys);
    }
    let ended = review.finish();
    check_result(&desk, &ended);
    ended.only().map(str::to_owned)
}

fn check_result(desk: &Desk, ended: &Ended) {
    let other = Desk::new(FILES);
    fs_err::write(other.root().join("../change.diff"), PATCH).unwrap();
    let Some(only) = ended.only() else {
        assert_eq!(ended.code, Some(3));
        assert_eq!(tree::read(&desk.root()), tree::read(&other.root()));
        return;
    };
    assert_eq!(ended.code, Some(0), "{}", ended.report);
    let mut command = wpatch(
        &other.root(),
        &["apply", "--json", "--only", only, "../change.diff"],
    );
    let output = command.output().unwrap();
    assert!(output.status.success(), "{only}: {output:?}");
    assert_eq!(
        tree::read(&desk.root()),
        tree::read(&other.root()),
        "{only}"
    );
    let applied: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(applied["plan_id"], ended.report["plan_id"], "{only}");
    assert_eq!(
        ended.report["decisions"]["accepted_plan_id"],
        applied["plan_id"]
    );
}

#[test]
fn each_action_selects_the_expected_part() {
    for (keys, only) in [
        ("A", "1-4"),
        ("yyyyy", "1-4"),
        ("ynyny", "f1h1,f2,f4"),
        ("a", "f1"),
        ("nayda", "f1h2,f2,f4"),
        ("Adu", "1-4"),
        ("yu y U", "f1h1"),
        ("yuU", "f1h1"),
        ("Ac", "f1h2,2-4"),
        ("sy", "f1h1:2-4"),
        ("syn", "f1h1:2-4"),
        ("snyy", "f1h1:7,f1h2"),
        ("ssy", "f1h1"),
        ("jy", "f1h2"),
        ("jjky", "f1h2"),
        ("Jy", "f2"),
        ("JJKy", "f2"),
        ("Gy", "f4"),
        ("Ggy", "f1h1"),
        ("ly", "f1h1:2"),
        ("lnyy", "f1h1:3-4"),
        ("ljj ", "f1h1:4"),
        ("lkj  k n", "f1h1:3"),
        ("ljly", "f1h1"),
        ("ny\x1b[A\x1b[Ay", "f1"),
        ("\x1b[B\x1b[By", "f2"),
        ("\x1b[C\x1b[C\x1b[Dy", "f2"),
        ("jny\x06gy", "f1h1,f2"),
        ("/limit\ry", "f2"),
        ("/RENAMED\rgy", "f1h1"),
        ("/renamed\ry", "f3"),
        ("/b\r;;;y", "f1h2"),
        ("++-y", "f1h1"),
        ("j+/b6b\rly", "f1h2"),
        ("s/a5\ry", "f1h1:7"),
        ("sj/A2\ry", "f1h1:2-4"),
        ("yoy", "f1h1,f2"),
        ("fjj\ry", "f3"),
        ("fja\r", "f2"),
        ("?jk?y", "f1h1"),
        ("rslow\x7f\x7f\x15no\ry", "f1h2"),
    ] {
        assert_eq!(accepted_by(&[keys]).as_deref(), Some(only), "{keys:?}");
    }
}

/// Returns the bytes for a click on a row and a column, counted from 1.
fn click(column: usize, row: usize) -> String {
    format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m")
}

#[test]
fn the_mouse_selects_and_decides() {
    // The first rows: the bar, the title of the file, the title of the hunk, its lines.
    for (keys, only) in [
        (click(3, 3), "f1h1"),
        (click(3, 3) + &click(3, 3) + &click(20, 13) + "y", "f1h2"),
        (click(2, 5), "f1h1:2"),
        (click(2, 5) + &click(2, 7), "f1h1:2,f1h1:4"),
        (
            format!("{}\x1b[<65;10;10M{}y", click(20, 13), click(20, 2)),
            "f1h1",
        ),
    ] {
        assert_eq!(accepted_by(&[&keys]).as_deref(), Some(only), "{keys:?}");
    }
}

/// Random sequences of keys. Each result equals that of `apply --only` with the decisions.
#[test]
fn any_sequence_of_choices_is_a_selection_of_only() {
    const KEYS: &[&str] = &[
        "y", "n", "c", "a", "s", "sy", "l ", "l", " ", "u", "U", "j", "k", "J", "K", "o", "!", "g",
        "G", "+", "-", "rx\r", "/2\r", ";", ",", "y", "n", "y", "j",
    ];
    let (mut dice, mut partial) = (Dice::new(34), 0);
    for _ in 0..60 {
        let desk = Desk::new(FILES);
        let mut review = Review::of(&desk.root(), PATCH);
        let keys: String = (0..dice.below(40))
            .map(|_| KEYS[dice.below(KEYS.len())])
            .collect();
        review.press(&keys);
        review.press("w");
        let questions = ["no decision", "(y/n)", "nothing is accepted"];
        let mut question = review.wait_for_any(&questions);
        if question == "no decision" {
            review.press("n");
            question = review.wait_for_any(&["(y/n)", "nothing is accepted"]);
        }
        if question != "(y/n)" {
            review.press("qy");
            let ended = review.end();
            assert_eq!((ended.code, ended.only()), (Some(3), None), "{keys:?}");
            continue;
        }
        review.press("y");
        let ended = review.end();
        partial += usize::from(ended.only().is_some_and(|only| only.contains(':')));
        check_result(&desk, &ended);
    }
    assert!(partial > 10, "{partial} sequences select lines");
}

#[test]
fn a_search_in_a_hunk_with_more_context_finds_the_right_line() {
    let lines: Vec<_> = (1..=60).map(|number| format!("line {number}\n")).collect();
    let patch = "--- a/a\n+++ b/a\n@@ -30,5 +30,5 @@\n line 30\n-line 31\n+alpha\n line 32\n-line 33\n\
                 +beta\n line 34\n";
    let desk = Desk::new(&[("a", &lines.concat())]);
    let mut review = Review::of(&desk.root(), patch);
    review.press("++/beta\rly");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1:6")));
}
