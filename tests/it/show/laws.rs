//! What is shown of made-up changes is a patch that comes to the same by git. The seed is fixed.
#![cfg(unix)]

use std::cell::Cell;
use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use similar::TextDiff;
use wpatch::path::RelPath;
use wpatch::text::without_ending;

use super::by_git;
use crate::case::Settings;
use crate::run;
use crate::systems::runs;
use crate::tree::{self, Node, Tree};

/// Names that git writes in quotes, and others; none is a directory of another, also with [`moved`]
/// before it.
const NAMES: [&[u8]; 8] = [
    b"a",
    b"b c/d e",
    b"say \"x\"",
    b"back\\slash",
    b"caf\xe9/\xff",
    b"tab\there",
    "\u{fc}/\u{1f980}".as_bytes(),
    b"-p1",
];

/// How many trees are tried.
const CASES: u32 = 64;

/// What becomes of a file.
#[derive(Clone, Debug)]
enum Fate {
    Kept,
    Made,
    Deleted,
    Edited(Edits),
    Moved(Edits),
}

/// Lines that change, whether the mode does, and how many lines somebody put in front meanwhile.
#[derive(Clone, Debug)]
struct Edits {
    lines: Vec<(Index, Option<Vec<u8>>)>,
    is_chmod: bool,
    front: usize,
}

fn config() -> Config {
    Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(17),
        failure_persistence: None,
        ..Config::default()
    }
}

#[test]
fn git_makes_of_what_is_shown_what_is_applied() {
    let refused = Cell::new(0);
    let law = |files: Vec<(Node, Fate)>| {
        let (mut before, mut patch) = (Tree::new(), Vec::new());
        for (name, (node, fate)) in NAMES.iter().zip(files) {
            before.extend(there(&node, &fate).map(|there| (path(name), there)));
            patch.extend(section(name, &node, &fate));
        }
        prop_assume!(!patch.is_empty());
        let text = String::from_utf8_lossy(&patch);
        let memory = run::memory(&before);
        let report = run::apply(&memory, &patch, &Settings::default());
        let applied = run::tree(&memory);
        let root = tempfile::tempdir().unwrap();
        tree::write(&before, root.path());
        let shown = runs(root.path(), &["show", "-"], &patch);
        prop_assert_eq!(&tree::read(root.path()), &before);
        prop_assert_eq!(
            shown.status.code().map(i64::from),
            report["exit_code"].as_i64(),
            "{}\n{:?}",
            text,
            shown
        );
        if report["ok"] == true {
            let by_git = if shown.stdout.is_empty() {
                Ok(before)
            } else {
                by_git(&before, &shown.stdout)
            };
            let by_git = by_git.map_err(|why| TestCaseError::fail(format!("{why}\n{text}")))?;
            prop_assert_eq!(
                by_git,
                applied,
                "{}\n{}",
                text,
                String::from_utf8_lossy(&shown.stdout)
            );
        } else {
            // Lines in front may make another place as good, or hold what is to be there.
            let kind = report["error"]["kind"].as_str().unwrap_or_default();
            prop_assert!(
                ["ambiguous", "not_found", "no_change"].contains(&kind),
                "{}\n{:#}",
                text,
                report["error"]
            );
            prop_assert_eq!((shown.status.code(), applied), (Some(1), before));
            refused.set(refused.get() + 1);
        }
        Ok(())
    };
    TestRunner::new(config())
        .run(&vec((file(), fate()), NAMES.len()), law)
        .unwrap();
    assert!((1..CASES / 4).contains(&refused.get()), "{}", refused.get());
}

fn path(name: &[u8]) -> RelPath {
    RelPath::new(name).unwrap()
}

fn file() -> impl Strategy<Value = Node> {
    (vec(line(), 0..20), any::<bool>(), any::<bool>()).prop_map(
        |(lines, is_executable, has_final_newline)| {
            let mut bytes = lines.concat();
            if !has_final_newline {
                bytes.truncate(without_ending(&bytes).len());
            }
            Node::File {
                bytes,
                is_executable,
            }
        },
    )
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    const LINES: [&[u8]; 9] = [
        b"a\n",
        b"b\n",
        b"\n",
        b"  c\n",
        b"d\r\n",
        b"-- \n",
        b"\xff\xfe\n",
        b"@@ -1 +1 @@\n",
        b"diff --git a/x b/x\n",
    ];
    select(&LINES[..]).prop_map(<[u8]>::to_vec)
}

fn fate() -> impl Strategy<Value = Fate> {
    let lines = vec((any::<Index>(), proptest::option::of(line())), 0..4);
    let edits = (
        lines,
        any::<bool>(),
        prop_oneof![15 => Just(0), 1 => 1..5_usize],
    );
    let edits = edits
        .prop_map(|(lines, is_chmod, front)| Edits {
            lines,
            is_chmod,
            front,
        })
        .boxed();
    prop_oneof![
        Just(Fate::Kept),
        Just(Fate::Made),
        Just(Fate::Deleted),
        edits.clone().prop_map(Fate::Edited),
        edits.prop_map(Fate::Moved)
    ]
}

/// Returns the file that is there when the patch comes.
fn there(node: &Node, fate: &Fate) -> Option<Node> {
    let Node::File {
        bytes,
        is_executable,
    } = node
    else {
        return None;
    };
    match fate {
        Fate::Made => None,
        Fate::Kept | Fate::Deleted => Some(node.clone()),
        Fate::Edited(edits) | Fate::Moved(edits) => {
            let front = if bytes.is_empty() { 0 } else { edits.front };
            let front = (0..front).flat_map(|line| format!("in front {line}\n").into_bytes());
            Some(Node::File {
                bytes: front.chain(bytes.iter().copied()).collect(),
                is_executable: *is_executable,
            })
        }
    }
}

/// Returns what a patch says of it.
fn section(name: &[u8], node: &Node, fate: &Fate) -> Vec<u8> {
    let Node::File {
        bytes,
        is_executable,
    } = node
    else {
        return Vec::new();
    };
    let to = match fate {
        Fate::Moved(_) => [b"moved to/".as_slice(), name].concat(),
        _ => name.to_vec(),
    };
    let names = [quoted("a/", name), quoted("b/", &to)];
    let absent = "/dev/null".to_owned();
    let (header, labels, [old, new]) = match fate {
        Fate::Kept => return Vec::new(),
        Fate::Made => (
            format!("new file mode {}\n", mode(*is_executable)),
            [absent, names[1].clone()],
            [vec![], bytes.clone()],
        ),
        Fate::Deleted => (
            format!("deleted file mode {}\n", mode(*is_executable)),
            [names[0].clone(), absent],
            [bytes.clone(), vec![]],
        ),
        Fate::Edited(edits) | Fate::Moved(edits) => {
            let header = change_header([name, &to], *is_executable, edits.is_chmod);
            (
                header,
                names.clone(),
                [bytes.clone(), edited(bytes, &edits.lines)],
            )
        }
    };
    if header.is_empty() && old == new {
        return Vec::new();
    }
    let mut section = format!("diff --git {} {}\n{header}", names[0], names[1]).into_bytes();
    if old != new {
        section.extend(format!("--- {}\n+++ {}\n", labels[0], labels[1]).into_bytes());
    }
    // A whole diff would be written as text.
    for hunk in TextDiff::from_lines(&old[..], &new[..])
        .unified_diff()
        .iter_hunks()
    {
        hunk.to_writer(&mut section).unwrap();
    }
    section
}

fn mode(is_executable: bool) -> &'static str {
    if is_executable { "100755" } else { "100644" }
}

/// Returns the lines of a section that change the mode and the name of a file.
fn change_header([name, to]: [&[u8]; 2], is_executable: bool, is_chmod: bool) -> String {
    let mut header = String::new();
    if is_chmod {
        let _ = write!(
            header,
            "old mode {}\nnew mode {}\n",
            mode(is_executable),
            mode(!is_executable)
        );
    }
    if to != name {
        let _ = write!(
            header,
            "rename from {}\nrename to {}\n",
            quoted("", name),
            quoted("", to)
        );
    }
    header
}

fn edited(bytes: &[u8], edits: &[(Index, Option<Vec<u8>>)]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for (place, line) in edits {
        match (line, lines.len()) {
            (Some(line), count) => lines.insert(
                place.index(count + 1).min(count.saturating_sub(1)),
                line.clone(),
            ),
            (None, 0) => {}
            (None, count) => drop(lines.remove(place.index(count))),
        }
    }
    lines.concat()
}

/// Writes a name as git does where it has to be in quotes.
fn quoted(prefix: &str, name: &[u8]) -> String {
    let mut quoted = format!("\"{prefix}");
    for byte in name {
        let _ = write!(quoted, "\\{byte:03o}");
    }
    quoted + "\""
}
