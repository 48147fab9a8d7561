//! Statements on checks and approvals.

use fs_err as fs;
use serde_json::json;

use super::{envelope, files, replacing};
use crate::systems::Desk;
use crate::tree;

#[test]
fn s11_a_check_has_what_an_approval_window_needs() {
    let desk = Desk::with(&[("a", b"one\n"), ("gone", b"x\n")]);
    let before = tree::read(&desk.root());
    let sections = "*** Update File: a\n*** Move to: b\n@@\n-one\n+1\n*** Delete File: gone\n*** Add File: n\n+x\n";
    let report = desk.does(&["check"], &envelope(sections));
    let moved = "diff --git a/a b/b\nsimilarity index 0%\nrename from a\nrename to b\nindex 5626abf0f72e..d00491fd7e5b \
                 100644\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-one\n+1\n";
    let gone = "diff --git a/gone b/gone\ndeleted file mode 100644\nindex 587be6b4c3f9..000000000000\n--- a/gone\n\
                +++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let made = "diff --git a/n b/n\nnew file mode 100644\nindex 000000000000..587be6b4c3f9\n--- /dev/null\n+++ b/n\n\
                @@ -0,0 +1 @@\n+x\n";
    let expected = json!([
        ["rename", "b", "a", moved],
        ["delete", "gone", null, gone],
        ["create", "n", null, made]
    ]);
    assert_eq!(files(&report, &["op", "path", "from", "diff"]), expected);
    let made = &report["files"][2];
    let digest = "sha256:73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac";
    assert_eq!(
        (&made["sha256_after"], &made["after"]["size"]),
        (&json!(digest), &json!(2))
    );
    assert_eq!(
        report["plan_id"].as_str().map(str::len),
        Some("sha256:".len() + 64)
    );
    assert_eq!(tree::read(&desk.root()), before, "a check writes nothing");
}

#[test]
fn s11_a_long_diff_is_cut_and_says_so() {
    let desk = Desk::with(&[]);
    let patch = envelope(&format!(
        "*** Add File: n\n{}",
        "+a line of the new file\n".repeat(1000)
    ));
    let cut = |arguments: &[&str]| {
        let file = desk.does(arguments, &patch)["files"][0].clone();
        (
            file["diff"].as_str().unwrap().len(),
            file["diff_truncated"] == true,
        )
    };
    let (length, is_cut) = cut(&["check"]);
    assert!(is_cut && length <= 16 << 10 && length > 16_000, "{length}");
    assert_eq!(cut(&["check", "--diff-max-bytes", "200"]), (186, true));
    assert_eq!(
        cut(&["check", "--with-diff"]),
        cut(&["check", "--diff-max-bytes", "99999"])
    );
    assert!(!cut(&["check", "--with-diff"]).1);
    assert_eq!(
        desk.does(&["check", "--no-large-diff"], &patch)["files"][0]["diff"]
            .as_str()
            .map(str::len),
        Some(length)
    );
    let large = envelope(&format!("*** Add File: n\n{}", "+x\n".repeat(2001)));
    assert_eq!(
        desk.does(&["check", "--no-large-diff"], &large)["files"][0]["diff"],
        json!(null)
    );
}

#[test]
fn s12_an_approval_holds_for_this_patch_on_this_tree() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let patch = replacing("one", "1");
    let id = desk.does(&["check"], &patch)["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let approved = ["apply", "--approve", &id];
    desk.refuses("stale", &approved, &replacing("one", "2"));
    fs::write(desk.path("a"), "one\nelse\n").unwrap();
    desk.refuses("stale", &approved, &patch);
    fs::write(desk.path("a"), "one\n").unwrap();
    assert_eq!(desk.does(&approved, &patch)["plan_id"], id);
    assert_eq!(desk.bytes("a"), b"1\n");
}
