//! The sets of changes.

use wpatch::workspace::memory::Entry;

use super::{Case, Step};

mod names;

/// Returns every set of changes, in a plain directory.
pub(super) fn plain() -> Vec<Case> {
    let mut cases = singles();
    cases.extend(updates());
    cases.extend(directories());
    cases.extend(modes());
    cases.extend(names::all());
    cases.extend(types());
    cases.extend(submodules());
    cases.extend(overwritten());
    cases.extend(overwritten_among_others());
    cases.extend(indexed());
    cases
}

/// git's index is outside of the root, and on another file system.
fn indexed() -> Vec<Case> {
    let file = |text: &str| Entry::file(text);
    vec![
        Case {
            name: "an index with the tree",
            before: vec![
                (".wpatch-index/index", file("old")),
                ("a", file("a")),
                ("gone", file("g")),
            ],
            links: vec![],
            mounts: vec![".wpatch-index"],
            steps: vec![
                Step::Put(".wpatch-index/index", file("new")),
                Step::Put("a", file("A")),
                Step::Put("d/b", file("b")),
                Step::Delete("gone"),
            ],
            after: vec![
                (".wpatch-index/index", file("new")),
                ("a", file("A")),
                ("d/b", file("b")),
            ],
        },
        Case {
            name: "a first index",
            before: vec![(".wpatch-index/config", file("c")), ("a", file("a"))],
            links: vec![],
            mounts: vec![".wpatch-index"],
            steps: vec![
                Step::Put(".wpatch-index/index", file("new")),
                Step::Put("a", file("A")),
            ],
            after: vec![
                (".wpatch-index/config", file("c")),
                (".wpatch-index/index", file("new")),
                ("a", file("A")),
            ],
        },
    ]
}

fn singles() -> Vec<Case> {
    vec![
        Case {
            name: "update",
            before: vec![("a", Entry::file("old")), ("b", Entry::file("stays"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("a", Entry::file("new"))],
            after: vec![("a", Entry::file("new")), ("b", Entry::file("stays"))],
        },
        Case {
            name: "update below a directory",
            before: vec![("d/a", Entry::executable("old"))],
            links: vec![("d/a", "b")],
            mounts: vec![],
            steps: vec![Step::Put("d/a", Entry::executable("new"))],
            after: vec![
                ("d/a", Entry::executable("new")),
                ("b", Entry::executable("old")),
            ],
        },
        Case {
            name: "create",
            before: vec![("d/b", Entry::file("b"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("d/a", Entry::file("a"))],
            after: vec![("d/a", Entry::file("a")), ("d/b", Entry::file("b"))],
        },
        Case {
            name: "create in a new directory",
            before: vec![],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("d/a", Entry::file("a"))],
            after: vec![("d/a", Entry::file("a"))],
        },
        Case {
            name: "link in the place of a file",
            before: vec![("a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Put("a", Entry::link("b"))],
            after: vec![("a", Entry::link("b"))],
        },
        Case {
            name: "update below a mount",
            before: vec![("m/a", Entry::file("old"))],
            links: vec![],
            mounts: vec!["m"],
            steps: vec![Step::Put("m/a", Entry::file("new"))],
            after: vec![("m/a", Entry::file("new"))],
        },
    ]
}

fn updates() -> Vec<Case> {
    vec![
        Case {
            name: "several updates",
            before: vec![
                ("d/a", Entry::executable("a")),
                ("d/b", Entry::file("b")),
                ("c", Entry::file("c")),
            ],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("d/a", Entry::executable("A")),
                Step::Put("d/b", Entry::file("B")),
                Step::Put("c", Entry::file("")),
            ],
            after: vec![
                ("d/a", Entry::executable("A")),
                ("d/b", Entry::file("B")),
                ("c", Entry::file("")),
            ],
        },
        Case {
            name: "more files and directories than are synced one by one",
            before: ["1/a", "2/a", "3/a", "4/a", "5/a"]
                .map(|name| (name, Entry::file("old")))
                .to_vec(),
            links: vec![],
            mounts: vec![],
            steps: ["1/a", "2/a", "3/a", "4/a", "5/a"]
                .map(|name| Step::Put(name, Entry::file("new")))
                .to_vec(),
            after: ["1/a", "2/a", "3/a", "4/a", "5/a"]
                .map(|name| (name, Entry::file("new")))
                .to_vec(),
        },
    ]
}

fn directories() -> Vec<Case> {
    vec![
        Case {
            name: "creates in new directories",
            before: vec![("x", Entry::file("x"))],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("n/m/a", Entry::file("a")),
                Step::Put("n/b", Entry::executable("b")),
                Step::Put("e", Entry::file("")),
            ],
            after: vec![
                ("x", Entry::file("x")),
                ("n/m/a", Entry::file("a")),
                ("n/b", Entry::executable("b")),
                ("e", Entry::file("")),
            ],
        },
        Case {
            name: "deletes that empty directories",
            before: vec![
                ("d/e/a", Entry::file("a")),
                ("d/b", Entry::file("b")),
                ("k/c", Entry::file("c")),
                ("k/s", Entry::file("s")),
            ],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Delete("d/e/a"),
                Step::Delete("d/b"),
                Step::Delete("k/c"),
            ],
            after: vec![("k/s", Entry::file("s"))],
        },
    ]
}

fn modes() -> Vec<Case> {
    vec![
        Case {
            name: "mode only",
            before: vec![("a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Mode("a", 0o755)],
            after: vec![("a", Entry::executable("a"))],
        },
        Case {
            name: "mode of a file with two names",
            before: vec![("a", Entry::file("a"))],
            links: vec![("a", "b")],
            mounts: vec![],
            steps: vec![Step::Mode("a", 0o755)],
            after: vec![("a", Entry::executable("a")), ("b", Entry::file("a"))],
        },
    ]
}

fn types() -> Vec<Case> {
    vec![
        Case {
            name: "symbolic links",
            before: vec![
                ("l", Entry::link("old")),
                ("m", Entry::link("gone")),
                ("f", Entry::file("f")),
            ],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Put("n", Entry::link("new")),
                Step::Put("l", Entry::link("aimed")),
                Step::Delete("m"),
                Step::Put("f", Entry::link("l")),
            ],
            after: vec![
                ("n", Entry::link("new")),
                ("l", Entry::link("aimed")),
                ("f", Entry::link("l")),
            ],
        },
        Case {
            name: "a file gives way to a directory",
            before: vec![("a", Entry::file("a")), ("s", Entry::file("s"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Delete("a"), Step::Put("a/b/c", Entry::file("c"))],
            after: vec![("a/b/c", Entry::file("c")), ("s", Entry::file("s"))],
        },
        Case {
            name: "a directory gives way to a file",
            before: vec![("a/b/c", Entry::file("c")), ("a/d", Entry::file("d"))],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Delete("a/b/c"),
                Step::Delete("a/d"),
                Step::Put("a", Entry::file("a")),
            ],
            after: vec![("a", Entry::file("a"))],
        },
    ]
}

fn submodules() -> Vec<Case> {
    vec![Case {
        name: "submodules",
        before: vec![
            ("old", Entry::directory()),
            ("f", Entry::file("f")),
            ("a", Entry::file("a")),
        ],
        links: vec![],
        mounts: vec![],
        steps: vec![
            Step::Put("new/sub", Entry::directory()),
            Step::Delete("old"),
            Step::Put("f", Entry::directory()),
            Step::Put("a", Entry::file("A")),
        ],
        after: vec![
            ("new/sub", Entry::directory()),
            ("f", Entry::directory()),
            ("a", Entry::file("A")),
        ],
    }]
}

fn overwritten() -> Vec<Case> {
    let file = Entry::file;
    vec![
        Case {
            name: "write over a file with two names",
            before: vec![("a", file("one two"))],
            links: vec![("a", "b")],
            mounts: vec![],
            steps: vec![Step::Overwrite("a", file("two"))],
            after: vec![("a", file("two")), ("b", file("two"))],
        },
        Case {
            name: "write more over a file with two names, and change its mode",
            before: vec![("d/a", file("one")), ("d/c", file("one"))],
            links: vec![("d/a", "b")],
            mounts: vec![],
            steps: vec![Step::Overwrite("d/a", Entry::executable("two and three"))],
            after: vec![
                ("d/a", Entry::executable("two and three")),
                ("b", Entry::executable("two and three")),
                ("d/c", file("one")),
            ],
        },
    ]
}

fn overwritten_among_others() -> Vec<Case> {
    let file = Entry::file;
    vec![
        Case {
            name: "write over, among others",
            before: vec![
                ("a", file("a")),
                ("gone", file("one")),
                ("m/a", file("old")),
                ("mode", file("m")),
                ("x", file("x")),
            ],
            links: vec![("a", "b"), ("m/a", "m/b"), ("mode", "mode too")],
            mounts: vec!["m"],
            steps: vec![
                Step::Overwrite("a", file("new")),
                Step::Overwrite("m/a", file("newer")),
                Step::Mode("mode", 0o755),
                Step::Put("x", file("y")),
                Step::Put("new", file("one")),
                Step::Delete("gone"),
            ],
            after: vec![
                ("a", file("new")),
                ("b", file("new")),
                ("m/a", file("newer")),
                ("m/b", file("newer")),
                ("mode", Entry::executable("m")),
                ("mode too", Entry::executable("m")),
                ("new", file("one")),
                ("x", file("y")),
            ],
        },
        Case {
            name: "write over what leaves",
            before: vec![("a", file("a"))],
            links: vec![("a", "b")],
            mounts: vec![],
            steps: vec![Step::Move("a", "c"), Step::Overwrite("a", file("new"))],
            after: vec![("a", file("new")), ("b", file("a")), ("c", file("a"))],
        },
    ]
}
