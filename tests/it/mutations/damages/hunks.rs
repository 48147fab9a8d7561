//! Damages in the lines and the headers of hunks.

use super::{ALL, Meaning, Row, hunk};
use crate::dice::Dice;
use crate::mutations::grammars::{Grammar, Lines};
use crate::mutations::scene::{Hunk, Line};

const LINES: fn(&Grammar) -> bool = |grammar| !matches!(grammar.lines, Lines::Numbers);
/// Hunks whose old lines show what is wrong with the new ones.
const SHOWN: fn(&Grammar) -> bool = |grammar| matches!(grammar.lines, Lines::Signed | Lines::Texts);
const SIGNED: fn(&Grammar) -> bool = |grammar| grammar.lines == Lines::Signed;
const RANGES: fn(&Grammar) -> bool = |grammar| grammar.has_ranges;
const HEADERS: fn(&Grammar) -> bool =
    |grammar| ["unified", "git", "json patch"].contains(&grammar.name);

/// Damages in the lines and the headers of hunks.
pub(super) const HUNKS: &[Row] = &[
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
