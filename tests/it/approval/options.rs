//! A saved plan contains the options that it was checked with.

use fs_err as fs;
use serde_json::json;

use super::{PATCH, desk, saved};
use crate::systems::Desk;

#[test]
fn a_saved_plan_has_the_options_that_it_was_checked_with() {
    let desk = Desk::with(&[("d/a", b"0\nONE\n  two\none\n  two\n"), (".git/HEAD", b"")]);
    let patch = "--- a\n+++ a\n@@ -9,2 +9,2 @@\n-1\n+one\n   two\n";
    let options = [
        "-p0",
        "--directory",
        "d",
        "-R",
        "--include",
        "d/*",
        "--exclude",
        "[!a]",
        "--max-file",
        "1000",
    ];
    let report = desk.does(
        &[&["check", "--save"], options.as_slice()].concat(),
        patch.as_bytes(),
    );
    desk.does(
        &["apply", "--plan", report["plan_id"].as_str().unwrap()],
        b"",
    );
    assert_eq!(desk.bytes("d/a"), b"0\nONE\n  two\n1\n  two\n");
}

#[test]
fn each_option_without_which_a_patch_does_not_fit_goes_with_its_plan() {
    let change = |name: &str, hunk: &str| format!("--- a/{name}\n+++ b/{name}\n{hunk}");
    let one = change("a", "@@ -1,2 +1,2 @@\n-one\n+1\n two\n");
    let two = one.clone() + &change("b", "@@ -1 +1 @@\n-no\n+yes\n");
    let loose = change("n", "@@ -2,5 +2,5 @@\n other\n 3\n-4\n+four\n 5\n other\n");
    let cases: [(&[&str], String); 12] = [
        (&["-C", "1"], loose.clone()),
        (&["--fuzz", "1"], loose),
        (&["--unidiff-zero"], change("n", "@@ -4,0 +5 @@\n+more\n")),
        (
            &["--ignore-whitespace"],
            change("blanks", "@@ -1 +1 @@\n-a b\n+c\n"),
        ),
        (
            &["--match", "ladder"],
            change("blanks", "@@ -1 +1 @@\n-  a  b\n+c\n"),
        ),
        (&["--recount"], one.replace("-1,2 +1,2", "-1,5 +1,1")),
        (
            &["--lenient"],
            change("n", "@@ -1,3 +1,3 @@\n1\n-2\n+two\n3\n"),
        ),
        (
            &["--overwrite"],
            change("b", "@@ -0,0 +1 @@\n+new\n").replace("a/b", "/dev/null"),
        ),
        (
            &["--idempotent"],
            change("b", "@@ -1 +1 @@\n-zero\n+three\n") + &one,
        ),
        (&["--exclude", "b"], two.clone()),
        (&["--include", "a"], two),
        (&["--format", "unified"], format!("*** Begin Patch\n{one}")),
    ];
    for (options, patch) in cases {
        let desk = desk();
        fs::write(desk.path("n"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n").unwrap();
        fs::write(desk.path("blanks"), "a  b\n").unwrap();
        assert_eq!(
            desk.says(&["check"], patch.as_bytes())["ok"],
            false,
            "{options:?}"
        );
        let report = desk.does(&[&["check", "--save"], options].concat(), patch.as_bytes());
        let done = desk.does(
            &["apply", "--plan", report["plan_id"].as_str().unwrap()],
            b"",
        );
        assert_eq!(
            (&done["plan_id"], &done["changed"]),
            (&report["plan_id"], &json!(true)),
            "{options:?}"
        );
    }
}

#[test]
fn a_plan_in_place_changes_all_names_of_a_file() {
    let desk = desk();
    fs::hard_link(desk.path("a"), desk.path("other")).unwrap();
    let id = saved(&desk, &["--in-place"]);
    desk.does(&["apply", "--plan", &id], b"");
    assert_eq!(
        desk.bytes("other"),
        b"1\ntwo\n",
        "all names of a file change with it"
    );
}

#[test]
fn nothing_goes_with_a_plan_that_would_change_what_it_means() {
    let desk = desk();
    let id = saved(&desk, &[]);
    for more in [
        &["x.diff"][..],
        &["--only", "1"],
        &["-R"],
        &["-p1"],
        &["--approve", "x"],
        &["--overwrite"],
        &["--in-place"],
    ] {
        desk.refuses("usage", &[&["apply", "--plan", &id], more].concat(), b"");
    }
    for wrong in [
        "",
        "1234567",
        "sha256:12345678",
        "SHA256:x",
        "xyzxyzxyz",
        "12345678X",
    ] {
        desk.refuses("usage", &["apply", "--plan", wrong], b"");
    }
    for wrong in [
        "",
        "12345678",
        &id[..70],
        &id["sha256:".len()..],
        &id.to_uppercase(),
        &format!("{id}0"),
    ] {
        let error = desk.refuses("usage", &["apply", "--approve", wrong], PATCH.as_bytes());
        assert_eq!(
            error["message"], "the approval needs a full plan_id (`sha256:` and 64 hex digits)",
            "{wrong}"
        );
    }
    desk.refuses("missing", &["apply", "--plan", "00000000"], b"");
}
