//! Changes of whole lines, in every way that can say them.

use serde_json::{Value, json};
use wpatch::engine::options::{EditOrder, EditTarget, ReplaceCount};

use super::calls::{Asks, Call};
use super::model::{Edit, Side, Text, count, joined};
use super::trees::{File, Forest, edits};
use super::{Case, patches};
use crate::dice::Dice;

/// A file and what becomes of it.
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) text: Text,
    pub(super) edits: Vec<Edit>,
    pub(super) after: Text,
}

/// Returns the patch that says all of some changes; `None` if it cannot.
type Patch = fn(&[Section], &mut Dice) -> Option<Vec<u8>>;

/// The grammars: the name of each way, its format, and what writes it.
const PATCHES: &[(&str, &str, Patch)] = &[
    ("git", "auto", |sections, dice| {
        Some(patches::git(sections, dice))
    }),
    ("unified", "auto", patches::unified),
    ("codex", "codex", patches::codex),
    ("json operations", "json", patches::operations),
    ("blocks", "blocks", patches::blocks),
    ("hashline", "hashline", patches::hashline),
    ("json replace", "json", |sections, _| {
        whole(sections, "replace")
    }),
    ("json changes", "json", |sections, _| {
        whole(sections, "changes")
    }),
    ("json old", "json", |sections, _| {
        texts(sections, ["old", "new"])
    }),
    ("json old_string", "json", |sections, _| {
        texts(sections, ["old_string", "new_string"])
    }),
    ("json old_str", "json", |sections, _| {
        texts(sections, ["old_str", "new_str"])
    }),
    ("json oldText", "json", |sections, _| {
        texts(sections, ["oldText", "newText"])
    }),
    ("json search", "json", |sections, _| {
        texts(sections, ["search", "replace"])
    }),
];

/// Returns the call that makes all changes of one file, which `path` leads to; `None` if the
/// command cannot.
type Verb = fn(&Section, String, &mut Dice) -> Option<Asks>;

/// The editing commands.
const VERBS: &[(&str, Verb)] = &[
    ("edit --old", |section, path, _| {
        match &of_texts(section, false)?[..] {
            [(old, new)] => Some(Asks::Edit(
                path,
                EditTarget::Text {
                    old: old.clone(),
                    times: ReplaceCount::Once,
                },
                new.clone(),
            )),
            _ => None,
        }
    }),
    ("edit --edits", |section, path, _| {
        Some(Asks::Edits(
            path,
            listed(section, ["old", "new"], false)?,
            EditOrder::Simultaneous,
        ))
    }),
    ("edit --sequential", |section, path, _| {
        Some(Asks::Edits(
            path,
            listed(section, ["old_string", "new_string"], true)?,
            EditOrder::Sequential,
        ))
    }),
    ("edit --insert-after", |section, path, dice| {
        let edit = alone(section).filter(|edit| edit.gone.is_empty())?;
        let is_behind = edit.side == Side::Behind || edit.gone.start == 0;
        is_behind.then(|| Asks::Edit(path, EditTarget::After(edit.gone.start), lines(edit, dice)))
    }),
    ("edit --insert-before", |section, path, dice| {
        let edit =
            alone(section).filter(|edit| edit.gone.is_empty() && edit.side == Side::Before)?;
        let is_there = edit.gone.start < section.text.lines.len();
        is_there.then(|| {
            Asks::Edit(
                path,
                EditTarget::Before(edit.gone.start + 1),
                lines(edit, dice),
            )
        })
    }),
    ("edit --from", |section, path, _| {
        let edit = alone(section).filter(|edit| edit.gone.len() > 1)?;
        let text = &section.text;
        let from = text.lines[edit.gone.start].content.clone();
        let to = text.plain(edit.gone.end - 1..edit.gone.end);
        let is_clear = |part: &Vec<u8>| !part.is_empty() && count(&text.whole(), part) == 1;
        let mut new = joined(&edit.come);
        if text.is_open() && edit.gone.end == text.lines.len() {
            new.pop();
        }
        (is_clear(&from) && is_clear(&to)).then_some(Asks::Edit(
            path,
            EditTarget::Range { from, to },
            new,
        ))
    }),
    ("write --overwrite", |section, path, _| {
        Some(Asks::Write(path, section.after.bytes()))
    }),
];

/// Returns a tree, changes of lines of some of its files, and all ways of saying them.
pub(super) fn case(dice: &mut Dice) -> Option<Case> {
    let forest = Forest::new(dice);
    let first = dice.below(forest.files.len());
    let files = 1 + dice.below(2) * dice.below(forest.files.len());
    let mut sections = Vec::new();
    let mut links = Vec::new();
    for File { name, link, text } in forest.files.iter().cycle().skip(first).take(files) {
        let edits = edits(text, 3, dice)?;
        let after = text.after(&edits);
        sections.push(Section {
            name,
            text: text.clone(),
            edits,
            after,
        });
        links.push(*link);
    }
    let after: Vec<_> = sections
        .iter()
        .map(|section| (section.name, section.after.bytes()))
        .collect();
    let mut calls = Vec::new();
    for (way, format, patch) in PATCHES {
        calls.extend(patch(&sections, dice).map(|patch| Call {
            way,
            asks: Asks::Patch(format, patch),
        }));
    }
    if let [section] = &sections[..] {
        for (way, verb) in VERBS {
            let path = if dice.once_in(2) {
                links[0]
            } else {
                section.name
            };
            calls.extend(verb(section, path.to_owned(), dice).map(|asks| Call { way, asks }));
        }
    }
    Some(Case {
        after: forest.with(&after),
        before: forest.tree,
        calls,
    })
}

fn alone(section: &Section) -> Option<&Edit> {
    if let [edit] = &section.edits[..] {
        Some(edit)
    } else {
        None
    }
}

/// Returns the lines that come, as a text that may leave off its last line end.
fn lines(edit: &Edit, dice: &mut Dice) -> Vec<u8> {
    let mut text = joined(&edit.come);
    if dice.once_in(2) {
        text.pop();
    }
    text
}

/// Returns the old and the new text of each change; each old one is there once, also in what those
/// before leave if they are made in turn.
fn of_texts(section: &Section, is_in_turn: bool) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let (text, edits) = (&section.text, &section.edits);
    let whole = text.whole();
    let windows = text.windows(edits, |window, _| count(&whole, &text.plain(window)) == 1)?;
    let seen = if is_in_turn {
        text.in_turn(edits)?
    } else {
        vec![text.clone(); edits.len()]
    };
    let mut out = Vec::new();
    for ((edit, window), seen) in edits.iter().zip(windows).zip(seen) {
        let old = text.plain(window.clone());
        if count(&seen.whole(), &old) != 1 {
            return None;
        }
        let contents: Vec<_> = text.lines[window.clone()]
            .iter()
            .map(|line| line.content.clone())
            .collect();
        let mut new = joined(&edit.within(&contents, window.start));
        if !old.ends_with(b"\n") {
            new.pop();
        }
        out.push((old, new));
    }
    Some(out)
}

/// Returns the changes as a list in JSON, of texts in UTF-8 only.
fn listed(section: &Section, [old_key, new_key]: [&str; 2], is_in_turn: bool) -> Option<String> {
    let entry = |(old, new)| {
        Some(
            json!({ old_key: String::from_utf8(old).ok()?, new_key: String::from_utf8(new).ok()? }),
        )
    };
    let list = of_texts(section, is_in_turn)?
        .into_iter()
        .map(entry)
        .collect::<Option<Vec<Value>>>()?;
    Some(json!(list).to_string())
}

/// Returns a document with the changes of all files.
fn texts(sections: &[Section], keys: [&str; 2]) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for section in sections {
        let list: Vec<Value> = serde_json::from_str(&listed(section, keys, false)?).unwrap();
        all.extend(list.into_iter().map(|mut entry| {
            entry["path"] = section.name.into();
            entry
        }));
    }
    Some(json!({ "edits": all }).to_string().into_bytes())
}

/// Returns a document with all contents afterwards, of texts in UTF-8 only.
fn whole(sections: &[Section], key: &str) -> Option<Vec<u8>> {
    let entry = |section: &Section| {
        Some(
            json!({ "path": section.name, "content": String::from_utf8(section.after.bytes()).ok()? }),
        )
    };
    let entries = sections.iter().map(entry).collect::<Option<Vec<_>>>()?;
    Some(json!({ key: entries }).to_string().into_bytes())
}
