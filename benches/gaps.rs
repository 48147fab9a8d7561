//! Measures how long a change can continue after a signal.
//!
//! `gaps TREE PATCH` applies the patch. Each row is the longest time between two reads of the
//! interrupt by any thread, under the phase of the second read. The row `end` is the time after the
//! last read. In the program, a signal before the lock ends the process at once, unless a report was
//! requested. The rows of that time then do not apply.

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

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [tree, patch] = &arguments[..] else {
        return Err("usage: gaps TREE PATCH".into());
    };
    let mut request = Request::of(fs_err::read(patch)?);
    // The sizes of sizes.sh exceed the default limits.
    request.decide.max_files = usize::MAX;
    request.decide.max_file = u64::MAX;
    request.look.is_brief = true;
    // The search for white space errors reads the interrupt in a thread of its own during the swap.
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
