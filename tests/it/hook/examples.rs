//! Calls as the documentation of each agent describes them, with the decision on each: the files in
//! `calls/`.
//!
//! Sources: <https://code.claude.com/docs/en/hooks>, section "`PreToolUse` input", and
//! <https://developers.openai.com/codex/hooks>. In a file, `ROOT` is the root and `HOME` the user's
//! home. `reason` is the beginning of the reason; without a decision nothing is printed.

use std::path::Path;

use fs_err as fs;
use serde_json::Value;

use super::{NOTEBOOK, decision};
use crate::systems::{Desk, fed, program};
use crate::world;

const POLICY: &str = "
[[rule]]
paths = ['vendor/**']
ops = ['write']
verdict = 'deny'
reason = 'it comes from elsewhere'
[[rule]]
paths = ['keys/**']
ops = ['read']
verdict = 'deny'
";

#[test]
fn each_documented_call_gets_its_decision() {
    let desk = Desk::with(&[
        (
            "src/app.py",
            b"def f():\n    return 1\n\ndef g():\n    return 0\n",
        ),
        ("src/view.ts", b"x\n"),
        ("analysis.ipynb", NOTEBOOK.as_bytes()),
        ("vendor/lib.py", b"x\n"),
        ("keys/api.txt", b"x\n"),
        ("wpatch.toml", POLICY.as_bytes()),
        ("../home/.aws/credentials", b"x\n"),
    ]);
    let home = world::real(desk.path("../home"));
    let calls = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hook/calls");
    let mut agents = Vec::new();
    for file in fs::read_dir(calls).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let text = text
            .replace("ROOT", &world::in_json(&desk.root()))
            .replace("HOME", &world::in_json(&home));
        let example: Value = serde_json::from_str(&text).unwrap();
        let agent = example["agent"].as_str().unwrap();
        let mut hook = program(&desk.root(), &["hook", agent]);
        hook.env_remove("CLAUDE_PROJECT_DIR").env("HOME", &home);
        let decided = decision(&fed(&mut hook, example["call"].to_string().as_bytes()));
        let (said, why) = decided.unwrap_or_default();
        assert_eq!(
            said,
            example["decision"].as_str().unwrap_or_default(),
            "{}: {why}",
            path.display()
        );
        assert!(
            why.starts_with(example["reason"].as_str().unwrap_or_default()),
            "{}: {why}",
            path.display()
        );
        agents.push(agent.to_owned());
    }
    assert!(
        ["claude", "codex"]
            .iter()
            .all(|agent| agents.iter().filter(|name| name == agent).count() > 5)
    );
}
