//! An interrupted change in a tree that is a copy: restored from a backup, or on a file system that
//! numbers the inodes anew.

use std::process::Command;

use super::{Both, FAULTS, both, litter, run, staged};
use crate::faults::MOVE_IN;
use crate::faults::strace::{Injection, Log};
use crate::systems::Desk;

/// Replaces the root by a copy.
fn restore(desk: &Desk) {
    let script = "mv \"$0\" \"$0.old\" && cp -a \"$0.old\" \"$0\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(desk.root());
    assert!(shell.status().unwrap().success());
}

/// Kills the command `words` at the call `when` of those that move files. Returns the states before
/// and after it, and whether it was killed.
fn killed(words: &[&str], when: usize) -> (Desk, Both, bool) {
    let desk = staged();
    let before = both(&desk);
    let log = Log::at(&desk.path(".."));
    let kill = Injection {
        call: MOVE_IN,
        fault: FAULTS[0],
        when: when.to_string(),
    };
    let output = run(&desk, &log.injecting(&kill), words);
    (desk, before, output.status.code().is_none())
}

#[test]
fn a_restored_tree_is_recovered_only_when_the_user_says_so() {
    for words in [
        &["wpatch", "apply", "../patch"][..],
        &["wpatch", "apply", "--index", "../patch"],
    ] {
        let mut refused = 0;
        for when in 1.. {
            let (desk, before, was_killed) = killed(words, when);
            if !was_killed {
                assert!(refused > 2, "{words:?}: {refused} of {when}");
                break;
            }
            restore(&desk);
            let found = both(&desk);
            let output = run(&desk, &[], &["wpatch", "recover"]);
            if output.status.code() != Some(0) {
                refused += 1;
                let message = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(4), "{message}");
                assert!(message.contains("`wpatch recover --adopt`"), "{message}");
                assert_eq!(both(&desk), found, "{words:?} {when}");
                let log = Log::at(&desk.path(".."));
                let kill = Injection {
                    call: MOVE_IN,
                    fault: FAULTS[0],
                    when: "2".into(),
                };
                run(
                    &desk,
                    &log.injecting(&kill),
                    &["wpatch", "recover", "--adopt"],
                );
                let output = run(&desk, &[], &["wpatch", "recover", "--adopt"]);
                assert!(output.status.success(), "{words:?} {when}: {output:?}");
            }
            assert_eq!(both(&desk), before, "{words:?} {when}");
            assert_eq!(litter(&desk), [""; 0], "{words:?} {when}");
        }
    }
}
