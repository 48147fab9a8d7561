//! Tests of the budget of an input: its end changes no result.

use super::files::FileOverlay;
use super::patch::repair;
use super::target_tree::{NameOptions, TargetTree};
use crate::path::RelPath;
use crate::policy::{Policy, Verdict};
use crate::repair::testing::{HEAD, costly};
use crate::repair::{RepairError, RepairErrorKind, RepairLog, StepBudget};
use crate::workspace::memory::{Entry, Memory};

fn repaired(file: &str, patch: &str, most: u64) -> Result<Vec<u8>, Vec<RepairError>> {
    let named = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let memory = Memory::with_files([
        (named("x"), Entry::file(file)),
        (named("y"), Entry::file("1\n2\n")),
    ]);
    let policy = Policy::default();
    let tree = TargetTree {
        workspace: &memory,
        policy: &policy,
        min_unread_verdict: Verdict::Deny,
        root: b"/r",
        naming: NameOptions::default(),
        max_file: u64::MAX,
    };
    let log = RepairLog::with_work(StepBudget::with_limit(most));
    let mut files = FileOverlay::new(&tree);
    let found = repair(patch.as_bytes(), None, &mut files, log);
    found.unwrap().map(|repaired| repaired.text)
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
                        refusals
                            .iter()
                            .all(|one| one.kind == RepairErrorKind::BudgetExceeded),
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
