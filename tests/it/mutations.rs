//! Correct patches of every grammar that are damaged: the change that was meant, or a refusal;
//! never a third state.

mod damages;
#[allow(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "a patch of a scene is short"
)]
mod grammars;
#[allow(clippy::format_collect, reason = "a file of a scene is short")]
mod scene;

use std::collections::BTreeMap;
use std::ops::Range;

use wpatch::engine::options::{Interrupt, TransactionOptions};
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::transaction::Durability;
use wpatch::workspace::memory::{Entry, Memory};

use damages::{Meaning, Row, damages};
use grammars::{GRAMMARS, Grammar, Lines, Rendered, Way};
use scene::{Scene, scene};

use crate::dice::Dice;

/// The contents of the files of a scene.
type Texts = BTreeMap<RelPath, String>;

fn texts(scene: &Scene, text: impl Fn(&scene::File) -> String) -> Texts {
    scene
        .files
        .iter()
        .map(|file| (RelPath::new(file.path.as_bytes()).unwrap(), text(file)))
        .collect()
}

fn before(scene: &Scene) -> Texts {
    texts(scene, |file| file.before.clone())
}

/// Returns the tree after the first `count` hunks.
fn after(scene: &Scene, count: usize) -> Texts {
    let mut left = count;
    let mut texts = Texts::new();
    for file in &scene.files {
        let taken = left.min(file.hunks.len());
        left -= taken;
        let text = taken
            .checked_sub(1)
            .map_or(&file.before, |last| &file.after[last]);
        texts.insert(RelPath::new(file.path.as_bytes()).unwrap(), text.clone());
    }
    texts
}

/// What came of a patch: the tree, if it was applied.
fn outcome(
    grammar: &Grammar,
    scene: &Scene,
    patch: &[u8],
    is_lenient: bool,
) -> Result<Option<Texts>, String> {
    let start = before(scene);
    let memory = Memory::with_files(
        start
            .iter()
            .map(|(path, text)| (path.clone(), Entry::file(text.as_str()))),
    );
    let transaction = TransactionOptions {
        durability: Durability::None,
        ..TransactionOptions::default()
    };
    let first = scene.files[0].path;
    let edited = |mut request: Request| {
        (request.decide.lenient, request.commit.transaction) = (is_lenient, transaction);
        engine::apply(request, &memory, &Interrupt::new()).report
    };
    let report = match grammar.way {
        Way::Patch => {
            let mut request = Request::of(patch.to_vec());
            request.commit.transaction = transaction;
            if is_lenient {
                request.decide.lenient = true;
                request.decide.roots = vec![b"/srv/tree".to_vec()];
            }
            engine::apply(request, &memory, &Interrupt::new()).report
        }
        Way::EditList => {
            let Ok(request) = Request::edit_list(first, patch.to_vec()) else {
                return Ok(None);
            };
            edited(request)
        }
        Way::Edit => {
            let list: serde_json::Value =
                serde_json::from_slice(patch).map_err(|error| error.to_string())?;
            let text = |key: &str| list[0][key].as_str().unwrap_or_default().to_owned();
            edited(Request::edit(first, text("old"), text("new")))
        }
    };
    let found: Texts = memory
        .files()
        .into_iter()
        .map(|(path, entry)| (path, String::from_utf8_lossy(&entry.contents).into_owned()))
        .collect();
    match report.ok {
        true => Ok(Some(found)),
        false if found == start => Ok(None),
        false => Err("refused, and changed the tree".to_owned()),
    }
}

/// Returns a random scene as a grammar can express it: `edit` changes one file, and `edit --old`
/// one place of it.
fn random(grammar: &Grammar, dice: &mut Dice) -> Scene {
    let is_hostile = dice.once_in(2);
    let mut scene = scene(
        dice,
        is_hostile,
        if grammar.lines == Lines::Bare { 0 } else { 3 },
    );
    if grammar.way != Way::Patch {
        scene.files.truncate(1);
    }
    if grammar.way == Way::Edit {
        scene.files[0].hunks.truncate(1);
        scene.files[0].after.truncate(1);
    }
    scene
}

fn show(texts: &Texts) -> String {
    texts
        .iter()
        .flat_map(|(path, text)| {
            [
                "--".to_owned(),
                path.to_string(),
                "--\n".to_owned(),
                text.clone(),
            ]
        })
        .collect()
}

/// Damages a patch and says what is wrong with the outcome; counts patches that are applied.
fn try_damages(
    grammar: &Grammar,
    rows: &[&Row],
    original: &Scene,
    dice: &mut Dice,
    counts: &mut (usize, usize),
) -> Result<(), String> {
    let mut scene = original.clone();
    let mut made: Vec<_> = rows
        .iter()
        .map(|row| row.damage_scene(&mut scene, dice))
        .collect();
    let mut patch = (grammar.render)(&scene).text;
    rows.iter()
        .zip(&mut made)
        .for_each(|(row, made)| *made |= row.damage_text(&mut patch, dice));
    let meaning = rows
        .iter()
        .zip(&made)
        .filter(|(_, made)| **made)
        .map(|(row, _)| row.meaning)
        .max();
    let Some(meaning) = meaning else {
        return Ok(());
    };
    let wanted = after(original, usize::MAX);
    for is_lenient in [false, true] {
        if !is_lenient && meaning == Meaning::Lenient {
            continue;
        }
        let made = outcome(grammar, original, patch.as_bytes(), is_lenient)?;
        let is_right = made
            .as_ref()
            .is_none_or(|made| *made == wanted && meaning != Meaning::Unknown);
        if is_lenient {
            counts.1 += 1;
            counts.0 += usize::from(made.is_some());
        }
        if !is_right {
            let (before, found) = (
                show(&before(original)),
                made.as_ref().map(show).unwrap_or_default(),
            );
            let wanted = show(&wanted);
            return Err(format!(
                "lenient {is_lenient}\nBEFORE\n{before}PATCH\n{patch}\nFOUND\n{found}WANTED\n{wanted}"
            ));
        }
    }
    Ok(())
}

/// Returns the rows that can damage a patch of `grammar`.
fn rows(grammar: &Grammar) -> Vec<&'static Row> {
    damages().filter(|row| (row.fits)(grammar)).collect()
}

#[test]
fn two_damages_at_once_make_no_other_tree() {
    let (mut wrong, mut count) = (Vec::new(), (0, 0));
    for round in rounds(25) {
        for (nth, grammar) in GRAMMARS.iter().enumerate() {
            let mut dice = Dice::new((round * 100 + nth + 7_000_000) as u64);
            let rows = rows(grammar);
            let scene = random(grammar, &mut dice);
            let (first, second) = (dice.below(rows.len()), dice.below(rows.len()));
            let pair = [rows[first.min(second)], rows[first.max(second)]];
            // Two marks that stand for the same lines say that these go.
            if first == second
                || pair
                    .iter()
                    .all(|row| row.name.contains("elision") || row.name.contains("dots"))
            {
                continue;
            }
            if let Err(problem) = try_damages(grammar, &pair, &scene, &mut dice, &mut count) {
                let names = pair.map(|row| row.name).join(" + ");
                wrong.push(format!(
                    "=== {} / {names} / round {round}: {problem}",
                    grammar.name
                ));
            }
        }
    }
    assert!(count.0 * 4 > count.1, "{count:?}");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(400)].join("\n")
    );
}

/// Returns how many hunks of a patch are complete in its first `end` bytes: all of their lines are
/// there. The newline of the last line, and the note that the file has none, can be missing.
fn complete(scene: &Scene, rendered: &Rendered, end: usize) -> usize {
    let hunks = scene.files.iter().flat_map(|file| &file.hunks);
    // The mark behind the numbers of a half that is left out says nothing.
    let mark = if rendered.text.contains("\n***************\n") {
        6
    } else {
        1
    };
    let slack = |hunk: &scene::Hunk| match hunk.has_note {
        true => grammars::NOTE.len() + 1,
        false if hunk.lines.iter().all(|line| line.sign != '+') => mark,
        false => 1,
    };
    hunks
        .zip(&rendered.ends)
        .take_while(|(hunk, complete)| **complete <= end + slack(hunk))
        .count()
}

/// Returns whether a patch is cut within the insertion that is the last line of a hunk. What is
/// left of it can be the line of a patch whose last newline is missing.
fn is_last_insertion(rendered: &Rendered, end: usize) -> bool {
    let start = rendered.text.as_bytes()[..end]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let line_end = rendered.text[start..]
        .find('\n')
        .map_or(rendered.text.len(), |length| start + length + 1);
    let is_insertion = rendered.text[start..].starts_with('+') && end > start;
    let is_note = |at: usize| rendered.text[at..].starts_with(grammars::NOTE);
    is_insertion
        && rendered
            .ends
            .iter()
            .any(|&last| last == line_end || is_note(line_end) && last > line_end)
}

/// Returns whether a patch of `grammar` shows where it ends. Rows of hashline have no counts, so
/// that each cut between two of them, without an envelope, is a shorter patch.
fn has_end(grammar: &Grammar) -> bool {
    grammar.way == Way::Patch && grammar.name != "hashline"
}

/// Text before a patch that does not show where the patch ends.
const PREFIXES: [&str; 6] = [
    "",
    "",
    "```diff\n",
    "I change it:\n\n",
    "<patch>\n",
    "\u{feff}",
];

#[test]
fn a_patch_that_is_cut_at_any_byte_is_refused_or_a_complete_shorter_one() {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for round in rounds(1) {
        for (nth, grammar) in GRAMMARS
            .iter()
            .enumerate()
            .filter(|(_, grammar)| has_end(grammar))
        {
            let mut dice = Dice::new((round * 100 + nth + 9_000_000) as u64);
            let scene = random(grammar, &mut dice);
            let rendered = (grammar.render)(&scene);
            let prefix = dice.one(&PREFIXES);
            // Where the file has the end marker of the grammar, a patch that is cut behind it is
            // complete.
            let count = |marker: &str| rendered.text.matches(marker).count();
            let has_marker =
                grammar.lines == Lines::Texts && count("\n>>>>>>> REPLACE") > rendered.ends.len();
            if count("End Patch") > 1 || has_marker {
                continue;
            }
            for end in (0..rendered.text.len()).filter(|&end| !is_last_insertion(&rendered, end)) {
                let patch = &[prefix.as_bytes(), &rendered.text.as_bytes()[..end]].concat()[..];
                let allowed = after(&scene, complete(&scene, &rendered, end));
                // A repair reads more than strict mode, which is asked less often.
                let modes = 1 + usize::from(end % 4 == 0 && prefix.is_empty());
                for is_lenient in [true, false].into_iter().take(modes) {
                    let made = outcome(grammar, &scene, patch, is_lenient).unwrap();
                    let count = counts.entry(grammar.name).or_default();
                    count.1 += 1;
                    count.0 += usize::from(made.is_none());
                    if let Some(made) = made.filter(|made| *made != allowed) {
                        let (name, patch) = (grammar.name, String::from_utf8_lossy(patch));
                        let (found, allowed) = (show(&made), show(&allowed));
                        wrong.push(format!(
                            "=== {name} / round {round} / cut at {end}: lenient {is_lenient}\nPATCH\n{patch}|\nFOUND\n{found}WANTED\n{allowed}"
                        ));
                    }
                }
            }
        }
    }
    assert!(
        counts.values().all(|(refused, of)| refused * 3 > *of),
        "{counts:?}"
    );
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(400)].join("\n")
    );
}

/// Returns the rounds of a test: the first `default`, or those of the variable `WPATCH_ROUNDS`
/// (`COUNT` or `FIRST..END`).
fn rounds(default: usize) -> Range<usize> {
    let asked = std::env::var("WPATCH_ROUNDS").unwrap_or_default();
    let (first, end) = asked.split_once("..").unwrap_or(("0", &asked));
    first.parse().unwrap_or(0)..end.parse().unwrap_or(default)
}

#[test]
fn a_damaged_patch_is_applied_as_meant_or_refused() {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for round in rounds(2) {
        for (nth, grammar) in GRAMMARS.iter().enumerate() {
            for (at, row) in damages().enumerate().filter(|(_, row)| (row.fits)(grammar)) {
                let mut dice = Dice::new((round * 1000 + nth * 100 + at) as u64);
                let scene = random(grammar, &mut dice);
                let count = counts.entry((grammar.name, row.name)).or_default();
                if let Err(problem) = try_damages(grammar, &[row], &scene, &mut dice, count) {
                    wrong.push(format!(
                        "=== {} / {} / round {round}: {problem}",
                        grammar.name, row.name
                    ));
                }
            }
        }
    }
    let total = counts.values().fold((0, 0), |total, count| {
        (total.0 + count.0, total.1 + count.1)
    });
    assert!(total.0 * 2 > total.1, "{counts:?}");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(400)].join("\n")
    );
}
