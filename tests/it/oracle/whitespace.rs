//! White space: what git and wpatch leave of the same patch.
#![cfg(unix)]

use std::path::Path;

use fs_err as fs;

use super::beside::{Left, beside};

/// Applies a hunk to the file `f`, whose attributes are `attributes`.
fn hunk_beside(attributes: &str, file: &[u8], hunk: &str, arguments: &[&str]) -> [Left; 2] {
    let prepare = |root: &Path| {
        fs::write(root.join("f"), file).unwrap();
        fs::write(
            root.join(".git/info/attributes"),
            format!("* {attributes}\n"),
        )
        .unwrap();
    };
    beside(
        &prepare,
        arguments,
        format!("--- a/f\n+++ b/f\n{hunk}").as_bytes(),
    )
}

const NOTE: &str = "\\ No newline at end of file\n";

#[test]
fn a_note_about_the_last_newline_keeps_the_blank_lines_before_it() {
    let cases = [
        (
            "@@ -1 +1,4 @@\n b\n+\n+\n+ \t\n\\ No newline at end of file\n",
            &b"b\n\n\n"[..],
        ),
        ("@@ -1 +1,4 @@\n b\n+\n+ \n+\n", b"b\n"),
        (
            "@@ -1 +1,2 @@\n-b\n+c\n+ \n\\ No newline at end of file\n",
            b"c\n",
        ),
    ];
    for (hunk, expected) in cases {
        let left = hunk_beside("!whitespace", b"b\n", hunk, &["--whitespace=fix"]);
        let found = left.each_ref().map(|left| (left.exit, left.file("f")));
        assert_eq!(found, [(0, Some(expected)); 2], "{hunk}");
    }
    // A blank line of context that ends the file without a newline.
    let hunk = ["@@ -1,2 +1,3 @@\n b\n+ \n  \n", NOTE].concat();
    let left = hunk_beside("!whitespace", b"b\n ", &hunk, &["--whitespace=fix"]);
    let found = left.each_ref().map(|left| (left.exit, left.file("f")));
    assert_eq!((found[0].0, found[0]), (0, found[1]));
}

#[test]
fn a_last_old_line_with_a_cr_and_no_newline_allows_cr_at_the_end_of_lines() {
    for (file, old) in [(&b"a\nb\r"[..], "-b\r\n"), (b"a\nb\r", " b\r\n")] {
        for action in ["fix", "error", "error-all", "warn"] {
            let hunk = format!("@@ -1,2 +1,3 @@\n a\n{old}{NOTE}");
            let hunk = match old {
                "-b\r\n" => format!("{hunk}+c\r\n+d\n"),
                _ => format!("@@ -1,2 +1,3 @@\n a\n+c\r\n{old}{NOTE}"),
            };
            let left = hunk_beside(
                "!whitespace",
                file,
                &hunk,
                &[&format!("--whitespace={action}")],
            );
            let found = left.each_ref().map(|left| (left.exit == 0, left.file("f")));
            assert_eq!(found[0], found[1], "{action} {hunk:?}");
        }
    }
}

#[test]
fn the_attribute_whitespace_keeps_a_missing_last_newline() {
    for hunk in [
        ["@@ -1 +1,2 @@\n b\n+c \n", NOTE].concat(),
        ["@@ -1 +1,2 @@\n b\n+c\n", NOTE].concat(),
    ] {
        let left = hunk_beside("whitespace", b"b\n", &hunk, &["--whitespace=fix"]);
        let found = left.each_ref().map(|left| (left.exit, left.file("f")));
        assert_eq!(found, [(0, Some(&b"b\nc"[..])); 2], "{hunk}");
    }
}

/// git starts its search one line above the place of such a hunk.
#[test]
fn a_hunk_without_new_lines_removes_the_line_that_its_header_names() {
    let hunk = "@@ -2 +1,0 @@\n-x y\n";
    let left = hunk_beside(
        "!whitespace",
        b"x  y\nx\ty\nz\n",
        hunk,
        &["--unidiff-zero", "--ignore-whitespace"],
    );
    let found = left.each_ref().map(|left| (left.exit, left.file("f")));
    assert_eq!(
        found,
        [(0, Some(&b"x\ty\nz\n"[..])), (0, Some(b"x  y\nz\n"))]
    );
}

/// A hunk for lines of a file that has them twice: exactly at line 10, and with other white space
/// at line 2.
#[test]
fn a_match_with_other_white_space_counts_if_it_is_nearer_than_an_exact_one() {
    let mut refused = 0;
    for (option, spaced) in [
        ("--ignore-whitespace", "a   b\n"),
        ("--whitespace=fix", "a b \t\n"),
    ] {
        let zeros = "0\n".repeat(5);
        let file = format!("0\np\n{spaced}q\n{zeros}p\na b\nq\n{zeros}");
        for line in 2..=14 {
            let hunk = format!("@@ -{line},3 +{line},3 @@\n p\n-a b\n+n\n q\n");
            let [git, ours] = hunk_beside("!whitespace", file.as_bytes(), &hunk, &[option]);
            assert_eq!(git.exit, 0, "{git:?}");
            let is_refused = ours.exit != 0;
            let expected = if is_refused {
                file.as_bytes()
            } else {
                git.file("f").unwrap()
            };
            assert_eq!(ours.file("f"), Some(expected), "{option} {line}");
            // Only the place nearest to the line counts, and the exact one needs no other.
            assert_eq!(
                is_refused,
                (3..6).contains(&line),
                "{option} {line}: {ours:?}"
            );
            refused += usize::from(is_refused);
        }
        // An option that compares exactly takes the exact place.
        let hunk = "@@ -2,3 +2,3 @@\n p\n-a b\n+n\n q\n";
        let [git, ours] = hunk_beside("!whitespace", file.as_bytes(), hunk, &[]);
        assert_eq!((git.exit, git.file("f")), (0, ours.file("f")));
    }
    assert_eq!(refused, 6);
}
