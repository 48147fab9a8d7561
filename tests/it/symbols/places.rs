//! Places that an edit of a symbol must not touch, and texts that must not cost much.

use wpatch::engine::{self, ReadRange, ReadRequest, Request, SymbolsRequest};
use wpatch::path::RelPath;
use wpatch::plan::SymbolAction;
use wpatch::text::tag::HashlineTag;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

/// Returns the file after an edit of the symbol `name`, or the message of the refusal.
fn edited(file: (&str, &str), name: &str, action: SymbolAction, new: &str) -> String {
    applied(
        file,
        Request::edit_symbol(file.0, name.parse().unwrap(), action, new),
    )
}

fn applied((path, text): (&str, &str), request: Request) -> String {
    let key = RelPath::new(path.as_bytes()).unwrap();
    let memory = Memory::with_files([(key.clone(), Entry::file(text))]);
    let report = engine::apply(request, &memory, &Interrupt::new()).report;
    let after = String::from_utf8(memory.files()[&key].contents.clone()).unwrap();
    match report.error {
        None => after,
        Some(error) => {
            assert_eq!(after, text);
            error.message
        }
    }
}

fn deleted(path: &str, text: &str, name: &str) -> String {
    edited((path, text), name, SymbolAction::Delete, "")
}

#[test]
fn a_statement_with_several_definitions_is_not_deleted_with_one() {
    let group = "package a\n\ntype (\n\tA struct{}\n\tB = int\n)\n";
    assert_eq!(
        deleted("a.go", group, "A"),
        "package a\n\ntype (\n\tB = int\n)\n"
    );
    let message = "the file has no symbol f";
    assert_eq!(deleted("a.c", "int f(void), g(void);\n", "f"), message);
    for text in [
        "struct s { int a; } x = { 1 };\n",
        "static struct s {\n  int a;\n} *x;\n",
    ] {
        let message = "other code is on the first or the last line of s";
        assert_eq!(deleted("a.c", text, "s"), message);
    }
    let message = "other code is on the first or the last line of b";
    assert_eq!(deleted("a.js", "const a = 2, b = () => 1;\n", "b"), message);
    assert_eq!(
        deleted("a.js", "const f = () => 1;\nlet x;\n", "f"),
        "let x;\n"
    );
}

#[test]
fn the_text_of_a_here_document_belongs_to_its_statement() {
    let ruby = "def f = <<~T\n  a\nT\n\ndef g = 1\n";
    assert_eq!(deleted("a.rb", ruby, "f"), "def g = 1\n");
    let file = ("a.rb", "x = <<~T # c\n  a\nT\ny = 1\n");
    let tag = HashlineTag::of(file.1.as_bytes());
    let patch = format!("[a.rb#{tag}]\nCUT 1*\n");
    assert_eq!(applied(file, Request::of(patch)), "y = 1\n");
    let bash = "f() {\n  cat <<T\n}\nT\n}\n\ng() { :; }\n";
    assert_eq!(deleted("a.sh", bash, "f"), "g() { :; }\n");
}

#[test]
fn a_construct_is_one_statement() {
    for (path, text, line, wanted) in [
        (
            "a.sql",
            "SELECT\n  a,\n  b\nFROM c;\n",
            2,
            "SELECT\n  b\nFROM c;\n",
        ),
        ("a.py", "if x:\n    a()\n    b()\n", 2, "if x:\n    b()\n"),
        (
            "a.go",
            "package a\n\nfunc f() {\n\ta()\n\tb()\n}\n",
            4,
            "package a\n\nfunc f() {\n\tb()\n}\n",
        ),
        (
            "a.rs",
            "#[test]\n// c\nfn f() {\n}\nfn g() {}\n",
            1,
            "fn g() {}\n",
        ),
        (
            "a.js",
            "a(); b();\n",
            1,
            "no complete construct begins on line 1",
        ),
        (
            "a.js",
            "f(\n} );\n",
            1,
            "no complete construct begins on line 1",
        ),
    ] {
        let tag = HashlineTag::of(text.as_bytes());
        let patch = format!("[{path}#{tag}]\nCUT {line}*\n");
        assert_eq!(applied((path, text), Request::of(patch)), wanted, "{text}");
    }
}

#[test]
fn an_element_of_an_object_keeps_its_comma() {
    let object = "const o = {\n  f() {\n  },\n  g() {\n  }\n};\n";
    for new in ["  f: 1", "  f: 1,\n"] {
        assert_eq!(
            edited(("a.js", object), "f", SymbolAction::Replace, new),
            "const o = {\n  f: 1,\n  g() {\n  }\n};\n"
        );
    }
    assert_eq!(
        deleted("a.js", object, "o.f"),
        "const o = {\n  g() {\n  }\n};\n"
    );
    let message = "g is an element of a list, and its separators are uncertain";
    assert_eq!(
        edited(("a.js", object), "g", SymbolAction::InsertAfter, "  h: 1"),
        message
    );
    assert_eq!(
        edited(("a.js", object), "g", SymbolAction::InsertBefore, "  h: 1,"),
        "const o = {\n  f() {\n  },\n  h: 1,\n  g() {\n  }\n};\n"
    );
}

#[test]
fn comments_about_the_file_stay() {
    for (path, head, body) in [
        ("a.py", "# coding: latin-1\n", "def f():\n    pass\n"),
        (
            "a.py",
            "#!/usr/bin/python\n# Copyright A\n",
            "def f():\n    pass\n",
        ),
        ("a.rb", "# frozen_string_literal: true\n", "def f\nend\n"),
        ("a.js", "/* eslint-disable */\n", "function f() {}\n"),
        ("a.rs", "//! Text.\n", "fn f() {}\n"),
    ] {
        assert_eq!(deleted(path, &format!("{head}{body}"), "f"), head);
    }
    assert_eq!(deleted("a.cpp", "//! About f.\nint f() {}\n", "f"), "");
}

#[test]
fn an_anchored_name_is_at_the_top_level() {
    let text = "describe('x', () => {\n  function h() {}\n});\n";
    assert_eq!(
        deleted("a.js", text, ".h"),
        "the file has no symbol .h; similar: function h at line 2"
    );
    assert_eq!(deleted("a.js", text, "h"), "describe('x', () => {\n});\n");
    let text = "type T = { a(): void };\ninterface A { a(): void }\n";
    let message = "other code is on the first or the last line of T.a";
    assert_eq!(deleted("a.ts", text, "T.a"), message);
}

#[test]
fn deletions_of_neighbours_share_their_blank_lines() {
    let text = "x = 1\n\n\ndef f(): pass\n\n\ndef g(): pass\n";
    let list = r#"[{"symbol": "f", "delete": true}, {"symbol": "g", "delete": true}]"#;
    let request = Request::edit_list("a.py", list).unwrap();
    let after = applied(("a.py", text), request);
    assert_eq!(after.trim_end(), "x = 1");
}

#[test]
fn an_edit_that_is_already_applied_is_recognised() {
    let text = "def f(): pass\n\ndef g(): pass\n";
    for (name, action, new, wanted) in [
        ("f", SymbolAction::Replace, "def f(): pass\n", text),
        ("f", SymbolAction::InsertAfter, "def g(): pass\n", text),
        ("g", SymbolAction::InsertBefore, "def f(): pass", text),
        ("h", SymbolAction::Delete, "", text),
        ("f", SymbolAction::Delete, "", "def g(): pass\n"),
    ] {
        let mut request = Request::edit_symbol("a.py", name.parse().unwrap(), action, new);
        request.decide.idempotent = true;
        assert_eq!(
            applied(("a.py", text), request),
            wanted,
            "{name} {action:?}"
        );
    }
}

#[test]
fn an_empty_new_text_deletes() {
    let text = "def f(): pass\n\ndef g(): pass\n";
    assert_eq!(
        edited(("a.py", text), "f", SymbolAction::Replace, ""),
        "def g(): pass\n"
    );
}

#[test]
fn the_end_of_a_statement_is_certain() {
    let text = "const f = () => 1\n;[1, 2].forEach(f)\n";
    assert_eq!(
        edited(("a.js", text), "f", SymbolAction::Replace, "const f = 2"),
        "const f = 2\n;[1, 2].forEach(f)\n"
    );
    let faulty = "contains code that the parser does not understand, so its end is uncertain";
    for (path, text, name) in [
        (
            "a.sql",
            "CREATE TABLE q (a int)\nUSING columnar;\nSELECT 1;\n",
            "q",
        ),
        (
            "a.c",
            "/* c */\nJNIEXPORT jint JNICALL\nJava_a(JNIEnv *e)\n{\n  return 1;\n}\n",
            "Java_a",
        ),
        ("a.cpp", "int f(int a)\nATTR(x)\n{\n}\n", "ATTR"),
        (
            "a.cpp",
            "template <typename T>\nAPI(x)\nT f(T a) {\n}\n",
            "f",
        ),
    ] {
        let message = deleted(path, text, name);
        assert!(message.ends_with(faulty), "{path} {message}");
    }
    for (path, text, name) in [
        ("a.sh", "m() {\n  cat\n} <<EOF\nbody }\nEOF\n", "m"),
        ("a.go", "package p\nfunc a() {\n}; func b() {}\n", "a"),
    ] {
        let message = deleted(path, text, name);
        assert_eq!(
            message,
            format!("other code is on the first or the last line of {name}")
        );
    }
    let text = "CREATE TABLE q (a int)\n;\nSELECT 1;\n";
    assert_eq!(deleted("a.sql", text, "q"), "SELECT 1;\n");
}

/// What `read` prints of a symbol is what `edit` replaces.
#[test]
fn a_symbol_can_be_replaced_by_itself() {
    for (path, text, name) in [
        (
            "a.js",
            "const o = {\n  b() {\n  }, /* end b */\n  c: 1\n};\n",
            "b",
        ),
        (
            "a.js",
            "const o = {\n  b() {\n  }, // end b\n  c: 1\n};\n",
            "b",
        ),
        ("a.js", "const o = {\n  b() {\n  },\n  c: 1\n};\n", "b"),
        ("a.cs", "\u{feff}namespace A {\n    class B { }\n}\n", "A"),
        ("a.cpp", "class A {\n};  // A\n", "A"),
        ("a.py", "class A:\r\n    @d\r\n    def f(self): pass", "f"),
    ] {
        let key = RelPath::new(path.as_bytes()).unwrap();
        let memory = Memory::with_files([(key, Entry::file(text))]);
        let range = ReadRange::Symbol(Box::new(name.parse().unwrap()));
        let request = ReadRequest {
            range,
            ..ReadRequest::of(path)
        };
        let extract = engine::read(&request, &memory).unwrap();
        let new = String::from_utf8(extract.content).unwrap();
        let file = (path, text);
        let after = edited(file, name, SymbolAction::Replace, &new);
        assert!(
            after == text || after == "the change would not change anything",
            "{after}"
        );
        let changed = edited(file, name, SymbolAction::Replace, &format!("x {new}"));
        assert_eq!(
            changed,
            text.replace(new.trim_end(), &format!("x {}", new.trim_end()))
        );
    }
}

/// Names without end, and many of them, have a limit.
#[test]
fn long_names_cost_little() {
    let list = |path: &str, text: String| {
        let key = RelPath::new(path.as_bytes()).unwrap();
        let memory = Memory::with_files([(key, Entry::file(text))]);
        engine::list_symbols(&SymbolsRequest::of(path), &memory)
            .unwrap()
            .symbols
            .len()
    };
    let class = format!(
        "class A{} {{\n{}}}\n",
        "x".repeat(200_000),
        "f() {}\n".repeat(60_000)
    );
    assert_eq!(list("a.js", class), 60_000);
    let names = format!("{}f = function () {{}};\n", "a.".repeat(100_000));
    assert_eq!(list("a.js", names), 0);
    let blank = format!(
        "function f() {{}}\n{}function g() {{}}\n",
        "\n".repeat(500_000)
    );
    let after = edited(("a.js", &blank), "f", SymbolAction::InsertAfter, "x();");
    assert_eq!(after.len(), blank.len() + "\n\n\nx();\n".len());
    let deep = "function f() {\n".repeat(500);
    let deep = format!("{deep}{}", "}\n".repeat(500));
    assert_eq!(list("a.js", deep), 64);
}
