//! Working out a change of many files of a tree in memory: `check` as a whole.

use std::fmt::Write as _;

use divan::Bencher;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::workspace::memory::{Entry, Memory};

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 100, 1_000])]
fn files(bencher: Bencher<'_, '_>, count: usize) {
    let name_of = |number: usize| format!("d{}/f{number}.c", number % 40);
    let contents = "a line of the file\n".repeat(98) + "line 99\nline 100\nline 101\n";
    let located = |number| RelPath::new(name_of(number).as_bytes()).expect("a plain name");
    let memory = Memory::with_files(
        (0..count).map(|number| (located(number), Entry::file(contents.clone()))),
    );
    let patch = (0..count).fold(String::new(), |mut patch, number| {
        let name = name_of(number);
        write!(patch, "--- a/{name}\n+++ b/{name}\n@@ -99,3 +99,3 @@\n line 99\n-line 100\n+changed\n line 101\n")
            .expect("a string takes everything");
        patch
    });
    assert!(
        engine::check(Request::of(patch.clone()), &memory).report.ok,
        "the patch fits"
    );
    bencher.bench(|| engine::check(Request::of(patch.clone()), &memory).report.ok);
}
