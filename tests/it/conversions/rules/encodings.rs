//! Files with a `working-tree-encoding` or with CR LF.
#![cfg(unix)]

use fs_err as fs;

use super::{created, modified, pair};
use crate::conversions::{Outcome, compared};
use crate::repository::{git, run};

#[test]
fn a_file_that_is_not_in_its_encoding_is_refused_and_git_changes_its_encoding() {
    for options in [&[][..], &["--index"], &["--3way"]] {
        let encoded: (&str, &[u8]) = ("x.rc", b"one\n\n");
        let other = pair(&[encoded]);
        for copy in ["git", "wpatch"] {
            fs::write(
                other.root(copy).join(".gitattributes"),
                "*.rc working-tree-encoding=UTF-16LE-BOM\n",
            )
            .unwrap();
            // git reads only files whose time is another one.
            fs::write(other.root(copy).join(encoded.0), encoded.1).unwrap();
        }
        let patch = "--- a/x.rc\n+++ b/x.rc\n@@ -1,2 +1,2 @@\n-one\n+2\n \n";
        let (outcome, by_git) = match options {
            [] => (Outcome::Declared, &b"\xff\xfe2\0\n\0\n\0"[..]),
            _ => (Outcome::Refused, encoded.1),
        };
        assert_eq!(
            compared(&other, options, patch.as_bytes()),
            Ok(outcome),
            "{options:?}"
        );
        assert_eq!(fs::read(other.root("git").join("x.rc")).unwrap(), by_git);
    }
}

#[test]
fn a_content_that_an_encoding_cannot_represent_is_refused_and_git_writes_it_unconverted() {
    for options in [&[][..], &["--index"], &["--3way"]] {
        let latin: &[u8] = b"*.txt working-tree-encoding=ISO-8859-1\n";
        let files: [(&str, &[u8]); 3] = [
            (".gitattributes", latin),
            ("x.txt", b"caf\xe9\n"),
            ("x", "\u{540d}\n".as_bytes()),
        ];
        let copied =
            "diff --git a/x b/x.txt\nsimilarity index 100%\nrename from x\nrename to x.txt\n";
        let new = created("new.txt", "\u{540d}");
        for (patch, name) in [
            (modified("x.txt", "caf\u{e9}", "\u{540d}"), "x.txt"),
            (new, "new.txt"),
            (copied.replace("x.txt", "y.txt"), "y.txt"),
        ] {
            let narrow = pair(&files);
            assert_eq!(
                compared(&narrow, options, patch.as_bytes()),
                Ok(Outcome::Declared),
                "{options:?} {patch}"
            );
            assert_eq!(
                fs::read(narrow.root("git").join(name)).unwrap(),
                "\u{540d}\n".as_bytes()
            );
            let mut check = crate::world::wpatch();
            check
                .arg("check")
                .args(options)
                .arg("../patch")
                .current_dir(narrow.root("wpatch"));
            assert_eq!(
                check.output().unwrap().status.code(),
                Some(1),
                "{options:?} {patch}"
            );
        }
    }
}

#[test]
fn a_file_with_cr_lf_in_the_index_keeps_it_in_its_encoding() {
    let encoded = b"\xff\xfeo\0n\0e\0\r\0\n\0";
    let attributes: (&str, &[u8]) = (
        ".gitattributes",
        b"*.rc working-tree-encoding=UTF-16LE-BOM\n*.id ident\n",
    );
    for (name, bytes, old) in [
        ("x.rc", &encoded[..], "one\r\n"),
        ("x.id", b"$Id: 1 $\r\n", "$Id$\r\n"),
    ] {
        let pair = pair(&[attributes, (name, bytes)]);
        for copy in ["git", "wpatch"] {
            let id = run(
                git(&["hash-object", "-w", "--stdin"]).current_dir(pair.root(copy)),
                old.as_bytes(),
            );
            let entry = format!("100644,{},{name}", String::from_utf8_lossy(&id).trim_end());
            let commands: [&[&str]; 3] = [
                &["config", "core.autocrlf", "input"],
                &["update-index", "--cacheinfo", &entry],
                &["update-index", "--refresh"],
            ];
            for command in commands {
                assert!(
                    git(command)
                        .current_dir(pair.root(copy))
                        .status()
                        .unwrap()
                        .success(),
                    "{command:?}"
                );
            }
        }
        let patch = modified(name, old.trim_end(), "new")
            .replace(old.trim_end(), old.trim_end_matches('\n'));
        assert_eq!(
            compared(&pair, &["--index"], patch.as_bytes()),
            Ok(Outcome::Applied),
            "{name}"
        );
    }
}

#[test]
fn a_patch_is_applied_whatever_git_says_of_endings_that_cannot_be_restored() {
    for (safe, options) in [
        ("true", &[][..]),
        ("warn", &[]),
        ("true", &["--index"]),
        ("warn", &["--index"]),
    ] {
        let pair = pair(&[
            (".gitattributes", b"* text=auto\n"),
            ("x", b"one\n"),
            ("y", b"one\ntwo\n"),
        ]);
        for copy in ["git", "wpatch"] {
            for (key, value) in [("core.autocrlf", "true"), ("core.safecrlf", safe)] {
                assert!(
                    git(&["config", key, value])
                        .current_dir(pair.root(copy))
                        .status()
                        .unwrap()
                        .success()
                );
            }
        }
        let patch = modified("x", "one", "2") + &created("new", "new");
        assert_eq!(
            compared(&pair, options, patch.as_bytes()),
            Ok(Outcome::Applied),
            "{safe} {options:?}"
        );
    }
}
