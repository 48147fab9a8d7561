//! The same limits in a batch, for a model and for a hook: whatever fails, the answer is short and
//! counts the rest.

use serde_json::{Value, json};

use super::{MANY_FILES, ONE_FILE, header, hunk, many};
use crate::run::valid;
use crate::systems::Desk;

/// Most bytes of what a model is told.
const WORDS: usize = 1000;
const HUNKS: usize = 1500;
/// Most edits that a hook checks in one call.
const EDITS: usize = 1000;
const FILES: usize = 2000;

/// Patches of which everything fails, how many problems that makes, and how long a document may be.
fn patches() -> [(String, usize, usize); 3] {
    let files = |section: &dyn Fn(usize) -> String| (0..FILES).map(section).collect::<String>();
    let missing = files(&|file| header(&format!("f{file}")) + &hunk(1, false));
    let deletions = files(&|file| format!("*** Delete File: f{file}\n"));
    let envelope = format!("*** Begin Patch\n{deletions}*** End Patch\n");
    [
        (header("a") + &many(HUNKS), HUNKS, ONE_FILE),
        (missing, FILES, MANY_FILES),
        (envelope, FILES, MANY_FILES),
    ]
}

fn desk() -> Desk {
    Desk::with(&[("a", b"line 0\nline 1\n")])
}

/// Asserts that `text` is short and counts all of `problems`, of which it names five.
fn is_short(text: &str, problems: usize) {
    assert!(text.len() < WORDS, "{}", text.len());
    assert!(
        text.contains(&format!("and {} more problems", problems - 5)),
        "{text}"
    );
}

#[test]
fn a_batch_answers_with_short_reports() {
    let desk = desk();
    let root = desk.root();
    let job = |(patch, ..): &(String, usize, usize)| {
        format!("{}\n", json!({"root": root, "patch": patch}))
    };
    let all = patches();
    let output = desk.runs(
        &["check", "--batch", "--jobs", "1"],
        all.iter().map(job).collect::<String>().as_bytes(),
    );
    let lines: Vec<_> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(lines.len(), all.len());
    for (line, (_, problems, most)) in lines.iter().zip(&all) {
        assert!(line.len() < *most, "{}", line.len());
        let answer: Value = serde_json::from_slice(line).unwrap();
        let report = valid(answer["report"].clone());
        let listed = report["problems"].as_array().unwrap().len();
        let omitted = report["omitted"]["problems"].as_u64().unwrap();
        assert_eq!(listed + usize::try_from(omitted).unwrap(), *problems);
    }
}

#[test]
fn a_model_is_told_little_of_many_failures() {
    let desk = desk();
    for (patch, problems, _) in patches() {
        let arguments = json!({"patch": patch});
        let calls = ["check_patch", "apply_patch"].map(|tool| (tool, arguments.clone()));
        for result in desk.serves(&["--durability", "none"], &calls) {
            assert!(result.to_string().len() < 3 * WORDS, "{result:#}");
            is_short(result["content"][0]["text"].as_str().unwrap(), problems);
        }
    }
}

#[test]
fn a_hook_says_little_of_many_failures() {
    let desk = desk();
    let chunks = (0..HUNKS)
        .map(|nth| format!("@@\n-absent {nth}\n+new\n"))
        .collect::<Vec<_>>()
        .concat();
    let [_, _, (envelope, problems, _)] = patches();
    let changes = format!("*** Begin Patch\n*** Update File: a\n{chunks}*** End Patch\n");
    let edits: Vec<_> = (0..EDITS)
        .map(|nth| json!({"old_string": format!("absent {nth}"), "new_string": "x"}))
        .collect();
    let calls = [
        ("codex", "apply_patch", json!({"command": changes}), HUNKS),
        (
            "codex",
            "apply_patch",
            json!({"command": envelope}),
            problems,
        ),
        (
            "claude",
            "MultiEdit",
            json!({"file_path": desk.path("a"), "edits": edits}),
            EDITS,
        ),
    ];
    for (agent, tool, input, problems) in calls {
        let call = json!({
            "session_id": "s", "transcript_path": null, "cwd": desk.root(), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t",
        });
        let output = desk.runs(&["hook", agent], call.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        is_short(
            answer["hookSpecificOutput"]["permissionDecisionReason"]
                .as_str()
                .unwrap(),
            problems,
        );
    }
}

#[test]
fn one_omitted_problem_is_counted_in_the_singular() {
    let patch = (0..6).map(|file| header(&format!("f{file}")) + &hunk(1, false));
    let patch = patch.collect::<String>();
    let output = desk().runs(&["check", "--output", "acp"], patch.as_bytes());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = told["content"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("and 1 more problem\n"), "{text}");
}
