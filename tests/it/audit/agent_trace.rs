//! The history as trace records of Agent Trace, <https://agent-trace.dev>.

use serde_json::{Value, json};

use super::requests::desk;
#[cfg(unix)]
use crate::repository::{git, run};
use crate::systems::Desk;

/// Returns a JSON Schema of the facts in section 6.1 of the specification, in its words for the
/// names of members: which members are required, and what their values are.
fn schema() -> Value {
    let text = json!({"type": "string"});
    let line = json!({"type": "integer", "minimum": 1});
    let contributor = json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"enum": ["human", "ai", "mixed", "unknown"]},
            "model_id": {"type": "string", "maxLength": 250},
        },
    });
    let range = json!({
        "type": "object",
        "required": ["start_line", "end_line"],
        "properties": {
            "start_line": line, "end_line": line, "content_hash": text, "contributor": contributor,
        },
    });
    let conversation = json!({
        "type": "object",
        "required": ["ranges"],
        "properties": {
            "url": {"type": "string", "format": "uri"},
            "contributor": contributor,
            "ranges": {"type": "array", "items": range},
        },
    });
    let file = json!({
        "type": "object",
        "required": ["path", "conversations"],
        "properties": {
            "path": text, "conversations": {"type": "array", "items": conversation},
        },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["version", "id", "timestamp", "files"],
        "properties": {
            "version": {"type": "string", "pattern": "^[0-9]+[.][0-9]+[.][0-9]+$"},
            "id": {"type": "string", "format": "uuid"},
            "timestamp": {"type": "string", "format": "date-time"},
            "vcs": {
                "type": "object",
                "required": ["type", "revision"],
                "properties": {"type": {"enum": ["git", "jj", "hg", "svn"]}, "revision": text},
            },
            "tool": {"type": "object", "properties": {"name": text, "version": text}},
            "files": {"type": "array", "items": file},
            "metadata": {"type": "object"},
        },
    })
}

/// Returns the trace records of `desk`, after comparing each with the schema.
fn traces(desk: &Desk) -> Vec<Value> {
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema())
        .unwrap();
    let output = desk.runs(&["log", "--format", "agent-trace"], b"");
    assert!(output.status.success(), "{output:?}");
    let parse = |line| {
        let trace: Value = serde_json::from_str(line).unwrap();
        let errors: Vec<_> = validator
            .iter_errors(&trace)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?} {trace:#}");
        trace
    };
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(parse)
        .collect()
}

#[test]
fn the_schema_refuses_other_documents() {
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema())
        .unwrap();
    for document in [
        json!({}),
        json!({"version": "1", "id": "x", "timestamp": "x", "files": []}),
        json!({"version": "0.1.0", "id": "x", "timestamp": "2026-01-01T00:00:00Z", "files": []}),
    ] {
        assert!(!validator.is_valid(&document), "{document}");
    }
}

#[test]
fn a_trace_lists_the_lines_that_a_change_wrote_and_their_author() {
    let desk = desk();
    let model = "ai:anthropic/claude-opus-4-5";
    let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
    desk.does(
        &["write", "b", "--content", text, "--actor", "human:alice"],
        b"",
    );
    let patch = "--- a/b\n+++ b/b\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n@@ -9,2 +10,2 @@\n nine\n-ten\n+10\n\
        --- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    desk.does(&["apply", "--actor", model], patch.as_bytes());
    desk.does(&["edit", "b", "--old", "one", "--new", "1"], b"");
    let id = format!("sha256:{}", "5".repeat(64));
    desk.does(&["reject", &id], b"");
    let all = traces(&desk);
    assert_eq!(all.len(), 3);
    let of = |trace: &Value| {
        let file = &trace["files"][0];
        let conversation = &file["conversations"][0];
        let ranges = conversation["ranges"].as_array().unwrap().iter();
        let ranges: Vec<_> = ranges
            .map(|range| json!([range["start_line"], range["end_line"]]))
            .collect();
        json!([file["path"], conversation["contributor"], ranges])
    };
    // The newest change is first.
    assert_eq!(of(&all[0]), json!(["b", {"type": "unknown"}, [[1, 1]]]));
    let contributor = json!({"type": "ai", "model_id": "anthropic/claude-opus-4-5"});
    assert_eq!(of(&all[1]), json!(["b", contributor, [[2, 3], [11, 11]]]));
    assert_eq!(of(&all[2]), json!(["b", {"type": "human"}, [[1, 10]]]));
    // A deleted file has no lines.
    assert_eq!(all[1]["files"].as_array().unwrap().len(), 1);
    assert_eq!(all[1]["metadata"]["dev.wpatch"]["actor"], model);
    let ids: std::collections::BTreeSet<_> = all.iter().map(|it| it["id"].to_string()).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(all[0].get("vcs"), None);
}

#[cfg(unix)]
#[test]
fn a_trace_in_a_git_work_tree_names_its_commit() {
    let desk = Desk::with(&[("a", b"1\n")]);
    let git = |arguments: &[&str]| {
        let output = run(git(arguments).current_dir(desk.root()), b"");
        String::from_utf8(output).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    let commit = git(&["rev-parse", "HEAD"]);
    desk.does(&["edit", "a", "--old", "1", "--new", "2"], b"");
    assert_eq!(
        traces(&desk)[0]["vcs"],
        json!({"type": "git", "revision": commit})
    );
}
