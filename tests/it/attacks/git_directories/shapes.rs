//! Trees with git directories that are not named `.git`. To add one, add a row of [`SHAPES`].

use fs_err as fs;

use crate::repository;
#[cfg(unix)]
use crate::repository::{git, run};
use crate::systems::Desk;
use crate::world;

/// A tree, the paths in its git directories, and paths next to them.
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) make: fn(&Desk),
    pub(super) protected: &'static [&'static str],
    pub(super) free: &'static [&'static str],
}

pub(super) const SHAPES: &[Shape] = &[
    #[cfg(unix)]
    Shape {
        name: "a link",
        make: |desk| {
            repository::init(&desk.root());
            fs::rename(desk.path(".git"), desk.path("real")).unwrap();
            world::link("real", desk.path(".git")).unwrap();
        },
        protected: &[
            "real/config",
            "real/hooks/post-checkout",
            "REAL/config",
            "real. /config",
            "real/new/new",
        ],
        free: &["realm/config", "sub/real/config", "config"],
    },
    #[cfg(unix)]
    Shape {
        name: "a chain of links",
        make: |desk| {
            repository::init(&desk.root());
            fs::rename(desk.path(".git"), desk.path("sub/real")).unwrap();
            world::link(desk.path("sub"), desk.path("way")).unwrap();
            world::link("way/real", desk.path("one")).unwrap();
            world::link("one", desk.path(".git")).unwrap();
        },
        protected: &["sub/real/config", "sub/real/hooks/x", "one", "way"],
        free: &["sub/a"],
    },
    Shape {
        name: "a separate git directory",
        make: |desk| repository::init_apart(&desk.root(), "gd"),
        protected: &["gd/config", "gd/hooks/post-checkout", "gd/refs/heads/x"],
        free: &["sub/gd/config"],
    },
    Shape {
        name: "a relative file",
        make: |desk| {
            repository::init_apart(&desk.root(), "sub/gd");
            fs::write(desk.path(".git"), "gitdir: sub/../sub/gd\n").unwrap();
        },
        protected: &["sub/gd/config", "sub/gd/hooks/x"],
        free: &["sub/a", "sub/b/gd"],
    },
    Shape {
        name: "a file that names nothing yet",
        make: |desk| fs::write(desk.path(".git"), "gitdir: later\n").unwrap(),
        protected: &["later/config", "later/HEAD", "later"],
        free: &["late/config"],
    },
    #[cfg(unix)]
    Shape {
        name: "a link that leads nowhere yet",
        make: |desk| world::link("sub/later", desk.path(".git")).unwrap(),
        protected: &["sub/later/config", "sub/later/HEAD", "sub/later"],
        free: &["sub/late"],
    },
    Shape {
        name: "a nested repository",
        make: |desk| repository::init_apart(&desk.path("sub"), "gd"),
        protected: &["sub/gd/config", "sub/gd/hooks/x"],
        free: &["sub/a", "gd/config"],
    },
    Shape {
        name: "a nested repository with a git directory that is not complete",
        make: |desk| fs::write(desk.path("sub/.git"), "gitdir: gd\n").unwrap(),
        protected: &["sub/gd/config", "sub/gd/HEAD"],
        free: &["sub/a"],
    },
    Shape {
        name: "the git directory of another directory",
        make: |desk| repository::init_apart(&desk.path("other"), "../gd"),
        protected: &["gd/config", "gd/hooks/x"],
        free: &["other/a"],
    },
    Shape {
        name: "linked work trees",
        make: |desk| {
            repository::init_bare(&desk.path("main"));
            repository::link_work_tree(&desk.path("main"), "tree", &desk.path("main/tree"));
        },
        protected: &["main/config", "main/hooks/x", "main/worktrees/tree/HEAD"],
        free: &["main/tree/a", "main/tree/config", "main/tree/hooks/x"],
    },
    Shape {
        name: "a git directory with repositories in it",
        make: |desk| {
            repository::init_apart(&desk.root(), "gd");
            repository::init(&desk.path("gd/hooks"));
        },
        protected: &["gd/hooks/x", "gd/hooks", "gd/config"],
        free: &["sub/hooks/x"],
    },
    Shape {
        name: "a common directory",
        make: |desk| {
            repository::init_bare(&desk.path("common"));
            fs::create_dir(desk.path(".git")).unwrap();
            fs::write(desk.path(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(desk.path(".git/commondir"), "../common\n").unwrap();
        },
        protected: &["common/config", "common/hooks/x"],
        free: &["sub/common/x"],
    },
    Shape {
        name: "a git directory below the root of a work tree around it",
        make: |desk| {
            repository::init_apart(&desk.path(".."), "root/gd");
        },
        protected: &["gd/config", "gd/hooks/x"],
        free: &["sub/a"],
    },
    Shape {
        name: "a work tree that is stated next to a comment",
        make: |desk| with_configuration(desk, "config", "[core]\n\tbare = false # no\n"),
        protected: &["gd/config", "gd/hooks/post-checkout"],
        free: &["sub/a"],
    },
    Shape {
        name: "a work tree that is stated in quotes",
        make: |desk| with_configuration(desk, "config", "[core]\n\tbare = \"fal\"se\n"),
        protected: &["gd/config", "gd/hooks/post-checkout"],
        free: &["sub/a"],
    },
    Shape {
        name: "a work tree that is stated in its own configuration",
        make: |desk| with_configuration(desk, "config.worktree", "[core] bare = no\n"),
        protected: &["gd/config", "gd/config.worktree", "gd/hooks/post-checkout"],
        free: &["sub/a"],
    },
];

/// Makes the git directory `gd` with the file `name` in it.
fn with_configuration(desk: &Desk, name: &str, text: &str) {
    repository::init_bare(&desk.path("gd"));
    if name == "config.worktree" {
        let config = fs::read_to_string(desk.path("gd/config")).unwrap();
        let extension = "[extensions]\n\tworktreeConfig = true\n";
        fs::write(desk.path("gd/config"), config + extension).unwrap();
    }
    fs::write(desk.path("gd").join(name), text).unwrap();
    #[cfg(unix)]
    is_no_bare_repository(desk);
}

/// git takes it for a repository with a work tree.
#[cfg(unix)]
fn is_no_bare_repository(desk: &Desk) {
    let output = run(
        git(&["rev-parse", "--is-bare-repository"]).current_dir(desk.path("gd")),
        b"",
    );
    assert_eq!(String::from_utf8_lossy(&output).trim(), "false");
}
