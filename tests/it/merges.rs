//! Merges of lines against `git merge-file`, with made-up texts.

use std::ops::Range;
use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;
use wpatch::matching::{ConflictResolution, ConflictStyle, merge};

use crate::dice::Dice;

const STYLES: [(ConflictStyle, &str); 3] = [
    (ConflictStyle::Sides, "--no-diff3"),
    (ConflictStyle::Base, "--diff3"),
    (ConflictStyle::ShortBase, "--zdiff3"),
];
const FAVOURS: [(Option<ConflictResolution>, &str); 6] = [
    (None, "-q"),
    (None, "-q"),
    (None, "-q"),
    (Some(ConflictResolution::Ours), "--ours"),
    (Some(ConflictResolution::Theirs), "--theirs"),
    (Some(ConflictResolution::Union), "--union"),
];
const SIDES: [&str; 3] = ["base", "ours", "theirs"];

/// Writes lines: ones that are nowhere else, or those of an alphabet.
struct Writer {
    dice: Dice,
    alphabet: Option<usize>,
    next: usize,
}

impl Writer {
    fn line(&mut self) -> String {
        self.next += 1;
        self.alphabet.map_or_else(
            || format!("n{}\n", self.next),
            |size| format!("l{}\n", self.dice.below(size)),
        )
    }

    fn lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.line()).collect()
    }

    /// Changes some of `lines`.
    fn changed(&mut self, lines: &[String]) -> Vec<String> {
        let mut lines = lines.to_vec();
        for _ in 0..self.dice.below(4) {
            let (at, line) = (self.dice.below(lines.len() + 1), self.line());
            let end = (at + self.dice.below(4)).min(lines.len());
            match self.dice.below(3) {
                0 => drop(lines.drain(at..end)),
                1 => drop(lines.splice(at..end, [line])),
                _ => lines.insert(at, line),
            }
        }
        lines
    }

    /// Returns a text and two that came of it.
    fn texts(&mut self) -> [String; 3] {
        let count = self.dice.below(14);
        let base = self.lines(count);
        let ours = self.changed(&base);
        let theirs = if self.dice.once_in(5) {
            self.changed(&ours)
        } else {
            self.changed(&base)
        };
        let mut texts = [base, ours, theirs].map(|lines| lines.concat());
        for text in &mut texts {
            if self.dice.once_in(6) {
                text.pop();
            }
        }
        if self.dice.once_in(6) {
            texts.map(|text| text.replace('\n', "\r\n"))
        } else {
            texts
        }
    }
}

/// Merges `count` times, and returns how often git's text is another one, and how often its
/// verdict.
fn differences(alphabet: Option<usize>, count: usize) -> (usize, usize) {
    let directory = TempDir::new().unwrap();
    let mut writer = Writer {
        dice: Dice::new(alphabet.unwrap_or(1000) as u64),
        alphabet,
        next: 0,
    };
    let (mut texts, mut verdicts, mut conflicts) = (0, 0, 0);
    for _ in 0..count {
        let sides = writer.texts();
        let ((style, styled), (favour, favoured)) =
            (writer.dice.one(&STYLES), writer.dice.one(&FAVOURS));
        let [base, ours, theirs] = sides.each_ref().map(String::as_bytes);
        let git = by_git(directory.path(), [base, ours, theirs], &[styled, favoured]);
        let found = merge(base, ours, theirs, favour, style);
        texts += usize::from(found.bytes != git.stdout);
        verdicts += usize::from(found.conflicts.is_empty() != git.status.success());
        conflicts += usize::from(!found.conflicts.is_empty());
    }
    assert!(conflicts > count / 20, "only {conflicts} conflicts");
    (texts, verdicts)
}

#[cfg(unix)]
#[test]
fn lines_that_are_there_once_are_merged_as_git_merges_them() {
    assert_eq!(differences(None, 400), (0, 0));
}

#[cfg(unix)]
#[test]
fn lines_that_are_there_several_times_are_merged_as_git_merges_them() {
    for alphabet in [2, 3, 12] {
        assert_eq!(differences(Some(alphabet), 400), (0, 0), "{alphabet}");
    }
}

/// Writes the texts into `directory` and merges them by `git merge-file`.
fn by_git(directory: &Path, texts: [&[u8]; 3], options: &[&str]) -> Output {
    for (name, text) in SIDES.iter().zip(texts) {
        fs::write(directory.join(name), text).unwrap();
    }
    let labels = ["-L", "ours", "-L", "base", "-L", "theirs"];
    let mut git = Command::new("git");
    git.args(["merge-file", "-p"]).args(labels).args(options);
    git.args(["ours", "base", "theirs"])
        .current_dir(directory)
        .output()
        .unwrap()
}

/// A base of `count` different lines. Our side does not have two ranges of them, and their side
/// has another line at `line`. Returns them, and the text with both changes.
fn deleted(count: usize, ranges: &[Range<usize>; 2], line: usize) -> [Vec<u8>; 4] {
    let mut dice = Dice::new(1);
    let base: Vec<_> = (0..51_475)
        .map(|_| format!("w{}\n", dice.below(count)))
        .collect();
    let mut theirs = base.clone();
    "new\n".clone_into(&mut theirs[line]);
    let without = |lines: &[String]| {
        let mut lines = lines.to_vec();
        ranges
            .iter()
            .rev()
            .for_each(|range| drop(lines.drain(range.clone())));
        lines.concat().into_bytes()
    };
    let (ours, both) = (without(&base), without(&theirs));
    [
        base.concat().into_bytes(),
        ours,
        theirs.concat().into_bytes(),
        both,
    ]
}

#[cfg(unix)]
#[test]
fn a_change_far_from_large_deletions_is_merged_as_git_merges_it() {
    let directory = TempDir::new().unwrap();
    let [base, ours, theirs, both] = deleted(49, &[0..17, 25_776..45_776], 20_000);
    for (favour, favoured) in FAVOURS {
        let git = by_git(directory.path(), [&base, &ours, &theirs], &[favoured]);
        assert!(git.status.success() && git.stdout == both);
        let found = merge(&base, &ours, &theirs, favour, ConflictStyle::Sides);
        assert_eq!(found.conflicts, []);
        assert!(found.bytes == both, "{favoured}");
    }
}

/// A difference to git, whose search for the shortest edit script ends early. Its `--theirs` then
/// takes the lines of another place, and so does a merge without conflicts. It has the right result
/// with `--diff-algorithm=minimal`.
#[cfg(unix)]
#[test]
fn a_change_between_large_deletions_is_merged_at_its_place() {
    let directory = TempDir::new().unwrap();
    let [base, ours, theirs, both] = deleted(49, &[5_000..15_000, 21_000..46_000], 20_000);
    let minimal = "--diff-algorithm=minimal";
    for (options, is_right) in [(&["--theirs"][..], false), (&["--theirs", minimal], true)] {
        let git = by_git(directory.path(), [&base, &ours, &theirs], options);
        assert_eq!((git.status.success(), git.stdout == both), (true, is_right));
    }
    for (favour, favoured) in FAVOURS {
        let found = merge(&base, &ours, &theirs, favour, ConflictStyle::Sides);
        assert_eq!(found.conflicts, []);
        assert!(found.bytes == both, "{favoured}");
    }
}

#[test]
fn texts_that_are_too_different_for_the_budget_are_merged_all_the_same() {
    let text = |name: &str| {
        (0..20_000)
            .map(|number| format!("{name}{number}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let [base, ours, theirs] = SIDES.map(text);
    let merged = merge(
        base.as_bytes(),
        ours.as_bytes(),
        theirs.as_bytes(),
        None,
        ConflictStyle::Sides,
    );
    assert_eq!(merged.conflicts.len(), 1);
    // Two kinds of lines, more than are compared at once.
    let mut dice = Dice::new(5);
    let mut text = |count| {
        (0..count)
            .map(|_| dice.one(&["a\n", "b\n"]))
            .collect::<String>()
    };
    let (base, ours) = (text(90_000), text(90_000));
    let merged = merge(
        base.as_bytes(),
        ours.as_bytes(),
        base.as_bytes(),
        None,
        ConflictStyle::Sides,
    );
    assert!(merged.conflicts.is_empty() && merged.bytes == ours.as_bytes());
    let merged = merge(
        base.as_bytes(),
        base.as_bytes(),
        ours.as_bytes(),
        None,
        ConflictStyle::Sides,
    );
    assert!(merged.conflicts.is_empty() && merged.bytes == ours.as_bytes());
}
