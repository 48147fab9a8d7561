//! Files that get another name.

use wpatch::workspace::memory::Entry;

use crate::changes::{Case, Step};

/// Returns the sets of changes in which files get other names.
pub(super) fn all() -> Vec<Case> {
    [renamed(), mounted(), exchanged()].concat()
}

fn renamed() -> Vec<Case> {
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
    ]
}

fn mounted() -> Vec<Case> {
    vec![
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
    ]
}

fn exchanged() -> Vec<Case> {
    vec![
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
