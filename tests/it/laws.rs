//! Laws that hold for every patch and every tree, tried on made-up ones. The seeds are fixed.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;

use crate::case::{Case, Settings};
use crate::run;
use crate::tree::{Node, Tree, path};
use generators::{diff, named_sections, sections, tree_to_hit, two_trees};

mod generators;

fn config(seed: u64, cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config(1, 200))]

    #[test]
    fn a_diff_leads_there_and_back((before, after) in two_trees()) {
        let patch = diff(&before, &after);
        prop_assume!(!patch.is_empty());
        let memory = run::memory(&before);
        let checked = run::check(&memory, &patch, &Settings::default());
        let applied = run::apply(&memory, &patch, &Settings::default());
        prop_assert_eq!(verdict(&checked), verdict(&applied));
        prop_assert!(is_ok(&applied), "{:#}", applied);
        prop_assert_eq!(run::tree(&memory), after);
        let back = run::apply(&memory, &patch, &Settings { reverse: true, ..Settings::default() });
        prop_assert!(is_ok(&back), "{:#}", back);
        prop_assert_eq!(run::tree(&memory), before);
    }

    #[test]
    fn what_is_shown_leads_to_the_same_tree((before, middle) in two_trees(), (_, after) in two_trees()) {
        // A patch for each step, and the second sees what the first one leaves.
        let patches = [diff(&before, &middle), diff(&middle, &after)];
        let mut request = run::request(b"", &Settings::default());
        let texts: Vec<_> = patches.into_iter().filter(|patch| !patch.is_empty()).map(|patch| ("-".into(), patch.into())).collect();
        prop_assume!(!texts.is_empty());
        request.what = wpatch::engine::Request::of_all(texts).what;
        let memory = run::memory(&before);
        let shown = wpatch::engine::preview(request, &memory);
        prop_assert!(shown.report.ok, "{:?}", shown.report.error);
        let shown = shown.diffs().map(Result::unwrap).collect::<Vec<_>>().concat();
        if !shown.is_empty() {
            let report = run::apply(&memory, &shown, &Settings::default());
            prop_assert!(is_ok(&report), "{:#}\n{}", report, String::from_utf8_lossy(&shown));
        }
        prop_assert_eq!(run::tree(&memory), after);
    }

    #[test]
    fn a_patch_is_never_applied_twice((before, after) in two_trees()) {
        let patch = diff(&before, &after);
        prop_assume!(!patch.is_empty());
        let memory = run::memory(&after);
        let again = run::apply(&memory, &patch, &Settings::default());
        prop_assert!(!is_ok(&again) || again["changed"] == false, "{:#}", again);
        prop_assert_eq!(run::tree(&memory), after);
    }

    #[test]
    fn the_files_of_the_report_are_those_that_differ((before, after) in two_trees()) {
        let patch = diff(&before, &after);
        prop_assume!(!patch.is_empty());
        let memory = run::memory(&before);
        let report = run::check(&memory, &patch, &Settings::default());
        let told: BTreeSet<_> = report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
        let names: BTreeSet<_> = before.keys().chain(after.keys()).map(ToString::to_string).collect();
        let differs = |name: &&String| at(&before, name) != at(&after, name);
        prop_assert_eq!(told, names.iter().filter(differs).map(String::as_str).collect());
    }

    #[test]
    fn the_order_of_sections_does_not_matter((before, after) in two_trees(), turn in any::<Index>()) {
        let mut sections = sections(&before, &after);
        prop_assume!(sections.len() > 1);
        let turn = turn.index(sections.len());
        sections.rotate_left(turn);
        sections.swap(0, 1);
        let memory = run::memory(&before);
        let report = run::apply(&memory, &sections.concat(), &Settings::default());
        prop_assert!(is_ok(&report), "{:#}", report);
        prop_assert_eq!(run::tree(&memory), after);
    }

    #[test]
    fn a_transaction_for_each_file_gives_the_same_tree((before, after) in two_trees()) {
        let memory = run::memory(&before);
        for section in sections(&before, &after) {
            let report = run::apply(&memory, &section, &Settings::default());
            prop_assert!(is_ok(&report), "{:#}", report);
        }
        prop_assert_eq!(run::tree(&memory), after);
    }

    #[test]
    fn a_hunk_follows_lines_that_were_put_in_front(edits in vec(5..35_usize, 1..5), front in 1..30_usize) {
        let file = |edited: bool, front: usize| {
            let line = |number| format!("line {number}{}\n", if edited && edits.contains(&number) { " changed" } else { "" });
            let lines = (0..front).map(|number| format!("in front {number}\n")).chain((1..=40).map(line));
            Tree::from([(path("a"), Node::file(lines.collect::<String>()))])
        };
        let patch = diff(&file(false, 0), &file(true, 0));
        let memory = run::memory(&file(false, front));
        let report = run::apply(&memory, &patch, &Settings::default());
        prop_assert!(is_ok(&report), "{:#}", report);
        prop_assert_eq!(report["files"][0]["hunks"][0]["offset"].as_u64(), u64::try_from(front).ok());
        prop_assert_eq!(run::tree(&memory), file(true, front));
    }

    #[test]
    fn a_prefix_and_a_strip_level_are_the_same((before, after) in two_trees(), level in 0..4_usize) {
        let below = |tree: &Tree| -> Tree {
            tree.iter().map(|(name, node)| (path(&format!("x/y/{name}")), node.clone())).collect()
        };
        let prefix = "p/".repeat(level);
        let patch: Vec<_> = named_sections(&before, &after, &prefix, &prefix).concat();
        prop_assume!(!patch.is_empty());
        let memory = run::memory(&below(&before));
        let settings = Settings { strip: Some(level), directory: Some("x/y".into()), ..Settings::default() };
        let report = run::apply(&memory, &patch, &settings);
        prop_assert!(is_ok(&report), "{:#}", report);
        prop_assert_eq!(run::tree(&memory), below(&after));
    }
}

proptest! {
    #![proptest_config(config(2, 1000))]

    #[test]
    fn any_bytes_are_refused_or_applied_as_a_whole(patch in vec(piece(), 0..12)) {
        harmless(&tree_to_hit(), &patch.concat(), &Settings::default())?;
    }

    #[test]
    fn a_damaged_case_is_refused_or_applied_as_a_whole(case in select(Case::all()), damage in vec(damage(), 1..4)) {
        let mut patch = case.patch.clone();
        for damage in &damage {
            damage.strike(&mut patch);
        }
        harmless(&case.before, &patch, &case.settings)?;
    }
}

/// Asserts that check and apply agree, and that a refused patch leaves the tree as it was.
fn harmless(before: &Tree, patch: &[u8], settings: &Settings) -> Result<(), TestCaseError> {
    let memory = run::memory(before);
    let checked = run::check(&memory, patch, settings);
    let applied = run::apply(&memory, patch, settings);
    prop_assert_eq!(verdict(&checked), verdict(&applied));
    if !is_ok(&applied) {
        prop_assert_eq!(&run::tree(&memory), before);
    }
    Ok(())
}

fn is_ok(report: &Value) -> bool {
    report["ok"] == true
}

fn verdict(report: &Value) -> [&Value; 4] {
    ["ok", "exit_code", "plan_id", "problems"].map(|key| &report[key])
}

fn at<'a>(tree: &'a Tree, name: &str) -> Option<&'a Node> {
    tree.get(name.as_bytes())
}

/// Pieces of patches: often something that a parser looks for, sometimes anything.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    const WORDS: &[&str] = &[
        "diff --git a/a b/a\n",
        "diff --git a/n b/n\n",
        "--- a/a\n",
        "+++ b/a\n",
        "--- /dev/null\n",
        "+++ /dev/null\n",
        "@@ -1,3 +1,3 @@\n",
        "@@ -1 +1 @@\n",
        "@@ -0,0 +1 @@\n",
        "@@ -18446744073709551615,9 +1 @@\n",
        " one\n",
        "-two\n",
        "+2\n",
        " three\n",
        "-one\n",
        "\\ No newline at end of file\n",
        "new file mode 100644\n",
        "new file mode 120000\n",
        "deleted file mode 100644\n",
        "old mode 100644\n",
        "new mode 100755\n",
        "rename from a\n",
        "rename to n\n",
        "copy from a\n",
        "copy to d/n\n",
        "index 0000000..1111111 100644\n",
        "GIT binary patch\n",
        "literal 3\n",
        "delta 9\n",
        "KcmZQzfB*mh\n",
        "\n",
        "*** Begin Patch\n",
        "*** End Patch\n",
        "*** Update File: a\n",
        "*** Add File: n\n",
        "*** Delete File: a\n",
        "*** Move to: m\n",
        "@@\n",
        "@@ one\n",
        "*** End of File\n",
        "From 0123456789 Mon Sep 17 00:00:00 2001\n",
        "-- \n",
        "../x",
        "\"a/\\303\"",
    ];
    let word = select(WORDS).prop_map(|word| word.as_bytes().to_vec());
    prop_oneof![9 => word, 1 => vec(any::<u8>(), 0..20)]
}

/// Something that goes wrong with a text on its way.
#[derive(Clone, Debug)]
enum Damage {
    Byte(Index, u8),
    Cut(Index),
    TakeLine(Index),
    TwiceLine(Index),
    SwapLines(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<Index>();
    prop_oneof![
        (place, select(b"0 9-+@\\\n/.\"x\0\xff".as_slice()))
            .prop_map(|(place, byte)| Damage::Byte(place, byte)),
        any::<Index>().prop_map(Damage::Cut),
        any::<Index>().prop_map(Damage::TakeLine),
        any::<Index>().prop_map(Damage::TwiceLine),
        any::<Index>().prop_map(Damage::SwapLines),
    ]
}

impl Damage {
    fn strike(&self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let mut lines: Vec<Vec<u8>> = text
            .split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        match self {
            Self::Byte(place, byte) => {
                let place = place.index(text.len());
                text[place] = *byte;
                return;
            }
            Self::Cut(place) => return text.truncate(place.index(text.len())),
            Self::TakeLine(place) => drop(lines.remove(place.index(lines.len()))),
            Self::TwiceLine(place) => {
                let line = lines[place.index(lines.len())].clone();
                lines.insert(place.index(lines.len()), line);
            }
            Self::SwapLines(place) => {
                let place = place.index(lines.len());
                lines.swap(place, 0);
            }
        }
        *text = lines.concat();
    }
}
