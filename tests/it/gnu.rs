//! The program under the name `patch`: GNU patch's command line, words and exit codes, beside GNU
//! patch itself.

mod backups;
mod beside;
mod merging;
mod operands;
mod stamps;
mod table;

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine::{self, BackupNames, Request};
use wpatch::path::RelPath;
use wpatch::workspace::memory::{Entry, Memory};

use crate::systems::fed;
use crate::tree::{self, Tree};
use crate::world;

/// The content of `d/x` before [`PATCH`], and after it.
const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\n2\nthree\n";
const PATCH: &str = "--- a/d/x\n+++ b/d/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

/// Runs the program as `patch`.
fn patch(root: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = world::program_named("patch");
    command
        .args(arguments)
        .current_dir(root)
        .env("XDG_STATE_HOME", root.join("../state"));
    fed(&mut command, input)
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Returns a directory that holds these files.
fn scene(files: &[(&str, &str)]) -> TempDir {
    tree::directory(files)
}

fn files(directory: &TempDir) -> Vec<(String, String)> {
    let text = |node: tree::Node| match node {
        tree::Node::File { bytes, .. } => String::from_utf8(bytes).unwrap(),
        other => format!("{other:?}"),
    };
    let tree: Tree = tree::read(directory.path());
    tree.into_iter()
        .map(|(path, node)| (path.to_string(), text(node)))
        .collect()
}

fn of(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect()
}

#[test]
fn an_empty_directory_does_not_give_way() {
    let root = scene(&[]);
    fs::create_dir(root.path().join("e")).unwrap();
    let patched = told(&patch(
        root.path(),
        &["-p1"],
        b"--- /dev/null\n+++ b/e\n@@ -0,0 +1 @@\n+x\n",
    ));
    assert_eq!(patched.0, 1, "{patched:?}");
    assert!(root.path().join("e").is_dir());
}

#[test]
fn it_says_what_scripts_look_for() {
    let root = scene(&[("d/x", "zero\none\ntwo\nthree\n")]);
    let moved = (
        0,
        "patching file d/x\nHunk #1 succeeded at 2 (offset 1 line).\n".to_owned(),
        String::new(),
    );
    assert_eq!(told(&patch(root.path(), &["-p1"], PATCH.as_bytes())), moved);
    let again = told(&patch(root.path(), &["-p1"], PATCH.as_bytes()));
    assert_eq!(again.0, 1);
    assert!(
        again
            .1
            .contains("Reversed (or previously applied) patch detected!"),
        "{}",
        again.1
    );
    let passed = told(&patch(root.path(), &["-p1", "-N"], PATCH.as_bytes()));
    assert_eq!(passed.0, 1);
    assert!(
        passed
            .1
            .contains("detected!  Skipping patch.\n1 out of 1 hunk ignored\n"),
        "{}",
        passed.1
    );
    assert_eq!(files(&root), of(&[("d/x", "zero\none\n2\nthree\n")]));
    let back = (
        0,
        "patching file d/x\nHunk #1 succeeded at 2 (offset 1 line).\n".to_owned(),
        String::new(),
    );
    assert_eq!(told(&patch(root.path(), &["-Rp1"], PATCH.as_bytes())), back);
    fs::write(root.path().join("d/x"), "0\ntwo\nthree\n").unwrap();
    let fuzzy = (
        0,
        "checking file d/x\nHunk #1 succeeded at 1 with fuzz 1.\n".to_owned(),
        String::new(),
    );
    assert_eq!(
        told(&patch(root.path(), &["-p1", "--dry-run"], PATCH.as_bytes())),
        fuzzy
    );
    let failed = told(&patch(root.path(), &["-p1", "-F0"], PATCH.as_bytes()));
    assert_eq!(
        (failed.0, failed.1.as_str()),
        (
            1,
            "patching file d/x\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED\n"
        )
    );
    assert!(
        failed
            .2
            .ends_with("patch: no file was changed (use --reject to apply the hunks that match)\n"),
        "{}",
        failed.2
    );
    assert_eq!(files(&root), of(&[("d/x", "0\ntwo\nthree\n")]));
}

#[test]
fn a_hunk_that_went_to_one_of_several_places_is_told() {
    let block = "begin\nwork\nend\n";
    let file = [block, "between\n", block].concat();
    let text = "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n begin\n-work\n+rest\n end\n";
    let [ours, theirs] = [(); 2].map(|()| scene(&[("x", &file)]));
    let mut gnu = Command::new("patch");
    gnu.args(["-p1", "-s"]).current_dir(theirs.path());
    let silent = fed(&mut gnu, text.as_bytes());
    assert_eq!(told(&silent), (0, String::new(), String::new()));
    let ending = told(&patch(ours.path(), &["-p1"], text.as_bytes()));
    let warning = "patch: x: the hunk was placed at line 5, but it matches at lines 1 and 5\n";
    assert_eq!((ending.0, ending.2.as_str()), (0, warning), "{}", ending.1);
    assert_eq!(
        fs::read(ours.path().join("x")).unwrap(),
        fs::read(theirs.path().join("x")).unwrap()
    );
}

#[test]
fn old_files_are_kept_where_that_is_asked_for() {
    for (arguments, name) in [
        (&["-p1", "-b"][..], "d/x.orig"),
        (&["-p1", "-b", "-z", "~"], "d/x~"),
        (&["-p1", "-bV", "simple", "--suffix=.old"], "d/x.old"),
        (&["-p1", "-b", "-B", "old/"], "old/d/x"),
        (&["-p1", "-b", "-Y", ".o."], "d/.o.x"),
    ] {
        let root = scene(&[("d/x", OLD)]);
        assert_eq!(
            told(&patch(root.path(), arguments, PATCH.as_bytes())).0,
            0,
            "{arguments:?}"
        );
        let mut expected = of(&[("d/x", NEW), (name, OLD)]);
        expected.sort();
        assert_eq!(files(&root), expected, "{arguments:?}");
    }
    let root = scene(&[("d/x", OLD), ("d/x.orig", "older\n")]);
    assert_eq!(
        told(&patch(root.path(), &["-p1", "-b"], PATCH.as_bytes())).0,
        0
    );
    assert_eq!(files(&root), of(&[("d/x", NEW), ("d/x.orig", OLD)]));
}

#[test]
fn backups_are_numbered_where_that_is_asked_for() {
    for (arguments, name) in [
        (&["-V", "numbered"][..], "d/x.~1~"),
        (&["-V", "t"], "d/x.~1~"),
        (&["-V", "never"], "d/x.orig"),
    ] {
        let root = scene(&[("d/x", OLD)]);
        told(&patch(
            root.path(),
            &[&["-p1", "-b"][..], arguments].concat(),
            PATCH.as_bytes(),
        ));
        assert_eq!(
            files(&root),
            of(&[("d/x", NEW), (name, OLD)]),
            "{arguments:?}"
        );
    }
    let root = scene(&[
        ("d/x", OLD),
        ("d/x.~9~", ""),
        ("d/x.~y~", ""),
        ("x.~12~", ""),
    ]);
    told(&patch(root.path(), &["-p1", "-b"], PATCH.as_bytes()));
    assert_eq!(
        fs::read(root.path().join("d/x.~10~")).unwrap(),
        OLD.as_bytes()
    );
}

#[test]
fn an_output_leaves_the_old_file() {
    let root = scene(&[("d/x", OLD)]);
    assert_eq!(
        told(&patch(root.path(), &["-p1", "-o", "y"], PATCH.as_bytes())).1,
        "patching file y (read from d/x)\n"
    );
    assert_eq!(files(&root), of(&[("d/x", OLD), ("y", NEW)]));
}

#[test]
fn hunks_are_rejected_where_that_is_asked_for() {
    let more = "@@ -8,2 +8,2 @@\n 8\n-9\n+nine\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-y\n+z\n";
    let text = [PATCH, more].concat();
    let start: &[(&str, &str)] = &[("d/x", "other\n\n\n\n\n\n\n8\n9\n"), ("y", "no\n")];
    let after = "other\n\n\n\n\n\n\n8\nnine\n";
    let [first, second] = [PATCH, "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-y\n+z\n"];
    let both = [first, second].concat();
    for (arguments, rejects) in [
        (
            &["-p1", "--reject"][..],
            &[("d/x.rej", first), ("y.rej", second)][..],
        ),
        (&["-p1", "--reject", "-r", "all"], &[("all", &both)]),
        (&["-p1", "--reject", "-r", "-"], &[]),
    ] {
        let root = scene(start);
        let ending = told(&patch(root.path(), arguments, text.as_bytes()));
        assert_eq!(ending.0, 1, "{ending:?}");
        let mut expected = of(&[&[("d/x", after), ("y", "no\n")], rejects].concat());
        expected.sort();
        assert_eq!(files(&root), expected, "{arguments:?} {ending:?}");
        let saved = rejects.first().map_or_else(String::new, |(name, _)| {
            format!(" -- saving rejects to file {name}")
        });
        let said =
            format!("Hunk #1 FAILED at 1.\n1 out of 2 hunks FAILED{saved}\npatching file y\n");
        assert!(ending.1.contains(&said), "{}", ending.1);
    }
    for arguments in [
        &["-p1"][..],
        &["-p1", "-r", "all"],
        &["-p1", "--reject", "-r", "../all"],
        &["-p1", "--reject", "-r", "y"],
    ] {
        let root = scene(start);
        let ending = told(&patch(root.path(), arguments, text.as_bytes()));
        assert!(
            ending.0 > 0 && files(&root) == of(start),
            "{arguments:?} {ending:?}"
        );
    }
}

#[test]
fn a_copy_of_an_old_file_has_a_name_of_its_own_in_the_report() {
    let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let memory = Memory::with_files(["x", "y"].map(|name| (path(name), Entry::file("1\n"))));
    let section = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-1\n+2\n");
    for only in [None, Some("f2")] {
        let mut request = Request::of([section("x"), section("y")].concat());
        request.decide.gnu.backup = Some(BackupNames {
            suffix: b".orig".to_vec(),
            ..BackupNames::default()
        });
        request.decide.only = only.map(|only| only.parse().unwrap());
        let report = engine::check(request, &memory).report;
        let names: Vec<_> = report
            .files
            .iter()
            .map(|file| (file.id.as_str(), file.path.to_string()))
            .collect();
        let names: Vec<_> = names
            .iter()
            .map(|(id, path)| (*id, path.as_str()))
            .collect();
        let all = [("f3", "x.orig"), ("f1", "x"), ("f4", "y.orig"), ("f2", "y")];
        assert_eq!(
            names,
            if only.is_some() {
                [("f3", "y.orig"), ("f2", "y")].to_vec()
            } else {
                all.to_vec()
            }
        );
    }
}
