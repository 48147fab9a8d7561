//! A session whose files changed in the tree.

use super::*;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

fn put(memory: &Memory, at: &str, entry: &Entry) {
    if memory.files().contains_key(&path(at)) {
        memory.remove(&path(at)).unwrap();
    }
    memory.put(&path(at), entry);
}

fn rebase(memory: &Memory, id: &str) -> Outcome {
    let mut commit = Request::commit_session(id);
    if let engine::What::Session(session) = &mut commit.what {
        session.rebase = true;
    }
    engine::apply(request(commit), memory, &Interrupt::new())
}

/// Returns a tree whose session has changed line 2 of `same` and made `new`.
fn lines() -> (Memory, String) {
    let memory = memory();
    put(&memory, "same", &Entry::file(LINES));
    let id = begin(&memory);
    assert!(
        step(&memory, &id, Request::edit("same", "2\n", "two\n"))
            .report
            .ok
    );
    assert!(step(&memory, &id, Request::write("new", "new\n")).report.ok);
    (memory, id)
}

#[test]
fn a_file_that_changed_is_stale_and_a_rebase_merges_it() {
    let (memory, id) = lines();
    let ours = LINES.replace('8', "eight");
    put(&memory, "same", &Entry::executable(ours));
    let before = tree(&memory);
    let refused = commit(&memory, &id).report;
    let error = refused.error.unwrap();
    assert_eq!((refused.exit_code, error.kind), (1, ProblemKind::Stale));
    assert_eq!(error.path.as_deref(), Some("same"));
    assert!(error.help.unwrap().contains("--rebase"));
    assert_eq!(
        (tree(&memory), sessions(&memory)),
        (before, vec![id.clone()])
    );
    let outcome = rebase(&memory, &id);
    assert!(outcome.report.ok, "{:#?}", outcome.problems);
    let after = tree(&memory);
    let merged = LINES.replace('8', "eight").replace('2', "two");
    // The session did not change the mode, so the file keeps its new one.
    assert_eq!(after[&path("same")], Entry::executable(merged));
    assert_eq!(after[&path("new")], Entry::file("new\n"));
    assert!(sessions(&memory).is_empty());
}

#[test]
fn a_rebase_with_conflicts_names_them_and_changes_nothing() {
    let (memory, id) = lines();
    put(
        &memory,
        "same",
        &Entry::file(LINES.replace("2\n3", "zwei\n3")),
    );
    put(&memory, "new", &Entry::file("other\n"));
    let before = tree(&memory);
    let report = rebase(&memory, &id).report;
    assert_eq!(report.exit_code, 1);
    let problems: Vec<_> = report
        .problems
        .iter()
        .map(|it| (it.kind, it.path.clone().unwrap(), it.message.clone()))
        .collect();
    let created = "the edit session creates the file, and another change created it";
    let conflict = "the edit session and another change conflict at line 2";
    let expected = [("new", created), ("same", conflict)]
        .map(|(path, message)| (ProblemKind::Conflict, path.to_owned(), message.to_owned()));
    assert_eq!(problems, expected);
    assert_eq!((tree(&memory), sessions(&memory)), (before, vec![id]));
}

/// Returns a tree whose session has moved `same` to `other`, and changed line 2.
fn moved() -> (Memory, String) {
    let memory = memory();
    put(&memory, "same", &Entry::file(LINES));
    let id = begin(&memory);
    let patch = "diff --git a/same b/other\nrename from same\nrename to other\n--- a/same\n+++ \
                 b/other\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";
    assert!(step(&memory, &id, Request::of(patch)).report.ok);
    (memory, id)
}

#[test]
fn a_rebase_merges_a_moved_file() {
    let (memory, id) = moved();
    put(
        &memory,
        "same",
        &Entry::executable(LINES.replace('8', "eight")),
    );
    let error = commit(&memory, &id).report.error.unwrap();
    assert_eq!(
        (error.kind, error.path.as_deref()),
        (ProblemKind::Stale, Some("same"))
    );
    let outcome = rebase(&memory, &id);
    assert!(outcome.report.ok, "{:#?}", outcome.problems);
    let after = tree(&memory);
    let merged = LINES.replace('8', "eight").replace('2', "two");
    assert_eq!(after[&path("other")], Entry::executable(merged));
    assert!(!after.contains_key(&path("same")));
}

#[test]
fn a_rebase_of_a_moved_file_names_what_prevents_it() {
    let refused = |memory: &Memory, id: &str| {
        let before = tree(memory);
        let error = rebase(memory, id).report.error.unwrap();
        assert_eq!(
            (tree(memory), sessions(memory)),
            (before, vec![id.to_owned()])
        );
        (error.kind, error.path.unwrap(), error.message)
    };
    let (memory, id) = moved();
    put(&memory, "same", &Entry::file(LINES.replace('2', "zwei")));
    let (kind, at, message) = refused(&memory, &id);
    assert_eq!((kind, &*at), (ProblemKind::Conflict, "same"));
    assert!(message.ends_with("conflict at line 2"), "{message}");

    let (memory, id) = moved();
    memory.remove(&path("same")).unwrap();
    let (kind, at, message) = refused(&memory, &id);
    assert_eq!((kind, &*at), (ProblemKind::Conflict, "same"));
    assert!(message.ends_with("deleted or moved it"), "{message}");

    let (memory, id) = moved();
    put(&memory, "same", &Entry::file(LINES.replace('8', "eight")));
    put(&memory, "other", &Entry::file("mine\n"));
    let (kind, at, message) = refused(&memory, &id);
    assert_eq!((kind, &*at), (ProblemKind::Conflict, "other"));
    assert!(message.ends_with("another change created it"), "{message}");
}

#[test]
fn the_new_path_of_a_moved_file_may_have_its_content() {
    let content = LINES.replace('2', "two");
    let (memory, id) = moved();
    put(&memory, "other", &Entry::file(&*content));
    let outcome = commit(&memory, &id);
    assert!(outcome.report.ok, "{:#?}", outcome.problems);
    let after = tree(&memory);
    assert_eq!(after[&path("other")], Entry::file(&*content));
    assert!(!after.contains_key(&path("same")));

    // The old path may not have changed.
    let (memory, id) = moved();
    put(&memory, "other", &Entry::file(&*content));
    put(&memory, "same", &Entry::file(LINES.replace('8', "eight")));
    let before = tree(&memory);
    for (outcome, kind) in [
        (commit(&memory, &id), ProblemKind::Stale),
        (rebase(&memory, &id), ProblemKind::Conflict),
    ] {
        let error = outcome.report.error.unwrap();
        assert_eq!((error.kind, error.path.as_deref()), (kind, Some("same")));
    }
    assert_eq!(tree(&memory), before);
}

#[test]
fn files_that_already_have_their_new_state_are_no_conflict() {
    let (memory, id) = lines();
    let seen = seen(&memory, &id);
    put(&memory, "new", &Entry::file("new\n"));
    let outcome = commit(&memory, &id);
    assert!(
        outcome.report.ok && outcome.report.changed,
        "{:#?}",
        outcome.problems
    );
    assert_eq!(tree(&memory), seen);

    let (memory, id) = lines();
    put(&memory, "new", &Entry::file("new\n"));
    put(&memory, "same", &Entry::file(LINES.replace('2', "two")));
    let outcome = commit(&memory, &id);
    assert!(
        outcome.report.ok && !outcome.report.changed,
        "{:#?}",
        outcome.problems
    );
    let message = &outcome.report.problems[0].message;
    assert_eq!(
        message,
        "the tree already has all changes of the edit session"
    );
    assert!(sessions(&memory).is_empty());
}

#[test]
fn an_empty_merge_and_a_deletion_of_a_changed_file() {
    let memory = memory();
    let id = begin(&memory);
    let removal = PATCHES[0]
        .split("diff --git ")
        .find(|part| part.starts_with("a/dir/gone"))
        .unwrap();
    assert!(
        step(&memory, &id, Request::of(format!("diff --git {removal}")))
            .report
            .ok
    );
    put(&memory, "dir/gone", &Entry::file("changed\n"));
    for outcome in [commit(&memory, &id), rebase(&memory, &id)] {
        let error = outcome.report.error.unwrap();
        assert_eq!(
            (outcome.report.exit_code, error.path.as_deref()),
            (1, Some("dir/gone"))
        );
    }
    put(&memory, "dir/gone", &Entry::file("gone\n"));
    assert!(rebase(&memory, &id).report.ok);
    assert!(!tree(&memory).contains_key(&path("dir/gone")));
}

#[test]
fn a_checked_commit_has_the_plan_id_that_approves_it() {
    let (memory, id) = lines();
    let mut check = Request::commit_session(&id);
    check.look.describe = true;
    let checked = engine::check(check, &memory).report;
    assert!(checked.ok && sessions(&memory) == [id.clone()]);
    let mut approved = request(Request::commit_session(&id));
    approved.commit.approve = checked.plan_id.clone();
    assert!(step(&memory, &id, Request::write("late", "x")).report.ok);
    let refused = engine::apply(approved.clone(), &memory, &Interrupt::new()).report;
    assert_eq!(refused.error.unwrap().kind, ProblemKind::Stale);
}
