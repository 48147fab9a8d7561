//! The fields of records that come from the caller.

use fs_err as fs;
use serde_json::{Value, json};

use crate::systems::Desk;
use crate::world::wpatch;

const PATCH: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n";
const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Returns a root with a history.
pub(super) fn desk() -> Desk {
    let desk = Desk::with(&[("a", b"1\n")]);
    desk.does(&["init"], b"");
    desk
}

/// Returns the records of `desk`, after comparing each with its schema.
pub(super) fn records(desk: &Desk) -> Vec<Value> {
    let schema = wpatch::report::SCHEMAS
        .iter()
        .find(|schema| schema.name == "audit")
        .unwrap();
    let schema = serde_json::from_str(&(schema.text)()).unwrap();
    let text = String::from_utf8(desk.bytes(".wpatch/audit.jsonl")).unwrap();
    let parse = |line| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(jsonschema::is_valid(&schema, &record), "{record:#}");
        record
    };
    text.lines().map(parse).collect()
}

/// Returns the fields of the last record and of the last entry of the log, which must be equal.
fn last(desk: &Desk) -> Value {
    let record = records(desk).pop().unwrap();
    let entry = desk.does(&["log"], b"")["entries"][0].clone();
    for field in [
        "id",
        "plan_id",
        "approval",
        "actor",
        "by",
        "request_id",
        "traceparent",
        "policy",
        "patches",
        "command",
        "hunks",
        "reason",
    ] {
        // The log leaves out an empty list of reasons, and has `null` for no field.
        assert_eq!(record.get(field), entry.get(field), "{field}");
    }
    record
}

#[test]
fn a_record_names_the_caller_the_patch_and_the_plan() {
    let desk = desk();
    let check = desk.does(&["check"], PATCH.as_bytes());
    let options = [
        "--actor",
        "ai:vendor/model",
        "--by",
        "Alice",
        "--request-id",
        "42",
    ];
    desk.does(&[&["apply"][..], &options].concat(), PATCH.as_bytes());
    let record = last(&desk);
    let sha256 = wpatch::digest::Sha256::of(PATCH.as_bytes()).to_string();
    assert_eq!(
        json!([
            record["actor"],
            record["by"],
            record["request_id"],
            record["patches"]
        ]),
        json!(["ai:vendor/model", "Alice", "42", [sha256]])
    );
    assert_eq!(record["plan_id"], check["plan_id"]);
    assert_eq!(record["policy"], json!({"verdict": "allow"}));
    assert_eq!(record["approval"], Value::Null);
    let text = String::from_utf8(desk.runs(&["log"], b"").stdout).unwrap();
    assert!(
        text.contains("  actor: ai:vendor/model\n  by: Alice\n  request: 42\n"),
        "{text}"
    );
    desk.does(&["undo", "--by", "Bob"], b"");
    assert_eq!(last(&desk)["by"], "Bob");
    desk.does(
        &[
            "edit",
            "a",
            "--old",
            "1",
            "--new",
            "3",
            "--actor",
            "human:bob",
        ],
        b"",
    );
    assert_eq!(last(&desk)["actor"], "human:bob");
}

#[test]
fn an_approval_is_recorded_with_its_kind() {
    let desk = desk();
    let id = desk.does(&["check"], PATCH.as_bytes())["plan_id"].clone();
    let id = id.as_str().unwrap();
    desk.does(
        &["apply", "--approve", id, "--by", "Alice"],
        PATCH.as_bytes(),
    );
    let record = last(&desk);
    assert_eq!(
        record["approval"],
        json!({"how": "plan_id", "by": "Alice", "time": record["time"]})
    );
    let text = String::from_utf8(desk.runs(&["log"], b"").stdout).unwrap();
    assert!(text.contains(&format!("  approved: {id}\n")), "{text}");

    fs::write(
        desk.path("../policy.toml"),
        "[[rule]]\nname = \"texts\"\npaths = [\"**\"]\nops = [\"modify\"]\nverdict = \"allow\"\n",
    )
    .unwrap();
    desk.does(
        &[
            "--policy",
            "../policy.toml",
            "edit",
            "a",
            "--old",
            "2",
            "--new",
            "3",
        ],
        b"",
    );
    let record = last(&desk);
    assert_eq!(
        record["approval"],
        json!({"how": "policy", "rule": "texts", "time": record["time"]})
    );
    assert_eq!(record["policy"]["rules"], json!(["texts"]));
}

#[test]
fn a_valid_trace_context_is_recorded() {
    let desk = desk();
    for (number, (context, recorded)) in [(TRACE, true), ("00-0-0-01", false), ("", false)]
        .into_iter()
        .enumerate()
    {
        let (old, new) = ((number + 1).to_string(), (number + 2).to_string());
        let edit = ["edit", "a", "--old", &old, "--new", &new];
        let mut command = wpatch();
        command
            .args(edit)
            .current_dir(desk.root())
            .env("TRACEPARENT", context);
        assert!(command.output().unwrap().status.success());
        let expected = if recorded {
            json!(context)
        } else {
            Value::Null
        };
        assert_eq!(last(&desk)["traceparent"], expected, "{context}");
    }
}

#[test]
fn a_text_that_a_record_cannot_contain_is_refused() {
    let desk = desk();
    let long = "x".repeat(513);
    for text in ["", " ", "a\nb", &long] {
        for option in ["--actor", "--by", "--request-id"] {
            desk.refuses("usage", &["apply", option, text], PATCH.as_bytes());
            desk.refuses("usage", &["undo", option, text], b"");
        }
    }
    desk.refuses("usage", &["apply", "--sign-with", " "], PATCH.as_bytes());
}

#[test]
fn a_tool_call_records_the_client_and_the_request() {
    let desk = desk();
    let call = (
        "str_replace",
        json!({"path": "a", "old_str": "1", "new_str": "2"}),
    );
    desk.serves(&[], &[call]);
    let record = last(&desk);
    let actor = record["actor"].as_str().unwrap();
    assert!(actor.starts_with("ai:") && actor.contains('/'), "{actor}");
    assert!(record["request_id"].is_string(), "{record:#}");
    let call = (
        "str_replace",
        json!({"path": "a", "old_str": "2", "new_str": "3"}),
    );
    desk.serves(&["--actor", "ai:vendor/model", "--by", "Alice"], &[call]);
    let record = last(&desk);
    assert_eq!(
        json!([record["actor"], record["by"]]),
        json!(["ai:vendor/model", "Alice"])
    );
}
