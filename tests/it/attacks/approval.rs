//! Attempts to get done what nobody approved.

use std::path::PathBuf;

use fs_err as fs;
use serde_json::json;

use super::{DENIED, link, moved, refused, replaced};
use crate::systems::Desk;
use crate::world;

const STALE: (&str, i32) = ("stale", 1);

fn desk() -> Desk {
    Desk::with(&[
        ("a", b"a\n"),
        ("b", b"a\n"),
        ("d/c", b"a\n"),
        (".git/HEAD", b"x\n"),
    ])
}

/// Returns the `plan_id` of a check.
fn checked(desk: &Desk, options: &[&str], patch: &[u8]) -> String {
    desk.does(&[&["check"], options].concat(), patch)["plan_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn an_approval_is_of_one_change_and_no_other() {
    let desk = Desk::with(&[("a", b"a\n"), ("b", b"a\n"), ("d/c", b"a\n")]);
    let one = replaced("a", "a", "x");
    let both = [&one[..], &replaced("b", "a", "x")].concat();
    let (whole, part) = (
        checked(&desk, &[], &both),
        checked(&desk, &["--only", "1"], &both),
    );
    let stale = |plan: &str, options: &[&str], patch: &[u8]| {
        let arguments = [&["apply", "--approve", plan], options].concat();
        refused(&desk, STALE, &arguments, patch);
    };
    stale(&part, &[], &both);
    stale(&whole, &["--only", "1"], &both);
    stale(&part, &["--only", "2"], &both);
    stale(&part, &["--include", "b"], &both);
    // The same bytes at other paths.
    stale(&part, &["--file", "b"], &one);
    stale(&part, &["-p1", "--file", "d/c"], &one);
    stale(&part, &[], &replaced("a", "a", "y"));
    let mode = b"diff --git a/a b/a\nold mode 100644\nnew mode 100755\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+x\n";
    stale(&part, &[], mode);
    fs::write(desk.path("a"), "x\n").unwrap();
    stale(&part, &["-R"], &one);
    fs::write(desk.path("a"), "a\n").unwrap();
    fs::hard_link(desk.path("a"), desk.path("name")).unwrap();
    stale(&part, &["--in-place"], &one);
}

#[test]
fn an_approval_opens_nothing_that_is_denied() {
    let desk = desk();
    let patch = replaced("a", "a", "x");
    let id = checked(&desk, &["--save"], &patch);
    fs::write(
        desk.path("wpatch.toml"),
        "[[rule]]\npaths = ['a']\nops = ['write']\nverdict = 'deny'\n",
    )
    .unwrap();
    refused(&desk, DENIED, &["apply", "--approve", &id], &patch);
    refused(&desk, DENIED, &["apply", "--plan", &id], b"");
}

#[cfg(unix)]
#[test]
fn a_link_that_came_after_the_check_is_not_followed() {
    let desk = desk();
    let patch = replaced("a", "a", "x");
    let id = checked(&desk, &["--save"], &patch);
    fs::remove_file(desk.path("a")).unwrap();
    world::link("b", desk.path("a")).unwrap();
    for arguments in [&["apply", "--approve", &id][..], &["apply", "--plan", &id]] {
        let before = crate::tree::read(&desk.root());
        let document = desk.says(arguments, &patch);
        assert_eq!(
            (&document["ok"], &document["changed"]),
            (&false.into(), &false.into()),
            "{document:#}"
        );
        assert_eq!(crate::tree::read(&desk.root()), before);
    }
}

#[test]
fn what_is_asked_about_is_done_by_nobody_on_the_quiet() {
    let desk = desk();
    fs::write(
        desk.path("wpatch.toml"),
        "[[rule]]\npaths = ['a']\nops = ['write']\nverdict = 'ask'\n",
    )
    .unwrap();
    let patch = replaced("a", "a", "x");
    let asked = ("approval_required", 3);
    refused(&desk, asked, &["apply"], &patch);
    refused(&desk, asked, &["append", "a", "--content", "x"], b"");
    let id = checked(&desk, &[], &patch);
    desk.does(&["reject", &id], b"");
    refused(&desk, asked, &["apply", "--approve", &id], &patch);
    let arguments = json!({"path": "a", "old_str": "a", "new_str": "x"});
    let result = desk.serves(&[], &[("str_replace", arguments)])[0].take();
    assert!(
        result["isError"] == true && desk.bytes("a") == b"a\n",
        "{result:#}"
    );
}

#[cfg(unix)]
#[test]
fn an_approval_that_costs_no_file_takes_none() {
    let desk = Desk::with(&[("a", b"a\n"), (".git/HEAD", b"x\n")]);
    let made = b"diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n";
    for patch in [
        moved("rename", "a", "new"),
        moved("copy", "a", "new"),
        made.to_vec(),
        link("new", "a"),
    ] {
        let id = checked(&desk, &["--overwrite", "--save"], &patch);
        let mut names = vec![id.clone()];
        let comes: [&dyn Fn(); 3] = [
            &|| fs::write(desk.path("new"), "precious\n").unwrap(),
            &|| fs::write(desk.path("new"), "as precious\n").unwrap(),
            &|| world::link("precious", desk.path("new")).unwrap(),
        ];
        for come in comes {
            come();
            refused(
                &desk,
                STALE,
                &["apply", "--overwrite", "--approve", &id],
                &patch,
            );
            refused(&desk, STALE, &["apply", "--plan", &id], b"");
            names.push(checked(&desk, &["--overwrite"], &patch));
            fs::remove_file(desk.path("new")).unwrap();
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 4, "{}", String::from_utf8_lossy(&patch));
    }
}

#[test]
fn a_plan_that_was_rejected_is_made_by_no_command() {
    let desk = desk();
    for arguments in [
        &["edit", "a", "--old", "a", "--new", "x"][..],
        &["write", "a", "--overwrite", "--content", "x"],
        &["append", "a", "--content", "x"],
    ] {
        let plan = desk.does(&[arguments, &["--dry-run"]].concat(), b"");
        let id = plan["plan_id"].as_str().unwrap().to_owned();
        desk.does(&["reject", &id], b"");
        refused(
            &desk,
            ("approval_required", 3),
            &[arguments, &["--approve", &id]].concat(),
            b"",
        );
        refused(
            &desk,
            ("usage", 2),
            &[arguments, &["--approve", "sha256:0"]].concat(),
            b"",
        );
    }
}

/// Returns where the plan `id` is kept.
fn kept(desk: &Desk, id: &str) -> PathBuf {
    let state = fs::read_dir(desk.path(".git/wpatch"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let digits = &id["sha256:".len()..];
    state
        .into_iter()
        .find(|path| path.to_str().unwrap().ends_with(digits))
        .unwrap()
}

#[test]
fn the_beginning_of_two_names_is_that_of_no_plan() {
    let desk = desk();
    let id = checked(&desk, &["--save"], &replaced("a", "a", "x"));
    let plan = kept(&desk, &id);
    let last = if id.ends_with('0') { "1" } else { "0" };
    let name = format!(
        "{}{last}",
        &plan.to_str().unwrap()[..plan.to_str().unwrap().len() - 1]
    );
    fs::create_dir(&name).unwrap();
    fs::copy(plan.join("plan"), PathBuf::from(&name).join("plan")).unwrap();
    let forged = format!("{}{last}", &id[..id.len() - 1]);
    for length in [8, 40, 63] {
        refused(
            &desk,
            ("usage", 2),
            &["apply", "--plan", &id["sha256:".len()..][..length]],
            b"",
        );
    }
    refused(&desk, ("io", 4), &["apply", "--plan", &forged], b"");
    desk.does(&["apply", "--plan", &id], b"");
    assert_eq!(desk.bytes("a"), b"x\n");
}

#[cfg(unix)]
#[test]
fn a_plan_of_somebody_else_or_behind_a_link_is_carried_out_by_nobody() {
    use std::os::unix::fs::chown;

    let desk = desk();
    let id = checked(&desk, &["--save"], &replaced("a", "a", "x"));
    let plan = kept(&desk, &id);
    let refuses = || refused(&desk, ("io", 4), &["apply", "--plan", &id], b"");
    for path in [plan.clone(), plan.join("plan")] {
        let away = desk.path("../away");
        fs::rename(&path, &away).unwrap();
        world::link(&away, &path).unwrap();
        refuses();
        fs::remove_file(&path).unwrap();
        fs::rename(&away, &path).unwrap();
        // Only root gives files away.
        if chown(&path, Some(12_345), None).is_ok() {
            refuses();
            chown(&path, Some(0), None).unwrap();
        }
    }
    desk.does(&["apply", "--plan", &id], b"");
}

/// What is checked is looked at again when it is put in place.
#[cfg(unix)]
#[test]
fn a_link_that_comes_while_a_change_is_made_is_not_followed() {
    for swap in ["rm a && ln -s b a", "rm a && ln -s ../out a"] {
        let desk = desk();
        fs::write(desk.path("../out"), "a\n").unwrap();
        let document = desk.says(&["apply", "--before", swap], &replaced("a", "a", "x"));
        assert_eq!(
            (&document["ok"], &document["changed"]),
            (&false.into(), &false.into()),
            "{swap}: {document:#}"
        );
        assert_eq!(
            (desk.bytes("b"), desk.bytes("../out")),
            (b"a\n".to_vec(), b"a\n".to_vec()),
            "{swap}"
        );
    }
    let desk = desk();
    fs::create_dir(desk.path("../out")).unwrap();
    fs::write(desk.path("../out/c"), "a\n").unwrap();
    let swap = "mv d e && ln -s ../out d";
    let document = desk.says(&["apply", "--before", swap], &replaced("d/c", "a", "x"));
    assert_eq!(
        (&document["ok"], &document["changed"]),
        (&false.into(), &false.into()),
        "{document:#}"
    );
    assert_eq!(
        (desk.bytes("e/c"), desk.bytes("../out/c")),
        (b"a\n".to_vec(), b"a\n".to_vec())
    );
}
