//! Random calls of tools.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::WRITING_MODES;

/// Paths that nothing allows a model to write: other names of control files and of git directories.
pub(super) const OTHER_NAMES: [&str; 12] = [
    "twig/mcp.json",
    "TWIG/new",
    "sub/memory",
    "sub/.cursor/mcp.json",
    "gone-link",
    "nest/gd/config",
    "nest/gd/hooks/x",
    "way-to-git/config",
    "bare.git/config",
    "bare.git/hooks/x",
    "hard-link",
    "~/dot/bashrc",
];

/// Paths of plain files that a policy of the user can allow.
const FREE_NAMES: [&str; 5] = ["a", "d/b c", "new", "d/new/file", "in"];

/// A call: the agent, the mode, the tool and its input, in which `ROOT/` is the root.
pub(super) type Call = (&'static str, Value, &'static str, Value);

fn path() -> impl Strategy<Value = Value> {
    let names = [
        "a",
        "d/b c",
        "n.ipynb",
        "new",
        "d/new/file",
        "in",
        "out",
        "directory/b c",
        ".",
        "",
        "/",
        "../outside",
        "~/.ssh/id",
        "~",
        ".git/config",
        ".claude/settings.json",
        ".github/workflows/ci.yml",
        ".env",
        "wpatch.toml",
        "d/../a",
        "./a",
        " a ",
        "a/",
        "a/below",
        "A",
        "\u{feff}a",
        "caf\u{e9}",
        "C:\\a",
        "/etc/hosts",
        "/dev/null",
        "/proc/self/mem",
        "loop-link",
    ];
    // Most calls are about files that a policy can allow.
    let names = prop_oneof![7 => select(FREE_NAMES.to_vec()), 3 => select([&names[..], &OTHER_NAMES].concat())];
    let good = (names, any::<bool>()).prop_map(|(name, is_absolute)| {
        json!(if is_absolute && !name.starts_with(['/', '~']) {
            format!("ROOT/{name}")
        } else {
            name.to_owned()
        })
    });
    prop_oneof![9 => good, 1 => malformed()]
}

fn text() -> impl Strategy<Value = Value> {
    let texts = ["one\n", "one", "two", "", "x\n", "1", "\u{0}", "one\ntwo\n"];
    prop_oneof![12 => select(texts.to_vec()).prop_map(|text| json!(text)), 1 => malformed()]
}

fn malformed() -> impl Strategy<Value = Value> {
    select(vec![
        json!(null),
        json!(7),
        json!(true),
        json!([]),
        json!({}),
        json!(["a"]),
        json!({"file_path": "a"}),
    ])
}

fn patch() -> impl Strategy<Value = Value> {
    (path(), select(vec!["one", "none"]), 0..6_usize).prop_map(|(path, old, form)| {
        let file = path.as_str().unwrap_or("a").replace("ROOT/", "");
        let patch =
            format!("*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+1\n*** End Patch\n");
        match form {
            0 => json!({"command": patch}),
            1 => json!({"input": patch}),
            2 => json!({"command": ["apply_patch", patch]}),
            3 => json!({"command": format!("apply_patch <<'EOF'\n{patch}EOF\n")}),
            4 => json!({"command": format!("true; apply_patch <<'EOF'\n{patch}EOF\n")}),
            _ => json!(patch),
        }
    })
}

/// Returns an input that fits some tool, with a field of another one or none now and then.
fn input() -> impl Strategy<Value = Value> {
    let edit = || {
        (
            text(),
            text(),
            prop_oneof![Just(json!(false)), Just(json!(true))],
        )
            .prop_map(
                |(old, new, all)| json!({"old_string": old, "new_string": new, "replace_all": all}),
            )
    };
    let file = |path: Value, mut rest: Value| {
        rest["file_path"] = path;
        rest
    };
    let cell = (path(), text(), select(vec!["replace", "insert", "delete", "burn"])).prop_map(|(path, source, mode)| {
        json!({"notebook_path": path, "cell_id": "c1", "new_source": source, "cell_type": "code", "edit_mode": mode})
    });
    prop_oneof![
        4 => (path(), edit()).prop_map(move |(path, edit)| file(path, edit)),
        2 => (path(), proptest::collection::vec(edit(), 0..3)).prop_map(|(path, edits)| json!({"file_path": path, "edits": edits})),
        4 => (path(), text()).prop_map(|(path, content)| json!({"file_path": path, "content": content})),
        2 => path().prop_map(|path| json!({"file_path": path})),
        2 => cell,
        2 => (path(), text()).prop_map(|(path, pattern)| json!({"path": path, "pattern": pattern, "glob": "*.env"})),
        2 => patch(),
        1 => malformed(),
    ]
}

pub(super) fn call() -> impl Strategy<Value = Call> {
    let tools = [
        "Edit",
        "MultiEdit",
        "Write",
        "NotebookEdit",
        "Read",
        "NotebookRead",
        "Grep",
        "Glob",
        "LS",
        "Bash",
        "apply_patch",
        "applypatch",
        "mcp__x__edit",
        "Task",
        "",
        "edit",
    ];
    // Most calls have the tool that their input is for.
    let fitting = |input: &Value| {
        let has = |key: &str| input.get(key).is_some();
        [
            ("old_string", "Edit"),
            ("edits", "MultiEdit"),
            ("content", "Write"),
            ("notebook_path", "NotebookEdit"),
        ]
        .into_iter()
        .find_map(|(key, tool)| has(key).then_some(tool))
        .unwrap_or(if has("pattern") {
            "Grep"
        } else {
            "apply_patch"
        })
    };
    let mode = prop_oneof![
        3 => select(WRITING_MODES.to_vec()).prop_map(|mode| json!(mode)),
        2 => Just(json!("plan")),
        1 => select(vec![json!(""), json!("PLAN"), json!("tomorrow"), json!(3), json!(["default"])]),
    ];
    let agent = prop_oneof![4 => Just("claude"), 1 => Just("codex")];
    (agent, mode, select(tools.to_vec()), input(), 0..4_usize).prop_map(
        move |(agent, mode, tool, input, other)| {
            let tool = if other == 0 { tool } else { fitting(&input) };
            (agent, mode, tool, input)
        },
    )
}
