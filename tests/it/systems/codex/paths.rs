//! Statements on paths, links and bytes of files.

use fs_err as fs;
use serde_json::json;

use super::{envelope, files, replacing, updated};
use crate::systems::Desk;
#[cfg(unix)]
use crate::world;

#[test]
fn s08_nothing_comes_where_something_is() {
    let desk = Desk::with(&[("a", b"one\n"), ("b", b"other\n")]);
    let add = envelope("*** Add File: b\n+x\n");
    let moved = envelope("*** Update File: a\n*** Move to: b\n@@\n-one\n+1\n");
    for patch in [&add, &moved] {
        assert_eq!(desk.refuses("exists", &["apply"], patch)["path"], "b");
    }
    desk.does(&["apply", "--overwrite"], &add);
    assert_eq!(desk.bytes("b"), b"x\n");
    desk.does(&["apply", "--overwrite"], &moved);
    assert_eq!(
        (desk.bytes("b"), desk.path("a").exists()),
        (b"1\n".to_vec(), false)
    );
}

#[test]
fn s08_a_move_to_its_own_path_is_an_update() {
    for name in ["a", "./a", "d/../a"] {
        let desk = Desk::with(&[("a", b"one\n")]);
        let patch = envelope(&format!(
            "*** Update File: a\n*** Move to: {name}\n@@\n-one\n+1\n"
        ));
        let report = desk.does(&["apply"], &patch);
        assert_eq!(
            files(&report, &["op", "path", "from"]),
            json!([["modify", "a", null]]),
            "{name}"
        );
        assert_eq!(desk.bytes("a"), b"1\n");
    }
}

#[test]
fn s09_line_ends_and_other_bytes_of_the_file_stay() {
    assert_eq!(
        updated(b"one\r\ntwo\r\n", "@@\n-two\n+2\n+3\n"),
        b"one\r\n2\r\n3\r\n"
    );
    assert_eq!(
        updated(b"caf\xe9\none\n", "@@\n-one\n+1\n"),
        b"caf\xe9\n1\n"
    );
    assert_eq!(
        updated(b"\xef\xbb\xbfone\ntwo\n", "@@\n-one\n+1\n"),
        b"\xef\xbb\xbf1\ntwo\n"
    );
    assert_eq!(
        updated(b"\xef\xbb\xbfone\ntwo\n", "@@ one\n-two\n+2\n"),
        b"\xef\xbb\xbfone\n2\n"
    );
}

#[test]
fn s10_no_path_leads_out() {
    let desk = Desk::with(&[("../x", b"one\n"), ("../rooted/x", b"one\n")]);
    let beside = [desk.root().to_str().unwrap(), "ed/x"].concat();
    for name in ["../x", "d/../../x", "/etc/hostname", &beside] {
        // The name of a drive is no component of a path.
        let kind = if cfg!(windows) && name == beside {
            "denied"
        } else {
            "outside_root"
        };
        desk.refuses(
            kind,
            &["apply"],
            &envelope(&format!("*** Update File: {name}\n@@\n-one\n+1\n")),
        );
        desk.refuses(
            kind,
            &["apply"],
            &envelope(&format!("*** Add File: {name}\n+1\n")),
        );
    }
}

#[test]
fn s10_an_absolute_path_below_the_root_is_one_of_the_root() {
    let desk = Desk::with(&[("d/a", b"one\n")]);
    let name = desk.path("d/a").into_os_string().into_string().unwrap();
    let report = desk.does(
        &["apply"],
        &envelope(&format!("*** Update File: {name}\n@@\n-one\n+1\n")),
    );
    assert_eq!(
        (files(&report, &["path"]), desk.bytes("d/a")),
        (json!([["d/a"]]), b"1\n".to_vec())
    );
    let aimed = ["check", "--file", &name];
    assert_eq!(
        files(
            &desk.does(&aimed, b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n"),
            &["path"]
        ),
        json!([["d/a"]])
    );
    assert_eq!(report["plan_id"], {
        fs::write(desk.path("d/a"), "one\n").unwrap();
        desk.does(
            &["apply"],
            &envelope("*** Update File: d/a\n@@\n-one\n+1\n"),
        )["plan_id"]
            .clone()
    });
}

#[test]
fn s13_the_directory_of_git_is_closed() {
    let desk = Desk::with(&[
        (".git/config", b"[core]\n"),
        ("a", b"one\n"),
        ("d/.git/config", b"[core]\n"),
    ]);
    let sections = [
        "*** Add File: .git/hooks/pre-commit\n+x\n",
        "*** Add File: .GIT/x\n+x\n",
        "*** Update File: .git/config\n@@\n-[core]\n+[x]\n",
        "*** Update File: d/.git/config\n@@\n-[core]\n+[x]\n",
        "*** Delete File: .git/config\n",
        "*** Update File: a\n*** Move to: .git/a\n@@\n-one\n+1\n",
        "*** Update File: .git/config\n*** Move to: b\n@@\n-[core]\n+[x]\n",
    ];
    for section in sections {
        desk.refuses("denied", &["apply"], &envelope(section));
        desk.refuses("denied", &["apply", "--overwrite"], &envelope(section));
    }
}

#[cfg(unix)]
#[test]
fn s14_a_file_with_several_names_is_flagged_and_the_others_keep_what_it_was() {
    let desk = Desk::with(&[("a", b"one\n")]);
    fs::hard_link(desk.path("a"), desk.path("b")).unwrap();
    fs::hard_link(desk.path("a"), desk.path("../c")).unwrap();
    for command in ["check", "apply"] {
        let report = desk.does(&[command], &replacing("one", "1"));
        assert_eq!(
            files(&report, &["path", "hardlinks"]),
            json!([["a", 3]]),
            "{command}"
        );
    }
    assert_eq!(
        [desk.bytes("a"), desk.bytes("b"), desk.bytes("../c")],
        [&b"1\n"[..], b"one\n", b"one\n"]
    );
    let links = |name: &str| world::links(desk.path(name));
    assert_eq!((links("a"), links("b")), (1, 2));
}

#[test]
fn s14_in_place_all_names_of_a_file_have_what_it_becomes() {
    let desk = Desk::with(&[("a", b"one\n"), (".git/HEAD", b"")]);
    fs::hard_link(desk.path("a"), desk.path("../c")).unwrap();
    let names = || [desk.bytes("a"), desk.bytes("../c")];
    desk.does(&["check", "--in-place"], &replacing("one", "1"));
    assert_eq!(names(), [b"one\n", b"one\n"]);
    desk.does(&["apply", "--in-place"], &replacing("one", "1"));
    assert_eq!(names(), [b"1\n", b"1\n"]);
    desk.does(
        &[
            "edit",
            "a",
            "--old",
            "1",
            "--new",
            "two",
            "--in-place",
            "--durability",
            "none",
        ],
        b"",
    );
    assert_eq!(names(), [b"two\n", b"two\n"]);
    // What was done in place is taken back in place.
    desk.does(&["undo", "--last", "2"], b"");
    desk.does(&["redo"], b"");
    assert_eq!(names(), [b"two\n", b"two\n"]);
    #[cfg(unix)]
    assert_eq!(world::links(desk.path("a")), 2);
}
