//! Every pair of changes of the two sides, merged as git merges it.

use std::path::Path;

use fs_err as fs;

use super::{both, by_git};
use crate::index::Tree;
use crate::world;

/// Makes `theirs` of a tree, and `ours`; returns it with the patch to the first and the second
/// checked out.
pub(super) fn forked(theirs: Make<'_>, ours: Make<'_>) -> Tree {
    let tree = branched(&[("theirs", theirs), ("ours", ours)]);
    write_patch(&tree, "theirs");
    tree
}

/// What changes the files below a root.
type Make<'m> = &'m dyn Fn(&Path);

/// A work tree with a branch for each change of what is on `main`; the last one is checked out.
fn branched(changes: &[(&str, Make<'_>)]) -> Tree {
    let tree = Tree::new();
    let lines = (1..=12)
        .map(|number| format!("line {number}\n"))
        .collect::<Vec<_>>()
        .concat();
    fs::write(tree.root().join("long"), lines).unwrap();
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "base"]);
    for (name, make) in changes {
        tree.git(&["checkout", "-q", "-B", name, "main"]);
        make(&tree.root());
        tree.git(&["add", "-A", "."]);
        tree.git(&["commit", "-q", "--allow-empty", "-m", name]);
    }
    tree
}

fn write_patch(tree: &Tree, branch: &str) {
    fs::write(
        tree.patch(),
        tree.git(&["diff", "-M", "--binary", "main", branch]),
    )
    .unwrap();
}

/// A way to change a file.
type Step = (&'static str, fn(&Path));

const STEPS: &[Step] = &[
    ("nothing", |_| {}),
    ("the second line", |root| {
        replace(root, "line 2\n", "LINE 2\n");
    }),
    ("the second line otherwise", |root| {
        replace(root, "line 2\n", "zwei\n");
    }),
    ("the third line", |root| {
        replace(root, "line 3\n", "LINE 3\n");
    }),
    ("the tenth line", |root| replace(root, "line 10\n", "")),
    ("more at the end", |root| {
        replace(root, "line 12\n", "line 12\nline 13\n");
    }),
    ("other names", |root| {
        replace(root, "line 7\n", "LINE 7\n");
        fs::rename(root.join("long"), root.join("moved")).unwrap();
    }),
    ("a name", |root| {
        fs::rename(root.join("long"), root.join("moved")).unwrap();
    }),
    ("a mode", |root| {
        world::set_mode(root.join("long"), 0o755);
        replace(root, "line 5\n", "line V\n");
    }),
    ("a new file", |root| {
        fs::write(root.join("new"), "a\nb\nc\n").unwrap();
    }),
    ("a new file otherwise", |root| {
        fs::write(root.join("new"), "a\nB\nc\n").unwrap();
    }),
    ("an empty new file", |root| {
        fs::write(root.join("new"), "").unwrap();
    }),
    ("no file", |root| {
        fs::remove_file(root.join("long")).unwrap();
    }),
];

pub(super) fn replace(root: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(root.join("long")).unwrap();
    fs::write(root.join("long"), text.replacen(old, new, 1)).unwrap();
}

#[cfg(unix)]
#[test]
fn every_pair_of_changes_ends_as_with_git() {
    let names: Vec<_> = STEPS
        .iter()
        .map(|(name, _)| name.replace(' ', "-"))
        .collect();
    let changes = names
        .iter()
        .zip(STEPS)
        .map(|(name, (_, make))| (name.as_str(), make as Make<'_>));
    let tree = branched(&changes.collect::<Vec<_>>());
    let mut conflicts = 0;
    for theirs in &names[1..] {
        write_patch(&tree, theirs);
        for ours in &names {
            let check_out = || {
                tree.git(&["reset", "-q", "--hard", ours]);
                tree.git(&["clean", "-q", "-d", "-f"]);
            };
            check_out();
            let code = by_git(&tree, &["--3way"]);
            let by_git = both(&tree);
            check_out();
            let (found, report) = tree.report(&["apply", "--3way", "--conflict", "markers"]);
            let what = format!("{theirs} onto {ours}: {report:#}");
            assert_eq!(both(&tree), by_git, "{what}");
            assert_eq!(found == 0, code == 0, "{what}");
            conflicts += usize::from(report["outcome"] == "partial");
        }
    }
    assert!(conflicts >= 6, "only {conflicts} conflicts");
}
