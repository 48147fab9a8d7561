//! The same patches by GNU patch: verdict, words and tree, and where both are not the same, which
//! of the few reasons it is. `PATCHES` in the environment says how many are tried, and `SEED`
//! which.

use super::merging::gnu;
use super::{files, patch, scene, told};
use crate::dice::Dice;
use crate::formats::{changed, diff};

/// How many patches are tried.
const PATCHES: usize = 400;

/// Why a patch is refused that GNU patch applies, as our words have it: it is there already; a
/// fuzzy hunk fits in several places; a hunk fits only where another one went, of which it shares
/// lines of context; all that it could be found by may be left out; it has no old lines and belongs
/// after the end. GNU patch takes the first of several places, and any place where nothing is
/// looked for.
const REASONS: [&str; 5] = [
    "already",
    " matches at line",
    "matches only where another hunk is placed",
    "this fuzz ignores all of its lines",
    ", and the file ends after line ",
];

/// Lines of which many are alike, so that places are mistaken.
pub(super) fn contents(dice: &mut Dice) -> Vec<String> {
    let few = 2 + dice.below(3);
    (0..5 + dice.below(30))
        .map(|line| {
            if dice.once_in(few) {
                "}".to_owned()
            } else {
                format!("line {line}")
            }
        })
        .collect()
}

pub(super) fn text(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| {
            line.clone()
                + "
"
        })
        .collect()
}

/// Takes a hunk out of a patch with several; the others name the lines that they named.
fn leave_out(patch_text: &mut Vec<u8>, dice: &mut Dice) {
    let text = String::from_utf8(std::mem::take(patch_text)).unwrap();
    let is_start = |line: &str| {
        ["@@ ", "*****"].iter().any(|mark| line.starts_with(mark))
            || line.as_bytes()[0].is_ascii_digit()
    };
    let mut parts: Vec<String> = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if is_start(line) {
            parts.push(String::new());
        }
        parts.last_mut().unwrap().push_str(line);
    }
    if parts.len() > 2 {
        parts.remove(1 + dice.below(parts.len() - 1));
    }
    *patch_text = parts.concat().into_bytes();
}

/// Returns the content of a file that a patch from `lines` to `new` is applied to.
fn stale(lines: &[String], new: &str, dice: &mut Dice) -> String {
    let above = |count: usize| "above\n".repeat(count);
    match dice.below(6) {
        0 => new.to_owned(),
        1 => text(lines),
        2 => above(1 + dice.below(6)) + &text(lines),
        _ => above(dice.below(3)) + &text(&changed(lines, 40, dice)),
    }
}

#[cfg(unix)]
#[test]
fn gnu_patch_ends_the_same_but_for_what_is_declared() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut dice = Dice::new(number("SEED").unwrap_or(3));
    let (mut applied, mut refused, mut declared) = (0, 0, [0; REASONS.len()]);
    for _ in 0..number("PATCHES").map_or(PATCHES, |count| usize::try_from(count).unwrap()) {
        let lines = contents(&mut dice);
        let more = changed(&lines, 20, &mut dice);
        let (old, new) = (text(&lines), text(&more));
        let stale = stale(&lines, &new, &mut dice);
        let option = dice.one(&["-U3", "-U1", "-c", "-U3", "--normal"]);
        let fuzz = format!("-F{}", dice.below(4));
        let mut patch_text = diff(option, &old, &new);
        if dice.once_in(3) {
            leave_out(&mut patch_text, &mut dice);
        }
        if old == new {
            continue;
        }
        let (ours, theirs) = (scene(&[("x", &stale)]), scene(&[("x", &stale)]));
        let ending = told(&patch(ours.path(), &["-p1", "-f", &fuzz], &patch_text));
        let (exit, said) = gnu(&theirs, &["-p1", "-f", &fuzz, "-r", "-"], &patch_text);
        let shown = || {
            format!(
                "{option} {fuzz}\n{}\n{stale}\n{ending:?}",
                String::from_utf8_lossy(&patch_text)
            )
        };
        match (exit, ending.0) {
            (0, 0) => {
                assert_eq!(
                    (&ending.1, files(&ours)),
                    (&said, files(&theirs)),
                    "{}",
                    shown()
                );
                applied += 1;
            }
            (0, 1) => {
                let reason = REASONS.iter().position(|reason| ending.2.contains(reason));
                declared[reason.unwrap_or_else(|| panic!("no reason: {}", shown()))] += 1;
            }
            (1, 1) => refused += 1,
            endings => panic!("{endings:?} {}", shown()),
        }
        if ending.0 != 0 {
            assert_eq!(
                files(&ours),
                [("x".to_owned(), stale.clone())],
                "{}",
                shown()
            );
        }
    }
    assert!(
        applied > 100 && refused > 30 && declared.iter().sum::<u32>() > 0,
        "{applied} applied, {refused} refused, {declared:?}"
    );
}
