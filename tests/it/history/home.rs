//! The history that the program keeps where the user keeps such things.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Output;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine;
use wpatch::path::RelPath;
use wpatch::workspace::{
    DirectoryPermissions, EXTERNAL_HISTORY_NAME, ErrorKind, RenameMode, Workspace,
};

use crate::world;

/// Runs the program at `root`, where the user keeps state in `home`.
fn run(root: &Path, home: impl AsRef<OsStr>, arguments: &[&str]) -> Output {
    let mut command = world::wpatch();
    command
        .current_dir(root)
        .env("XDG_STATE_HOME", home)
        .args(arguments)
        .output()
        .unwrap()
}

fn is_done(root: &Path, home: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    run(root, home, arguments).status.success()
}

const WRITE: &[&str] = &["write", "file", "--overwrite", "--content", "two\n"];

fn root() -> TempDir {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("file"), "one\n").unwrap();
    root
}

fn names(directory: &Path) -> Vec<String> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_plain_directory_can_be_taken_back_and_nothing_stays_in_it() {
    let (root, above) = (root(), TempDir::new().unwrap());
    let home = above.path().join("not/there/yet");
    for round in 0..2 {
        for durability in ["full", "none"] {
            let write = [WRITE, &["--durability", durability]].concat();
            assert!(is_done(root.path(), &home, &write), "{round}");
            assert_eq!(names(root.path()), ["file"]);
            assert!(is_done(root.path(), &home, &["undo"]), "{round}");
            assert_eq!(fs::read(root.path().join("file")).unwrap(), b"one\n");
            assert_eq!(names(root.path()), ["file"]);
        }
    }
    let log: serde_json::Value =
        serde_json::from_slice(&run(root.path(), &home, &["log", "--json"]).stdout).unwrap();
    assert_eq!(log["entries"].as_array().unwrap().len(), 8);
    if cfg!(unix) {
        assert_eq!(world::mode(home.join("wpatch")), 0o700);
    }
    assert_eq!(names(&home.join("wpatch")).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_directory_that_comes_back_is_whose_it_was() {
    use std::os::unix::fs::MetadataExt;

    let (root, home) = (root(), TempDir::new().unwrap());
    let directory = root.path().join("d");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("x"), "x\n").unwrap();
    // Only a privileged user can give it away; others have one owner alone.
    let _ = std::os::unix::fs::chown(&directory, Some(12_345), Some(23_456));
    world::set_mode(&directory, 0o2750);
    let standing = || fs::metadata(&directory).map(|data| (data.uid(), data.gid(), data.mode()));
    let before = standing().unwrap();
    fs::write(
        root.path().join("p"),
        "--- a/d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    )
    .unwrap();
    assert!(is_done(root.path(), home.path(), &["apply", "p"]));
    assert!(standing().is_err());
    assert!(is_done(root.path(), home.path(), &["undo"]));
    assert_eq!(standing().unwrap(), before);
}

/// Neither what another user has there, nor a way that leads nowhere, keeps anybody from working.
#[cfg(unix)]
#[test]
fn one_that_cannot_be_used_is_told_of_and_no_more() {
    let base = TempDir::new().unwrap();
    let foreign = base.path().join("foreign");
    fs::create_dir_all(foreign.join("wpatch")).unwrap();
    world::set_mode(foreign.join("wpatch"), 0o777);
    world::link("circle", base.path().join("circle")).unwrap();
    fs::write(base.path().join("file"), "").unwrap();
    for home in ["foreign", "circle", "file", "file/below", "dev/null"] {
        let root = root();
        let output = run(root.path(), base.path().join(home), WRITE);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{home}: {told}");
        assert_eq!(
            told.contains("cannot be undone"),
            home != "dev/null",
            "{home}: {told}"
        );
        assert_eq!(names(root.path()), ["file"], "{home}");
    }
    assert_eq!(names(&foreign.join("wpatch")), [""; 0]);
}

#[test]
fn each_root_has_its_own() {
    let (one, two, home) = (root(), root(), TempDir::new().unwrap());
    let path = one.path().join("tree");
    fs::create_dir(&path).unwrap();
    assert!(is_done(&path, home.path(), WRITE));
    assert_ne!(run(&path, home.path(), &["log"]).stdout, b"");
    // Another directory in the place of one is another root.
    fs::remove_dir_all(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(run(&path, home.path(), &["log"]).stdout, b"");
    fs::remove_dir_all(&path).unwrap();
    assert!(is_done(one.path(), home.path(), WRITE));
    assert_eq!(run(two.path(), home.path(), &["log"]).stdout, b"");
    assert_ne!(run(one.path(), home.path(), &["log"]).stdout, b"");
    assert!(is_done(one.path(), home.path(), &["undo"]));
}

#[test]
fn nothing_is_kept_where_nobody_asked_or_where_a_patch_could_reach_it() {
    let base = TempDir::new().unwrap();
    let inside = base.path().join("tree/state");
    let up = base.path().join("none/../tree/state");
    let homes = [
        OsStr::new(""),
        OsStr::new("relative"),
        inside.as_os_str(),
        up.as_os_str(),
    ]
    .map(|home| ("tree", home));
    let around = ["wpatch", "wpatch/below"].map(|root| (root, base.path().as_os_str()));
    for (root, home) in homes.into_iter().chain(around) {
        let root = base.path().join(root);
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("file"), "one\n").unwrap();
        assert!(is_done(&root, home, WRITE));
        let undone = run(&root, home, &["undo"]);
        let told = String::from_utf8(undone.stderr).unwrap();
        assert!(!undone.status.success());
        let why = if home.is_empty() {
            "XDG_STATE_HOME is not set"
        } else {
            "XDG_STATE_HOME must be an absolute path without `..`"
        };
        assert!(told.contains(why), "{home:?}: {told}");
        assert_eq!(names(&root), ["file"]);
        fs::remove_dir_all(&root).unwrap();
    }
}

#[test]
fn a_state_directory_that_stays_comes_first() {
    let (root, home) = (root(), TempDir::new().unwrap());
    fs::create_dir(root.path().join(".git")).unwrap();
    assert!(is_done(root.path(), home.path(), WRITE));
    assert!(is_done(root.path(), home.path(), &["undo"]));
    assert_eq!(names(home.path()), [""; 0]);
}

#[test]
fn no_patch_reaches_it() {
    let (root, home) = (root(), TempDir::new().unwrap());
    for name in [".wpatch-attic/x", ".WPATCH-Attic", ".wpatch-attic./x"] {
        let output = run(root.path(), home.path(), &["write", name, "--content", "x"]);
        assert_eq!(output.status.code(), Some(3), "{name}");
    }
    assert_eq!((names(home.path()).len(), names(root.path()).len()), (0, 1));
}

#[cfg(unix)]
#[test]
fn the_verbs_of_the_disk_reach_it_by_name_and_through_no_link() {
    let (root, above) = (root(), TempDir::new().unwrap());
    let disk = engine::open_with_external_history(root.path(), above.path()).unwrap();
    let path = |text: &str| RelPath::new(text.as_bytes()).unwrap();
    let attic = path(EXTERNAL_HISTORY_NAME);
    assert_eq!(disk.stat(&attic).unwrap(), None);
    assert_eq!(disk.stat(&path(".wpatch-attic/d")).unwrap(), None);
    disk.make_dir(&attic, DirectoryPermissions::Private)
        .unwrap();
    disk.make_dir(&path(".wpatch-attic/d"), DirectoryPermissions::Private)
        .unwrap();
    disk.rename(
        &path("file"),
        &path(".wpatch-attic/d/file"),
        RenameMode::Replace,
    )
    .unwrap();
    assert_eq!(
        fs::read(above.path().join("wpatch/d/file")).unwrap(),
        b"one\n"
    );
    assert_eq!(disk.list(Some(&attic)).unwrap(), [b"d"]);
    assert_eq!(disk.list(None).unwrap(), [[0; 0]; 0]);
    assert_eq!(
        disk.list(Some(&path(".wpatch-attic/d"))).unwrap(),
        [b"file"]
    );
    world::link("d", above.path().join("wpatch/link")).unwrap();
    assert_eq!(
        disk.read(&path(".wpatch-attic/link/file"), 9)
            .unwrap_err()
            .kind,
        ErrorKind::ThroughLink
    );
    let other = engine::open(root.path()).unwrap();
    assert_eq!(
        (other.external_history(), other.stat(&attic).unwrap()),
        (None, None)
    );
}

#[test]
fn a_message_about_a_damaged_plan_names_its_real_path() {
    let (root, home) = (root(), TempDir::new().unwrap());
    let patch = root.path().join("p");
    fs::write(&patch, "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n").unwrap();
    let check = run(
        root.path(),
        home.path(),
        &["check", "--save", "--json", "p"],
    );
    let report: serde_json::Value = serde_json::from_slice(&check.stdout).unwrap();
    let state = home.path().join("wpatch");
    let state = state.join(&names(&state)[0]);
    let all = names(&state);
    let name = all.iter().find(|name| name.starts_with("plan-")).unwrap();
    let plan = state.join(name);
    fs::write(plan.join("plan"), "damaged").unwrap();
    let id = report["plan_id"].as_str().unwrap();
    let output = run(root.path(), home.path(), &["apply", "--plan", id]);
    let message = String::from_utf8(output.stderr).unwrap();
    let expected = format!("{}: the saved plan is damaged; remove it", plan.display());
    let [message, expected] = [message, expected].map(|text| text.replace('\\', "/"));
    assert!(message.contains(&expected), "{message}");
}
