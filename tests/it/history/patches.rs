//! Random changes of a few files, and the patches that make them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wpatch::digest::{ObjectFormat, blob_id};

use crate::dice::Dice;
use crate::tree::Node;

/// Names with conflicts between files and directories among them.
pub(super) const NAMES: [&str; 9] = ["a", "b", "c", "d/x", "d/y", "d/e/z", "a/x", "c/d", "l"];

/// Returns a random version of a file.
fn version(dice: &mut Dice) -> Node {
    let bytes = |dice: &mut Dice| {
        let lines: Vec<_> = (0..=dice.below(3))
            .map(|_| format!("{}\n", dice.below(5)))
            .collect();
        lines.concat().into_bytes()
    };
    match dice.below(6) {
        0 => Node::Link(dice.one(&["a", "b/c", "nowhere"]).as_bytes().to_vec()),
        1 => Node::File {
            bytes: bytes(dice),
            is_executable: true,
        },
        2 => Node::file(""),
        _ => Node::file(bytes(dice)),
    }
}

/// Returns some changes of `files`: each name with what becomes of it.
pub(super) fn changes(
    dice: &mut Dice,
    files: &BTreeMap<String, Node>,
) -> BTreeMap<String, Option<Node>> {
    let mut changes = BTreeMap::new();
    for _ in 0..=dice.below(3) {
        let name = dice.one(&NAMES).to_owned();
        let comes = !files.contains_key(&name) || !dice.once_in(3);
        let new = comes.then(|| match files.get(&name) {
            // A change of the mode alone.
            Some(Node::File {
                bytes,
                is_executable,
            }) if dice.once_in(3) => Node::File {
                bytes: bytes.clone(),
                is_executable: !is_executable,
            },
            _ => version(dice),
        });
        if new.is_some() {
            // What cannot be there as well goes.
            for other in files.keys().filter(|other| are_in_the_way(&name, other)) {
                changes.insert(other.clone(), None);
            }
            changes.retain(|other: &String, new: &mut Option<Node>| {
                new.is_none() || !are_in_the_way(&name, other)
            });
        }
        changes.insert(name, new);
    }
    changes.retain(|name, new| files.get(name) != new.as_ref());
    changes
}

pub(super) fn are_in_the_way(a: &str, b: &str) -> bool {
    a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'))
        || b.strip_prefix(a).is_some_and(|rest| rest.starts_with('/'))
}

fn contents(node: &Node) -> &[u8] {
    match node {
        Node::File { bytes, .. } | Node::Link(bytes) => bytes,
        Node::Directory => b"",
    }
}

pub(super) fn mode(node: &Node) -> &'static str {
    match node {
        Node::File {
            is_executable: true,
            ..
        } => "100755",
        Node::Link(_) => "120000",
        Node::File { .. } | Node::Directory => "100644",
    }
}

pub(super) fn id(node: &Node) -> String {
    blob_id(contents(node), ObjectFormat::Sha1)
}

/// Returns `changes` of `files` as git writes them.
pub(super) fn patch(
    files: &BTreeMap<String, Node>,
    changes: &BTreeMap<String, Option<Node>>,
) -> String {
    let mut text = String::new();
    // What goes first makes room.
    for (name, new) in changes
        .iter()
        .filter(|(_, new)| new.is_none())
        .chain(changes.iter().filter(|(_, n)| n.is_some()))
    {
        match (files.get(name), new) {
            // A change of the type is two sections.
            (Some(old), Some(new))
                if matches!(old, Node::Link(_)) != matches!(new, Node::Link(_)) =>
            {
                section(&mut text, name, Some(old), None);
                section(&mut text, name, None, Some(new));
            }
            (old, new) => section(&mut text, name, old, new.as_ref()),
        }
    }
    text
}

fn section(text: &mut String, name: &str, old: Option<&Node>, new: Option<&Node>) {
    writeln!(text, "diff --git a/{name} b/{name}").unwrap();
    match (old, new) {
        (None, Some(new)) => writeln!(text, "new file mode {}", mode(new)).unwrap(),
        (Some(old), None) => writeln!(text, "deleted file mode {}", mode(old)).unwrap(),
        (Some(old), Some(new)) if mode(old) != mode(new) => {
            writeln!(text, "old mode {}\nnew mode {}", mode(old), mode(new)).unwrap();
        }
        _ => {}
    }
    let (before, after) = (
        old.map(contents).unwrap_or_default(),
        new.map(contents).unwrap_or_default(),
    );
    if before == after && old.is_some() && new.is_some() {
        return;
    }
    let blob = |node: Option<&Node>| node.map_or_else(|| "0".repeat(40), id);
    let kept = if old.map(mode) == new.map(mode) {
        format!(" {}", old.map_or("100644", mode))
    } else {
        String::new()
    };
    writeln!(text, "index {}..{}{kept}", blob(old), blob(new)).unwrap();
    if before.is_empty() && after.is_empty() {
        return;
    }
    let named = |side: Option<&Node>, letter| {
        side.map_or("/dev/null".to_owned(), |_| format!("{letter}/{name}"))
    };
    writeln!(text, "--- {}\n+++ {}", named(old, 'a'), named(new, 'b')).unwrap();
    let lines = |bytes: &[u8]| {
        bytes
            .split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    let range = |count: usize| format!("{},{count}", usize::from(count > 0));
    let (before, after) = (lines(before), lines(after));
    writeln!(
        text,
        "@@ -{} +{} @@",
        range(before.len()),
        range(after.len())
    )
    .unwrap();
    for (sign, lines) in [('-', before), ('+', after)] {
        for line in lines {
            let line = String::from_utf8(line).unwrap();
            write!(text, "{sign}{line}").unwrap();
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}
