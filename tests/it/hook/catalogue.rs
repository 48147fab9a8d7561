//! Every refusal of the fixtures, as a model reads it behind a server and in a hook.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::call;
use super::words::is_for_a_model;
use crate::case::Case;
use crate::systems::{Desk, fed, program};
use crate::tree;

/// Returns the answer of a server to `patch`.
fn served(desk: &Desk, case: &Case, patch: &str) -> Value {
    let settings = &case.settings;
    let mut arguments = json!({"patch": patch, "lenient": settings.lenient});
    if let Some(strip) = settings.strip {
        arguments["strip"] = strip.into();
    }
    desk.serves(&[], &[("check_patch", arguments)])[0].take()
}

#[test]
fn no_refusal_shows_an_option_to_a_model() {
    let (mut codes, mut denials) = (BTreeSet::new(), 0);
    for case in Case::all().iter().filter(|case| case.after.is_none()) {
        let Ok(patch) = std::str::from_utf8(&case.patch) else {
            continue;
        };
        let desk = Desk::with(&[]);
        tree::write(&case.before, &desk.root());
        let answer = served(&desk, case, patch);
        // A line of the patch or of the file can have anything.
        let document = &answer["structuredContent"];
        for problem in document["problems"].as_array().unwrap() {
            is_for_a_model(
                &json!([problem["message"], problem["help"]]).to_string(),
                &case.name,
            );
            codes.insert(problem["code"].as_str().unwrap().to_owned());
        }
        let mut hook = program(&desk.root(), &["hook", "codex"]);
        hook.env_remove("CLAUDE_PROJECT_DIR")
            .env("HOME", desk.path("../home"));
        let output = fed(
            &mut hook,
            call(&desk, "apply_patch", &json!({"command": patch})).as_bytes(),
        );
        is_for_a_model(&String::from_utf8_lossy(&output.stderr), &case.name);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap_or_default();
        let is_ours = |line: &&str| line.starts_with("error") || line.starts_with("help: ");
        is_for_a_model(
            &reason
                .lines()
                .filter(is_ours)
                .collect::<Vec<_>>()
                .join("\n"),
            &case.name,
        );
        denials += usize::from(!reason.is_empty());
    }
    assert!(
        codes.len() >= 40 && denials >= 200,
        "{} {denials} {codes:#?}",
        codes.len()
    );
}
