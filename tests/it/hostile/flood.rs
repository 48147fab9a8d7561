//! Patches that are small for what they ask, or large: each ends in little time and memory.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};
use wpatch::digest::{ObjectFormat, Sha256, blob_id};
use wpatch::path::{MAX_DEPTH, RelPath};
use wpatch::text::tag::Tag;

use super::place::Place;
use crate::tree::{Node, Tree};

/// A limit that is met soon: what is made up to it takes its time where nothing is built to be
/// quick.
const LOW: &[&str] = &["--json", "--max-growth=4000000"];

const DIGITS: &[u8] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Checks and applies `patch`; each has to end with the problem `code`, or well without one, within
/// its means.
fn ends(files: &[(&str, String)], patch: &str, code: Option<&str>) {
    ends_with(&["--json"], files, patch, code);
}

fn ends_with(options: &[&str], files: &[(&str, String)], patch: &str, code: Option<&str>) {
    let tree: Tree = files
        .iter()
        .map(|(name, text)| {
            (
                RelPath::new(name.as_bytes()).unwrap(),
                Node::file(text.as_str()),
            )
        })
        .collect();
    for command in ["check", "apply"] {
        let place = Place::new(&tree);
        let before = place.traces();
        let arguments: Vec<_> = [command]
            .iter()
            .chain(options)
            .map(ToString::to_string)
            .collect();
        let output = place.run(&arguments, patch.as_bytes());
        let report = Place::report(&output);
        assert_eq!(
            report["error"]["code"].as_str(),
            code,
            "{command}: {}",
            report["error"]
        );
        place.is_safe(&output).unwrap();
        if let Some(code) = code {
            let help = report["error"]["help"].as_str().unwrap_or_default();
            let is_limit = ["too_many", "inflated", "growth", "too_large"]
                .iter()
                .any(|limit| code.contains(limit));
            assert_eq!(
                help.starts_with("--max-") && help.contains(" raises the limit"),
                is_limit,
                "{code}: {help}"
            );
        }
        if code.is_some() || command == "check" {
            assert_eq!(place.traces().files(), before.files());
        }
    }
}

#[test]
fn a_text_that_is_replaced_everywhere_is_measured_before_it_is_made() {
    let edit =
        serde_json::json!({"path": "x", "old": "a", "new": "b".repeat(100_000), "all": true});
    let patch = serde_json::json!({ "edits": [edit] }).to_string();
    ends(
        &[("x", "a".repeat(1_000_000))],
        &patch,
        Some("wpatch::file::too_large"),
    );
}

#[test]
fn numbered_lines_cost_no_more_in_another_order() {
    const COUNT: usize = 8_000;
    let text = "x\n".repeat(COUNT);
    // The step has no factor in common with the count: every line comes once.
    let section = |operation: &dyn Fn(usize) -> String| {
        let operations: Vec<_> = (0..COUNT)
            .map(|nth| operation(nth * 7919 % COUNT + 1))
            .collect();
        format!("[x#{}]\n{}", Tag::of(text.as_bytes()), operations.concat())
    };
    let files = || [("x", text.clone())];
    ends(
        &files(),
        &section(&|line| format!("PUT {line}.={line}:\n+x\n")),
        None,
    );
    ends(
        &files(),
        &section(&|line| format!("CUT {line}.={}\n", line + COUNT)),
        Some("wpatch::lines::not_found"),
    );
    ends(
        &files(),
        &section(&|line| format!("CUT {line}.={COUNT}\n")),
        Some("wpatch::lines::overlap"),
    );
    let again = section(&|line| {
        if line == 1 {
            format!("CUT 1.={COUNT} @x\n")
        } else {
            format!("PUT >{COUNT} @x\n")
        }
    });
    ends_with(
        &["--json", "--max-file=1000000"],
        &files(),
        &again,
        Some("wpatch::file::too_large"),
    );
}

fn create(name: &str) -> String {
    format!("diff --git a/{name} b/{name}\nnew file mode 100644\n")
}

fn copy(from: &str, to: &str) -> String {
    format!("diff --git a/{from} b/{to}\nsimilarity index 99%\ncopy from {from}\ncopy to {to}\n")
}

fn hunks(count: usize, hunk: impl Fn(usize) -> String) -> String {
    let mut patch = "--- a/x\n+++ b/x\n".to_owned();
    (0..count).for_each(|number| patch.push_str(&hunk(number)));
    patch
}

/// Returns `bytes` deflated, in lines of base 85.
fn packed(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    let mut text = String::new();
    for line in encoder.finish().unwrap().chunks(26) {
        text.push(char::from(b'A' + u8::try_from(line.len()).unwrap() - 1));
        for group in line.chunks(4) {
            let mut quad = [0; 4];
            quad[..group.len()].copy_from_slice(group);
            let value = u32::from_be_bytes(quad) as usize;
            text.extend(
                (0..5)
                    .rev()
                    .map(|place| char::from(DIGITS[value / 85_usize.pow(place) % 85])),
            );
        }
        text.push('\n');
    }
    text
}

fn blob(bytes: &[u8]) -> String {
    blob_id(bytes, ObjectFormat::Sha1)
}

/// A new file of `bytes` that is said to have `size` of them.
fn literal(name: &str, bytes: &[u8], size: usize) -> String {
    let (none, id, data) = ("0".repeat(40), blob(bytes), packed(bytes));
    format!(
        "{}index {none}..{id}\nGIT binary patch\nliteral {size}\n{data}\n",
        create(name)
    )
}

/// A delta that writes `old` twice.
fn doubling(name: &str, old: &[u8]) -> String {
    let mut delta = Vec::new();
    for size in [old.len(), 2 * old.len()] {
        delta.extend((0..5).map(|place| {
            u8::try_from(size >> (7 * place) & 0x7f).unwrap() | u8::from(place < 4) << 7
        }));
    }
    for _ in 0..2 {
        for start in (0..old.len()).step_by(0x1_0000) {
            let start = u32::try_from(start).unwrap().to_le_bytes();
            delta.push(0x8f);
            delta.extend(start);
        }
    }
    let (before, after) = (blob(old), blob(&[old, old].concat()));
    let header =
        format!("diff --git a/{name} b/{name}\nindex {before}..{after} 100644\nGIT binary patch\n");
    format!("{header}delta {}\n{}\n", delta.len(), packed(&delta))
}

#[test]
fn a_bomb_is_not_inflated() {
    let bomb = vec![0; 17 << 20];
    ends(
        &[],
        &literal("x", &bomb, bomb.len()),
        Some("wpatch::file::inflated"),
    );
    ends(&[], &literal("x", &bomb, 10), Some("wpatch::parse::binary"));
    ends(
        &[],
        &literal("x", b"little", 16 << 20),
        Some("wpatch::parse::binary"),
    );
    ends(
        &[],
        &literal("x", b"little", 400 << 20),
        Some("wpatch::file::inflated"),
    );
    ends(
        &[],
        &literal("x", b"little", 600 << 20),
        Some("wpatch::file::too_large"),
    );
}

#[test]
fn many_small_bombs_are_made_one_by_one() {
    let bomb = vec![0; 2 << 20];
    ends(
        &[],
        &(0..6)
            .map(|number| literal(&format!("x{number}"), &bomb, bomb.len()))
            .collect::<String>(),
        None,
    );
}

#[test]
fn bombs_in_one_directory_that_takes_the_place_of_a_file_are_too_much() {
    let bomb = vec![0; 1 << 20];
    let section = literal("d/NUMBER", &bomb, bomb.len());
    let gone = "diff --git a/d b/d\ndeleted file mode 100644\nindex 7898192..0000000\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let patch: String = (0..12)
        .map(|number| section.replace("NUMBER", &number.to_string()))
        .collect();
    ends_with(
        LOW,
        &[("d", "a\n".into())],
        &[gone, &patch].concat(),
        Some("wpatch::file::growth"),
    );
}

#[test]
fn deltas_of_deltas_stop_growing() {
    let mut bytes = vec![b'a'; 1 << 22];
    let mut patch = literal("x", &bytes, bytes.len());
    for _ in 0..3 {
        patch.push_str(&doubling("x", &bytes));
        bytes.extend_from_within(..);
    }
    ends(&[], &patch, Some("wpatch::file::inflated"));
}

#[test]
fn copies_of_a_large_file_are_too_much() {
    let line = "x".repeat(63) + "\n";
    let text = format!("first\n{}", line.repeat(1 << 14));
    let change = format!("--- a/x\n+++ b/NAME\n@@ -1,2 +1,2 @@\n-first\n+changed\n {line}");
    let names = || (0..1000).map(|number| format!("copy{number}"));
    let changed: String = names()
        .map(|name| copy("x", &name) + &change.replace("NAME", &name))
        .collect();
    ends_with(
        LOW,
        &[("x", text.clone())],
        &changed,
        Some("wpatch::file::growth"),
    );
    let renamed = changed
        .replace("copy from", "rename from")
        .replace("copy to", "rename to");
    ends_with(
        LOW,
        &[("x", text.clone())],
        &renamed,
        Some("wpatch::file::growth"),
    );
    ends_with(
        LOW,
        &[("x", text)],
        &names().map(|name| copy("x", &name)).collect::<String>(),
        Some("wpatch::file::growth"),
    );
}

#[test]
fn more_files_than_the_limit_are_too_many() {
    let patch: String = (0..150_000)
        .map(|number| create(&number.to_string()))
        .collect();
    ends(&[], &patch, Some("wpatch::parse::too_many_files"));
    let sections: String = (0..150_000).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "*** Delete File: {number}");
        text
    });
    let envelope = format!("*** Begin Patch\n{sections}*** End Patch\n");
    ends(&[], &envelope, Some("wpatch::parse::too_many_files"));
}

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
fn a_path_is_not_too_deep() {
    let path = "d/".repeat(100_000);
    ends(
        &[],
        &create(&format!("{path}x")),
        Some("wpatch::path::too_long"),
    );
    let deepest = "d".repeat(14) + "/";
    let files = |number: usize| create(&format!("{}{number}", deepest.repeat(MAX_DEPTH - 1)));
    ends(&[], &(0..300).map(files).collect::<String>(), None);
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

#[test]
fn a_guard_parses_what_is_deep_or_large() {
    let guarded = |name: &str, text: &str, code: Option<&str>| {
        let before = "[]".repeat(usize::from(!name.ends_with("toml"))) + "\n";
        let patch = format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{before}+{text}\n");
        ends_with(
            &["--json", "--guard", "syntax"],
            &[(name, before)],
            &patch,
            code,
        );
    };
    let broken = Some("wpatch::guard::syntax");
    let huge = 10_000_000;
    for (name, depth, code) in [
        ("a.json", huge, broken),
        ("a.yaml", huge, None),
        ("a.toml", huge, None),
        ("a.yaml", 4_000_000, broken),
        ("a.toml", 1_000_000, broken),
    ] {
        guarded(name, &"[".repeat(depth), code);
    }
    for unit in ["- ", "? ", "{a: ", "[a, "] {
        guarded("a.yaml", &unit.repeat(100_000), broken);
    }
    for unit in ["a.", "[[", "[1],"] {
        guarded("a.toml", &format!("x = [{}", unit.repeat(250_000)), broken);
    }
    let mut patch = "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1,30 @@\n-a\n+l0: &l0 x\n".to_owned();
    for level in 1..30 {
        writeln!(
            patch,
            "+l{level}: &l{level} [{}]",
            vec![format!("*l{}", level - 1); 9].join(", ")
        )
        .unwrap();
    }
    ends_with(
        &["--json", "--guard", "syntax"],
        &[("a.yaml", "a\n".to_owned())],
        &patch,
        None,
    );
}

#[test]
fn a_page_costs_no_more_for_each_problem_where_there_are_many() {
    const COUNT: usize = 40_000;
    let hunk = |number: usize| format!("@@ -{0} +{0} @@\n-x\n+y\n", number + 1);
    let lines = (1..=COUNT)
        .map(|number| format!("{number}\n"))
        .collect::<Vec<_>>()
        .concat();
    let place = Place::new(&Tree::from([(
        RelPath::new(b"x").unwrap(),
        Node::file(lines),
    )]));
    let options = ["show", "--html", "--max-hunks=100000"].map(str::to_owned);
    let output = place.run(&options, hunks(COUNT, hunk).as_bytes());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let page = String::from_utf8(output.stdout).unwrap();
    assert_eq!(page.matches("fits nowhere").count(), 100);
    assert!(
        page.contains("39900 more hunks are not listed"),
        "{}",
        &page[..page.find("</header>").unwrap()]
    );
}
