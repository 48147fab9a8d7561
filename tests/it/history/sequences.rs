//! Random sequences of changes, undos and redos in work trees of git: tree and index are compared
//! with a model each time.
//!
//! The model of a change is computed from the patch; the model of an undo is the state before the
//! change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Stdio;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::patches::{changes, id, mode, patch};
use crate::dice::Dice;
use crate::repository::{git, run as run_git};
use crate::tree::Node;
use model::{How, State};

mod model;

/// Sequences of a usual run. `WPATCH_SEQUENCES=all` runs all.
const USUAL: u64 = 60;
const ALL: u64 = 2000;
const STEPS: usize = 8;

/// An entry of the index: its mode and its blob, or the intention to add a file.
type Index = BTreeMap<String, (String, String)>;

/// A work tree, a root in it, and what was done there.
struct Scene {
    base: TempDir,
    top: PathBuf,
    /// Of the root of changes: empty, or with a slash at the end.
    prefix: &'static str,
    /// The states before each change that holds, the last one at the end.
    before: Vec<State>,
    /// What each undo that can be redone took back, the last one at the end: the state that comes
    /// with the redo.
    undone: Vec<State>,
    told: Vec<String>,
}

impl Scene {
    fn new(kind: usize) -> Self {
        let base = TempDir::new().unwrap();
        let main = base.path().canonicalize().unwrap().join("main");
        fs::create_dir_all(main.join("sub")).unwrap();
        run_git(git(&["init", "-q", "-b", "main"]).arg(&main), b"");
        for name in ["a", "b", "sub/a", "sub/d/x", "outside"] {
            fs::create_dir_all(main.join(name).parent().unwrap()).unwrap();
            fs::write(main.join(name), format!("{name}\n1\n2\n3\n")).unwrap();
        }
        // The root of the second kind always has something in it, and so it stays.
        fs::write(main.join("sub/stays"), "stays\n").unwrap();
        let in_main = |arguments: &[&str]| run_git(git(&["-C"]).arg(&main).args(arguments), b"");
        in_main(&["add", "-A"]);
        in_main(&["commit", "-q", "-m", "1"]);
        let top = match kind {
            2 => {
                in_main(&["worktree", "add", "-q", "../linked"]);
                base.path().canonicalize().unwrap().join("linked")
            }
            _ => main,
        };
        let prefix = if kind == 1 { "sub/" } else { "" };
        Self {
            base,
            top,
            prefix,
            before: Vec::new(),
            undone: Vec::new(),
            told: Vec::new(),
        }
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        run_git(git(&["-C"]).arg(&self.top).args(arguments), b"")
    }

    fn state(&self) -> State {
        let mut tree = crate::tree::read(&self.top);
        tree.retain(|name, _| name.as_bytes() != b".git" && !name.as_bytes().starts_with(b".git/"));
        let mut index = Index::new();
        let list = String::from_utf8(self.git(&["ls-files", "-s", "-z"])).unwrap();
        for line in list.split_terminator('\0') {
            let (head, name) = line.split_once('\t').unwrap();
            let mut words = head.split(' ');
            let (mode, id) = (words.next().unwrap(), words.next().unwrap());
            assert_eq!(words.next(), Some("0"), "a conflict: {line}");
            index.insert(name.to_owned(), (mode.to_owned(), id.to_owned()));
        }
        // Of the entries for empty files, those that are only intended.
        let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let options = [
            "diff-index",
            "--cached",
            "--ita-invisible-in-index",
            "--no-renames",
            "--name-only",
            "-z",
            empty,
        ];
        let real = String::from_utf8(self.git(&options)).unwrap();
        let real: BTreeSet<_> = real.split_terminator('\0').collect();
        for (name, entry) in &mut index {
            if !real.contains(name.as_str()) {
                "intended".clone_into(&mut entry.1);
            }
        }
        State { tree, index }
    }

    /// Runs the program in a directory of the work tree; returns its exit code and its report.
    fn run(&mut self, directory: &str, arguments: &[&str]) -> (Option<i32>, Value) {
        let mut command = crate::world::wpatch();
        command
            .current_dir(self.top.join(directory))
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::null());
        let output = command
            .args(arguments)
            .args(["--json", "--durability", "none"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        self.told.push(format!(
            "{directory} {arguments:?}: {:?} {}",
            output.status.code(),
            report["error"]
        ));
        (output.status.code(), report)
    }

    fn check(&self, expected: &State, seed: u64, patch: &str) {
        let found = self.state();
        assert_eq!(
            &found,
            expected,
            "seed {seed}: {}\n{patch}",
            self.told.join("\n")
        );
    }
}

/// Runs one sequence, and returns how many changes were made and how many of the other steps.
fn sequence(seed: u64) -> (usize, usize) {
    let mut dice = Dice::new(seed + 1);
    let mut scene = Scene::new(usize::try_from(seed % 3).unwrap());
    let mut blobs = BTreeMap::new();
    let (mut made, mut returned) = (0, 0);
    let mut state = scene.state();
    for node in state.tree.values() {
        blobs.insert(format!("{} {}", mode(node), id(node)), node.clone());
    }
    for _ in 0..STEPS {
        let directory = dice.one(&[".", "sub"]);
        let next = match dice.below(10) {
            0..=2 => undo(&mut scene, directory, 1, &state),
            3 => undo(&mut scene, directory, 2, &state),
            4..=5 => redo(&mut scene, directory, &state),
            _ => {
                let next = change(&mut scene, &mut dice, &mut blobs, (&state, seed));
                made += usize::from(next.is_some());
                next
            }
        };
        if let Some(next) = next {
            scene.check(&next, seed, "");
            returned += 1;
            state = next;
        } else {
            scene.check(&state, seed, "nothing was to change");
        }
    }
    (made, returned - made)
}

/// A section that is rejected.
const ABSENT: &str =
    "diff --git a/absent b/absent\n--- a/absent\n+++ b/absent\n@@ -1 +1 @@\n-x\n+y\n";

/// Applies a random patch. Returns the state after it; `None` if it was refused.
fn change(
    scene: &mut Scene,
    dice: &mut Dice,
    blobs: &mut BTreeMap<String, Node>,
    (state, seed): (&State, u64),
) -> Option<State> {
    let how = dice.one(&How::ALL);
    let files = state.files(scene.prefix, how, blobs);
    let changes = changes(dice, &files);
    let mut text = patch(&files, &changes);
    let is_whole = how != How::Reject;
    if !is_whole {
        text.push_str(ABSENT);
    }
    for new in changes.values().flatten() {
        blobs.insert(format!("{} {}", mode(new), id(new)), new.clone());
    }
    let file = scene.base.path().join("p");
    fs::write(&file, &text).unwrap();
    let (file, root) = (file.display().to_string(), scene.prefix);
    let arguments = [&["apply"], how.options(), &[&file]].concat();
    let directory = if root.is_empty() { "." } else { root };
    let (_, report) = scene.run(directory, &arguments);
    if report["transaction"]["id"].is_null() {
        return None;
    }
    let found = scene.state();
    let expected = state.after(root, how, &changes);
    let (mut actual, wanted) = (
        found.clone().without_directories(),
        expected.without_directories(),
    );
    if !is_whole {
        actual
            .tree
            .retain(|name, _| !name.as_bytes().ends_with(b".rej"));
    }
    // What is created and in the index already is merged with that, which other tests compare with
    // git.
    let is_merged = how == How::ThreeWay
        && changes.keys().any(|name| {
            !files.contains_key(name) && state.index.contains_key(&format!("{root}{name}"))
        });
    if !is_merged {
        assert_eq!(
            actual,
            wanted,
            "seed {seed}: {}\n{text}",
            scene.told.join("\n")
        );
    }
    if found == *state {
        // A change that changes nothing is in the history all the same.
        scene.told.push("changed nothing".to_owned());
    }
    scene.before.push(state.clone());
    scene.undone.clear();
    Some(found)
}

/// Undoes `count` changes. Returns the state after it; `None` if there are not so many.
fn undo(scene: &mut Scene, directory: &str, count: usize, state: &State) -> Option<State> {
    let number = count.to_string();
    let options: &[&str] = if count == 1 {
        &["undo"]
    } else {
        &["undo", "--last", &number]
    };
    let (code, _) = scene.run(directory, options);
    if scene.before.len() < count {
        assert_eq!(code, Some(1), "{}", scene.told.join("\n"));
        return None;
    }
    assert_eq!(code, Some(0), "{}", scene.told.join("\n"));
    let first = scene.before.len() - count;
    let before = scene.before.drain(first..).next().unwrap();
    scene.undone.push(state.clone());
    Some(before)
}

/// Redoes what the last undo took back. Returns the state after it; `None` if there is no such
/// undo.
fn redo(scene: &mut Scene, directory: &str, state: &State) -> Option<State> {
    let (code, _) = scene.run(directory, &["redo"]);
    let Some(next) = scene.undone.pop() else {
        assert_eq!(code, Some(1), "{}", scene.told.join("\n"));
        return None;
    };
    assert_eq!(code, Some(0), "{}", scene.told.join("\n"));
    scene.before.push(state.clone());
    Some(next)
}

#[cfg(unix)]
#[test]
fn tree_and_index_are_those_of_the_model_after_each_step() {
    let count = if std::env::var_os("WPATCH_SEQUENCES").is_some_and(|value| value == "all") {
        ALL
    } else {
        USUAL
    };
    let seeds: Vec<_> = (0..count).collect();
    let halves = seeds.len().div_ceil(2);
    let (made, returned) = std::thread::scope(|scope| {
        let threads: Vec<_> = seeds
            .chunks(halves)
            .map(|seeds| {
                scope.spawn(move || {
                    seeds
                        .iter()
                        .map(|&seed| sequence(seed))
                        .fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
                })
            })
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    });
    // The sequences do something.
    assert!(
        made as u64 > count && returned as u64 > count,
        "{made} changes, {returned} undos and redos"
    );
}

#[cfg(unix)]
#[test]
fn a_new_change_ends_what_can_be_redone_also_when_it_was_redone_itself() {
    let mut scene = Scene::new(0);
    let code = |scene: &mut Scene, arguments: &[&str]| scene.run(".", arguments).0;
    assert_eq!(
        code(&mut scene, &["write", "first", "--content", "x"]),
        Some(0)
    );
    assert_eq!(code(&mut scene, &["undo"]), Some(0));
    assert_eq!(
        code(&mut scene, &["write", "second", "--content", "x"]),
        Some(0)
    );
    for arguments in [["undo"], ["redo"], ["undo"], ["redo"]] {
        assert_eq!(code(&mut scene, &arguments), Some(0));
    }
    assert_eq!(code(&mut scene, &["redo"]), Some(1));
    assert!(!scene.top.join("first").exists() && scene.top.join("second").exists());
}
