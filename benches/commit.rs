//! Committing a change of many files on a disk, with and without durability; every second run takes
//! it back.

use std::fmt::Write as _;

use divan::Bencher;
use fs_err as fs;
use wpatch::engine::{self, Request};
use wpatch::transaction::{Durability, Interrupt};

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 100, 1_000])]
fn killed_or_not(bencher: Bencher<'_, '_>, count: usize) {
    commit(bencher, count, Durability::None);
}

#[divan::bench(args = [1, 100, 1_000])]
fn power_lost_or_not(bencher: Bencher<'_, '_>, count: usize) {
    commit(bencher, count, Durability::Full);
}

fn commit(bencher: Bencher<'_, '_>, count: usize, durability: Durability) {
    let directory = tempfile::tempdir().expect("a directory for the tree");
    let mut patch = String::new();
    for number in 0..count {
        fs::write(
            directory.path().join(number.to_string()),
            "one\ntwo\nthree\n",
        )
        .expect("the tree can be written");
        write!(
            patch,
            "--- a/{number}\n+++ b/{number}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
        )
        .expect("a string takes everything");
    }
    let disk = engine::open(directory.path()).expect("the tree can be opened");
    let mut is_applied = false;
    bencher.bench_local(|| {
        let mut request = Request::of(patch.clone());
        request.commit.transaction.durability = durability;
        request.decide.reverse = is_applied;
        is_applied = !is_applied;
        assert!(
            engine::apply(request, &disk, &Interrupt::new()).report.ok,
            "the patch fits"
        );
    });
}
