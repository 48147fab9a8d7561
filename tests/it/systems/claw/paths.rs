//! Statements on paths, links and patterns.

use std::time::{Duration, SystemTime};

use fs_err as fs;

use crate::systems::Desk;
use crate::tree;
use crate::world;

#[cfg(unix)]
#[test]
fn s06_a_path_is_judged_where_its_links_and_dots_lead() {
    let desk = Desk::with(&[
        ("in/a", b"one\n"),
        ("../out/a", b"one\n"),
        ("../rooted/a", b"one\n"),
    ]);
    world::link("in", desk.path("near")).unwrap();
    world::link("../out", desk.path("far")).unwrap();
    world::link("../out/none", desk.path("nowhere")).unwrap();
    world::link("loop", desk.path("loop")).unwrap();
    let beside = [desk.root().to_str().unwrap(), "ed/a"].concat();
    for name in [
        "../out/a",
        "far/a",
        "far/new",
        "far/d/new",
        "near/../../out/a",
        "nowhere",
        "loop",
        "/etc/hostname",
        &beside,
    ] {
        desk.refuses(
            "outside_root",
            &["write", name, "--content", "x", "--overwrite"],
            b"",
        );
        desk.refuses(
            "outside_root",
            &["edit", name, "--old", "one", "--new", "1"],
            b"",
        );
        desk.refuses("outside_root", &["read", name], b"");
    }
    assert_eq!(
        desk.does(&["write", "near/d/new", "--content", "x"], b"")["files"][0]["path"],
        "in/d/new"
    );
    desk.does(&["edit", "near/a", "--old", "one", "--new", "1"], b"");
    assert_eq!(
        (desk.bytes("in/a"), desk.bytes("in/d/new")),
        (b"1\n".to_vec(), b"x".to_vec())
    );
    let absolute = desk.path("in/a").into_os_string().into_string().unwrap();
    desk.does(&["edit", &absolute, "--old", "1", "--new", "2"], b"");
    assert_eq!(desk.bytes("in/a"), b"2\n");
}

#[test]
fn s13_a_path_is_what_it_comes_to() {
    let desk = Desk::with(&[]);
    assert_eq!(
        desk.does(&["write", "a/./b/../c", "--content", "x"], b"")["files"][0]["path"],
        "a/c"
    );
    let names: Vec<_> = tree::read(&desk.root())
        .keys()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["a/c"], "nothing is made on the way");
    assert_eq!(desk.does(&["read", "a/./b/../c"], b"")["path"], "a/c");
    let root = desk.root().into_os_string().into_string().unwrap() + "/";
    desk.does(
        &["edit", "a//c", "--old", "x", "--new", "y", "--root", &root],
        b"",
    );
    assert_eq!(desk.bytes("a/c"), b"y");
    assert_eq!(
        desk.does(&["read", &format!("{root}a/c"), "--root", &root], b"")["path"],
        "a/c"
    );
    for name in [".", "./", "a/..", &root, "a", "a/"] {
        desk.refuses(
            "not_a_file",
            &["write", name, "--content", "x", "--overwrite"],
            b"",
        );
        desk.refuses(
            "not_a_file",
            &["edit", name, "--old", "x", "--new", "y"],
            b"",
        );
        desk.refuses("not_a_file", &["read", name], b"");
    }
}

#[test]
fn s14_a_pattern_lists_a_hundred_files_and_the_newest_first_if_asked() {
    let desk = Desk::with(&[
        ("d/a.rs", b""),
        ("d/e/b.toml", b""),
        ("d/c.md", b""),
        ("f.rs", b""),
    ]);
    let listed = |arguments: &[&str]| {
        let listing = desk.does(&[&["list"], arguments].concat(), b"");
        let names = listing["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), listing["truncated"] == true)
    };
    let named = |names: &[&str]| {
        (
            names.iter().map(ToString::to_string).collect::<Vec<_>>(),
            false,
        )
    };
    assert_eq!(
        listed(&["--glob", "**/*.{rs,toml}"]),
        named(&["d/a.rs", "d/e/b.toml", "f.rs"])
    );
    assert_eq!(
        listed(&["d", "--glob", "{a,c}.{rs,md}"]),
        named(&["a.rs", "c.md"])
    );
    for number in 0..101_u64 {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + number % 100);
        let file = fs::File::create(desk.path(&format!("d/e/{number:03}"))).unwrap();
        file.set_modified(time).unwrap();
    }
    let (newest, is_cut) = listed(&["d", "--glob", "e/[01]*", "--newest"]);
    assert_eq!(
        (newest.len(), is_cut, &newest[..3]),
        (
            100,
            true,
            &["e/099", "e/098", "e/097"].map(String::from)[..]
        )
    );
    assert_eq!(
        newest[99], "e/000",
        "of two that are equally old the first by name"
    );
    let (by_name, is_cut) = listed(&["d", "--glob", "e/[01]*"]);
    assert_eq!(
        (by_name.len(), is_cut, by_name[99].as_str()),
        (100, true, "e/099")
    );
    assert_eq!(
        listed(&["d", "--glob", "e/[01]*", "--max", "101"]).0.len(),
        101
    );
}
