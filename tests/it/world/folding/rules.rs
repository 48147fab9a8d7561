//! The rules for names of APFS, HFS+, NTFS and ext4, one by one.

use super::driver::Rules;
use super::{Tree, create, delete, modify, rename};
use crate::alone::may_mount;
use crate::world::images::{Mounted, says};

/// `\u{e9}`, composed and decomposed.
const COMPOSED: &str = "caf\u{e9}";
const DECOMPOSED: &str = "cafe\u{301}";

const APFS: Rules = Rules {
    folds_case: true,
    folds_normalization: true,
    decomposes: false,
    lacks_flags: false,
    ignores_modes: false,
};
const HFS_PLUS: Rules = Rules {
    decomposes: true,
    lacks_flags: true,
    ..APFS
};
const NTFS: Rules = Rules {
    folds_normalization: false,
    lacks_flags: true,
    ignores_modes: true,
    ..APFS
};
/// APFS with the option to tell case apart.
const NORMALIZING: Rules = Rules {
    folds_case: false,
    ..APFS
};

/// Returns a name, as it is stored, whose other spellings tell what the file system does.
fn known_name(rules: Rules) -> &'static str {
    if rules.decomposes {
        "sta\u{308}ys"
    } else {
        "st\u{e4}ys"
    }
}

/// Calls `test` with each file system that has rules like `is_included` wants.
fn on_each(name: &str, test: impl Fn(Rules, &Mounted)) {
    if may_mount(&format!("world::folding::rules::{name}")) {
        for rules in [APFS, HFS_PLUS, NTFS, NORMALIZING] {
            test(rules, &Mounted::with_rules(rules));
        }
    }
}

#[test]
fn two_spellings_of_one_name_are_not_both_created() {
    on_each(
        "two_spellings_of_one_name_are_not_both_created",
        |rules, mounted| {
            let pairs = [
                (rules.folds_case, "Case.txt", "case.txt"),
                (rules.folds_case, "New/x", "new/y"),
                // Names that differ only in their normal form are refused on each file system that folds.
                (true, COMPOSED, DECOMPOSED),
                (true, "CAF\u{c9}", DECOMPOSED),
            ];
            for (is_one, first, second) in pairs {
                // An existing name of the same kind tells what the file system does.
                let known = [("stays", "one\n"), (known_name(rules), "one\n")];
                let both = [create(first, "1"), create(second, "2")].concat();
                if is_one {
                    let tree = Tree::new(mounted, &known);
                    tree.refuses(&both, "wpatch::path::folded", "are the same name");
                } else {
                    let root = mounted.root(&known);
                    for command in ["check", "apply"] {
                        let report = says(&root, &[command], &both);
                        assert_eq!(report["exit_code"], 0, "{rules:?} {first} {report:#}");
                    }
                    fs_err::remove_dir_all(&root).unwrap();
                }
            }
        },
    );
}

#[test]
fn an_existing_file_keeps_its_spelling() {
    on_each("an_existing_file_keeps_its_spelling", |rules, mounted| {
        let stored = if rules.decomposes {
            DECOMPOSED
        } else {
            COMPOSED
        };
        let tree = || {
            let root = mounted.root(&[("README", "one\n"), (COMPOSED, "one\n")]);
            assert_eq!(says(&root, &["init"], "")["exit_code"], 0);
            Tree {
                root,
                before: super::of(&[("README", "one\n"), (stored, "one\n")]),
            }
        };
        if rules.folds_case {
            let after = [("README", "two\n"), (stored, "one\n")];
            tree().becomes(&[], &modify("readme"), &after);
            tree().becomes(&[], &delete("Readme"), &[(stored, "one\n")]);
        }
        if rules.folds_normalization {
            let after = [("README", "one\n"), (stored, "two\n")];
            tree().becomes(&[], &modify(DECOMPOSED), &after);
            tree().becomes(&[], &modify(COMPOSED), &after);
            tree().becomes(&[], &delete(DECOMPOSED), &[("README", "one\n")]);
        }
    });
}

#[test]
fn a_name_changes_its_spelling() {
    on_each("a_name_changes_its_spelling", |rules, mounted| {
        let file = ("a.txt", "one\n");
        if rules.folds_case {
            for patch in [
                rename("a.txt", "A.txt"),
                [delete("a.txt"), create("A.txt", "one")].concat(),
                [create("A.txt", "one"), delete("a.txt")].concat(),
            ] {
                Tree::new(mounted, &[file]).becomes(&[], &patch, &[("A.txt", "one\n")]);
            }
        }
        if rules.folds_normalization && !rules.decomposes {
            Tree::new(mounted, &[(COMPOSED, "one\n")]).becomes(
                &[],
                &rename(COMPOSED, DECOMPOSED),
                &[(DECOMPOSED, "one\n")],
            );
        }
    });
}

#[test]
fn git_and_the_policy_are_closed_in_every_spelling() {
    const POLICY: &str = "[[rule]]\npaths = [\".env\", \"caf\u{e9}\"]\nverdict = \"deny\"\n";
    on_each(
        "git_and_the_policy_are_closed_in_every_spelling",
        |rules, mounted| {
            let root = mounted.root(&[
                ("wpatch.toml", POLICY),
                (".env", "one\n"),
                (known_name(rules), "one\n"),
            ]);
            let closed = [".GIT/config", ".Git/hooks/x", ".g\u{200c}it/config"]
                .map(|name| create(name, "x"));
            let denied = [
                (true, modify(".env")),
                (rules.folds_case, modify(".ENV")),
                (rules.folds_normalization, create(DECOMPOSED, "x")),
                (rules.folds_case, create("CAF\u{c9}", "x")),
            ];
            let denied = denied.iter().filter(|(is_one, _)| *is_one);
            for patch in closed.iter().chain(denied.map(|(_, patch)| patch)) {
                for command in ["check", "apply"] {
                    let report = says(&root, &[command], patch);
                    assert_eq!(report["exit_code"], 3, "{rules:?} {patch}{report:#}");
                }
            }
            fs_err::remove_dir_all(&root).unwrap();
        },
    );
}
