//! Finding the places of hunks: where they are said to be, shifted, and nowhere.

use divan::{Bencher, black_box};
use wpatch::matching::{LineOffsets, MatchRules, place_hunks, splice};
use wpatch::plan::{Anchor, Direction, Hunk, LineRange};
use wpatch::text::Span;

/// Lines of the file, and how many lines lie from hunk to hunk.
const LINES: usize = 1_000_000;
const STRIDE: usize = 20;

fn main() {
    divan::main();
}

/// A file, the text of a patch, and its hunks.
struct Work {
    file: Vec<u8>,
    text: Vec<u8>,
    hunks: Vec<Hunk>,
}

/// A file of lines out of `distinct` ones, and `count` hunks that say that they are `shift` lines
/// further down.
fn work(distinct: usize, count: usize, shift: usize, is_misfit: bool) -> Work {
    let line = |number: usize| {
        format!(
            "    value_{} = compute({});\n",
            number % distinct,
            number % distinct
        )
    };
    let file = (0..LINES).map(line).collect::<String>().into_bytes();
    let mut work = Work {
        file,
        text: Vec::new(),
        hunks: Vec::new(),
    };
    for nth in 0..count {
        let first = nth * STRIDE + STRIDE / 2;
        let start = work.text.len();
        for number in first..first + 7 {
            let marker = if number == first + 3 { '-' } else { ' ' };
            let content = if is_misfit {
                "never\n".to_owned()
            } else {
                line(number)
            };
            work.text
                .extend_from_slice(format!("{marker}{content}").as_bytes());
            if marker == '-' {
                work.text.extend_from_slice(b"+changed\n");
            }
        }
        let (body, header) = (Span::new(start, work.text.len()), Span::new(start, start));
        let old = LineRange {
            start: first + 1 + shift,
            count: 7,
        };
        work.hunks.push(Hunk {
            anchor: Anchor::Line,
            span: body,
            header,
            body,
            old,
            new: old,
            section: header,
            selection: None,
        });
    }
    work
}

fn locate(bencher: Bencher<'_, '_>, work: &Work) {
    let rules = MatchRules::default();
    bencher.bench(|| {
        place_hunks(
            &LineOffsets::new(black_box(&work.file)),
            &work.text,
            &work.hunks,
            Direction::Forward,
            &rules,
        )
    });
}

#[divan::bench(sample_count = 10)]
fn one_hunk_in_its_place(bencher: Bencher<'_, '_>) {
    locate(bencher, &work(LINES, 1, 0, false));
}

#[divan::bench(sample_count = 10)]
fn one_hunk_that_fits_nowhere(bencher: Bencher<'_, '_>) {
    locate(bencher, &work(LINES, 1, 0, true));
}

#[divan::bench(sample_count = 5, args = [LINES, 50])]
fn many_hunks_in_their_places(bencher: Bencher<'_, '_>, distinct: usize) {
    locate(bencher, &work(distinct, 49_999, 0, false));
}

#[divan::bench(sample_count = 5, args = [LINES, 50])]
fn many_hunks_shifted(bencher: Bencher<'_, '_>, distinct: usize) {
    locate(bencher, &work(distinct, 49_999, 3, false));
}

#[divan::bench(sample_count = 5, args = [LINES, 50])]
fn many_hunks_that_fit_nowhere(bencher: Bencher<'_, '_>, distinct: usize) {
    locate(bencher, &work(distinct, 49_999, 0, true));
}

#[divan::bench(sample_count = 5)]
fn many_hunks_spliced(bencher: Bencher<'_, '_>) {
    let work = work(LINES, 49_999, 0, false);
    let placements = place_hunks(
        &LineOffsets::new(&work.file),
        &work.text,
        &work.hunks,
        Direction::Forward,
        &MatchRules::default(),
    );
    let placements: Vec<_> = placements.into_iter().filter_map(Result::ok).collect();
    bencher.bench(|| {
        splice(
            &work.file,
            &work.text,
            &work.hunks,
            Direction::Forward,
            &placements,
        )
    });
}
