//! Compares the counts of hunk headers with the lines found under `--recount`.

use super::{SyntaxError, SyntaxErrorKind, hunks};
use crate::plan::{Edit, Name, Plan, Repair};

const MESSAGE: &str = "the line counts in the hunk header were wrong and were corrected";

/// Adds a repair to the input for each hunk whose header states wrong counts.
pub(super) fn record_repairs(plan: &mut Plan<Name>) {
    let mut last = usize::MAX;
    let (mut offset, mut line) = (0, 1);
    for operation in &plan.operations {
        let Edit::Hunks(hunks) = &operation.edit else {
            continue;
        };
        let input = &mut plan.inputs[operation.input];
        if last != operation.input {
            (last, offset, line) = (operation.input, 0, 1);
        }
        for hunk in hunks.iter().filter(|hunk| hunk.anchor.is_numbered()) {
            if hunks::is_miscounted(&input.bytes, hunk) {
                // The operations are in the order of the text, so each newline is counted
                // only once.
                let start = input.original_offset(hunk.header.start).max(offset);
                line += memchr::memchr_iter(b'\n', &input.original()[offset..start]).count();
                offset = start;
                input.repairs.push(Repair {
                    code: "counts",
                    line,
                    message: MESSAGE,
                    section: Some(hunk.span),
                });
            }
        }
    }
}

/// Returns an error and the number of its input if the last hunk of an input has fewer lines than
/// its header states. A closing line after the hunk shows that the patch is complete.
pub(super) fn find_truncation(plan: &Plan<Name>) -> Option<(usize, SyntaxError)> {
    (0..plan.inputs.len()).find_map(|input| {
        let operation = plan
            .operations
            .iter()
            .rev()
            .find(|operation| operation.input == input)?;
        let Edit::Hunks(hunks) = &operation.edit else {
            return None;
        };
        let (hunk, text) = (
            hunks.last().filter(|hunk| hunk.anchor.is_numbered())?,
            &plan.inputs[input].bytes,
        );
        let (promised, found) = (
            hunks::header_counts(text, hunk)?,
            (hunk.old.count, hunk.new.count),
        );
        let is_short = promised != found && promised.0 >= found.0 && promised.1 >= found.1;
        let is_cut = is_short && !is_closing(text.get(hunk.body.end..).unwrap_or_default());
        let kind = SyntaxErrorKind::Truncated {
            hunk: hunks.len(),
            promised,
            found,
        };
        is_cut.then(|| (input, SyntaxError::new(kind, hunk.header)))
    })
}

/// Returns whether `rest` starts with a line that ends a patch: a mail signature, a code fence, or
/// a tag.
fn is_closing(rest: &[u8]) -> bool {
    let line = rest.trim_ascii_start();
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    line.trim_ascii_end() == b"--"
        || [&b"```"[..], b"~~~", b"</"]
            .iter()
            .any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use crate::syntax::{Options, TruncationHandling, parse, select_syntaxes};

    #[test]
    fn headers_that_count_wrongly_are_told_with_their_lines() {
        let hunk = |header: &str, old: &str| format!("{header}\n-{old}\n+x\n");
        let head = "--- a/a\n+++ b/a\n";
        let text = [
            head,
            &hunk("@@ -1,2 +1 @@", "1"),
            &hunk("@@ -3 +3 @@", "3"),
            &hunk("@@ -5 +5,4 @@", "5"),
            "```\n",
        ]
        .concat();
        let lines = |recount| {
            let options = Options {
                recount,
                ..Options::default()
            };
            let plan = parse("-", text.clone(), &select_syntaxes("auto"), options).ok()?;
            Some(
                plan.inputs[0]
                    .repairs
                    .iter()
                    .map(|repair| (repair.code, repair.line))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            (lines(true), lines(false)),
            (Some(vec![("counts", 3), ("counts", 9)]), None)
        );
    }

    #[test]
    fn a_patch_that_ends_too_early_is_not_recounted() {
        let options = Options {
            recount: true,
            ..Options::default()
        };
        let is_read = |text: &str, options| {
            parse("-", text.to_owned(), &select_syntaxes("auto"), options).is_ok()
        };
        let (head, body) = ("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n", " a\n-b\n+B\n c\n");
        for end in 4..body.len() {
            let text = [head, &body[..end]].concat();
            assert!(!is_read(&text, options), "{text}");
            let is_display = Options {
                truncated: TruncationHandling::Read,
                ..options
            };
            assert_eq!(
                is_read(&text, is_display),
                text.ends_with('\n') && end > 3,
                "{text}"
            );
        }
        for rest in [
            "-- \n2.39\n",
            "```\n",
            "</patch>\n",
            "@@ -7 +7 @@\n-x\n+y\n",
        ] {
            assert!(
                is_read(&[head, " a\n-b\n", rest].concat(), options),
                "{rest}"
            );
        }
        assert!(!is_read(
            &[head, " a\n-b\n\nThat is all.\n"].concat(),
            options
        ));
    }
}
