//! Calls as the documentation of each harness describes them, with the decision on each: the files
//! in `calls/`.
//!
//! The files in `events/` name the sources. In a file, `ROOT` is the root and `HOME` the user's
//! home. `reason` is the beginning of the reason; without a decision nothing is printed.

use fs_err as fs;

use super::answers::{HARNESSES, answer, decision_of, event_of};
use super::events::{desk, files, fixture};

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
    let desk = desk(("wpatch.toml", POLICY));
    fs::create_dir(desk.path(".git")).unwrap();
    fs::write(desk.path(".git/config"), "x\n").unwrap();
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
