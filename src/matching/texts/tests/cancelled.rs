//! Tests for cancelled searches.

use super::*;

#[test]
fn a_raised_interrupt_ends_the_search() {
    let edits: Vec<_> = (0..100)
        .map(|number| {
            let old = format!("line {number}\nno\n").into_bytes();
            let target = EditTarget::Text {
                old,
                times: ReplaceCount::Once,
            };
            edit(target, "new\n")
        })
        .collect();
    let file: Vec<u8> = (0..100)
        .flat_map(|number| format!("line {number}\n").into_bytes())
        .collect();
    for order in [EditOrder::Simultaneous, EditOrder::Sequential] {
        let wanted = Replacements {
            order,
            ..Replacements::of(edits.clone())
        };
        let misfits = |patience| {
            let interrupt = Interrupt::with_read_limit(patience, 15);
            let misplaced = replace(&file, &wanted, u64::MAX, &interrupt).unwrap_err();
            (misplaced.mismatches, interrupt.reads())
        };
        let (complete, reads) = misfits(usize::MAX);
        assert!(
            complete.len() == 100
                && complete
                    .iter()
                    .all(|misfit| misfit.mismatch.nearest.is_some())
        );
        assert!(reads > 200, "{reads}");
        for patience in [0, 1, 10, 150] {
            let (cancelled, reads) = misfits(patience);
            assert!(
                cancelled.len() <= 1 + patience && reads < patience + 10,
                "{patience}: {reads}"
            );
            assert!(cancelled.last().unwrap().mismatch.nearest.is_none());
        }
    }
}
