//! Names that change only their case.

use serde_json::Value;

use super::{Tree, create, delete, modify, rename};
use crate::alone::may_mount;
use crate::faults::all_end_right;
use crate::faults::strace::Injection;
use crate::world::images::{Mounted, ends, is, says};
use crate::world::{Scene, survives_kills};

fn change(from: &str, to: &str) -> String {
    let hunk = format!("--- a/{from}\n+++ b/{to}\n@@ -1 +1 @@\n-one\n+two\n");
    rename(from, to).replace("100%", "50%") + &hunk
}

#[test]
fn a_name_changes_its_case() {
    if may_mount("world::folding::case::a_name_changes_its_case") {
        let mounted = Mounted::exfat();
        let tree = |files: &[(&str, &str)]| Tree::new(&mounted, files);
        let (file, other) = (("a.txt", "one\n"), ("Other", "one\n"));
        tree(&[file, other]).becomes(&[], &rename("a.txt", "A.txt"), &[("A.txt", "one\n"), other]);
        tree(&[file, other]).becomes(&[], &change("a.txt", "A.txt"), &[("A.txt", "two\n"), other]);
        tree(&[file]).becomes(&[], &rename("A.TXT", "A.txt"), &[("A.txt", "one\n")]);
        for parts in [
            [delete("a.txt"), create("A.txt", "new")],
            [create("A.txt", "new"), delete("a.txt")],
        ] {
            tree(&[file]).becomes(&[], &parts.concat(), &[("A.txt", "new\n")]);
        }
        let pair = [("a", "one\n"), ("b", "bee\n")];
        let swap = [rename("a", "B"), rename("b", "A")].concat();
        tree(&pair).becomes(&[], &swap, &[("A", "bee\n"), ("B", "one\n")]);
        let chain = [rename("a", "B"), rename("b", "C")].concat();
        tree(&pair).becomes(&[], &chain, &[("B", "one\n"), ("C", "bee\n")]);
        let two_steps = [rename("a", "A"), rename("b", "B")].concat();
        tree(&pair).becomes(&[], &two_steps, &[("A", "one\n"), ("B", "bee\n")]);
    }
}

#[test]
fn a_directory_changes_its_case_if_nothing_is_left_in_it() {
    if may_mount("world::folding::case::a_directory_changes_its_case_if_nothing_is_left_in_it") {
        let mounted = Mounted::exfat();
        let tree = |files: &[(&str, &str)]| Tree::new(&mounted, files);
        let before = &[("src/a/x", "one\n"), ("src/y", "one\n")];
        let all = [
            change("src/a/x", "Src/A/x"),
            rename("src/y", "Src/Y"),
            create("Src/z", "new"),
        ]
        .concat();
        tree(before).becomes(
            &[],
            &all,
            &[("Src/A/x", "two\n"), ("Src/Y", "one\n"), ("Src/z", "new\n")],
        );
        tree(before).becomes(
            &[],
            &rename("src/a/x", "src/A/x"),
            &[("src/A/x", "one\n"), before[1]],
        );
        // A directory that stays keeps its name.
        let part = rename("src/y", "Src/Y");
        tree(before).becomes(&[], &part, &[before[0], ("src/Y", "one\n")]);
        tree(before).becomes(
            &[],
            &change("src/y", "Src/y"),
            &[before[0], ("src/y", "two\n")],
        );
        tree(before).becomes(
            &[],
            &rename("src/y", "Src/other"),
            &[("src/a/x", "one\n"), ("src/other", "one\n")],
        );
        let made_anew = [delete("src/y"), create("SRC/y", "new")].concat();
        tree(&[before[1]]).becomes(&[], &made_anew, &[("SRC/y", "new\n")]);
    }
}

/// What is stored there is seen through a driver that tells case apart.
fn changes_case(files: &[(&str, &str)], patch: &str, before: &[&str], after: &[&str]) {
    let mounted = Mounted::folding_ntfs();
    let root = mounted.root(files);
    assert_eq!(says(&root, &["init"], "")["exit_code"], 0);
    let both = [create("B", "1"), create("b", "2")].concat();
    for command in ["check", "apply"] {
        assert_eq!(
            says(&root, &[command], &both)["error"]["code"],
            "wpatch::path::folded"
        );
    }
    assert_eq!(says(&root, &["check"], patch)["exit_code"], 0);
    for (command, patch, names) in [
        ("apply", patch, after),
        ("undo", "", before),
        ("redo", "", after),
    ] {
        let report = says(&root, &[command], patch);
        assert_eq!(report["exit_code"], 0, "{report:#}");
        mounted.seen_by_case(|root| {
            let names = names.iter().map(ToString::to_string);
            assert_eq!(
                super::super::images::names(root),
                [".wpatch".to_owned()]
                    .into_iter()
                    .chain(names)
                    .collect::<Vec<_>>()
            );
        });
    }
}

/// An extended attribute shows what the listings contain, and POSIX has no call for it.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn a_name_changes_its_case_where_listings_have_none() {
    if may_mount("world::folding::case::a_name_changes_its_case_where_listings_have_none") {
        for (files, patch, before, after) in [
            (
                &[("a.txt", "one\n")][..],
                rename("a.txt", "A.txt"),
                &["a.txt"],
                &["A.txt"],
            ),
            (
                &[("a.txt", "one\n")],
                change("a.txt", "A.txt"),
                &["a.txt"],
                &["A.txt"],
            ),
            (
                &[("A.TXT", "one\n")],
                rename("A.TXT", "a.txt"),
                &["A.TXT"],
                &["a.txt"],
            ),
            (
                &[("src/x", "one\n")],
                rename("src/x", "Src/x"),
                &["src"],
                &["Src"],
            ),
            (
                &[("README", "one\n")],
                modify("README"),
                &["README"],
                &["README"],
            ),
        ] {
            changes_case(files, &patch, before, after);
        }
    }
}

#[test]
fn a_change_of_case_survives_kills() {
    const FILES: &[(&str, &str)] = &[
        ("a.txt", "one\n"),
        ("b", "one\n"),
        ("src/deep/x", "one\n"),
        ("gone", "one\n"),
        ("stays", "stays\n"),
    ];
    if may_mount("world::folding::case::a_change_of_case_survives_kills") {
        let patch = [
            rename("a.txt", "A.txt"),
            change("b", "B"),
            rename("src/deep/x", "Src/Deep/x"),
            delete("gone"),
            create("Gone", "new"),
        ];
        let mounted = Mounted::exfat();
        let scene = Scene::with(&mounted.root(&[]), FILES, &patch.concat());
        let names: Vec<_> = scene
            .after
            .keys()
            .map(|path| path.display().to_string())
            .collect();
        assert_eq!(
            names,
            [
                "A.txt",
                "B",
                "Gone",
                "Src",
                "Src/Deep",
                "Src/Deep/x",
                "stays"
            ]
        );
        survives_kills(&scene, 10);
        scene.lay();
        let calls = scene
            .calls("apply", &["renameat", "unlinkat", "mkdirat"])
            .into_iter();
        let errors = calls
            .flat_map(|(call, count)| (1..=count).map(move |number| (call, number.to_string())));
        let errors: Vec<_> = errors
            .map(|(call, when)| Injection {
                call,
                fault: "error=EIO",
                when,
            })
            .collect();
        all_end_right(8, &errors, |error| scene.apply(error));
    }
}

/// A command that looks at the tree before the change counts sees it as it is going to be.
#[test]
fn a_change_of_case_is_tried() {
    if may_mount("world::folding::case::a_change_of_case_is_tried") {
        let mounted = Mounted::exfat();
        let root = mounted.root(&[("a.txt", "one\n")]);
        let passes = &["apply", "--verify", "test \"$(ls)\" = A.txt"];
        let report = says(&root, passes, &rename("a.txt", "A.txt"));
        assert_eq!(
            (&report["exit_code"], &report["problems"]),
            (&0.into(), &Value::Array(Vec::new())),
            "{report:#}"
        );
        let fails = &["apply", "--verify", "test \"$(ls)\" = A.txt"];
        assert_eq!(
            ends(&root, fails, &rename("A.txt", "a.TXT")),
            is(3, &["A.txt"])
        );
    }
}
