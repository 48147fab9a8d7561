//! Measures how long a change can continue after a signal.
//!
//! `gaps TREE PATCH` applies the patch, and `gaps TREE PATCH report` also computes digests and diffs
//! for a report. Each row is the longest time in which no thread read the interrupt, under the phase
//! of the read that ended it. Reads of one thread can hide that another thread reads none. The row
//! `end` is the time after the last read. Without a report, a signal before the lock ends the program
//! at once, so the row of that time does not apply then.

#![allow(clippy::print_stdout, reason = "the program prints a table")]

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use wpatch::engine::options::WhitespaceAction;
use wpatch::engine::{self, Request};
use wpatch::progress::{Phase, Progress};
use wpatch::transaction::{Durability, Interrupt};

/// The last read, and the longest time before a read in each phase.
struct Gaps {
    last: Instant,
    rows: Vec<(Phase, Duration)>,
}

impl Gaps {
    /// Records a read in `phase`.
    fn record(&mut self, phase: Phase) {
        let gap = self.last.elapsed();
        self.last = Instant::now();
        match self.rows.iter_mut().find(|row| row.0 == phase) {
            Some(row) => row.1 = row.1.max(gap),
            None => self.rows.push((phase, gap)),
        }
    }
}

const USAGE: &str = "usage: gaps TREE PATCH [report]";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (tree, patch, has_report) = match &arguments[..] {
        [tree, patch] => (tree, patch, false),
        [tree, patch, word] if word == "report" => (tree, patch, true),
        _ => return Err(USAGE.into()),
    };
    let mut request = Request::of(fs_err::read(patch)?);
    // The sizes of sizes.sh exceed the default limits.
    request.decide.max_files = usize::MAX;
    request.decide.max_file = u64::MAX;
    request.look.is_brief = !has_report;
    request.look.describe = has_report;
    request.look.diff = has_report;
    request.look.max_diff = 1 << 20;
    // During the swap, another thread searches for white space errors. Its reads would hide those of
    // the swap.
    request.decide.whitespace = Some(WhitespaceAction::NoWarn);
    request.commit.transaction.durability = Durability::None;
    let progress = Progress::with_state();
    request.look.progress = progress.clone();
    let workspace = engine::open(Path::new(tree))?;
    let gaps = Arc::new(Mutex::new(Gaps {
        last: Instant::now(),
        rows: Vec::new(),
    }));
    let record = {
        let gaps = Arc::clone(&gaps);
        move || {
            if let Ok(mut gaps) = gaps.lock() {
                gaps.record(progress.state().phase);
            }
            None
        }
    };
    let outcome = engine::apply(request, &workspace, &Interrupt::new().with_source(record));
    let gaps = gaps.lock().map_err(|_| "a thread panicked")?;
    for (phase, gap) in &gaps.rows {
        println!(
            "{:>16} {:8.1} ms",
            format!("{phase:?}"),
            gap.as_secs_f64() * 1e3
        );
    }
    println!(
        "{:>16} {:8.1} ms",
        "end",
        gaps.last.elapsed().as_secs_f64() * 1e3
    );
    outcome.into_result()?;
    Ok(())
}
