//! The approval of a part of a plan by the `plan_id` of the whole plan.
//!
//! The `plan_id` of a part differs from that of the whole plan, and a reviewer of the whole plan knows
//! only the latter. The whole plan is therefore checked first. If it is the approved one, the
//! `plan_id` of the part becomes the approval of the change. The part is checked again when it is
//! applied, so a tree that changes in between is detected.

use std::collections::BTreeMap;

use super::problems::not_approved_problem;
use super::request::{Commit, Request, SuggestionMode};
use super::task::CommandMode;
use super::{Outcome, refused_outcome, run};
use crate::path::RelPath;
use crate::preflight::{Problem, code};
use crate::report::Report;
use crate::workspace::Workspace;

/// The state of a file: its mode and its SHA-256 digest; `None` for a file that does not exist.
type FileState<'r> = (Option<&'r str>, Option<&'r str>);

/// Replaces the approval of the whole plan in `request` by one of its part. Other requests are
/// returned unchanged.
///
/// # Errors
///
/// Returns the outcome if the request selects no part, if the whole plan is not the approved one, or
/// if the part cannot be applied.
pub(super) fn approve_part(
    mut request: Request,
    mode: CommandMode,
    workspace: &dyn Workspace,
) -> Result<Request, Box<Outcome>> {
    let Some(approved) = request.commit.approve_part.take() else {
        return Ok(request);
    };
    let name = mode.patch_command();
    if request.decide.only.is_none() || request.commit.approve.is_some() {
        let message = "the approval of a part needs a selection (`--only`), and no other approval";
        return Err(refused_outcome(name, Problem::new(&code::USAGE, message)));
    }
    let mut whole = check_request(&request);
    whole.decide.only = None;
    whole.commit.approve = Some(approved);
    let whole = check(whole, name, workspace)?;
    let part = check(check_request(&request), name, workspace)?;
    if !has_same_files(&part, &whole) {
        return Err(refused_outcome(name, not_approved_problem()));
    }
    request.commit.approve = part.plan_id;
    Ok(request)
}

/// Returns a request to check the change of `request`.
fn check_request(request: &Request) -> Request {
    let mut checked = request.clone();
    checked.commit = Commit {
        transaction: request.commit.transaction,
        ..Commit::default()
    };
    checked.look.describe = true;
    checked.look.diff = false;
    checked.look.is_brief = false;
    checked.look.hints = SuggestionMode::None;
    checked.look.diagnostics = None;
    checked
}

fn check(
    request: Request,
    name: &'static str,
    workspace: &dyn Workspace,
) -> Result<Report, Box<Outcome>> {
    let mut outcome = run(request, CommandMode::Check, workspace);
    outcome.report.command = name;
    if outcome.report.ok {
        Ok(outcome.report)
    } else {
        Err(Box::new(outcome))
    }
}

/// Returns whether the part found its files as the whole plan did. Another process can change the tree
/// between the two checks.
fn has_same_files(part: &Report, whole: &Report) -> bool {
    let states = initial_states(whole);
    initial_states(part)
        .into_iter()
        .all(|(path, state)| states.get(path) == Some(&state))
}

/// Returns the states of the files that the plan of `report` names, before the plan is applied.
fn initial_states(report: &Report) -> BTreeMap<&RelPath, FileState<'_>> {
    let mut states = BTreeMap::new();
    for file in &report.files {
        let before = (file.mode.old, file.sha256_before.as_deref());
        let replaced = file.replaces.as_ref();
        let target = replaced.map_or((None, None), |file| {
            (Some(&*file.mode), Some(&*file.sha256))
        });
        // The first operation on a path finds the file of the tree, later ones the result of others.
        match &file.from {
            Some(from) => {
                states.entry(from).or_insert(before);
                states.entry(&file.path).or_insert(target);
            }
            None if replaced.is_some() => {
                states.entry(&file.path).or_insert(target);
            }
            None => {
                states.entry(&file.path).or_insert(before);
            }
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::memory::{Entry, Memory};

    fn report(files: &[(&str, &str)], only: Option<&str>) -> Report {
        let patch = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n x\n--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n-2\n+two\n x\n\
                     diff --git a/c b/d\nsimilarity index 100%\nrename from c\nrename to d\n";
        let entry = |(name, text): &(&str, &str)| {
            let name = RelPath::new(name.as_bytes()).unwrap();
            (name, Entry::file(*text))
        };
        let mut request = Request::of(patch);
        request.decide.only = only.map(|only| only.parse().unwrap());
        request.decide.overwrite = true;
        let tree = Memory::with_files(files.iter().map(entry));
        check(check_request(&request), "check", &tree).unwrap()
    }

    #[test]
    fn a_tree_that_changes_between_the_checks_is_detected() {
        let files = [
            ("a", "1\nx\ny\n"),
            ("b", "2\nx\ny\n"),
            ("c", "3\n"),
            ("d", "4\n"),
        ];
        let whole = report(&files, None);
        for (only, changed) in [("f1", 0), ("f2", 1), ("f3", 2), ("f3", 3)] {
            let is_same = |text: &'static str| {
                let mut files = files;
                files[changed].1 = text;
                has_same_files(&report(&files, Some(only)), &whole)
            };
            assert!(is_same(files[changed].1), "{only}");
            let other = ["1\nx\nz\n", "2\nx\nz\n", "z\n", "z\n"][changed];
            assert!(!is_same(other), "{only}");
        }
        // Another file than those of the part may change.
        let mut files = files;
        files[1].1 = "2\nx\nz\n";
        assert!(has_same_files(&report(&files, Some("f1")), &whole));
    }
}
