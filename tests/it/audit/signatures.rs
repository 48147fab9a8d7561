//! Signatures of records.

use std::io::Write;
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::Value;

use super::requests::{desk, records};
use crate::systems::Desk;

const PATCH: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n";

fn lines(desk: &Desk) -> Vec<Vec<u8>> {
    let bytes = desk.bytes(".wpatch/audit.jsonl");
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

#[test]
fn the_next_record_contains_the_signature_of_the_line() {
    let desk = desk();
    // The signature of this command is its input.
    let sign = ["--sign-with", "cat; echo to the terminal >&2"];
    desk.does(&[&["apply"][..], &sign].concat(), PATCH.as_bytes());
    desk.does(&[&["undo"][..], &sign].concat(), b"");
    let id = format!("sha256:{}", "5".repeat(64));
    desk.does(&[&["reject", &id][..], &sign].concat(), b"");
    let (all, lines) = (records(&desk), lines(&desk));
    assert_eq!(all.len(), 6);
    for pair in 0..3 {
        let (signed, signature) = (&lines[2 * pair], &all[2 * pair + 1]);
        assert_eq!(signature["event"], "signature");
        assert_eq!(signature["of"], 2 * pair + 1);
        assert_eq!(signature["signature"].as_str().unwrap().as_bytes(), signed);
    }
    let report: Value =
        serde_json::from_slice(&desk.runs(&["log", "--verify", "--json"], b"").stdout).unwrap();
    assert_eq!(
        (&report["ok"], &report["files"][0]["signed"]),
        (&true.into(), &3.into())
    );
    let text = String::from_utf8(desk.runs(&["log", "--verify"], b"").stdout).unwrap();
    assert!(text.contains("lines 6, signed 3, intact\n"), "{text}");
}

#[test]
fn a_command_that_does_not_sign_refuses_the_change() {
    let desk = desk();
    for command in [
        "exit 3",
        "true",
        "printf '\\377'",
        "head -c 20000 /dev/zero | tr '\\0' x",
    ] {
        let sign = ["--sign-with", command];
        let error = desk.refuses("io", &[&["apply"][..], &sign].concat(), PATCH.as_bytes());
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("--sign-with"), "{message}");
    }
    assert!(!desk.path(".wpatch/audit.jsonl").exists());
    // Without a history there is no record.
    let bare = Desk::with(&[("a", b"1\n")]);
    let error = bare.refuses("io", &["apply", "--sign-with", "cat"], PATCH.as_bytes());
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("no history is kept")
    );
}

#[test]
fn a_person_verifies_a_record_with_ssh_keygen() {
    let desk = desk();
    let key = desk.path("../key");
    let keygen = |arguments: &[&str]| {
        let mut command = Command::new("ssh-keygen");
        command.args(arguments).current_dir(desk.root());
        command
    };
    let made = keygen(&[
        "-q", "-t", "ed25519", "-N", "", "-C", "alice", "-f", "../key",
    ])
    .status();
    // ssh-keygen is not everywhere. The other tests sign with a shell.
    let Ok(made) = made else { return };
    assert!(made.success());
    desk.does(
        &[
            "apply",
            "--sign-with",
            "ssh-keygen -Y sign -n wpatch -f ../key",
        ],
        PATCH.as_bytes(),
    );
    let (all, lines) = (records(&desk), lines(&desk));
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    fs::write(desk.path("../signers"), format!("alice {public}")).unwrap();
    fs::write(
        desk.path("../signature"),
        all[1]["signature"].as_str().unwrap(),
    )
    .unwrap();
    let verify = |line: &[u8]| {
        let mut child = keygen(&[
            "-Y",
            "verify",
            "-n",
            "wpatch",
            "-I",
            "alice",
            "-f",
            "../signers",
            "-s",
            "../signature",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        child.stdin.take().unwrap().write_all(line).unwrap();
        child.wait().unwrap().success()
    };
    assert!(verify(&lines[0]));
    let mut changed = lines[0].clone();
    changed[10] ^= 1;
    assert!(!verify(&changed));
}
