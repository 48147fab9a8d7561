//! The results do not depend on how busy the machine is.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fs_err as fs;
use serde_json::json;
use wpatch::text::tag::HashlineTag;

use crate::dice::Dice;
use crate::systems::{Desk, fed, program};

/// Lines of each text: enough that a comparison takes hundreds of milliseconds without
/// optimization.
const COUNT: usize = 5000;

/// The line that a patch names by its number.
const NAMED: &str = "the only one\n";

/// Texts whose lines occur many times, so that comparing them takes long.
struct Texts {
    base: Vec<String>,
    /// Differs from `base` in a third of the lines.
    ours: Vec<String>,
    /// Has nothing to do with the others.
    theirs: Vec<String>,
}

impl Texts {
    fn new() -> Self {
        let mut dice = Dice::new(71);
        let mut base: Vec<_> = (0..COUNT)
            .map(|_| format!("line {}\n", dice.below(40)))
            .collect();
        base.insert(COUNT / 2, NAMED.to_owned());
        let mut ours = Vec::new();
        for line in &base {
            match dice.below(6) {
                0 if line != NAMED => {}
                1 => ours.extend([line.clone(), format!("line {}\n", dice.below(40))]),
                _ => ours.push(line.clone()),
            }
        }
        let theirs = (0..COUNT)
            .map(|_| format!("line {}\n", dice.below(40)))
            .collect();
        Self { base, ours, theirs }
    }

    /// Returns a patch of `name` whose only hunk replaces all lines.
    fn patch(name: &str, old: &[String], new: &[String]) -> String {
        let mut patch = format!(
            "--- a/{name}\n+++ b/{name}\n@@ -1,{} +1,{} @@\n",
            old.len(),
            new.len()
        );
        for (sign, lines) in [('-', old), ('+', new)] {
            for line in lines {
                write!(patch, "{sign}{line}").unwrap();
            }
        }
        patch
    }
}

/// Returns what every command prints for the same inputs, each with its exit code.
fn printed(desk: &Desk, texts: &Texts) -> Vec<(String, Option<i32>, Vec<u8>)> {
    let base = texts.base.concat();
    let whole = Texts::patch("b", &texts.base, &texts.theirs);
    let job = json!({"root": desk.root(), "patch": whole.as_str()});
    let damaged = whole.replacen(&format!("+1,{} @@", texts.theirs.len()), "+1 @@", 1);
    let relocated = format!(
        "[a#{}]\nPUT {n}.={n}:\n+the new one\n",
        HashlineTag::of(base.as_bytes()),
        n = COUNT / 2 + 1
    );
    let json = &["--json", "--deterministic"][..];
    let runs: [(&[&str], &str); 6] = [
        (
            &["check", "--batch", "--deterministic", "--with-diff"],
            &format!("{job}\n"),
        ),
        (&["show", "-"], &whole),
        (
            &["check", "--with-diff", "--format", "hashline", "--relocate"],
            &relocated,
        ),
        (
            &["check", "--with-diff", "--3way", "--base", "../base", "-p1"],
            &whole.replace("a/b", "a/a").replace("b/b", "b/a"),
        ),
        (&["check", "--with-diff", "--merge"], &whole),
        (&["check", "--with-diff", "--lenient"], &damaged),
    ];
    let run = |&(arguments, input): &(&[&str], &str)| {
        let is_report = arguments[0] == "check" && !arguments.contains(&"--batch");
        let arguments = [arguments, if is_report { json } else { &[] }].concat();
        let output = fed(&mut program(&desk.root(), &arguments), input.as_bytes());
        (
            arguments.join(" "),
            output.status.code(),
            [output.stdout, output.stderr].concat(),
        )
    };
    runs.iter().map(run).collect()
}

/// Calls `work` while every processor has twice as many threads as it can run.
fn under_load<R>(work: impl FnOnce() -> R) -> R {
    let is_done = AtomicBool::new(false);
    let count = 2 * thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8);
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        is_done.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn a_busy_machine_changes_no_byte_of_the_output() {
    let texts = Texts::new();
    let base = texts.base.concat();
    let desk = Desk::with(&[
        ("a", base.as_bytes()),
        ("b", base.as_bytes()),
        ("../base", base.as_bytes()),
    ]);
    desk.does(&["init"], b"");
    desk.does(
        &["apply"],
        Texts::patch("a", &texts.base, &texts.ours).as_bytes(),
    );
    let idle = printed(&desk, &texts);
    let busy = under_load(|| printed(&desk, &texts));
    for (idle, busy) in idle.iter().zip(&busy) {
        assert!(
            idle.2.len() > 1000 || idle.1 == Some(0),
            "{}: {}",
            idle.0,
            String::from_utf8_lossy(&idle.2)
        );
        assert_eq!(idle.1, busy.1, "{}", idle.0);
        assert!(
            idle.2 == busy.2,
            "the output of `{}` depends on the load",
            idle.0
        );
    }
    assert_eq!(fs::read(desk.path("b")).unwrap(), base.as_bytes());
    let codes: Vec<_> = idle.iter().map(|(_, code, _)| *code).collect();
    assert_eq!(
        codes,
        [Some(0), Some(0), Some(0), Some(1), Some(0), Some(0)]
    );
}
