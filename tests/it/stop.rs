//! Interrupted requests end soon and leave the tree unchanged.

#[cfg(unix)]
mod signals;

use std::sync::Barrier;
use std::thread;
use std::time::SystemTime;

use wpatch::engine::options::WhitespaceAction;
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

/// Applies hunks. The signal arrives after `limit` reads of the interrupt. Returns the exit code, the
/// number of reads, and the number of reads after the signal.
fn applied(limit: usize, change: fn(&mut Request)) -> (i32, usize, usize) {
    let file = contents(20_000);
    let memory = Memory::with_files([(RelPath::new(b"x").unwrap(), Entry::file(file.as_str()))]);
    let mut request = Request::of(format!("--- a/x\n+++ b/x\n{}", hunks(20)));
    change(&mut request);
    let interrupt = Interrupt::with_read_limit(limit, 15);
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
        interrupt.reads().saturating_sub(limit),
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

/// Applies a patch with two hunks to a file of `size` bytes on disk. The signal arrives after
/// `limit` reads of the interrupt. Returns the exit code and the number of reads.
fn apply_to_large_file(size: usize, limit: usize) -> (i32, usize) {
    let line = format!("{}\n", "x".repeat(127));
    let before = line.repeat(size / line.len());
    let before_last = size / line.len() - 1;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("big");
    fs_err::write(&path, &before).unwrap();
    // The content of a file that was just written is verified again during the swap.
    let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    drop(file);
    let change = format!(
        "--- a/big\n+++ b/big\n@@ -1,2 +1,2 @@\n-{line}+first\n {line}@@ -{before_last},2 +{before_last},2 @@\n {line}-{line}+last\n"
    );
    let workspace = engine::open(directory.path()).unwrap();
    let interrupt = Interrupt::with_read_limit(limit, 15);
    let mut request = Request::of(change);
    // The search for white space errors runs at the same time as the swap.
    request.decide.whitespace = Some(WhitespaceAction::NoWarn);
    let report = engine::apply(request, &workspace, &interrupt).report;
    let after = fs_err::read_to_string(&path).unwrap();
    if report.exit_code == 0 {
        assert!(after.starts_with("first\n") && after.ends_with("\nlast\n"));
    } else {
        assert!(after == before, "after {limit} reads");
    }
    let names = fs_err::read_dir(directory.path()).unwrap().count();
    assert_eq!(names, 1, "scratch files remain after {limit} reads");
    (report.exit_code.into(), interrupt.reads())
}

#[test]
fn a_large_file_is_read_and_written_in_interruptible_parts() {
    const MEBIBYTE: usize = 1 << 20;
    // The file is read, digested and divided into lines, and the new file is written and digested.
    // Each of these five passes reads the interrupt once per 4 MiB.
    const ADDITIONAL_READS: usize = 5 * (16 - 8) / 4;
    // After the commit, the sweep and the end of the request read it.
    const READS_AFTER_COMMIT: usize = 2;
    let (exit_code, reads_of_small) = apply_to_large_file(8 * MEBIBYTE, usize::MAX);
    assert_eq!(exit_code, 0);
    let size = 16 * MEBIBYTE;
    let (exit_code, reads) = apply_to_large_file(size, usize::MAX);
    assert_eq!(exit_code, 0);
    assert_eq!(reads, reads_of_small + ADDITIONAL_READS);
    for limit in 0..reads {
        let expected = if limit < reads - READS_AFTER_COMMIT {
            128 + 15
        } else {
            0
        };
        let (exit_code, _) = apply_to_large_file(size, limit);
        assert_eq!(exit_code, expected, "after {limit} of {reads} reads");
    }
}

#[test]
fn a_change_of_many_files_ends_wherever_a_signal_arrives() {
    const FILES: usize = 6_000;
    let path = |number| RelPath::new(format!("f{number}").as_bytes()).unwrap();
    let change: Vec<_> = (0..FILES)
        .map(|number| format!("--- a/f{number}\n+++ b/f{number}\n@@ -1 +1 @@\n-a\n+b\n"))
        .collect();
    let change = change.concat();
    let applied = |limit| {
        let memory =
            Memory::with_files((0..FILES).map(|number| (path(number), Entry::file("a\n"))));
        let interrupt = Interrupt::with_read_limit(limit, 15);
        let report = engine::apply(Request::of(change.clone()), &memory, &interrupt).report;
        let files = memory.files();
        let count = (0..FILES)
            .filter(|&number| files[&path(number)].contents == b"b\n")
            .count();
        assert_eq!(
            count,
            if report.exit_code == 0 { FILES } else { 0 },
            "after {limit} reads"
        );
        (report.exit_code, interrupt.reads())
    };
    let (exit_code, reads) = applied(usize::MAX);
    assert_eq!(exit_code, 0);
    // The first reads are those of the lock, the groups, the policy and the findings.
    for limit in (0..12).chain([reads / 4, reads / 2]) {
        assert_eq!(applied(limit).0, 128 + 15, "after {limit} of {reads} reads");
    }
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
