//! The guard `syntax` on source code.

use super::{code, codes};
use crate::tree::directory;
use crate::verbs::run;

/// A file of each language, with a change that breaks it, and one that does not.
const LANGUAGES: [(&str, &str, &str, &str); 19] = [
    ("a.py", "f(1)", "f(1", "f(2)"),
    ("a.js", "f(1);", "f(1;", "f(2);"),
    (
        "a.ts",
        "let a: x = 1;",
        "let a: = 1;",
        "let a: import('x').y = 1;",
    ),
    (
        "a.tsx",
        "let a = <b>x</b>;",
        "let a = <b>x</;",
        "let a = <c/>;",
    ),
    ("a.rs", "fn f() {}", "fn f( {}", "fn f() { try!(g()) }"),
    ("a.go", "package a", "package", "package b"),
    ("a.java", "class A {}", "class A {", "class B {}"),
    ("a.c", "int f(void) {}", "int f(void {}", "int g(void) {}"),
    (
        "a.h",
        "class A { int b; };",
        "class A { int b; ;",
        "struct a { int b; };",
    ),
    ("a.cpp", "auto f = [] { };", "auto f = [ { };", "int f;"),
    ("a.cs", "class A { }", "class A { ", "class B { }"),
    ("a.rb", "f { |x| x }", "f { |x x }", "f { }"),
    ("Rakefile", "task(:a) { }", "task(:a) { ", "task(:b) { }"),
    ("a.php", "<?php f(1);", "<?php f(1;", "<?php f(2);"),
    (
        "a.sh",
        "if a; then b; fi",
        "if a; then b;",
        "echo ${a:$b:1}",
    ),
    (
        "a.html",
        "<p class=\"a\">b</p>",
        "<p class=\"a>b</p>",
        "<p>b &lt; > c</p>",
    ),
    ("a.css", "a { b: c }", "a { b: c ", "a { b: d }"),
    (
        "a.sql",
        "SELECT (a) FROM b;",
        "SELECT (a FROM b;",
        "SELECT c FROM b;",
    ),
    (
        "run",
        "#!/usr/bin/env python3\nf(1)",
        "#!/usr/bin/env python3\nf(1",
        "#!/usr/bin/env python3\nf(2)",
    ),
];

#[test]
fn source_code_has_to_parse_if_it_did() {
    for (name, valid, wrong, other) in LANGUAGES {
        let before = format!("{valid}\n");
        let files = [(name, before.as_str())];
        let write = |text: &str| {
            let command = ["write", name, "--overwrite", "--content", text];
            codes(&files, &command, "syntax", "")
        };
        assert_eq!(write(&format!("{wrong}\n")), ["syntax"], "{name}");
        assert_eq!(write(&format!("{other}\n")), [""; 0], "{name}");
    }
}

/// Returns the messages of `--guard syntax` for a file that is overwritten.
fn messages(name: &str, before: &str, after: &str) -> Vec<String> {
    let root = directory(&[(name, before)]);
    let command = [
        "write",
        name,
        "--overwrite",
        "--guard=syntax",
        "--content-file",
        "-",
    ];
    let report = run(root.path(), &command, after);
    let problems = report["problems"].as_array().unwrap();
    let messages = problems.iter().map(|problem| {
        assert!(code(problem).is_some());
        problem["message"].as_str().unwrap().to_owned()
    });
    messages.collect()
}

#[test]
fn a_message_has_the_place_and_the_token_of_a_new_fault() {
    for (name, before, after, message) in [
        (
            "a.c",
            "int a;\nint f() { return (1); }\n",
            "int a;\nint f() { return (1; }\n",
            "valid C: line 2, column 20: expected `)`",
        ),
        (
            "a.js",
            "f();\n",
            "f();\n<<<<<<< HEAD\nf();\n",
            "valid JavaScript: line 2, column 2: unexpected `<`",
        ),
        (
            "a.py",
            "a = 1\nb = 2\n",
            "a = 1\nb = = 2\n",
            "valid Python: line 2, column 5: unexpected `=`",
        ),
        (
            "a.py",
            "f(1)",
            "f(1",
            "valid Python: line 1, column 4: unexpected end of file",
        ),
        // The grammar has no name for the missing token.
        (
            "a.cs",
            "using A.B;\n",
            "using A.;\n",
            "valid C#: line 1, column 9: expected identifier",
        ),
        (
            "a.sql",
            "FOO BAR;\nSELECT (a, b) FROM c;\n",
            "FOO BAR;\nSELECT (a, b FROM c;\n",
            "valid SQL: line 2, column 14: unexpected `FROM`",
        ),
    ] {
        let message = format!("the file is no longer {message}");
        assert_eq!(messages(name, before, after), [message]);
    }
}

#[test]
fn a_file_that_cannot_be_judged_passes_with_a_warning() {
    let large = "# x\n".repeat(1 << 18) + "f(1)\n";
    let repeated = "a<".repeat(100_000);
    for (name, before, after, message) in [
        (
            "a.html",
            "{% if a %}<p{% endif %}>\n",
            "<p\n",
            "not checked as HTML: the grammar does not accept the file before the change",
        ),
        (
            "a.py",
            large.as_str(),
            "f(\n",
            "not parsed as Python: 1048581 bytes exceed the limit of 1048576",
        ),
        (
            "a.java",
            "class A {}\n",
            repeated.as_str(),
            "not checked as Java: the file needs too many steps of the parser",
        ),
        (
            "a.py",
            "f(1)\n",
            "f(\0\n",
            "not checked as Python: the file is not text in UTF-8",
        ),
        (
            "a.c",
            "int f(void);\n",
            "NO_SANITIZE(\"x\")\nint f(void) {}\n",
            "not checked as C: the grammar does not know the macros that the change adds",
        ),
        (
            "a.kt",
            "fun f() {}\n",
            "fun f( {}\n",
            "not checked: no grammar exists for the language",
        ),
        (
            "a.sql",
            "SELECT a;\n",
            "SELECT a;\nFOO (a;\n",
            "not checked as SQL: the parser does not know a new statement",
        ),
    ] {
        assert_eq!(messages(name, before, after), [message]);
    }
}

#[test]
fn valid_code_without_a_last_line_ending_passes() {
    let before = "#if A\nclass B { }\n#endif\n";
    let after = "class B { }\n#pragma warning restore C // D";
    assert_eq!(messages("a.cs", before, after), [""; 0]);
}

#[test]
fn a_fault_that_can_be_valid_code_passes_with_a_warning() {
    for (name, before, after, message) in [
        (
            "a.c",
            "int f(void) { g(); }\n",
            "int f(void) { each(a, b)\n { g(); } }\n",
            "not checked as C: the grammar does not know the macros that the change adds",
        ),
        (
            "a.c",
            "int f(void) {\n#if A\n    g();\n#else\n    each(a, b)\n        c();\n#endif\n}\n",
            "int f(void) {\n    each(a, b)\n        c();\n}\n",
            "not checked as C: the change removes conditions of the preprocessor",
        ),
        (
            "a.sh",
            "a\n",
            "a\nb | (@C@ d\n",
            "not checked as Bash: the fault is in a line of a template",
        ),
        (
            "a.sh",
            "a\n",
            "() { emulate -L zsh }\n",
            "not checked as Bash: the script can be for zsh",
        ),
        (
            "a.html",
            "<p>a</p>\n",
            "<p class=\"<a:b c=\"d\" />\">a</p>\n",
            "not checked as HTML: the file is a template",
        ),
    ] {
        assert_eq!(messages(name, before, after), [message]);
    }
}

#[test]
fn declarations_of_style_sheets_have_to_stay_declarations() {
    let before = "a { b: c; d: e }\n";
    for after in [
        "a { b: c d: e }\n",
        "a { b c; d: e }\n",
        "a { b: url('c); d: e }\n",
        ". { b: c; d: e }\n",
    ] {
        assert_eq!(
            codes(
                &[("a.css", before)],
                &["write", "a.css", "--overwrite", "--content", after],
                "syntax",
                ""
            ),
            ["syntax"],
            "{after}"
        );
    }
    assert_eq!(
        messages(
            "a.css",
            before,
            "a { b: url(c:d); --e: f:g; filter: progid:h }\n"
        ),
        [""; 0]
    );
}

#[test]
fn an_element_has_to_keep_its_end_tag() {
    let message = "the file is no longer valid HTML: line 1, column 6: unexpected `b`";
    assert_eq!(
        messages("a.html", "<div>a</div>\n", "<div>b<div>\n"),
        [message]
    );
    assert_eq!(
        messages("a.html", "<div>a</div>\n", "<p>b<div>c</div>\n"),
        [""; 0]
    );
}

#[test]
fn valid_code_that_a_grammar_does_not_know_is_no_fault() {
    for (name, before, after) in [
        ("a.js", "f();\n", "g = <a href=\"b?c=1&d=2\">e & f</a>;\n"),
        (
            "a.js",
            "f();\n",
            "using.apply(this);\nimport.source('a');\n",
        ),
        (
            "a.js",
            "f();\n",
            "import a from 'b' assert { type: 'json' };\nexport { a as if };\n",
        ),
        (
            "a.ts",
            "f();\n",
            "interface A {\n  b: c\n  in?: d\n  in2?: e\n}\n",
        ),
        (
            "a.ts",
            "f();\n",
            "import type * as a from 'b';\nclass A { accessor: c }\n",
        ),
        ("a.tsx", "f();\n", "let a = <b c=\"d?e=1&f=2\">g & h</b>;\n"),
        (
            "a.rs",
            "fn f() {}\n",
            "#!/usr/bin/env cargo\n---\n[package]\n---\nfn f() {}\n",
        ),
        (
            "a.cpp",
            "int f();\n",
            "A::A() : a((b ? c : throw d(\"e\"))) {}\n",
        ),
        ("a.h", "int f(void);\n", "struct a { int b; } typedef c;\n"),
        (
            "a.cs",
            "class A { }\n",
            "class A { void F() { a?.b = [c]; d?[0] = e; G(f) = h; i = new() { [type] = j }; } }\n",
        ),
        (
            "a.cs",
            "class A { }\n",
            "static class A { extension<B>(C<B> c) { void F() { } } }\n",
        ),
        ("a.sh", "a\n", "b=${c#*{\\\"d\\\"\"$e\"}\n"),
        ("a.sh", "a\n", "case a in\n?*' '?*) b ;;\nc) d ;;\nesac\n"),
        ("a.html", "<p>a</p>\n", "<p>b & c &amp; d</p>\n"),
        ("a.html", "<p>a</p>\n", "<textarea>a>b {</textarea>\n"),
        ("a.html", "<p>a</p>\n", "<![if !IE]><p>a</p><![endif]>\n"),
    ] {
        assert_eq!(messages(name, before, after), [""; 0], "{after}");
    }
}

#[test]
fn conditions_of_the_preprocessor_are_no_faults() {
    let before = "int f(int a) {\n    return a;\n}\n";
    let split = "int f(int a) {\n#ifdef B\n    if (a) {\n#else\n    if (!a) {\n#endif\n        a++;\n    }\n    return a;\n}\n";
    assert_eq!(messages("a.c", before, split), [""; 0]);
    let broken = split.replace("return a;", "return (a;");
    let message = "the file is no longer valid C: line 9, column 14: expected `)`";
    assert_eq!(messages("a.c", before, &broken), [message]);
    let definition = "#define A 1 /* a comment\n * goes on */\n";
    assert_eq!(
        messages("a.c", before, &[definition, split].concat()),
        [""; 0]
    );
}

#[test]
fn hostile_code_needs_bounded_time_and_memory() {
    let names = [
        "a.py", "a.js", "a.ts", "a.tsx", "a.rs", "a.go", "a.java", "a.c", "a.h", "a.cpp", "a.cs",
        "a.rb", "a.php", "a.sh", "a.html", "a.css", "a.sql",
    ];
    let long_word = format!("<<\"{}\"\n", "a".repeat(300));
    let indented: Vec<_> = (0..600)
        .map(|width| format!("{}if a:\n", " ".repeat(width)))
        .collect();
    let mut texts = vec![long_word, indented.concat(), "a".repeat(1 << 20)];
    for unit in ["<a>", "#{\"", "$a$ ", "<<A\n", "\\\n", "a,", "%w(", "<!--"] {
        texts.push(unit.repeat(3000));
    }
    for name in names {
        for text in &texts {
            let start = if name == "a.php" { "<?php " } else { "" };
            // The test ends, and the program does not crash.
            messages(name, "", &format!("{start}{text}"));
        }
        messages(name, "", &"(".repeat(1_000_000));
    }
}

#[test]
fn bytes_that_are_no_text_are_not_parsed() {
    use fs_err as fs;
    for bytes in [&b"f(\xff\n"[..], b"\xff\xfef\0(\0\n\0", b"\0\x01\x02\x03"] {
        let root = directory(&[("a.py", "f(1)\n")]);
        fs::write(root.path().join("new"), bytes).unwrap();
        let command = [
            "write",
            "a.py",
            "--overwrite",
            "--guard=syntax",
            "--content-file",
            "new",
        ];
        let report = run(root.path(), &command, "");
        assert_eq!(report["changed"], true, "{report:#}");
    }
}
