//! Checks the imports between files: no cycles, and no path around the table of layers through a
//! re-export.

use std::collections::BTreeSet;

use super::modules::{Modules, cycles};
use super::{LAYERS, ROOTS, Source, refuse, refuse_more, sources};

/// The modules whose types are part of the engine's interface, as fields of requests and outcomes.
/// `cli` uses these types through the re-exports of `engine`; no other module uses an item through
/// the re-export of another layer.
const INTERFACE: &[&str] = &[
    "diagnostics",
    "guard",
    "interrupt",
    "lines",
    "matching",
    "plan",
    "policy",
    "preflight",
    "process",
    "progress",
    "syntax",
    "transaction",
    "workspace",
    "workspace_error",
];

/// Returns the groups of files with a cycle. An edge between a `mod.rs` and a file of its folder
/// does not count.
fn file_cycles(modules: &Modules) -> Vec<BTreeSet<&str>> {
    let is_below = |file: &str, parent: &str| {
        let folder = parent
            .strip_suffix("mod.rs")
            .or(parent.strip_suffix(".rs"))
            .unwrap();
        file.strip_prefix(folder)
            .is_some_and(|rest| folder.ends_with('/') || rest.starts_with('/'))
    };
    let is_counted = |(from, to): &(&str, &str)| {
        !ROOTS.contains(from) && !ROOTS.contains(to) && !is_below(from, to) && !is_below(to, from)
    };
    cycles(&modules.edges().into_iter().filter(is_counted).collect())
}

fn modules(sources: &[Source]) -> Modules {
    Modules::new(
        sources
            .iter()
            .map(|source| (source.path.trim_start_matches("src/"), source.text.as_str())),
    )
}

fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn files_import_each_other_in_no_cycle() {
    let modules = modules(&sources(&["src"]));
    let cycles = file_cycles(&modules);
    refuse(cycles.iter().flat_map(|cycle| {
        let edges = modules
            .edges()
            .into_iter()
            .filter(|(from, to)| cycle.contains(from) && cycle.contains(to));
        edges
            .map(|(from, to)| format!("{from} imports {to}"))
            .collect::<Vec<_>>()
    }));
}

#[test]
fn reexports_lead_to_no_other_layer() {
    let modules = modules(&sources(&["src"]));
    let allowed = |from: &str, to: &str| {
        LAYERS
            .iter()
            .any(|(module, imports)| *module == from && imports.contains(&to))
    };
    let used: BTreeSet<_> = modules
        .edges()
        .iter()
        .map(|(from, to)| (module_of(from), module_of(to)))
        .collect();
    let is_wrong = |(from, to): &(&str, &str)| {
        from != to && !["lib", "main", "prelude"].contains(from) && !allowed(from, to)
    };
    let (interface, wrong): (Vec<_>, Vec<_>) = used
        .into_iter()
        .filter(is_wrong)
        .partition(|(from, to)| *from == "cli" && INTERFACE.contains(to));
    refuse(
        wrong
            .into_iter()
            .map(|(from, to)| format!("{from} uses {to} through a re-export")),
    );
    refuse_more(
        interface.into_iter().map(|(_, to)| to.to_owned()),
        INTERFACE,
    );
}

/// Returns the groups of `files` with a cycle, each with the names of its files.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let modules = Modules::new(files.iter().copied());
    file_cycles(&modules)
        .into_iter()
        .map(|group| group.into_iter().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
}

#[test]
fn a_cycle_is_found_through_reexports_and_other_names() {
    let root = ("lib.rs", "mod a; mod b;");
    for (a, b) in [
        (
            "use crate::b::B; pub struct A;",
            "use crate::a::A; pub struct B;",
        ),
        (
            "pub fn f() { super::b::g() }",
            "use super::a; pub fn g() { a::f() }",
        ),
        (
            "use super::b as other; pub const A: u8 = other::B;",
            "pub const B: u8 = crate::a::A;",
        ),
        (
            "pub struct A(crate::b::B<1>);",
            "use {super::{a::{self, A as C}}}; pub struct B<const N: u8>; #[cfg(test)] fn t() {}",
        ),
    ] {
        assert_eq!(
            found(&[root, ("a.rs", a), ("b.rs", b)]),
            ["a.rs b.rs"],
            "{a} {b}"
        );
    }
}

#[test]
fn tests_comments_and_texts_make_no_cycle() {
    let root = ("lib.rs", "mod a; mod b;");
    for (a, b) in [
        (
            "use crate::b::B; pub struct A;",
            "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }",
        ),
        (
            "use crate::b::B; pub struct A;",
            "pub struct B; // crate::a::A\n const C: &str = \"crate::a::A\";",
        ),
        (
            "use crate::b::B; pub struct A;",
            "use std::a::A; pub struct B; const Q: char = '\"'; const R: &[u8] = br#\"\"a::A\"#;",
        ),
    ] {
        assert_eq!(found(&[root, ("a.rs", a), ("b.rs", b)]), [""; 0], "{a} {b}");
    }
}

#[test]
fn parent_and_child_make_no_cycle() {
    let parent = "mod one; mod two; pub use one::One; pub struct Both;";
    let root = ("lib.rs", "mod a;");
    let files = |two| {
        [
            root,
            ("a/mod.rs", parent),
            ("a/one.rs", "use super::{Both, two::Two}; pub struct One;"),
            ("a/two.rs", two),
        ]
    };
    assert_eq!(found(&files("use super::Both; pub struct Two;")), [""; 0]);
    assert_eq!(
        found(&files("use super::One; pub struct Two;")),
        ["a/one.rs a/two.rs"]
    );
    let one = ("a/one.rs", "use crate::a::A; pub struct One;");
    assert_eq!(
        found(&[root, ("a.rs", "mod one; pub struct A(one::One);"), one]),
        [""; 0]
    );
}
