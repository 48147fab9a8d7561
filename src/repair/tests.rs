//! Tests of the budget of an input: it limits the work, and its end changes no result.

use super::error::PlacementError;
use super::lines::Lines;
use super::place::place;
use super::rows::Work;
use super::*;
use crate::workspace::memory::{Entry, Memory};

const HEAD: &str = "--- a/x\n+++ b/x\n";

/// Files and patches that need many steps for their size.
fn costly() -> Vec<(&'static str, String, String)> {
    let same = |count: usize| "0,\n".repeat(count);
    let numbered = |count: usize| {
        (0..count).fold(String::new(), |text, line| {
            text + &format!("+ line {line}\n")
        })
    };
    let hunks = |count: usize, hunk: fn(usize) -> String| {
        HEAD.to_owned() + &(0..count).map(hunk).collect::<String>()
    };
    let old = |count: usize| " 0,\n".repeat(count);
    vec![
        (
            "a long hunk",
            same(600),
            format!("{HEAD}@@ -1,9 +1,9 @@\n{}-2,\n+1,\n{}", old(100), old(100)),
        ),
        (
            "many hunks",
            same(600),
            hunks(20, |_| "@@\n 0,\n 0,\n-2,\n+1,\n".to_owned()),
        ),
        (
            "wrong counts",
            numbered(600),
            hunks(20, |at| {
                format!("@@ -{at},9 +{at},9 @@\n+ line {at}\n-x\n+y\n")
            }),
        ),
        (
            "signs",
            numbered(60),
            format!("{HEAD}@@ -1,60 +1,59 @@\n{}", numbered(60)),
        ),
        (
            "headings",
            numbered(600),
            hunks(20, |_| "@@ e 599\n+ line 7\n-+ line 8\n+y\n".to_owned()),
        ),
        (
            "stated",
            same(600),
            hunks(20, |_| {
                "@@ -9,9 +9,9 @@\n 0,\n 0,\n-0,\n+y\n 0,\n".to_owned()
            }),
        ),
        (
            "elisions",
            same(600),
            format!("{HEAD}@@\n{}-0,\n+y\n", " ...\n 0,\n".repeat(30)),
        ),
    ]
}

fn repaired(file: &str, patch: &str, most: u64) -> Result<Vec<u8>, Vec<Refusal>> {
    let named = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let memory = Memory::with_files([
        (named("x"), Entry::file(file)),
        (named("y"), Entry::file("1\n2\n")),
    ]);
    let log = RepairLog::with_work(Work::within(most));
    let policy = Policy::default();
    let found = repair_within(
        patch.as_bytes(),
        &memory,
        (&policy, Verdict::Deny),
        (b"/r", None),
        u64::MAX,
        log,
    );
    found.unwrap().map(|repaired| repaired.text)
}

#[test]
fn each_line_that_is_read_is_a_step() {
    for (name, content, patch) in costly() {
        let mut log = RepairLog::default();
        let sections = read::read(patch.as_bytes(), None, None, &mut log).unwrap();
        let file = Lines::of(content.as_bytes(), &mut log).unwrap();
        for chunk in &sections[0].chunks {
            let _ = place(&file, chunk, (0, false), &mut log);
        }
        assert!(
            file.reads.get() as u64 <= log.work().done(),
            "{name}: {} {:?}",
            file.reads.get(),
            log.work()
        );
    }
}

#[test]
fn the_chunks_of_an_input_share_one_budget() {
    const MOST: u64 = 30_000;
    for (name, content, patch) in costly() {
        let mut log = RepairLog::with_work(Work::within(MOST));
        let sections = read::read(patch.as_bytes(), None, None, &mut log).unwrap();
        let file = Lines::of(content.as_bytes(), &mut log).unwrap();
        let place = |chunk| place(&file, chunk, (0, false), &mut log);
        let found: Vec<_> = sections[0].chunks.iter().map(place).collect();
        // The step that exceeds the budget can be one search through the whole file.
        assert!(
            file.reads.get() as u64 <= MOST + 600,
            "{name}: {}",
            file.reads.get()
        );
        let end = found
            .iter()
            .position(|one| matches!(one, Err(PlacementError::TooMuch)))
            .unwrap_or(found.len());
        assert!(
            found[end..]
                .iter()
                .all(|one| matches!(one, Err(PlacementError::TooMuch | PlacementError::Nothing))),
            "{name}"
        );
    }
}

#[test]
fn a_budget_that_ends_changes_no_result() {
    let more = "--- a/y\n+++ b/y\n@@\n-1\n+3\n 2\n";
    let fits = |content: &str, patch: &str| (content.to_owned(), format!("{HEAD}{patch}{more}"));
    let mut all: Vec<_> = costly()
        .into_iter()
        .map(|(_, content, patch)| (content, patch + more))
        .collect();
    all.push(fits(
        "a\nb\nc\nd\n",
        "@@ -1,9 +1,9 @@\n a\n-b\n+x\n@@\n c\n-d\n+y\n",
    ));
    let lines = (0..60).fold(String::new(), |text, line| text + &format!("line {line}\n"));
    all.push(fits(
        &lines,
        "@@ -40,3 +40,3 @@\n line 3\n-line 4\n+x\n line 5\n",
    ));
    all.push(fits(
        "f()\na\nb\nc\ng()\na\nb\nd\n",
        "@@ g()\n a\n-b\n+x\n d\n",
    ));
    for (content, patch) in all {
        let whole = repaired(&content, &patch, u64::MAX);
        let mut most = 1;
        while most < 20_000_000 {
            match (repaired(&content, &patch, most), &whole) {
                (Ok(found), Ok(whole)) => assert_eq!(&found, whole, "{most} steps:\n{patch}"),
                (Ok(_), Err(_)) => panic!("{most} steps:\n{patch}"),
                (Err(refusals), Ok(_)) => {
                    assert!(
                        refusals.iter().all(|one| one.kind == RefusalKind::TooMuch),
                        "{most}: {refusals:?}"
                    );
                }
                (Err(_), Err(_)) => {}
            }
            most += if content.len() < 1000 && most < 4000 {
                1
            } else {
                most / 2 + 1
            };
        }
    }
}
