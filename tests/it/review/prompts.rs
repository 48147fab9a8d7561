//! The prompts on terminals without cursor addressing.

use fs_err as fs;

use super::{Desk, FILES, PATCH, Review};
use crate::terminal::wpatch;

/// Answers the prompts of a review with `lines`, and returns its code and its output.
fn answered(desk: &Desk, lines: &[&str]) -> (Option<i32>, String, Option<String>) {
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let mut command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
    command.env("TERM", "dumb").env_remove("CI");
    let mut review = Review::start(&command, (80, 200));
    review.wait_for("?]?");
    for line in lines {
        review.press(&format!("{line}\n"));
        // The terminal would echo the next answer within the help.
        if *line == "?" {
            review.wait_for("show this help");
        }
    }
    let ended = review.end();
    let only = ended.only().map(str::to_owned);
    let written = String::from_utf8(ended.written)
        .unwrap()
        .replace("\r\n", "\n");
    (ended.code, written, only)
}

#[test]
fn prompts_have_the_keys_of_the_screen() {
    for (lines, only) in [
        (&["A", "w", "y"][..], "1-4"),
        (&["y", "n", "y", "n", "y", "w", "y"], "f1h1,f2,f4"),
        (&["s", "y", "d", "w", "n", "y"], "f1h1:2-4"),
        (&["l", "n", "y", "y", "n", "w", "n", "y"], "f1h1:3-4"),
        (&["r too slow", "a", "w", "n", "y"], "f1h2"),
        (&["r", "too slow", "a", "w", "n", "y"], "f1h2"),
        (&["/limit", "y", "w", "n", "y"], "f2"),
        (&["", "y", "w", "n", "y"], "f1h2"),
        (&["yy", "z", "?", "f", "y", "w", "b", "w", "n", "y"], "f1h1"),
    ] {
        let desk = Desk::new(FILES);
        let (code, text, accepted) = answered(&desk, lines);
        assert_eq!(
            (code, accepted.as_deref()),
            (Some(0), Some(only)),
            "{lines:?}\n{text}"
        );
    }
}

#[test]
fn a_dumb_terminal_gets_plain_text() {
    let desk = Desk::new(FILES);
    let (code, text, _) = answered(&desk, &["y", "q", "y"]);
    assert_eq!(code, Some(3));
    assert!(!text.contains('\x1b'), "{text}");
    assert!(
        text.contains(
            "\nmodify a.txt  +3 -2\nf1h1  @@ -1,6 +1,6 @@\n a1\n-a2\n+A2\n+A2b\n a3\n a4\n-a5\n a6\n\
             [0/5] f1h1 accept this hunk [y,n,r,a,d,s,l,e,u,w,q,?]? "
        ),
        "{text:?}"
    );
}

#[test]
fn the_end_of_the_input_ends_the_review() {
    let desk = Desk::new(FILES);
    // Ctrl-D at the start of a line is the end of the input of a terminal.
    let (code, _, only) = answered(&desk, &["y", "\x04"]);
    assert_eq!((code, only), (Some(3), Some("f1h1".to_owned())));
}

#[test]
fn the_documentation_lists_all_keys() {
    let desk = Desk::new(FILES);
    let (_, text, _) = answered(&desk, &["?", "q"]);
    let rows = text
        .lines()
        .filter_map(|line| line.trim_start().split_once("  "));
    let rows = rows.filter(|(key, _)| key.chars().count() == 1 || *key == "space");
    let rows: Vec<_> = rows
        .map(|(key, help)| format!("| `{key}` | {} |\n", help.trim()))
        .collect();
    assert!(rows.len() > 30, "{text}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/review.md");
    assert!(
        fs::read_to_string(page).unwrap().contains(&rows.concat()),
        "{}",
        rows.concat()
    );
}
