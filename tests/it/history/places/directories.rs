//! Directories that a change empties, and their undo.
#![cfg(unix)]

use fs_err as fs;
use serde_json::{Value, json};

use super::{DEEPER, Place, done};

/// Returns the only file that a report lists, the number of files and the number of created ones.
fn reported(report: &Value) -> Value {
    let [file] = &report["files"].as_array().unwrap()[..] else {
        panic!("{report}")
    };
    json!([
        [file["path"], file["op"]],
        report["summary"]["files"],
        report["summary"]["creates"]
    ])
}

#[test]
fn an_empty_directory_that_gave_way_to_a_file_is_restored_without_being_listed() {
    for place in Place::all() {
        let patch = place.base.path().join("p");
        fs::write(&patch, "--- /dev/null\n+++ b/empty\n@@ -0,0 +1 @@\n+x\n").unwrap();
        fs::create_dir(place.at("empty")).unwrap();
        done(
            place.name,
            &place.top,
            &["apply", &patch.display().to_string()],
        );
        let undo = || done(place.name, &place.top, &["undo"]);
        assert_eq!(
            reported(&undo()),
            json!([["empty", "delete"], 1, 0]),
            "{}",
            place.name
        );
        assert!(place.at("empty").is_dir(), "{}", place.name);
        let redo = done(place.name, &place.top, &["redo"]);
        assert_eq!(
            reported(&redo),
            json!([["empty", "create"], 1, 1]),
            "{}",
            place.name
        );
        assert_eq!(place.file("empty"), "x\n", "{}", place.name);
        assert_eq!(
            reported(&undo()),
            json!([["empty", "delete"], 1, 0]),
            "{}",
            place.name
        );
    }
}

#[test]
fn a_file_that_was_created_in_an_empty_directory_is_undone_from_there() {
    for place in Place::all() {
        for undone in ["empty/deep", "empty", ".", "sub"] {
            let what = format!("{}: {undone}", place.name);
            fs::create_dir_all(place.at("empty/deep")).unwrap();
            done(
                &what,
                &place.at("empty/deep"),
                &["write", "new", "--content", "x"],
            );
            let undo = || done(&what, &place.at(undone), &["undo"]);
            let listed = json!([["empty/deep/new", "delete"], 1, 0]);
            assert_eq!(reported(&undo()), listed, "{what}");
            assert_eq!(
                fs::read_dir(place.at("empty/deep")).unwrap().count(),
                0,
                "{what}"
            );
            let redo = done(&what, &place.at(undone), &["redo"]);
            assert_eq!(
                reported(&redo),
                json!([["empty/deep/new", "create"], 1, 1]),
                "{what}"
            );
            assert_eq!(place.file("empty/deep/new"), "x", "{what}");
            assert_eq!(reported(&undo()), listed, "{what}");
        }
        // The change created the directories as well.
        fs::remove_dir_all(place.at("empty")).unwrap();
        done(
            place.name,
            &place.top,
            &["write", "empty/deep/new", "--content", "x"],
        );
        done(place.name, &place.at("empty/deep"), &["undo"]);
        assert!(!place.at("empty").exists(), "{}", place.name);
    }
}

#[test]
fn the_last_file_of_a_root_leaves_the_root() {
    for place in Place::all() {
        let patch = place.base.path().join("p");
        fs::write(&patch, "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n").unwrap();
        done(
            place.name,
            &place.at(DEEPER),
            &["apply", &patch.display().to_string()],
        );
        assert_eq!(
            fs::read_dir(place.at(DEEPER)).unwrap().count(),
            0,
            "{}",
            place.name
        );
        done(place.name, &place.at("sub"), &["undo"]);
        assert_eq!(place.file("sub/deeper/a"), "one\n", "{}", place.name);
    }
}
