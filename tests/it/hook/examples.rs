//! Calls as the documentation of each harness describes them, with the decision on each: the files
//! in `calls/`.
//!
//! The files in `events/` name the sources. In a file, `ROOT` is the root and `HOME` the user's
//! home. `reason` is the beginning of the reason; without a decision nothing is printed.

use super::NOTEBOOK;
use super::answers::{HARNESSES, answer, decision_of, event_of};
use super::events::{files, fixture};
use crate::systems::Desk;

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
        (".git/config", b"x\n"),
    ]);
    let mut agents = Vec::new();
    for path in files("calls") {
        let example = fixture(&desk, &path);
        let agent = example["agent"].as_str().unwrap();
        let input = &example["call"];
        let output = answer(&desk, agent, &[], input);
        let decided = decision_of(agent, event_of(input), &output);
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
    for harness in HARNESSES {
        let count = agents.iter().filter(|name| *name == harness).count();
        assert!(count > 5, "{harness}: {count}");
    }
}
