//! An editor that saves one file again and again, while a patch for it is applied again and again.
//!
//! Each save has a number, in a line that the patch does not touch: the file shows which save it
//! was made from. Once every apply is over that was under way when something was saved, that save,
//! or a later one, has to be there.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use fs_err as fs;
use tempfile::TempDir;

use super::apply;
use crate::world::takes_all;

/// Reads as a whole or not at all: a file that is cut short has no place for it.
const PATCH: &str =
    "--- a/file\n+++ b/file\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-off\n+on\n 11\n 12\n 13\n";

fn saved(number: usize) -> String {
    format!("{number}\n2\n3\n4\n5\n6\n7\n8\n9\noff\n11\n12\n13\n")
}

/// How the applies ended, by their exit codes.
#[derive(Debug, Default)]
struct Applies {
    over: AtomicUsize,
    done: AtomicUsize,
    refused: AtomicUsize,
    stale: AtomicUsize,
    left: AtomicUsize,
}

impl Applies {
    /// Applies the patch and its reverse in turns, until the editor is done and it was often
    /// enough.
    fn run(&self, (root, patch): (&Path, &Path), least: usize, is_saved: &AtomicBool) {
        for round in 0.. {
            if round >= least && is_saved.load(Ordering::SeqCst) {
                break;
            }
            let output = apply(
                root,
                patch,
                &["--durability=none", "--reverse"][..=round % 2],
            );
            let count = match output.status.code() {
                Some(0) => &self.done,
                Some(1) if String::from_utf8_lossy(&output.stderr).contains("changed while") => {
                    &self.stale
                }
                Some(1) => &self.refused,
                Some(5) => &self.left,
                _ => panic!("{output:?}"),
            };
            count.fetch_add(1, Ordering::SeqCst);
            self.over.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Waits until an apply is over that began after now.
    fn pass(&self) {
        let now = self.over.load(Ordering::SeqCst);
        while self.over.load(Ordering::SeqCst) < now + 2 {
            thread::yield_now();
        }
    }
}

/// Returns the number of the last save that is there: in the file, or kept because a later one took
/// its place.
fn last(root: &Path) -> usize {
    let scratch = fs::read_dir(root.join(".wpatch"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    let kept = scratch.filter(|path| path.to_string_lossy().contains("kept-"));
    let numbers = kept
        .chain([root.join("file")])
        .map(|path| fs::read_to_string(path).unwrap());
    numbers
        .filter_map(|text| text.lines().next()?.parse().ok())
        .max()
        .unwrap()
}

/// Saves so many times, in place and by renaming, with pauses of all lengths. Returns what was
/// lost.
fn save(root: &Path, saves: usize, applies: &Applies) -> Vec<String> {
    let (file, aside) = (root.join("file"), root.join("aside"));
    let mut lost = Vec::new();
    let mut seed = 1_u32;
    for number in 1..=saves {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed & (1 << 20) == 0 {
            fs::write(&file, saved(number)).unwrap();
        } else {
            fs::write(&aside, saved(number)).unwrap();
            fs::rename(&aside, &file).unwrap();
        }
        (0..seed >> 22).for_each(|_| thread::yield_now());
        if number.is_multiple_of(8) || number == saves {
            applies.pass();
            let found = last(root);
            lost.extend((found != number).then(|| format!("{number}, there is {found}")));
        }
    }
    lost
}

#[test]
fn no_save_of_an_editor_is_lost() {
    let (saves, least) = if takes_all() {
        (10_000, 1000)
    } else {
        (300, 60)
    };
    let directory = TempDir::new().unwrap();
    let (root, patch) = (
        directory.path().join("root"),
        directory.path().join("patch"),
    );
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file"), saved(0)).unwrap();
    fs::write(&patch, PATCH).unwrap();
    let (applies, is_saved) = (Applies::default(), AtomicBool::new(false));
    let lost = thread::scope(|scope| {
        let other = scope.spawn(|| applies.run((&root, &patch), least, &is_saved));
        let lost = save(&root, saves, &applies);
        is_saved.store(true, Ordering::SeqCst);
        other.join().unwrap();
        lost
    });
    #[allow(clippy::print_stdout, reason = "what was tried is a result too")]
    {
        println!("{saves} saves, {} lost, {applies:?}", lost.len());
    }
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(last(&root), saves);
    // How many are refused depends on which of the two a save comes before.
    assert!(applies.done.into_inner() > 10);
}
