//! What `--recount` made of the headers of hunks.

use super::hunks;
use crate::plan::{Edit, Name, Plan, Repair};

const MESSAGE: &str = "the header of the hunk counted its lines wrongly; they were counted again";

/// Notes each hunk whose lines were counted otherwise than its header says as a repair of its input.
pub(super) fn note(plan: &mut Plan<Name>) {
    let mut last = usize::MAX;
    let (mut offset, mut line) = (0, 1);
    for operation in &plan.operations {
        let Edit::Hunks(hunks) = &operation.edit else { continue };
        let input = &mut plan.inputs[operation.input];
        if last != operation.input {
            (last, offset, line) = (operation.input, 0, 1);
        }
        for hunk in hunks.iter().filter(|hunk| hunk.anchor.is_numbered()) {
            if hunks::is_miscounted(&input.bytes, hunk) {
                let start = input.original_offset(hunk.header.start).max(offset);
                line += memchr::memchr_iter(b'\n', &input.original()[offset..start]).count();
                offset = start;
                input.repairs.push(Repair { code: "counts", line, message: MESSAGE, section: Some(hunk.span) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::{Options, chosen, parse};

    #[test]
    fn headers_that_count_wrongly_are_told_with_their_lines() {
        let hunk = |header: &str, old: &str| format!("{header}\n-{old}\n+x\n");
        let head = "--- a/a\n+++ b/a\n";
        let text = [head, &hunk("@@ -1,2 +1 @@", "1"), &hunk("@@ -3 +3 @@", "3"), &hunk("@@ -5 +5,4 @@", "5")].concat();
        let lines = |recount| {
            let options = Options { recount, ..Options::default() };
            let plan = parse("-", text.clone(), &chosen("auto"), options).ok()?;
            Some(plan.inputs[0].repairs.iter().map(|repair| (repair.code, repair.line)).collect::<Vec<_>>())
        };
        assert_eq!((lines(true), lines(false)), (Some(vec![("counts", 3), ("counts", 9)]), None));
    }
}
