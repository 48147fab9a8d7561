//! Several calls at once: their order, cancellation, progress, and the end of the input.

use std::fmt::Write as _;
#[cfg(unix)]
use std::process::Command;

use fs_err as fs;
use serde_json::{Value, json};

use super::{Client, read_result};
use crate::systems::Desk;
use crate::tree;

/// The number of files of a long change.
const FILES: usize = 5_000;
/// The limit on the size of a result, in bytes: about 25,000 tokens.
const MAX_RESULT: usize = 100_000;

/// Returns a patch that creates `count` files.
fn creations(count: usize) -> String {
    (0..count).fold(String::new(), |mut patch, number| {
        let _ = write!(
            patch,
            "diff --git a/d/{number} b/d/{number}\nnew file mode 100644\n--- /dev/null\n+++ b/d/{number}\n@@ -0,0 +1 @@\n+{number}\n"
        );
        patch
    })
}

impl Client {
    /// Sends a call of a tool, with the token `0` for its progress, and does not wait for the
    /// result. Returns the identifier of the call.
    fn starts(&mut self, name: &str, arguments: &Value) -> u64 {
        self.last += 1;
        let params = json!({"name": name, "arguments": arguments, "_meta": {"progressToken": 0}});
        let call =
            json!({"jsonrpc": "2.0", "id": self.last, "method": "tools/call", "params": params});
        self.says(call.to_string().as_bytes());
        self.last
    }

    /// Returns the progress notifications that precede the next response, and the response.
    fn waits(&mut self) -> (Vec<Value>, Value) {
        let mut progress = Vec::new();
        loop {
            let message = self.hears();
            if message["method"] != "notifications/progress" {
                return (progress, message);
            }
            progress.push(message["params"].clone());
        }
    }
}

#[test]
fn a_cancelled_call_changes_nothing() {
    let desk = Desk::with(&[("a", b"one\n"), (".git/HEAD", b"ref: refs/heads/main\n")]);
    let before = tree::read(&desk.root());
    let mut client = Client::of(&desk, &[]);
    let id = client.starts("apply_patch", &json!({"patch": creations(FILES)}));
    // The first progress notification shows that the call runs.
    assert_eq!(client.hears()["method"], "notifications/progress");
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.says(cancel.to_string().as_bytes());
    client.last += 1;
    let ping = json!({"jsonrpc": "2.0", "id": client.last, "method": "ping"});
    client.says(ping.to_string().as_bytes());
    let (_, answer) = client.waits();
    assert_eq!(
        answer["id"], client.last,
        "a cancelled call has no response"
    );
    // A call that changes files waits for the rollback.
    client.does("create", &json!({"path": "b", "file_text": ""}));
    fs::remove_file(desk.path("b")).unwrap();
    client.ends();
    let after = tree::read(&desk.root());
    let files = |tree: &tree::Tree| {
        let names = tree
            .keys()
            .filter(|name| !name.as_bytes().starts_with(b".git/"));
        names.cloned().collect::<Vec<_>>()
    };
    assert_eq!(files(&after), files(&before));
}

#[test]
fn a_ping_is_answered_during_a_call_and_the_progress_increases() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    let id = client.starts("apply_patch", &json!({"patch": creations(FILES)}));
    client.last += 1;
    let ping = json!({"jsonrpc": "2.0", "id": client.last, "method": "ping"});
    client.says(ping.to_string().as_bytes());
    let (mut progress, answer) = client.waits();
    assert_eq!(answer["id"], client.last, "the ping is answered first");
    let (more, answer) = client.waits();
    progress.extend(more);
    assert_eq!(answer["id"], id);
    assert!(!read_result(&answer).2);
    let values: Vec<_> = progress
        .iter()
        .map(|params| params["progress"].as_f64().unwrap())
        .collect();
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    client.ends();
}

#[cfg(unix)]
#[test]
fn after_a_signal_the_change_is_rolled_back_and_each_call_has_a_result() {
    let desk = Desk::with(&[]);
    let mut client = Client::of(&desk, &[]);
    let change = client.starts("apply_patch", &json!({"patch": creations(FILES)}));
    assert_eq!(client.hears()["method"], "notifications/progress");
    // These calls wait for the change.
    let others = ["list", "log"].map(|name| client.starts(name, &json!({})));
    client.last += 1;
    let ping = json!({"jsonrpc": "2.0", "id": client.last, "method": "ping"});
    client.says(ping.to_string().as_bytes());
    assert_eq!(client.waits().1["id"], client.last);
    let server = client.server.id().to_string();
    assert!(Command::new("kill").arg(server).status().unwrap().success());
    let mut answers: Vec<_> = (0..3).map(|_| client.waits().1).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let answered: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(answered, [change, others[0], others[1]]);
    assert!(read_result(&answers[0]).2);
    assert_eq!(client.server.wait().unwrap().code(), Some(143));
    assert!(!desk.path("d").exists());
}

#[test]
fn calls_have_the_effect_of_their_order() {
    let desk = Desk::with(&[("a", b"0\n")]);
    let mut client = Client::of(&desk, &[]);
    let edits: Vec<_> = (0..60)
        .map(|number: usize| {
            let (old, new) = (number.to_string(), (number + 1).to_string());
            client.starts(
                "str_replace",
                &json!({"path": "a", "old_str": old, "new_str": new}),
            )
        })
        .collect();
    let view = client.starts("view", &json!({"path": "a"}));
    let mut answers: Vec<_> = (0..=edits.len()).map(|_| client.waits().1).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert!(answers.iter().all(|answer| !read_result(answer).2));
    assert_eq!(answers.last().unwrap()["id"], view);
    assert_eq!(read_result(answers.last().unwrap()).0, "     1\t60\n");
    client.ends();
}

#[test]
fn the_end_of_the_input_waits_for_the_calls() {
    let desk = Desk::with(&[]);
    let arguments = json!({"patch": creations(1_000)});
    let options = ["--durability", "none"];
    let result = desk.serves(&options, &[("apply_patch", arguments)])[0].take();
    assert_eq!(result["isError"], false, "{result:#}");
    assert_eq!(fs::read_dir(desk.path("d")).unwrap().count(), 1_000);
}

#[test]
fn the_results_of_large_changes_are_short() {
    let desk = Desk::with(&[]);
    let long = "x".repeat(200);
    let patch = creations(2_000).replace("d/", &format!("{long}/"));
    let listed = json!({"path": &long});
    let calls = [
        ("check_patch", json!({"patch": &patch})),
        ("apply_patch", json!({"patch": &patch})),
        ("apply_patch", json!({"patch": &patch})),
        ("view", listed.clone()),
        ("list", listed),
        ("log", json!({})),
    ];
    let results = desk.serves(&["--durability", "none"], &calls);
    for ((name, _), result) in calls.iter().zip(&results) {
        let size = result.to_string().len();
        assert!(size < MAX_RESULT, "{name}: {size}");
    }
    let document = &results[1]["structuredContent"];
    let listed = document["files"].as_array().unwrap().len();
    let omitted = document["omitted_files"].as_u64().unwrap();
    assert_eq!(listed + usize::try_from(omitted).unwrap(), 2_000);
    let text = document["message"].as_str().unwrap();
    assert!(
        text.contains(&format!("\n{omitted} more files are not listed\n")),
        "{text}"
    );
}
