//! The commands of the history: `undo`, `redo`, `log`, `show` and `gc`.

use std::path::Path;

use fs_err as fs;
use serde_json::Value;

use super::{PATCH, code, run, text, tree};

/// Runs the program, and returns its exit code and its standard output.
fn said(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = run(root, arguments, PATCH);
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

/// Returns the document `text`, which the schema `name` has to admit.
fn valid(name: &str, text: &str) -> Value {
    let schema = wpatch::report::SCHEMAS
        .iter()
        .find(|schema| schema.name == name)
        .unwrap();
    let document = serde_json::from_str(text).unwrap();
    assert!(
        jsonschema::is_valid(&serde_json::from_str(&(schema.text)()).unwrap(), &document),
        "{document}"
    );
    document
}

#[test]
fn a_change_is_taken_back_shown_and_listed() {
    let root = tree();
    let said = |arguments: &[&str]| said(root.path(), arguments);
    let file = || fs::read_to_string(root.path().join("file")).unwrap();
    let empty = run(root.path(), &["log"], "");
    let hint = text(&empty.stderr);
    assert_eq!((code(&empty), text(&empty.stdout)), (0, ""));
    assert!(
        hint.starts_with("wpatch: no history is kept: ") && hint.contains("`wpatch init`"),
        "{hint}"
    );
    assert_eq!(said(&["undo"]).0, 1);
    let told = String::from_utf8(run(root.path(), &["undo"], "").stderr).unwrap();
    assert!(
        told.starts_with("error[wpatch::undo::nothing]: ")
            && told.contains("\nhelp: ")
            && !told.contains('|'),
        "{told}"
    );
    assert_eq!(said(&["init"]).0, 0);
    assert_eq!(
        fs::read_to_string(root.path().join(".wpatch/.gitignore")).unwrap(),
        "*\n"
    );
    assert_eq!((said(&["apply"]).0, file()), (0, "two\n".to_owned()));
    let log = valid("log", &said(&["log", "--json"]).1);
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["command"], &entry["files"][0]["path"]),
        (&"apply".into(), &"file".into())
    );
    let (code, shown) = said(&["show", entry["id"].as_str().unwrap()]);
    assert!(code == 0 && shown.contains("-one\n+two\n"), "{shown}");
    assert_eq!(
        (said(&["undo", "--dry-run"]).0, file()),
        (0, "two\n".to_owned())
    );
    assert_eq!((said(&["undo"]).0, file()), (0, "one\n".to_owned()));
    assert_eq!((said(&["redo"]).0, file()), (0, "two\n".to_owned()));
    fs::write(root.path().join("file"), "mine\n").unwrap();
    let (code, text) = said(&["undo", "--json"]);
    let error = &valid("report", &text)["error"];
    assert_eq!(
        (code, &error["kind"], &error["path"]),
        (1, &"conflict".into(), &"file".into())
    );
    assert_eq!(
        (said(&["undo", "--force"]).0, file()),
        (0, "one\n".to_owned())
    );
    assert_eq!(
        (said(&["gc", "--all"]).0, said(&["log"]).1),
        (0, String::new())
    );
}
