//! Section headings, and the rows of long lines.

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::report::terminal::{Layout, Symbols, TerminalOptions};
use wpatch::workspace::memory::{Entry, Memory};

use super::{drawn, plain};
use crate::repository::{git, run};
use crate::systems::Desk;

#[test]
fn a_long_line_has_a_marker_in_each_further_row() {
    let old = "one two three four five six seven eight nine ten eleven twelve\nend";
    let patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-one two three four five six seven eight nine ten eleven twelve\n+twelve\n end\n\\ No newline at end of file\n";
    let shown = |layout, symbols| {
        let sheet = TerminalOptions {
            width: 50,
            layout,
            symbols,
        };
        plain(&drawn(&[("f", old.as_bytes())], patch, sheet))
    };
    insta::assert_snapshot!(shown(Layout::Unified, Symbols::Unicode), @r#"
        ──────────────────────────────────────────────────
        modify f  +1  -1
        @@ -1,2 +1,2 @@
          1     - one two three four five six seven eight
                ↪ nine ten eleven twelve
              1 + twelve
          2   2   end
                \ no newline

        1 file changed, 1 insertion(+), 1 deletion(-)
        "#);
    insta::assert_snapshot!(shown(Layout::SideBySide, Symbols::Ascii), @r#"
    --------------------------------------------------
    modify f  +1  -1
    @@ -1,2 +1,2 @@
      1 - one two three fou |   1 + twelve
        > r five six seven  |
        > eight nine ten el |
        > even twelve       |
      2   end               |   2   end
          \ no newline      |       \ no newline

    1 file changed, 1 insertion(+), 1 deletion(-)
    "#);
}

#[test]
fn a_hunk_has_the_section_heading_of_the_patch_or_of_the_file() {
    let lines = (1..10)
        .map(|line| format!("\t{line}\n"))
        .collect::<Vec<_>>()
        .concat();
    let old = format!("int f(void)\n{{\n{lines}}}\n\nint g(\x1b[31m)\n{{\n{lines}}}\n");
    let section = "static \x07 int f";
    let patch = format!(
        "--- a/f\n+++ b/f\n@@ -6,3 +6,3 @@ {section}\n \t4\n-\t5\n+\tfive\n \t6\n@@ -19,3 +19,3 @@\n \t4\n-\t5\n+\tfive\n \t6\n"
    );
    for layout in [Layout::Unified, Layout::SideBySide] {
        let sheet = TerminalOptions {
            width: 80,
            layout,
            symbols: Symbols::Unicode,
        };
        let drawn = plain(&drawn(&[("f", old.as_bytes())], &patch, sheet));
        let places: Vec<_> = drawn.lines().filter(|line| line.contains("@@")).collect();
        let expected = [
            "@@ -4,7 +4,7 @@ static \\x07 int f",
            "@@ -17,7 +17,7 @@ int g(\\x1b[31m)",
        ];
        assert_eq!(places, expected, "{drawn}");
    }
}

/// The section headings in a piped patch are those of `git diff`.
#[cfg(unix)]
#[test]
fn a_patch_has_the_section_headings_of_git() {
    let blocks = [
        "first() \r",
        " indented",
        "_under",
        "$dollar",
        "2nd",
        "\u{e9}t\u{e9}",
        &"x".repeat(100),
    ];
    let file = |change: &str| -> String {
        let block = |block: &&str| {
            format!(
                "{block}\n{}{change}\n{}",
                " .\n".repeat(4),
                " .\n".repeat(5)
            )
        };
        blocks.iter().map(block).collect()
    };
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("old"), file(" one")).unwrap();
    fs::write(root.path().join("new"), file(" two")).unwrap();
    let mut git = Command::new("git");
    git.current_dir(root.path())
        .args(["diff", "--no-index", "old", "new"]);
    let expected = git
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap()
        .stdout;
    let memory = Memory::with_files([(RelPath::new(b"old").unwrap(), Entry::file(file(" one")))]);
    let patch: Vec<u8> = expected
        .split_inclusive(|&byte| byte == b'\n')
        .flat_map(|line| match line {
            line if line.starts_with(b"+++ ") => b"+++ b/old\n",
            line if line.starts_with(b"diff --git ") => &b""[..],
            line => line,
        })
        .copied()
        .collect();
    let preview = engine::preview(Request::of(patch), &memory);
    let shown = preview
        .diffs()
        .collect::<Result<Vec<_>, _>>()
        .unwrap()
        .concat();
    let places = |diff: &[u8]| -> Vec<Vec<u8>> {
        diff.split(|&byte| byte == b'\n')
            .filter(|line| line.starts_with(b"@@"))
            .map(<[u8]>::to_vec)
            .collect()
    };
    assert_eq!(places(&expected).len(), 7);
    assert_eq!(places(&shown), places(&expected));
}

#[test]
fn a_long_section_heading_is_cut_at_the_edge_of_the_terminal() {
    let old = format!("{}\n{}last\n", "w".repeat(100), ".\n".repeat(9));
    let patch = "--- a/f\n+++ b/f\n@@ -8,4 +8,4 @@\n .\n .\n .\n-last\n+end\n";
    let sheet = TerminalOptions {
        width: 40,
        layout: Layout::Unified,
        symbols: Symbols::Unicode,
    };
    let drawn = plain(&drawn(&[("f", old.as_bytes())], patch, sheet));
    let place = drawn.lines().find(|line| line.starts_with("@@")).unwrap();
    assert_eq!(place, format!("@@ -8,4 +8,4 @@ {}", "w".repeat(24)));
}

#[cfg(unix)]
#[test]
fn the_object_names_of_a_repository_with_sha256_are_shown() {
    let (old, new) = (b"\0old\n", b"\0new\n");
    let desk = Desk::with(&[("bin", old), ("text", b"one\n")]);
    let git =
        |arguments: &[&str], input: &[u8]| run(git(arguments).current_dir(desk.root()), input);
    git(&["init", "-q", "--object-format=sha256"], b"");
    git(&["add", "."], b"");
    fs::write(desk.path("bin"), new).unwrap();
    let patch = git(&["diff", "--binary", "--full-index"], b"");
    let names = git(&["diff", "--abbrev=12"], b"");
    fs::write(desk.path("bin"), old).unwrap();
    let shown = desk.runs(&["show"], &patch).stdout;
    assert!(String::from_utf8_lossy(&shown).contains("GIT binary patch"));
    git(&["apply", "--check"], &shown);
    let report = desk.does(&["check", "--with-diff"], &patch);
    let diff = report["files"][0]["diff"].as_str().unwrap();
    assert_eq!(diff, String::from_utf8_lossy(&names));
    desk.does(&["apply"], &patch);
    let id = desk.does(&["log"], b"")["entries"][0]["id"].clone();
    let shown = desk.runs(&["show", id.as_str().unwrap()], b"").stdout;
    assert!(
        shown.ends_with(&names),
        "{}",
        String::from_utf8_lossy(&shown)
    );
}
