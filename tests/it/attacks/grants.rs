//! Attempts to get out of what a grant for an absolute name opens, and to leave the project's
//! policy behind by it.

use fs_err as fs;

use super::{DENIED, HUSH, refused};
use crate::systems::Desk;
use crate::world;

const OUTSIDE: (&str, i32) = ("outside_root", 3);

/// A root with the policy file `own`, and what the user grants in the directory that it is in.
struct Scene {
    desk: Desk,
    policy: String,
}

impl Scene {
    fn new(own: &str, grants: &[(&str, &str)]) -> Self {
        let key = format!("{HUSH}\n");
        let files = [
            ("../data/x", "x\n"),
            ("../data/vendor/v", "v\n"),
            ("../data2/y", key.as_str()),
            ("private/key", &key),
            ("vendor/v", "v\n"),
            ("wpatch.toml", own),
        ];
        let desk = Desk::with(&files.map(|(name, text)| (name, text.as_bytes())));
        let scene = Self {
            policy: String::new(),
            desk,
        };
        let grants = grants.iter().map(|(name, mode)| {
            format!(
                "[[grant]]\nprefix = '{}'\nmode = '{mode}'\n",
                scene.at(name)
            )
        });
        let policy = scene.at("p.toml");
        fs::write(&policy, grants.collect::<String>()).unwrap();
        Self { policy, ..scene }
    }

    /// Returns the absolute name of what is called `name` beside the root.
    fn at(&self, name: &str) -> String {
        self.desk
            .root()
            .parent()
            .unwrap()
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// Asserts that nothing can be done with the file `name`: not reading, not writing.
    fn closes(&self, kind: (&str, i32), name: &str) {
        refused(
            &self.desk,
            kind,
            &["read", &self.at(name), "--policy", &self.policy],
            b"",
        );
        self.keeps(kind, name);
    }

    /// Asserts that the file `name` cannot be written to.
    fn keeps(&self, kind: (&str, i32), name: &str) {
        let name = self.at(name);
        let write: [&[&str]; 3] = [
            &["write", &name, "--overwrite", "--content", "z"],
            &["append", &name, "--content", "z"],
            &["edit", &name, "--old", "v", "--new", "w"],
        ];
        for command in write {
            refused(
                &self.desk,
                kind,
                &[command, &["--policy", &self.policy]].concat(),
                b"",
            );
        }
    }

    fn does(&self, command: &[&str]) {
        self.desk
            .does(&[command, &["--policy", &self.policy]].concat(), b"");
    }
}

#[cfg(unix)]
#[test]
fn a_grant_does_not_open_its_neighbours() {
    let scene = Scene::new("", &[("data", "rw")]);
    world::link("../data2", scene.at("data/out")).unwrap();
    world::link(scene.at("data2/y"), scene.at("data/file")).unwrap();
    for name in [
        "data2/y",
        "data/../data2/y",
        "data/./../data2/y",
        "data//../data2//y",
        "data/x/../../data2/y",
    ] {
        scene.closes(OUTSIDE, name);
    }
    for name in [
        "data/out/y",
        "data/file",
        "data/../data/out/y",
        "data/out/../out/y",
    ] {
        scene.closes(OUTSIDE, name);
    }
    for name in ["dat", "data.txt", "Data/x", "data /x", "data\\x"] {
        refused(
            &scene.desk,
            OUTSIDE,
            &[
                "write",
                &scene.at(name),
                "--content",
                "z",
                "--policy",
                &scene.policy,
            ],
            b"",
        );
    }
    scene.does(&["edit", &scene.at("data/x"), "--old", "x", "--new", "1"]);
}

#[cfg(unix)]
#[test]
fn a_project_s_policy_holds_in_what_a_grant_opens_outside_of_it() {
    let grants = [("data", "rw")];
    let rules = "[[rule]]\npaths = ['vendor/**', '*.lock']\nops = ['write']\nverdict = 'deny'\n";
    let scene = Scene::new(rules, &grants);
    scene.keeps(DENIED, "data/vendor/v");
    scene.keeps(DENIED, "data/a/b.lock");
    scene.does(&["edit", &scene.at("data/x"), "--old", "x", "--new", "1"]);
    scene.does(&["read", &scene.at("data/vendor/v")]);
    let write = |own: &str, kind: (&str, i32)| {
        let scene = Scene::new(own, &grants);
        let command = [
            "write",
            &scene.at("data/x"),
            "--overwrite",
            "--policy",
            &scene.policy,
        ];
        refused(&scene.desk, kind, &command, b"z\0");
    };
    write("[policy]\nmode = 'read-only'\n", DENIED);
    write("[policy]\nrequire_hash = true\n", DENIED);
    write("[policy]\nbinary = 'refuse'\n", ("binary", 3));
    write("[policy]\nmax_write_bytes = 1\n", ("too_large", 1));
    write("[[grant]]\nprefix = '.'\nmode = 'rw'\n", DENIED);
    write(
        "[[rule]]\npaths = ['**']\nverdict = 'ask'\n",
        ("approval_required", 3),
    );
    write("[policy]\nmode = 'careful'\n", ("policy", 3));
    let scene = Scene::new(
        "[policy]\nsymlinks = 'refuse'\nmax_read_bytes = 3\n",
        &grants,
    );
    world::link("x", scene.at("data/l")).unwrap();
    scene.closes(DENIED, "data/l");
    fs::write(scene.at("data/long"), "1234").unwrap();
    refused(
        &scene.desk,
        ("too_large", 1),
        &["read", &scene.at("data/long"), "--policy", &scene.policy],
        b"",
    );
}

#[test]
fn a_policy_of_what_is_opened_holds_there_as_well() {
    let scene = Scene::new("", &[("data", "rw")]);
    fs::write(
        scene.at("data/wpatch.toml"),
        "[[grant]]\nprefix = 'vendor'\nmode = 'r'\n",
    )
    .unwrap();
    scene.keeps(DENIED, "data/vendor/v");
    scene.closes(DENIED, "data/x");
    scene.keeps(DENIED, "data/wpatch.toml");
    scene.does(&["read", &scene.at("data/vendor/v")]);
    let explained = [
        "policy",
        "explain",
        &scene.at("data/x"),
        "--access",
        "read",
        "--policy",
        &scene.policy,
    ];
    let document = scene.desk.does(&explained, b"");
    assert_eq!(document["accesses"][0]["rule"]["source"], "wpatch.toml:1");
}

/// The directory above the root is granted; by whatever name the way leads back into it, the root
/// keeps its policy.
#[cfg(unix)]
#[test]
fn no_grant_leads_back_into_the_root_around_its_policy() {
    let rules = "[[rule]]\npaths = ['vendor/**']\nops = ['write']\nverdict = 'deny'\n[[rule]]\npaths = ['/private']\nverdict = 'deny'\n";
    let scene = Scene::new(rules, &[("", "rw")]);
    world::link("root", scene.at("link")).unwrap();
    world::link("root/vendor", scene.at("data/deep")).unwrap();
    world::link("../root", scene.at("data/up")).unwrap();
    for root in ["data/../root", "link", "data/up", "root"] {
        scene.keeps(DENIED, &format!("{root}/vendor/v"));
        scene.closes(DENIED, &format!("{root}/private/key"));
        scene.keeps(DENIED, &format!("{root}/wpatch.toml"));
    }
    fs::remove_file(scene.desk.path("wpatch.toml")).unwrap();
    scene.keeps(DENIED, "link/wpatch.toml");
    scene.does(&[
        "edit",
        &scene.at("link/vendor/v"),
        "--old",
        "v",
        "--new",
        "w",
    ]);
}

#[test]
fn what_is_closed_in_the_root_is_not_brought_out_of_it() {
    let scene = Scene::new(
        "[[rule]]\npaths = ['private']\nverdict = 'deny'\n",
        &[("data", "rw"), ("root", "r")],
    );
    let (file, policy) = (scene.at("data/n"), &scene.policy);
    let brings = |from: &str| {
        refused(
            &scene.desk,
            DENIED,
            &["write", &file, "--content-file", from, "--policy", policy],
            b"",
        );
    };
    brings("private/key");
    brings(&scene.at("root/private/key"));
    fs::write(
        scene.at("data/wpatch.toml"),
        "[[rule]]\npaths = ['x']\nops = ['read']\nverdict = 'deny'\n",
    )
    .unwrap();
    brings("../data/x");
    scene.does(&["write", &file, "--content-file", "vendor/v"]);
}
