//! Many hunks, and hunks for repetitive or large files.

use wpatch::digest::Sha256;
use wpatch::path::RelPath;

use super::{create, ends, ends_with, hunks};
use crate::hostile::place::Place;
use crate::tree::{Node, Tree};

#[test]
fn a_million_hunks_are_too_many() {
    let patch = hunks(1_000_001, |number| {
        format!("@@ -{number} +{number} @@\n-a\n+b\n")
    });
    ends(&[], &patch, Some("wpatch::parse::too_many_hunks"));
    let chunks = format!(
        "*** Begin Patch\n*** Update File: x\n{}*** End Patch\n",
        "@@\n-a\n+b\n".repeat(10_001)
    );
    ends_with(
        &["--json", "--max-hunks=10000"],
        &[],
        &chunks,
        Some("wpatch::parse::too_many_hunks"),
    );
}

#[test]
fn repetitive_text_is_searched_once() {
    let file = || [("x", "a\nb\n".repeat(100_000))];
    let place = |number: usize| number * 4 + 1;
    let miss = |number| {
        format!(
            "@@ -{0},3 +{0},3 @@\n a\n b\n-c{number}\n+c\n",
            place(number)
        )
    };
    ends(
        &file(),
        &hunks(3_000, miss),
        Some("wpatch::hunk::not_found"),
    );
    let periodic = |number| format!("@@ -{0},4 +{0},4 @@\n b\n a\n-a\n+c\n b\n", place(number));
    ends(
        &file(),
        &hunks(3_000, periodic),
        Some("wpatch::hunk::not_found"),
    );
    ends_with(
        &["--json", "--fuzz=3", "-C0"],
        &file(),
        &hunks(3_000, periodic),
        None,
    );
    let long = format!(
        "@@ -1,20001 +1,20001 @@\n{}-c\n+d\n",
        " a\n b\n".repeat(10_000)
    );
    ends(
        &file(),
        &hunks(1, |_| long.clone()),
        Some("wpatch::hunk::not_found"),
    );
    let headings = "@@ no such\n-a\n+b\n".repeat(3_000);
    let codex = format!("*** Begin Patch\n*** Update File: x\n{headings}*** End Patch\n");
    ends(&file(), &codex, Some("wpatch::hunk::not_found"));
}

#[test]
fn ten_thousand_hunks_that_fit_are_placed() {
    let file = [("x", "a\nb\n".repeat(100_000))];
    ends(
        &file,
        &hunks(10_000, |number| {
            format!("@@ -{0},2 +{0},2 @@\n-a\n+c\n b\n", number * 4 + 1)
        }),
        None,
    );
}

#[test]
fn hunks_that_fit_nowhere_are_merged_within_bounds() {
    let place = Place::new(&Tree::from([(
        RelPath::new(b"x").unwrap(),
        Node::file("a\nb\n".repeat(100_000)),
    )]));
    let miss = |number: usize| {
        format!(
            "@@ -{0},3 +{0},3 @@\n a\n b\n-c{number}\n+c\n",
            number * 4 + 1
        )
    };
    let text = hunks(1_000, miss) + "@@ -150001,2 +150001,3 @@\n a\n+fits\n b\n";
    let output = place.run(
        &["apply", "--json", "--merge"].map(str::to_owned),
        text.as_bytes(),
    );
    let report = Place::report(&output);
    assert_eq!(
        (&report["outcome"], &report["error"]["code"]),
        (&"partial".into(), &"wpatch::merge::conflict".into())
    );
    let file = &report["files"][0];
    assert_eq!(
        (&file["hunks"][99]["id"], &file["omitted"]["hunks"]),
        (&"f1h100".into(), &900.into())
    );
    assert_eq!(
        (
            &file["hunks"][100]["id"],
            &file["hunks"][100]["merged"][0]["status"]
        ),
        (&"f1h1001".into(), &"merged".into())
    );
    place.is_safe(&output).unwrap();
}

#[test]
fn what_many_sections_of_one_file_reject_costs_its_length() {
    const COUNT: usize = 2_000;
    let place = Place::new(&Tree::from([(
        RelPath::new(b"x").unwrap(),
        Node::file("1\n"),
    )]));
    let long = "x".repeat(4_000);
    let section = |number| format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-no {number} {long}\n+b\n");
    let options = ["apply", "--json", "--reject"].map(str::to_owned);
    let output = place.run(
        &options,
        (0..COUNT).map(section).collect::<String>().as_bytes(),
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let rejected = fs_err::read_to_string(place.root().join("x.rej")).unwrap();
    assert_eq!(rejected.matches("\n-no ").count(), COUNT);
    let sha256 = Sha256::of(rejected.as_bytes()).to_string();
    assert!(
        Place::report(&output)["files"]
            .as_array()
            .unwrap()
            .iter()
            .all(|file| file["rejects"]["sha256"] == sha256.as_str())
    );
}

#[test]
fn a_long_series_on_one_file_costs_its_length() {
    let files: String = (0..3_000)
        .map(|number| create(&number.to_string()))
        .collect();
    let change = |number: usize| {
        format!(
            "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{number}\n+{}\n",
            number + 1
        )
    };
    let series: String = (0..10_000).map(change).collect();
    ends(
        &[("x", "0\n".into())],
        &[files, "\n".into(), series].concat(),
        None,
    );
}
