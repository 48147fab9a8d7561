//! Files, the changes of a patch for them, and the text of the patch as hunks that every grammar
//! can render.

use crate::dice::Dice;

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// ` `, `-` or `+`.
    pub(super) sign: char,
    /// Without sign and terminator.
    pub(super) text: String,
    /// Whether the sign is missing in the patch.
    pub(super) is_bare: bool,
}

/// One hunk.
#[derive(Clone, Debug)]
pub(super) struct Hunk {
    /// First old line, counted from 0.
    pub(super) old: usize,
    /// First new line, counted from 0.
    pub(super) new: usize,
    pub(super) lines: Vec<Line>,
    /// The header instead of the right one.
    pub(super) header: Option<String>,
    /// Lines that the header counts in addition to the existing ones, on each side.
    pub(super) more: (isize, isize),
    /// Distance of the stated line from the right one.
    pub(super) off: isize,
    /// Whether the last line of the hunk is a last line of the file that has no newline.
    pub(super) has_note: bool,
}

/// One file.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) before: String,
    /// The file after the first hunk, after the second one and so on.
    pub(super) after: Vec<String>,
    pub(super) hunks: Vec<Hunk>,
}

/// What a patch changes.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) files: Vec<File>,
}

/// Lines that come again.
const COMMON: &[&str] = &[
    "",
    "",
    "}",
    "    }",
    "    return 0;",
    "        }",
    "    end",
    "\tbreak;",
    "  </div>",
];

/// Lines of code, prose and data; `#` becomes a number.
const PLAIN: &[&str] = &[
    "fn name_#(value: u32) -> u32 {",
    "    let item_# = value + #;",
    "    if (item_# > 10) {",
    "        call_#(\"text #\", 'c');",
    "def method_#(self):",
    "        return self.field_# - 1",
    "    print('it is # - and more')",
    "\tx_# := compute(#)",
    "  <li class=\"item-#\">Entry & #</li>",
    "Paragraph # of the text, which ends here.",
    "key_#: value_#",
    "  \"name_#\": [1, 2, #],",
    "CONST_# = # # with a remark",
    "        // remark # on the next line",
];

/// Lines that look like parts of a patch, of its wrapping or of a repair.
const HOSTILE: &[&str] = &[
    "- item #",
    "+ plus #",
    "-- remark # of SQL",
    "++count_#;",
    "--count_#;",
    "@@ decorator_#",
    "*** stars # ***",
    "=======",
    "```",
    "~~~ #",
    "...",
    "def stub_#(): ...",
    "call_#(...args)",
    "// ... existing code ...",
    "# rest of file #",
    "EOF",
    "</patch>",
    "<<<<<<< SEARCH",
    ">>>>>>> REPLACE",
    "12| numbered #",
    "  34: numbered #",
    "a &lt; b &amp;&amp; c_#",
    "it\u{2019}s \u{2013} typographic \u{201c}#\u{201d}",
    "no\u{a0}break #",
    "trailing blanks #  ",
    "  deep   blanks   #",
    "caf\u{e9} \u{4e16}\u{754c} #",
    "diff --git a/x_# b/x_#",
    "Index: file_#",
    "--- a/x_#",
    "+++ b/x_#",
    "1,#c3",
    "< less #",
    "> more #",
    "---",
    "\\ No newline at end of file",
    "*** End Patch",
    "PUT 1.=#:",
    "-- ",
    "2.43.#",
    ":start_line:#",
    "-------",
    "{\"path\": \"a\", \"old\": \"#\"}",
];

fn line(dice: &mut Dice, is_hostile: bool, number: &mut usize) -> String {
    *number += 1;
    let pattern = match dice.below(10) {
        0..3 => COMMON,
        3..5 if is_hostile => HOSTILE,
        _ => PLAIN,
    };
    dice.one(pattern).replace('#', &number.to_string())
}

/// Returns a random scene whose hunks have `context`; with `is_hostile` some lines look like parts
/// of a patch.
pub(super) fn scene(dice: &mut Dice, is_hostile: bool, context: usize) -> Scene {
    let paths: &[&'static str] = if dice.once_in(3) {
        &["src/main.txt", "src/other.txt"]
    } else {
        &["src/main.txt"]
    };
    let mut number = 0;
    let files = paths
        .iter()
        .map(|path| file(path, dice, (is_hostile, context), &mut number))
        .collect();
    Scene { files }
}

fn file(
    path: &'static str,
    dice: &mut Dice,
    (is_hostile, context): (bool, usize),
    number: &mut usize,
) -> File {
    let count = 6 + dice.below(26);
    let before: Vec<_> = (0..count).map(|_| line(dice, is_hostile, number)).collect();
    let is_open = dice.once_in(6);
    let mut all = Vec::new();
    let mut gap = dice.below(5);
    let mut at = 0;
    while at < count {
        if gap > 0 || is_open && at + 2 > count {
            all.push(Line::of(' ', &before[at]));
            (gap, at) = (gap.saturating_sub(1), at + 1);
            continue;
        }
        let gone = dice.below(3).min(count - at - usize::from(is_open));
        let come = if gone == 0 {
            1 + dice.below(2)
        } else {
            dice.below(3)
        };
        all.extend(before[at..at + gone].iter().map(|text| Line::of('-', text)));
        all.extend((0..come).map(|_| Line::of('+', &line(dice, is_hostile, number))));
        (gap, at) = (2 + dice.below(12), at + gone);
    }
    let is_open = is_open && !before[count - 1].is_empty();
    let text = |lines: Vec<&String>| {
        let joined = lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        if is_open {
            joined[..joined.len() - 1].to_owned()
        } else {
            joined
        }
    };
    let (hunks, ends) = hunks(&all, is_open, context);
    let after = ends.iter().map(|&end| {
        let new = all[..end].iter().filter(|line| line.sign != '-');
        let old = all[end..].iter().filter(|line| line.sign != '+');
        text(new.chain(old).map(|line| &line.text).collect())
    });
    File {
        path,
        after: after.collect(),
        before: text(before.iter().collect()),
        hunks,
    }
}

/// Returns the hunks of the lines of a whole file, and for each where it ends among them.
fn hunks(all: &[Line], is_open: bool, context: usize) -> (Vec<Hunk>, Vec<usize>) {
    let changed: Vec<_> = (0..all.len()).filter(|&at| all[at].sign != ' ').collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for at in changed {
        let (start, end) = (
            at.saturating_sub(context),
            (at + context + 1).min(all.len()),
        );
        match ranges.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => ranges.push((start, end)),
        }
    }
    let count =
        |end: usize, other: char| all[..end].iter().filter(|line| line.sign != other).count();
    let hunk = |&(start, end): &(usize, usize)| Hunk {
        old: count(start, '+'),
        new: count(start, '-'),
        lines: all[start..end].to_vec(),
        header: None,
        more: (0, 0),
        off: 0,
        has_note: is_open && end == all.len(),
    };
    (
        ranges.iter().map(hunk).collect(),
        ranges.iter().map(|range| range.1).collect(),
    )
}

impl Line {
    fn of(sign: char, text: &str) -> Self {
        Self {
            sign,
            text: text.to_owned(),
            is_bare: false,
        }
    }
}

impl Hunk {
    /// Returns the lines of one side: without those of the `other` sign.
    pub(super) fn side(&self, other: char) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.sign != other)
    }

    /// Returns the lines of one side as a text.
    pub(super) fn text(&self, other: char) -> String {
        self.side(other)
            .map(|line| format!("{}\n", line.text))
            .collect()
    }

    /// Returns the runs of changed lines: the number of old lines before each, the deletions and
    /// the insertions.
    pub(super) fn changes(&self) -> Vec<(usize, usize, Vec<&Line>, Vec<&Line>)> {
        let (mut old, mut new) = (self.old, self.new);
        let mut changes: Vec<(usize, usize, Vec<&Line>, Vec<&Line>)> = Vec::new();
        let mut is_behind = false;
        for line in &self.lines {
            if line.sign != ' ' && !is_behind {
                changes.push((old, new, Vec::new(), Vec::new()));
            }
            is_behind = line.sign != ' ';
            match (line.sign, changes.last_mut()) {
                ('-', Some(last)) => last.2.push(line),
                ('+', Some(last)) => last.3.push(line),
                _ => {}
            }
            old += usize::from(line.sign != '+');
            new += usize::from(line.sign != '-');
        }
        changes
    }
}
