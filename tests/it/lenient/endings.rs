//! Line endings of new lines: a repaired hunk has those of the same hunk without mistakes.

use super::strict::strictly;
use super::*;

/// The signs and texts of the lines of a hunk for the lines `a` to `f` of a file, and the line at
/// which it starts.
const HUNKS: &[(usize, &[&str])] = &[
    (1, &["-a", "+A", " b", " c"]),
    (1, &["+0", " a", " b", " c"]),
    (2, &[" b", "-c", "+C", "+x", " d"]),
    (2, &[" b", "-c", "-d", "+C", " e"]),
    (2, &[" b", " c", "+x", "+", " d"]),
    (3, &[" c", "+x", " d", "-e", "+E", " f"]),
    (4, &[" d", " e", "-f", "+F"]),
    (4, &[" d", " e", " f", "+g", "+h"]),
];

/// Returns the text of lines, each with LF or with CR LF as the bits of `returns` state.
fn text<'l>(lines: impl IntoIterator<Item = &'l str>, returns: usize) -> String {
    let ending = |index| {
        if returns >> index & 1 == 1 {
            "\r\n"
        } else {
            "\n"
        }
    };
    lines
        .into_iter()
        .enumerate()
        .flat_map(|(index, line)| [line, ending(index)])
        .collect()
}

/// Returns a hunk whose old lines are those of `file`, and whose header is wrong by `off` lines.
/// Each new line has LF or CR LF as the bits of `returns` state.
fn hunk((start, body): (usize, &[&str]), file: &str, off: usize, returns: usize) -> String {
    let mut old = file.split_inclusive('\n').skip(start - 1);
    let (mut count, mut new_count, mut lines) = (0, 0, String::new());
    for (index, line) in body.iter().enumerate() {
        let is_new = line.starts_with('+');
        count += usize::from(!is_new);
        new_count += usize::from(!line.starts_with('-'));
        if is_new {
            lines += &text([*line], returns >> index);
        } else {
            lines.extend([&line[..1], old.next().unwrap()]);
        }
    }
    let start = start + off;
    format!("@@ -{start},{count} +{start},{new_count} @@\n{lines}")
}

/// Returns a diff with `hunk`.
fn diff(hunk: &str, is_git: bool) -> String {
    let name = "dir/file.txt";
    let git = if is_git {
        format!("diff --git a/{name} b/{name}\n")
    } else {
        String::new()
    };
    format!("{git}--- a/{name}\n+++ b/{name}\n{hunk}")
}

#[test]
fn a_hunk_with_a_wrong_number_has_the_line_endings_of_the_same_hunk_with_the_right_number() {
    let (mut mixed, mut count) = (0, 0);
    for returns in 0..64 {
        let file = text(["a", "b", "c", "d", "e", "f"], returns);
        for &body in HUNKS {
            for new in [0, usize::MAX, 0b1010_1010] {
                let right = diff(&hunk(body, &file, 0, new), false);
                let strict = strictly(&file, &right);
                assert!(strict.is_some(), "{right:?}");
                let wrong = diff(&hunk(body, &file, 7, new), false);
                assert_eq!(
                    made(&file, Asked::Patch(wrong.clone())),
                    strict,
                    "{wrong:?}"
                );
                count += 1;
                mixed += usize::from(strict.unwrap().contains("\r\n") && returns != 63);
            }
        }
    }
    assert!(
        count == 64 * 8 * 3 && mixed > count / 2,
        "{mixed} of {count}"
    );
}

#[test]
fn a_hunk_after_a_repaired_one_has_the_line_endings_that_it_states() {
    let (first, last) = (HUNKS[0], HUNKS[6]);
    for returns in 0..64 {
        let file = text(["a", "b", "c", "d", "e", "f"], returns);
        for (new, is_git) in [
            (0, false),
            (usize::MAX, false),
            (0, true),
            (usize::MAX, true),
        ] {
            let patch = |off| {
                diff(
                    &(hunk(first, &file, off, new) + &hunk(last, &file, 0, new)),
                    is_git,
                )
            };
            let strict = strictly(&file, &patch(0));
            assert!(strict.is_some());
            assert_eq!(
                made(&file, Asked::Patch(patch(1))),
                strict,
                "{:?}",
                patch(1)
            );
        }
    }
}

/// A hunk whose old lines have other line endings than the file is not one that strict mode
/// applies. Its new lines end as the lines around them.
#[test]
fn a_hunk_with_other_line_endings_takes_those_of_the_file() {
    let file = text(["a", "b", "c", "d", "e", "f"], 63);
    let patch = diff(&hunk(HUNKS[2], &file.replace('\r', ""), 7, 0), false);
    assert_eq!(strictly(&file, &patch), None);
    let expected = text(["a", "b", "C", "x", "d", "e", "f"], 127);
    assert_eq!(made(&file, Asked::Patch(patch)), Some(expected));
}

#[test]
fn a_created_file_has_the_line_endings_that_the_patch_states() {
    let file = text(["a", "b", "c", "d", "e", "f"], 0);
    for returns in [0, 1, 2, 3] {
        let content = text(["x", "y"], returns);
        let lines = text(["+x", "+y"], returns);
        let patch = |off| {
            let create = format!("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n{lines}");
            diff(&hunk(HUNKS[2], &file, off, 0), false) + &create
        };
        let new = RelPath::new(b"new.txt").unwrap();
        for off in [0, 7] {
            let memory = Memory::with_files([(path(), Entry::file(&*file))]);
            let report = engine::apply(lenient(patch(off)), &memory, &Interrupt::new()).report;
            assert!(report.ok);
            assert_eq!(
                memory.files()[&new].contents,
                content.as_bytes(),
                "{returns} {off}"
            );
        }
    }
}
