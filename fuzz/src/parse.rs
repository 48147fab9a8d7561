//! The law of the parsers: any text is read or refused, and every place that is named lies in the
//! text.

use wpatch::plan::{self, Direction, Edit, Hunk, HunkLine, LineKind, Selection};
use wpatch::syntax::{self, Options};
use wpatch::text::Span;

/// Reads `bytes` as a patch in `format` in every way, and looks at everything that comes of it.
///
/// # Panics
///
/// If the law does not hold.
pub fn read(format: &str, bytes: &[u8]) {
    for is_easy in [false, true] {
        let among = syntax::select_syntaxes(format);
        let options = Options {
            recount: is_easy,
            lenient: is_easy,
            ..Options::default()
        };
        let plan = match syntax::parse("fuzz", bytes.to_vec(), &among, options) {
            Ok(plan) => plan,
            Err(broken) => {
                inside(broken.error.span, bytes);
                continue;
            }
        };
        assert!(!plan.operations.is_empty(), "read, and nothing is in it");
        for operation in &plan.operations {
            // A diff in a string of JSON is a text of its own.
            let bytes = &plan.inputs[operation.input].bytes[..];
            inside(operation.span, bytes);
            if let Edit::Lines(changes) = &operation.edit {
                let spans = changes
                    .edits
                    .iter()
                    .map(|edit| edit.span)
                    .chain(changes.repairs.iter().map(|(_, at)| *at));
                spans.for_each(|span| inside(span, bytes));
            }
            let Edit::Hunks(hunks) = &operation.edit else {
                continue;
            };
            for hunk in hunks {
                for span in [hunk.span, hunk.header, hunk.body, hunk.section] {
                    inside(span, bytes);
                }
                has_stated_lines(hunk, bytes);
            }
        }
        for direction in [Direction::Forward, Direction::Reverse] {
            let strip = Some(usize::from(is_easy));
            let _ = plan::select(
                plan.clone(),
                &Selection {
                    strip,
                    direction,
                    ..Selection::default()
                },
            );
        }
    }
}

/// Checks that the lines of `hunk` are as many as its header states.
fn has_stated_lines(hunk: &Hunk, text: &[u8]) {
    for direction in [Direction::Forward, Direction::Reverse] {
        let count = |(old, new), line: HunkLine<'_>| match line.kind {
            LineKind::Context => (old + 1, new + 1),
            LineKind::Deletion => (old + 1, new),
            _ => (old, new + 1),
        };
        let sides = hunk.lines(text, direction).fold((0, 0), count);
        let stated = (
            hunk.preimage_range(direction).count,
            hunk.postimage_range(direction).count,
        );
        assert_eq!(sides, stated, "{hunk:?}");
    }
}

fn inside(span: Span, text: &[u8]) {
    assert!(
        span.start <= span.end && span.end <= text.len(),
        "{span:?} of {}",
        text.len()
    );
}
