//! Statements 1, 3 to 5, 14: paths, and what can be seen of files and directories.

use fs_err as fs;
use serde_json::json;

use super::super::Desk;

use crate::world;

#[cfg(unix)]
#[test]
fn s01_no_path_leads_out_of_the_root() {
    let desk = Desk::with(&[("../x", b"x\n"), ("../root-2/x", b"x\n"), ("in/x", b"x\n")]);
    world::link("..", desk.path("up")).unwrap();
    world::link("../x", desk.path("link")).unwrap();
    let absolute = |name: &str| desk.path(name).display().to_string();
    let beside = desk
        .root()
        .with_file_name("root-2")
        .join("x")
        .display()
        .to_string();
    for path in [
        "../x",
        "../root-2/x",
        "in/../../x",
        &beside,
        "/etc/passwd",
        "up/x",
        "up/new",
        "link",
    ] {
        desk.refuses(
            "outside_root",
            &["edit", path, "--old", "x", "--new", "y"],
            b"",
        );
        desk.refuses(
            "outside_root",
            &["write", path, "--content", "y", "--overwrite"],
            b"",
        );
        desk.refuses("outside_root", &["append", path, "--content", "y"], b"");
        desk.refuses("outside_root", &["read", path], b"");
    }
    // What is written in full and lies inside is inside.
    desk.does(
        &["edit", &absolute("in/x"), "--old", "x", "--new", "y"],
        b"",
    );
    assert_eq!(desk.bytes("in/x"), b"y\n");
}

#[test]
fn s03_a_window_says_where_the_file_goes_on() {
    let desk = Desk::with(&[("f", b"0123456789")]);
    let told = |offset: &str| {
        let extract = desk.does(&["read", "f", "--offset", offset, "--length", "3"], b"");
        json!(["content", "size", "next_offset", "truncated"].map(|key| extract[key].clone()))
    };
    assert_eq!(told("2"), json!(["234", 10, 5, true]));
    assert_eq!(told("7"), json!(["789", 10, null, false]));
    assert_eq!(told("10"), json!(["", 10, null, false]));
    let large = Desk::with(&[("f", &vec![b'x'; 70_000])]);
    let extract = large.does(&["read", "f", "--offset", "0"], b"");
    assert_eq!(
        (
            extract["content"].as_str().unwrap().len(),
            &extract["next_offset"]
        ),
        (65_536, &json!(65_536))
    );
}

#[test]
fn s04_lines_behind_the_end_are_none_and_raw_bytes_stay() {
    let bytes: &[u8] = b"\xef\xbb\xbfone\r\ncaf\xe9\0\nlast";
    let desk = Desk::with(&[("f", bytes)]);
    let output = desk.runs(&["read", "f", "--lines", "9-12"], b"");
    assert_eq!((output.status.code(), output.stdout), (Some(0), Vec::new()));
    assert_eq!(desk.runs(&["read", "f"], b"").stdout, bytes);
    assert_eq!(
        desk.runs(&["read", "f", "--lines", "2-9"], b"").stdout,
        b"caf\xe9\0\nlast"
    );
}

#[test]
fn s05_binary_data_have_no_lines_to_number() {
    let desk = Desk::with(&[("f", b"a\0b\n")]);
    desk.refuses("binary", &["read", "f", "--number"], b"");
}

#[cfg(unix)]
#[test]
fn s14_a_listing_for_people_has_an_entry_a_line() {
    let desk = Desk::with(&[("b", b""), ("a/x", b""), ("new\nline", b"")]);
    world::link("a", desk.path("link")).unwrap();
    let output = desk.runs(&["list"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        ["a/", "b", "link", "new\\nline"]
    );
    fs::create_dir(desk.root().with_file_name("beside")).unwrap();
    for path in ["..", "../beside", "/etc"] {
        desk.refuses("outside_root", &["list", path], b"");
    }
    assert_eq!(
        desk.refuses("missing", &["list", "nothing"], b"")["path"],
        "nothing"
    );
}
