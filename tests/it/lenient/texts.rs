//! Blocks and edits with the mistakes of models: repaired to the change that was meant, or refused;
//! never another.

use serde_json::json;

use super::*;

/// A change of some lines of a file, as a text to search for and the text that replaces it.
pub(super) struct Texts {
    pub(super) file: String,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) result: String,
}

/// Damages the texts; `None` if they cannot be damaged in this way.
type TextDamage = fn(&mut Texts) -> Option<()>;

/// Every damage, and whether a patch with it can be repaired.
pub(super) const TEXT_DAMAGES: &[(&str, bool, TextDamage)] = &[
    ("none", true, |_| Some(())),
    ("trailing blanks", true, |texts| {
        let kept = texts.old.clone();
        texts.old.iter_mut().for_each(|line| line.push_str("  "));
        texts
            .new
            .iter_mut()
            .filter(|line| kept.contains(line))
            .for_each(|line| line.push_str("  "));
        Some(())
    }),
    ("dedented", true, |texts| {
        let depth = |line: &String| line.len() - line.trim_start().len();
        let lines = || {
            texts
                .old
                .iter()
                .chain(&texts.new)
                .filter(|line| !line.trim().is_empty())
        };
        let least = lines().map(depth).min().filter(|&least| least > 0)?;
        let cut = |line: &mut String| *line = line.get(least..).unwrap_or_default().to_owned();
        texts.old.iter_mut().chain(&mut texts.new).for_each(cut);
        Some(())
    }),
    ("indented", true, |texts| {
        let lines = texts.old.iter_mut().chain(&mut texts.new);
        lines
            .filter(|line| !line.is_empty())
            .for_each(|line| line.insert_str(0, "    "));
        Some(())
    }),
    ("typographic texts", true, |texts| {
        let typed = |text: &str| text.replace('\'', "\u{2019}").replace(" - ", " \u{2013} ");
        let kept = texts.old.clone();
        let is_other = kept.iter().any(|line| typed(line) != *line);
        texts.old.iter_mut().for_each(|line| *line = typed(line));
        texts
            .new
            .iter_mut()
            .filter(|line| kept.contains(line))
            .for_each(|line| *line = typed(line));
        is_other.then_some(())
    }),
    ("no-break spaces", true, |texts| {
        let kept = texts.old.clone();
        let turned = |line: &str| {
            let text = line.trim_start();
            format!(
                "{}{}",
                &line[..line.len() - text.len()],
                text.replacen(' ', "\u{a0}", 1)
            )
        };
        let is_other = kept.iter().any(|line| turned(line) != *line);
        texts.old.iter_mut().for_each(|line| *line = turned(line));
        texts
            .new
            .iter_mut()
            .filter(|line| kept.contains(line))
            .for_each(|line| *line = turned(line));
        is_other.then_some(())
    }),
    ("line numbers", true, |texts| {
        for lines in [&mut texts.old, &mut texts.new] {
            lines
                .iter_mut()
                .enumerate()
                .for_each(|(index, line)| *line = format!("{:>4}| {line}", index + 41));
        }
        Some(())
    }),
    ("escaped", true, |texts| {
        let turned = |line: &str| {
            line.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
        };
        let is_other = texts.old.iter().any(|line| turned(line) != *line);
        texts
            .old
            .iter_mut()
            .chain(&mut texts.new)
            .for_each(|line| *line = turned(line));
        is_other.then_some(())
    }),
    ("elision", true, |texts| {
        let is_same = texts.old.first() == texts.new.first() && texts.old[1] == texts.new[1];
        for lines in [&mut texts.old, &mut texts.new] {
            "// ... existing code ...".clone_into(&mut lines[1]);
        }
        is_same.then_some(())
    }),
    ("elision in the new text", false, |texts| {
        texts
            .new
            .splice(1..3, ["// ... existing code ...".to_owned()]);
        Some(())
    }),
    ("stale", false, |texts| {
        let line = texts.old.iter_mut().find(|line| line.trim().len() > 8)?;
        line.push_str(" x");
        Some(())
    }),
    ("twice", false, |texts| {
        texts.file.push_str(&texts.file.clone());
        Some(())
    }),
];

/// A way to ask for the change that `Texts` describe.
type Interface = fn(&Texts) -> Asked;

/// The ways to ask for the change.
const INTERFACES: &[(&str, Interface)] = &[
    ("blocks", |texts| {
        let lines = |lines: &[String]| {
            lines
                .iter()
                .flat_map(|line| [line.as_str(), "\n"])
                .collect::<String>()
        };
        let (old, new) = (lines(&texts.old), lines(&texts.new));
        Asked::Patch(format!(
            "dir/file.txt\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
        ))
    }),
    ("json", |texts| {
        let (old, new) = (texts.old.join("\n"), texts.new.join("\n"));
        Asked::Patch(
            json!({"edits": [{"path": "dir/file.txt", "old": old, "new": new}]}).to_string(),
        )
    }),
    ("edit --old", |texts| {
        Asked::edit(texts.old.join("\n"), texts.new.join("\n"))
    }),
    ("edit --edits", |texts| {
        let list = json!([{"old": texts.old.join("\n"), "new": texts.new.join("\n")}]).to_string();
        Asked::Edit(Box::new(Request::edit_list("dir/file.txt", list).unwrap()))
    }),
];

/// Returns whether the change was made; an error for another tree.
fn is_made(texts: &Texts, asked: Asked) -> Result<bool, String> {
    match made(&texts.file, asked) {
        None => Ok(false),
        Some(found) if found == texts.result => Ok(true),
        Some(found) => Err(format!(
            "old {:#?}\nnew {:#?}\n{}",
            texts.old,
            texts.new,
            diff(&texts.result, &found)
        )),
    }
}

/// Returns a change of one of five lines of `text`, with a text that is there once.
fn change(text: &str, dice: &mut Dice) -> Option<Texts> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let start = dice.below(lines.len() - 5);
    let old = lines[start..start + 5].to_vec();
    if lines
        .windows(5)
        .filter(|window| **window == old[..])
        .count()
        != 1
    {
        return None;
    }
    let at = start + 2 + dice.below(3);
    match dice.below(3) {
        0 => drop(lines.remove(at)),
        1 => {
            let depth: String = lines[at]
                .chars()
                .take_while(|character| *character == ' ')
                .collect();
            lines.insert(at, format!("{depth}added_{};", dice.below(100)));
        }
        _ => lines[at].push_str(" // changed"),
    }
    let count = 5 + lines.len() - text.lines().count();
    let new = lines[start..start + count].to_vec();
    let result = lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect();
    (new != old).then(|| Texts {
        file: text.to_owned(),
        old,
        new,
        result,
    })
}

#[test]
fn damaged_texts_are_repaired_or_refused_and_never_make_another_tree() {
    let texts = texts();
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for round in 0..120 {
        for (name, can_repair, damage) in TEXT_DAMAGES {
            for (interface, ask) in INTERFACES {
                let mut dice = Dice::new(round as u64 + 4000);
                let Some(mut texts) = change(&texts[round % texts.len()], &mut dice) else {
                    continue;
                };
                if damage(&mut texts).is_none() {
                    continue;
                }
                let count = counts.entry((interface, name)).or_default();
                count.1 += 1;
                match is_made(&texts, ask(&texts)) {
                    Ok(is_made) if is_made && !can_repair => {
                        wrong.push(format!("{interface}, {name}: accepted"));
                    }
                    Ok(is_made) => count.0 += usize::from(is_made),
                    Err(problem) => {
                        wrong.push(format!("{interface}, {name}, round {round}: {problem}"));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(4)].join("\n\n")
    );
    let is_weak = |&(&(_, name), &(made, of)): &(&(&str, &str), &(usize, usize))| {
        let can_repair = TEXT_DAMAGES
            .iter()
            .any(|(known, can_repair, _)| *known == name && *can_repair);
        can_repair && (of == 0 || made * 2 < of)
    };
    let weak: Vec<_> = counts.iter().filter(is_weak).collect();
    assert!(weak.is_empty(), "{weak:?}");
}
