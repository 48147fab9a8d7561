//! `hook install`: the configuration files of the harnesses.

use serde_json::{Value, json};

use super::answers::{HARNESSES, answer};
use crate::systems::Desk;
use crate::tree;

/// The configuration file of each harness.
const FILES: [&str; 5] = [
    ".claude/settings.json",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".github/hooks/wpatch.json",
    ".cursor/hooks.json",
];

/// The file of Cursor with no other content.
const CURSOR: &str = r#"{
  "hooks": {
    "afterFileEdit": [
      {
        "command": "wpatch hook cursor"
      }
    ],
    "beforeReadFile": [
      {
        "command": "wpatch hook cursor"
      }
    ],
    "preToolUse": [
      {
        "command": "wpatch hook cursor",
        "matcher": "Write|Delete|Read|Grep"
      }
    ]
  },
  "version": 1
}
"#;

/// Returns a root with a history.
fn desk(files: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::with(files);
    desk.does(&["init"], b"");
    desk
}

/// Returns standard output of a command that must succeed.
fn printed(desk: &Desk, arguments: &[&str]) -> String {
    let output = desk.runs(arguments, b"");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the number of changes in the history.
fn changes(desk: &Desk) -> usize {
    desk.does(&["log"], b"")["entries"]
        .as_array()
        .unwrap()
        .len()
}

#[test]
fn the_configuration_is_one_change_that_can_be_undone() {
    for (harness, file) in HARNESSES.into_iter().zip(FILES) {
        let desk = desk(&[("a", b"one\n")]);
        let before = tree::read(&desk.root());
        let shown = printed(&desk, &["hook", "install", harness, "--print"]);
        assert_eq!(tree::read(&desk.root()), before, "{harness}");
        assert!(
            printed(&desk, &["hook", "install", harness]).contains(file),
            "{harness}"
        );
        assert_eq!(String::from_utf8(desk.bytes(file)).unwrap(), shown);
        assert_eq!(changes(&desk), 1);

        let installed = tree::read(&desk.root());
        let again = printed(&desk, &["hook", "install", harness]);
        assert_eq!(again, format!("{file} already contains the hook\n"));
        assert_eq!(
            (tree::read(&desk.root()), changes(&desk)),
            (installed, 1),
            "{harness}"
        );

        desk.does(&["undo"], b"");
        assert_eq!(tree::read(&desk.root()), before, "{harness}");
    }
    let desk = desk(&[]);
    assert_eq!(
        printed(&desk, &["hook", "install", "cursor", "--print"]),
        CURSOR
    );
}

/// Returns the events of a configuration file with their commands.
fn registered(configuration: &Value) -> Vec<(String, String)> {
    fn command(value: &Value) -> Option<String> {
        let named = value.get("command").or_else(|| value.get("bash"));
        match (named, value) {
            (Some(command), _) => command.as_str().map(str::to_owned),
            (None, Value::Object(members)) => members.values().find_map(command),
            (None, Value::Array(values)) => values.iter().find_map(command),
            _ => None,
        }
    }
    let events = configuration["hooks"].as_object().unwrap().iter();
    events
        .map(|(event, entries)| (event.clone(), command(entries).unwrap()))
        .collect()
}

#[test]
fn the_hook_answers_each_event_for_which_it_is_registered() {
    let desk = Desk::with(&[]);
    for harness in HARNESSES {
        let printed = printed(&desk, &["hook", "install", harness, "--print"]);
        let events = registered(&serde_json::from_str(&printed).unwrap());
        assert!(!events.is_empty());
        for (event, command) in events {
            assert_eq!(command, format!("wpatch hook {harness}"));
            // A call without further fields is malformed, but only in an event that is known.
            let output = answer(&desk, harness, &[], &json!({"hook_event_name": event}));
            let is_known = output.status.code() == Some(2) || !output.stdout.is_empty();
            assert!(is_known, "{harness} {event}");
        }
    }
}

/// The entries of the other events of Cursor.
const OTHERS: &str = r#""afterFileEdit": [{"command": "wpatch hook cursor"}],
    "beforeReadFile": [{"command": "wpatch hook cursor --allow"}]"#;

/// Asserts that an installation inserts the entry at the `@` in `file`, with `before` and after it
/// `after`, and that `undo` removes the entry. Without an `@`, nothing is changed.
fn inserts(file: &str, indentation: &str, newline: &str, (before, after): (&str, &str)) {
    let lines = [
        "{",
        "  \"command\": \"wpatch hook cursor\",",
        "  \"matcher\": \"Write|Delete|Read|Grep\"",
        "}",
    ];
    let entry = lines.join(&format!("\n{indentation}"));
    let text = |entry: &str| {
        file.replace('@', entry)
            .replace("OTHERS", OTHERS)
            .replace('\n', newline)
    };
    let old = text("");
    let desk = desk(&[(".cursor/hooks.json", old.as_bytes())]);
    let content = || String::from_utf8(desk.bytes(".cursor/hooks.json")).unwrap();
    printed(&desk, &["hook", "install", "cursor"]);
    assert_eq!(content(), text(&format!("{before}{entry}{after}")));
    assert_eq!(changes(&desk), usize::from(content() != old));
    if content() != old {
        desk.does(&["undo"], b"");
        assert_eq!(content(), old);
    }
}

#[test]
fn all_other_bytes_of_a_configuration_are_kept() {
    let lines = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      {\"command\":  \"x\"}@\n    ],\n    OTHERS\n  }\n}\n";
    inserts(lines, "      ", "\n", (",\n      ", ""));
    inserts(lines, "      ", "\r\n", (",\n      ", ""));
    let empty = "{\n  \"version\":1, \"hooks\": { OTHERS,\n    \"preToolUse\": [@]}}";
    inserts(empty, "      ", "\r\n", ("\n      ", "\n    "));
    let one_line =
        "{\"version\": 2, \"hooks\": {\"preToolUse\": [{\"command\": \"\\u00e9]\"}@], OTHERS}}";
    inserts(one_line, "", "\n", (", ", ""));
    let installed = "{\"version\": 1, \"hooks\": {OTHERS, \"preToolUse\": [{\"command\": \"wpatch hook cursor --root /x\"}]}}";
    inserts(installed, "", "\n", ("", ""));
}

#[test]
fn missing_objects_are_added_in_the_layout_of_the_file() {
    let text = "{\n\t\"b\": [1],\n\t\"a\": {\n\t}\n}\n";
    let desk = desk(&[
        (".cursor/hooks.json", text.as_bytes()),
        (".claude/settings.json", b"{}"),
    ]);
    printed(&desk, &["hook", "install", "cursor"]);
    let installed = String::from_utf8(desk.bytes(".cursor/hooks.json")).unwrap();
    let start = "{\n\t\"b\": [1],\n\t\"a\": {\n\t},\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"preToolUse\": [\n\t\t\t{\n\t\t\t\t\"command\": ";
    assert!(installed.starts_with(start), "{installed}");
    assert!(installed.ends_with("\n\t\t]\n\t}\n}\n"), "{installed}");
    printed(&desk, &["hook", "install", "claude"]);
    let installed = String::from_utf8(desk.bytes(".claude/settings.json")).unwrap();
    let shown = printed(&desk, &["hook", "install", "claude", "--print"]);
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(parse(&installed), parse(&shown));
}

#[test]
fn a_configuration_that_cannot_be_extended_is_kept() {
    for (text, message) in [
        (
            "",
            ":1:0: the file is not valid JSON: EOF while parsing a value",
        ),
        (
            "{\n  // x\n}",
            ":2:3: the file is not valid JSON: key must be a string",
        ),
        (
            "{\"a\": 1,}",
            ":1:9: the file is not valid JSON: trailing comma",
        ),
        (
            "\u{feff}{}",
            ":1:1: the file is not valid JSON: expected value",
        ),
        (
            "[]",
            ": the file is not a JSON object, so the hook cannot be added",
        ),
        (
            "{\"hooks\": []}",
            ": `hooks` is not an object, so the hook cannot be added",
        ),
        (
            "{\"hooks\": {\"PreToolUse\": {}}}",
            ": `hooks.PreToolUse` is not an array, so the hook cannot be added",
        ),
        (
            "{\"hooks\": {}, \"a\": 1, \"hooks\": {\"PreToolUse\": 1}}",
            ": `hooks.PreToolUse` is not an array, so the hook cannot be added",
        ),
    ] {
        let desk = desk(&[(".claude/settings.json", text.as_bytes())]);
        let error = desk.refuses("parse", &["hook", "install", "claude"], b"");
        assert_eq!(
            error["message"],
            format!(".claude/settings.json{message}"),
            "{text}"
        );
        let help = "fix the file, or add the hook by hand: `wpatch hook install claude --print`";
        assert_eq!(error["help"], help);
        printed(&desk, &["hook", "install", "claude", "--print"]);
    }
    let desk = desk(&[(".claude/settings.json", b"{\"\xff\": 1}")]);
    desk.refuses("parse", &["hook", "install", "claude"], b"");
    let desk = self::desk(&[(".claude/settings.json/a", b"")]);
    desk.refuses("not_a_file", &["hook", "install", "claude"], b"");
}

#[test]
fn policy_applies_to_the_configuration() {
    let rule = b"[[rule]]\npaths = ['.gemini/**']\nops = ['write']\nverdict = 'deny'\n";
    let install = ["hook", "install", "gemini"];
    desk(&[("wpatch.toml", rule)]).refuses("denied", &install, b"");
    desk(&[("../config/wpatch/config.toml", rule)]).refuses("denied", &install, b"");
    let given = [&install[..], &["--policy", "../given.toml"]].concat();
    desk(&[("../given.toml", rule)]).refuses("denied", &given, b"");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_root_is_not_followed() {
    let desk = desk(&[("../outside/settings.json", b"{}")]);
    std::os::unix::fs::symlink("../outside", desk.path(".claude")).unwrap();
    desk.refuses("outside_root", &["hook", "install", "claude"], b"");
}

#[test]
fn the_report_of_an_installation_is_a_document() {
    let desk = desk(&[]);
    let document = desk.does(&["hook", "install", "copilot"], b"");
    assert_eq!(
        (&document["changed"], &document["files"][0]["path"]),
        (&json!(true), &json!(".github/hooks/wpatch.json"))
    );
    assert_eq!(
        desk.does(&["hook", "install", "copilot"], b"")["changed"],
        false
    );
    let output = desk.runs(&["hook", "install", "codex"], b"");
    let note = "wpatch: Codex runs the hook after you trust it: enter /hooks in Codex\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), note);
}
