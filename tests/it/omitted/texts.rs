//! What the formats for people state about omitted failures.

use super::{header, hunk, many};
use crate::systems::Desk;

#[test]
fn each_text_counts_what_it_does_not_list() {
    let patch: String = header("a") + &many(300);
    let desk = Desk::with(&[("a", b"line 0\n"), ("p.patch", patch.as_bytes())]);
    let printed = |arguments: &[&str]| {
        let output = desk.runs(arguments, b"");
        assert_eq!(output.status.code(), Some(1));
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let [out, err] = printed(&["check", "-v", "p.patch"]);
    assert!(
        out.contains("200 more hunks are not listed\n200 more problems are not listed\n"),
        "{out}"
    );
    assert!(
        err.ends_with("280 more failing hunks are not listed\n"),
        "{err}"
    );
    let [_, err] = printed(&["apply", "p.patch"]);
    assert!(
        err.ends_with("280 more failing hunks are not listed\n"),
        "{err}"
    );
    let [out, err] = printed(&["check", "--output", "github", "p.patch"]);
    assert!(
        out.ends_with("::notice::200 more problems are not listed\n") && err.is_empty(),
        "{out}"
    );
    let [_, err] = printed(&["apply", "--reject", "p.patch"]);
    assert!(
        err.contains("Applying patch a with 300 rejects...\n")
            || err.contains("280 more failing hunks"),
        "{err}"
    );
}

#[test]
fn many_files_have_few_lines_in_the_words_of_git() {
    let names: Vec<_> = (0..130).map(|file| format!("f{file:03}")).collect();
    let patch: String = names
        .iter()
        .map(|name| header(name) + &hunk(1, false))
        .collect();
    let files: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), &b"line 0\n"[..]))
        .chain([("p", patch.as_bytes())])
        .collect();
    let output = Desk::with(&files).runs(&["check", "p"], b"");
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        err.matches(": patch does not apply\n").count(),
        101,
        "{err}"
    );
    assert!(
        err.contains("error: and 30 more files: patch does not apply\n"),
        "{err}"
    );
    assert!(
        err.ends_with("110 more failing hunks are not listed\n"),
        "{err}"
    );
}
