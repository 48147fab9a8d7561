//! An index that is not a regular file.
#![cfg(unix)]

use std::process::Command;

use fs_err as fs;

use super::Tree;

#[test]
fn an_index_that_is_not_a_regular_file_is_refused_and_not_waited_for() {
    for make in [&["mkfifo"][..], &["mkdir"], &["mknod", "-m", "600"]] {
        let tree = Tree::new();
        let index = tree.root().join(".git/index");
        fs::remove_file(&index).unwrap();
        let device: &[&str] = if make[0] == "mknod" {
            &["c", "1", "5"]
        } else {
            &[]
        };
        let made = Command::new(make[0])
            .args(&make[1..])
            .arg(&index)
            .args(device)
            .status()
            .unwrap();
        if !made.success() {
            assert_eq!(make[0], "mknod", "only a device needs privileges");
            continue;
        }
        for option in ["--index", "--cached", "-N", "--3way"] {
            let (code, report) = tree.report(&["apply", option]);
            let message = report["error"]["message"].as_str().unwrap();
            assert_eq!(
                (code, &report["error"]["kind"]),
                (4, &"io".into()),
                "{option}: {report:#}"
            );
            assert!(
                message.contains(".git/index: git's index is not a regular file"),
                "{option}: {message}"
            );
            assert_eq!(
                fs::read_to_string(tree.root().join("changed")).unwrap(),
                "one\ntwo\nthree\n"
            );
        }
    }
}
