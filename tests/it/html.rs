//! The page that shows a patch: nothing in it acts, nothing in it deceives, and it is whole.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use wpatch::engine::{self, Preview, Request};
use wpatch::path::RelPath;
use wpatch::report::{Report, print_html};
use wpatch::workspace::memory::{Entry, Memory};

use crate::run::lenient;
use structure::{DECISION_ELEMENTS, parsed_with};

mod decide;
mod hostile;
mod palette;
mod program;
mod review;
mod structure;

fn path(name: &[u8]) -> RelPath {
    RelPath::new(name).unwrap()
}

fn shown(files: &[(&str, &[u8])], patch: impl Into<Vec<u8>>) -> Shown {
    let files = files
        .iter()
        .map(|(name, content)| (path(name.as_bytes()), Entry::file(content.to_vec())));
    Shown::of(&engine::render_page(
        request(patch),
        &Memory::with_files(files),
    ))
}

/// A page, and what it is about.
struct Shown {
    report: Report,
    text: String,
}

impl Shown {
    fn of(preview: &Preview<'_>) -> Self {
        let mut out = Vec::new();
        print_html(&preview.page(), &mut out).unwrap();
        Self {
            report: preview.report.clone(),
            text: String::from_utf8(out).unwrap(),
        }
    }
}

fn request(patch: impl Into<Vec<u8>>) -> Request {
    Request::of(patch.into())
}

/// Parses a page.
///
/// # Panics
///
/// If it is not HTML, or anything is in it that could act.
fn page(shown: &Shown) -> Html {
    parsed(&shown.text)
}

fn parsed(text: &str) -> Html {
    parsed_with(text, &[])
}

fn all<'p>(page: &'p Html, selector: &str) -> Vec<ElementRef<'p>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

/// Returns the texts of all elements that match.
fn texts(page: &Html, selector: &str) -> Vec<String> {
    let words = |element: ElementRef<'_>| {
        let text: String = element.text().collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    all(page, selector).into_iter().map(words).collect()
}

/// Returns the rows of the tables as a screen reader has them.
fn rows(page: &Html) -> Vec<String> {
    let cells = Selector::parse("td:not([aria-hidden])").unwrap();
    let row = |row: ElementRef<'_>| {
        let cells = row.select(&cells).flat_map(|cell| cell.text());
        let text: String = cells.collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    all(page, "tbody tr").into_iter().map(row).collect()
}

const LIST: &[u8] = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const CHANGE: &str =
    "--- a/list\n+++ b/list\n@@ -2,3 +2,4 @@ top\n one\n-two apples\n+two pears\n+and\n three\n";

#[test]
fn the_policy_of_the_page_allows_its_own_style_and_nothing_else() {
    let page = page(&shown(&[("list", LIST)], CHANGE));
    let style: String = all(&page, "style")[0].text().collect();
    let policy = all(&page, "meta[http-equiv=Content-Security-Policy]")[0]
        .value()
        .attr("content")
        .unwrap()
        .to_owned();
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    let expected = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'"
    );
    assert_eq!(policy, expected);
    let first = all(&page, "head > *")
        .into_iter()
        .map(|element| element.value().name().to_owned())
        .take(2);
    assert_eq!(
        first.collect::<Vec<_>>(),
        ["meta", "meta"],
        "the policy comes before what it is for"
    );
}

#[test]
fn a_small_page_has_this_structure() {
    let list = b"1\n2\none\ntwo apples\nthree\n";
    let page = page(&shown(&[("list", list)], CHANGE));
    assert_eq!(
        texts(&page, "title, h1, h2, h3"),
        [
            "Applies: 1 file",
            "Applies 1 file +2\u{2212}1",
            "Files",
            "Changes",
            "list"
        ]
    );
    assert_eq!(texts(&page, "nav a"), ["Mlist+2\u{2212}1"]);
    assert_eq!(texts(&page, ".file .badge"), ["modify", "offset +1 line"]);
    assert_eq!(
        texts(&page, "h4"),
        ["@@ \u{2212}1,5 +1,6 @@ top f1h1 offset +1 line"]
    );
    assert_eq!(
        rows(&page),
        [
            "11 1",
            "22 2",
            "33 one",
            "4-two apples",
            "4+two pears",
            "5+and",
            "56 three"
        ]
    );
    assert_eq!(texts(&page, "del, ins"), ["apples", "pears", "and"]);
    let copies = texts(&page, ".copy");
    assert!(copies[0].starts_with("sha256:"), "{copies:?}");
    // A request of the library has no command line.
    assert_eq!(copies.len(), 1);
}

#[test]
fn the_same_change_has_the_same_page() {
    let many: Vec<String> = (0..40)
        .map(|n| format!("--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-{n} a b\n+{n} a c\n"))
        .collect();
    let many = many.concat();
    let contents: Vec<_> = (0..40)
        .map(|n| (format!("f{n}"), format!("{n} a b\n")))
        .collect();
    let files: Vec<_> = contents
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_bytes()))
        .collect();
    let first = shown(&files, many.clone()).text;
    for _ in 0..4 {
        assert_eq!(shown(&files, many.clone()).text, first);
    }
}

#[test]
fn a_page_is_of_bounded_size_and_says_what_it_leaves_out() {
    let long = "x<".repeat(5 << 20);
    let line = shown(
        &[],
        format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+{long}\n+end\n"),
    );
    assert!(line.report.ok);
    assert!(line.text.len() < 100_000);
    let cut = texts(&page(&line), ".word.ask");
    assert_eq!(
        cut,
        ["The change exceeds the limit of one file on a page; its end is not shown."]
    );

    let wide = format!(
        "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+{}\n",
        "y".repeat(100_000)
    );
    assert_eq!(
        texts(&page(&shown(&[], wide)), ".cut"),
        ["\u{2026} 98000 more bytes not shown"]
    );

    let lines = "+\"\n".repeat(30_000);
    let many = shown(
        &[],
        format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,30000 @@\n{lines}"),
    );
    let many = many.text;
    assert_eq!(many.matches("<tr class=\"add\">").count(), 20_000);
    assert!(
        many.contains(
            "The page has reached its size limit: 10000 more lines of this file not shown."
        )
    );

    let files: Vec<_> = (0..2100)
        .map(|n| format!("--- /dev/null\n+++ b/f{n}\n@@ -0,0 +1 @@\n+x\n"))
        .collect();
    let files = shown(&[], files.concat()).text;
    assert_eq!(
        (
            files.matches("<details class=\"file\"").count(),
            files.matches("<li><a href").count()
        ),
        (2000, 2000)
    );
    assert!(files.contains("The page has reached its size limit: 100 more files not shown."));
}

#[test]
fn deep_trees_do_not_nest_without_end() {
    let deep = format!("{}x", "d/".repeat(90));
    let both = format!(
        "--- /dev/null\n+++ b/{deep}\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/d/y\n@@ -0,0 +1 @@\n+x\n"
    );
    let page = page(&shown(&[], both));
    assert_eq!(all(&page, "nav a").len(), 2);
    assert!(all(&page, "nav details").len() < 30);
}

#[test]
fn what_does_not_fit_says_why_and_where_it_nearly_does() {
    let patch = "--- a/list\n+++ b/list\n@@ -2,3 +2,3 @@\n two\n-3\n+III\n four\n--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n";
    let page = page(&shown(&[("list", LIST)], patch));
    assert_eq!(texts(&page, "h1"), ["Does not apply 2 files +2\u{2212}2"]);
    assert_eq!(
        texts(&page, "header .word"),
        ["Does not apply: list (hunk does not apply), gone (missing)"]
    );
    assert_eq!(
        texts(&page, "h4 .badge"),
        ["not searched", "hunk does not apply"]
    );
    assert_eq!(texts(&page, ".difference dd"), ["3", "three"]);
    assert_eq!(
        texts(&page, "p.word:not(.bad)"),
        ["The closest match is line 2, where 2 of 3 lines are the same."]
    );
    assert_eq!(texts(&page, "nav .flag"), ["fails", "fails"]);
}

#[test]
fn what_policy_denies_is_shown_as_the_patch_has_it() {
    let patch =
        "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1,2 @@\n [core]\n+\tfsmonitor = \"x\"\n";
    let page = page(&shown(&[], patch));
    assert_eq!(texts(&page, "h1"), ["Refused 1 file +1"]);
    assert!(texts(&page, "summary .badge").contains(&"denied by policy".to_owned()));
    assert!(texts(&page, ".file .word.bad")[0].starts_with("Denied by the rule git-directory"));
    assert_eq!(rows(&page), ["4 [core]", "5+ fsmonitor = \"x\""]);
}

#[test]
fn repairs_stand_at_their_files() {
    let damaged = "--- a/list\n+++ b/list\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n three\n";
    let workspace = Memory::with_files([(path(b"list"), Entry::file(LIST))]);
    let request = lenient(damaged);
    let page = page(&Shown::of(&engine::render_page(request, &workspace)));
    let told = "counts in line 3: the line counts in the hunk header were wrong and were corrected";
    assert_eq!(texts(&page, "header li"), [told]);
    assert_eq!(
        texts(&page, ".file > summary .badge"),
        ["modify", "repaired: counts"]
    );
}
