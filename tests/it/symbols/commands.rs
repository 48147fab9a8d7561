//! The commands and tools that name symbols.

use std::path::Path;

use fs_err as fs;
use serde_json::{Value, json};

use crate::tree::{self, directory};
use crate::verbs::{run, text};
use crate::world;

const PYTHON: &str = "\
class A:
    # About f.
    @dec
    def f(self):
        return 1

    def g(self):
        return 2


def f():
    return 3
";

/// Returns the document of `read` or `list`.
fn found(root: &Path, arguments: &[&str]) -> Value {
    let mut command = world::wpatch();
    let output = command
        .current_dir(root)
        .args(arguments)
        .arg("--json")
        .output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

/// Returns the content of `a.py` after an edit of it.
fn edited(arguments: &[&str]) -> String {
    let root = directory(&[("a.py", PYTHON)]);
    let report = run(root.path(), &[&["edit", "a.py"], arguments].concat(), "");
    assert_eq!(report["ok"], true, "{report:#}");
    fs::read_to_string(root.path().join("a.py")).unwrap()
}

/// Returns the error of an edit of the file `name`, which must not change.
fn refused(name: &str, content: &str, arguments: &[&str]) -> Value {
    let root = directory(&[(name, content)]);
    let before = tree::read(root.path());
    let report = run(root.path(), &[&["edit", name], arguments].concat(), "");
    assert_eq!(report["changed"], false, "{report:#}");
    assert_eq!(tree::read(root.path()), before);
    report["error"].clone()
}

#[test]
fn a_symbol_is_replaced_deleted_or_gets_a_neighbour() {
    let head = "class A:\n    # About f.\n    @dec\n    def f(self):\n        return 1\n\n";
    let tail = "\n\ndef f():\n    return 3\n";
    let method = "    def g(self):\n        return 2\n";
    for (arguments, wanted) in [
        (
            &["--symbol", "A.g", "--new", "    g = 1\n"][..],
            format!("{head}    g = 1\n{tail}"),
        ),
        (
            &["--symbol", "g", "--new", "    g = 1"],
            format!("{head}    g = 1\n{tail}"),
        ),
        (
            &["--symbol", "A.g", "--delete"],
            format!("{}{tail}", head.trim_end_matches('\n').to_owned() + "\n"),
        ),
        (
            &["--symbol", "A::f", "--delete"],
            format!("class A:\n{method}{tail}"),
        ),
        (&["--symbol", ".f", "--delete"], format!("{head}{method}")),
        (
            &["--symbol", "A#f", "--place", "before", "--new", "    x = 1"],
            format!(
                "class A:\n    x = 1\n\n{}{method}{tail}",
                &head["class A:\n".len()..]
            ),
        ),
        (
            &["--symbol", "f:11", "--place", "after", "--new", "g = f\n"],
            format!("{head}{method}{tail}\n\ng = f\n"),
        ),
    ] {
        assert_eq!(edited(arguments), wanted, "{arguments:?}");
    }
}

#[test]
fn a_name_must_denote_one_symbol() {
    let error = refused("a.py", PYTHON, &["--symbol", "f", "--delete"]);
    assert_eq!(error["kind"], "ambiguous");
    assert_eq!(error["code"], "wpatch::symbol::ambiguous");
    assert_eq!(error["count"], 2);
    assert_eq!(error["lines"], json!([4, 11]));
    assert_eq!(
        error["symbols"],
        json!([
            { "name": "A.f", "kind": "method", "line": 4 },
            { "name": "f", "kind": "function", "line": 11 },
        ])
    );
    assert_eq!(
        error["message"],
        "the file has 2 symbols f: method A.f at line 4, function f at line 11"
    );
    let error = refused("a.py", PYTHON, &["--symbol", "A.F", "--new", "x"]);
    assert_eq!(error["kind"], "not_found");
    assert_eq!(
        error["message"],
        "the file has no symbol A.F; similar: method A.f at line 4, function f at line 11"
    );
    let error = refused("a.py", PYTHON, &["--symbol", "f:5", "--new", "x"]);
    assert_eq!(error["kind"], "not_found");
    let error = refused("a.py", PYTHON, &["--symbol", "unknown", "--new", "x"]);
    assert_eq!(
        error["help"],
        "use `wpatch list --symbols FILE` to list the symbols"
    );
}

#[test]
fn an_uncertain_place_is_refused() {
    for (name, content, arguments, message) in [
        (
            "a.txt",
            "def f(): pass\n",
            &["--delete"][..],
            "the symbols of the file are unknown: no grammar exists for the language",
        ),
        (
            "a.css",
            "f { }\n",
            &["--delete"],
            "the symbols of the file are unknown: the language has no functions and classes",
        ),
        (
            "a.js",
            "function f() { (; }\n",
            &["--delete"],
            "the function f contains code that the parser does not understand, so its end is uncertain",
        ),
        (
            "a.js",
            "x(); function f() { }\n",
            &["--place", "before", "--new", "y"],
            "other code is on the first or the last line of f",
        ),
        (
            "a.js",
            "function f() { } x();\n",
            &["--place", "after", "--new", "y"],
            "other code is on the first or the last line of f",
        ),
        (
            "a.py",
            "def f(): pass\n\u{0}",
            &["--delete"],
            "the file is binary, so text in it cannot be replaced",
        ),
    ] {
        let error = refused(name, content, &[&["--symbol", "f"], arguments].concat());
        assert_eq!(error["message"], message, "{error:#}");
        assert!(
            ["unsupported", "binary"].contains(&error["kind"].as_str().unwrap()),
            "{error:#}"
        );
    }
}

#[test]
fn a_symbol_that_shares_a_line_is_refused() {
    let text = "x(); function f() { } y(); const o = { g() {}, h: () => 1 };\n";
    for name in ["f", "g", "h"] {
        for change in [&["--new", "z"][..], &["--delete"]] {
            let error = refused("a.js", text, &[&["--symbol", name], change].concat());
            let message = format!("other code is on the first or the last line of {name}");
            assert_eq!(error["message"], message);
        }
    }
}

#[test]
fn bytes_around_a_symbol_stay() {
    let root = directory(&[(
        "a.go",
        "\u{feff}package a\r\n\r\nfunc f() {}\r\n\r\nfunc g() {\r\n}",
    )]);
    let edit = |arguments: &[&str]| {
        let report = run(root.path(), &[&["edit", "a.go"], arguments].concat(), "");
        assert_eq!(report["ok"], true, "{report:#}");
        text(root.path(), "a.go")
    };
    assert_eq!(
        edit(&["--symbol", "g", "--new", "func g() {\n\tx()\n}\n"]),
        r"\xef\xbb\xbfpackage a\r\n\r\nfunc f() {}\r\n\r\nfunc g() {\r\n\tx()\r\n}"
    );
    assert_eq!(
        edit(&[
            "--symbol",
            "g",
            "--place",
            "after",
            "--new",
            "func h() {\n}\n"
        ]),
        r"\xef\xbb\xbfpackage a\r\n\r\nfunc f() {}\r\n\r\nfunc g() {\r\n\tx()\r\n}\r\n\r\nfunc h() {\r\n}"
    );
    assert_eq!(
        edit(&["--symbol", "f", "--delete"]),
        r"\xef\xbb\xbfpackage a\r\n\r\nfunc g() {\r\n\tx()\r\n}\r\n\r\nfunc h() {\r\n}"
    );
}

#[test]
fn a_list_of_edits_can_name_symbols() {
    let root = directory(&[("a.py", PYTHON)]);
    let list = json!([
        { "symbol": "A.g", "new": "    g = 1" },
        { "symbol": ".f", "delete": true },
        { "symbol": "A", "place": "before", "new": "import x" },
        { "old": "return 1", "new": "return 0" },
    ]);
    let report = run(
        root.path(),
        &["edit", "a.py", "--edits", "-"],
        &list.to_string(),
    );
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(
        fs::read_to_string(root.path().join("a.py")).unwrap(),
        "import x\n\n\nclass A:\n    # About f.\n    @dec\n    def f(self):\n        return 0\n\n    g = 1\n"
    );
    let patch = json!({ "edits": [{ "path": "a.py", "symbol": "g", "new": "x" }] });
    let report = run(root.path(), &["apply"], &patch.to_string());
    assert_eq!(report["error"]["kind"], "not_found", "{report:#}");
    for entry in [
        json!({ "path": "a.py", "symbol": "f" }),
        json!({ "path": "a.py", "symbol": "", "new": "x" }),
        json!({ "path": "a.py", "symbol": "f", "old": "x", "new": "y" }),
        json!({ "path": "a.py", "symbol": "f", "delete": true, "new": "y" }),
        json!({ "path": "a.py", "symbol": "f", "place": "inside", "new": "y" }),
        json!({ "path": "a.py", "symbol": "f", "all": true, "new": "y" }),
    ] {
        let report = run(
            root.path(),
            &["apply"],
            &json!({ "edits": [entry] }).to_string(),
        );
        assert_eq!(report["error"]["kind"], "parse", "{report:#}");
    }
}

#[test]
fn a_symbol_is_read_with_its_lines() {
    let root = directory(&[("a.py", PYTHON)]);
    let extract = found(root.path(), &["read", "a.py", "--symbol", "A.f"]);
    assert_eq!(
        extract["content"],
        "    # About f.\n    @dec\n    def f(self):\n        return 1\n"
    );
    assert_eq!(
        extract["symbol"],
        json!({ "name": "A.f", "kind": "method", "line": 4, "first_line": 2, "last_line": 5 })
    );
    let extract = found(
        root.path(),
        &[
            "read",
            "a.py",
            "--symbol",
            ".f",
            "--number",
            "--max-lines",
            "1",
        ],
    );
    assert_eq!(extract["content"], "    11\tdef f():\n");
    let report = found(root.path(), &["read", "a.py", "--symbol", "f"]);
    assert_eq!(report["error"]["kind"], "ambiguous");
    assert_eq!(report["error"]["path"], "a.py");
    let report = found(root.path(), &["read", "none.py", "--symbol", "f"]);
    assert_eq!(report["error"]["kind"], "missing");
}

#[test]
fn the_symbols_of_a_file_are_listed() {
    let root = directory(&[
        ("a.py", PYTHON),
        ("b.js", "function f() { (; }\nclass A { }\n"),
    ]);
    let listing = found(root.path(), &["list", "--symbols", "a.py"]);
    assert_eq!(listing["language"], "Python");
    let names: Vec<_> = listing["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["A", "A.f", "A.g", "f"]);
    let listing = found(root.path(), &["list", "--symbols", "a.py", "--max", "1"]);
    assert_eq!(
        (
            &listing["truncated"],
            listing["symbols"].as_array().unwrap().len()
        ),
        (&json!(true), 1)
    );
    let listing = found(root.path(), &["list", "--symbols", "b.js"]);
    assert_eq!(listing["symbols"][0]["faulty"], true, "{listing:#}");
    let report = found(root.path(), &["list", "--symbols", "."]);
    assert_eq!(report["ok"], false);
}

#[test]
fn hashline_edits_name_constructs_by_their_first_line() {
    let root = directory(&[("a.py", PYTHON)]);
    let apply = |operations: &str| {
        let extract = found(root.path(), &["read", "a.py", "--hashline"]);
        let patch = format!("[a.py#{}]\n{operations}", extract["tag"].as_str().unwrap());
        let report = run(root.path(), &["apply"], &patch);
        (
            report,
            fs::read_to_string(root.path().join("a.py")).unwrap(),
        )
    };
    // A decorator is on line 3, and its method ends on line 5.
    let (report, after) = apply("CUT 3*\nPUT >7*:\n+    h = 1\n");
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(
        after,
        "class A:\n    # About f.\n\n    def g(self):\n        return 2\n    h = 1\n\n\ndef f():\n    return 3\n"
    );
    let (report, after) = apply("CUT 4* @m\nPUT >9* @m\nPUT 9*:\n+def k():\n+    pass\n");
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(
        after,
        "class A:\n    # About f.\n\n    h = 1\n\n\ndef k():\n    pass\n    def g(self):\n        return 2\n"
    );
    for (operations, message) in [
        ("CUT 3*\n", "no complete construct begins on line 3"),
        ("CUT 99*\n", "no complete construct begins on line 99"),
    ] {
        let (report, unchanged) = apply(operations);
        assert_eq!(report["error"]["kind"], "unsupported", "{report:#}");
        assert_eq!(report["error"]["message"], message);
        assert_eq!(unchanged, after);
    }
}
