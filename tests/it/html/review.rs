//! What a reviewer needs: the order, the reasons, the lines and their places, and the approval.

use std::process::Command;

use ::fs_err as fs;
use scraper::{ElementRef, Html, Selector};
use wpatch::engine;
use wpatch::workspace::memory::{Entry, Memory};

use super::{CHANGE, LIST, Shown, all, page, path, request, rows, shown, texts};

fn values(page: &Html, selector: &str, name: &str) -> Vec<String> {
    let value = |element: ElementRef<'_>| element.value().attr(name).unwrap().to_owned();
    all(page, selector).into_iter().map(value).collect()
}

/// A patch that creates files with these names.
fn creating(names: &[&str]) -> String {
    let section = |name: &&str| {
        let quoted: Vec<_> = name.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        let quoted = quoted.concat();
        format!("--- /dev/null\n+++ \"b/{quoted}\"\n@@ -0,0 +1 @@\n+x\n")
    };
    names.iter().map(section).collect()
}

#[test]
fn names_and_code_are_written_from_left_to_right() {
    let hebrew = "\u{5e9}\u{5dc}/\u{5d0}\u{5d1}.\u{5d2}\u{5d3}.exe";
    let page = page(&shown(&[], creating(&[hebrew, "a\u{202e}gpj.exe"])));
    assert_eq!(
        texts(&page, "h3"),
        [hebrew.to_owned(), "a\\u{202e}gpj.exe".to_owned()]
    );
    assert!(
        values(&page, "bdi, table, html, code.command", "dir")
            .iter()
            .all(|direction| direction == "ltr")
    );
    // The characters between the names are outside the parts that a browser can reorder.
    assert_eq!(
        texts(&page, "h3 bdi bdi"),
        [
            "\u{5e9}\u{5dc}",
            "\u{5d0}\u{5d1}",
            "\u{5d2}\u{5d3}",
            "\\u{202e}"
        ]
    );
    assert_eq!(texts(&page, "h3 .esc"), ["\\u{202e}"]);
}

#[test]
fn the_sections_are_in_the_order_of_the_tree() {
    let names = ["z", "b/y", "a.txt", "b/x", "c/d/e", "b/sub/z", "c/a"];
    let page = page(&shown(&[], creating(&names)));
    let sections = values(&page, "details.file", "id");
    let links: Vec<_> = sections.iter().map(|id| format!("#{id}")).collect();
    assert_eq!(values(&page, "nav a", "href"), links);
    assert_eq!(
        texts(&page, "h3"),
        ["b/sub/z", "b/x", "b/y", "c/d/e", "c/a", "a.txt", "z"]
    );
}

#[test]
fn changes_of_one_file_keep_their_order() {
    let twice = "--- a/list\n+++ b/list\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n\
                 --- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n\
                 --- a/list\n+++ b/list\n@@ -1,2 +1,2 @@\n-1\n+one\n two\n";
    let page = page(&shown(&[("list", LIST), ("a", b"x\n")], twice));
    assert_eq!(values(&page, "details.file", "id"), ["f2", "f1", "f3"]);
}

#[test]
fn the_differing_line_is_marked_in_the_patch_and_in_the_file() {
    let list = b"one\ntwo\nthree pears\nfour\n";
    let patch = "--- a/list\n+++ b/list\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three plums\n four\n";
    let shown = shown(&[("list", list)], patch);
    let page = page(&shown);
    assert!(!shown.text.contains("not found"));
    assert_eq!(
        texts(&page, "caption"),
        ["The lines of the patch", "The lines of the file"]
    );
    assert_eq!(
        texts(&page, "tr.differs"),
        [
            "7 three plums differs from line 3 of the file",
            "3 three pears differs from line 7 of the patch"
        ]
    );
    assert_eq!(texts(&page, ".difference mark"), ["plums", "pears"]);
    assert_eq!(
        texts(&page, ".difference dt"),
        ["The patch has, in its line 7", "The file has, in line 3"]
    );
    assert_eq!(
        rows(&page)[..4],
        [
            "4 one",
            "5-two",
            "6+2",
            "7 three plums differs from line 3 of the file"
        ]
    );
    // A mismatch does not look like a deletion or an insertion.
    assert_eq!(texts(&page, "tr.del, tr.add"), ["5-two", "6+2"]);
    assert_eq!(values(&page, "tr.differs a", "id"), ["f1-p7", "f1h1-l3"]);
}

#[test]
fn the_texts_of_a_document_have_its_lines_once() {
    let patch = r#"{"edits":[{"path":"list","old":"one\nII\n","new":"1\n"}]}"#;
    page(&shown(&[("list", LIST)], patch));
}

#[test]
fn the_summary_line_of_a_file_has_the_reason() {
    let patch = "--- a/list\n+++ b/list\n@@ -2,3 +2,3 @@\n two\n-3\n+III\n four\n@@ -6,2 +6,2 @@\n-6\n+VI\n seven\n\
                 --- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n";
    let page = page(&shown(&[("list", LIST)], patch));
    assert_eq!(
        texts(&page, ".file > summary > .reason.bad"),
        [
            "the file does not exist",
            "hunk 1 of 2 does not match, and 1 more problem"
        ]
    );
    let denied = creating(&[".git/config"]);
    let page = self::page(&shown_denied(&denied));
    let reasons = texts(&page, ".file > summary > .reason.bad");
    assert_eq!(reasons.len(), 1, "{reasons:?}");
}

#[test]
fn a_file_that_applies_in_part_is_not_listed_as_failed() {
    let patch = "--- a/list\n+++ b/list\n@@ -2,3 +2,3 @@\n two\n-3\n+III\n four\n@@ -6,2 +6,2 @@\n-six\n+VI\n seven\n\
                 --- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n";
    let files = [("list", LIST)].map(|(name, bytes)| (path(name.as_bytes()), Entry::file(bytes)));
    let mut request = request(patch);
    request.decide.reject = true;
    let memory = Memory::with_files(files);
    let page = page(&Shown::of(&engine::render_page(request, &memory)));
    assert_eq!(
        texts(&page, "header > p.word"),
        [
            "Does not apply: gone (missing)",
            "Applies in part: list (partial)"
        ]
    );
    assert_eq!(texts(&page, "nav .flag"), ["fails", "in part"]);
}

fn shown_denied(patch: &str) -> Shown {
    let shown = shown(&[], patch);
    assert!(!shown.report.ok);
    shown
}

#[test]
fn each_line_number_is_a_link_to_itself() {
    let page = page(&shown(
        &[("list", b"1\n2\none\ntwo apples\nthree\n")],
        CHANGE,
    ));
    let ids = [
        "f1-o1", "f1-n1", "f1-o2", "f1-n2", "f1-o3", "f1-n3", "f1-o4", "f1-n4", "f1-n5", "f1-o5",
        "f1-n6",
    ];
    assert_eq!(values(&page, "td.n a", "id"), ids);
    assert_eq!(
        values(&page, "td.n a", "href"),
        ids.map(|id| format!("#{id}"))
    );
}

#[test]
fn two_sides_are_one_table_without_duplicates_for_screen_readers() {
    let page = page(&shown(
        &[("list", b"1\n2\none\ntwo apples\nthree\n")],
        CHANGE,
    ));
    let pair = Selector::parse("tbody.pair tr").unwrap();
    let pairs: Vec<_> = page
        .select(&pair)
        .map(|row| row.value().attr("class"))
        .collect();
    assert_eq!(pairs, [Some("del"), Some("add"), Some("add")]);
    // Only context lines have a copy, for the side of the new file.
    assert_eq!(
        texts(&page, "tr:not([class]) > td.r[aria-hidden=true]"),
        ["1", "2", "one", "three"]
    );
    assert_eq!(all(&page, "td.r").len(), 4);
    assert_eq!(
        texts(&page, "thead th"),
        ["Old line", "New line", "Sign", "Text"]
    );
}

#[test]
fn many_replaced_lines_are_not_aligned() {
    let old: Vec<_> = (0..300).map(|n| format!("{n}\n")).collect();
    let old = old.concat();
    let side = |sign: char| -> String {
        let mark = if sign == '+' { "x" } else { "" };
        let lines: Vec<_> = (0..300).map(|n| format!("{sign}{n}{mark}\n")).collect();
        lines.concat()
    };
    let patch = format!(
        "--- a/a\n+++ b/a\n@@ -1,300 +1,300 @@\n{}{}",
        side('-'),
        side('+')
    );
    let page = page(&shown(&[("a", old.as_bytes())], patch));
    assert_eq!((all(&page, ".pair").len(), rows(&page).len()), (0, 600));
}

#[test]
fn the_tree_is_collapsed_on_small_screens() {
    let shown = shown(&[("list", LIST)], CHANGE);
    let page = page(&shown);
    assert_eq!(
        texts(&page, "nav > details.tree:not([open]) > summary"),
        ["1 file"]
    );
    for rule in [
        ".tree::details-content { content-visibility: visible",
        "position: sticky",
        ":target",
    ] {
        assert!(shown.text.contains(rule), "{rule}");
    }
}

#[test]
fn code_has_syntax_colors_and_stays_text() {
    let old = b"let a = 1;\n";
    let patch = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,2 @@\n-let a = 1;\n+let b = \"</span><script>\"; // '<i>'\n+/* </pre><script>alert(1)</script>\n";
    let page = page(&shown(&[("x.rs", old)], patch));
    assert_eq!(texts(&page, "td.c .tk"), ["let", "let"]);
    assert_eq!(texts(&page, "td.c .tn"), ["1"]);
    assert_eq!(texts(&page, "td.c .ts").concat(), "\"</span><script>\"");
    assert_eq!(
        texts(&page, "td.c .tc"),
        ["// '<i>'", "/* </pre><script>alert(1)</script>"]
    );
    let plain = patch.replace("x.rs", "x.unknown");
    let plain = self::page(&shown(&[("x.unknown", old)], plain));
    assert_eq!(all(&plain, ".tk, .tn, .ts, .tc").len(), 0);
}

#[test]
fn only_the_first_part_of_a_large_change_has_syntax_colors() {
    let line = format!("+{} 1\n", "x".repeat(997));
    let patch = |count: usize| {
        format!(
            "--- /dev/null\n+++ b/a.rs\n@@ -0,0 +1,{count} @@\n{}",
            line.repeat(count)
        )
    };
    let colored = |count: usize| {
        shown(&[], patch(count))
            .text
            .matches("<span class=\"tn\">")
            .count()
    };
    assert_eq!((colored(500), colored(530)), (500, 0));
}

#[cfg(unix)]
#[test]
fn the_command_on_the_page_approves_exactly_this_change() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("it's")).unwrap();
    fs::write(root.path().join("list"), "one\ntwo\n").unwrap();
    let patch = root.path().join("it's/change.diff");
    fs::write(
        &patch,
        "--- x/y/list\n+++ x/y/list\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    )
    .unwrap();
    let program = env!("CARGO_BIN_EXE_wpatch");
    let shown = Command::new(program)
        .current_dir(root.path())
        .args(["show", "--html", "-p2", "it's/change.diff"])
        .output()
        .unwrap();
    let page = super::parsed(std::str::from_utf8(&shown.stdout).unwrap());
    let command = &texts(&page, "code.command")[0];
    let arguments = command.strip_prefix("wpatch ").unwrap();
    let ran = |script: String| {
        let mut shell = Command::new("sh");
        shell
            .current_dir(root.path())
            .args(["-c", &script])
            .status()
            .unwrap()
            .code()
    };
    fs::write(root.path().join("list"), "one\ntwo\nmore\n").unwrap();
    assert_eq!(ran(format!("{program} {arguments} 2> why")), Some(1));
    fs::write(root.path().join("list"), "one\ntwo\n").unwrap();
    assert_eq!(ran(format!("{program} {arguments}")), Some(0));
    assert_eq!(fs::read(root.path().join("list")).unwrap(), b"one\n2\n");
}

#[test]
fn a_page_names_no_place_of_the_machine() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("list"), LIST).unwrap();
    let patch = root.path().join("change.diff");
    fs::write(
        &patch,
        "--- a/list\n+++ b/list\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    )
    .unwrap();
    let shown = crate::world::wpatch()
        .args(["show", "--html", "--root"])
        .args([root.path(), &patch])
        .output()
        .unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(!text.contains(root.path().to_str().unwrap()));
    let codes = texts(&super::parsed(&text), ".facts code:not(.digest)");
    let suffix = std::env::consts::EXE_SUFFIX;
    let expected = format!("wpatch{suffix} apply --approve {} change.diff", codes[0]);
    assert_eq!(codes[1..], [expected, "change.diff".to_owned()]);
}

#[test]
fn a_change_that_cannot_be_made_has_no_command() {
    let workspace = Memory::with_files([(path(b"list"), Entry::file("other\n"))]);
    let preview = engine::render_page(request(CHANGE), &workspace);
    assert_eq!(all(&page(&Shown::of(&preview)), "code.command").len(), 0);
}

#[test]
fn changes_of_one_file_are_listed_in_their_order() {
    let names: Vec<_> = (0..12).map(|file| format!("f{file:02}")).collect();
    let section = |round: usize, name: &str| {
        let new = round + 1;
        format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{round}\n+{new}\n")
    };
    let sections = (0..5).flat_map(|round| names.iter().map(move |name| section(round, name)));
    let patch: String = sections.collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b"0\n"[..])).collect();
    let page = page(&shown(&files, patch));
    let expected: Vec<_> = (0..12)
        .flat_map(|file| (0..5).map(move |round| format!("#f{}", round * 12 + file + 1)))
        .collect();
    assert_eq!(values(&page, "nav a", "href"), expected);
}
