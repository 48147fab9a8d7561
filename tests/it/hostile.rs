//! Hostile patches and trees, each in a process of little time and memory: refused or harmless.
//!
//! What a fixture cannot hold is made here: sizes, special files, names outside of the root, modes.

mod flood;
mod place;

use fs_err as fs;

use crate::case::{Case, each, same};
use crate::tree;
use crate::world;
use place::{Place, SECRET};

const UPDATE: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-secret\n+changed\n";

/// The ways to be told of a patch, by a terminal or a program.
const COMMANDS: &[&[&str]] = &[
    &["check", "-v"],
    &["check", "--json"],
    &["apply", "-v"],
    &["apply", "--json", "--with-diff"],
];

/// The exit code of each kind of problem that the cases meet.
const EXITS: &[(&str, i32)] = &[
    ("parse", 2),
    ("unsupported", 1),
    ("binary", 2),
    ("outside_root", 3),
    ("denied", 3),
    ("missing", 1),
    ("exists", 1),
    ("not_a_file", 1),
    ("not_a_directory", 1),
    ("not_found", 1),
    ("stale", 1),
    ("too_large", 1),
];

fn exit_code(case: &Case) -> i32 {
    let Some(kind) = case.settings.error.as_deref() else {
        return 0;
    };
    if matches!(
        case.settings.code.as_deref(),
        Some("wpatch::parse::unsupported" | "wpatch::parse::ed_script")
    ) {
        return 2;
    }
    // The patch is well-formed and lacks what git needs to apply it.
    if case.settings.code.as_deref() == Some("wpatch::file::no_binary_data") {
        return 1;
    }
    EXITS
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|&(_, code)| code)
        .expect("a kind with an exit code")
}

#[test]
fn every_hostile_case_is_refused_or_harmless() {
    let mut cases = Case::of("hostile");
    cases.retain(Case::has_names_of_the_disk);
    each(&cases, |case| {
        for command in COMMANDS {
            let place = Place::new(&case.before);
            let arguments: Vec<_> = command
                .iter()
                .map(ToString::to_string)
                .chain(case.settings.arguments())
                .collect();
            let before = place.traces();
            let output = place.run(
                &[arguments, case.settings.own_arguments()].concat(),
                &case.patch,
            );
            same("exit code", &output.status.code(), &Some(exit_code(case)))?;
            place.is_safe(&output)?;
            let is_applied = command[0] == "apply" && case.after.is_some();
            let expected = if is_applied {
                case.after.as_ref()
            } else {
                Some(&case.before)
            };
            same("tree", &Some(&tree::read(&place.root())), &expected)?;
            if !is_applied {
                same("traces", &place.traces().files(), &before.files())?;
            }
        }
        Ok(())
    });
    assert!(
        std::env::var_os("CASE").is_some() || cases.len() > if cfg!(unix) { 100 } else { 70 },
        "only {} cases",
        cases.len()
    );
}

/// Runs check and apply, which both have to refuse `patch` for `code` and leave everything alone.
fn refused(place: &Place, patch: &str, code: &str) {
    let before = place.traces();
    for command in ["check", "apply"] {
        let output = place.run(&[command.to_owned(), "--json".to_owned()], patch.as_bytes());
        let report = Place::report(&output);
        assert_eq!(
            report["error"]["code"], code,
            "{command} {patch}: {report:#}"
        );
        place.is_safe(&output).unwrap();
        assert_eq!(place.traces().files(), before.files(), "{command} {patch}");
    }
}

#[cfg(unix)]
#[test]
fn special_files_are_neither_opened_nor_written() {
    let place = Place::new(&tree::Tree::new());
    let at = |name: &str| place.root().join(name);
    world::fifo(at("fifo"));
    let _listener = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    for name in ["fifo", "socket"] {
        let not_a_file = "wpatch::file::not_a_file";
        refused(&place, &UPDATE.replace('x', name), not_a_file);
        refused(
            &place,
            &format!("*** Begin Patch\n*** Delete File: {name}\n*** End Patch\n"),
            not_a_file,
        );
        refused(
            &place,
            &format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"),
            not_a_file,
        );
        let rename = format!(
            "diff --git a/{name} b/y\nsimilarity index 100%\nrename from {name}\nrename to y\n"
        );
        refused(&place, &rename, not_a_file);
        let mode = format!("diff --git a/{name} b/{name}\nold mode 100644\nnew mode 100755\n");
        refused(&place, &mode, not_a_file);
        let below = format!("--- /dev/null\n+++ b/{name}/y\n@@ -0,0 +1 @@\n+x\n");
        refused(&place, &below, "wpatch::file::not_a_directory");
    }
}

#[cfg(unix)]
#[test]
fn devices_are_neither_opened_nor_written() {
    let place = Place::new(&tree::Tree::new());
    let check = |patch: &str| {
        let arguments = ["check", "--json", "--root", "/dev"].map(str::to_owned);
        Place::report(&place.run(&arguments, patch.as_bytes()))["error"]["code"].clone()
    };
    for name in ["zero", "full", "tty"] {
        assert_eq!(
            check(&UPDATE.replace('x', name)),
            "wpatch::file::not_a_file",
            "{name}"
        );
        assert_eq!(
            check(&UPDATE.replace('x', &format!("{name}/y"))),
            "wpatch::file::missing",
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn nothing_passes_through_a_hard_link() {
    let mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    let both = [mode, UPDATE].concat();
    for patch in [UPDATE, mode, &both] {
        let place = Place::new(&tree::Tree::new());
        fs::hard_link(place.outside().join("secret"), place.root().join("x")).unwrap();
        let output = place.run(&["apply".to_owned()], patch.as_bytes());
        assert!(output.status.success(), "{patch}: {output:?}");
        let (inside, outside) = (place.root().join("x"), place.outside().join("secret"));
        assert_eq!(fs::read_to_string(&outside).unwrap(), SECRET, "{patch}");
        assert_eq!(world::mode(&outside), 0o644, "{patch}");
        let is_executable = patch.contains("new mode");
        assert_eq!(
            world::mode(&inside),
            if is_executable { 0o755 } else { 0o644 },
            "{patch}"
        );
        assert_eq!(world::links(&outside), 1, "{patch}");
    }
}

#[cfg(unix)]
#[test]
fn a_patch_gives_no_file_odd_bits() {
    let copy = "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n";
    let mode = "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n";
    for bits in [0o4755, 0o2755, 0o6755] {
        let place = Place::new(&tree::Tree::new());
        let file = |name: &str| place.root().join(name);
        fs::write(file("x"), SECRET).unwrap();
        world::set_mode(file("x"), bits);
        let mode_of = |name: &str| world::mode(file(name));
        // What the owner gave a file stays with it, and goes with the first change of its mode.
        for (patch, name, expected) in [(copy, "y", 0o755), (UPDATE, "x", bits), (mode, "x", 0o644)]
        {
            let output = place.run(&["apply".to_owned()], patch.as_bytes());
            assert!(output.status.success(), "{output:?}");
            assert_eq!(mode_of(name), expected, "{bits:o}: {patch}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_state_directory_that_came_with_the_tree_is_not_believed() {
    let forged = |journal: &str, is_private: bool| {
        let place = Place::new(&tree::Tree::new());
        fs::write(place.root().join("x"), SECRET).unwrap();
        let directory = place.root().join(".wpatch/txn-1");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("journal"), journal).unwrap();
        fs::write(directory.join("o0"), "planted\n").unwrap();
        if is_private {
            world::set_mode(place.root().join(".wpatch"), 0o700);
            world::set_mode(directory, 0o700);
        }
        place
    };
    let body = |path: &str| {
        let change =
            format!(r#"{{"number":0,"path":"{path}","before":null,"after":null,"leaves":true}}"#);
        format!(
            r#"{{"root":"{{}}","makes":[{{"path":"{path}","standing":null}}],"removes":[],"changes":[{change}]}}"#
        )
    };
    let signed = |body: String| {
        format!(
            "wpatch.journal/1 {}\n{body}",
            wpatch::digest::Digest::of(body.as_bytes())
        )
    };
    for path in ["../outside/secret", "/etc/passwd", ".git/config", "x"] {
        for journal in [body(path), signed(body(path)), String::new()] {
            for is_private in [false, true] {
                let place = forged(&journal, is_private);
                refused(&place, UPDATE, "wpatch::io::state");
                let output = place.run(&["recover".to_owned(), "--json".to_owned()], b"");
                assert_eq!(
                    Place::report(&output)["error"]["code"],
                    "wpatch::io::state",
                    "{journal}"
                );
                assert_eq!(fs::read_to_string(place.root().join("x")).unwrap(), SECRET);
                place.is_safe(&output).unwrap();
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_state_directory_that_is_a_link_is_not_followed() {
    let place = Place::new(&tree::Tree::new());
    fs::write(place.root().join("x"), SECRET).unwrap();
    world::link("../outside", place.root().join(".wpatch")).unwrap();
    refused(&place, UPDATE, "wpatch::io::state");
}
