//! Random pairs of trees, of which the second comes from the first by changes of every kind.

use wpatch::path::RelPath;

use crate::dice::Dice;
use crate::tree::{Node, Tree, path};

/// Names of files and directories. Some need quoting, and some sort differently with a slash.
const NAMES: [&str; 12] = [
    "a",
    "b",
    "a.c",
    "a-b",
    "Makefile",
    "x y",
    "tab\tname",
    "\"quoted\"",
    "é",
    "new\nline",
    "-dash",
    "end ",
];
const LINES: [&str; 12] = [
    "fn main() {\n",
    "}\n",
    "\n",
    "    let a = 1;\n",
    "one\n",
    "two\n",
    "three\n",
    "\tfour\n",
    "five \r\n",
    "--- a/x\n",
    "@@ -1 +1 @@\n",
    "\u{e9}\n",
];

/// A pair of trees.
pub(crate) struct RandomTrees {
    pub(crate) old: Tree,
    pub(crate) new: Tree,
}

impl RandomTrees {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut old = Tree::new();
        for _ in 0..dice.below(12) {
            let name = random_path(&mut dice);
            let node = random_node(&mut dice);
            insert(&mut old, name, node);
        }
        let mut new = old.clone();
        for _ in 0..=dice.below(6) {
            change(&mut new, &mut dice);
        }
        Self { old, new }
    }
}

fn random_path(dice: &mut Dice) -> RelPath {
    let parts: Vec<_> = (0..=dice.below(3)).map(|_| dice.one(&NAMES)).collect();
    path(&parts.join("/"))
}

fn random_text(dice: &mut Dice) -> Vec<u8> {
    let mut text: String = (0..dice.below(30)).map(|_| dice.one(&LINES)).collect();
    if dice.once_in(5) {
        text.push_str("no end");
    }
    text.into_bytes()
}

fn random_node(dice: &mut Dice) -> Node {
    if dice.once_in(8) {
        return Node::Link(dice.one(&NAMES).into());
    }
    let mut bytes = random_text(dice);
    if dice.once_in(8) {
        bytes.splice(0..0, b"\0\x01\xff".iter().copied());
    }
    Node::File {
        bytes,
        is_executable: dice.once_in(4),
    }
}

/// Inserts a file, and removes the files that are in its way.
fn insert(tree: &mut Tree, name: RelPath, node: Node) {
    tree.retain(|other, _| !other.is_below(&name) && !name.is_below(other));
    tree.insert(name, node);
}

/// Changes one file.
fn change(tree: &mut Tree, dice: &mut Dice) {
    let names: Vec<RelPath> = tree.keys().cloned().collect();
    if names.is_empty() || dice.once_in(5) {
        let name = random_path(dice);
        let node = random_node(dice);
        insert(tree, name, node);
        return;
    }
    let name = dice.one(&names);
    let mut node = tree[&name].clone();
    match dice.below(6) {
        0 => drop(tree.remove(&name)),
        1 => {
            // A rename, often with a change.
            tree.remove(&name);
            edit(&mut node, dice);
            let target = random_path(dice);
            insert(tree, target, node);
        }
        2 => {
            edit(&mut node, dice);
            let target = random_path(dice);
            insert(tree, target, node);
        }
        3 => {
            if let Node::File { is_executable, .. } = &mut node {
                *is_executable = !*is_executable;
            }
            tree.insert(name, node);
        }
        4 => {
            let node = random_node(dice);
            tree.insert(name, node);
        }
        _ => {
            edit(&mut node, dice);
            tree.insert(name, node);
        }
    }
}

/// Changes a few lines of a file.
fn edit(node: &mut Node, dice: &mut Dice) {
    let Node::File { bytes, .. } = node else {
        return;
    };
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..dice.below(4) {
        let place = dice.below(lines.len() + 1);
        if dice.once_in(2) && place < lines.len() {
            lines.remove(place);
        } else {
            lines.insert(place, dice.one(&LINES).into());
        }
    }
    *bytes = lines.concat();
}
