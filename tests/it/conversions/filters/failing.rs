//! Drivers that fail.

use fs_err as fs;

use super::Scene;
use crate::conversions::files;
use crate::world;

#[test]
fn a_driver_that_fails_refuses_the_file() {
    for (commands, words) in [("clean = false", "failed"), ("process = cat", "`process`")] {
        let scene = Scene::new();
        fs::write(
            scene.home().join(".gitconfig"),
            format!("[filter \"up\"]\n\t{commands}\n"),
        )
        .unwrap();
        let before = files(&scene.root());
        let (output, report) = scene.wpatch(&["apply"], "patch");
        assert_eq!(
            (output.status.code(), &report["error"]["code"]),
            (Some(4), &"wpatch::git::filter_failed".into())
        );
        assert!(
            report["error"]["message"].as_str().unwrap().contains(words),
            "{report:#}"
        );
        assert_eq!(files(&scene.root()), before);
    }
}

#[test]
fn a_driver_that_fails_is_named_by_its_program_and_its_reason() {
    let scene = Scene::new();
    let tool = scene.directory.path().join("tool");
    fs::write(
        &tool,
        "#!/bin/sh\nprintf 'hint: one\\nerror: the disk is gone\\nusage: tool\\n' >&2\nexit 3\n",
    )
    .unwrap();
    world::set_mode(&tool, 0o755);
    for (command, expected) in [
        (
            format!("{} clean %f", tool.display()),
            format!("{}: the disk is gone", tool.display()),
        ),
        (
            "false -- %f".to_owned(),
            "false failed: exit status: 1".to_owned(),
        ),
        (
            "exec missing-tool".to_owned(),
            "exec: /bin/sh: 1: exec: missing-tool: not found".to_owned(),
        ),
        (
            "kill -9 $$".to_owned(),
            "kill failed: signal: 9 (SIGKILL)".to_owned(),
        ),
    ] {
        fs::write(
            scene.home().join(".gitconfig"),
            format!("[filter \"up\"]\n\tclean = {command}\n"),
        )
        .unwrap();
        let (_, report) = scene.wpatch(&["apply"], "patch");
        assert_eq!(
            report["error"]["message"],
            format!("the filter driver `up` failed: {expected}")
        );
    }
}
