//! Patches that were damaged as models damage them: repaired to the change that was meant, or
//! refused; never another.

mod created;
mod damage;
mod endings;
mod ends;
mod forms;
mod further;
mod lists;
mod naming;
mod overlay;
mod refusals;
mod reports;
mod strict;
mod table;
mod texts;
mod truncation;

use std::collections::BTreeMap;

use fs_err as fs;
use wpatch::engine::options::Interrupt;
use wpatch::engine::{self, Request};
use wpatch::mode::FileMode;
use wpatch::path::RelPath;
use wpatch::repair::REPAIRS;
use wpatch::syntax::write::{DiffSide, plain_diff};
use wpatch::transaction::Durability;
use wpatch::workspace::memory::{Entry, Memory};

use damage::{DAMAGES, Damaged};
use further::FURTHER;

use crate::dice::Dice;
use crate::run::lenient;

/// Files below `tests/texts` with repeated lines, indentation and texts of several kinds.
const FILES: &[&str] = &[
    "stock.rs.txt",
    "report.py.txt",
    "guide.md.txt",
    "settings.toml.txt",
];

fn texts() -> Vec<String> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts");
    FILES
        .iter()
        .map(|name| fs::read_to_string(directory.join(name)).unwrap())
        .collect()
}

fn path() -> RelPath {
    RelPath::new(b"dir/file.txt").unwrap()
}

/// Changes some places of a text, as people do.
fn edited(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=dice.below(3) {
        let at = dice.below(lines.len());
        match dice.below(3) {
            0 => {
                lines.remove(at);
            }
            1 => {
                let depth: String = lines[at]
                    .chars()
                    .take_while(|character| *character == ' ')
                    .collect();
                lines.insert(
                    at,
                    format!("{depth}added_{} = {};", dice.below(100), dice.below(1000)),
                );
            }
            _ => lines[at] = format!("{} // changed {}", lines[at].trim_end(), dice.below(1000)),
        }
    }
    lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect()
}

fn diff(before: &str, after: &str) -> String {
    let path = path();
    let side = |content| DiffSide {
        path: &path,
        mode: FileMode::Regular,
        content,
        blob: "",
    };
    String::from_utf8(plain_diff(
        &side(before.as_bytes()),
        &side(after.as_bytes()),
    ))
    .unwrap()
}

/// What came of a damaged patch.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    Repaired,
    Refused,
}

fn ending(before: &str, after: &str, patch: &Damaged) -> Result<Ending, String> {
    let content = patch.file.as_deref().unwrap_or(before);
    let memory = Memory::with_files([(path(), Entry::file(content))]);
    let mut request = lenient(patch.text.clone());
    request.commit.transaction.durability = Durability::None;
    let report = engine::apply(request, &memory, &Interrupt::new()).report;
    let found = String::from_utf8(memory.files()[&path()].contents.clone()).unwrap();
    let wanted = patch.result.as_deref().unwrap_or(after);
    match (report.ok, memory.files().len()) {
        (true, 1) if found == wanted => Ok(Ending::Repaired),
        (false, 1) if found == content => Ok(Ending::Refused),
        _ => Err(format!(
            "ok {}\npatch:\n{}\nis:\n{}",
            report.ok,
            patch.text,
            diff(wanted, &found)
        )),
    }
}

/// How a change arrives.
enum Asked {
    Patch(String),
    Edit(Box<Request>),
}

impl Asked {
    fn edit(old: impl Into<Vec<u8>>, new: impl Into<Vec<u8>>) -> Self {
        Self::Edit(Box::new(Request::edit("dir/file.txt", old, new)))
    }
}

/// Returns a file with `content` after a change under `--lenient`; `None` if the change is refused.
fn made(content: &str, asked: Asked) -> Option<String> {
    let memory = Memory::with_files([(path(), Entry::file(content))]);
    let report = match asked {
        Asked::Patch(patch) => {
            let request = lenient(patch);
            engine::apply(request, &memory, &Interrupt::new()).report
        }
        Asked::Edit(mut request) => {
            request.decide.lenient = true;
            engine::apply(*request, &memory, &Interrupt::new()).report
        }
    };
    let found = String::from_utf8(memory.files()[&path()].contents.clone()).unwrap();
    assert!(
        report.ok || found == content,
        "refused, and changed:\n{found}"
    );
    report.ok.then_some(found)
}

#[test]
fn damaged_diffs_are_repaired_or_refused_and_never_make_another_tree() {
    let texts = texts();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for round in 0..ROUNDS {
        let mut dice = Dice::new(round as u64);
        let before = &texts[round % texts.len()];
        let after = edited(before, &mut dice);
        let patch = diff(before, &after);
        if patch.is_empty() {
            continue;
        }
        for (name, damage) in DAMAGES.iter().chain(FURTHER) {
            let Some(damaged) = damage(&patch, before, &after, &mut dice) else {
                continue;
            };
            let count = counts.entry(name).or_default();
            match ending(before, &after, &damaged) {
                Ok(ending) => {
                    count.0 += usize::from(ending == Ending::Repaired);
                    count.1 += 1;
                }
                Err(problem) => wrong.push(format!("{name}, round {round}: {problem}")),
            }
        }
    }
    let all = counts
        .values()
        .fold((0, 0), |all, count| (all.0 + count.0, all.1 + count.1));
    #[allow(clippy::print_stdout, reason = "the rate is a result too")]
    {
        println!("{} of {} repaired, {} wrong", all.0, all.1, wrong.len());
        for (name, (repaired, of)) in &counts {
            println!("{name} {repaired}/{of}");
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
    assert!(all.1 >= 300 && all.0 * 10 >= all.1 * 6, "{all:?}");
}

const ROUNDS: usize = 40;

#[test]
fn the_readme_names_every_repair() {
    let readme =
        fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/models.md"))
            .unwrap();
    let missing: Vec<_> = REPAIRS
        .iter()
        .filter(|(_, name, _)| !readme.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_file_that_only_moves_may_have_any_number_of_lines() {
    let moved = RelPath::new(b"moved").unwrap();
    let large = "\n".repeat(5_000_001);
    let memory = Memory::with_files([
        (path(), Entry::file("1\n")),
        (moved.clone(), Entry::file(&*large)),
    ]);
    let rename = "diff --git a/moved b/there\nrename from moved\nrename to there\n";
    let damaged = "diff --git a/dir/file.txt b/dir/file.txt\n--- a/dir/file.txt\n+++ b/dir/file.txt\n@@\n-1\n+2\n";
    let request = lenient([rename, damaged].concat());
    let report = engine::apply(request, &memory, &Interrupt::new()).report;
    assert!(report.ok, "{:?}", report.problems);
    let there = RelPath::new(b"there").unwrap();
    let lengths: Vec<_> = memory
        .files()
        .iter()
        .map(|(path, file)| (path.clone(), file.contents.len()))
        .collect();
    assert_eq!(lengths, [(path(), 2), (there, large.len())]);
}

#[test]
fn a_report_does_not_blame_files_that_a_repair_makes_fit() {
    let other = RelPath::new(b"dir/other.txt").unwrap();
    let hunk = |name: &str, old: &str| {
        format!("--- a/dir/{name}\n+++ b/dir/{name}\n@@ -7,9 +7,1 @@\n one\n-{old}\n+2\n three\n")
    };
    for (first, second) in [("two", "deux"), ("deux", "two")] {
        let text = "one\ntwo\nthree\n";
        let memory = Memory::with_files([
            (path(), Entry::file(text)),
            (other.clone(), Entry::file(text)),
        ]);
        let patch = [hunk("file.txt", first), hunk("other.txt", second)].concat();
        let request = lenient(patch);
        let report =
            serde_json::to_value(engine::apply(request, &memory, &Interrupt::new()).report)
                .unwrap();
        let blamed: Vec<_> = report["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|problem| &problem["path"])
            .collect();
        let wrong = if first == "deux" {
            "dir/file.txt"
        } else {
            "dir/other.txt"
        };
        assert_eq!(blamed, [wrong], "{report:#}");
        assert!(report["problems"][0]["nearest"].is_object(), "{report:#}");
    }
}
