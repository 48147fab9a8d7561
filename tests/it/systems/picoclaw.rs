//! What users of `PicoClaw` find here, statement by statement.

mod board;
mod edit;
mod look;

use super::Desk;

use crate::world;

#[cfg(unix)]
#[test]
fn s02_a_grant_opens_a_directory_outside_of_the_root() {
    let desk = Desk::with(&[
        ("a", b"a"),
        ("../data/x", b"x\n"),
        ("../data2/y", b"y\n"),
        ("../fixed/z", b"z\n"),
    ]);
    let outside = |name: &str| {
        desk.root()
            .parent()
            .unwrap()
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    };
    let grant = |name: &str, mode: &str| {
        format!("[[grant]]\nprefix = '{}'\nmode = '{mode}'\n", outside(name))
    };
    fs_err::write(
        outside("p.toml"),
        grant("data", "rw") + &grant("fixed", "r"),
    )
    .unwrap();
    world::link(outside("data2"), outside("data/out")).unwrap();
    let policy = outside("p.toml");
    let with = |command: &[&str]| desk.says(&[command, &["--policy", &policy]].concat(), b"");
    assert_eq!(
        with(&["edit", &outside("data/x"), "--old", "x", "--new", "1"])["ok"],
        true
    );
    assert_eq!(fs_err::read(outside("data/x")).unwrap(), b"1\n");
    assert_eq!(with(&["read", &outside("fixed/z")])["content"], "z\n");
    assert_eq!(
        with(&["edit", &outside("fixed/z"), "--old", "z", "--new", "1"])["error"]["kind"],
        "denied"
    );
    assert_eq!(
        with(&["read", &outside("data2/y")])["error"]["kind"],
        "outside_root"
    );
    assert_eq!(
        with(&["read", &outside("data/out/y")])["error"]["kind"],
        "outside_root"
    );
}
