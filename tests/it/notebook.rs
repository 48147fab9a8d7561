//! Changes of cells of notebooks: what they leave, byte for byte, and what they say.
//!
//! The numbers in comments are those of the statements on notebooks that the commands are built to.

mod commands;
mod spacing;
mod unusual;

use serde_json::{Value, json};
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::plan::{CellEdit, CellId, CellKind, CellPosition};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::run::valid;

/// A notebook as nbformat writes it, but for number forms, escapes and a key that only this file
/// has.
const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "caf\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 4,
   "id": "cell-0",
   "metadata": {
    "zoom": 1.50E+00
   },
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
    "a = 1\n",
    "a"
   ]
  }
 ],
 "metadata": {"own\/key": -0.0},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn path() -> RelPath {
    RelPath::new(b"n.ipynb").unwrap()
}

/// Returns the report of the change, and the notebook afterwards.
fn changed(text: &str, edit: CellEdit) -> (Value, String) {
    let memory = Memory::with_files([(path(), Entry::file(text))]);
    let mut request = Request::notebook("n.ipynb", edit);
    (request.look.describe, request.look.diff) = (true, true);
    let outcome = engine::apply(request, &memory, &Interrupt::new());
    let after = String::from_utf8(memory.files()[&path()].contents.clone()).unwrap();
    (valid(serde_json::to_value(&outcome.report).unwrap()), after)
}

/// Returns the notebook after a change that is made.
fn after(text: &str, edit: CellEdit) -> String {
    let (report, after) = changed(text, edit);
    assert_eq!(report["ok"], true, "{report:#}");
    after
}

/// Returns `error.kind` of a change that is refused.
fn refused(text: &str, edit: CellEdit) -> Value {
    let (report, after) = changed(text, edit);
    assert_eq!((&report["ok"], after.as_str()), (&json!(false), text));
    report["error"].clone()
}

fn replace(cell: &str, kind: Option<CellKind>, source: &str) -> CellEdit {
    CellEdit::Replace {
        cell: cell.to_owned(),
        kind,
        source: source.to_owned(),
    }
}

fn insert(place: CellPosition, kind: CellKind, source: &str, id: Option<&str>) -> CellEdit {
    CellEdit::Insert {
        place,
        kind,
        source: source.to_owned(),
        id: id.map(|id| CellId::new(id).unwrap()),
    }
}

fn delete(cell: &str) -> CellEdit {
    CellEdit::Delete {
        cell: cell.to_owned(),
    }
}

fn behind(cell: &str) -> CellPosition {
    CellPosition::After(cell.to_owned())
}

/// Replaces a text that is in `text` once.
fn with(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replacen(old, new, 1)
}

const OUTPUTS: &str = r#"[
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "3\n"
     ]
    }
   ]"#;

// CheetahClaws 13, 16; Claw 12; Reasonix 12; Claude Code 6.
#[test]
fn a_cell_gets_another_source_and_loses_its_outputs() {
    let rest = with(
        &with(NOTEBOOK, OUTPUTS, "[]"),
        r#""execution_count": 4"#,
        r#""execution_count": null"#,
    );
    let expected = with(
        &rest,
        "    \"a = 1\\n\",\n    \"a\"\n",
        "    \"ä \\\"\\n\",\n    \"\\n\",\n    \"b\\n\"\n",
    );
    assert_eq!(
        after(NOTEBOOK, replace("cell-0", None, "ä \"\n\nb\n")),
        expected,
        "an id goes before an index"
    );
    assert_eq!(
        after(NOTEBOOK, replace("cell-1", None, "ä \"\n\nb\n")),
        expected
    );
    let same = with(&rest, "\"execution_count\": null", "\"execution_count\": 4");
    assert_eq!(after(&same, replace("cell-0", None, "a = 1\na")), rest);
    let (report, text) = changed(&rest, replace("cell-0", None, "a = 1\na"));
    assert_eq!(
        (&report["ok"], &report["changed"], text),
        (&json!(true), &json!(false), rest)
    );
}

// CheetahClaws 13, 16; Claw 12; Reasonix 12.
#[test]
fn a_text_cell_gets_another_source_and_nothing_else() {
    let old = "[\n    \"# Title\\n\",\n    \"caf\\u00e9\"\n   ]";
    assert_eq!(
        after(NOTEBOOK, replace("intro", None, "x")),
        with(NOTEBOOK, old, "[\n    \"x\"\n   ]")
    );
    assert_eq!(
        after(NOTEBOOK, replace("intro", None, "")),
        with(NOTEBOOK, old, "[]")
    );
    assert_eq!(
        after(NOTEBOOK, replace("intro", None, "# Title\ncafé")),
        NOTEBOOK,
        "the same text in its old escapes"
    );
    let line = with(NOTEBOOK, old, "\"# Title\"");
    assert_eq!(
        after(&line, replace("intro", None, "a\nb")),
        with(NOTEBOOK, old, "[\n    \"a\\n\",\n    \"b\"\n   ]")
    );
}

// CheetahClaws 16; Claw 12.
#[test]
fn a_cell_of_another_kind_has_the_keys_of_that_kind() {
    let text = after(NOTEBOOK, replace("cell-0", Some(CellKind::Raw), "a = 1\na"));
    let expected = with(NOTEBOOK, &format!("   \"outputs\": {OUTPUTS},\n"), "");
    let expected = with(
        &with(&expected, "   \"execution_count\": 4,\n", ""),
        "\"code\"",
        "\"raw\"",
    );
    assert_eq!(text, expected);
    let attached = with(
        NOTEBOOK,
        "\"id\": \"intro\"",
        "\"attachments\": {},\n   \"id\": \"intro\"",
    );
    let text = after(
        &attached,
        replace("intro", Some(CellKind::Code), "# Title\ncafé"),
    );
    let expected = with(
        NOTEBOOK,
        "\"markdown\"",
        "\"code\",\n   \"execution_count\": null",
    );
    let expected = expected.replacen(
        "\"metadata\": {},",
        "\"metadata\": {},\n   \"outputs\": [],",
        1,
    );
    assert_eq!(text, expected);
    // Whatever stands first and last, a comma goes with each.
    let odd = r#"{"nbformat":4,"nbformat_minor":4,"cells":[{"outputs":[],"outputs":[1],"cell_type":"code","source":"","execution_count":1}]}"#;
    let expected =
        r#"{"nbformat":4,"nbformat_minor":4,"cells":[{"cell_type":"markdown","source":["x"]}]}"#;
    assert_eq!(
        after(odd, replace("cell-0", Some(CellKind::Markdown), "x")),
        expected
    );
}

// CheetahClaws 14; Claw 12; Claude Code 6.
#[test]
fn a_new_cell_comes_where_it_is_asked_for() {
    let cell = "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"new\",\n   \"metadata\": {},\n   \
                \"outputs\": [],\n   \"source\": [\n    \"1\"\n   ]\n  }";
    let new = |place| after(NOTEBOOK, insert(place, CellKind::Code, "1", Some("new")));
    assert_eq!(
        new(CellPosition::Start),
        with(
            NOTEBOOK,
            "\"cells\": [\n",
            &format!("\"cells\": [\n{cell},\n")
        )
    );
    let seam = "   ]\n  },\n  {\n";
    assert_eq!(
        new(behind("intro")),
        with(NOTEBOOK, seam, &format!("   ]\n  }},\n{cell},\n  {{\n"))
    );
    let last = with(
        NOTEBOOK,
        "   ]\n  }\n ],",
        &format!("   ]\n  }},\n{cell}\n ],"),
    );
    assert_eq!(new(CellPosition::End), last);
    assert_eq!(new(behind("cell-1")), last);
    let (report, _) = changed(
        NOTEBOOK,
        insert(CellPosition::End, CellKind::Raw, "", Some("new")),
    );
    assert_eq!(
        report["files"][0]["cell"],
        json!({ "index": 2, "id": "new" })
    );
}

// CheetahClaws 14.
#[test]
fn a_new_cell_has_an_id_from_version_4_5_on() {
    let added = |text: &str| {
        let text = after(
            text,
            insert(CellPosition::Start, CellKind::Markdown, "a", None),
        );
        serde_json::from_str::<Value>(&text).unwrap()["cells"][0].clone()
    };
    let id = added(NOTEBOOK)["id"].as_str().unwrap().to_owned();
    assert!(
        id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{id}"
    );
    assert_eq!(
        added(NOTEBOOK)["id"],
        id,
        "what was looked at is what is made"
    );
    let old = with(NOTEBOOK, "\"nbformat_minor\": 5", "\"nbformat_minor\": 4");
    assert_eq!(
        added(&old),
        json!({ "cell_type": "markdown", "metadata": {}, "source": ["a"] })
    );
    let kind = |text, id| {
        refused(
            text,
            insert(CellPosition::Start, CellKind::Raw, "", Some(id)),
        )["kind"]
            .clone()
    };
    assert_eq!(
        json!([kind(&old, "x"), kind(NOTEBOOK, "intro")]),
        json!(["unsupported", "exists"])
    );
    for wrong in ["", "a b", "é", &"a".repeat(65)] {
        assert_eq!(CellId::new(wrong), None);
    }
}

// CheetahClaws 15, 16.
#[test]
fn a_cell_goes_with_one_comma() {
    let (first, last) = (
        NOTEBOOK.find("  {\n   \"cell_type\": \"m").unwrap(),
        NOTEBOOK.find(",\n  {\n").unwrap(),
    );
    let end = NOTEBOOK.find("\n ],").unwrap();
    let without_first = format!("{}{}", &NOTEBOOK[..first], &NOTEBOOK[last + 2..]);
    let without_last = format!("{}{}", &NOTEBOOK[..last], &NOTEBOOK[end..]);
    assert_eq!(after(NOTEBOOK, delete("intro")), without_first);
    assert_eq!(after(NOTEBOOK, delete("cell-1")), without_last);
    let empty = after(&without_last, delete("intro"));
    assert_eq!(
        empty,
        format!("{}[]{}", &NOTEBOOK[..first - 2], &NOTEBOOK[end + 3..])
    );
    let again = after(
        &empty,
        insert(
            CellPosition::End,
            CellKind::Markdown,
            "# Title\ncafé",
            Some("intro"),
        ),
    );
    assert_eq!(
        again,
        without_last.replace("\\u00e9", "é"),
        "the style comes from the document"
    );
}
