//! Damages in the text of a patch.

use super::{ALL, Row, text};
use crate::dice::Dice;
use crate::mutations::grammars::{Grammar, Lines, Way};

const PATCH: fn(&Grammar) -> bool = |grammar| grammar.way == Way::Patch;
const TEXT: fn(&Grammar) -> bool =
    |grammar| grammar.way == Way::Patch && !grammar.name.starts_with("json");
/// Patches whose markers show where a change begins: a row of hashline that lost its `PUT` belongs
/// to the one above.
const MARKED: fn(&Grammar) -> bool = |grammar| TEXT(grammar) && grammar.lines != Lines::Numbers;
const DIFFS: fn(&Grammar) -> bool = |grammar| ["unified", "git"].contains(&grammar.name);

/// Damages in the text of a patch.
pub(super) const TEXTS: &[Row] = &[
    text("a lost marker", MARKED, |text, dice| {
        marker(text, dice, |_| String::new())
    }),
    text("a doubled marker", MARKED, |text, dice| {
        marker(text, dice, |line| format!("{line}\n{line}\n"))
    }),
    text("fence", TEXT, |text, _| {
        Some(format!(
            "Here is the change:\n\n```diff\n{text}```\n\nIt does that.\n"
        ))
    }),
    text("long fence", TEXT, |text, _| {
        Some(format!("~~~~\n{text}~~~~\n"))
    }),
    text("open fence", TEXT, |text, _| {
        Some(format!("```diff\n{text}"))
    }),
    text("prose before", TEXT, |text, _| {
        Some(format!("I changed:\n\n- this\n- that\n\n{text}"))
    }),
    text("prose behind", TEXT, |text, _| {
        Some(format!("{text}\nThat is all.\n"))
    }),
    text("list behind", TEXT, |text, dice| {
        let gap = if dice.once_in(2) { "\n" } else { "" };
        let sign = dice.one(&["-", "*", "1."]);
        Some(format!(
            "{text}{gap}{sign} the first remark\n{sign} the second remark\n"
        ))
    }),
    text("list of plus signs behind", TEXT, |text, dice| {
        // Rows of hashline have no counts.
        let gap = if dice.once_in(2) || text.contains("\nPUT ") {
            "\n"
        } else {
            ""
        };
        Some(format!(
            "{text}{gap}+ the first remark\n+ the second remark\n"
        ))
    }),
    text("heading and list behind", TEXT, |text, dice| {
        let gap = if text.contains("\nPUT ") { "\n" } else { "" };
        let heading = dice.one(&["## Summary", "Notes:", "> quoted", "Done."]);
        Some(format!(
            "{text}{gap}{heading}\n- one remark\n+ another one\n"
        ))
    }),
    text("indented patch", TEXT, |text, _| {
        Some(lines(text, |line| format!("  {line}")))
    }),
    text("byte order mark", PATCH, |text, _| {
        Some(format!("\u{feff}{text}"))
    }),
    text("heredoc", TEXT, |text, _| {
        Some(format!("apply_patch <<'EOF'\n{text}EOF\n"))
    }),
    text("tags", TEXT, |text, _| {
        Some(format!("<patch>\n{text}</patch>\n"))
    }),
    text(
        "CR LF",
        |grammar| grammar.way == Way::Patch && grammar.lines != Lines::Bare,
        |text, _| Some(text.replace('\n', "\r\n")),
    ),
    text("no newline", ALL, |text, _| {
        text.strip_suffix('\n').map(str::to_owned)
    }),
    text("blank lines behind", PATCH, |text, _| {
        Some(format!("{text}\n\n"))
    }),
    text("signature", DIFFS, |text, _| {
        Some(format!("{text}-- \n2.43.0\n"))
    }),
    text(
        "prose around",
        |grammar| grammar.way == Way::Patch,
        |text, _| Some(format!("I do:\n\n{text}\nDone.\n")),
    ),
    text(
        "fenced JSON",
        |grammar| grammar.name.starts_with("json"),
        |text, _| Some(format!("```json\n{text}```\n")),
    ),
    text("colours", DIFFS, |text, _| {
        Some(lines(text, |line| match line.as_bytes() {
            [b'@', ..] => format!("\u{1b}[36m{line}\u{1b}[m"),
            [b'+', ..] if !line.starts_with("+++ ") => format!("\u{1b}[32m{line}\u{1b}[m"),
            [b'-', ..] if !line.starts_with("--- ") => format!("\u{1b}[31m{line}\u{1b}[m"),
            [b' ' | b'\\', ..] => line.to_owned(),
            _ => format!("\u{1b}[1m{line}\u{1b}[m"),
        }))
    }),
    text("dot slash", DIFFS, |text, _| {
        Some(text.replace("a/src/", "./src/").replace("b/src/", "./src/"))
    }),
    text("other root", DIFFS, |text, _| {
        Some(
            text.replace("a/src/", "/home/x/src/")
                .replace("b/src/", "/home/x/src/"),
        )
    }),
    text(
        "this root",
        |grammar| grammar.way == Way::Patch && grammar.lines != Lines::Bare,
        |text, _| Some(text.replace("src/main", "/srv/tree/src/main")),
    ),
    text(
        "backslashes",
        |grammar| grammar.way == Way::Patch && grammar.lines != Lines::Bare,
        |text, _| Some(text.replace("src/main", "src\\main")),
    ),
];

/// Changes one line that is no line of a file.
fn marker(text: &str, dice: &mut Dice, change: impl Fn(&str) -> String) -> Option<String> {
    const STARTS: &[&str] = &[
        "@@",
        "*** ",
        "***************",
        "--- ",
        "+++ ",
        "<<<<<<<",
        "=======",
        ">>>>>>>",
    ];
    const OTHERS: &[&str] = &["@@ decorator", "*** stars", "--- a/x_", "+++ b/x_"];
    let count = |line: &str| text.matches(line).count();
    // Lines of the file look like markers.
    if ["\n=======\n", " REPLACE\n"]
        .iter()
        .any(|line| count(line) != count(" SEARCH\n"))
    {
        return None;
    }
    let is_normal = count("Index: a/src") > 0;
    let is_command = |line: &str| {
        is_normal && line.len() > 2 && line.bytes().all(|it| b"0123456789,acd".contains(&it))
    };
    let is_start = |line: &str| STARTS.iter().any(|start| line.starts_with(start));
    let is_other = |line: &str| OTHERS.iter().any(|start| line.starts_with(start));
    let is_marker = |line: &str| {
        is_start(line) && !is_other(line) || is_command(line) || is_normal && line == "---"
    };
    let markers: Vec<_> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| is_marker(line))
        .map(|(at, _)| at)
        .collect();
    let chosen = if markers.is_empty() {
        return None;
    } else {
        dice.one(&markers)
    };
    let line = |(at, line): (usize, &str)| {
        if at == chosen {
            change(line)
        } else {
            format!("{line}\n")
        }
    };
    Some(text.lines().enumerate().map(line).collect())
}

fn lines(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}
