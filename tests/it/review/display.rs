//! The screen: sizes, colors, hostile texts and large patches.

use fs_err as fs;
use rustix::termios::tcsetwinsize;

use super::{Desk, FILES, PATCH, Review, non_zero};
use crate::dice::Dice;
use crate::terminal::{window_size, wpatch};
use crate::tree;

#[test]
fn eighty_columns_show_the_whole_hunk() {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    review.wait_for("? help");
    let text = review.text();
    let shown: Vec<_> = text.lines().map(str::trim_end).collect();
    assert_eq!(
        &shown[..13],
        [
            " 0 of 5 hunks decided, 4 files                                      a.txt (1/4)",
            " modify a.txt  +3 -2",
            "▌[ ] f1h1  @@ -1,6 +1,6 @@",
            "▌    1   a1",
            "▌    2 - a2",
            "▌    2 + A2",
            "▌    3 + A2b",
            "▌    4   a3",
            "▌    5   a4",
            "▌    5 - a5",
            "▌    6   a6",
            "",
            " [ ] f1h2  @@ -14,5 +14,6 @@",
        ]
    );
    review.press("q");
    review.end();
}

#[test]
fn wide_terminals_list_the_files() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let command = wpatch(&desk.root(), &["review", "../change.diff"]);
    let mut review = Review::start(&command, (140, 24));
    review.wait_for("? help");
    review.press("yn");
    review.wait_for("2 of 5");
    let text = review.text();
    assert!(
        text.lines().any(|line| line.starts_with("~  a.txt")),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|line| line.starts_with("   old.txt => renamed.txt")),
        "{text}"
    );
    review.press("qy");
    review.end();
}

#[test]
fn texts_of_patches_do_not_control_the_terminal() {
    let desk = Desk::new(&[("a\u{202e}b\u{1b}]0;name\u{7}.txt", "one\n")]);
    let evil = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}";
    let patch = format!(
        "--- \"a/a\\342\\200\\256b\\033]0;name\\007.txt\"\n\
         +++ \"b/a\\342\\200\\256b\\033]0;name\\007.txt\"\n@@ -1 +1 @@ {evil}\n-one\n+{evil}\n"
    );
    for columns in [80, 140] {
        fs::write(desk.root().join("../change.diff"), &patch).unwrap();
        let command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
        let mut review = Review::start(&command, (columns, 24));
        review.wait_for("\\x1b]0;title");
        review.press("fq");
        review.press("q");
        let ended = review.end();
        assert_eq!(ended.code, Some(3));
        let written = String::from_utf8(ended.written).unwrap();
        for part in [
            "\u{1b}]",
            "\u{1b}[2J\u{9b}",
            "\u{9b}",
            "\u{202e}",
            "\u{200b}",
            "\u{7}",
        ] {
            assert!(!written.contains(part), "{part:?} in {written:?}");
        }
    }
}

#[test]
fn no_color_means_no_colors() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    for (no_color, has_colors) in [(true, false), (false, true)] {
        let mut command = wpatch(&desk.root(), &["review", "../change.diff"]);
        command.env("TERM", "xterm-256color");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let mut review = Review::start(&command, (80, 24));
        review.wait_for("+ A2b");
        review.wait_for("? help");
        let screen = review.screen.screen();
        let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        let is_colored = cells.into_iter().any(|(row, column)| {
            let cell = screen.cell(row, column).unwrap();
            (cell.fgcolor(), cell.bgcolor()) != (vt100::Color::Default, vt100::Color::Default)
        });
        assert_eq!(is_colored, has_colors);
        review.press("q");
        review.end();
    }
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("? help");
    // The bar at the bottom is the last part of a frame.
    for (columns, rows, text) in [
        (140, 40, "f files"),
        (30, 10, "? help"),
        (4, 3, "? h"),
        (200, 60, "f files"),
    ] {
        // A frame of another size is drawn as a whole, so that an empty screen shows all of it.
        review.screen = vt100::Parser::new(non_zero(rows), non_zero(columns), 0);
        tcsetwinsize(&review.terminal, window_size((columns, rows))).unwrap();
        review.wait_for(text);
    }
    review.wait_for("old.txt => renamed.txt");
    review.press("q");
    assert_eq!(review.end().code, Some(3));
}

/// Keys and mouse actions.
const KEYS: &[&str] = &[
    "y",
    "n",
    "c",
    "a",
    "d",
    "A",
    "D",
    "s",
    "l",
    " ",
    "u",
    "U",
    "j",
    "k",
    "J",
    "K",
    "o",
    "!",
    "g",
    "G",
    "/2\r",
    ";",
    ",",
    "+",
    "-",
    "f",
    "?",
    "rx\r",
    "\x06",
    "\x02",
    "\x05",
    "\x19",
    "\x1b[A",
    "\x1b[B",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[<65;3;3M",
    "\x1b[<64;3;3M",
    "\x1b[<0;2;3M",
    "\x1b[<0;9;5M",
    "\x1b[200~pasted\r\x1b[201~",
    "\x0c",
    "é",
    "\t",
];

#[test]
fn any_keys_on_any_screen_end_without_a_crash() {
    let mut dice = Dice::new(3434);
    let lines: Vec<_> = (0..600).map(|number| format!("line {number}\n")).collect();
    let body: Vec<_> = lines[100..295]
        .iter()
        .map(|line| format!("-{line}"))
        .collect();
    let long = format!(
        "--- a/long.txt\n+++ b/long.txt\n@@ -101,195 +100,0 @@\n{}",
        body.concat()
    );
    let (lines, patches) = (lines.concat(), [PATCH.to_owned(), format!("{PATCH}{long}")]);
    for round in 0..60 {
        let desk = Desk::new(FILES);
        fs::write(desk.root().join("long.txt"), &lines).unwrap();
        let before = tree::read(&desk.root());
        fs::write(desk.root().join("../change.diff"), &patches[round % 2]).unwrap();
        let command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
        let sizes = [
            (1, 1),
            (3, 2),
            (9, 5),
            (20, 4),
            (80, 24),
            (130, 12),
            (300, 3),
        ];
        let mut review = Review::start(&command, sizes[dice.below(sizes.len())]);
        assert!(review.read());
        let keys: String = (0..50).map(|_| KEYS[dice.below(KEYS.len())]).collect();
        review.press(&keys);
        // Leaves a question or a page, and ends the review.
        review.press("\x03\x03\x03");
        let ended = review.end();
        assert_eq!(
            ended.code,
            Some(130),
            "{keys:?}: {}",
            String::from_utf8_lossy(&ended.written)
        );
        assert_eq!(tree::read(&desk.root()), before);
    }
}

#[test]
fn a_long_hunk_and_long_lines_are_shown_in_parts() {
    let line = "x".repeat(300);
    let lines: Vec<_> = (0..1000)
        .map(|number| format!("+{number} {line}\n"))
        .collect();
    let lines = lines.concat();
    let patch = format!("--- /dev/null\n+++ b/long.txt\n@@ -0,0 +1,1000 @@\n{lines}");
    let desk = Desk::new(&[]);
    let mut review = Review::of(&desk.root(), &patch);
    review.wait_for("+ 0 xxx");
    review.press("l/999 x\r");
    review.wait_for("+ 999 x");
    review.press("/500 x\r");
    review.wait_for("+ 500 x");
    review.press("ly");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1:501")));
}

#[test]
fn notes_show_invisible_characters_new_modes_and_what_differs() {
    let desk = Desk::new(&[("a", "x\ny\n"), ("b", "x\n"), ("run", "x\n")]);
    let patch = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+y\u{200b}\n\
                 --- a/b\n+++ b/b\n@@ -1 +1 @@\n-other\n+new\n\
                 diff --git a/run b/run\nold mode 100644\nnew mode 100755\n";
    let mut review = Review::of(&desk.root(), patch);
    for text in [
        "adds invisible characters",
        "expected in line 1: other",
        "found in line 1: x",
        "becomes executable",
    ] {
        review.wait_for(text);
    }
    review.press("Aw");
    review.wait_for("reject it (n) or edit it (e)");
    review.press("nX");
    review.wait_for("this key has no action");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1,f3")));
    assert_eq!(desk.read("a"), "x\ny\u{200b}\n");
}
