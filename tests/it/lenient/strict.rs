//! What applies without repairs is the same change with `--lenient`.

use super::*;
use crate::case::{Case, Settings};
use crate::run::{memory, request, tree};
use crate::tree::Tree;

/// Grammars of fixtures.
const GRAMMARS: &[&str] = &[
    "blocks", "codex", "context", "git", "hashline", "json", "mail", "normal", "unified",
];

/// Fixtures that `--lenient` refuses: equal places where nothing but the line number decides, and
/// halves of a context diff that are left out and make its last hunk look cut off.
const REFUSED: &[&str] = &["unified/class-05-repeated-blocks", "context/no-context"];

/// Returns the tree of a case after its patch, or the message of the refusal.
fn applied(case: &Case, is_lenient: bool) -> Result<Tree, String> {
    let memory = memory(&case.before);
    let settings = Settings {
        lenient: is_lenient,
        ..case.settings.clone()
    };
    let report = engine::apply(request(&case.patch, &settings), &memory, &Interrupt::new()).report;
    if report.ok {
        Ok(tree(&memory))
    } else {
        Err(format!("{:?}", report.error))
    }
}

#[test]
fn each_fixture_that_applies_is_the_same_change_with_repairs() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for case in GRAMMARS.iter().flat_map(|grammar| Case::of(grammar)) {
        // What `--whitespace` fixes depends on the form of the diff, which a repair changes.
        if case.settings.lenient || case.settings.whitespace.is_some() {
            continue;
        }
        let Ok(strict) = applied(&case, false) else {
            continue;
        };
        count += 1;
        match applied(&case, true) {
            Ok(lenient) if lenient == strict => {}
            Ok(_) => wrong.push(format!("{}: another tree", case.name)),
            Err(_) if REFUSED.contains(&&*case.name) => {}
            Err(message) => wrong.push(format!("{}: {message}", case.name)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 100, "{count}");
}

/// Returns a file after a patch without repairs.
pub(super) fn strictly(content: &str, patch: &str) -> Option<String> {
    let memory = Memory::with_files([(path(), Entry::file(content))]);
    let report = engine::apply(Request::of(patch.to_owned()), &memory, &Interrupt::new()).report;
    report
        .ok
        .then(|| String::from_utf8(memory.files()[&path()].contents.clone()).unwrap())
}

/// Returns complete patches, with text after them or with markers in their lines.
fn complete_patches() -> Vec<String> {
    let name = "dir/file.txt";
    let diff = |hunk: &str| format!("--- a/{name}\n+++ b/{name}\n{hunk}");
    let git = |hunk: &str| format!("diff --git a/{name} b/{name}\n{}", diff(hunk));
    let hunk = "@@ -1,3 +1,3 @@\n a\n-# ...\n+x\n b\n";
    let block = |old: &str, new: &str| {
        format!("{name}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
    };
    let tails = [
        "## Summary\n- changed x\n",
        "Notes:\n- one\n+ two\n",
        "> quote\n- a\n",
        "```\n+ x\n",
        "```\n## Changes\n+ x\n- y\n",
        "Done.\n\n- b\n",
    ];
    let mut patches: Vec<_> = tails
        .iter()
        .flat_map(|tail| {
            [
                diff(hunk) + tail,
                git(hunk) + tail,
                format!("```diff\n{}{tail}", diff(hunk)),
            ]
        })
        .collect();
    for hunk in [
        "@@ -3,2 +3,3 @@\n b\n-c\n+C\n+...\n",
        "@@ -3,2 +3,3 @@\n b\n c\n+...\n",
    ] {
        patches.extend([diff(hunk), git(hunk)]);
    }
    patches.extend([
        block("a\n# ...\nb\n", "A\n# ...\nB\n"),
        block("a\n# ...\nb\n", "# ...\nb\n"),
    ]);
    patches
}

#[test]
fn a_complete_patch_is_applied_whatever_text_or_marker_it_has() {
    let patches = complete_patches();
    let file = "a\n# ...\nb\nc\n";
    let mut wrong = Vec::new();
    for patch in &patches {
        let (strict, lenient) = (
            strictly(file, patch),
            made(file, Asked::Patch(patch.clone())),
        );
        if strict.is_none() || strict != lenient {
            wrong.push(format!(
                "{patch}\nis {lenient:?}, and without repairs {strict:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        patches.len(),
        wrong.join("\n")
    );
    let marker = "a\n# ... existing code ...\nb\n";
    let (old, new) = (
        "a\n# ... existing code ...\nb\n",
        "A\n# ... existing code ...\nB\n",
    );
    assert_eq!(made(marker, Asked::edit(old, new)).as_deref(), Some(new));
}
