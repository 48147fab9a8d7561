//! The changes of commands that wpatch does not apply.

use fs_err as fs;

use super::{desk, is_supported, ops, script};
use crate::repository::{git, init};
use crate::tree;

#[test]
fn a_failed_command_changes_nothing() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    for (text, ending) in [
        ("echo 1 > new; exit 7", "exit code 7"),
        ("echo 1 > new; kill -SEGV $$", "killed by signal 11"),
    ] {
        let error = desk.refuses("denied", &script(&[], text), b"");
        assert_eq!(error["code"], "wpatch::command::run", "{error:#}");
        assert!(
            error["message"].as_str().unwrap().contains(ending),
            "{error:#}"
        );
    }
    let report = desk.says(&script(&[], "exit 7"), b"");
    assert_eq!(
        (&report["run"]["exit_code"], &report["exit_code"]),
        (&7.into(), &3.into())
    );
    let error = desk.refuses("denied", &["run", "--", "no-such-program"], b"");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("no-such-program"),
        "{error:#}"
    );
}

#[test]
fn a_write_outside_the_root_fails() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    for text in [
        "echo 1 > ../out/o",
        "echo 1 > ../out/new",
        "rm ../out/o",
        "mv a ../out/a",
        "ln a ../out/a",
        "echo 1 > /wpatch-test",
        "echo 1 > /etc/wpatch-test",
        "umount . || umount /tmp",
        "mount -o remount,rw /",
        "echo 1 > /proc/sys/kernel/printk",
        "test ! -b /dev/vda && test ! -b /dev/sda && exit 9; exit 0",
    ] {
        let text = format!("{{ {text}; }} 2> /dev/null || exit 9");
        let error = desk.refuses("denied", &script(&[], &text), b"");
        assert!(
            error["message"].as_str().unwrap().contains("exit code 9"),
            "{text}: {error:#}"
        );
    }
    // Temporary files are private.
    let name = format!("wpatch-test-{}", std::process::id());
    let text = format!("mktemp && cd $TMPDIR && echo 1 > {name} && cp {name} \"$OLDPWD\"/copy");
    desk.does(&script(&[], &text), b"");
    for directory in ["/tmp", "/var/tmp", "/dev/shm"] {
        assert!(!std::path::Path::new(directory).join(&name).exists());
    }
    assert_eq!(desk.bytes("copy"), b"1\n");
}

#[test]
fn a_change_of_gits_files_is_refused_and_named() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    init(&desk.root());
    for (text, path) in [
        ("echo 1 >> .git/config", ".git/config"),
        ("git commit --allow-empty -qm one", ".git/COMMIT_EDITMSG"),
        ("mkdir sub && cd sub && git init -q", "sub/.git"),
        ("echo gitdir: x > d/.git", "d/.git"),
        (
            "mkdir -p .git/hooks && echo 1 > .git/hooks/new",
            ".git/hooks/new",
        ),
    ] {
        let text = format!(
            "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a; {text}"
        );
        let before = tree::read(&desk.root());
        for options in [&[][..], &["--index"]] {
            let report = desk.says(&script(options, &text), b"");
            assert_eq!(report["error"]["kind"], "denied", "{text}: {report:#}");
            let problems = report["problems"].as_array().unwrap();
            assert!(
                problems.iter().any(|problem| problem["path"] == path),
                "{text}: {report:#}"
            );
        }
        assert_eq!(tree::read(&desk.root()), before, "{text}");
    }
    // The same content is no change.
    desk.does(
        &script(&[], "cp .git/config c && cat c > .git/config && rm c"),
        b"",
    );
    assert!(
        git(&["fsck"])
            .current_dir(desk.root())
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn a_file_that_no_patch_can_contain_is_refused_and_named() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    for text in [
        "mkfifo new",
        "cp a new; chmod 4755 new",
        "mkdir x && mkfifo x/new",
    ] {
        let error = desk.refuses("not_a_file", &script(&[], text), b"");
        assert!(
            error["path"].as_str().unwrap().ends_with("new"),
            "{text}: {error:#}"
        );
    }
    // A file that is gone again does not matter.
    desk.does(&script(&[], "mkfifo f && rm f"), b"");
}

#[test]
fn a_sandbox_in_a_sandbox_is_unsupported() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let program = env!("CARGO_BIN_EXE_wpatch");
    let text = format!("{program} run -- true 2> errors; echo $? > code");
    desk.does(&script(&[], &text), b"");
    let errors = String::from_utf8(desk.bytes("errors")).unwrap();
    assert_eq!(desk.bytes("code"), b"4\n", "{errors}");
    assert!(errors.contains("cannot map the users"), "{errors}");
}

#[test]
fn directories_without_files_are_warnings() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    fs::create_dir(desk.path("empty")).unwrap();
    let text = "mkdir -p x/y; rmdir empty; chmod 700 d; echo 1 > new";
    let report = desk.does(&script(&[], text), b"");
    assert_eq!(ops(&report), ["create new"], "{report:#}");
    let problems = report["problems"].as_array().unwrap();
    let mut paths: Vec<_> = problems
        .iter()
        .map(|problem| problem["path"].as_str().unwrap())
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["d", "empty", "x/y"], "{report:#}");
    assert!(desk.path("empty").exists() && !desk.path("x").exists());
}
