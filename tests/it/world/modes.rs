//! File systems that keep no permission bits, and those that take two spellings of a name for one: NTFS and exFAT.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::mounts::Served;
use super::{Scene, must, survives_kills};
use crate::alone::may_mount;
use crate::systems::{fed, program};

const PATCH: &str = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/new/g\n@@ -0,0 +1 @@\n+g\n";

/// A mounted image, in a directory of its own.
struct Mounted {
    directory: TempDir,
    _served: Served,
    loop_device: Option<Loop>,
}

/// A loop device, which outlives its mount.
struct Loop(String);

impl Drop for Loop {
    fn drop(&mut self) {
        must("losetup", &["--detach", &self.0]);
    }
}

impl Mounted {
    fn new(make: &[&str], mount: &[&str]) -> Self {
        let directory = TempDir::new().unwrap();
        let [image, place] = ["image", "place"].map(|name| directory.path().join(name).display().to_string());
        fs::create_dir(&place).unwrap();
        fs::File::create(&image).unwrap().set_len(16 << 20).unwrap();
        must(make[0], &[&make[1..], &[&image]].concat());
        // The driver for exFAT mounts block devices alone.
        let is_exfat = make[0] == "mkfs.exfat";
        let device = || String::from_utf8(must("losetup", &["--find", "--show", &image]).stdout).unwrap();
        let loop_device = is_exfat.then(|| Loop(device().trim().to_owned()));
        let source = loop_device.as_ref().map_or(&image, |device| &device.0);
        must(mount[0], &[&mount[1..], &[source, &place]].concat());
        Self { directory, _served: Served(place), loop_device }
    }

    fn ntfs(options: &str) -> Self {
        Self::new(&["mkntfs", "-q", "-F"], &["ntfs-3g", "-o", options])
    }

    /// NTFS as Windows has it: two spellings of a name are one.
    fn folding_ntfs() -> Self {
        Self::new(&["mkntfs", "-q", "-F"], &["lowntfs-3g", "-o", "ignore_case"])
    }

    fn exfat() -> Self {
        Self::new(&["mkfs.exfat"], &["mount.exfat-fuse"])
    }

    /// Makes the root with these files.
    fn root(&self, files: &[(&str, &str)]) -> PathBuf {
        let root = self.directory.path().join("place/root");
        fs::create_dir(&root).unwrap();
        for (name, text) in files {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        root
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // What is mounted lazily goes a moment later, and its device only then.
        let place = self.directory.path().join("place").display().to_string();
        if self.loop_device.is_some() {
            must("umount", &[&place]);
            must("mount", &["-t", "tmpfs", "none", &place]);
        }
    }
}

/// Returns the report of `wpatch <arguments> --json`.
fn says(root: &Path, arguments: &[&str], patch: &str) -> Value {
    let output = fed(&mut program(root, &[arguments, &["--json"]].concat()), patch.as_bytes());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Returns the exit code and the names of what is in the root then.
fn ends(root: &Path, arguments: &[&str], patch: &str) -> (Value, Vec<String>) {
    let report = says(root, arguments, patch);
    (report["exit_code"].clone(), names(root))
}

fn names(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn is(code: i32, names: &[&str]) -> (Value, Vec<String>) {
    (code.into(), names.iter().map(ToString::to_string).collect())
}

fn text(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

/// Everything that a user does: changes in a plain directory and in a work tree, undone again, and recovered after a kill.
fn works(mounted: &Mounted) {
    let root = mounted.root(&[("f", "one\n")]);
    assert_eq!(ends(&root, &["check"], PATCH), is(0, &["f"]));
    assert_eq!(ends(&root, &["apply"], PATCH), is(0, &["f", "new"]));
    assert_eq!(text(&root, "f"), "two\n");
    assert_eq!(ends(&root, &["apply", "-R", "--durability", "none"], PATCH), is(0, &["f"]));
    let killed = fed(&mut program(&root, &["apply", "--verify", "kill -9 $PPID"]), PATCH.as_bytes());
    assert!(!killed.status.success() && text(&root, "f") == "two\n");
    let checked = says(&root, &["check"], PATCH);
    assert_eq!(checked["problems"][0]["code"], "wpatch::io::half_made", "{checked:#}");
    assert_eq!((ends(&root, &["recover"], ""), text(&root, "f")), (is(0, &["f"]), "one\n".to_owned()));
    for directory in [".git", ".wpatch"] {
        if directory == ".git" {
            fs::create_dir(root.join(".git")).unwrap();
        } else {
            fs::remove_dir_all(root.join(".git")).unwrap();
            assert_eq!(ends(&root, &["init"], ""), is(0, &[".wpatch", "f"]));
        }
        for reverse in [&[][..], &["-R"]] {
            assert_eq!(ends(&root, &[&["apply"], reverse].concat(), PATCH).0, 0);
        }
        assert_eq!(ends(&root, &["undo"], ""), is(0, &[directory, "f", "new"]));
        assert_eq!(ends(&root, &["undo"], ""), is(0, &[directory, "f"]));
        assert_eq!(text(&root, "f"), "one\n");
        let log = says(&root, &["log"], "");
        assert_eq!(log["entries"].as_array().unwrap().len(), 4, "{log:#}");
    }
}

#[test]
fn a_file_system_without_modes_is_enough() {
    if may_mount("world::modes::a_file_system_without_modes_is_enough") {
        let all = [
            Mounted::ntfs("allow_other"),
            Mounted::ntfs("umask=022"),
            Mounted::ntfs("umask=077"),
            Mounted::folding_ntfs(),
            Mounted::exfat(),
        ];
        all.iter().for_each(works);
    }
}

/// They are what the mount says, and a patch that changes them alone is a success, as it is for git.
#[test]
fn a_change_of_a_mode_is_ignored_where_there_are_none() {
    if may_mount("world::modes::a_change_of_a_mode_is_ignored_where_there_are_none") {
        let patch = |old, new| format!("diff --git a/f b/f\nold mode {old}\nnew mode {new}\n");
        for mounted in [Mounted::ntfs("umask=022"), Mounted::ntfs("fmask=0177,dmask=077"), Mounted::exfat()] {
            let root = mounted.root(&[("f", "one\n"), (".git/HEAD", "ref\n")]);
            let mode = || fs::metadata(root.join("f")).unwrap().permissions().mode();
            let before = mode();
            for patch in [patch("100644", "100755"), patch("100755", "100644")] {
                assert_eq!(says(&root, &["apply"], &patch)["exit_code"], 0);
                assert_eq!(mode(), before);
            }
            if before % 0o100 == 0 {
                // Nothing here tells it from a file system with bits, until a mode is set.
                continue;
            }
            let both = [&patch("100644", "100755"), PATCH.split_once("--- /dev").unwrap().0].concat();
            assert_eq!(says(&root, &["apply"], &both)["exit_code"], 0);
            assert_eq!(says(&root, &["undo"], "")["exit_code"], 0);
            assert_eq!((text(&root, "f"), mode()), ("one\n".to_owned(), before));
        }
    }
}

#[test]
fn a_link_is_refused_where_there_are_none() {
    if may_mount("world::modes::a_link_is_refused_where_there_are_none") {
        let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n";
        let mounted = Mounted::exfat();
        let root = mounted.root(&[("f", "one\n")]);
        let report = says(&root, &["apply"], &[PATCH, link].concat());
        assert_eq!((&report["exit_code"], &report["changed"]), (&4.into(), &false.into()), "{report:#}");
        assert!(report["error"]["message"].as_str().unwrap().contains("no symbolic links"), "{report:#}");
        assert_eq!((names(&root), text(&root, "f")), (vec!["f".to_owned()], "one\n".to_owned()));
    }
}

#[test]
fn a_file_system_without_modes_survives_kills() {
    if may_mount("world::modes::a_file_system_without_modes_survives_kills") {
        let mounted = Mounted::ntfs("umask=022");
        survives_kills(&Scene::at(&mounted.root(&[])), 10);
    }
}

/// What others can write to is refused where permission bits mean something, whatever is in the directory.
#[test]
fn bits_count_where_they_are_kept() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    for (name, mode) in [(".wpatch", 0o777), (".git/wpatch", 0o777), (".git/wpatch", 0o720)] {
        fs::create_dir_all(root.join(name)).unwrap();
        fs::write(root.join("f"), "one\n").unwrap();
        fs::set_permissions(root.join(name), PermissionsExt::from_mode(mode)).unwrap();
        for command in ["check", "apply"] {
            let report = says(&root, &[command], PATCH);
            assert_eq!((&report["exit_code"], &report["error"]["code"]), (&4.into(), &"wpatch::io::state".into()));
        }
        assert_eq!(names(&root.join(name)), Vec::<String>::new());
        fs::remove_dir_all(&root).unwrap();
    }
}
