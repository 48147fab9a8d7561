//! The program under the name that Codex has for it.

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use crate::systems::fed;
use crate::tree;
use crate::world;

const PATCH: &str = "*** Begin Patch\n*** Delete File: gone\n*** Update File: a\n*** Move to: d/b\n@@\n-one\n+1\n\
    *** Update File: c\n@@\n-c\n+C\n*** Add File: new\n+x\n*** End Patch\n";

/// Returns a directory of programs, and a root beside it.
fn scene() -> (TempDir, std::path::PathBuf) {
    let directory = TempDir::new().unwrap();
    for name in ["apply_patch", "applypatch"] {
        world::install(name, directory.path());
    }
    let root = directory.path().join("root");
    fs::create_dir(&root).unwrap();
    for (name, contents) in [("a", "one\n"), ("c", "c\n"), ("gone", "")] {
        fs::write(root.join(name), contents).unwrap();
    }
    (directory, root)
}

/// Returns exit code, output and messages.
fn run(
    scene: &(TempDir, std::path::PathBuf),
    name: &str,
    arguments: &[&str],
    input: &str,
) -> (i32, String, String) {
    let mut command = Command::new(scene.0.path().join(name));
    // Whoever runs the tests may have a configuration.
    command
        .current_dir(&scene.1)
        .args(arguments)
        .env("XDG_CONFIG_HOME", scene.0.path().join("config"));
    let output = fed(&mut command, input.as_bytes());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_policy_of_the_user_holds() {
    let scene = scene();
    let config = scene.0.path().join("config/wpatch");
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join("config.toml"),
        "[[rule]]\npaths = ['c']\nverdict = 'deny'\nreason = 'made'\n",
    )
    .unwrap();
    let before = tree::read(&scene.1);
    let (code, out, err) = run(&scene, "apply_patch", &[PATCH], "");
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("c: policy denies this path: made"), "{err}");
    assert_eq!(tree::read(&scene.1), before);
    fs::write(config.join("config.toml"), "[policy]\nmode = 1\n").unwrap();
    let (code, _, err) = run(&scene, "apply_patch", &[PATCH], "");
    assert!(code == 1 && err.contains("config.toml: "), "{err}");
    assert_eq!(tree::read(&scene.1), before);
}

#[test]
fn a_patch_comes_as_the_argument_or_on_standard_input() {
    let heredoc = format!("<<'EOF'\n{PATCH}EOF\n");
    for (name, arguments, input) in [
        ("apply_patch", vec![PATCH], ""),
        ("applypatch", vec![], PATCH),
        ("apply_patch", vec![&*heredoc], ""),
        ("applypatch", vec![], &*heredoc),
        ("applypatch", vec![], &*heredoc.replace("EOF", "PATCH")),
        ("apply_patch", vec![&*heredoc.replace("'EOF'", "EOF")], ""),
    ] {
        let scene = scene();
        let said = run(&scene, name, &arguments, input);
        let listed = "Success. Updated the following files:\nA new\nM d/b\nM c\nD gone\n";
        assert_eq!(said, (0, listed.to_owned(), String::new()));
        let names: Vec<_> = tree::read(&scene.1)
            .keys()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["c", "d/b", "new"]);
        assert_eq!(fs::read_to_string(scene.1.join("d/b")).unwrap(), "1\n");
    }
}

#[test]
fn what_does_not_apply_leaves_the_tree_and_exits_with_one() {
    let late = PATCH.replace("-c\n", "-d\n");
    let outside = PATCH.replace("Add File: new", "Add File: ../new");
    let there = PATCH.replace("Add File: new", "Add File: c");
    for (patch, said) in [
        (
            late.as_str(),
            "apply_patch: line 9 of the patch: c: the hunk does not match\n",
        ),
        (
            &outside,
            "apply_patch: line 12 of the patch: ../new: the path leads outside the root\n",
        ),
        (
            &there,
            "apply_patch: line 12 of the patch: c: the file already exists\n",
        ),
        ("no patch", "apply_patch: "),
        (
            "*** Begin Patch\n*** End Patch",
            "apply_patch: line 2 of the patch: ",
        ),
    ] {
        let scene = scene();
        let before = tree::read(&scene.1);
        let (code, out, err) = run(&scene, "apply_patch", &[patch], "");
        assert_eq!((code, out.as_str()), (1, ""), "{patch}");
        assert!(err.starts_with(said) && err.lines().count() <= 2, "{err}");
        // A model has no options of the command line.
        assert!(!err.contains(" -") && !err.contains("wpatch "), "{err}");
        assert_eq!(tree::read(&scene.1), before, "{patch}");
    }
}

#[cfg(unix)]
#[test]
fn a_shell_gives_it_a_heredoc_or_what_a_file_holds() {
    let quoted = PATCH.replace("-one\n+1\n", "-one\n+$HOME `x` \\ \"1\"\n");
    for script in [
        format!("apply_patch <<'EOF'\n{quoted}EOF\n"),
        format!("printf '%s' '{quoted}' > ../p; apply_patch \"$(cat ../p)\""),
        format!("printf '%s' '{quoted}' > ../p && applypatch < ../p"),
    ] {
        let scene = scene();
        let paths = format!(
            "{}:{}",
            scene.0.path().display(),
            std::env::var("PATH").unwrap()
        );
        let mut shell = Command::new("sh");
        shell
            .current_dir(&scene.1)
            .args(["-c", &script])
            .env("PATH", paths);
        let output = shell.output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{script}");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(
            fs::read_to_string(scene.1.join("d/b")).unwrap(),
            "$HOME `x` \\ \"1\"\n"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_absolute_path_below_the_directory_is_one_of_it() {
    let scene = scene();
    // The directory goes by the name that the shell has for it, too.
    let link = scene.0.path().join("link");
    world::link("root", &link).unwrap();
    for (directory, before, after) in [(&scene.1, "c", "C"), (&link, "C", "c")] {
        let name = directory.join("c");
        let patch = format!(
            "*** Begin Patch\n*** Update File: {}\n@@\n-{before}\n+{after}\n*** End Patch\n",
            name.display()
        );
        let mut command = Command::new(scene.0.path().join("apply_patch"));
        let output = command
            .current_dir(directory)
            .env("PWD", directory)
            .arg(patch)
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            "Success. Updated the following files:\nM c\n"
        );
        assert_eq!(
            fs::read_to_string(scene.1.join("c")).unwrap(),
            format!("{after}\n")
        );
    }
    let outside = PATCH.replace(
        "Add File: new",
        &format!("Add File: {}ed/new", scene.1.display()),
    );
    let (code, _, err) = run(&scene, "apply_patch", &[&outside], "");
    let told = format!(
        "apply_patch: line 12 of the patch: {}ed/new: the path is absolute\napply_patch: choose a path below the root\n",
        scene.1.display()
    );
    assert_eq!((code, err), (1, told));
}

#[test]
fn who_asks_for_help_or_has_another_patch_is_told_what_it_takes() {
    let scene = scene();
    for wish in ["--help", "-h"] {
        let (code, out, err) = run(&scene, "apply_patch", &[wish], "");
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(
            out.starts_with("usage: apply_patch PATCH") && out.contains("`*** Begin Patch`"),
            "{out}"
        );
    }
    let (code, out, err) = run(
        &scene,
        "apply_patch",
        &[],
        "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-c\n+C\n",
    );
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("no patch found")
            && err.contains("`*** Begin Patch`")
            && !err.contains("unified"),
        "{err}"
    );
}

#[test]
fn a_wrong_call_exits_with_two() {
    let scene = scene();
    for arguments in [&[][..], &[PATCH, PATCH], &["--json", PATCH], &[""]] {
        let (code, out, err) = run(&scene, "apply_patch", arguments, "");
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains("usage: apply_patch PATCH"), "{err}");
    }
}
