//! What policy closes to reading: the history and the log do not show it either.

use fs_err as fs;
use serde_json::json;

use super::desk;
use crate::systems::Desk;

#[test]
fn whoever_may_not_read_may_not_change_and_an_explanation_says_so() {
    let desk = desk("[[rule]]\npaths = ['a']\nops = ['read']\nverdict = 'deny'\nname = 'own'\n");
    let output = desk.runs(&["policy", "explain", "a"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "a
  read    deny   a rule of wpatch.toml (own, pattern a, wpatch.toml:1)
  create  allow  no rule matches
  modify  deny   a rule of wpatch.toml (own, pattern a, wpatch.toml:1, for read)
  delete  deny   a rule of wpatch.toml (own, pattern a, wpatch.toml:1, for read)
  rename  deny   a rule of wpatch.toml (own, pattern a, wpatch.toml:1, for read)
  mode    deny   a rule of wpatch.toml (own, pattern a, wpatch.toml:1, for read)
mode workspace-write, symlinks inside, binary allow, secrets true
built-in rules of every command: git-directory, state-directory, drive-letter, backslash-parent, policy-file, secrets
built-in rules of hook and mcp: control-files
";
    assert_eq!((output.status.code(), text.as_str()), (Some(0), expected));
    let alone = desk.runs(&["policy"], b"");
    assert_eq!(
        (alone.status.code(), alone.stdout.as_slice()),
        (Some(2), &b""[..])
    );
}

#[test]
fn what_may_not_be_read_is_not_shown_out_of_the_history_either() {
    let desk = Desk::with(&[("a", b"a\n"), (".env", b"key one\n")]);
    desk.does(&["init"], b"");
    let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-key one\n+key two\n";
    desk.does(&["apply"], patch);
    desk.does(
        &["apply"],
        b"diff --git a/.env b/open\nsimilarity index 100%\nrename from .env\nrename to open\n",
    );
    fs::write(desk.path("wpatch.toml"), "[policy]\nsecrets = 'strict'\n").unwrap();
    let log = desk.does(&["log"], b"");
    let id = |index: usize| log["entries"][index]["id"].as_str().unwrap();
    let shown = |index: usize| -> serde_json::Value {
        serde_json::from_slice(&desk.runs(&["show", id(index), "--json"], b"").stdout).unwrap()
    };
    let document = shown(1);
    let files = &document["entries"][0]["files"];
    assert_eq!(
        (&files[0]["path"], &files[0]["diff"]),
        (&json!(".env"), &json!(null)),
        "{document:#}"
    );
    assert_eq!(files[0]["withheld"], "the path can contain credentials");
    assert!(
        files[1]["diff"].as_str().unwrap().ends_with("-a\n+b\n")
            && files[1].get("withheld").is_none()
    );
    assert_eq!(
        shown(0)["entries"][0]["files"][0]["withheld"],
        "the path can contain credentials"
    );
    let text = String::from_utf8(desk.runs(&["show", id(1)], b"").stdout).unwrap();
    assert!(
        text.contains("  modify .env (content not shown: the path can contain credentials)\n"),
        "{text}"
    );
    assert!(text.contains("+b\n") && !text.contains("key"), "{text}");
    fs::write(desk.path("wpatch.toml"), "mode = 1\n").unwrap();
    desk.refuses("policy", &["show", id(1)], b"");
}

#[test]
fn neither_a_log_nor_taking_back_tells_what_may_not_be_read() {
    for verdict in ["deny", "ask"] {
        let desk = Desk::with(&[("a", b"a\n"), ("key", b"old\n"), ("gone", b"old\n")]);
        desk.does(&["init"], b"");
        let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/key\n+++ b/key\n@@ -1 +1 @@\n-old\n+new\n\
            --- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
        desk.does(&["apply"], patch);
        let rule =
            format!("[[rule]]\npaths = ['key', 'gone']\nops = ['read']\nverdict = '{verdict}'\n");
        fs::write(desk.path("wpatch.toml"), rule).unwrap();
        let log = desk.does(&["log"], b"");
        let id = log["entries"][0]["id"].as_str().unwrap();
        for document in [
            &log,
            &serde_json::from_slice(&desk.runs(&["show", id, "--json"], b"").stdout).unwrap(),
        ] {
            for file in document["entries"][0]["files"].as_array().unwrap() {
                let is_open = file["path"] == "a";
                assert_eq!(file.get("withheld").is_none(), is_open, "{file:#}");
                for side in ["before", "after"]
                    .map(|side| &file[side])
                    .into_iter()
                    .filter(|side| !side.is_null())
                {
                    assert_eq!(side.get("xxh3").is_some(), is_open, "{file:#}");
                }
            }
        }
        let kind = if verdict == "deny" {
            "denied"
        } else {
            "approval_required"
        };
        // As they were before, as the change left them, and as somebody else did.
        fs::write(desk.path("a"), "a\n").unwrap();
        for contents in ["old\n", "new\n", "hum\n"] {
            fs::write(desk.path("key"), contents).unwrap();
            fs::write(desk.path("gone"), contents).unwrap();
            desk.refuses(kind, &["undo"], b"");
            if verdict == "deny" {
                desk.refuses(kind, &["undo", "--dry-run"], b"");
            }
        }
    }
}
