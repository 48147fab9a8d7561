//! Every event that the documentation of a harness describes: the files in `events/`. Each file
//! names its source and its version.

use std::collections::BTreeMap;
use std::path::Path;

use fs_err as fs;
use serde_json::Value;

use super::NOTEBOOK;
use super::answers::{HARNESSES, answer, event_of, is_allowed};
use super::grants::{ALLOWED, SILENT};
use crate::systems::Desk;
use crate::world;

/// The documented events of each harness.
const DOCUMENTED: [(&str, &str); 5] = [
    (
        "claude",
        "SessionStart Setup InstructionsLoaded UserPromptSubmit UserPromptExpansion MessageDisplay PreToolUse \
         PermissionRequest PostToolUse PostToolUseFailure PostToolBatch PermissionDenied Notification SubagentStart \
         SubagentStop TaskCreated TaskCompleted Stop StopFailure TeammateIdle ConfigChange CwdChanged DirectoryAdded \
         FileChanged WorktreeCreate WorktreeRemove PreCompact PostCompact SessionEnd Elicitation ElicitationResult",
    ),
    (
        "codex",
        "SessionStart SessionEnd SubagentStart PreToolUse PermissionRequest PostToolUse PreCompact PostCompact \
         UserPromptSubmit SubagentStop Stop",
    ),
    (
        "gemini",
        "BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel BeforeToolSelection AfterModel SessionStart \
         SessionEnd Notification PreCompress",
    ),
    (
        "copilot",
        "sessionStart SessionStart sessionEnd SessionEnd userPromptSubmitted UserPromptSubmit userPromptTransformed \
         preToolUse PreToolUse postToolUse PostToolUse postToolUseFailure PostToolUseFailure agentStop Stop \
         subagentStart subagentStop SubagentStop errorOccurred ErrorOccurred preCompact PreCompact notification",
    ),
    (
        "cursor",
        "sessionStart sessionEnd preToolUse postToolUse postToolUseFailure subagentStart subagentStop \
         beforeShellExecution beforeMCPExecution afterShellExecution afterMCPExecution beforeReadFile afterFileEdit \
         beforeTabFileRead afterTabFileEdit beforeSubmitPrompt afterAgentResponse afterAgentThought stop preCompact \
         workspaceOpen",
    ),
];

/// Returns the JSON file `name`, with the paths of `desk`.
pub(super) fn fixture(desk: &Desk, name: &Path) -> Value {
    let text = fs::read_to_string(name).unwrap();
    with_paths(desk, serde_json::from_str(&text).unwrap())
}

/// Replaces `ROOT` and `HOME` in every string of `value` with the paths of `desk`, also in strings
/// that are JSON objects.
pub(super) fn with_paths(desk: &Desk, value: Value) -> Value {
    match value {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => with_paths(desk, object).to_string().into(),
            _ => text
                .replace("ROOT", desk.root().to_str().unwrap())
                .replace("HOME", world::real(desk.path("../home")).to_str().unwrap())
                .into(),
        },
        Value::Array(values) => values
            .into_iter()
            .map(|value| with_paths(desk, value))
            .collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, with_paths(desk, value)))
            .collect(),
        value => value,
    }
}

/// Returns the files in the directory `name`.
pub(super) fn files(name: &str) -> Vec<std::path::PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/hook")
        .join(name);
    let entries = fs::read_dir(directory).unwrap();
    let mut files: Vec<_> = entries.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the documented events of `harness` with their inputs.
fn events(desk: &Desk, harness: &str) -> Vec<(String, Value)> {
    let file = files("events")
        .into_iter()
        .find(|file| file.file_stem().unwrap() == harness);
    let mut document = fixture(desk, &file.unwrap());
    let text = |key: &str| document[key].as_str().unwrap().to_owned();
    assert!(text("source").starts_with("https://") && !text("version").is_empty());
    let events = document["events"].as_array_mut().unwrap();
    events
        .iter_mut()
        .map(|event| {
            (
                event["name"].as_str().unwrap().to_owned(),
                event["input"].take(),
            )
        })
        .collect()
}

/// Returns every input of `events/` and `calls/` with its harness.
fn inputs(desk: &Desk) -> Vec<(String, Value)> {
    let documented = HARNESSES.iter().flat_map(|harness| {
        let inputs = events(desk, harness).into_iter();
        inputs.map(|(_, input)| ((*harness).to_owned(), input))
    });
    let calls = files("calls").into_iter().map(|file| {
        let mut example = fixture(desk, &file);
        let harness = example["agent"].as_str().unwrap().to_owned();
        (harness, example["call"].take())
    });
    documented.chain(calls).collect()
}

/// Returns a root with the files of the calls and a policy.
pub(super) fn desk((policy, text): (&str, &str)) -> Desk {
    Desk::with(&[
        (
            "src/app.py",
            b"def f():\n    return 1\n\ndef g():\n    return 0\n",
        ),
        ("src/view.ts", b"x\n"),
        ("analysis.ipynb", NOTEBOOK.as_bytes()),
        ("vendor/lib.py", b"x\n"),
        ("keys/api.txt", b"x\n"),
        ("../home/.aws/credentials", b"x\n"),
        (policy, text.as_bytes()),
    ])
}

#[test]
fn every_documented_event_has_a_fixture() {
    let desk = desk(SILENT[0]);
    for (harness, documented) in DOCUMENTED {
        let names: Vec<_> = events(&desk, harness)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names.join(" "), documented, "{harness}");
    }
}

#[test]
fn a_harmless_call_and_an_event_without_a_call_get_no_answer() {
    let desk = desk(SILENT[0]);
    for harness in HARNESSES {
        for (name, input) in events(&desk, harness) {
            let output = answer(&desk, harness, &[], &input);
            assert_eq!(
                (output.status.code(), &output.stdout[..], &output.stderr[..]),
                (Some(0), &b""[..], &b""[..]),
                "{harness} {name}"
            );
        }
    }
}

#[test]
fn without_a_policy_that_allows_no_event_of_any_harness_is_allowed() {
    let mut refused = BTreeMap::new();
    for policy in SILENT {
        let desk = desk(policy);
        for (harness, input) in inputs(&desk) {
            let output = answer(&desk, &harness, &[], &input);
            assert!(
                !is_allowed(&output),
                "{policy:?} {harness} {input}: {output:?}"
            );
            let is_answer = !output.stdout.is_empty() || output.status.code() == Some(2);
            *refused.entry(harness).or_insert(0) += u32::from(is_answer);
        }
    }
    assert!(
        HARNESSES.iter().all(|harness| refused[*harness] > 20),
        "{refused:?}"
    );
}

/// The events in which a policy of the user allows a call: all that have an `allow`.
#[test]
fn a_policy_of_the_user_allows_in_each_event_that_can() {
    let (open, ruled) = (desk(SILENT[0]), desk(ALLOWED));
    let allowed = |desk: &Desk, options: &[&str]| {
        let mut events: Vec<_> = inputs(desk)
            .iter()
            .filter(|(harness, input)| is_allowed(&answer(desk, harness, options, input)))
            .map(|(harness, input)| format!("{harness} {}", event_of(input)))
            .collect();
        events.sort();
        events.dedup();
        events.join(", ")
    };
    let by_option = "claude PermissionRequest, claude PreToolUse, copilot PreToolUse, copilot preToolUse, cursor preToolUse";
    assert_eq!(allowed(&open, &["--allow"]), by_option);
    // A patch is never allowed by the option, only by a rule.
    let by_rule = by_option.replace(
        "copilot PreToolUse",
        "codex PermissionRequest, copilot PreToolUse",
    );
    assert_eq!(allowed(&ruled, &[]), by_rule);
}
