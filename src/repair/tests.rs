//! Tests of the budget of an input: it limits the work.

use super::error::PlacementError;
use super::lines::FileLines;
use super::place::place;
use super::testing::costly;
use super::{RepairLog, StepBudget, read};

#[test]
fn each_line_that_is_read_is_a_step() {
    for (name, content, patch) in costly() {
        let mut log = RepairLog::default();
        let sections = read::read(patch.as_bytes(), None, None, &mut log).unwrap();
        let file = FileLines::of(content.as_bytes(), &mut log).unwrap();
        for chunk in &sections[0].hunks {
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
    const MAX: u64 = 30_000;
    for (name, content, patch) in costly() {
        let mut log = RepairLog::with_work(StepBudget::with_limit(MAX));
        let sections = read::read(patch.as_bytes(), None, None, &mut log).unwrap();
        let file = FileLines::of(content.as_bytes(), &mut log).unwrap();
        let place = |chunk| place(&file, chunk, (0, false), &mut log);
        let found: Vec<_> = sections[0].hunks.iter().map(place).collect();
        // The step that exceeds the budget can be one search through the whole file.
        assert!(
            file.reads.get() as u64 <= MAX + 600,
            "{name}: {}",
            file.reads.get()
        );
        let end = found
            .iter()
            .position(|one| matches!(one, Err(PlacementError::BudgetExceeded)))
            .unwrap_or(found.len());
        assert!(
            found[end..].iter().all(|one| matches!(
                one,
                Err(PlacementError::BudgetExceeded | PlacementError::NoChange)
            )),
            "{name}"
        );
    }
}
