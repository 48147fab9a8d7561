//! The sets of changes.

use wpatch::workspace::memory::Entry;

use super::{Case, Step};

/// Returns every set of changes, in a plain directory.
pub(super) fn plain() -> Vec<Case> {
    let mut cases = singles();
    cases.extend(contents());
    cases.extend(names());
    cases.extend(types());
    cases.extend(overwritten());
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

fn contents() -> Vec<Case> {
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

fn names() -> Vec<Case> {
    vec![
        Case {
            name: "rename",
            before: vec![("d/a", Entry::file("a"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Move("d/a", "n/b")],
            after: vec![("n/b", Entry::file("a"))],
        },
        Case {
            name: "rename with an edit",
            before: vec![("d/a", Entry::file("a")), ("d/s", Entry::file("s"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Delete("d/a"), Step::Put("b", Entry::file("A"))],
            after: vec![("b", Entry::file("A")), ("d/s", Entry::file("s"))],
        },
        Case {
            name: "files below a mount",
            before: vec![
                ("m/a", Entry::executable("a")),
                ("m/b", Entry::file("b")),
                ("m/c", Entry::file("c")),
                ("m/s", Entry::file("s")),
                ("d", Entry::file("d")),
            ],
            links: vec![],
            mounts: vec!["m"],
            steps: vec![
                Step::Put("m/a", Entry::executable("A")),
                Step::Delete("m/b"),
                Step::Move("m/c", "c"),
                Step::Move("d", "m/n/d"),
            ],
            after: vec![
                ("m/a", Entry::executable("A")),
                ("m/s", Entry::file("s")),
                ("c", Entry::file("c")),
                ("m/n/d", Entry::file("d")),
            ],
        },
        Case {
            name: "the last file of a mount",
            before: vec![("d/m/a", Entry::file("a")), ("d/b", Entry::file("b"))],
            links: vec![],
            mounts: vec!["d/m"],
            steps: vec![Step::Delete("d/m/a"), Step::Delete("d/b")],
            after: vec![("d/m", Entry::directory())],
        },
        Case {
            name: "criss-cross",
            before: vec![("d/a", Entry::file("a")), ("b", Entry::executable("b"))],
            links: vec![],
            mounts: vec![],
            steps: vec![Step::Move("d/a", "b"), Step::Move("b", "d/a")],
            after: vec![("b", Entry::file("a")), ("d/a", Entry::executable("b"))],
        },
        Case {
            name: "criss-cross of twins",
            before: vec![
                ("a", Entry::file("same")),
                ("b", Entry::file("same")),
                ("c", Entry::file("c")),
            ],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Move("a", "b"),
                Step::Move("b", "a"),
                Step::Move("c", "d"),
            ],
            after: vec![
                ("a", Entry::file("same")),
                ("b", Entry::file("same")),
                ("d", Entry::file("c")),
            ],
        },
        Case {
            name: "rename onto a name that leaves",
            before: vec![
                ("a", Entry::file("a")),
                ("b", Entry::file("b")),
                ("l", Entry::link("b")),
            ],
            links: vec![],
            mounts: vec![],
            steps: vec![
                Step::Move("a", "b"),
                Step::Move("b", "c"),
                Step::Move("l", "m/l"),
            ],
            after: vec![
                ("b", Entry::file("a")),
                ("c", Entry::file("b")),
                ("m/l", Entry::link("b")),
            ],
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
        Case {
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
        },
    ]
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
