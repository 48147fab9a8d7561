//! Reading patches: many small sections, and one section of many hunks.

use std::fmt::Write as _;

use divan::{Bencher, counter::BytesCount};
use wpatch::syntax::{self, Options};

fn main() {
    divan::main();
}

#[divan::bench(args = [100, 10_000])]
fn sections(bencher: Bencher<'_, '_>, count: usize) {
    let patch = (0..count).fold(String::new(), |mut patch, number| {
        let name = format!("d{}/f{number}.c", number % 40);
        write!(patch, "diff --git a/{name} b/{name}\nindex 1111111..2222222 100644\n--- a/{name}\n+++ b/{name}\n")
            .expect("a string takes everything");
        patch + &hunk(10)
    });
    read(bencher, "git", patch);
}

#[divan::bench(args = [100, 50_000])]
fn hunks(bencher: Bencher<'_, '_>, count: usize) {
    let patch = (0..count).fold(String::new(), |patch, number| {
        patch + &hunk(1 + number * 20)
    });
    read(bencher, "unified", format!("--- a/big\n+++ b/big\n{patch}"));
}

fn hunk(line: usize) -> String {
    format!("@@ -{line},7 +{line},7 @@ here\n one\n two\n three\n-four\n+4\n five\n six\n seven\n")
}

fn read(bencher: Bencher<'_, '_>, format: &str, patch: String) {
    let among = syntax::select_syntaxes(format);
    let patch = patch.into_bytes();
    bencher
        .counter(BytesCount::of_slice(&patch))
        .with_inputs(|| patch.clone())
        .bench_values(|patch| {
            syntax::parse("-", patch, &among, Options::default()).map(|plan| plan.operations.len())
        });
}
