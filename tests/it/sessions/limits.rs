//! Damaged and old sessions, and trees that can have none.

use super::*;

#[test]
fn a_damaged_session_is_reported_and_others_are_usable() {
    let memory = memory();
    let (good, bad) = (begin(&memory), begin(&memory));
    assert!(
        step(&memory, &good, Request::edit("same", "same", "x"))
            .report
            .ok
    );
    let document = path(&format!(".wpatch/session-{bad}/session"));
    let mut entry = memory.files()[&document].clone();
    entry.contents.push(b'x');
    memory.put(&document, &entry);
    let log = engine::log(&memory, &Arc::default()).unwrap();
    let damage: Vec<_> = log.sessions.iter().map(|it| it.damage.is_some()).collect();
    assert_eq!(damage, [true, false]);
    let refused = commit(&memory, &bad);
    let message = refused.report.error.unwrap().message;
    assert!(message.contains("the edit session is damaged"), "{message}");
    assert_eq!(refused.report.exit_code, 4);
    assert!(commit(&memory, &good).report.ok);
    assert!(
        engine::abort(&bad, &memory, OPTIONS, &Interrupt::new())
            .report
            .ok
    );
    assert!(sessions(&memory).is_empty());
}

#[test]
fn gc_removes_sessions_over_the_age_and_a_tree_without_history_has_none() {
    let memory = memory();
    begin(&memory);
    assert!(engine::gc(&memory, OPTIONS, &Interrupt::new()).report.ok);
    assert_eq!(sessions(&memory).len(), 1);
    let options = Options {
        history: HistoryLimits {
            age: std::time::Duration::ZERO,
            ..OPTIONS.history
        },
        ..OPTIONS
    };
    let report = engine::gc(&memory, options, &Interrupt::new()).report;
    assert!(sessions(&memory).is_empty());
    let messages: Vec<_> = report.problems.iter().map(|it| &*it.message).collect();
    assert_eq!(messages, ["1 edit sessions were removed"]);

    let plain = Memory::with_files([(path("a"), Entry::file("x"))]);
    let refused = engine::begin(None, &plain, OPTIONS, &Interrupt::new());
    let error = refused.report.error.unwrap();
    assert_eq!(error.kind, ProblemKind::Unsupported);
    assert!(error.help.unwrap().contains("wpatch init"));
}
