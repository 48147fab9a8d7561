//! What is said of patches that cannot be repaired: the nearest place and the first line that
//! differs, in few bytes.

use std::process::Stdio;

use serde_json::{Value, json};

use super::*;
use crate::systems::Desk;

/// Most bytes of what is said of one hunk.
const MAX: usize = 1200;

/// A way to make a patch that does not fit; `None` where it cannot be made so.
type Way = fn(&str, &mut Dice) -> Option<String>;

/// Every way, and whether the file has a place that is like it.
const WAYS: &[(&str, bool, Way)] = &[
    ("another word", true, |patch, _| {
        changed(patch, &['-', ' '], |line| format!("{line} indeed"))
    }),
    ("another case", true, |patch, _| {
        changed(patch, &['-', ' '], |line| {
            format!("{}{}", &line[..1], line[1..].to_uppercase())
        })
    }),
    ("joined words", true, |patch, _| {
        changed(patch, &['-', ' '], |line| {
            format!("{}{}", &line[..1], line[1..].trim().replace(' ', ""))
        })
    }),
    ("bare header", true, |patch, dice| {
        Some(bare(&WAYS[0].2(patch, dice)?))
    }),
    ("wrong counts", true, |patch, dice| {
        let patch = WAYS[0].2(patch, dice)?;
        Some(
            patch
                .lines()
                .map(|line| {
                    if line.starts_with("@@") {
                        "@@ -7,99 +7,99 @@\n".into()
                    } else {
                        format!("{line}\n")
                    }
                })
                .collect(),
        )
    }),
    ("envelope", true, |patch, dice| {
        let patch = bare(&WAYS[0].2(patch, dice)?);
        let body: String = patch.split_inclusive('\n').skip(2).collect();
        Some(format!(
            "*** Begin Patch\n*** Update File: dir/file.txt\n{body}*** End Patch ***\n"
        ))
    }),
    ("fence", true, |patch, dice| {
        let patch = bare(&WAYS[0].2(patch, dice)?);
        Some(format!("Here:\n```diff\n{patch}```\n"))
    }),
    ("a long line", true, |patch, _| {
        changed(patch, &['-', ' '], |line| {
            format!("{line}{}", "\u{1b}[31m\"\\ \u{e9}".repeat(200))
        })
    }),
    ("a gap that is added", false, |patch, _| {
        changed(&bare(patch), &['+'], |_| {
            "+// ... existing code ...".to_owned()
        })
    }),
    ("nothing that is there", false, |patch, _| {
        let other = |line: &str| {
            if line.starts_with([' ', '-']) && !line.starts_with("---") {
                "-zzz\n".into()
            } else {
                format!("{line}\n")
            }
        };
        Some(patch.lines().map(other).collect())
    }),
];

/// Changes the first line that begins with one of `signs` and says enough to be known again.
fn changed(patch: &str, signs: &[char], change: impl Fn(&str) -> String) -> Option<String> {
    let is_one = |line: &&str| {
        line.starts_with(signs)
            && !line.starts_with("---")
            && !line.starts_with("+++")
            && line.trim().contains(' ')
    };
    let line = patch.lines().find(|line| is_one(line) && line.len() > 12)?;
    let new = change(line);
    (new != line).then(|| patch.replacen(&format!("{line}\n"), &format!("{new}\n"), 1))
}

/// Takes the numbers off, so that only a repair can read it.
fn bare(patch: &str) -> String {
    let line = |line: &str| {
        if line.starts_with("@@") {
            "@@\n".to_owned()
        } else {
            format!("{line}\n")
        }
    };
    patch.lines().map(line).collect()
}

fn refusal(before: &str, patch: &str) -> Value {
    let memory = Memory::with_files([(path(), Entry::file(before))]);
    let request = lenient(patch);
    let report = engine::apply(request, &memory, &Interrupt::new()).report;
    assert!(
        !report.ok && memory.files()[&path()].contents == before.as_bytes(),
        "{patch}"
    );
    serde_json::to_value(report).unwrap()
}

/// Returns what the program prints of the refusal.
fn told(before: &str, patch: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("dir")).unwrap();
    fs::write(directory.path().join("dir/file.txt"), before).unwrap();
    fs::write(directory.path().join("patch"), patch).unwrap();
    let output = crate::world::wpatch()
        .args(["apply", "--lenient", "--root"])
        .args([directory.path(), &directory.path().join("patch")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// Returns the errors, each with the hunk that it speaks of.
fn errors(report: &Value) -> Vec<(Value, Value)> {
    let hunks: Vec<&Value> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| file["hunks"].as_array().unwrap())
        .collect();
    let errors = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["severity"] == "error");
    let hunk = |problem: &Value| {
        hunks
            .iter()
            .find(|hunk| hunk["id"] == problem["hunk"])
            .map_or(Value::Null, |it| (*it).clone())
    };
    errors
        .map(|problem| (problem.clone(), hunk(problem)))
        .collect()
}

/// Asserts that a report is short, and names a nearest place for each hunk that fits nowhere;
/// returns how many do.
fn check(name: &str, has_place: bool, report: &Value, patch: &str) -> usize {
    let mut count = 0;
    for (problem, hunk) in errors(report) {
        for part in [&problem, &hunk] {
            let length = part.to_string().len();
            assert!(length <= MAX, "{name}: {length} bytes: {part}");
        }
        if problem["kind"] == "not_found" {
            count += 1;
            let nearest = if problem["nearest"].is_null() {
                &hunk["nearest"]
            } else {
                &problem["nearest"]
            };
            let difference = &nearest["first_difference"];
            assert!(
                !has_place || difference["file_line"].is_u64(),
                "{name}: {problem} {hunk}\n{patch}"
            );
        }
    }
    assert!(
        report["error"]["kind"] != "not_found"
            || !has_place
            || report["error"]["nearest"].is_object(),
        "{name}"
    );
    count
}

#[test]
fn a_refusal_names_the_nearest_place_in_few_bytes() {
    let texts = texts();
    let (mut refused, mut named, mut longest) = (0, 0, 0);
    for round in 0..20 {
        let mut dice = Dice::new(round as u64 + 1000);
        let before = &texts[round % texts.len()];
        let patch = diff(before, &edited(before, &mut dice));
        for (name, has_place, way) in WAYS {
            let Some(patch) = way(&patch, &mut dice) else {
                continue;
            };
            let report = refusal(before, &patch);
            named += check(name, *has_place, &report, &patch);
            let text = told(before, &patch);
            let most = MAX * errors(&report).len();
            assert!(
                text.len() <= most,
                "{name}: {} of {most} bytes:\n{text}\n{patch}",
                text.len()
            );
            longest = longest.max(text.len() / errors(&report).len());
            refused += 1;
        }
    }
    #[allow(clippy::print_stdout, reason = "the sizes are a result too")]
    {
        println!(
            "{refused} refused, {named} with hunks that fit nowhere, at most {longest} bytes of text for each"
        );
    }
    assert!(refused >= 100 && named >= 100, "{refused} {named}");
}

#[test]
fn a_refusal_says_why_the_line_differs() {
    let file = "one\ntwo  words\nit\u{2019}s three\nfour\nFive\n";
    let lines = [
        (2, "-twowords\n", json!("whitespace")),
        (3, "-its' three x\n", json!(null)),
        (5, "-five\n", json!("case")),
    ];
    for (number, line, reason) in lines {
        let context: Vec<_> = file.lines().collect();
        let patch = format!(
            "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@\n {}\n{line}+x\n",
            context[number - 2]
        );
        let report = refusal(file, &patch);
        let difference = &report["problems"][0]["nearest"]["first_difference"];
        assert_eq!(
            json!([difference["reason"], difference["file_line"]]),
            json!([reason, number]),
            "{report:#}"
        );
        assert_eq!(difference["patch_line"], 5);
    }
    let applied = refusal(
        file,
        "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@\n one\n-zwei\n+two  words\n it\u{2019}s three\n",
    );
    assert_eq!(
        json!([applied["error"]["code"], applied["error"]["lines"]]),
        json!(["wpatch::hunk::already_applied", [1]])
    );
}

/// Repairs have a limit of steps, which lines that are all the same use up.
#[test]
fn a_patch_that_fits_is_applied_where_repairs_would_take_too_long() {
    let lines = |count: usize| " 0,\n".repeat(count);
    let patch = |old: &str| {
        format!(
            "--- a/x\n+++ b/x\n@@ -1,2000 +1,2000 @@\n{}-{old}\n+1,\n{}",
            lines(1000),
            lines(999)
        )
    };
    let desk = Desk::with(&[("x", "0,\n".repeat(100_000).as_bytes())]);
    let refused = desk.runs(&["apply", "--lenient"], patch("2,").as_bytes());
    assert_eq!(
        refused.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&refused.stderr)
    );
    let applied = desk.runs(&["apply", "--lenient"], patch("0,").as_bytes());
    assert_eq!(
        applied.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&applied.stderr)
    );
    assert_eq!(
        desk.bytes("x"),
        [
            "0,\n".repeat(1000),
            "1,\n".to_owned(),
            "0,\n".repeat(98_999)
        ]
        .concat()
        .into_bytes()
    );
}
