//! Statements 22 and 23: what can be taken back.

use fs_err as fs;
use serde_json::{Value, json};

use super::super::Desk;
use crate::tree;

#[test]
fn s22_two_changes_and_two_undos_lead_to_the_first_tree() {
    let desk = Desk::with(&[("a", b"1\n"), ("b", b"1\n")]);
    desk.does(&["init"], b"");
    let before = tree::read(&desk.root());
    desk.does(&["edit", "a", "--old", "1", "--new", "2"], b"");
    let second = json!({"replace": [{"path": "b", "content": "2\n"}, {"path": "new/dir/c", "content": "c\n"}]});
    desk.does(&["apply"], second.to_string().as_bytes());
    let log = desk.does(&["log"], b"");
    let told: Vec<_> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["command"])
        .collect();
    assert_eq!(told, ["apply", "edit"]);
    let paths: Vec<_> = log["entries"][0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["path"])
        .collect();
    assert_eq!(paths, ["b", "new/dir/c"]);
    assert_eq!(desk.does(&["undo"], b"")["changed"], true);
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"2\n".to_vec(), b"1\n".to_vec())
    );
    assert!(!desk.path("new").exists());
    assert_eq!(desk.does(&["undo"], b"")["changed"], true);
    assert_eq!(tree::read(&desk.root()), before);
    assert_eq!(
        desk.says(&["undo"], b"")["error"]["kind"],
        "nothing_to_undo"
    );
}

/// Returns what the log says of its newest entry, and of the files of that whose old contents it
/// does not have.
fn newest(desk: &Desk) -> (Value, Vec<Value>) {
    let entry = desk.does(&["log"], b"")["entries"][0].clone();
    let lost = entry["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["lost"] == true);
    (
        entry["coverage"].clone(),
        lost.map(|file| file["path"].clone()).collect(),
    )
}

#[test]
fn s23_large_files_come_back_as_well() {
    let large = [b"start\n".as_slice(), &vec![b'x'; 3 << 20]].concat();
    let desk = Desk::with(&[("large", &large), ("small", b"1\n")]);
    desk.does(&["init"], b"");
    desk.does(&["edit", "large", "--old", "start", "--new", "begin"], b"");
    assert_eq!(newest(&desk), (json!("full"), vec![]));
    desk.does(&["undo"], b"");
    assert!(desk.bytes("large") == large);
}

#[test]
fn s23_what_cannot_come_back_is_named_as_a_gap() {
    let desk = Desk::with(&[("large", &vec![b'x'; 2 << 20]), ("small", b"1\n")]);
    desk.does(&["init"], b"");
    let both = json!({"replace": [{"path": "large", "content": "l\n"}, {"path": "small", "content": "2\n"}]});
    desk.does(&["apply"], both.to_string().as_bytes());
    let kept = walkdir::WalkDir::new(desk.path(".wpatch"))
        .into_iter()
        .map(Result::unwrap);
    let kept = kept.filter(|entry| entry.metadata().unwrap().len() == 2 << 20);
    for entry in kept {
        fs::remove_file(entry.path()).unwrap();
    }
    assert_eq!(newest(&desk), (json!("partial"), vec![json!("large")]));
    let refused = desk.says(&["undo"], b"");
    assert_eq!(
        (&refused["error"]["path"], &refused["changed"]),
        (&json!("large"), &json!(false))
    );
    assert_eq!(
        (desk.bytes("large"), desk.bytes("small")),
        (b"l\n".to_vec(), b"2\n".to_vec())
    );
}
