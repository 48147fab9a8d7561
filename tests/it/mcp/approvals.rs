//! Approvals: by the argument `approve`, and by a question to the user.

use fs_err as fs;
use serde_json::{Value, json};

use super::protocol::metadata;
use super::{Client, read_result};
use crate::systems::Desk;

#[test]
fn a_model_does_not_approve_its_own_change() {
    let rule = b"[[rule]]\npaths = [\"**\"]\nops = [\"write\"]\nverdict = \"ask\"\n";
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", rule)]);
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    let mut client = Client::of(&desk, &[]);
    let (_, document, _) = client.calls("check_patch", &json!({"patch": patch}));
    let approved = json!({"patch": patch, "approve": document["plan_id"]});
    client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
    client.is_refused("approval_required", "apply_patch", &approved);
    client.ends();
    assert_eq!(desk.bytes("a"), b"one\n");

    let mut client = Client::of(&desk, &["--approvals"]);
    client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
    client.does("apply_patch", &approved);
    client.ends();
    assert_eq!(desk.bytes("a"), b"1\n");
}

#[test]
fn a_check_says_which_files_need_approval_and_why() {
    let desk = Desk::with(&[("a", b"one\n"), ("CLAUDE.md", b"one\n")]);
    let of = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+1\n");
    let patch = of("a") + &of("CLAUDE.md");
    for (arguments, help) in [
        (
            &[][..],
            "apply_patch cannot apply this patch; ask the user to approve and apply the change",
        ),
        (
            &["--approvals"],
            "ask the user to approve the change, then call apply_patch with approve",
        ),
    ] {
        let mut client = Client::of(&desk, arguments);
        let (text, document, _) = client.calls("check_patch", &json!({"patch": patch}));
        let plan = document["plan_id"].as_str().unwrap();
        let end = format!(
            "\nneeds approval: CLAUDE.md: the path controls Claude Code\nhelp: {help}\nplan_id: {plan}\n"
        );
        assert!(
            text.contains(&end) && !text.contains("needs approval: a"),
            "{text}"
        );
        client.is_refused("approval_required", "apply_patch", &json!({"patch": patch}));
        let text = client.does("check_patch", &json!({"patch": of("a")}));
        assert!(!text.contains("approv"), "{text}");
        client.ends();
    }
}

/// A policy that asks about every change.
const ASK: &[u8] = b"[[rule]]\npaths = [\"**\"]\nops = [\"write\"]\nverdict = \"ask\"\n";

/// Returns the answer of a user to the question about a change.
fn answer(action: &str, approve: bool) -> Value {
    json!({"action": action, "content": {"approve": approve}})
}

/// The answers of a user, and whether they approve the change.
fn answers() -> [(Value, bool); 4] {
    [
        (answer("accept", true), true),
        (answer("accept", false), false),
        (answer("decline", true), false),
        (json!({"action": "cancel"}), false),
    ]
}

fn assert_question(request: &Value) {
    assert_eq!(request["method"], "elicitation/create");
    let message = request["params"]["message"].as_str().unwrap();
    assert!(message.contains("\nmodify a +1 -1\n"), "{message}");
    assert_eq!(
        request["params"]["requestedSchema"]["required"],
        json!(["approve"])
    );
}

/// Calls a tool for a change about which policy asks. Returns the question to the user.
fn starts_change(client: &mut Client) -> Value {
    let arguments = json!({"path": "a", "old_str": "one", "new_str": "1"});
    let call = json!({"name": "str_replace", "arguments": arguments});
    client.sends("tools/call", &call);
    let question = client.hears();
    assert_question(&question);
    question
}

/// Sends the answer of the user, and returns the result of the call.
fn answers_question(
    client: &mut Client,
    question: &Value,
    answer: &Value,
) -> (String, Value, bool) {
    let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": answer});
    client.says(reply.to_string().as_bytes());
    read_result(&client.hears())
}

#[test]
fn the_user_approves_a_change_in_a_session() {
    for (answer, approves) in answers() {
        let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
        let mut client = Client::with(&desk, &[], r#"{"elicitation": {}}"#);
        let question = starts_change(&mut client);
        let (text, document, is_error) = answers_question(&mut client, &question, &answer);
        assert_eq!(is_error, !approves, "{text}");
        if !approves {
            assert_eq!(document["problems"][0]["kind"], "approval_required");
        }
        let expected: &[u8] = if approves { b"1\n" } else { b"one\n" };
        assert_eq!(desk.bytes("a"), expected);
        client.ends();
    }
}

#[test]
fn the_answer_of_the_user_is_an_approval_in_the_record() {
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
    desk.does(&["init"], b"");
    let mut client = Client::with(&desk, &["--by", "Alice"], r#"{"elicitation": {}}"#);
    let question = starts_change(&mut client);
    answers_question(&mut client, &question, &answer("accept", true));
    client.ends();
    let text = desk.bytes(".wpatch/audit.jsonl");
    let record: Value = serde_json::from_slice(&text).unwrap();
    let approval = json!({"how": "elicitation", "by": "Alice", "time": record["time"]});
    assert_eq!(record["approval"], approval, "{record:#}");
    assert_eq!(record["policy"]["verdict"], "ask");
}

#[test]
fn the_user_approves_a_change_without_a_session() {
    for (answer, approves) in answers() {
        let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
        let mut client = Client::without_session(&desk, &[]);
        let mut call = json!({
            "_meta": metadata(&json!({"elicitation": {}})),
            "name": "str_replace",
            "arguments": {"path": "a", "old_str": "one", "new_str": "1"},
        });
        let result = client.asks("tools/call", &call)["result"].clone();
        assert_eq!(result["resultType"], "input_required", "{result:#}");
        assert_question(&result["inputRequests"]["approve"]);
        call["requestState"] = result["requestState"].clone();
        call["inputResponses"] = json!({"approve": answer});
        let (text, ..) = read_result(&client.asks("tools/call", &call));
        let expected: &[u8] = if approves { b"1\n" } else { b"one\n" };
        assert_eq!(desk.bytes("a"), expected, "{text}");
        client.ends();
    }
}

#[test]
fn a_client_that_has_no_forms_is_not_asked() {
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
    let mut client = Client::with(&desk, &[], r#"{"elicitation": {"url": {}}}"#);
    let arguments = json!({"path": "a", "old_str": "one", "new_str": "1"});
    client.is_refused("approval_required", "str_replace", &arguments);
    client.ends();
}

#[test]
fn the_server_ends_with_the_input_while_it_waits_for_an_answer() {
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
    let mut client = Client::with(&desk, &[], r#"{"elicitation": {}}"#);
    starts_change(&mut client);
    client.input = None;
    assert_eq!(client.hears()["error"]["code"], -32603);
    client.ends();
    assert_eq!(desk.bytes("a"), b"one\n");
}

#[test]
fn a_question_is_withdrawn_when_its_call_is_cancelled() {
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
    let mut client = Client::with(&desk, &[], r#"{"elicitation": {}}"#);
    let question = starts_change(&mut client);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": client.last}});
    client.says(cancel.to_string().as_bytes());
    let withdrawal = client.hears();
    assert_eq!(
        (&withdrawal["method"], &withdrawal["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    client.does("view", &json!({"path": "a"}));
    client.ends();
    assert_eq!(desk.bytes("a"), b"one\n");
}

#[test]
fn an_approval_is_for_one_plan() {
    let desk = Desk::with(&[("a", b"one\n"), ("wpatch.toml", ASK)]);
    let mut client = Client::with(&desk, &[], r#"{"elicitation": {}}"#);
    let question = starts_change(&mut client);
    fs::write(desk.path("a"), "one\nother\n").unwrap();
    let (text, document, _) = answers_question(&mut client, &question, &answer("accept", true));
    assert_eq!(document["problems"][0]["kind"], "stale", "{text}");
    assert_eq!(desk.bytes("a"), b"one\nother\n");
    client.ends();
}

#[test]
fn the_root_is_the_first_root_of_the_client() {
    let desk = Desk::with(&[("sub dir/a", b"one\n")]);
    let call = json!({"name": "view", "arguments": {"path": "a"}});
    for (arguments, is_asked) in [(&[][..], true), (&["--root", "."], false)] {
        let mut client = Client::in_directory(&desk, arguments, r#"{"roots": {}}"#);
        client.sends("tools/call", &call);
        if is_asked {
            let question = client.hears();
            assert_eq!(question["method"], "roots/list");
            let uri = format!("file://{}/sub%20dir", desk.root().display());
            let roots = json!({"roots": [{"uri": uri}, {"uri": "file:///"}]});
            let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": roots});
            client.says(reply.to_string().as_bytes());
        }
        let (text, _, is_error) = read_result(&client.hears());
        assert_eq!(is_error, !is_asked, "{text}");
        client.ends();
    }
}
