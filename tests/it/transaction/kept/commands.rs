//! What the commands say of files that a rollback cannot put back.
#![cfg(unix)]

use serde_json::Value;

use crate::systems::Desk;

const PATCH: &[u8] =
    b"--- a/f1\n+++ b/f1\n@@ -1 +1 @@\n-one\n+1\n--- a/f2\n+++ b/f2\n@@ -1 +1 @@\n-two\n+2\n";

fn desk() -> Desk {
    let desk = Desk::with(&[("f1", b"one\n"), ("f2", b"two\n")]);
    desk.does(&["init"], b"");
    desk
}

/// Returns the only kept file of `kept`, which has to be at the place that it names.
fn kept(desk: &Desk, kept: &Value) -> Vec<u8> {
    let [kept] = &kept.as_array().unwrap()[..] else {
        panic!("{kept:#}")
    };
    assert_eq!(kept["path"], "f1");
    desk.bytes(kept["copy"].as_str().unwrap())
}

#[test]
fn recover_exits_5_and_says_where_the_file_is() {
    let desk = desk();
    let killed = desk.runs(&["apply", "--verify", "kill -9 $PPID"], PATCH);
    assert!(!killed.status.success() && desk.bytes("f1") == b"1\n");
    fs_err::write(desk.path("f1"), "1\nedit\n").unwrap();
    for ending in ["rolled_back", "kept"] {
        let report = desk.says(&["recover"], b"");
        let recovered = &report["transaction"]["recovered"][0];
        assert_eq!(
            (&report["exit_code"], &recovered["ending"]),
            (&5.into(), &ending.into()),
            "{report:#}"
        );
        assert_eq!(
            (&recovered["left"], kept(&desk, &recovered["kept"])),
            (&serde_json::json!(["f1"]), b"one\n".to_vec())
        );
        assert_eq!(
            (desk.bytes("f1"), desk.bytes("f2")),
            (b"1\nedit\n".to_vec(), b"two\n".to_vec())
        );
    }
    let text = desk.runs(&["recover"], b"");
    let copy = desk.says(&["log"], b"")["entries"][0]["kept"][0]["copy"]
        .as_str()
        .unwrap()
        .to_owned();
    let [out, err] = [text.stdout, text.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(
        out.contains(&copy) && err.contains(&copy) && err.contains("f1"),
        "{out}{err}"
    );
    fs_err::rename(desk.path(&copy), desk.path("f1")).unwrap();
    assert_eq!(desk.does(&["recover"], b"")["transaction"], Value::Null);
}

#[test]
fn a_verification_that_cannot_be_rolled_back_is_an_aborted_entry() {
    let desk = desk();
    let report = desk.says(&["apply", "--verify", "echo edit >>f1; exit 1"], PATCH);
    assert_eq!(
        (&report["exit_code"], &report["changed"]),
        (&5.into(), &true.into()),
        "{report:#}"
    );
    assert_eq!(report["transaction"]["left"], serde_json::json!(["f1"]));
    assert_eq!(kept(&desk, &report["transaction"]["kept"]), b"one\n");
    assert_eq!(
        (desk.bytes("f1"), desk.bytes("f2")),
        (b"1\nedit\n".to_vec(), b"two\n".to_vec())
    );
    let log = desk.says(&["log"], b"");
    assert_eq!(
        (&log["entries"][0]["state"], &log["entries"][1]),
        (&"aborted".into(), &Value::Null),
        "{log:#}"
    );
    assert_eq!(kept(&desk, &log["entries"][0]["kept"]), b"one\n");
    assert_eq!(desk.says(&["recover"], b"")["exit_code"], 5);
}
