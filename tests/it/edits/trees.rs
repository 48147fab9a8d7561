//! Random trees, and random changes of lines of their files.

use std::collections::BTreeMap;

use wpatch::path::RelPath;
use wpatch::workspace::memory::Entry;

use super::model::{Edit, Line, Side, Text};
use crate::dice::Dice;
use crate::tree::path;

pub(super) type Tree = BTreeMap<RelPath, Entry>;

/// The files whose contents are at random, each with its mode and another name for it, which is a
/// link.
const FILES: &[(&str, u32, &str)] = &[
    ("a.txt", 0o644, "d/to_a"),
    ("d/run.sh", 0o755, "up"),
    ("d/e/b.rs", 0o600, "d/b"),
    ("z", 0o750, "to/z"),
];

/// Contents of lines that come again and again, some of which mean something in a patch.
const COMMON: &[&str] = &[
    "",
    "",
    "}",
    "}",
    "    x = 1;",
    "\t",
    "  ",
    "-- ",
    "--- a/a.txt",
    "+++ b/a.txt",
    "@@ -1 +1 @@",
    "+x",
    "-x",
    " x",
    "======",
    "<<<<<< HEAD",
    "[a.txt#0000]",
    "\\ No newline at end of file",
    "*** End of File",
    "a\rb",
];

/// What every place has that `--all` may mean.
pub(super) const EVERYWHERE: &str = "@everywhere@";

/// A file that changes.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) name: &'static str,
    /// A link that leads to it.
    pub(super) link: &'static str,
    pub(super) text: Text,
}

/// A tree, and the files in it that patches are for.
pub(super) struct Forest {
    pub(super) tree: Tree,
    pub(super) files: Vec<File>,
}

impl Forest {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let file = |&(name, _, link): &(&'static str, u32, &'static str), dice: &mut Dice| File {
            name,
            link,
            text: text(dice),
        };
        let files: Vec<_> = FILES.iter().map(|of| file(of, dice)).collect();
        let mut tree = Tree::new();
        for (&(name, mode, link), file) in FILES.iter().zip(&files) {
            tree.insert(
                path(name),
                Entry {
                    mode,
                    ..Entry::file(file.text.bytes())
                },
            );
            let up = "../".repeat(link.matches('/').count());
            tree.insert(path(link), Entry::link(format!("{up}{name}")));
        }
        // What nothing may touch.
        tree.insert(path("d/bin"), Entry::file(b"\0\r\n\xff".to_vec()));
        tree.insert(path("nowhere"), Entry::link("gone"));
        tree.insert(path("empty"), Entry::directory());
        Self { tree, files }
    }

    /// Returns the tree with other contents of some files.
    pub(super) fn with(&self, files: &[(&str, Vec<u8>)]) -> Tree {
        let mut tree = self.tree.clone();
        for (name, bytes) in files {
            tree.get_mut(&path(name))
                .unwrap()
                .contents
                .clone_from(bytes);
        }
        tree
    }
}

fn text(dice: &mut Dice) -> Text {
    const ENDS: [&[u8]; 2] = [b"\n", b"\r\n"];
    let (first, is_mixed, has_bytes) = (dice.below(2), dice.below(2), dice.once_in(4));
    let count = if dice.once_in(12) {
        dice.below(2)
    } else {
        2 + dice.below(12)
    };
    let line = |index: usize, dice: &mut Dice| {
        let end = ENDS[(first + is_mixed * dice.below(2)) % 2];
        Line {
            content: content(index, has_bytes, dice),
            end,
        }
    };
    let mut lines: Vec<_> = (0..count).map(|index| line(index, dice)).collect();
    if let Some(last) = lines
        .last_mut()
        .filter(|last| !last.content.is_empty() && dice.once_in(3))
    {
        last.end = b"";
    }
    Text {
        has_mark: dice.once_in(4),
        lines,
    }
}

fn content(index: usize, has_bytes: bool, dice: &mut Dice) -> Vec<u8> {
    if dice.once_in(3) {
        return dice.one(COMMON).as_bytes().to_vec();
    }
    let indent = dice.one(&["", "    ", "\t", "  "]);
    let word = match dice.below(6) {
        0 => EVERYWHERE,
        1 => "caf\u{e9} \u{2014} \u{201c}$1\u{201d}",
        2 => "trailing \t",
        _ => "word",
    };
    let byte = if has_bytes && dice.once_in(2) {
        &b" \xe9\xff"[..]
    } else {
        b""
    };
    [format!("{indent}line {index} {word}").as_bytes(), byte].concat()
}

/// Returns changes of lines, which go up and have lines between them; not none.
pub(super) fn edits(text: &Text, most: usize, dice: &mut Dice) -> Option<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    for _ in 0..=dice.below(most) {
        let from = edits.last().map_or(0, |before| before.gone.end + 1);
        if from > text.lines.len() {
            break;
        }
        let start = from + dice.below(text.lines.len() - from + 1);
        let end = (start + dice.below(4)).min(text.lines.len());
        edits.push(edit(text, start..end, dice));
    }
    let is_certain = |edit: &Edit| !edit.come.is_empty() || is_plain_deletion(text, edit);
    (!edits.is_empty() && edits.iter().all(is_certain)).then_some(edits)
}

/// Returns whether it is clear which lines go: those around them are others.
fn is_plain_deletion(text: &Text, edit: &Edit) -> bool {
    let content = |line: usize| text.lines.get(line).map(|line| &line.content);
    let (first, last) = (
        content(edit.gone.start),
        content(edit.gone.end.wrapping_sub(1)),
    );
    let before = edit.gone.start.checked_sub(1).and_then(content);
    !edit.gone.is_empty() && first != content(edit.gone.end) && last != before
}

fn edit(text: &Text, gone: std::ops::Range<usize>, dice: &mut Dice) -> Edit {
    let side = match gone.start {
        0 => Side::Before,
        start if start < text.lines.len() && dice.once_in(2) => Side::Before,
        _ => Side::Behind,
    };
    let count = if gone.is_empty() {
        1 + dice.below(3)
    } else {
        dice.below(5)
    };
    let mut come: Vec<_> = (0..count)
        .map(|_| dice.one(COMMON).as_bytes().to_vec())
        .collect();
    // At both ends what comes is nothing that is there, so that it is clear which lines are new.
    for at in [0, count.wrapping_sub(1)] {
        if let Some(line) = come.get_mut(at) {
            *line = fresh(dice).into_bytes();
        }
    }
    Edit { gone, come, side }
}

/// Returns a text that is nowhere else.
pub(super) fn fresh(dice: &mut Dice) -> String {
    let indent = dice.one(&["", "    ", "\t"]);
    format!("{indent}new {:09} \u{e9}$0\\1&", dice.below(1_000_000_000))
}
