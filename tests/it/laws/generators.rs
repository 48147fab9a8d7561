//! Random trees, and patches that change them.

use std::collections::BTreeSet;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use similar::TextDiff;
use wpatch::text::without_ending;

use super::at;
use crate::tree::{Node, Tree, path};

/// Names that never stand in each other's way.
const NAMES: &[&str] = &["a", "b.txt", "d/a", "d/b", "d/e/f", "g/h/i/j"];

/// Two trees over the same few names; where both have a file, the second is often an edited first.
pub(super) fn two_trees() -> impl Strategy<Value = (Tree, Tree)> {
    let one = (
        node(),
        option(node()),
        vec((any::<Index>(), line()), 0..4),
        any::<bool>(),
    );
    btree_map(select(NAMES), one, 1..NAMES.len()).prop_map(|files| {
        let mut trees = (Tree::new(), Tree::new());
        for (name, (first, second, edits, is_edited)) in files {
            let second = if is_edited {
                Some(edited(&first, &edits))
            } else {
                second
            };
            trees.0.insert(path(name), first);
            trees.1.extend(second.map(|node| (path(name), node)));
        }
        trees
    })
}

fn option<T: std::fmt::Debug>(
    strategy: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(strategy)
}

fn node() -> impl Strategy<Value = Node> {
    let file = (vec(line(), 0..30), any::<bool>(), any::<bool>());
    file.prop_map(|(lines, is_executable, has_final_newline)| {
        let mut bytes = lines.concat();
        if !has_final_newline {
            // `similar` takes a CR at the very end for the end of a line.
            let length = without_ending(&bytes).len();
            bytes.truncate(length);
        }
        Node::File {
            bytes,
            is_executable,
        }
    })
}

/// Lines of few kinds, so that they stand in several places.
fn line() -> impl Strategy<Value = Vec<u8>> {
    select(
        &[
            "a\n",
            "b\n",
            "\n",
            "  c\n",
            "d\r\n",
            "-- \n",
            "+++ x\n",
            "@@ -1 +1 @@\n",
            "\\ no\n",
        ][..],
    )
    .prop_map(|line| line.as_bytes().to_vec())
}

fn edited(node: &Node, edits: &[(Index, Vec<u8>)]) -> Node {
    let Node::File {
        bytes,
        is_executable,
    } = node
    else {
        return node.clone();
    };
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for (place, line) in edits {
        match place.index(lines.len() + 1) {
            place
                if place == lines.len()
                    && lines.last().is_none_or(|last| last.ends_with(b"\n")) =>
            {
                lines.push(line.clone());
            }
            place if place == lines.len() => {}
            place if line.len() % 2 == 0 => lines[place].clone_from(line),
            place => lines.insert(place, line.clone()),
        }
    }
    Node::File {
        bytes: lines.concat(),
        is_executable: *is_executable,
    }
}

pub(super) fn diff(before: &Tree, after: &Tree) -> Vec<u8> {
    sections(before, after).concat()
}

pub(super) fn sections(before: &Tree, after: &Tree) -> Vec<Vec<u8>> {
    named_sections(before, after, "a/", "b/")
}

/// Returns a git section for each name where the trees differ.
pub(super) fn named_sections(
    before: &Tree,
    after: &Tree,
    old_prefix: &str,
    new_prefix: &str,
) -> Vec<Vec<u8>> {
    let names: BTreeSet<_> = before
        .keys()
        .chain(after.keys())
        .map(ToString::to_string)
        .collect();
    let differing = names
        .into_iter()
        .filter(|name| at(before, name) != at(after, name));
    differing
        .map(|name| {
            section(
                &name,
                [at(before, &name), at(after, &name)],
                [old_prefix, new_prefix],
            )
        })
        .collect()
}

fn section(
    name: &str,
    [old, new]: [Option<&Node>; 2],
    [old_prefix, new_prefix]: [&str; 2],
) -> Vec<u8> {
    let names = [format!("{old_prefix}{name}"), format!("{new_prefix}{name}")];
    let modes = match (old.map(mode), new.map(mode)) {
        (Some(old), None) => format!("deleted file mode {old}\n"),
        (None, Some(new)) => format!("new file mode {new}\n"),
        (Some(old), Some(new)) if old != new => format!("old mode {old}\nnew mode {new}\n"),
        _ => String::new(),
    };
    let side = |node: Option<&Node>, name: &str| {
        if node.is_some() {
            name.to_owned()
        } else {
            "/dev/null".into()
        }
    };
    let (old_name, new_name) = (side(old, &names[0]), side(new, &names[1]));
    let mut patch = format!("diff --git {} {}\n{modes}", names[0], names[1]).into_bytes();
    let changes = TextDiff::from_lines(contents(old), contents(new));
    changes
        .unified_diff()
        .header(&old_name, &new_name)
        .to_writer(&mut patch)
        .unwrap();
    patch
}

fn contents(node: Option<&Node>) -> &[u8] {
    match node {
        Some(Node::File { bytes, .. }) => bytes,
        _ => b"",
    }
}

fn mode(node: &Node) -> &'static str {
    if matches!(
        node,
        Node::File {
            is_executable: true,
            ..
        }
    ) {
        "100755"
    } else {
        "100644"
    }
}

pub(super) fn tree_to_hit() -> Tree {
    let file = Node::file("one\ntwo\nthree\n");
    Tree::from([
        (path("a"), file.clone()),
        (path("d/b"), file),
        (path("l"), Node::Link(b"a".to_vec())),
    ])
}
