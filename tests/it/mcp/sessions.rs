//! Edit sessions with the tools.

use fs_err as fs;
use serde_json::json;

use super::Client;
use crate::repository::init;
use crate::systems::Desk;

#[test]
fn the_tools_work_in_a_session_and_the_session_is_committed_at_once() {
    let desk = Desk::with(&[("a", b"one\n"), ("d/b", b"two\n")]);
    init(&desk.root());
    let verify = if cfg!(windows) {
        "if not exist new exit 1"
    } else {
        "test -e new"
    };
    let mut client = Client::of(&desk, &["--verify", verify]);
    let text = client.does("session", &json!({"action": "begin", "note": "why"}));
    let id = text.trim_end().rsplit(' ').next().unwrap().to_owned();
    let text = client.does(
        "str_replace",
        &json!({"path": "a", "old_str": "one", "new_str": "1", "session": id}),
    );
    assert!(text.contains("not in the tree yet"), "{text}");
    let edits = json!([{"path": "a", "old_str": "1", "new_str": "I"}, {"path": "d/b", "old_str": "two", "new_str": "2"}]);
    client.does("edit", &json!({"edits": edits, "session": id}));
    client.does(
        "create",
        &json!({"path": "new", "file_text": "x\n", "session": id}),
    );
    assert_eq!(
        (desk.bytes("a"), desk.path("new").exists()),
        (b"one\n".to_vec(), false)
    );
    let view = client.does("view", &json!({"path": "a", "session": id}));
    assert_eq!(view, "     1\tI\n");
    let listed = client.does("list", &json!({"session": id}));
    assert!(listed.contains("new"), "{listed}");
    let log = client.does("log", &json!({}));
    assert!(log.contains(&id) && log.contains("note: why"), "{log}");

    fs::write(desk.path("a"), "zero\none\n").unwrap();
    let commit = json!({"action": "commit", "id": id});
    let text = client.is_refused("stale", "session", &commit);
    assert!(
        text.contains("(stale): a: ") && text.contains("`rebase`"),
        "{text}"
    );
    assert!(!text.contains("--"), "{text}");
    fs::write(desk.path("a"), "one\n").unwrap();
    let checked = client.does("session", &json!({"action": "check", "id": id}));
    assert!(
        checked.contains("plan_id: ") && checked.contains("+I\n"),
        "{checked}"
    );
    client.does("session", &commit);
    assert_eq!(
        (desk.bytes("a"), desk.bytes("new")),
        (b"I\n".to_vec(), b"x\n".to_vec())
    );
    let text = client.is_refused("missing", "view", &json!({"path": "a", "session": id}));
    assert!(text.contains("no edit session matches"), "{text}");
    client.ends();
}
