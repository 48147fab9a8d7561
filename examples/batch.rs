//! Checks many patches against one tree, in several threads.

#![allow(clippy::print_stdout, reason = "the example shows the results")]

use std::error::Error;
use std::thread;

use wpatch::prelude::*;

/// Returns the patch that replaces the first line of `file`.
fn patch(file: &str, old: &str) -> String {
    format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-{old}\n+new\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    let files = ["a", "b", "c"].map(|name| {
        Ok((
            RelPath::new(name.as_bytes())?,
            Entry::file(format!("{name} 1\n")),
        ))
    });
    let workspace = Memory::with_files(files.into_iter().collect::<Result<Vec<_>, PathError>>()?);
    let patches = [
        patch("a", "a 1"),
        patch("b", "a 1"),
        patch("c", "c 1"),
        patch("d", "d 1"),
    ];

    // `Workspace` is `Sync` and a check writes nothing, so that all threads share one workspace.
    let results = thread::scope(|scope| {
        let check_one =
            |patch: &String| check(Request::of(patch.clone()), &workspace).into_result();
        let checks = patches
            .each_ref()
            .map(|patch| scope.spawn(move || check_one(patch)));
        checks.map(|check| check.join().expect("a check does not panic"))
    });

    for result in &results {
        match result {
            Ok(applied) => println!("applies: {} file", applied.report.summary.files),
            Err(refused) => println!("{}: {refused}", refused.code()),
        }
    }
    assert_eq!(
        results.each_ref().map(Result::is_ok),
        [true, false, true, false]
    );
    Ok(())
}
