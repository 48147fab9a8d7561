//! Refusals of undo, and of changes of git's index.

use std::os::unix::fs::chown;
use std::process::Command;

use fs_err as fs;
use serde_json::Value;

use super::{DELETE, MODIFY, Tree};

#[test]
fn undo_and_a_change_of_the_index_are_refused_too() {
    let Some(tree) = Tree::of_other_user() else {
        return;
    };
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&tree.wrapper[0]);
        command
            .args(&tree.wrapper[1..])
            .arg("git")
            .args(arguments)
            .env("HOME", tree.directory.path())
            .env_remove("XDG_CONFIG_HOME")
            .current_dir(&tree.root);
        assert!(command.status().unwrap().success(), "{arguments:?}");
    };
    let message = "cannot change the file: the directory d is not writable (Permission denied)";
    let help = "make this directory writable for the current user";
    // git converts the file when it writes it.
    let file = tree.root.join("d/f");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(tree.root.join(".gitattributes"), "d/f text eol=crlf\n").unwrap();
    fs::write(&file, text.replace('\n', "\r\n")).unwrap();
    run(&["add", "d/f"]);
    tree.set_mode("d", 0o555);
    tree.refuses(&["--index"], MODIFY, message, help);
    tree.set_mode("d", 0o755);
    chown(&file, Some(0), Some(0)).unwrap();
    tree.accepts(&["--index"], MODIFY);
    fs::remove_file(tree.root.join(".gitattributes")).unwrap();
    fs::write(&file, text).unwrap();
    run(&["add", "d/f"]);
    tree.set_mode("d", 0o555);
    tree.refuses(&["--index"], MODIFY, message, help);
    tree.refuses(&["--index"], DELETE, message, help);
    tree.accepts(&["--cached"], MODIFY);
    run(&["add", "d/f"]);
    tree.set_mode("d", 0o755);
    tree.accepts(&["--index"], MODIFY);
    tree.set_mode("d", 0o555);
    let [checked, applied] = [&["undo", "--dry-run"][..], &["undo"]].map(|command| {
        let report = undone(&tree, command);
        assert_eq!(report["exit_code"], 4, "{report:#}");
        report["problems"].clone()
    });
    assert_eq!(checked, applied);
    assert_eq!(checked[0]["message"], message);
}

/// Returns the report of a command without a patch.
fn undone(tree: &Tree, command: &[&str]) -> Value {
    let program = tree.directory.path().join("wpatch");
    let output = Command::new(&tree.wrapper[0])
        .args(&tree.wrapper[1..])
        .arg(program)
        .args(command)
        .arg("--json")
        .current_dir(&tree.root)
        .env("HOME", tree.directory.path())
        .env("XDG_CONFIG_HOME", tree.directory.path().join("config"))
        .env_remove("XDG_STATE_HOME")
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}
