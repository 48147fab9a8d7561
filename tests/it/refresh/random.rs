//! Random series and random new versions of the tree.

use bstr::ByteSlice;
use wpatch::engine::{self, Request};
use wpatch::plan::Direction;
use wpatch::report::{HunkStatus, PatchStatus};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use super::{PatchFiles, statuses};
use crate::dice::Dice;
use crate::tree::path;

/// The number of series.
const SERIES: u64 = 3_000;
/// One in so many series is also applied by GNU patch.
#[cfg(unix)]
const GNU_SHARE: u64 = 25;

const LINES: [&str; 9] = [
    "{\n",
    "}\n",
    "\n",
    "  a();\n",
    "  b();\n",
    "  return;\n",
    "one\n",
    "two\n",
    "three\n",
];

fn random_lines(dice: &mut Dice, count: usize) -> Vec<String> {
    let line = |dice: &mut Dice| match dice.below(3) {
        0 => dice.one(&LINES).to_owned(),
        _ => format!("line {}\n", dice.below(1000)),
    };
    (0..count).map(|_| line(dice)).collect()
}

/// Changes some lines of `text`.
fn edited(text: &[String], dice: &mut Dice) -> Vec<String> {
    let mut text = text.to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(text.len() + 1);
        let end = (at + dice.below(4)).min(text.len());
        let count = dice.below(3) + usize::from(at == end);
        let new = random_lines(dice, count);
        text.splice(at..end, new);
    }
    text
}

fn memory(text: &[String]) -> Memory {
    Memory::with_files([(path("a"), Entry::file(text.concat()))])
}

/// Returns the diff between two contents of the file `a`, below a header.
fn patch(old: &[String], new: &[String], number: usize, dice: &mut Dice) -> String {
    let mut request = engine::TreeDiffRequest::default();
    request.context = 1 + dice.below(4);
    let (old, new) = (memory(old), memory(new));
    let found = engine::compare_trees(&request, &old, &new).unwrap();
    let sections = found.sections().map(|section| section.unwrap().diff.text);
    let text = String::from_utf8(sections.collect::<Vec<_>>().concat()).unwrap();
    format!("Description: change {number}\nForwarded: not-needed\n\n{text}-- \n2.39\n")
}

/// A tree and the patches for its previous version.
struct Scene {
    tree: Memory,
    patches: PatchFiles,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let direction = match seed % 3 {
            0 => Direction::Reverse,
            _ => Direction::Forward,
        };
        let count = 20 + dice.below(40);
        let base = random_lines(&mut dice, count);
        let mut versions = vec![base.clone()];
        let mut texts = Vec::new();
        for number in 0..=dice.below(3) {
            let old = &versions[number];
            let mut new = edited(old, &mut dice);
            new.push(format!("end {number}\n"));
            let (before, after) = match direction {
                Direction::Reverse => (&new, old),
                _ => (old, &new),
            };
            texts.push(patch(before, after, number, &mut dice));
            versions.push(new);
        }
        // Upstream has some of the patches, and changes of its own.
        let merged = if dice.once_in(3) {
            dice.below(versions.len())
        } else {
            0
        };
        let mut tree = versions[merged].clone();
        for _ in 0..dice.below(4) {
            tree = edited(&tree, &mut dice);
        }
        Self {
            tree: memory(&tree),
            patches: PatchFiles {
                direction,
                ..PatchFiles::new(&texts)
            },
        }
    }

    /// Applies the patches to a copy of the tree.
    fn applied(&self, decide: impl Fn(&mut Request)) -> (engine::Outcome, Vec<u8>) {
        let tree = Memory::with_files(self.tree.files());
        let mut request = self.patches.request().request;
        request.decide.fuzz = 0;
        request.look.describe = true;
        decide(&mut request);
        let outcome = engine::apply(request, &tree, &Interrupt::new());
        let content = tree.files().remove(&path("a")).unwrap().contents;
        (outcome, content)
    }
}

#[test]
fn refreshed_patches_have_the_same_effect_without_fuzz() {
    let mut counts = [0; 4];
    for seed in 0..SERIES {
        let scene = Scene::new(seed);
        let old = scene.patches.texts();
        let (with_fuzz, expected) = scene.applied(|request| {
            (request.decide.fuzz, request.decide.idempotent) = (2, true);
        });
        let refreshed = scene.patches.refresh(&scene.tree);
        let report = &refreshed.outcome.report;
        if !report.ok {
            assert_eq!(scene.patches.texts(), old, "seed {seed}");
            let message = &report.error.as_ref().unwrap().message;
            assert!(!message.contains("same effect"), "seed {seed}: {message}");
            counts[3] += 1;
            continue;
        }
        for status in statuses(&refreshed) {
            counts[match status {
                PatchStatus::Unchanged => 0,
                PatchStatus::Rewritten => 1,
                _ => 2,
            }] += 1;
        }
        check_texts(&scene, seed);
        if !scene.patches.texts().is_empty() {
            let expected = with_fuzz.report.ok.then_some(&expected[..]);
            check_effect(&scene, expected, seed);
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// Checks that the refreshed patches have their headers and their signatures, and that another
/// refresh changes nothing.
fn check_texts(scene: &Scene, seed: u64) {
    for (_, text) in scene.patches.texts() {
        let is_complete = text.starts_with(b"Description: change ")
            && text.contains_str("\nForwarded: not-needed\n\n")
            && text.ends_with(b"-- \n2.39\n");
        assert!(is_complete, "seed {seed}: {}", text.as_bstr());
    }
    let again = scene.patches.refresh(&scene.tree);
    let is_unchanged = |status: &PatchStatus| *status == PatchStatus::Unchanged;
    let report = &again.outcome.report.refresh;
    assert!(
        statuses(&again).iter().all(is_unchanged),
        "seed {seed}: {report:#?}"
    );
}

/// Checks that the refreshed patches apply as they state, in wpatch and in GNU patch. The result
/// must be `expected`, if that is known.
fn check_effect(scene: &Scene, expected: Option<&[u8]>, seed: u64) {
    let (outcome, content) = scene.applied(|_| {});
    let report = &outcome.report;
    let mut hunks = report.files.iter().flat_map(|file| &file.hunks);
    let is_clean = hunks.all(|hunk| hunk.status == HunkStatus::Clean);
    assert!(report.ok && is_clean, "seed {seed}: {:#?}", report.problems);
    if let Some(expected) = expected {
        assert_eq!(content.as_bstr(), expected.as_bstr(), "seed {seed}");
    }
    #[cfg(unix)]
    if seed.is_multiple_of(GNU_SHARE) {
        gnu::check(scene, &content, seed);
    }
}

#[cfg(unix)]
mod gnu {
    //! GNU patch without fuzz accepts the refreshed patches.

    use std::process::Command;

    use fs_err as fs;
    use tempfile::TempDir;

    use wpatch::plan::Direction;

    use super::Scene;
    use crate::tree::path;

    pub(super) fn check(scene: &Scene, expected: &[u8], seed: u64) {
        let directory = TempDir::new().unwrap();
        let content = &scene.tree.files()[&path("a")].contents;
        fs::write(directory.path().join("a"), content).unwrap();
        for (name, text) in scene.patches.texts() {
            fs::write(directory.path().join(&name), text).unwrap();
            let mut patch = Command::new("patch");
            patch.args((scene.patches.direction == Direction::Reverse).then_some("-R"));
            patch.args([
                "-p1",
                "-F0",
                "--force",
                "--no-backup-if-mismatch",
                "-i",
                &name,
            ]);
            let output = patch.current_dir(directory.path()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "seed {seed}: {said}");
            assert_eq!(said, "patching file a\n", "seed {seed}");
        }
        assert_eq!(
            fs::read(directory.path().join("a")).unwrap(),
            expected,
            "seed {seed}"
        );
    }
}
