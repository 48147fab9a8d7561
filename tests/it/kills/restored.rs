//! An interrupted change in a tree that is a copy: restored from a backup, or on a file system that
//! numbers the inodes anew.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fs_err as fs;
use wpatch::digest::Digest;

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

/// Kills the command `words` at the system call `call` with the number `when`. Returns the state
/// before it, and whether it was killed.
fn killed(words: &[&str], call: &'static str, when: usize) -> (Desk, Both, bool) {
    let desk = staged();
    let before = both(&desk);
    let log = Log::at(&desk.path(".."));
    let kill = Injection {
        call,
        fault: FAULTS[0],
        when: when.to_string(),
    };
    let output = run(&desk, &log.injecting(&kill), words);
    (desk, before, output.status.code().is_none())
}

#[test]
fn a_restored_tree_is_recovered_only_when_the_user_says_so() {
    let plain = &["wpatch", "apply", "../patch"][..];
    let staged = &["wpatch", "apply", "--index", "../patch"][..];
    for words in [plain, staged] {
        for call in [MOVE_IN, "renameat", "unlinkat"] {
            let mut refused = 0;
            for when in 1.. {
                let (desk, before, was_killed) = killed(words, call, when);
                if !was_killed {
                    break;
                }
                let what = format!("{words:?} {call} {when}");
                let found = both(&desk);
                let is_refused = recovers(&desk, &what);
                refused += usize::from(is_refused);
                // A change that was committed before the kill stays.
                let is_right = both(&desk) == before || !is_refused && both(&desk) == found;
                assert!(is_right, "{what}");
            }
            assert!(
                refused > 2 || call != MOVE_IN,
                "{words:?} {call}: {refused}"
            );
        }
    }
}

/// Recovers the restored tree of `desk`. Returns whether the option was necessary.
fn recovers(desk: &Desk, what: &str) -> bool {
    restore(desk);
    let found = both(desk);
    let output = run(desk, &[], &["wpatch", "recover"]);
    let is_refused = output.status.code() != Some(0);
    if is_refused {
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{message}");
        assert!(message.contains("`wpatch recover --adopt`"), "{message}");
        assert_eq!(both(desk), found, "{what}");
        let log = Log::at(&desk.path(".."));
        let kill = Injection {
            call: MOVE_IN,
            fault: FAULTS[0],
            when: "2".into(),
        };
        run(
            desk,
            &log.injecting(&kill),
            &["wpatch", "recover", "--adopt"],
        );
        let output = run(desk, &[], &["wpatch", "recover", "--adopt"]);
        assert!(output.status.success(), "{what}: {output:?}");
    }
    assert_eq!(litter(desk), [""; 0], "{what}");
    is_refused
}

/// The location of the index is recorded as an absolute path.
#[test]
fn a_moved_tree_is_recovered_with_its_own_index() {
    let words = ["wpatch", "apply", "--index", "../patch"];
    for when in 1.. {
        let (desk, before, was_killed) = killed(&words, MOVE_IN, when);
        if !was_killed {
            assert!(when > 2, "{when}");
            break;
        }
        let found = (both(&desk), litter(&desk));
        let moved = desk.root().parent().unwrap().join("moved");
        fs::rename(desk.root(), &moved).unwrap();
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(&moved).arg(desk.root());
        assert!(copy.status().unwrap().success());
        let output = run(&desk, &[], &["wpatch", "recover", "--root", "../moved"]);
        assert!(output.status.success(), "{when}: {output:?}");
        assert_eq!((both(&desk), litter(&desk)), found, "{when}");
        fs::remove_dir_all(desk.root()).unwrap();
        fs::rename(&moved, desk.root()).unwrap();
        let is_right = both(&desk) == before || both(&desk) == found.0 && found.1.is_empty();
        assert!(is_right, "{when}");
        assert_eq!(litter(&desk), [""; 0], "{when}");
    }
}

/// Returns `body` with its checksum, as in the files of a transaction.
fn checksummed(body: &str) -> String {
    let body = format!("{body}\n");
    format!("wpatch.journal/1 {}\n{body}", Digest::of(body.as_bytes()))
}

/// An archive can contain a state directory.
#[test]
fn a_forged_journal_reaches_no_other_file_of_git() {
    for state in [".wpatch", ".git/wpatch"] {
        let desk = staged();
        let before = both(&desk);
        let transaction = desk.path(state).join("txn-1");
        for directory in [&desk.path(state), &transaction] {
            fs::create_dir_all(directory).unwrap();
            fs::set_permissions(directory, Permissions::from_mode(0o700)).unwrap();
        }
        let evil = "../evil\n";
        let digest = Digest::of(evil.as_bytes());
        let image = format!(
            r#"{{"kind":"file","digest":"{digest}","size":{},"mode":420}}"#,
            evil.len()
        );
        let change = format!(
            r#"{{"number":0,"path":".wpatch-index/commondir","before":{image},"after":null,"leaves":true,"arrives":null,"beside":null}}"#
        );
        let journal = format!(
            r#"{{"root":"x","command":"apply","undoes":[],"makes":[],"removes":[],"changes":[{change}]}}"#
        );
        let place = desk.path(".git").display().to_string();
        let note = format!(
            r#"{{"root":"x","directory":"{}","lock":".wpatch-index/index.lock"}}"#,
            &place[1..]
        );
        for (name, text) in [
            ("journal", checksummed(&journal)),
            ("annex", checksummed(&note)),
            ("o0", evil.to_owned()),
        ] {
            fs::write(transaction.join(name), text).unwrap();
        }
        for words in [
            &["wpatch", "recover"][..],
            &["wpatch", "recover", "--adopt"],
        ] {
            let output = run(&desk, &[], words);
            assert_eq!(output.status.code(), Some(4), "{state} {output:?}");
            assert!(!desk.path(".git/commondir").exists(), "{state}");
            assert_eq!(fs::read_to_string(transaction.join("o0")).unwrap(), evil);
            let found = fs::read_to_string(transaction.join("journal")).unwrap();
            assert_eq!(found, checksummed(&journal));
        }
        fs::remove_dir_all(transaction).unwrap();
        let _ = fs::remove_dir(desk.path(".wpatch"));
        assert_eq!(both(&desk), before);
    }
}
