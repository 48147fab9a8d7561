//! File systems that find a file under several spellings of its name.
//!
//! exFAT keeps the case of names. NTFS, as `lowntfs-3g` mounts it here, lists them in lower case:
//! what it stored is seen through a driver that tells case apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;
use walkdir::WalkDir;

use super::images::{Mounted, says, text};
use crate::alone::may_mount;
use crate::repository::{git, run};
use crate::systems::{fed, program};

mod case;
pub(super) mod driver;
mod rules;

/// Files by their names.
type Files = BTreeMap<String, String>;

fn create(name: &str, text: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+{text}\n"
    )
}

fn delete(name: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\ndeleted file mode 100644\n--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    )
}

fn modify(name: &str) -> String {
    format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+two\n")
}

fn rename(from: &str, to: &str) -> String {
    format!(
        "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
    )
}

/// Returns the files below `root`, without those of git and of wpatch, and the empty directories
/// with a slash.
fn files(root: &Path) -> Files {
    let is_ours = |name: &str| [".git", ".wpatch"].contains(&name);
    let walk = WalkDir::new(root).min_depth(1).into_iter();
    let walk = walk
        .filter_entry(|entry| !is_ours(&entry.file_name().to_string_lossy()))
        .map(Result::unwrap);
    let found = walk.filter_map(|entry| {
        let name = entry
            .path()
            .strip_prefix(root)
            .unwrap()
            .display()
            .to_string();
        if entry.file_type().is_dir() {
            let is_empty = fs::read_dir(entry.path()).unwrap().next().is_none();
            return is_empty.then(|| (name + "/", String::new()));
        }
        Some((name, fs::read_to_string(entry.path()).unwrap()))
    });
    found.collect()
}

fn of(files: &[(&str, &str)]) -> Files {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect()
}

/// A root on exFAT, in which changes are kept in a history.
struct Tree {
    root: PathBuf,
    before: Files,
}

impl Tree {
    fn new(mounted: &Mounted, files: &[(&str, &str)]) -> Self {
        let root = mounted.root(files);
        assert_eq!(says(&root, &["init"], "")["exit_code"], 0);
        Self {
            root,
            before: of(files),
        }
    }

    /// Applies `patch` as `arguments` say, undoes it, and redoes it.
    fn becomes(&self, arguments: &[&str], patch: &str, after: &[(&str, &str)]) {
        assert_eq!(files(&self.root), self.before);
        assert_eq!(
            says(&self.root, &[&["check"], arguments].concat(), patch)["exit_code"],
            0,
            "{patch}"
        );
        assert_eq!(files(&self.root), self.before);
        for command in ["apply", "undo", "redo", "undo"] {
            let is_apply = command == "apply";
            let (options, input) = if is_apply {
                (arguments, patch)
            } else {
                (&[][..], "")
            };
            let report = says(&self.root, &[&[command][..], options].concat(), input);
            assert_eq!(
                (&report["exit_code"], &report["changed"]),
                (&0.into(), &true.into()),
                "{command} {patch}{report:#}"
            );
            let expected = if command == "undo" {
                self.before.clone()
            } else {
                of(after)
            };
            assert_eq!(files(&self.root), expected, "{command} {patch}");
        }
        fs::remove_dir_all(&self.root).unwrap();
    }

    /// Refuses `patch`, in `check` as in `apply`, with the code and with these words.
    fn refuses(&self, patch: &str, code: &str, words: &str) {
        let reports = ["check", "apply"].map(|command| says(&self.root, &[command], patch));
        for report in &reports {
            let [is_code, is_message] =
                [("code", code), ("message", words)].map(|(field, wanted)| {
                    report["problems"][0][field]
                        .as_str()
                        .unwrap()
                        .contains(wanted)
                });
            assert!(
                report["exit_code"] == 1 && is_code && is_message,
                "{patch}{report:#}"
            );
        }
        assert_eq!(reports[0]["problems"], reports[1]["problems"]);
        assert_eq!(files(&self.root), self.before);
        fs::remove_dir_all(&self.root).unwrap();
    }
}

#[test]
fn names_that_are_one_are_not_both_created() {
    if may_mount("world::folding::names_that_are_one_are_not_both_created") {
        let mounted = Mounted::exfat();
        for (first, second, clash) in [
            ("A.txt", "a.txt", "A.txt and a.txt"),
            ("a.txt", "A.txt", "A.txt and a.txt"),
            ("Dir/x", "dir/x", "Dir and dir"),
            ("Dir/x", "dir/y", "Dir and dir"),
            ("new/Dir/x", "new/dir/sub/y", "new/Dir and new/dir"),
            ("D", "d/x", "D and d"),
            ("\u{c9}", "\u{e9}", "\u{c9} and \u{e9}"),
        ] {
            for files in [&[][..], &[("stays", "one\n")]] {
                let tree = Tree::new(&mounted, files);
                let words = format!("{clash} are the same name on this file system");
                tree.refuses(
                    &[create(first, "1"), create(second, "2")].concat(),
                    "wpatch::path::folded",
                    &words,
                );
            }
        }
        let tree = Tree::new(&mounted, &[("README", "one\n"), ("other", "one\n")]);
        tree.refuses(
            &create("readme", "x"),
            "wpatch::file::exists",
            "its name on disk is README",
        );
        let tree = Tree::new(&mounted, &[("README", "one\n"), ("other", "one\n")]);
        tree.refuses(
            &rename("other", "readme"),
            "wpatch::file::exists",
            "its name on disk is README",
        );
        // Where the name of the directory above tells as little, one with letters does.
        let directory = mounted.root(&[]).join("1");
        fs::create_dir(&directory).unwrap();
        let both = [create("A", "1"), create("a", "2")].concat();
        assert_eq!(
            says(&directory, &["check"], &both)["error"]["code"],
            "wpatch::path::folded"
        );
    }
}

#[test]
fn a_file_keeps_its_name_however_a_patch_spells_it() {
    if may_mount("world::folding::a_file_keeps_its_name_however_a_patch_spells_it") {
        let mounted = Mounted::exfat();
        let before = &[("README", "one\n"), ("Sub/Dir/File", "one\n")];
        let tree = || Tree::new(&mounted, before);
        tree().becomes(&[], &modify("readme"), &[("README", "two\n"), before[1]]);
        tree().becomes(
            &[],
            &modify("SUB/dir/FILE"),
            &[before[0], ("Sub/Dir/File", "two\n")],
        );
        tree().becomes(&[], &delete("Readme"), &[before[1]]);
        tree().becomes(&[], &delete("sub/dir/file"), &[before[0]]);
        tree().becomes(
            &["--overwrite"],
            &create("readme", "x"),
            &[("README", "x\n"), before[1]],
        );
        let new = create("sub/DIR/new", "new");
        tree().becomes(&[], &new, &[before[0], before[1], ("Sub/Dir/new", "new\n")]);
        tree().becomes(
            &[],
            &rename("readme", "other"),
            &[before[1], ("other", "one\n")],
        );
        // What the first part does, the second one finds.
        let twice = [
            modify("readme"),
            modify("README")
                .replace("two", "three")
                .replace("one", "two"),
        ]
        .concat();
        tree().becomes(&[], &twice, &[("README", "three\n"), before[1]]);
    }
}

/// What the README declares: each of these loses a file, a name or the patch in git.
#[test]
fn git_does_otherwise_where_names_are_folded() {
    if may_mount("world::folding::git_does_otherwise_where_names_are_folded") {
        let mounted = Mounted::exfat();
        let (readme, a) = (("README", "one\n"), ("a.txt", "one\n"));
        let both = |patch: &str| {
            ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
                let root = mounted.root(&[readme, a]);
                let status = fed(
                    Command::new(program).arg("apply").current_dir(&root),
                    patch.as_bytes(),
                )
                .status;
                let left = files(&root);
                fs::remove_dir_all(&root).unwrap();
                (status.code(), left)
            })
        };
        let modified = [of(&[a, ("readme", "two\n")]), of(&[("README", "two\n"), a])]
            .map(|left| (Some(0), left));
        assert_eq!(both(&modify("readme")), modified);
        let renamed = [
            (Some(1), of(&[readme, a])),
            (Some(0), of(&[readme, ("A.txt", "one\n")])),
        ];
        assert_eq!(both(&rename("a.txt", "A.txt")), renamed);
        let [(status, left), ours] = both(&[create("New", "1"), create("new", "2")].concat());
        assert_eq!((status, left.len()), (Some(0), 3));
        assert_eq!(ours, (Some(1), of(&[readme, a])));
    }
}

/// A rule of a policy holds for a file, not for one spelling of its name.
#[test]
fn a_policy_holds_for_every_spelling() {
    const POLICY: &str = "[[rule]]\npaths = [\"secrets/**\", \"*.key\"]\nverdict = \"deny\"\n";
    if may_mount("world::folding::a_policy_holds_for_every_spelling") {
        for mounted in [Mounted::exfat(), Mounted::folding_ntfs()] {
            let files = &[
                ("wpatch.toml", POLICY),
                ("secrets/a", "one\n"),
                ("my.key", "one\n"),
                ("open", "one\n"),
            ];
            let root = mounted.root(files);
            for patch in [
                modify("Secrets/A"),
                create("SECRETS/new", "x"),
                modify("MY.KEY"),
                create("new.Key", "x"),
                delete("My.key"),
                rename("open", "Open.KEY"),
                rename("MY.key", "other"),
            ] {
                for command in ["check", "apply"] {
                    let report = says(&root, &[command], &patch);
                    assert_eq!(
                        (&report["exit_code"], &report["error"]["kind"]),
                        (&3.into(), &"denied".into()),
                        "{patch}{report:#}"
                    );
                }
            }
            for patch in [
                modify("WPATCH.TOML"),
                create(".GIT/config", "x"),
                create(".Wpatch/x", "x"),
            ] {
                assert_eq!(says(&root, &["apply"], &patch)["exit_code"], 3, "{patch}");
            }
            let read = fed(&mut program(&root, &["read", "Secrets/A", "--json"]), b"");
            assert_eq!(read.status.code(), Some(3), "{read:?}");
            assert_eq!(text(&root, "secrets/a"), "one\n");
            assert_eq!(says(&root, &["apply"], &modify("OPEN"))["exit_code"], 0);
        }
    }
}

/// git writes to the same file under the name that its index has; wpatch finds the index entry by
/// that name as well.
#[test]
fn an_index_is_followed() {
    if may_mount("world::folding::an_index_is_followed") {
        let mounted = Mounted::exfat();
        for ignores in ["true", "false"] {
            let root = mounted.root(&[("a.txt", "one\n"), ("README", "one\n")]);
            for arguments in [
                &["init", "-q"][..],
                &["config", "core.ignorecase", ignores],
                &["add", "."],
            ] {
                run(git(arguments).current_dir(&root), b"");
            }
            let listed =
                || String::from_utf8(run(git(&["ls-files"]).current_dir(&root), b"")).unwrap();
            let report = says(&root, &["apply", "--index"], &rename("a.txt", "A.txt"));
            assert_eq!(report["exit_code"], 0, "{report:#}");
            assert_eq!(
                (listed(), files(&root)),
                (
                    "A.txt\nREADME\n".to_owned(),
                    of(&[("A.txt", "one\n"), ("README", "one\n")])
                )
            );
            assert_eq!(says(&root, &["undo"], "")["exit_code"], 0);
            assert_eq!(
                (listed(), files(&root)),
                (
                    "README\na.txt\n".to_owned(),
                    of(&[("README", "one\n"), ("a.txt", "one\n")])
                )
            );
            let both = [create("B", "1"), create("b", "2")].concat();
            for command in ["check", "apply"] {
                let report = says(&root, &[command, "--index"], &both);
                assert_eq!(
                    report["error"]["code"], "wpatch::path::folded",
                    "{report:#}"
                );
            }
            // As for git, an entry is found by its own name alone.
            assert_eq!(
                says(&root, &["apply", "--index"], &modify("readme"))["error"]["kind"],
                "missing"
            );
            assert_eq!(says(&root, &["apply"], &modify("readme"))["exit_code"], 0);
            assert_eq!(text(&root, "README"), "two\n");
            fs::remove_dir_all(&root).unwrap();
        }
    }
}
