//! Patches that were cut off, in every grammar: `--lenient` refuses them, or reads them as strict
//! mode does.

use super::*;
use crate::case::{Case, Settings};
use crate::run::{memory, request, tree};
use crate::tree::Tree;

/// The grammars, each with the least number of cuts that are tried.
const GRAMMARS: &[(&str, usize)] = &[
    ("blocks", 50),
    ("codex", 200),
    ("context", 50),
    ("git", 300),
    ("hashline", 100),
    ("json", 50),
    ("normal", 20),
    ("unified", 200),
];

/// Most bytes of a patch that is cut.
const MAX: usize = 4000;

/// Returns what a patch makes of the tree of a case; `None` if it is refused.
fn made(case: &Case, patch: &[u8], is_lenient: bool) -> Option<Tree> {
    let memory = memory(&case.before);
    let settings = Settings {
        lenient: is_lenient,
        ..case.settings.clone()
    };
    let report = engine::apply(request(patch, &settings), &memory, &Interrupt::new()).report;
    let found = tree(&memory);
    assert!(
        report.ok || found == case.before,
        "{}: refused, and changed",
        case.name
    );
    report.ok.then_some(found)
}

/// Returns the lengths at which a patch is cut: after each line, and at some bytes.
fn cuts(patch: &[u8], dice: &mut Dice) -> Vec<usize> {
    let lines = patch
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1);
    let bytes = (0..8).map(|_| dice.below(patch.len() - 1) + 1);
    let mut cuts: Vec<_> = lines
        .chain(bytes)
        .filter(|&end| end < patch.len())
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

#[cfg(unix)]
#[test]
fn a_patch_that_was_cut_off_is_refused_or_read_as_in_strict_mode() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut wrong, mut dice) = (Vec::new(), Dice::new(28));
    for (grammar, _) in GRAMMARS {
        // What `--whitespace` fixes depends on the form of the diff, which a repair changes.
        let is_other = |settings: &Settings| {
            settings.lenient || settings.recount || settings.whitespace.is_some()
        };
        let is_plain = |case: &&Case| case.after.is_some() && !is_other(&case.settings);
        for case in Case::of(grammar)
            .iter()
            .filter(is_plain)
            .filter(|case| case.patch.len() < MAX)
        {
            let whole = made(case, &case.patch, false);
            for end in cuts(&case.patch, &mut dice) {
                let patch = &case.patch[..end];
                let count = counts.entry(grammar).or_default();
                count.0 += 1;
                let Some(lenient) = made(case, patch, true) else {
                    continue;
                };
                count.1 += 1;
                // A last line without its newline is read as a complete one. In quoted-printable,
                // the patch can end before a soft line break.
                let strict =
                    [&b""[..], b"\n", b"\n\n"].map(|end| made(case, &[patch, end].concat(), false));
                if whole.as_ref() != Some(&lenient) && !strict.contains(&Some(lenient)) {
                    wrong.push(format!(
                        "{}, cut at {end}:\n{}",
                        case.name,
                        String::from_utf8_lossy(patch)
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n\n")
    );
    for (grammar, least) in GRAMMARS {
        assert!(counts[grammar].0 >= *least, "{counts:?}");
    }
}
