//! Statements 13 to 17: cells of notebooks.

use serde_json::{Value, json};

use super::super::Desk;
use super::nbformat;

use crate::world;

/// A notebook that is indented by two, with cells of which one has the name of another's index, and
/// no last newline.
const NOTEBOOK: &str = r##"{
  "cells": [
    {
      "cell_type": "markdown",
      "id": "intro",
      "metadata": {},
      "source": [
        "# Title"
      ]
    },
    {
      "cell_type": "code",
      "execution_count": 7,
      "id": "calc",
      "metadata": {},
      "outputs": [
        {
          "name": "stdout",
          "output_type": "stream",
          "text": [
            "3\n"
          ]
        }
      ],
      "source": [
        "a = 1"
      ]
    },
    {
      "cell_type": "code",
      "execution_count": 8,
      "id": "cell-0",
      "metadata": {},
      "outputs": [],
      "source": []
    }
  ],
  "metadata": {},
  "nbformat": 4,
  "nbformat_minor": 5
}"##;

const OUTPUTS: &str = r#"[
        {
          "name": "stdout",
          "output_type": "stream",
          "text": [
            "3\n"
          ]
        }
      ]"#;

fn desk() -> Desk {
    Desk::with(&[("n.ipynb", NOTEBOOK.as_bytes())])
}

/// Returns the notebook after a command that succeeds, as text.
fn after(arguments: &[&str]) -> String {
    let desk = desk();
    desk.does(
        &[&["notebook", arguments[0], "n.ipynb"], &arguments[1..]].concat(),
        b"",
    );
    String::from_utf8(desk.bytes("n.ipynb")).unwrap()
}

fn cells(text: &str) -> Vec<Value> {
    let notebook: Value = serde_json::from_str(text).unwrap();
    notebook["cells"].as_array().unwrap().clone()
}

/// Replaces texts that are in the notebook once.
fn with(changes: &[(&str, &str)]) -> String {
    changes
        .iter()
        .fold(NOTEBOOK.to_owned(), |text, (old, new)| {
            assert_eq!(text.matches(old).count(), 1, "{old}");
            text.replacen(old, new, 1)
        })
}

#[test]
fn s13_a_code_cell_with_another_source_has_no_outputs() {
    let expected = with(&[
        (OUTPUTS, "[]"),
        ("\"execution_count\": 7", "\"execution_count\": null"),
        ("a = 1", "a = 2"),
    ]);
    assert_eq!(
        after(&["replace", "--cell", "calc", "--source", "a = 2"]),
        expected
    );
    assert_eq!(
        after(&["replace", "--cell", "cell-1", "--source", "a = 2"]),
        expected
    );
}

#[test]
fn s13_an_id_wins_over_an_index() {
    let text = after(&["replace", "--cell", "cell-0", "--source", "b"]);
    let sources: Vec<_> = cells(&text)
        .iter()
        .map(|cell| cell["source"].clone())
        .collect();
    assert_eq!(
        sources,
        [json!(["# Title"]), json!(["a = 1"]), json!(["b"])]
    );
}

#[test]
fn s14_a_new_cell_has_a_type_a_place_and_an_id() {
    let desk = desk();
    desk.refuses(
        "usage",
        &["notebook", "insert", "n.ipynb", "--source", "x"],
        b"",
    );
    let raw = json!({"cell_type": "raw", "id": "mine", "metadata": {}, "source": ["x"]});
    let insert = [
        "insert", "--type", "raw", "--source", "x", "--new-id", "mine",
    ];
    let first = cells(&after(&insert));
    assert_eq!((first.len(), &first[0]), (4, &raw));
    let behind = cells(&after(&[&insert[..], &["--cell", "calc"]].concat()));
    assert_eq!((behind.len(), &behind[2]), (4, &raw));
    let fresh = cells(&after(&["insert", "--type", "code", "--source", "x\ny"]));
    let id = fresh[0]["id"].as_str().unwrap();
    assert!(!["intro", "calc", "cell-0"].contains(&id));
    let code = json!({"cell_type": "code", "execution_count": null, "id": id, "metadata": {}, "outputs": [], "source": ["x\n", "y"]});
    assert_eq!(fresh[0], code);
}

#[test]
fn s14_cells_have_ids_from_nbformat_4_5_on() {
    let old = nbformat::notebook(4).to_string();
    let desk = Desk::with(&[("n.ipynb", old.as_bytes())]);
    let insert = [
        "notebook", "insert", "n.ipynb", "--type", "code", "--source", "x",
    ];
    desk.refuses(
        "unsupported",
        &[&insert[..], &["--new-id", "mine"]].concat(),
        b"",
    );
    desk.does(&insert, b"");
    let text = String::from_utf8(desk.bytes("n.ipynb")).unwrap();
    assert!(
        cells(&text).iter().all(|cell| cell.get("id").is_none()),
        "{text}"
    );
}

#[test]
fn s15_a_cell_is_deleted_by_its_name_alone() {
    let left: Vec<_> = cells(&after(&["delete", "--cell", "calc"]))
        .iter()
        .map(|cell| cell["id"].clone())
        .collect();
    assert_eq!(left, ["intro", "cell-0"]);
    let desk = desk();
    for cell in ["nothing", "cell-3", "cell-", "cell-99999999999999999999"] {
        let error = desk.refuses(
            "not_found",
            &["notebook", "delete", "n.ipynb", "--cell", cell],
            b"",
        );
        assert_eq!(error["cells"], json!(["intro", "calc", "cell-0"]), "{cell}");
    }
}

#[test]
fn s16_a_source_is_a_list_of_lines_and_the_layout_stays() {
    let lines = "\"a = 2\\n\",\n        \"\\n\",\n        \"a\"";
    let expected = with(&[
        (OUTPUTS, "[]"),
        ("\"execution_count\": 7", "\"execution_count\": null"),
        ("\"a = 1\"", lines),
    ]);
    assert_eq!(
        after(&["replace", "--cell", "calc", "--source", "a = 2\n\na"]),
        expected
    );
}

#[test]
fn s16_code_that_becomes_markdown_loses_its_outputs() {
    let gone = format!("      \"outputs\": {OUTPUTS},\n");
    let code = "\"cell_type\": \"code\",\n      \"execution_count\": 7";
    let expected = with(&[
        (&gone, ""),
        (code, "\"cell_type\": \"markdown\""),
        ("a = 1", "text"),
    ]);
    assert_eq!(
        after(&[
            "replace", "--cell", "calc", "--type", "markdown", "--source", "text"
        ]),
        expected
    );
}

#[test]
fn s16_every_change_leaves_a_valid_notebook() {
    let types = ["code", "markdown", "raw"];
    let cells = ["cell-0", "cell-1", "cell-2"];
    let mut commands: Vec<Vec<&str>> = vec![vec![
        "insert", "--type", "code", "--source", "a\nb", "--at", "end",
    ]];
    for cell in cells {
        commands.push(vec!["delete", "--cell", cell]);
        commands.push(vec!["replace", "--cell", cell, "--source", "x"]);
        commands.extend(types.map(|kind| {
            vec![
                "replace", "--cell", cell, "--source", "x\ny\n", "--type", kind,
            ]
        }));
        commands.extend(
            types.map(|kind| vec!["insert", "--cell", cell, "--source", "", "--type", kind]),
        );
    }
    for minor in 0..=5 {
        for (layout, spaces) in [("short", false), ("long", true)] {
            let notebook = nbformat::notebook(minor);
            let text = if spaces {
                serde_json::to_string_pretty(&notebook).unwrap()
            } else {
                notebook.to_string()
            };
            for command in &commands {
                let desk = Desk::with(&[("n.ipynb", text.as_bytes())]);
                let words = [
                    &["notebook", command[0], "n.ipynb"],
                    &command[1..],
                    &["--durability", "none"],
                ]
                .concat();
                assert!(
                    desk.runs(&words, b"").status.success(),
                    "{minor} {layout} {command:?}"
                );
                let changed: Value = serde_json::from_slice(&desk.bytes("n.ipynb")).unwrap();
                assert_eq!(
                    nbformat::faults(&changed),
                    [""; 0],
                    "{minor} {layout} {command:?}"
                );
                assert_ne!(changed, notebook, "{minor} {layout} {command:?}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn s17_a_notebook_has_to_be_inside_and_open() {
    let desk = Desk::with(&[
        ("../n.ipynb", NOTEBOOK.as_bytes()),
        (".git/n.ipynb", NOTEBOOK.as_bytes()),
        ("n", b""),
    ]);
    world::link("../n.ipynb", desk.path("link.ipynb")).unwrap();
    for (path, kind) in [
        ("../n.ipynb", "outside_root"),
        ("link.ipynb", "outside_root"),
        (".git/n.ipynb", "denied"),
    ] {
        desk.refuses(kind, &["notebook", "delete", path, "--cell", "calc"], b"");
        desk.refuses(
            kind,
            &[
                "notebook", "replace", path, "--cell", "calc", "--source", "x",
            ],
            b"",
        );
        desk.refuses(
            kind,
            &["notebook", "insert", path, "--type", "raw", "--source", "x"],
            b"",
        );
    }
}
