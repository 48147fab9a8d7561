//! Changes of texts that are not whole lines, and of the ends of files, in every way that can say
//! them.

use serde_json::json;
use wpatch::engine::options::{AppendMode, EditOrder, EditTarget, ReplaceCount};

use super::calls::{Asks, Call};
use super::model::{Text, count, joined};
use super::trees::{EVERYWHERE, File, Forest, fresh};
use super::{Case, patches};
use crate::dice::Dice;

/// A place between two bytes of a line.
#[derive(Clone, Copy)]
struct Place {
    line: usize,
    column: usize,
}

/// Returns a tree, a change of a text of one of its files, and all ways of saying it.
pub(super) fn case(dice: &mut Dice) -> Option<Case> {
    let forest = Forest::new(dice);
    let file = dice.one(&forest.files);
    let text = &file.text;
    if text.lines.is_empty() {
        return None;
    }
    let first = place(text, 0, dice);
    let last = place(text, first.line, dice);
    let old = between(text, first, last);
    if last.line > first.line + 3 || old.is_empty() || count(&text.whole(), &old) != 1 {
        return None;
    }
    let new = new_text(dice);
    let region: Vec<_> = (first.line..last.line)
        .map(|line| text.lines[line].end)
        .collect();
    let ends = |index: usize| {
        *region
            .get(index)
            .or(region.last())
            .unwrap_or(&text.end(last.line))
    };
    let after = [start(text, first), with_ends(&new, ends), rest(text, last)].concat();
    let change = Change {
        file: &file,
        old,
        new,
        times: ReplaceCount::Once,
        after,
    };
    Some(Case {
        after: forest.with(&[(file.name, change.after.clone())]),
        calls: change.calls(dice),
        before: forest.tree,
    })
}

/// The same for a text that is in several places, all of which are meant.
pub(super) fn everywhere(dice: &mut Dice) -> Option<Case> {
    let forest = Forest::new(dice);
    let file = dice.one(&forest.files);
    let (mut after, new, old) = (
        file.text.clone(),
        new_text(dice),
        EVERYWHERE.as_bytes().to_vec(),
    );
    let mut is_there = false;
    for (index, line) in after.lines.iter_mut().enumerate() {
        let content = line.content.clone();
        if let Some(at) = content.windows(old.len()).position(|part| *part == old) {
            let new = with_ends(&new, |_| file.text.end(index));
            line.content = [&content[..at], &new, &content[at + old.len()..]].concat();
            is_there = true;
        }
    }
    let change = Change {
        file: &file,
        old,
        new,
        times: ReplaceCount::All,
        after: after.bytes(),
    };
    let calls = change.calls(dice);
    is_there.then(|| Case {
        after: forest.with(&[(file.name, change.after.clone())]),
        calls,
        before: forest.tree,
    })
}

/// The same for what is put at the end of a file.
pub(super) fn at_the_end(dice: &mut Dice) -> Case {
    let forest = Forest::new(dice);
    let File { name, link, text } = dice.one(&forest.files);
    let path = dice.one(&[name, link]).to_owned();
    let end = text.end(text.lines.len().saturating_sub(1));
    let (new, ending, comes) = if dice.once_in(2) {
        let new = dice
            .one(&[&b"x"[..], b"\n", b"\r\n", b"a\nb\r\n", b"\xff\0"])
            .to_vec();
        (new.clone(), AppendMode::Bytes, new)
    } else {
        let lines: Vec<_> = (0..=dice.below(3))
            .map(|_| fresh(dice).into_bytes())
            .collect();
        let mut new = joined(&lines);
        let comes = with_ends(&new, |_| end);
        if dice.once_in(2) {
            new.pop();
        }
        (
            new,
            AppendMode::Lines,
            [if text.is_open() { end } else { b"" }, &comes].concat(),
        )
    };
    let way = if ending == AppendMode::Bytes {
        "append"
    } else {
        "append --line"
    };
    let after = forest.with(&[(name, [text.bytes(), comes].concat())]);
    Case {
        after,
        before: forest.tree,
        calls: vec![Call {
            way,
            asks: Asks::Append(path, ending, new),
        }],
    }
}

/// A text of a file, what comes for it, and what the file becomes.
struct Change<'a> {
    file: &'a File,
    old: Vec<u8>,
    new: Vec<u8>,
    times: ReplaceCount,
    after: Vec<u8>,
}

impl Change<'_> {
    fn calls(&self, dice: &mut Dice) -> Vec<Call> {
        let is_every = self.times == ReplaceCount::All;
        let ways = if is_every {
            ["edit --all", "edit --edits all", "json all", "git"]
        } else {
            [
                "edit --old of a part",
                "edit --edits of a part",
                "json old of a part",
                "git",
            ]
        };
        let path = dice.one(&[self.file.name, self.file.link]).to_owned();
        let mut asks = vec![Some(Asks::Edit(
            path.clone(),
            EditTarget::Text {
                old: self.old.clone(),
                times: self.times,
            },
            self.new.clone(),
        ))];
        let texts = (
            String::from_utf8(self.old.clone()).ok(),
            String::from_utf8(self.new.clone()).ok(),
        );
        if let (Some(old), Some(new)) = texts {
            let order = dice.one(&[EditOrder::Simultaneous, EditOrder::Sequential]);
            let list = json!([{ "old": old, "new": new, "replace_all": is_every }]);
            asks.push(Some(Asks::Edits(path, list.to_string(), order)));
            let entry =
                json!({ "path": self.file.name, "old_str": old, "new_str": new, "all": is_every });
            asks.push(Some(Asks::Patch(
                "json",
                json!({ "edits": [entry] }).to_string().into_bytes(),
            )));
        } else {
            asks.extend([None, None]);
        }
        let diff = patches::diff(
            self.file.name,
            [&self.file.text.bytes(), &self.after],
            1 + dice.below(4),
        );
        asks.push(Some(Asks::Patch(
            "auto",
            [
                format!("diff --git a/{0} b/{0}\n", self.file.name).into_bytes(),
                diff,
            ]
            .concat(),
        )));
        ways.into_iter()
            .zip(asks)
            .filter_map(|(way, asks)| Some(Call { way, asks: asks? }))
            .collect()
    }
}

fn new_text(dice: &mut Dice) -> Vec<u8> {
    let count = dice.below(4);
    (0..count)
        .map(|_| fresh(dice))
        .collect::<Vec<_>>()
        .join("\n")
        .into_bytes()
}

/// Returns a place from a line on, but in no character.
fn place(text: &Text, from: usize, dice: &mut Dice) -> Place {
    let line = from + dice.below((text.lines.len() - from).min(3));
    let content = &text.lines[line].content;
    let mut column = dice.below(content.len() + 1);
    while content.get(column).is_some_and(|byte| byte & 0xc0 == 0x80) {
        column -= 1;
    }
    Place { line, column }
}

fn between(text: &Text, first: Place, last: Place) -> Vec<u8> {
    if first.line == last.line {
        let columns = first.column.min(last.column)..last.column;
        return text.lines[first.line].content[columns].to_vec();
    }
    let whole = text.lines[first.line + 1..last.line]
        .iter()
        .map(|line| &line.content);
    let head = text.lines[first.line].content[first.column..].to_vec();
    [
        joined(std::iter::once(&head).chain(whole)),
        text.lines[last.line].content[..last.column].to_vec(),
    ]
    .concat()
}

fn start(text: &Text, place: Place) -> Vec<u8> {
    let mut lines = text.lines[..=place.line].to_vec();
    let last = lines.last_mut().unwrap();
    last.content.truncate(place.column);
    last.end = b"";
    Text {
        has_mark: text.has_mark,
        lines,
    }
    .bytes()
}

fn rest(text: &Text, place: Place) -> Vec<u8> {
    let mut lines = text.lines[place.line..].to_vec();
    lines[0].content.drain(..place.column);
    Text {
        has_mark: false,
        lines,
    }
    .bytes()
}

/// Returns the text with other line ends, each by its number.
fn with_ends<'a>(text: &[u8], end: impl Fn(usize) -> &'a [u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n').enumerate();
    let line = |(index, line): (usize, &[u8])| match line.strip_suffix(b"\n") {
        Some(content) => [content, end(index)].concat(),
        None => line.to_vec(),
    };
    lines.flat_map(line).collect()
}
