//! Attempts to write into a git directory by another name than `.git`: git executes what its
//! configuration and its hooks say.

use std::path::Path;

use fs_err as fs;
use serde_json::{Value, json};

use super::{link, moved, replaced};
use crate::mcp;
use crate::repository::{self, git, run};
use crate::systems::{Desk, fed, program};
use crate::world;
use shapes::{SHAPES, Shape};

mod shapes;

fn desk(shape: &Shape) -> Desk {
    let desk = Desk::with(&[("a", b"one\n"), ("sub/a", b"one\n"), ("../home/x", b"")]);
    (shape.make)(&desk);
    desk
}

fn created(path: &str) -> Vec<u8> {
    format!("diff --git a/{path} b/{path}\nnew file mode 100755\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n")
        .into()
}

fn deleted(path: &str) -> Vec<u8> {
    format!("diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
        .into()
}

/// Returns what the hook decides; an empty word for nothing.
fn hook(desk: &Desk, agent: &str, tool: &str, input: &Value) -> String {
    let call = json!({"cwd": desk.root(), "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        "permission_mode": "default"});
    let mut hook = program(&desk.root(), &["hook", agent]);
    hook.env_remove("CLAUDE_PROJECT_DIR")
        .env("HOME", desk.path("../home"));
    let output = fed(&mut hook, call.to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    answer["hookSpecificOutput"]["permissionDecision"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Returns the kinds of the errors of calls to a server, `null` for a success.
fn served(desk: &Desk, calls: &[(&str, Value)]) -> Vec<Value> {
    let kind = |result: Value| mcp::problem(&result)["kind"].clone();
    desk.serves(&[], calls).into_iter().map(kind).collect()
}

fn codex(patch: &str) -> String {
    format!("*** Begin Patch\n{patch}*** End Patch\n")
}

#[test]
fn no_patch_changes_a_git_directory_by_another_name() {
    for shape in SHAPES {
        let desk = desk(shape);
        for path in shape.protected {
            for patch in [
                created(path),
                deleted(path),
                link(path, "a"),
                moved("rename", "a", path),
                moved("rename", path, "b"),
                [replaced("a", "one", "1"), created(path)].concat(),
            ] {
                let error = desk.refuses("denied", &["apply"], &patch);
                assert_eq!(error["path"].as_str(), Some(*path), "{}", shape.name);
            }
            desk.refuses("denied", &["check"], &created(path));
            desk.refuses(
                "denied",
                &["apply", "--overwrite", "--lenient"],
                &replaced(path, "x", "y"),
            );
            let before = crate::tree::read(&desk.root());
            let mut patched = world::program_named("patch");
            let output = fed(
                patched
                    .args(["-p1", "--force"])
                    .current_dir(desk.root())
                    .env("XDG_STATE_HOME", desk.path("../state")),
                &created(path),
            );
            assert_ne!(output.status.code(), Some(0), "{}: {path}", shape.name);
            assert_eq!(
                crate::tree::read(&desk.root()),
                before,
                "{}: {path}",
                shape.name
            );
            for command in [
                &["write", path, "--content", "x", "--overwrite"][..],
                &["append", path, "--content", "x"],
                &["edit", path, "--old", "x", "--new", "y"],
            ] {
                desk.refuses("denied", command, b"");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn git_writes_into_a_git_directory_by_another_name() {
    let desk = desk(&SHAPES[0]);
    run(
        git(&["apply"]).current_dir(desk.root()),
        &created("real/hooks/new"),
    );
    assert_eq!(desk.bytes(".git/hooks/new"), b"x\n");
    desk.refuses("denied", &["apply"], &created("real/hooks/other"));
}

#[test]
fn no_model_changes_a_git_directory_by_another_name() {
    for shape in SHAPES {
        let desk = desk(shape);
        for path in shape.protected {
            let written = hook(
                &desk,
                "claude",
                "Write",
                &json!({"file_path": path, "content": "x"}),
            );
            let read = hook(&desk, "claude", "Read", &json!({"file_path": path}));
            let added = codex(&format!("*** Add File: {path}\n+x\n"));
            let patched = hook(&desk, "codex", "apply_patch", &json!({"command": added}));
            assert_eq!(
                [&written, &read, &patched],
                ["deny"; 3],
                "{}: {path}",
                shape.name
            );
            let kinds = served(
                &desk,
                &[
                    ("create", json!({"path": path, "file_text": "x"})),
                    (
                        "str_replace",
                        json!({"path": path, "old_str": "x", "new_str": "y"}),
                    ),
                    (
                        "insert",
                        json!({"path": path, "insert_line": 0, "insert_text": "y"}),
                    ),
                    ("view", json!({"path": path})),
                    ("apply_patch", json!({"patch": added})),
                    (
                        "apply_patch",
                        json!({"patch": codex(&format!("*** Delete File: {path}\n"))}),
                    ),
                ],
            );
            assert_eq!(kinds, ["denied"; 6], "{}: {path}", shape.name);
        }
        for path in shape.free {
            let calls = [
                hook(
                    &desk,
                    "claude",
                    "Write",
                    &json!({"file_path": path, "content": "x"}),
                ),
                hook(&desk, "claude", "Read", &json!({"file_path": path})),
            ];
            assert_eq!(calls, ["", ""], "{}: {path}", shape.name);
            desk.does(&["write", path, "--content", "x", "--overwrite"], b"");
        }
    }
}

/// A link to the git directory, and undo and redo.
#[cfg(unix)]
#[test]
fn neither_links_nor_the_history_lead_into_a_git_directory() {
    let desk = Desk::with(&[("a", b"one\n")]);
    desk.does(&["init"], b"");
    desk.does(&["apply"], &created("gd/hooks/x"));
    repository::init_bare(&desk.path("gd"));
    fs::write(desk.path(".git"), "gitdir: gd\n").unwrap();
    world::link("gd", desk.path("way")).unwrap();
    world::link("gd/hooks/x", desk.path("file")).unwrap();
    for path in ["way/config", "file"] {
        desk.refuses(
            "denied",
            &["write", path, "--content", "x", "--overwrite"],
            b"",
        );
        assert_eq!(
            hook(
                &desk,
                "claude",
                "Write",
                &json!({"file_path": path, "content": "x"})
            ),
            "deny",
            "{path}"
        );
        assert_eq!(
            hook(&desk, "claude", "Read", &json!({"file_path": path})),
            "deny",
            "{path}"
        );
    }
    fs::remove_file(desk.path(".git")).unwrap();
    desk.does(&["undo"], b"");
    fs::write(desk.path(".git"), "gitdir: gd\n").unwrap();
    let denied = desk.says(&["redo"], b"");
    assert_eq!(
        (&denied["ok"], desk.path("gd/hooks/x").exists()),
        (&json!(false), false),
        "{denied:#}"
    );
}

/// Without git, wpatch cannot read the configuration of a repository that a variable names.
#[cfg(unix)]
#[test]
fn the_git_directory_of_the_environment_is_protected() {
    let desk = Desk::with(&[("a", b"one\n")]);
    repository::init_bare(&desk.path(".cfg"));
    let tried = |variable: &str, value: &Path, path: &str| {
        let mut command = program(&desk.root(), &["apply"]);
        fed(command.env(variable, value), &created(path))
            .status
            .code()
    };
    let code = |variable: &str, value: &Path| tried(variable, value, ".cfg/hooks/x");
    assert_eq!(code("GIT_DIR", Path::new(".cfg")), Some(3));
    assert_eq!(code("GIT_DIR", &desk.path(".cfg")), Some(3));
    assert_eq!(code("GIT_COMMON_DIR", &desk.path(".cfg")), Some(3));
    for (variable, value) in [
        ("GIT_OBJECT_DIRECTORY", "objs"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "other:objs"),
        ("GIT_INDEX_FILE", "objs/x"),
    ] {
        assert_eq!(tried(variable, Path::new(value), "objs/x"), Some(3));
        assert_eq!(tried(variable, &desk.path("objs"), "objs/x"), Some(3));
    }
    assert_eq!(code("OTHER", &desk.path(".cfg")), Some(0));
}

/// As `git apply`, a user may change a bare repository in the tree, such as the data of a test. A
/// model is asked.
#[test]
fn a_model_is_asked_before_it_changes_a_bare_repository() {
    let desk = Desk::with(&[("a", b"one\n"), ("../home/x", b"")]);
    repository::init_bare(&desk.path("data/bare.git"));
    for path in [
        "data/bare.git/config",
        "data/bare.git/hooks/x",
        "data/bare.git/hooks/deep/x",
        "new/HEAD",
        "HEAD",
    ] {
        assert_eq!(
            hook(
                &desk,
                "claude",
                "Write",
                &json!({"file_path": path, "content": "x"})
            ),
            "ask",
            "{path}"
        );
        assert_eq!(
            hook(&desk, "claude", "Read", &json!({"file_path": path})),
            "",
            "{path}"
        );
        let added = codex(&format!("*** Add File: {path}\n+x\n"));
        assert_eq!(
            hook(&desk, "codex", "apply_patch", &json!({"command": added})),
            "deny",
            "{path}"
        );
        assert_eq!(
            served(&desk, &[("apply_patch", json!({"patch": added}))]),
            ["approval_required"],
            "{path}"
        );
    }
    let explained = desk.does(
        &[
            "policy",
            "explain",
            "data/bare.git/config",
            "--access",
            "modify",
        ],
        b"",
    );
    assert_eq!(explained["accesses"][0]["verdict"], "ask");
    desk.does(&["apply"], &created("data/bare.git/hooks/x"));
}

#[test]
fn a_model_is_asked_before_it_changes_a_root_that_is_a_bare_repository() {
    // A bare repository can contain work trees.
    let bare = Desk::with(&[("../home/x", b"")]);
    repository::init_bare(&bare.root());
    fs::create_dir(bare.path("tree")).unwrap();
    fs::write(bare.path("tree/.git"), "gitdir: ../worktrees/tree\n").unwrap();
    for (path, decision) in [("config", "ask"), ("hooks/x", "ask"), ("tree/config", "")] {
        assert_eq!(
            hook(
                &bare,
                "claude",
                "Write",
                &json!({"file_path": path, "content": "x"})
            ),
            decision,
            "{path}"
        );
    }
}
