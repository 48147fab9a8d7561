//! Names that no file has, and the names that are suggested instead.

use std::process::Command;

use fs_err as fs;
use serde_json::Value;

use super::{FILE, change, fails, follows, repository};
use crate::systems::Desk;

/// Names that look alike: of a file, of a patch, the first character that differs (from 1), and what
/// each has there.
const ALIKE: &[(&str, &str, u64, &str, &str)] = &[
    (
        "a\u{a0}b",
        "a b",
        2,
        "U+00A0 NO-BREAK SPACE",
        "U+0020 SPACE",
    ),
    (
        "a b",
        "a\u{a0}b",
        2,
        "U+0020 SPACE",
        "U+00A0 NO-BREAK SPACE",
    ),
    (
        "caf\u{e9}",
        "cafe\u{301}",
        4,
        "U+00E9",
        "U+0065 and U+0301 COMBINING ACUTE ACCENT",
    ),
    ("p\u{430}ss", "pass", 2, "U+0430", "U+0061"),
    ("d/\u{ff41}", "d/a", 3, "U+FF41", "U+0061"),
    (
        "x\u{200b}",
        "x",
        2,
        "U+200B ZERO WIDTH SPACE",
        "the end of the name",
    ),
    ("x ", "x", 2, "U+0020 SPACE", "the end of the name"),
    (
        "d\u{a0}e/x",
        "d e/x",
        2,
        "U+00A0 NO-BREAK SPACE",
        "U+0020 SPACE",
    ),
];

#[cfg(unix)]
#[test]
fn a_name_that_looks_like_that_of_a_file_is_told_apart() {
    for &(file, named, place, found, expected) in ALIKE {
        let desk = Desk::with(&[(file, FILE), ("../patch", change(named).as_bytes())]);
        let shown = file.replace('\u{200b}', "\\u{200b}");
        let sentence = match expected {
            "the end of the name" => {
                format!(
                    "{shown} exists, but it has {found} at character {place}, where this name ends"
                )
            }
            _ => format!(
                "{shown} exists, but it has {found} at character {place}, where this name has {expected}"
            ),
        };
        for arguments in [
            &["apply", "../patch"][..],
            &["edit", named, "--old", "two", "--new", "2"],
        ] {
            let text = fails(&desk, "", arguments);
            assert_eq!(text.matches(&sentence).count(), 1, "{text}");
            assert_eq!(text.matches("error").count(), 1, "{text}");
            let error: Value = desk.says(arguments, b"")["error"].clone();
            assert_eq!(
                (&error["cause"]["kind"], &error["cause"]["path"]),
                (&"look-alike-name".into(), &file.into())
            );
            assert_eq!(error["cause"]["column"], place);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_name_in_another_case_is_suggested() {
    let desk = Desk::with(&[
        ("README.md", FILE),
        ("../patch", change("Readme.md").as_bytes()),
    ]);
    let text = fails(&desk, "", &["apply", "../patch"]);
    assert!(
        text.contains("use the existing file `README.md`; its name differs only in case"),
        "{text}"
    );
}

#[test]
fn a_command_on_a_missing_file_names_those_of_the_same_name() {
    let desk = Desk::with(&[("src/lib/x.c", FILE)]);
    for arguments in [
        &["edit", "x.c", "--old", "two", "--new", "2"][..],
        &["edit", "lib/x.c", "--insert-after", "1", "--new", "2"],
        &["read", "x.c"],
    ] {
        let text = fails(&desk, "", arguments);
        assert!(text.contains("the tree has `src/lib/x.c`"), "{text}");
        assert!(!text.contains("strip level"), "{text}");
    }
}

/// `git add` helps only if the work tree has the file.
#[cfg(unix)]
#[test]
fn with_the_index_and_with_rejects_other_names_are_suggested_as_without() {
    for options in [
        &["--index"][..],
        &["--3way"],
        &["--reject"],
        &["--index", "--reject"],
    ] {
        let desk = repository(&[("src/x.c", FILE)]);
        assert!(
            Command::new("git")
                .args(["add", "."])
                .current_dir(desk.root())
                .status()
                .unwrap()
                .success()
        );
        fs::write(desk.path("../p"), change("deep/src/x.c")).unwrap();
        let text = fails(&desk, "", &[&["apply"][..], options, &["../p"]].concat());
        assert!(!text.contains("git add"), "{options:?}: {text}");
        follows(&desk, "", &text);
    }
    let desk = repository(&[("src/x.c", FILE)]);
    fs::write(desk.path("../p"), change("src/x.c")).unwrap();
    for options in ["--index", "--cached"] {
        let text = fails(&desk, "", &["apply", options, "../p"]);
        assert!(text.contains("git add"), "{options}: {text}");
    }
    fs::write(desk.path("../p"), change("deep/src/x.c")).unwrap();
    let text = fails(&desk, "", &["apply", "--cached", "../p"]);
    assert!(
        !text.contains("git add") && text.contains("does not exist in index"),
        "{text}"
    );
}
