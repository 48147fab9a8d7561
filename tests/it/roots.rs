//! Changes of several roots: one transaction, one recovery and one undo for all of them.

mod attributes;
mod audit;
mod cli;
mod crash;
mod disk;
mod full_disk;
mod undo;

use std::collections::BTreeMap;
use std::sync::Arc;

use wpatch::engine::{self, Outcome, Request};
use wpatch::path::RelPath;
use wpatch::transaction::{Interrupt, Options};
use wpatch::workspace::memory::{Entry, Feature, Memory};
use wpatch::workspace::{Roots, Workspace};

/// The names of the roots.
const NAMES: [&str; 3] = ["one", "two", "three"];

/// How the roots keep their state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In git directories, with a history.
    Git,
    /// In temporary directories, without one.
    Temporary,
    /// Only the first root is in a git work tree.
    Mixed,
}

impl State {
    const ALL: [Self; 3] = [Self::Git, Self::Temporary, Self::Mixed];

    fn has_git(self, number: usize) -> bool {
        match self {
            Self::Git => true,
            Self::Temporary => false,
            Self::Mixed => number == 0,
        }
    }
}

type Tree = BTreeMap<RelPath, Entry>;

fn path(name: &str) -> RelPath {
    RelPath::new(name.as_bytes()).unwrap()
}

/// Several trees in memory on one machine.
struct World(Vec<Memory>);

impl World {
    /// Returns `count` trees before the change.
    fn new(count: usize, state: State, lacks: &[Feature]) -> Self {
        let tree = |number: usize| {
            let mut files = vec![
                (path("f"), Entry::file("old\n")),
                (path("gone"), Entry::file("gone\n")),
                (path("kept"), Entry::file("kept\n")),
            ];
            if state.has_git(number) {
                files.push((path(".git/HEAD"), Entry::file("ref: refs/heads/main\n")));
            }
            let memory = Memory::with_files(files);
            lacks
                .iter()
                .fold(memory, |memory, &feature| memory.without_feature(feature))
        };
        Self::connected((0..count).map(tree).collect())
    }

    fn connected(trees: Vec<Memory>) -> Self {
        let locations: Vec<_> = NAMES.iter().map(|name| format!("/{name}")).collect();
        let machine: Vec<_> = locations.iter().map(|it| &**it).zip(&trees).collect();
        Memory::connect(&machine);
        Self(trees)
    }

    /// Returns the trees as the next process finds them, each changed by `next`.
    fn next(&self, next: impl Fn(usize, &Memory) -> Memory) -> Self {
        let trees = self.0.iter().enumerate();
        Self::connected(trees.map(|(number, tree)| next(number, tree)).collect())
    }

    fn restart(&self) -> Self {
        self.next(|_, tree| tree.restart())
    }

    /// Returns the trees without the root `number`, as if it were not mounted.
    fn without(&self, number: usize) -> Vec<Memory> {
        let trees: Vec<_> = self.0.iter().map(Memory::restart).collect();
        let locations: Vec<_> = NAMES.iter().map(|name| format!("/{name}")).collect();
        let machine: Vec<_> = locations
            .iter()
            .map(|it| &**it)
            .zip(&trees)
            .enumerate()
            .filter(|(other, _)| *other != number)
            .map(|(_, tree)| tree)
            .collect();
        Memory::connect(&machine);
        trees
    }

    fn roots(&self) -> Roots {
        let trees = NAMES.iter().zip(&self.0);
        Roots::new(
            trees.map(|(name, tree)| (*name, Box::new(tree.handle()) as Box<dyn Workspace + Send>)),
        )
        .unwrap()
    }

    /// Applies the change to all roots.
    fn apply(&self) -> Outcome {
        engine::apply(
            Request::of(patch(self.0.len())),
            &self.roots(),
            &Interrupt::new(),
        )
    }

    /// Returns the files of each tree, without state directories.
    fn trees(&self) -> Vec<Tree> {
        self.0.iter().map(visible).collect()
    }
}

fn visible(memory: &Memory) -> Tree {
    let mut entries = memory.entries();
    let is_state = |path: &RelPath| {
        path.as_bytes().starts_with(b".git/wpatch")
            || path.components().any(|part| part.starts_with(b".wpatch"))
    };
    entries.retain(|path, _| !is_state(path));
    entries
}

/// Returns a patch of `count` roots that changes, creates and deletes a file in each.
fn patch(count: usize) -> String {
    let one = |name: &&str| {
        format!(
            "diff --git a/{name}/f b/{name}/f\n--- a/{name}/f\n+++ b/{name}/f\n@@ -1 +1 @@\n-old\n+new\n\
             diff --git a/{name}/d/made b/{name}/d/made\nnew file mode 100644\n--- /dev/null\n\
             +++ b/{name}/d/made\n@@ -0,0 +1 @@\n+made\n\
             diff --git a/{name}/gone b/{name}/gone\ndeleted file mode 100644\n--- a/{name}/gone\n\
             +++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        )
    };
    NAMES[..count].iter().map(one).collect()
}

/// Returns the trees before and after the change.
fn before_and_after(count: usize, state: State) -> (Vec<Tree>, Vec<Tree>) {
    let world = World::new(count, state, &[]);
    let before = world.trees();
    let outcome = world.apply();
    assert!(outcome.report.ok, "{:?}", outcome.report.error);
    let after = world.trees();
    assert_ne!(before, after);
    (before, after)
}

#[test]
fn a_change_of_several_roots_is_one_plan_and_one_report() {
    for state in State::ALL {
        let world = World::new(2, state, &[]);
        let checked = engine::check(Request::of(patch(2)), &world.roots());
        assert!(checked.report.ok, "{:?}", checked.report.error);
        assert_eq!(checked.report.summary.files, 6);
        let outcome = world.apply();
        assert!(outcome.report.ok, "{:?}", outcome.report.error);
        let transaction = outcome.report.transaction.unwrap();
        assert!(transaction.id.is_some());
        for tree in &world.0 {
            let files = tree.files();
            assert_eq!(files[&path("f")].contents, b"new\n");
            assert_eq!(files[&path("d/made")].contents, b"made\n");
            assert!(!files.contains_key(&path("gone")));
        }
    }
}

#[test]
fn a_path_that_begins_with_no_name_of_a_root_is_refused_with_the_names() {
    let world = World::new(2, State::Git, &[]);
    for patch in [
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n",
        "--- /dev/null\n+++ b/other/f\n@@ -0,0 +1 @@\n+new\n",
        "--- /dev/null\n+++ b/one\n@@ -0,0 +1 @@\n+new\n",
    ] {
        let before = world.trees();
        let outcome = engine::apply(Request::of(patch), &world.roots(), &Interrupt::new());
        assert!(!outcome.report.ok, "{patch}");
        let message = &outcome.report.error.as_ref().unwrap().message;
        assert!(message.contains("one, two"), "{message}");
        assert_eq!(world.trees(), before);
    }
}

#[test]
fn a_rename_between_roots_keeps_content_and_mode() {
    let world = World::new(2, State::Git, &[]);
    let patch = "diff --git a/one/kept b/two/moved\nsimilarity index 100%\n\
                 rename from one/kept\nrename to two/moved\n";
    let outcome = engine::apply(Request::of(patch), &world.roots(), &Interrupt::new());
    assert!(outcome.report.ok, "{:?}", outcome.report.error);
    assert_eq!(outcome.report.summary.renames, 1);
    let [one, two] = [&world.0[0], &world.0[1]].map(Memory::files);
    assert!(!one.contains_key(&path("kept")));
    assert_eq!(two[&path("moved")].contents, b"kept\n");
    assert_eq!(two[&path("moved")].mode, 0o644);
}

#[test]
fn a_change_of_one_root_is_no_group() {
    let world = World::new(2, State::Git, &[]);
    let patch = "--- a/two/f\n+++ b/two/f\n@@ -1 +1 @@\n-old\n+new\n";
    let outcome = engine::apply(Request::of(patch), &world.roots(), &Interrupt::new());
    assert!(outcome.report.ok, "{:?}", outcome.report.error);
    let log = engine::log(&world.0[1], &Arc::default()).unwrap();
    assert!(log.entries[0].roots.is_empty());
    assert!(
        engine::log(&world.0[0], &Arc::default())
            .unwrap()
            .entries
            .is_empty()
    );
}

#[test]
fn a_command_that_needs_one_root_is_refused_with_several() {
    let world = World::new(2, State::Git, &[]);
    let before = world.0.iter().map(Memory::entries).collect::<Vec<_>>();
    let (roots, options, interrupt) = (world.roots(), Options::default(), Interrupt::new());
    let reject = engine::RejectRequest::default();
    let outcomes = [
        engine::begin(None, &roots, options, &interrupt),
        engine::abort("1", &roots, options, &interrupt),
        *engine::open_session(&roots, "1").map(drop).unwrap_err(),
        engine::save(Request::of(patch(2)), &roots, &interrupt),
        engine::reject("1", &reject, &roots, &interrupt),
        engine::unreject("1", &reject, &roots, &interrupt),
        engine::gc(&roots, options, &interrupt),
        engine::init(&roots, options, &interrupt),
        *engine::verify_audit(&roots, options).map(drop).unwrap_err(),
    ];
    for outcome in outcomes {
        let error = outcome.report.error.unwrap();
        assert_eq!(outcome.report.exit_code, 2, "{error:?}");
        assert!(error.message.contains("with several roots"), "{error:?}");
    }
    let after: Vec<_> = world.0.iter().map(Memory::entries).collect();
    assert_eq!(before, after);
}
