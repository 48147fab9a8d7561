//! Blocks and edits search in the file as the changes before them leave it.

use serde_json::json;

use super::*;

const FILE: &str = "def a():\n    y = 1\n\ndef b():\nreturn x\n";

/// Returns the files, with their contents, after some inputs; `None` if these are refused.
fn made(patches: &[&str], is_lenient: bool) -> Option<BTreeMap<String, String>> {
    let memory = Memory::with_files([(path(), Entry::file(FILE))]);
    let patches = patches
        .iter()
        .enumerate()
        .map(|(index, text)| (index.to_string(), text.as_bytes().to_vec().into()));
    let mut request = Request::of_all(patches.collect());
    if is_lenient {
        request.decide.lenient = true;
        request.decide.roots = vec![b"/srv/tree".to_vec()];
    }
    let report = engine::apply(request, &memory, &Interrupt::new()).report;
    let text = |entry: &Entry| String::from_utf8(entry.contents.clone()).unwrap();
    let files = memory
        .files()
        .into_iter()
        .map(|(path, entry)| (path.to_string(), text(&entry)));
    report.ok.then(|| files.collect())
}

fn block(name: &str, old: &str, new: &str) -> String {
    format!("{name}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

const INSERTION: &str = "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,3 +1,4 @@\n def a():\n     y = 1\n+    return x\n \n";

#[test]
fn what_fits_without_repairs_is_the_same_change_with_them() {
    let exact = block("dir/file.txt", "    return x\n", "    return y\n");
    let edit = |old: &str, new: &str| {
        json!({"edits": [{"path": "dir/file.txt", "old": old, "new": new}]}).to_string()
    };
    let rename = "diff --git a/dir/file.txt b/dir/new.txt\nrename from dir/file.txt\nrename to dir/new.txt\n";
    let first = edit("    y = 1\n", "    y = 1\n    return x\n");
    let cases: &[&[&str]] = &[
        &[INSERTION, &exact],
        &[&[INSERTION, &exact].concat()],
        &[&first, &exact],
        &[INSERTION, &edit("    return x\n", "    return y\n")],
        &[
            INSERTION,
            rename,
            &block("dir/new.txt", "    return x\n", "    return y\n"),
        ],
        &[rename, &block("dir/new.txt", "    y = 1\n", "    y = 2\n")],
    ];
    for case in cases {
        let strict = made(case, false);
        assert!(strict.is_some(), "{case:?}");
        assert_eq!(made(case, true), strict, "{case:?}");
    }
}

#[test]
fn a_repair_searches_in_the_file_as_earlier_changes_leave_it() {
    let rename = "diff --git a/dir/file.txt b/dir/new.txt\nrename from dir/file.txt\nrename to dir/new.txt\n";
    let damaged = |name: &str| block(name, "  y = 1\n  return x\n", "  y = 1\n  return y\n");
    let wanted = FILE.replace("y = 1\n", "y = 1\n    return y\n");
    let cases: &[(&str, &[&str])] = &[
        ("dir/file.txt", &[INSERTION, &damaged("dir/file.txt")]),
        (
            "dir/file.txt",
            &[&[INSERTION, &damaged("dir/file.txt")].concat()],
        ),
        ("dir/new.txt", &[INSERTION, rename, &damaged("dir/new.txt")]),
    ];
    for (name, case) in cases {
        assert_eq!(made(case, false), None, "{case:?}");
        assert_eq!(
            made(case, true),
            Some(BTreeMap::from([((*name).to_owned(), wanted.clone())])),
            "{case:?}"
        );
    }
}
