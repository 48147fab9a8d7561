//! A signal that comes while hunks are looked for: the search ends, and the tree is as it was.

use std::cell::Cell;

use wpatch::engine::{self, Request};
use wpatch::matching::ConflictStyle;
use wpatch::path::RelPath;
use wpatch::plan::Closeness;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

thread_local! {
    static INTERRUPT: Interrupt = const { Interrupt::new() };
    /// How often it may be asked before the signal comes.
    static PATIENCE: Cell<usize> = const { Cell::new(0) };
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn is_stopped() -> bool {
    ASKED.set(ASKED.get() + 1);
    if ASKED.get() > PATIENCE.get() {
        INTERRUPT.with(|interrupt| interrupt.raise(15));
    }
    INTERRUPT.with(|interrupt| interrupt.signal().is_some())
}

/// A file of many lines that are alike.
fn contents(lines: usize) -> String {
    (0..lines).map(|line| if line % 2 == 0 { "a\n" } else { "b\n" }).collect()
}

/// Hunks of different lengths that fit nowhere.
fn hunks(count: usize) -> String {
    let hunk = |number: usize| {
        let lines = " a\n b\n".repeat(number);
        format!("@@ -{0},{1} +{0},{1} @@\n{lines}-c{number}\n+c\n", number * 40 + 1, 2 * number + 1)
    };
    (1..=count).map(hunk).collect()
}

/// Applies hunks with so much patience; returns the exit code, how often it was asked, and how often more than it had to.
fn applied(patience: usize, change: fn(&mut Request)) -> (i32, usize, usize) {
    let file = contents(20_000);
    let memory = Memory::with_files([(RelPath::new(b"x").unwrap(), Entry::file(file.as_str()))]);
    let mut request = Request::of(format!("--- a/x\n+++ b/x\n{}", hunks(20)));
    request.context.is_stopped = is_stopped;
    change(&mut request);
    INTERRUPT.with(|interrupt| interrupt.raise(0));
    PATIENCE.set(patience);
    ASKED.set(0);
    let report = INTERRUPT.with(|interrupt| engine::apply(request, &memory, interrupt)).report;
    if report.exit_code == 128 + 15 {
        assert!(!report.changed);
        assert_eq!(memory.files()[&RelPath::new(b"x").unwrap()].contents, file.as_bytes());
    }
    (report.exit_code.into(), ASKED.get(), ASKED.get().saturating_sub(patience))
}

#[test]
fn a_search_ends_wherever_a_signal_comes() {
    let ways: [fn(&mut Request); 5] = [
        |_| {},
        |request| request.decide.merge_hunks = Some(ConflictStyle::Sides),
        |request| request.decide.reject = true,
        |request| request.decide.fuzz = 2,
        |request| request.decide.closeness = Closeness::Ladder,
    ];
    for (nth, change) in ways.into_iter().enumerate() {
        let (exit_code, most, _) = applied(usize::MAX, change);
        assert_eq!(exit_code, 1, "{nth}");
        assert!(most > 50, "{nth}: it was asked {most} times");
        for patience in (0..most).step_by(most / 2) {
            let (exit_code, _, later) = applied(patience, change);
            assert!(exit_code == 128 + 15 && later < 50, "{nth}: {exit_code} after {patience} of {most}, {later} more");
        }
    }
}
