//! Attacks on the policy file itself, on the names of what it closes, and on its settings.

use fs_err as fs;

use super::{DENIED, link, moved, refused, replaced};
use crate::systems::Desk;
use crate::world;

const POLICY: &str = "\
[[rule]]
paths = ['vendor/**']
ops = ['write']
verdict = 'deny'

[[rule]]
paths = ['private']
verdict = 'deny'
";

/// Returns a root with a policy, a file that may not be changed and one that may not be read.
pub(super) fn desk() -> Desk {
    under(POLICY)
}

pub(super) fn under(policy: &str) -> Desk {
    let key = format!("{}\n", super::HUSH);
    let files = [
        ("vendor/v.c", "v\n"),
        ("private/key", key.as_str()),
        ("a", "a\n"),
        ("wpatch.toml", policy),
    ];
    Desk::with(&files.map(|(name, text)| (name, text.as_bytes())))
}

#[test]
fn a_patch_does_not_rewrite_its_policy_first() {
    let desk = desk();
    let head = "diff --git a/wpatch.toml b/wpatch.toml\ndeleted file mode 100644\n--- a/wpatch.toml\n+++ /dev/null\n";
    let gone = format!(
        "{head}@@ -1,8 +0,0 @@\n-{}\n",
        POLICY.trim_end().replace('\n', "\n-")
    );
    let loosened =
        b"--- a/wpatch.toml\n+++ b/wpatch.toml\n@@ -1,2 +1,2 @@\n [[rule]]\n-paths = ['vendor/**']\n+paths = []\n";
    let firsts = [
        gone.into_bytes(),
        loosened.to_vec(),
        moved("rename", "wpatch.toml", "away"),
        moved("rename", "a", "wpatch.toml"),
        moved("copy", "a", "wpatch.toml"),
        link("wpatch.toml", "a"),
        b"diff --git a/wpatch.toml b/wpatch.toml\nold mode 100644\nnew mode 100755\n".to_vec(),
    ];
    for first in firsts {
        let both = [&first[..], &replaced("vendor/v.c", "v", "w")].concat();
        refused(&desk, DENIED, &["apply", "--overwrite"], &both);
        let alone = refused(&desk, DENIED, &["apply", "--overwrite"], &first);
        assert_eq!(alone["path"], "wpatch.toml");
        refused(&desk, DENIED, &["check", "--overwrite", "--lenient"], &both);
    }
}

#[cfg(unix)]
#[test]
fn a_policy_file_is_closed_under_every_name_of_it() {
    let desk = desk();
    world::link("wpatch.toml", desk.path("other")).unwrap();
    world::link(".", desk.path("here")).unwrap();
    let absolute = desk.path("wpatch.toml").to_str().unwrap().to_owned();
    let names = [
        "other",
        "here/wpatch.toml",
        "WPATCH.TOML",
        "wpatch.toml.",
        "wpatch.toml ",
        "wpatch.toml::$DATA",
        "wp\u{200d}atch.toml",
        "WPATCH~1.TOM",
        "./wpatch.toml",
        "vendor/../wpatch.toml",
        &absolute,
    ];
    for name in names {
        refused(&desk, DENIED, &["append", name, "--content", "x"], b"");
        refused(&desk, DENIED, &["write", name, "--overwrite"], b"x");
        refused(
            &desk,
            DENIED,
            &["edit", name, "--old", "deny", "--new", "allow"],
            b"",
        );
    }
    world::link("wpatch.toml", desk.path("n.ipynb")).unwrap();
    refused(
        &desk,
        DENIED,
        &[
            "notebook", "insert", "n.ipynb", "--type", "code", "--source", "x",
        ],
        b"",
    );
}

#[test]
fn no_option_leads_a_patch_to_a_closed_file() {
    let desk = desk();
    let patch = replaced("a", "v", "w");
    for file in [
        "wpatch.toml",
        "vendor/v.c",
        "vendor//v.c",
        "./vendor/./v.c",
        "private/../vendor/v.c",
    ] {
        refused(&desk, DENIED, &["apply", "--file", file], &patch);
    }
    let inner = b"--- a/x/v.c\n+++ b/x/v.c\n@@ -1 +1 @@\n-v\n+w\n";
    for options in [
        &["-p2", "--directory", "vendor"][..],
        &["-p2", "--directory", "a/../vendor"],
    ] {
        refused(&desk, DENIED, &[&["apply"], options].concat(), inner);
    }
    refused(
        &desk,
        DENIED,
        &["apply", "-p0"],
        b"--- vendor/v.c\n+++ vendor/v.c\n@@ -1 +1 @@\n-v\n+w\n",
    );
    refused(
        &desk,
        DENIED,
        &["apply", "-p0", "-R"],
        b"--- vendor/v.c\n+++ vendor/v.c\n@@ -1 +1 @@\n-w\n+v\n",
    );
}

#[test]
fn in_place_writes_to_no_other_name_of_a_policy_file() {
    let desk = desk();
    fs::write(desk.path("p.toml"), "[policy]\n").unwrap();
    fs::hard_link(desk.path("wpatch.toml"), desk.path("hard")).unwrap();
    fs::hard_link(desk.path("p.toml"), desk.path("given")).unwrap();
    let edit = [
        "edit",
        "hard",
        "--old",
        "[[rule]]\npaths = ['vendor/**']",
        "--new",
        "[[rule]]\npaths = ['x']",
    ];
    refused(&desk, DENIED, &[&edit[..], &["--in-place"]].concat(), b"");
    refused(
        &desk,
        DENIED,
        &[&edit[..], &["--in-place", "--dry-run"]].concat(),
        b"",
    );
    refused(
        &desk,
        DENIED,
        &["apply", "--in-place", "--policy", "p.toml"],
        &replaced("given", "[policy]", "# nothing"),
    );
    // Without it, the two names part.
    desk.does(&edit, b"");
    assert_eq!(desk.bytes("wpatch.toml"), POLICY.as_bytes());
}

#[cfg(unix)]
#[test]
fn what_is_closed_is_reached_by_no_rename_copy_or_link() {
    let desk = desk();
    for patch in [
        moved("rename", "a", "vendor/a"),
        moved("rename", "vendor/v.c", "b"),
        moved("copy", "a", "vendor/a"),
        moved("copy", "private/key", "b"),
        moved("rename", "private/key", "b"),
        link("vendor/l", "../a"),
        link("vendor", "elsewhere"),
    ] {
        let kind = refused_kind(&desk, &patch);
        assert!(
            ["denied", "not_a_file"].contains(&kind.as_str()),
            "{kind}: {}",
            String::from_utf8_lossy(&patch)
        );
    }
    let through = [link("l", "private"), moved("copy", "l/key", "b")].concat();
    let error = desk.says(&["apply"], &through);
    assert_eq!(error["changed"], false, "{error:#}");
    desk.does(&["apply"], &link("l", "private"));
    refused(&desk, DENIED, &["read", "l/key"], b"");
    refused(&desk, DENIED, &["list", "l"], b"");
    refused(&desk, ("denied", 2), &["diff", "a", "l/key"], b"");
    refused(
        &desk,
        DENIED,
        &["edit", "l/key", "--old", "h", "--new", "x"],
        b"",
    );
    refused(
        &desk,
        ("outside_root", 3),
        &["apply"],
        &moved("copy", "l/key", "b"),
    );
}

/// Returns the kind of error of a patch that is refused with exit code 1 or 3.
fn refused_kind(desk: &Desk, patch: &[u8]) -> String {
    let document = desk.says(&["check"], patch);
    let kind = document["error"]["kind"].as_str().unwrap().to_owned();
    let exit_code = if kind == "denied" { 3 } else { 1 };
    refused(desk, (&kind, exit_code), &["apply"], patch);
    kind
}

#[test]
fn a_hash_of_one_file_gives_no_leave_to_replace_another() {
    let desk = under("[policy]\nrequire_hash = true\n");
    fs::write(desk.path("x"), "x\n").unwrap();
    let hash = desk.does(&["read", "x"], b"")["sha256"]
        .as_str()
        .unwrap()
        .to_owned();
    for how in ["rename", "copy"] {
        refused(
            &desk,
            DENIED,
            &["apply", "--overwrite", "--expect-hash", &hash],
            &moved(how, "x", "a"),
        );
        refused(
            &desk,
            DENIED,
            &["apply", "--overwrite"],
            &moved(how, "x", "a"),
        );
    }
    let gone =
        "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let made =
        "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+b\n";
    refused(&desk, DENIED, &["apply"], [gone, made].concat().as_bytes());
    refused(
        &desk,
        DENIED,
        &["apply"],
        b"*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+b\n*** End Patch\n",
    );
    refused(
        &desk,
        DENIED,
        &["apply"],
        b"diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
    );
    desk.does(&["apply", "--expect-hash", &hash], &moved("copy", "x", "y"));
    desk.does(
        &["apply", "--expect-hash", &hash],
        &moved("rename", "x", "z"),
    );
}

#[test]
fn limits_hold_for_what_many_small_steps_make() {
    let desk = under("[policy]\nmax_write_bytes = 5\nbinary = 'refuse'\n");
    fs::write(desk.path("long"), "12345\n").unwrap();
    fs::write(desk.path("bin"), "a\0b").unwrap();
    let large = ("too_large", 1);
    refused(&desk, large, &["append", "a", "--content", "bbbb"], b"");
    refused(&desk, large, &["apply"], &moved("copy", "long", "n"));
    refused(
        &desk,
        large,
        &["apply"],
        &[grown("a", "b"), grown("b", "c")].concat(),
    );
    refused(&desk, large, &["apply"], &link("l", "longer"));
    let binary = ("binary", 3);
    refused(&desk, binary, &["write", "n", "--content-file", "bin"], b"");
    refused(
        &desk,
        binary,
        &["append", "a", "--content-file", "bin"],
        b"",
    );
    refused(&desk, binary, &["apply"], &moved("copy", "bin", "n"));
    // What is there already may go elsewhere.
    desk.does(&["check"], &moved("rename", "bin", "n"));
    refused(
        &desk,
        binary,
        &["apply"],
        br#"{"changes":[{"path":"n","content":"a\u0000b"}]}"#,
    );
    let literal = "diff --git a/n b/n\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..\
                   8b6833560a0ff6a9df65e0a845d282d7f98b7054\nGIT binary patch\nliteral 3\nKcmb<or~&{1>j3ot\n\nliteral 0\nHcmV?d00001\n\n";
    refused(&desk, binary, &["apply"], literal.as_bytes());
}

/// git looks for a NUL among the first 8000 bytes alone.
#[test]
fn binary_data_is_refused_wherever_it_begins() {
    let desk = under("[policy]\nbinary = 'refuse'\n");
    let late = ["x\n".repeat(4_096).as_bytes(), b"\0"].concat();
    fs::write(desk.path("late"), &late).unwrap();
    fs::write(desk.path("text"), &late[..8_192]).unwrap();
    let binary = ("binary", 3);
    refused(&desk, binary, &["write", "n"], &late);
    refused(&desk, binary, &["append", "text"], b"\0");
    refused(&desk, binary, &["apply"], &moved("copy", "late", "n"));
    let added =
        "diff --git a/text b/text\n--- a/text\n+++ b/text\n@@ -4096 +4096,2 @@\n x\n+a\0b\n";
    refused(&desk, binary, &["apply"], added.as_bytes());
    desk.does(&["apply"], added.replace('\0', "").as_bytes());
}

/// Each setting of a project's own file that would open what the user's file closes.
#[cfg(unix)]
#[test]
fn no_setting_of_a_project_s_file_opens_what_another_one_closes() {
    let settings = [
        ("mode", "'read-only'", "'full'", DENIED),
        ("symlinks", "'refuse'", "'follow'", DENIED),
        ("binary", "'refuse'", "'allow'", ("binary", 3)),
        ("secrets", "'strict'", "false", DENIED),
        ("max_write_bytes", "1", "1000", ("too_large", 1)),
        ("max_read_bytes", "1", "1000", ("too_large", 1)),
        ("require_hash", "true", "false", DENIED),
        ("guard", "['balance']", "[]", ("suspicious", 3)),
    ];
    let rule = |verdict: &str| format!("[[rule]]\npaths = ['a']\nverdict = '{verdict}'\n");
    let grant =
        |prefix: &str, mode: &str| format!("[[grant]]\nprefix = '{prefix}'\nmode = '{mode}'\n");
    let policy = |key: &str, value: &str| format!("[policy]\n{key} = {value}\n");
    let mut rows: Vec<_> = settings
        .map(|(key, strict, loose, kind)| (key, policy(key, strict), policy(key, loose), kind))
        .into();
    rows.push(("rule", rule("deny"), rule("allow"), DENIED));
    rows.push(("grant", grant("vendor", "rw"), grant(".", "rw"), DENIED));
    rows.push(("grant", grant(".", "r"), grant("a", "rw"), DENIED));
    rows.push((
        "server",
        String::new(),
        "[[server]]\ncommand = ['true']\n".to_owned(),
        ("policy", 3),
    ));
    for (key, strict, loose, kind) in &rows {
        let desk = under(loose);
        fs::write(desk.path("../strict.toml"), strict).unwrap();
        world::link("a", desk.path("link")).unwrap();
        fs::write(desk.path(".env"), "k").unwrap();
        let command: &[&str] = match *key {
            "symlinks" => &["read", "link"],
            "secrets" => &["read", ".env"],
            "max_read_bytes" => &["read", "a"],
            _ => &["write", "a", "--overwrite"],
        };
        // A guard does not read binary data.
        let content: &[u8] = if *key == "guard" { b"x{\n" } else { b"x\0y\n" };
        refused(
            &desk,
            *kind,
            &[command, &["--policy", "../strict.toml"]].concat(),
            content,
        );
    }
    // That setting is about hooks and servers: `hook::control` has its test.
    let known: Vec<_> = keys("[policy]\n")
        .into_iter()
        .filter(|key| key != "control_files")
        .collect();
    assert_eq!(known, settings.map(|(key, ..)| key.to_owned()));
    assert_eq!(keys(""), ["policy", "grant", "rule", "server"]);
}

/// Returns the keys that a policy file may have there.
fn keys(table: &str) -> Vec<String> {
    let text = format!("{table}nothing = 1\n");
    let error = wpatch::policy::parse("p", text.as_bytes(), wpatch::policy::PolicyOrigin::Project)
        .unwrap_err();
    let (_, known) = error.message.split_once("expected one of ").unwrap();
    known
        .split(", ")
        .map(|key| key.trim_matches('`').to_owned())
        .collect()
}

/// Returns a block that puts a line behind another one.
fn grown(line: &str, more: &str) -> Vec<u8> {
    format!("a\n<<<<<<< SEARCH\n{line}\n=======\n{line}\n{more}\n>>>>>>> REPLACE\n").into_bytes()
}
