//! Line endings that git converts.

use ::fs_err as fs;
use tempfile::TempDir;

use super::{applied, configured};

use crate::repository;
use crate::world;

#[cfg(unix)]
#[test]
fn files_whose_line_ends_git_converts_take_patches_with_lf() {
    let patch = "--- a/file\n+++ b/file\n@@ -1,2 +1,3 @@\n one\n+new\n two\n";
    let before = "one\r\ntwo\r\nthree\n";
    // As in git, the whole file is written as a checkout does.
    let (lf, cr_lf) = ("one\nnew\ntwo\nthree\n", "one\r\nnew\r\ntwo\r\nthree\r\n");
    for (config, attributes, after) in [
        ("[core]\n\tautocrlf = true\n", "", cr_lf),
        ("[core]\n\tautocrlf = input\n", "", lf),
        ("", "file text\n", lf),
        ("", "*\ttext=auto\n", lf),
        ("", "file eol=crlf\n", cr_lf),
    ] {
        let (report, file) = applied(config, attributes, before, patch, &[]);
        assert_eq!(
            (file.as_str(), &report["ok"]),
            (after, &true.into()),
            "{config} {attributes}"
        );
    }
    for (config, attributes) in [
        ("", ""),
        ("[core]\n\tautocrlf = true\n", "file -text\n"),
        ("[core]\n\tautocrlf = no\n", ""),
    ] {
        let (report, file) = applied(config, attributes, before, patch, &[]);
        assert_eq!(
            (file.as_str(), &report["ok"]),
            (before, &false.into()),
            "{config} {attributes}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_new_file_gets_the_line_ends_of_the_work_tree() {
    let patch = "--- /dev/null\n+++ b/made\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    for (attributes, expected) in [
        ("made eol=crlf\n", "one\r\ntwo\r\n"),
        ("* text=auto\n", "one\ntwo\n"),
    ] {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        repository::init(root);
        fs::write(root.join(".gitattributes"), attributes).unwrap();
        let text = TempDir::new().unwrap();
        fs::write(text.path().join("patch"), patch).unwrap();
        let mut command = world::wpatch();
        let status = configured(&mut command, &[])
            .arg("apply")
            .arg(text.path().join("patch"))
            .current_dir(root)
            .status()
            .unwrap();
        assert!(status.success());
        assert_eq!(fs::read_to_string(root.join("made")).unwrap(), expected);
    }
}

#[cfg(unix)]
#[test]
fn git_is_asked_about_all_new_files_at_once() {
    let directory = TempDir::new().unwrap();
    let (root, bin, log) = (
        directory.path().join("root"),
        directory.path().join("bin"),
        directory.path().join("log"),
    );
    let path = std::env::var("PATH").unwrap();
    fs::create_dir(&root).unwrap();
    fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nexport PATH='{path}'\nexec git \"$@\"\n",
        log.display()
    );
    fs::write(bin.join("git"), script).unwrap();
    world::set_mode(bin.join("git"), 0o755);
    repository::init(&root);
    fs::write(root.join(".gitattributes"), "*.txt eol=crlf\n").unwrap();
    let create = |name: usize| format!("--- /dev/null\n+++ b/{name}.txt\n@@ -0,0 +1 @@\n+new\n");
    fs::write(
        directory.path().join("patch"),
        (0..20).map(create).collect::<String>(),
    )
    .unwrap();
    let mut command = world::wpatch();
    command
        .args(["apply", "../patch"])
        .current_dir(&root)
        .env("PATH", format!("{}:{path}", bin.display()));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!((0..20).all(|name| fs::read(root.join(format!("{name}.txt"))).unwrap() == b"new\r\n"));
    let asked = fs::read_to_string(&log).unwrap();
    assert!((1..5).contains(&asked.lines().count()), "{asked}");
}
