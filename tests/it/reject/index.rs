//! `--reject` together with the index, next to git.

use fs_err as fs;
use serde_json::Value;

use super::{LINES, MIXED};
use crate::repository::git;
use crate::systems::Desk;
use crate::tree::{self, Tree};

/// Files by their names.
type Files<'f> = &'f [(&'f str, &'f [u8])];

/// A repository with the files that the patch is for; `also` are in its work tree alone.
pub(super) fn repository(patch: &str, also: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("c", b"c\n"),
        ("sub/x", b"x\n"),
    ]);
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-q", "-m", "first"],
    ] {
        assert!(
            git(arguments)
                .current_dir(desk.root())
                .status()
                .unwrap()
                .success()
        );
    }
    for (name, bytes) in also.iter().chain(&[("../patch", patch.as_bytes())]) {
        fs::write(desk.path(name), bytes).unwrap();
    }
    desk
}

/// What is in the work tree and in the index.
fn both(desk: &Desk) -> (Tree, Vec<u8>) {
    let mut files = tree::read(&desk.root());
    files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
    (
        files,
        git(&["ls-files", "-s"])
            .current_dir(desk.root())
            .output()
            .unwrap()
            .stdout,
    )
}

#[cfg(unix)]
#[test]
fn beside_the_index_it_does_what_git_does() {
    let fits = MIXED.replace("-FIVE", "-5").replace("-no", "-text");
    let c = "diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-c\n+C\n";
    let missing = format!("{}{MIXED}", c.replace("/c", "/missing"));
    let cases: [(&str, Files<'_>); 6] = [
        (MIXED, &[]),
        (&fits, &[]),
        (MIXED, &[("a.rej", b"mine\n")]),
        (&format!("{c}{fits}"), &[("c", b"other\n")]),
        (&format!("{c}{fits}"), &[("new", b"untracked\n")]),
        (&missing, &[]),
    ];
    for (nth, (patch, also)) in cases.into_iter().enumerate() {
        let reaches = ["--index", "--cached", "--intent-to-add"];
        for reach in reaches.into_iter().take(if nth == 0 { 3 } else { 2 }) {
            let [theirs, ours] = [(); 2].map(|()| repository(patch, also));
            let before = both(&ours);
            let apply = ["apply", "--reject", reach, "../patch"];
            let code = git(&apply)
                .current_dir(theirs.root())
                .output()
                .unwrap()
                .status
                .code();
            let look = ours.says(&["check", "--reject", reach, "../patch"], b"");
            assert_eq!(both(&ours), before, "a look changes nothing");
            let report = ours.says(&apply, b"");
            let after = both(&ours);
            assert_eq!(
                (report["exit_code"].as_i64(), &after),
                (code.map(i64::from), &both(&theirs)),
                "{reach} {patch}"
            );
            assert_eq!(report["changed"], after != before, "{reach} {report:#}");
            assert_eq!(
                (&look["exit_code"], &look["plan_id"]),
                (&report["exit_code"], &report["plan_id"]),
                "{reach}"
            );
            let is_kept = |problem: &Value| problem["code"] == "wpatch::git::index_kept";
            let has_rest = report["problems"].as_array().unwrap().iter().any(is_kept);
            assert_eq!(has_rest, code == Some(1), "{reach} {report:#}");
            if report["changed"] == true {
                ours.does(&["undo"], b"");
                assert_eq!(both(&ours), before, "{reach} {patch}");
            }
        }
    }
}
