//! A signal that comes while hunks are looked for: the search ends, and the tree is as it was.

use std::sync::Barrier;
use std::thread;

use wpatch::engine::{self, Outcome, Request};
use wpatch::matching::ConflictStyle;
use wpatch::path::RelPath;
use wpatch::plan::{EditTarget, MatchMode, ReplaceCount, Replacement, Replacements};
use wpatch::progress::Progress;
use wpatch::transaction::Interrupt;
use wpatch::workspace::disk::Disk;
use wpatch::workspace::memory::{Entry, Memory};

/// A file of many lines that are alike.
fn contents(lines: usize) -> String {
    (0..lines)
        .map(|line| if line % 2 == 0 { "a\n" } else { "b\n" })
        .collect()
}

/// Hunks of different lengths that fit nowhere.
fn hunks(count: usize) -> String {
    let hunk = |number: usize| {
        let lines = " a\n b\n".repeat(number);
        format!(
            "@@ -{0},{1} +{0},{1} @@\n{lines}-c{number}\n+c\n",
            number * 40 + 1,
            2 * number + 1
        )
    };
    (1..=count).map(hunk).collect()
}

/// Applies hunks with so much patience; returns the exit code, how often it was asked, and how
/// often more than it had to.
fn applied(patience: usize, change: fn(&mut Request)) -> (i32, usize, usize) {
    let file = contents(20_000);
    let memory = Memory::with_files([(RelPath::new(b"x").unwrap(), Entry::file(file.as_str()))]);
    let mut request = Request::of(format!("--- a/x\n+++ b/x\n{}", hunks(20)));
    change(&mut request);
    let interrupt = Interrupt::with_read_limit(patience, 15);
    let report = engine::apply(request, &memory, &interrupt).report;
    if report.exit_code == 128 + 15 {
        assert!(!report.changed);
        assert_eq!(
            memory.files()[&RelPath::new(b"x").unwrap()].contents,
            file.as_bytes()
        );
    }
    (
        report.exit_code.into(),
        interrupt.reads(),
        interrupt.reads().saturating_sub(patience),
    )
}

#[test]
fn a_search_ends_wherever_a_signal_comes() {
    let ways: [fn(&mut Request); 5] = [
        |_| {},
        |request| request.decide.merge_hunks = Some(ConflictStyle::Sides),
        |request| request.decide.reject = true,
        |request| request.decide.fuzz = 2,
        |request| request.decide.match_mode = MatchMode::Ladder,
    ];
    for (nth, change) in ways.into_iter().enumerate() {
        let (exit_code, most, _) = applied(usize::MAX, change);
        assert_eq!(exit_code, 1, "{nth}");
        assert!(most > 50, "{nth}: it was asked {most} times");
        // At its last reads, a request that writes rejected hunks is complete.
        for patience in (0..most - 3).step_by(most / 4) {
            let (exit_code, _, later) = applied(patience, change);
            assert!(
                exit_code == 128 + 15 && later < 50,
                "{nth}: {exit_code} after {patience} of {most}, {later} more"
            );
        }
    }
}

#[test]
fn a_search_for_the_texts_of_edits_ends_wherever_a_signal_comes() {
    const EDITS: usize = 60;
    let file: Vec<_> = (0..2000).map(|line| format!("line {line}\n")).collect();
    let file = file.concat();
    let ways: [fn(&mut Request); 4] = [
        |_| {},
        |request| request.decide.idempotent = true,
        |request| request.decide.match_mode = MatchMode::Ladder,
        |request| request.decide.lenient = true,
    ];
    for (nth, change) in ways.into_iter().enumerate() {
        let applied = |patience| {
            let path = RelPath::new(b"x").unwrap();
            let memory = Memory::with_files([(path.clone(), Entry::file(file.as_str()))]);
            let edit = |number| {
                let old = format!("line {number}\nno {number}\n").into_bytes();
                let times = ReplaceCount::Once;
                Replacement::of(EditTarget::Text { old, times }, "new\n")
            };
            let edits = Replacements::of((0..EDITS).map(edit).collect());
            let mut request = Request::edits("x", edits);
            change(&mut request);
            let interrupt = Interrupt::with_read_limit(patience, 15);
            let report = engine::apply(request, &memory, &interrupt).report;
            assert!(!report.changed && memory.files()[&path].contents == file.as_bytes());
            (report.exit_code, interrupt.reads())
        };
        let (exit_code, most) = applied(usize::MAX);
        assert_eq!(exit_code, 1, "{nth}");
        assert!(most > EDITS, "{nth}: it was asked {most} times");
        for patience in (0..most - 1).step_by(most / 4) {
            let (exit_code, reads) = applied(patience);
            let later = reads.saturating_sub(patience);
            assert!(
                exit_code == 128 + 15 && later < 2 * EDITS,
                "{nth}: {exit_code} after {patience} of {most}, {later} more"
            );
        }
    }
}

#[test]
fn an_interrupt_cancels_its_own_request_and_no_other_of_the_process() {
    let path = RelPath::new(b"x").unwrap();
    let file = contents(20_000);
    let (interrupts, start) = (
        [Interrupt::with_read_limit(20, 15), Interrupt::new()],
        Barrier::new(2),
    );
    let run = |interrupt: &Interrupt| {
        let memory = Memory::with_files([(path.clone(), Entry::file(file.as_str()))]);
        let mut request = Request::of(format!(
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n{}",
            hunks(20)
        ));
        request.decide.reject = true;
        start.wait();
        let report = engine::apply(request, &memory, interrupt).report;
        (
            report.exit_code,
            report.changed,
            memory.files()[&path].contents.starts_with(b"c\nb\na\n"),
        )
    };
    let [cancelled, complete] = thread::scope(|scope| {
        let run = &run;
        interrupts
            .each_ref()
            .map(|interrupt| scope.spawn(move || run(interrupt)))
            .map(|run| run.join().unwrap())
    });
    assert_eq!(cancelled, (128 + 15, false, false));
    assert_eq!(complete, (1, true, true));
}

#[test]
fn the_values_of_a_request_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Interrupt>();
    shared::<Request>();
    shared::<Outcome>();
    shared::<Memory>();
    shared::<Disk>();
    shared::<Progress>();
}

#[test]
fn an_interrupted_undo_reports_the_signal() {
    let name = RelPath::new(b"x").unwrap();
    let memory = Memory::with_files([
        (name.clone(), Entry::file("a\n")),
        (
            RelPath::new(b".git/HEAD").unwrap(),
            Entry::file("ref: refs/heads/main\n"),
        ),
    ]);
    let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let never = Interrupt::new();
    assert!(engine::apply(Request::of(patch), &memory, &never).report.ok);
    let mut signals = 0;
    for patience in 0..200 {
        let interrupt = Interrupt::with_read_limit(patience, 15);
        let report = engine::apply(
            Request::undo(engine::UndoTarget::Last(1)),
            &memory,
            &interrupt,
        )
        .report;
        let contents = memory.files()[&name].contents.clone();
        if report.exit_code == 0 {
            assert_eq!(contents, b"a\n");
            break;
        }
        assert_eq!(
            report.exit_code,
            128 + 15,
            "after {patience}: {:?}",
            report.error
        );
        assert_eq!(contents, b"b\n");
        signals += 1;
    }
    assert!(signals > 2, "{signals}");
}
