//! Edits that are refused: the tree is unchanged, and the reason is stated.

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::engine::options::{CellEdit, EditTarget, Interrupt, Replacement, Replacements};
use wpatch::engine::{self, Request};
use wpatch::workspace::memory::{Entry, Memory};

use super::{root, run};
use crate::tree;

/// A hash that no file has.
const STALE: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Commands that are refused, and the kind of the error.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["edit", "a.txt", "--old", "four", "--new", "x"],
        "not_found",
    ),
    (
        &["edit", "a.txt", "--insert-before", "4", "--new", "x"],
        "not_found",
    ),
    (
        &["edit", "run.sh", "--old", "x = 1", "--new", "x"],
        "ambiguous",
    ),
    (
        &["edit", "a.txt", "--old", "one", "--new", "one"],
        "no_change",
    ),
    (
        &["edit", "a.txt", "--old", "", "--new", "x", "--all"],
        "usage",
    ),
    (
        &[
            "edit",
            "a.txt",
            "--old",
            "one",
            "--insert-after",
            "1",
            "--new",
            "x",
        ],
        "usage",
    ),
    (
        &[
            "edit",
            "a.txt",
            "--old",
            "four",
            "--new",
            "x",
            "--expect-hash",
            STALE,
        ],
        "stale",
    ),
    (&["edit", "no.txt", "--old", "a", "--new", "b"], "missing"),
    (&["edit", "d", "--old", "a", "--new", "b"], "not_a_file"),
    (&["edit", "d/bin", "--old", "a", "--new", "b"], "binary"),
    (
        &["edit", "d/out", "--old", "a", "--new", "b"],
        "outside_root",
    ),
    (
        &["edit", "circle", "--old", "a", "--new", "b"],
        "outside_root",
    ),
    (
        &["edit", "../outside/file", "--old", "a", "--new", "b"],
        "outside_root",
    ),
    (&["write", "a.txt", "--content", "x"], "exists"),
    (
        &["write", "n/x", "--content", "x", "--no-mkdirs"],
        "missing",
    ),
    (
        &["write", "a.txt/x", "--content", "x", "--overwrite"],
        "not_a_directory",
    ),
    (
        &["write", "n", "--content", "0123", "--max-bytes", "3"],
        "too_large",
    ),
    (
        &[
            "write",
            "n",
            "--content",
            "x",
            "--overwrite",
            "--expect-hash",
            STALE,
        ],
        "stale",
    ),
    (&["write", ".git/x", "--content", "x"], "denied"),
];

#[cfg(unix)]
#[test]
fn what_cannot_be_done_leaves_the_tree_and_says_why() {
    let (directory, root) = root();
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "").unwrap();
    let before = tree::read(&root);
    for (arguments, kind) in REFUSED {
        let report = run(&root, arguments, "");
        let told = json!([
            report["ok"],
            report["changed"],
            report["error"]["kind"],
            report["command"]
        ]);
        assert_eq!(
            told,
            json!([false, false, kind, arguments[0]]),
            "{arguments:?}"
        );
        assert_eq!(tree::read(&root), before, "{arguments:?}");
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("outside/file")).unwrap(),
        "a\n"
    );
}

#[test]
fn only_one_argument_can_read_standard_input() {
    let (_directory, root) = root();
    let before = tree::read(&root);
    let cases: [&[&str]; 5] = [
        &["edit", "a.txt", "--old-file", "-", "--new-file", "-"],
        &["write", "n", "--expect-file", "-"],
        &["append", "a.txt", "--expect-file", "-"],
        &["apply", "-", "-"],
        &["check", "-", "--input", "-"],
    ];
    for arguments in cases {
        let report = run(&root, arguments, "one\n");
        let message = report["error"]["message"].as_str().unwrap();
        assert_eq!(report["exit_code"], 2, "{arguments:?}: {report:#}");
        assert!(
            message.ends_with(": only one argument can read standard input"),
            "{message}"
        );
        assert_eq!(tree::read(&root), before, "{arguments:?}");
    }
}

#[test]
fn the_help_for_a_large_input_names_the_option() {
    let (_directory, root) = root();
    fs::write(root.join("big"), "0123").unwrap();
    let arguments = [
        "edit",
        "a.txt",
        "--old=one",
        "--new-file=big",
        "--max-bytes=3",
    ];
    let error = &run(&root, &arguments, "")["error"];
    assert_eq!(
        json!([error["kind"], error["help"]]),
        json!(["too_large", "use --max-bytes to raise the limit"])
    );
}

#[test]
fn a_refusal_has_its_facts() {
    let (_directory, root) = root();
    let error = |arguments: &[&str]| run(&root, arguments, "")["error"].clone();
    let ambiguous = error(&["edit", "run.sh", "--old", "x = 1", "--new", "x"]);
    assert_eq!(
        json!([ambiguous["count"], ambiguous["lines"]]),
        json!([3, [1, 3, 5]])
    );
    let lost = error(&["edit", "run.sh", "--old", "x = 3", "--new", "x"]);
    assert_eq!(
        json!([
            lost["nearest"]["line"],
            lost["nearest"]["text"],
            lost["expected"]
        ]),
        json!([1, ["x = 1"], ["x = 3"]])
    );
    let large = error(&["write", "n", "--content", "0123", "--max-bytes", "3"]);
    assert_eq!(json!([large["limit"], large["size"]]), json!([3, 4]));
    fs::write(
        root.join("edits"),
        r#"[{"old": "y", "new": "z", "all": true}, {"old": "w", "new": ""}]"#,
    )
    .unwrap();
    assert_eq!(error(&["edit", "run.sh", "--edits", "edits"])["index"], 1);
    let edit_list = |contents: &str| {
        json!([{"old": "x = 1\n", "new": "y", "all": true, "expected": contents}]).to_string()
    };
    fs::write(root.join("edits"), edit_list("other")).unwrap();
    assert_eq!(
        error(&["edit", "run.sh", "--edits", "edits"])["kind"],
        "stale"
    );
    fs::write(
        root.join("edits"),
        edit_list(&fs::read_to_string(root.join("run.sh")).unwrap()),
    )
    .unwrap();
    assert_eq!(
        error(&["edit", "run.sh", "--edits", "edits", "--dry-run"]),
        Value::Null
    );
    let closed = tree::read(&root);
    fs::create_dir(root.join(".git")).unwrap();
    error(&["write", ".git/x", "--content", "x"]);
    assert_eq!(
        fs::read_dir(root.join(".git")).unwrap().count(),
        0,
        "a refusal by policy leaves no state"
    );
    fs::remove_dir(root.join(".git")).unwrap();
    assert_eq!(tree::read(&root), closed);
}

#[test]
fn the_library_refuses_what_the_program_refuses() {
    let path = wpatch::path::RelPath::new(b"a").unwrap();
    let workspace = Memory::with_files([(path.clone(), Entry::file("one\n"))]);
    let refused = |request: Request| {
        let report = engine::apply(request, &workspace, &Interrupt::new()).report;
        assert_eq!((report.ok, report.changed), (false, false));
        (report.exit_code, report.error.unwrap().kind)
    };
    let nothing = Replacements::of(Vec::new());
    let lines = Replacements::of(vec![Replacement::of(EditTarget::Lines(Vec::new()), "x")]);
    for change in [
        Request::edit("a", "", "x"),
        Request::edit_all("a", "", "x"),
        Request::edit_range("a", "one", "", "x"),
        Request::edit_range("a", "", "one", "x"),
        Request::edits("a", nothing),
        Request::edits("a", lines),
        Request::notebook(
            "a",
            CellEdit::Delete {
                cell: "cell-0".to_owned(),
            },
        ),
        Request::notebook(
            "d/.ipynb",
            CellEdit::Delete {
                cell: "cell-0".to_owned(),
            },
        ),
    ] {
        assert_eq!(refused(change), (2, wpatch::report::ProblemKind::Usage));
    }
    assert_eq!(
        refused(Request::overwrite("a", vec![b'x'; (10 << 20) + 1])),
        (1, wpatch::report::ProblemKind::TooLarge)
    );
    assert_eq!(workspace.files()[&path].contents, b"one\n");
    let report = engine::check(Request::edit("a", "", "x"), &workspace).report;
    assert_eq!(
        (report.exit_code, report.error.unwrap().kind),
        (2, wpatch::report::ProblemKind::Usage)
    );
}
