//! The ways in which a correct patch is damaged. To add one, add a row of [`DAMAGES`].

use super::grammars::{Grammar, Lines, Way};
use super::scene::{Hunk, Line, Scene};
use crate::dice::Dice;

/// What may come of a damaged patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// The change of the whole patch, or a refusal.
    Same,
    /// The same, but without `--lenient` a wrong line number chooses between equal places as in
    /// git.
    Lenient,
    /// A refusal alone.
    Unknown,
}

/// How a patch is damaged. Each returns whether it could be.
pub(super) enum Damage {
    /// In the lines or the header of a hunk.
    Hunk(fn(&mut Hunk, &mut Dice) -> bool),
    /// In the text.
    Text(fn(&str, &mut Dice) -> Option<String>),
}

/// One way to damage a patch.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) damage: Damage,
    pub(super) meaning: Meaning,
    /// Whether it is possible in a grammar.
    pub(super) fits: fn(&Grammar) -> bool,
}

const ALL: fn(&Grammar) -> bool = |_| true;
const PATCH: fn(&Grammar) -> bool = |grammar| grammar.way == Way::Patch;
const TEXT: fn(&Grammar) -> bool =
    |grammar| grammar.way == Way::Patch && !grammar.name.starts_with("json");
/// Patches whose markers show where a change begins: a row of hashline that lost its `PUT` belongs
/// to the one above.
const MARKED: fn(&Grammar) -> bool = |grammar| TEXT(grammar) && grammar.lines != Lines::Numbers;
const LINES: fn(&Grammar) -> bool = |grammar| !matches!(grammar.lines, Lines::Numbers);
/// Hunks whose old lines show what is wrong with the new ones.
const SHOWN: fn(&Grammar) -> bool = |grammar| matches!(grammar.lines, Lines::Signed | Lines::Texts);
const SIGNED: fn(&Grammar) -> bool = |grammar| grammar.lines == Lines::Signed;
const RANGES: fn(&Grammar) -> bool = |grammar| grammar.has_ranges;
const HEADERS: fn(&Grammar) -> bool =
    |grammar| ["unified", "git", "json patch"].contains(&grammar.name);
const DIFFS: fn(&Grammar) -> bool = |grammar| ["unified", "git"].contains(&grammar.name);

const fn hunk(
    name: &'static str,
    fits: fn(&Grammar) -> bool,
    damage: fn(&mut Hunk, &mut Dice) -> bool,
) -> Row {
    Row {
        name,
        damage: Damage::Hunk(damage),
        meaning: Meaning::Same,
        fits,
    }
}

const fn text(
    name: &'static str,
    fits: fn(&Grammar) -> bool,
    damage: fn(&str, &mut Dice) -> Option<String>,
) -> Row {
    Row {
        name,
        damage: Damage::Text(damage),
        meaning: Meaning::Same,
        fits,
    }
}

/// Every damage.
pub(super) const DAMAGES: &[Row] = &[
    hunk("none", ALL, |_, _| true),
    hunk("trailing blanks", LINES, |hunk, _| {
        old(hunk, |text| format!("{text}  "))
    }),
    hunk("lost trailing blanks", LINES, |hunk, _| {
        old(hunk, |text| text.trim_end().to_owned())
    }),
    hunk("runs of blanks", LINES, |hunk, _| {
        old(hunk, |text| {
            let (depth, rest) = text.split_at(text.len() - text.trim_start().len());
            format!("{depth}{}", rest.replace(' ', "  "))
        })
    }),
    hunk("tabs for blanks", LINES, |hunk, _| {
        // New lines with a tab follow the old ones.
        let is_mixed = hunk
            .lines
            .iter()
            .any(|line| line.sign == '+' && line.text.contains('\t'));
        !is_mixed && old(hunk, |text| text.replace("    ", "\t"))
    }),
    hunk("blanks for tabs", LINES, |hunk, _| {
        let is_mixed = hunk
            .lines
            .iter()
            .any(|line| line.sign == '+' && line.text.starts_with(' '));
        !is_mixed && old(hunk, |text| text.replace('\t', "    "))
    }),
    hunk("dedented", SHOWN, |hunk, _| {
        let depth = |line: &Line| line.text.len() - line.text.trim_start_matches(' ').len();
        let least = hunk
            .lines
            .iter()
            .filter(|line| !line.text.trim().is_empty())
            .map(depth)
            .min()
            .unwrap_or(0);
        least > 0
            && all(hunk, |text| {
                text.get(least..).unwrap_or_default().to_owned()
            })
    }),
    hunk("indented", SHOWN, |hunk, _| {
        all(hunk, |text| {
            if text.is_empty() {
                String::new()
            } else {
                format!("    {text}")
            }
        })
    }),
    hunk("straight quotes", LINES, |hunk, _| old(hunk, straight)),
    hunk("curly quotes", LINES, |hunk, _| {
        old(hunk, |text| {
            text.replace('\'', "\u{2019}").replace(" - ", " \u{2013} ")
        })
    }),
    hunk("no-break spaces", LINES, |hunk, _| {
        old(hunk, |text| {
            let (depth, rest) = text.split_at(text.len() - text.trim_start().len());
            format!("{depth}{}", rest.replacen(' ', "\u{a0}", 1))
        })
    }),
    hunk("line numbers", LINES, |hunk, _| numbered(hunk, "| ", false)),
    hunk("line numbers in all lines", SHOWN, |hunk, _| {
        numbered(hunk, "\t", true)
    }),
    hunk("entities", SHOWN, |hunk, _| {
        // Where no old line shows it, the new lines can be meant as they are.
        let is_shown = hunk
            .side('+')
            .any(|line| line.text.contains(['&', '<', '>']));
        is_shown
            && all(hunk, |text| {
                text.replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;")
            })
    }),
    hunk("an elision in the context", LINES, |hunk, dice| {
        elided(hunk, dice, "// ... existing code ...")
    }),
    hunk("dots in the context", LINES, |hunk, dice| {
        elided(hunk, dice, "...")
    }),
    Row {
        meaning: Meaning::Lenient,
        ..hunk("an elision in the new lines", LINES, |hunk, dice| {
            let is_pair = |at: &usize| {
                hunk.lines[*at..]
                    .iter()
                    .take(2)
                    .filter(|line| line.sign == ' ')
                    .count()
                    == 2
            };
            let pairs: Vec<_> = (0..hunk.lines.len()).filter(is_pair).collect();
            if pairs.is_empty() || hunk.lines.iter().any(|line| line.text.trim() == "...") {
                return false;
            }
            let at = dice.one(&pairs);
            hunk.lines[at..at + 2]
                .iter_mut()
                .for_each(|line| line.sign = '-');
            let text = dice
                .one(&[
                    "# ... rest of the code ...",
                    "// ... existing code ...",
                    "...",
                ])
                .to_owned();
            hunk.lines.insert(
                at + 2,
                Line {
                    sign: '+',
                    text,
                    is_bare: false,
                },
            );
            true
        })
    },
    hunk("blank context without its blank", SIGNED, |hunk, _| {
        mark(hunk, |line| line.sign == ' ' && line.text.is_empty())
    }),
    hunk(
        "one context line without its blank",
        SIGNED,
        |hunk, dice| {
            let contexts: Vec<_> = (0..hunk.lines.len())
                .filter(|&at| hunk.lines[at].sign == ' ')
                .collect();
            let at = if contexts.is_empty() {
                usize::MAX
            } else {
                dice.one(&contexts)
            };
            hunk.lines
                .get_mut(at)
                .map(|line| line.is_bare = true)
                .is_some()
        },
    ),
    // Without `--lenient` Codex compares lines without their indentation, and a line that lost its
    // blank has another sign.
    Row {
        meaning: Meaning::Lenient,
        ..hunk("context without its blanks", SIGNED, |hunk, _| {
            mark(hunk, |line| line.sign == ' ')
        })
    },
    hunk("counts", RANGES, |hunk, dice| {
        hunk.more = (
            dice.below(7).cast_signed() - 3,
            dice.below(7).cast_signed() - 3,
        );
        hunk.more != (0, 0)
    }),
    hunk("equal counts", RANGES, |hunk, dice| {
        hunk.more = (dice.below(5).cast_signed() - 2, 0);
        hunk.more.1 = hunk.more.0;
        hunk.more != (0, 0)
    }),
    Row {
        meaning: Meaning::Lenient,
        ..hunk("lines", RANGES, |hunk, dice| {
            // An insertion of a normal diff has its number alone.
            if hunk.changes().iter().any(|(_, _, gone, _)| gone.is_empty()) {
                return false;
            }
            hunk.off = dice.below(9).cast_signed() - 4;
            hunk.off != 0
        })
    },
    Row {
        meaning: Meaning::Lenient,
        ..hunk("line zero", HEADERS, |hunk, _| {
            hunk.off = -hunk.old.cast_signed() - 1;
            true
        })
    },
    hunk("bare header", HEADERS, |hunk, dice| {
        let header = dice.one(&[
            "@@",
            "@@ @@",
            "@@ ... @@",
            "@@ -XX,XX +XX,XX @@",
            "@@ -,+ @@",
        ]);
        hunk.header = Some(header.to_owned());
        true
    }),
    hunk("glued header", HEADERS, |hunk, _| {
        let Some(first) = hunk
            .lines
            .first()
            .filter(|line| line.sign == ' ' && !line.text.trim().is_empty())
        else {
            return false;
        };
        let (old, new) = (hunk.side('+').count(), hunk.side('-').count());
        hunk.header = Some(format!(
            "@@ -{},{old} +{},{new} @@ {}",
            hunk.old + 1,
            hunk.new + 1,
            first.text
        ));
        hunk.lines.remove(0);
        true
    }),
    Row {
        meaning: Meaning::Unknown,
        ..hunk("another deletion", LINES, |hunk, _| {
            let line = hunk
                .lines
                .iter_mut()
                .find(|line| line.sign == '-' && line.text.trim().len() > 4);
            line.map(|line| {
                line.text = line
                    .text
                    .replacen(|byte: char| byte.is_ascii_alphabetic(), "Q", 1);
            })
            .is_some()
                && hunk
                    .lines
                    .iter()
                    .any(|line| line.sign == '-' && line.text.contains('Q'))
        })
    },
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

/// Changes the texts of the context and of the deletions; returns whether one is another one now.
fn old(hunk: &mut Hunk, change: impl Fn(&str) -> String) -> bool {
    replace(hunk, |line| {
        if line.sign == '+' {
            line.text.clone()
        } else {
            change(&line.text)
        }
    })
}

fn all(hunk: &mut Hunk, change: impl Fn(&str) -> String) -> bool {
    replace(hunk, |line| change(&line.text))
}

fn replace(hunk: &mut Hunk, change: impl Fn(&Line) -> String) -> bool {
    let mut is_other = false;
    for line in &mut hunk.lines {
        let text = change(line);
        is_other |= text != line.text;
        line.text = text;
    }
    is_other
}

fn mark(hunk: &mut Hunk, is_meant: impl Fn(&Line) -> bool) -> bool {
    let mut is_other = false;
    for line in hunk.lines.iter_mut().filter(|line| is_meant(line)) {
        line.is_bare = true;
        is_other = true;
    }
    is_other
}

fn straight(text: &str) -> String {
    text.replace('\u{2019}', "'")
        .replace(['\u{201c}', '\u{201d}'], "\"")
        .replace('\u{2013}', "-")
        .replace('\u{a0}', " ")
}

fn numbered(hunk: &mut Hunk, mark: &str, with_new: bool) -> bool {
    let mut number = hunk.old;
    for line in &mut hunk.lines {
        number += usize::from(line.sign != '+');
        if line.sign != '+' || with_new {
            line.text = format!(
                "{:>4}{mark}{}",
                number + usize::from(line.sign == '+'),
                line.text
            );
        }
    }
    true
}

/// Puts a mark in the place of some context between other context.
fn elided(hunk: &mut Hunk, dice: &mut Dice, mark: &str) -> bool {
    let is_inner = |at: &usize| {
        hunk.lines[at - 1..=at + 1]
            .iter()
            .all(|line| line.sign == ' ')
    };
    let inner: Vec<_> = (1..hunk.lines.len().saturating_sub(1))
        .filter(is_inner)
        .collect();
    if inner.is_empty() {
        return false;
    }
    let at = dice.one(&inner);
    mark.clone_into(&mut hunk.lines[at].text);
    true
}

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

impl Row {
    /// Damages what a patch is rendered from, or does nothing; returns whether something was
    /// damaged.
    pub(super) fn damage_scene(&self, scene: &mut Scene, dice: &mut Dice) -> bool {
        let Damage::Hunk(damage) = &self.damage else {
            return false;
        };
        let is_lone = dice.once_in(2);
        let hunks: Vec<_> = scene
            .files
            .iter_mut()
            .flat_map(|file| &mut file.hunks)
            .collect();
        let chosen = dice.below(hunks.len());
        let mut is_damaged = false;
        for (index, hunk) in hunks
            .into_iter()
            .enumerate()
            .filter(|(index, _)| !is_lone || *index == chosen)
        {
            let _ = index;
            is_damaged |= damage(hunk, dice);
        }
        is_damaged
    }

    /// Damages the text of a patch, or does nothing; returns whether it was damaged.
    pub(super) fn damage_text(&self, patch: &mut String, dice: &mut Dice) -> bool {
        let Damage::Text(damage) = &self.damage else {
            return false;
        };
        match damage(patch, dice).filter(|damaged| damaged != patch) {
            Some(damaged) => {
                *patch = damaged;
                true
            }
            None => false,
        }
    }
}
