//! Reports in the formats of other systems, each held to the schema that its system publishes.

mod formats;
mod texts;

use std::path::Path;
use std::process::Output;

use fs_err as fs;
use serde_json::{Value, json};

use crate::systems::Desk;

/// The name of no plan.
const NO_PLAN: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// The formats that are documents of JSON, each with its schema below `tests/schemas` and the
/// definition in it.
const DOCUMENTS: [(&str, &str); 4] = [
    ("acp", "#/$defs/ToolCallUpdate"),
    ("gitlab", ""),
    ("rdjson", ""),
    ("sarif", ""),
];

/// A hunk of which one line is another in the file, and a file that is there already.
const REFUSED: &str = "\
diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/b b/b
new file mode 100644
--- /dev/null
+++ b/b
@@ -0,0 +1 @@
+b
";

const GOOD: &str = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-zwei\n+2\n three\n";

fn desk() -> Desk {
    Desk::with(&[
        ("a", b"one\nzwei\nthree\n"),
        ("b", b"is there\n"),
        ("p/refused.patch", REFUSED.as_bytes()),
        ("p/good.patch", GOOD.as_bytes()),
    ])
}

/// Returns the document in the format `name`, after comparing it with its schema.
pub(crate) fn document(name: &str, output: &Output) -> Value {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert!(
        text.ends_with('\n') && text.lines().count() == 1,
        "{text:?}"
    );
    let document: Value = serde_json::from_str(text).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/schemas/{name}.json"));
    let mut schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let (_, part) = DOCUMENTS
        .iter()
        .find(|(document, _)| *document == name)
        .unwrap();
    if !part.is_empty() {
        schema = json!({"$schema": schema["$schema"], "$ref": part, "$defs": schema["$defs"]});
    }
    let schema = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let errors: Vec<_> = schema
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{document:#}");
    document
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn every_ending_is_a_document_and_keeps_its_exit_code() {
    let runs: [(&[&str], &str, i32); 10] = [
        (&["check"], GOOD, 0),
        (&["check", "p/refused.patch"], "", 1),
        (&["check"], "no patch\n", 2),
        (&["check"], "--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n one\n", 2),
        (&["check", "--no-such-option"], "", 2),
        (&["check", "p/none.patch"], "", 2),
        (&["check", "--root", "none"], GOOD, 2),
        (
            &["check"],
            "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n",
            3,
        ),
        (&["apply", "--approve", NO_PLAN], GOOD, 1),
        (&["apply"], GOOD, 0),
    ];
    for (name, _) in DOCUMENTS {
        let desk = desk();
        for (arguments, input, expected) in runs {
            let output = desk.runs(&[arguments, &["--output", name]].concat(), input.as_bytes());
            assert_eq!(code(&output), expected, "{name} {arguments:?}: {output:?}");
            document(name, &output);
        }
        assert_eq!(desk.bytes("a"), b"one\n2\nthree\n");
    }
}

#[test]
fn json_is_one_of_the_formats_and_only_one_is_printed() {
    let desk = desk();
    let alike = desk.runs(&["check", "--output", "json", "p/good.patch"], b"");
    assert_eq!(
        said(&alike),
        said(&desk.runs(&["check", "--json", "p/good.patch"], b""))
    );
    let both = desk.runs(
        &["check", "--json", "--output", "sarif", "p/good.patch"],
        b"",
    );
    let report: Value = serde_json::from_str(&said(&both)).unwrap();
    assert_eq!(
        (code(&both), &report["error"]["kind"]),
        (2, &json!("usage"))
    );
    let mixed = desk.runs(
        &[
            "check",
            "--output",
            "gitlab",
            "--stat",
            "-v",
            "p/good.patch",
        ],
        b"",
    );
    assert_eq!(said(&mixed), "[]\n");
    let no_report = desk.runs(&["read", "a", "--output", "gitlab"], b"");
    assert_eq!(
        (
            code(&no_report),
            document("gitlab", &no_report)[0]["check_name"].clone()
        ),
        (2, json!("wpatch::usage"))
    );
}

#[test]
fn the_editing_commands_have_the_formats_too() {
    let desk = desk();
    let output = desk.runs(
        &[
            "edit", "a", "--old", "zwei", "--new", "2", "--output", "acp",
        ],
        b"",
    );
    let told = document("acp", &output);
    assert_eq!(
        (&told["status"], &told["title"]),
        (&json!("completed"), &json!("Edit a"))
    );
    let output = desk.runs(
        &[
            "edit", "a", "--old", "zwei", "--new", "2", "--output", "codex",
        ],
        b"",
    );
    let (said, code) = (said(&output), code(&output));
    assert!(
        said.starts_with("Failed to find expected lines in a:\n") && code == 1,
        "{said}"
    );
}

const POLICY: &str = "[[rule]]\npaths = ['a']\nverdict = 'ask'\nreason = 'a person looks at it'\n\
[[rule]]\npaths = ['b']\nverdict = 'deny'\nreason = '50%: generated'\n";

/// Returns a root with a policy that asks about one patch and denies another.
fn governed() -> Desk {
    let desk = desk();
    fs::write(desk.path("wpatch.toml"), POLICY).unwrap();
    fs::write(
        desk.path("p/denied.patch"),
        "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-is there\n+x\n",
    )
    .unwrap();
    desk
}

#[test]
fn what_policy_says_is_told_to_every_checker() {
    let desk = governed();
    let checked = |name: &str, patch: &str| desk.runs(&["check", "--output", name, patch], b"");
    let output = checked("github", "p/good.patch");
    assert_eq!(code(&output), 0);
    insta::assert_snapshot!(said(&output), @r"
    ::notice file=a,title=wpatch%3A%3Apolicy%3A%3Aapproval_required::this change needs approval: a person looks at it (rule rule-1 of wpatch.toml:1)%0Ahelp: run `wpatch check --json` to get the plan_id, then `wpatch apply --approve PLAN_ID`
    would apply: 1 file changed, 1 insertion(+), 1 deletion(-)
    ");
    let level = |name: &str, place: &str, patch: &str| {
        let output = checked(name, patch);
        (
            code(&output),
            document(name, &output).pointer(place).unwrap().clone(),
        )
    };
    for (name, place, asked, denied) in [
        ("gitlab", "/0/severity", "info", "critical"),
        ("rdjson", "/diagnostics/0/severity", "INFO", "ERROR"),
        ("sarif", "/runs/0/results/0/level", "note", "error"),
        ("acp", "/rawOutput/policy/verdict", "ask", "deny"),
    ] {
        assert_eq!(
            level(name, place, "p/good.patch"),
            (0, asked.into()),
            "{name}"
        );
        assert_eq!(
            level(name, place, "p/denied.patch"),
            (3, denied.into()),
            "{name}"
        );
    }
    let content = level("acp", "/content", "p/good.patch").1;
    assert_eq!(
        content[1]["content"]["text"],
        "policy requires approval for a: a person looks at it"
    );
    let text = said(&checked("github", "p/denied.patch"));
    assert!(
        text.starts_with("::error file=p/denied.patch,") && text.lines().count() == 1,
        "{text}"
    );
    assert!(
        text.contains("50%25: generated%0Ahelp: see line 5 of wpatch.toml for the rule"),
        "{text}"
    );
}

#[test]
fn an_approved_change_is_not_asked_about_again() {
    let desk = governed();
    let plan = desk.does(&["check", "p/good.patch"], b"")["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let output = desk.runs(
        &[
            "apply",
            "--output",
            "github",
            "--approve",
            &plan,
            "p/good.patch",
        ],
        b"",
    );
    assert_eq!(
        said(&output),
        "applied: 1 file changed, 1 insertion(+), 1 deletion(-)\n"
    );
    let desk = governed();
    let apply = [
        "apply",
        "--output",
        "acp",
        "--approve",
        &plan,
        "p/good.patch",
    ];
    let told = document("acp", &desk.runs(&apply, b""));
    assert_eq!(told["status"], "completed");
    assert_eq!(told["content"].as_array().unwrap().len(), 1, "{told:#}");
}

#[test]
fn files_of_another_root_are_named_as_the_caller_names_them() {
    let desk = desk();
    let arguments = [
        "check",
        "--root",
        "root",
        "root/p/refused.patch",
        "--output",
    ];
    let runs = |arguments: &[&str], name: &str| {
        let arguments = [arguments, &[name]].concat();
        super::systems::runs(desk.path("..").as_path(), &arguments, REFUSED.as_bytes())
    };
    let entries = document("rdjson", &runs(&arguments, "rdjson"));
    let path = |kind: &str| entries["diagnostics"][0].pointer(kind).unwrap().clone();
    assert_eq!(
        [
            path("/location/path"),
            path("/related_locations/0/location/path")
        ],
        ["root/p/refused.patch", "root/a"]
    );
    let entries = document(
        "gitlab",
        &runs(&["check", "--root", "root", "--output"], "gitlab"),
    );
    assert_eq!(
        entries[0]["location"],
        json!({"path": "root/a", "lines": {"begin": 2, "end": 2}})
    );
}

#[test]
fn a_patch_brings_no_command_into_a_log() {
    let desk = Desk::with(&[(
        "p,1:2%.patch",
        b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-::error::mine\n+y\n",
    )]);
    let names = [
        "x\\n::error::mine\\r::b",
        "x%0A::stop-commands::y",
        "##[error]mine",
    ];
    for name in names {
        let patch = format!(
            "diff --git \"a/{name}\" \"b/{name}\"\n--- \"a/{name}\"\n+++ \"b/{name}\"\n@@ -1 +1 @@\n-::a::b\n+b\n"
        );
        let output = desk.runs(&["check", "--output", "github"], patch.as_bytes());
        let said = said(&output);
        assert!(
            said.lines().count() == 1 && said.starts_with("::error file="),
            "{said}"
        );
        assert!(!said.contains("%0A::") && !said.contains('\r'), "{said}");
        assert_eq!(output.stderr, b"");
    }
    let output = desk.runs(&["check", "--output", "github", "p,1:2%.patch"], b"");
    assert!(
        said(&output).starts_with("::error file=p%2C1%3A2%25.patch,line="),
        "{}",
        said(&output)
    );
}

#[test]
fn a_mending_makes_the_patch_fit() {
    let desk = desk();
    let output = desk.runs(&["check", "--output", "rdjson", "p/refused.patch"], b"");
    let suggestion = document("rdjson", &output)["diagnostics"][0]["suggestions"][0].clone();
    let place = |side: &str, key: &str| {
        usize::try_from(suggestion["range"][side][key].as_u64().unwrap()).unwrap()
    };
    let mut lines: Vec<_> = REFUSED.lines().map(str::to_owned).collect();
    let range = place("start", "column") - 1..place("end", "column") - 1;
    lines[place("start", "line") - 1].replace_range(range, suggestion["text"].as_str().unwrap());
    let mended = lines.join("\n") + "\n";
    desk.does(&["check", "--include", "a"], mended.as_bytes());
}

#[test]
fn the_names_of_problems_stay_while_lines_move() {
    let desk = desk();
    let names = |patch: &str| {
        fs::write(desk.path("p/refused.patch"), patch).unwrap();
        let output = desk.runs(&["check", "--output", "gitlab", "p/refused.patch"], b"");
        let entries = document("gitlab", &output);
        let of = |entry: &Value| {
            (
                entry["fingerprint"].clone(),
                entry["location"]["lines"]["begin"].clone(),
            )
        };
        entries.as_array().unwrap().iter().map(of).unzip()
    };
    let (before, lines): (Vec<_>, Vec<_>) = names(REFUSED);
    let (after, moved): (Vec<_>, Vec<_>) = names(&format!("moved\n{REFUSED}"));
    assert_eq!(before, after);
    assert_ne!(lines, moved);
    assert_ne!(before[0], before[1]);
    let (twice, _): (Vec<_>, Vec<_>) =
        names("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n@@ -3 +3 @@\n-x\n+y\n");
    assert!(twice.len() == 2 && twice[0] != twice[1], "{twice:?}");
}
