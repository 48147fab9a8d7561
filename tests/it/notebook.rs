//! Changes of cells of notebooks: what they leave, byte for byte, and what they say.
//!
//! The numbers in comments are those of the statements on notebooks that the commands are built to.

mod spacing;

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::plan::{CellEdit, CellId, CellKind, CellPlace};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::run::valid;
use crate::{tree, verbs};

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

fn insert(place: CellPlace, kind: CellKind, source: &str, id: Option<&str>) -> CellEdit {
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

fn behind(cell: &str) -> CellPlace {
    CellPlace::After(cell.to_owned())
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
        new(CellPlace::Start),
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
    assert_eq!(new(CellPlace::End), last);
    assert_eq!(new(behind("cell-1")), last);
    let (report, _) = changed(
        NOTEBOOK,
        insert(CellPlace::End, CellKind::Raw, "", Some("new")),
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
            insert(CellPlace::Start, CellKind::Markdown, "a", None),
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
        refused(text, insert(CellPlace::Start, CellKind::Raw, "", Some(id)))["kind"].clone()
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
            CellPlace::End,
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

// CheetahClaws 13-16: what is not there, is there twice, or is no notebook.
#[test]
fn a_notebook_that_does_not_fit_is_left_alone() {
    for cell in [
        "nope",
        "cell-2",
        "cell-",
        "cell--1",
        "cell-+1",
        "cell-18446744073709551616",
    ] {
        let error = refused(NOTEBOOK, delete(cell));
        assert_eq!(
            json!([error["kind"], error["cells"]]),
            json!(["not_found", ["intro", "cell-0"]]),
            "{cell}"
        );
    }
    let twice = with(NOTEBOOK, "\"intro\"", "\"cell-0\"");
    let error = refused(&twice, delete("cell-0"));
    assert_eq!(
        json!([error["kind"], error["lines"], error["count"]]),
        json!(["ambiguous", [3, 12], 2])
    );
    let broken = [
        ("", "parse"),
        ("{", "parse"),
        ("[]", "parse"),
        ("{}", "parse"),
        (r#"{"nbformat":4,"nbformat_minor":5}"#, "parse"),
        (r#"{"nbformat":4,"nbformat_minor":5,"cells":{}}"#, "parse"),
        (r#"{"nbformat":4,"nbformat_minor":5,"cells":[1]}"#, "parse"),
        (
            r#"{"nbformat":4,"nbformat_minor":5,"cells":[{}]} x"#,
            "parse",
        ),
        (r#"{"nbformat":4,"nbformat_minor":5,"cells":[{}]}"#, "parse"),
        (
            r#"{"nbformat":3,"nbformat_minor":0,"worksheets":[]}"#,
            "unsupported",
        ),
    ];
    for (text, kind) in broken {
        assert_eq!(
            refused(text, replace("cell-0", None, ""))["kind"],
            kind,
            "{text}"
        );
    }
}

/// Python writes numbers that JSON does not have.
#[test]
fn numbers_that_are_none_stay_and_are_in_nobodys_way() {
    let odd = "[NaN,-Infinity, Infinity\n,{\"NaN\":NaN}]";
    let text = with(NOTEBOOK, "1.50E+00", odd).replace("# Title", "\\\\\\\" NaN,Infinity");
    let expected = with(&text, "    \"a = 1\\n\",\n    \"a\"\n", "    \"b\"\n");
    let expected = with(
        &with(&expected, OUTPUTS, "[]"),
        r#""execution_count": 4"#,
        r#""execution_count": null"#,
    );
    assert_eq!(after(&text, replace("cell-1", None, "b")), expected);
    let counted = with(
        NOTEBOOK,
        r#""execution_count": 4"#,
        r#""execution_count": Infinity"#,
    );
    assert_eq!(
        after(&counted, replace("cell-1", None, "a = 1\na")),
        after(NOTEBOOK, replace("cell-1", None, "a = 1\na"))
    );
    for wrong in [
        "-NaN",
        "1NaN",
        "NaN5",
        "nan",
        "+Infinity",
        "--Infinity",
        "Infinityx",
        "NaNNaN",
        "\"NaN",
    ] {
        assert_eq!(
            refused(&with(NOTEBOOK, "1.50E+00", wrong), delete("intro"))["kind"],
            "parse",
            "{wrong}"
        );
    }
}

#[test]
fn nesting_and_size_have_no_power() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let text = with(NOTEBOOK, "1.50E+00", &deep);
    assert_eq!(after(&text, replace("intro", None, "# Title\ncafé")), text);
    // A step of indentation that is larger than all the text is no style to be multiplied.
    let wide = with(
        NOTEBOOK,
        "[\n    \"# Title",
        &format!("[\n{}\"# Title", " ".repeat(100_000)),
    );
    assert!(
        after(&wide, replace("intro", None, &"\n".repeat(1000))).len() < NOTEBOOK.len() + 10_000
    );
    let memory = Memory::with_files([(path(), Entry::file(NOTEBOOK))]);
    let mut request = Request::notebook("n.ipynb", replace("intro", None, &"\n".repeat(1000)));
    request.decide.max_file = 2000;
    assert_eq!(
        engine::apply(request, &memory, &Interrupt::new())
            .report
            .error
            .unwrap()
            .kind,
        wpatch::report::ProblemKind::TooLarge
    );
}

#[test]
fn a_report_shows_where_the_cell_changed() {
    let (report, _) = changed(NOTEBOOK, replace("intro", None, "x"));
    let file = &report["files"][0];
    let told = json!([
        file["op"],
        file["cell"],
        file["added"],
        file["removed"],
        file["match"],
        file["status"]
    ]);
    assert_eq!(
        told,
        json!(["modify", { "index": 0, "id": "intro" }, 1, 2, "exact", "ok"])
    );
    let lines = json!({ "old_start": 7, "old_lines": 4, "new_start": 7, "new_lines": 3 });
    assert_eq!(
        (
            &file["hunks"][0]["applied"],
            file["hunks"].as_array().unwrap().len()
        ),
        (&lines, 1)
    );
    assert!(
        file["diff"]
            .as_str()
            .unwrap()
            .contains("\n-    \"# Title\\n\",\n-    \"caf\\u00e9\"\n+    \"x\"\n")
    );
}

// CheetahClaws 14, 15, 17; Claude Code 6: the commands, and the rules for paths.
#[test]
fn the_commands_do_it_on_a_disk() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "").unwrap();
    fs::write(root.join(".git/n.ipynb"), NOTEBOOK).unwrap();
    fs::write(directory.path().join("n.ipynb"), NOTEBOOK).unwrap();
    fs::write(root.join("n.ipynb"), NOTEBOOK).unwrap();
    fs::write(root.join("n.json"), NOTEBOOK).unwrap();
    let wrong: [(&[&str], &str); 13] = [
        (&["replace", "n.ipynb", "--source", "x"], "usage"),
        (&["replace", "n.ipynb", "--cell", "intro"], "usage"),
        (
            &["replace", "n.json", "--cell", "intro", "--source", "x"],
            "usage",
        ),
        (
            &[
                "replace", "n.ipynb", "--cell", "intro", "--source", "x", "--type", "heading",
            ],
            "usage",
        ),
        (
            &["insert", "n.ipynb", "--cell", "intro", "--source", "x"],
            "usage",
        ),
        (
            &[
                "insert", "n.ipynb", "--type", "raw", "--source", "x", "--new-id", "a b",
            ],
            "usage",
        ),
        (
            &[
                "insert", "n.ipynb", "--type", "raw", "--source", "x", "--cell", "intro", "--at",
                "end",
            ],
            "usage",
        ),
        (&["delete", "n.ipynb"], "usage"),
        (&["delete", "../n.ipynb", "--cell", "intro"], "outside_root"),
        (&["delete", ".git/n.ipynb", "--cell", "intro"], "denied"),
        (&["delete", "no.ipynb", "--cell", "intro"], "missing"),
        (
            &["delete", "n.ipynb", "--cell", "intro", "--max-bytes", "9"],
            "too_large",
        ),
        (
            &[
                "delete",
                "n.ipynb",
                "--cell",
                "intro",
                "--expect-hash",
                &"0".repeat(64),
            ],
            "stale",
        ),
    ];
    let before = tree::read(&root);
    for (arguments, kind) in wrong {
        let report = verbs::run(&root, &[&["notebook"], arguments].concat(), "");
        let told = json!([
            report["ok"],
            report["changed"],
            report["error"]["kind"],
            report["command"]
        ]);
        assert_eq!(
            told,
            json!([false, false, kind, "notebook"]),
            "{arguments:?}"
        );
        assert_eq!(tree::read(&root), before, "{arguments:?}");
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("n.ipynb")).unwrap(),
        NOTEBOOK
    );
    let done = |arguments: &[&str], input: &str| {
        let report = verbs::run(&root, &[&["notebook"], arguments].concat(), input);
        assert_eq!(report["ok"], true, "{report:#}");
        fs::read_to_string(root.join("n.ipynb")).unwrap()
    };
    assert_eq!(
        done(&["delete", "n.ipynb", "--cell", "intro", "--dry-run"], ""),
        NOTEBOOK
    );
    let text = done(
        &[
            "insert",
            "n.ipynb",
            "--type",
            "markdown",
            "--source-file",
            "-",
            "--new-id",
            "-x",
            "--at",
            "end",
        ],
        "s",
    );
    let expected = insert(CellPlace::End, CellKind::Markdown, "s", Some("-x"));
    assert_eq!(text, after(NOTEBOOK, expected));
    assert_eq!(done(&["delete", "n.ipynb", "--cell", "-x"], ""), NOTEBOOK);
    let text = done(
        &[
            "replace", "n.ipynb", "--cell", "intro", "--type", "raw", "--source", "--x",
        ],
        "",
    );
    assert_eq!(
        text,
        after(NOTEBOOK, replace("intro", Some(CellKind::Raw), "--x"))
    );
}
