//! `--series`: the patches that a list as quilt's names, as one change.

use fs_err as fs;
use serde_json::json;

use crate::systems::Desk;
use crate::tree;

mod gnu;

/// Makes a file, changes one, and takes lines away again that the first one added; the last one is
/// undone.
pub(crate) const PATCHES: [(&str, &str); 4] = [
    (
        "one.patch",
        "Description: first\n--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n+more\n two\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n",
    ),
    (
        "sub/two.patch",
        "--- a\t2010-01-01\n+++ a\t2010-01-02\n@@ -1,3 +1,3 @@\n one\n-more\n+most\n two\n",
    ),
    ("empty.patch", "Description: nothing yet\n"),
    (
        "three.patch",
        "--- x/y/new\n+++ x/y/new\n@@ -1 +1 @@\n-newer\n+new\n",
    ),
];

pub(crate) const SERIES: &str =
    "# all of them\none.patch\n\nsub/two.patch -p0 # bare\nempty.patch\nthree.patch -p2 -R\n";

fn desk() -> Desk {
    listed(SERIES)
}

fn listed(series: &str) -> Desk {
    let names = PATCHES.map(|(name, _)| format!("debian/patches/{name}"));
    let mut files: Vec<(&str, &[u8])> = vec![
        ("a", b"one\ntwo\n"),
        (".git/HEAD", b""),
        ("debian/patches/series", series.as_bytes()),
    ];
    files.extend(
        names
            .iter()
            .zip(PATCHES)
            .map(|(name, (_, text))| (name.as_str(), text.as_bytes())),
    );
    Desk::with(&files)
}

const CHECK: [&str; 3] = ["check", "--series", "debian/patches/series"];
const APPLY: [&str; 3] = ["apply", "--series", "debian/patches/series"];

#[test]
fn each_patch_sees_what_those_before_it_made() {
    let desk = desk();
    let before = tree::read(&desk.root());
    let report = desk.does(&CHECK, b"");
    assert_eq!(
        report["inputs"][3]["listed"],
        json!({"series": "debian/patches/series", "line": 6})
    );
    assert_eq!(tree::read(&desk.root()), before);
    let report = desk.does(&APPLY, b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("new")),
        (b"one\nmost\ntwo\n".to_vec(), b"newer\n".to_vec())
    );
    let patches: Vec<_> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["patch"].clone())
        .collect();
    let name = |name: &str| json!(format!("debian/patches/{name}"));
    assert_eq!(
        patches,
        [
            name("one.patch"),
            name("one.patch"),
            name("sub/two.patch"),
            name("three.patch")
        ]
    );
    desk.does(&["undo"], b"");
    assert_eq!(
        (desk.bytes("a"), desk.path("new").exists()),
        (b"one\ntwo\n".to_vec(), false),
        "all is undone as one"
    );
}

#[test]
fn a_series_leads_back_the_way_it_came() {
    let desk = desk();
    desk.does(&APPLY, b"");
    desk.does(&[&APPLY[..], &["-R"]].concat(), b"");
    assert_eq!(
        (desk.bytes("a"), desk.path("new").exists()),
        (b"one\ntwo\n".to_vec(), false)
    );
}

#[test]
fn the_patch_that_fails_is_named_with_its_line() {
    let desk = desk();
    fs::write(
        desk.path("debian/patches/sub/two.patch"),
        PATCHES[1].1.replace("-more", "-other"),
    )
    .unwrap();
    let error = desk.refuses("not_found", &CHECK, b"");
    assert_eq!(
        error["message"],
        "the hunk does not match (line 4 of debian/patches/series)"
    );
    let output = desk.runs(&CHECK, b"");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--> debian/patches/sub/two.patch:"), "{said}");
    fs::write(
        desk.path("debian/patches/sub/two.patch"),
        "--- a\n+++ a\n@@ -1,9 +1 @@\n-1\n",
    )
    .unwrap();
    let error = desk.refuses("parse", &CHECK, b"");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .ends_with("(line 4 of debian/patches/series)"),
        "{error}"
    );
}

#[test]
fn what_is_no_list_or_no_patch_is_refused_with_its_line() {
    for (series, says) in [
        ("one.patch\n../../x\n", ":2: "),
        ("/etc/passwd\n", ":1: "),
        ("one.patch --fuzz=2\n", ":1: --fuzz=2"),
        ("one.patch\n\nmissing.patch\n", ":3: "),
    ] {
        let output = listed(series).runs(&APPLY, b"");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(says), "{series}: {said}");
        assert_ne!(output.status.code(), Some(0));
    }
    let desk = desk();
    let error = desk.refuses("usage", &["apply", "--series", "-"], SERIES.as_bytes());
    assert_eq!(
        error["message"],
        "--series needs a file whose patches are in the same directory"
    );
    fs::write(desk.path("debian/patches/one.patch"), b"\x1f\x8b\x08\0\0").unwrap();
    let error = desk.refuses("unsupported", &APPLY, b"");
    assert_eq!(
        error["message"],
        "debian/patches/series:2: debian/patches/one.patch is compressed with gzip"
    );
    let small = [&APPLY[..], &["--max-patch=200"]].concat();
    self::desk().refuses("too_large", &small, b"");
}

#[test]
fn a_patch_that_policy_denies_is_named_with_its_line() {
    let desk = desk();
    let rule = "[[rule]]\npaths = ['debian/patches/sub/*']\nops = ['read']\nverdict = 'deny'\n";
    fs::write(desk.path("wpatch.toml"), rule).unwrap();
    let error = desk.refuses("denied", &CHECK, b"");
    assert_eq!(
        json!([error["path"], error["message"]]),
        json!([
            "debian/patches/sub/two.patch",
            "policy denies this path: a rule of wpatch.toml (line 4 of debian/patches/series)"
        ])
    );
}

#[test]
fn a_list_may_have_remarks_blanks_and_the_line_ends_of_another_system() {
    let series = "\r\n# all\r\n  one.patch -pab # said\r\n\t\r\nsub/two.patch -p 0\r\nthree.patch --strip=2 --reverse\r\n";
    for series in [
        series.to_owned(),
        series.replace("\r\n", "\n"),
        series.trim_end().to_owned(),
    ] {
        let desk = listed(&series);
        desk.does(&APPLY, b"");
        assert_eq!(
            (desk.bytes("a"), desk.bytes("new")),
            (b"one\nmost\ntwo\n".to_vec(), b"newer\n".to_vec()),
            "{series}"
        );
    }
}

#[test]
fn a_list_that_names_nothing_changes_nothing() {
    for series in ["", "\n\n", "# nothing\n", "empty.patch\n"] {
        let desk = listed(series);
        let before = tree::read(&desk.root());
        let report = desk.does(&APPLY, b"");
        assert_eq!(
            (&report["outcome"], &report["changed"]),
            (&json!("applied"), &json!(false)),
            "{series}"
        );
        assert_eq!(tree::read(&desk.root()), before);
    }
}

#[test]
fn a_patch_that_is_listed_twice_is_done_twice() {
    let desk = listed("one.patch\none.patch\n");
    let error = desk.refuses("no_change", &CHECK, b"");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .ends_with("(line 2 of debian/patches/series)"),
        "{error}"
    );
    let desk = listed("one.patch\none.patch -R\none.patch\n");
    desk.does(&APPLY, b"");
    assert_eq!(desk.bytes("a"), b"one\nmore\ntwo\n");
}

#[test]
fn a_series_can_be_saved_and_carried_out_later() {
    let desk = desk();
    let saved = desk.does(&[&CHECK[..], &["--save"]].concat(), b"");
    let id = saved["saved"]["id"].as_str().unwrap();
    fs::remove_dir_all(desk.path("debian")).unwrap();
    let done = desk.does(&["apply", "--plan", id], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("new")),
        (b"one\nmost\ntwo\n".to_vec(), b"newer\n".to_vec())
    );
    assert_eq!(
        done["inputs"][3]["listed"],
        json!({"series": "debian/patches/series", "line": 6})
    );
}

#[test]
fn what_does_not_fit_of_a_series_can_be_rejected() {
    let desk = desk();
    fs::write(
        desk.path("debian/patches/sub/two.patch"),
        PATCHES[1].1.replace("-more", "-other"),
    )
    .unwrap();
    let report = desk.says(&[&APPLY[..], &["--reject"]].concat(), b"");
    assert_eq!(report["outcome"], "partial");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("new")),
        (b"one\nmore\ntwo\n".to_vec(), b"newer\n".to_vec())
    );
    assert!(
        desk.bytes("a.rej")
            .starts_with(b"diff a/a b/a\t(rejected hunks)\n@@ -1,3")
    );
}

#[test]
fn what_a_series_does_not_go_with_is_named() {
    for option in ["--lenient", "--batch", "--file=a"] {
        let desk = desk();
        let output = desk.runs(&[&CHECK[..], &[option]].concat(), b"");
        let said = String::from_utf8(output.stderr).unwrap();
        let name = option.split('=').next().unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--series") && said.contains(name), "{said}");
    }
}
