//! The signature of a mail is no part of its patch, as for `git am`.

use fs_err as fs;
use tempfile::TempDir;

use super::{FIELDS, FROM, desk, message};
use crate::repository::git;
use crate::systems::Desk;

const PATCH: &str =
    "text\n---\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
/// The last lines of mails. The lines of the last one begin another patch for `patch`, not for `git
/// am`.
const SIGNATURES: [&str; 7] = [
    "2.47",
    "+49 123 4567",
    "- John\n- Jane",
    "--- x\n",
    " indented",
    "@@ x",
    "+1\n\n*** x\n--- y",
];

fn after_git_am(mail: &[u8]) -> Vec<u8> {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a"), "one\ntwo\n").unwrap();
    fs::write(directory.path().join("mail"), mail).unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "a"],
        &["commit", "-q", "-m", "a"],
        &["am", "-q", "../mail"],
    ] {
        assert!(
            git(arguments)
                .current_dir(&root)
                .output()
                .unwrap()
                .status
                .success(),
            "{arguments:?}"
        );
    }
    fs::read(root.join("a")).unwrap()
}

#[cfg(unix)]
#[test]
fn the_lines_of_a_signature_are_in_no_hunk() {
    for signature in SIGNATURES {
        let mail = message(FIELDS, "", format!("{PATCH}-- \n{signature}\n").as_bytes());
        assert_eq!(after_git_am(&mail), b"one\n2\n", "{signature}");
        let damaged = String::from_utf8(mail.clone())
            .unwrap()
            .replace(" one\n", " one  \n");
        let crlf = String::from_utf8(mail.clone())
            .unwrap()
            .replace('\n', "\r\n");
        for (arguments, mail) in [
            (&["apply"][..], &mail[..]),
            (&["apply", "--recount"], &mail),
            (&["apply", "--lenient"], &mail),
            (&["apply", "--lenient"], damaged.as_bytes()),
            (&["apply", "--lenient"], crlf.as_bytes()),
        ] {
            let desk = desk();
            desk.does(arguments, mail);
            assert_eq!(desk.bytes("a"), b"one\n2\n", "{signature} {arguments:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_message_after_a_signature_is_read() {
    let second = PATCH.replace("two\n+2", "2\n+3");
    let mail = |body: &str| [FROM, &message(FIELDS, "", body.as_bytes())[..]].concat();
    let mailbox = [mail(&format!("{PATCH}-- \n+1 2\n\n")), mail(&second)].concat();
    assert_eq!(after_git_am(&mailbox), b"one\n3\n");
    for arguments in [&["apply"][..], &["apply", "--lenient"]] {
        let desk = desk();
        desk.does(arguments, &mailbox);
        assert_eq!(desk.bytes("a"), b"one\n3\n", "{arguments:?}");
    }
}

#[test]
fn only_the_line_above_a_signature_ends_a_hunk() {
    let refused = |text: &[u8], lenient: &[&str]| {
        let desk = Desk::with(&[("a", b"one\ntwo\n")]);
        let report = desk.says(&[&["apply"], lenient].concat(), text);
        assert_eq!(
            (&report["ok"], desk.bytes("a")),
            (&false.into(), b"one\ntwo\n".to_vec()),
            "{report:#}"
        );
    };
    let plain = PATCH.strip_prefix("text\n---\n\n").unwrap();
    refused(format!("{plain}-- \n+1\n").as_bytes(), &[]);
    for tail in ["--\n+1\n", "+1\n-- \n", "---\n+1\n"] {
        refused(
            &message(FIELDS, "", format!("{PATCH}{tail}").as_bytes()),
            &[],
        );
    }
    // The hunk lacks a line, so that `-- ` is one of its lines.
    let short = PATCH.replace("-1,2 +1,2", "-1,3 +1,2");
    refused(
        &message(FIELDS, "", format!("{short}-- \n+1\n").as_bytes()),
        &[],
    );
    refused(
        &message(FIELDS, "", format!("{short}-- \n+1\n").as_bytes()),
        &["--lenient"],
    );
}
