//! Programs other than filter drivers that a repository names.
#![cfg(unix)]

use fs_err as fs;

use super::{PATCH, Scene};

use crate::world;

/// Hooks of git.
const HOOKS: [&str; 5] = [
    "post-index-change",
    "post-checkout",
    "pre-commit",
    "reference-transaction",
    "pre-auto-gc",
];

/// Settings that name a program.
const SETTINGS: [&str; 17] = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "sequence.editor",
    "diff.external",
    "diff.up.command",
    "diff.up.textconv",
    "merge.up.driver",
    "interactive.diffFilter",
    "credential.helper",
    "gpg.program",
    "pager.ls-files",
    "pager.config",
];

/// Commands of git, which an alias could replace.
const COMMANDS: [&str; 8] = [
    "apply",
    "config",
    "check-attr",
    "ls-files",
    "update-index",
    "reset",
    "cat-file",
    "hash-object",
];

/// Lets the repository name a program, wherever git takes one, that leaves the mark.
fn name_programs(scene: &Scene) {
    let run = format!("touch '{}'; cat", scene.mark().display());
    let program = scene.directory.path().join("program");
    fs::write(&program, format!("#!/bin/sh\n{run}\n")).unwrap();
    world::set_mode(&program, 0o755);
    fs::create_dir_all(scene.root().join("hooks")).unwrap();
    for hook in HOOKS {
        fs::copy(&program, scene.root().join("hooks").join(hook)).unwrap();
        fs::copy(&program, scene.root().join(".git/hooks").join(hook)).unwrap();
    }
    let named = program.display().to_string();
    for key in SETTINGS {
        scene.git(&["config", key, &named]);
    }
    for command in COMMANDS {
        scene.git(&["config", &format!("alias.{command}"), &format!("!{named}")]);
    }
    fs::write(scene.root().join(".gitattributes"), "* diff=up text=auto\n").unwrap();
    scene.git(&[
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "add",
        "-A",
    ]);
    scene.git(&["config", "core.hooksPath", "hooks"]);
}

#[test]
fn no_program_that_the_repository_names_runs() {
    for command in [
        &["apply", "--index"][..],
        &["apply", "--cached"],
        &["apply", "-N"],
        &["apply", "--3way"],
        &["apply"],
    ] {
        let scene = Scene::new();
        name_programs(&scene);
        let _ = fs::remove_file(scene.mark());
        scene.touch("b.u");
        let patch =
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n";
        fs::write(
            scene.directory.path().join("patch"),
            [PATCH, patch].concat(),
        )
        .unwrap();
        let (output, report) = scene.wpatch(command, "patch");
        assert!(output.status.success(), "{command:?} {report:#}");
        for back in ["undo", "log", "redo"] {
            let output = scene
                .command(env!("CARGO_BIN_EXE_wpatch"), ".")
                .arg(back)
                .output()
                .unwrap();
            assert!(output.status.success(), "{command:?} {back} {output:?}");
        }
        assert!(!scene.mark().exists(), "{command:?}");
    }
}
