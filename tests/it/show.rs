//! `show`: what a plan comes to, as a patch that others can apply.

mod laws;
mod memory;
mod sections;

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::report::terminal::{self, Layout, Symbols, TerminalOptions};
use wpatch::workspace::memory::{Entry, Memory};

use crate::case::{Case, Settings, each, same};
use crate::oracle::quiet;
use crate::run;
use crate::tree::{self, Tree};

#[cfg(unix)]
#[test]
fn what_is_shown_of_a_case_comes_to_its_tree() {
    let cases: Vec<_> = Case::all()
        .into_iter()
        .filter(|case| case.after.is_some())
        .collect();
    assert!(cases.len() > 200 || std::env::var("CASE").is_ok());
    each(&cases, |case| {
        let expected = case.after.clone().unwrap();
        let shown = shown(case)?;
        if shown.is_empty() {
            return same(
                "nothing is shown, and something changes",
                &case.before,
                &expected,
            );
        }
        let text = String::from_utf8_lossy(&shown);
        let memory = run::memory(&case.before);
        let report = run::apply(&memory, &shown, &Settings::default());
        if report["ok"] != true {
            return Err(format!(
                "wpatch does not take it: {}\n{text}",
                report["error"]
            ));
        }
        same(
            &format!("by wpatch\n{text}"),
            &run::tree(&memory),
            &expected,
        )?;
        same(
            &format!("by git\n{text}"),
            &by_git(&case.before, &shown)?,
            &expected,
        )
    });
}

#[test]
fn a_name_is_a_change_unless_a_file_has_it() {
    let root = TempDir::new().unwrap();
    let wpatch = |arguments: &[&str]| {
        let output = crate::world::wpatch()
            .current_dir(root.path())
            .args(arguments)
            .output();
        let output = output.unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    fs::write(root.path().join("file"), "zero\na\none\nb\nc\n").unwrap();
    let (code, _, words) = wpatch(&["show", "0add"]);
    assert!(
        code == Some(1) && words.contains("no change matches "),
        "{words}"
    );
    fs::write(
        root.path().join("0add"),
        "--- a/file\n+++ b/file\n@@ -3,3 +3,3 @@\n a\n-one\n+two\n b\n",
    )
    .unwrap();
    let shown = "diff --git a/file b/file\nindex 8db6bebc35a7..1066d92a575d 100644\n--- a/file\n+++ b/file\n\
                 @@ -1,5 +1,5 @@\n zero\n a\n-one\n+two\n b\n c\n";
    let expected = (Some(0), shown.to_owned(), String::new());
    for name in ["0add", "./0add"] {
        assert_eq!(wpatch(&["show", name]), expected);
    }
    let (code, _, words) = wpatch(&["show", "./0"]);
    assert!(
        code == Some(2) && words.contains("can't open patch"),
        "{words}"
    );
    let (code, shown, words) = wpatch(&["show", "-v", "-R", "0add"]);
    assert!(
        (code, shown.as_str()) == (Some(1), "") && words.contains("file"),
        "{words}"
    );
}

/// What a terminal is sent, with the escape character as `~`.
fn drawn(files: &[(&str, &[u8])], patch: &str, sheet: TerminalOptions) -> String {
    let entry = |(name, bytes): &(&str, &[u8])| {
        (RelPath::new(name.as_bytes()).unwrap(), Entry::file(*bytes))
    };
    let memory = Memory::with_files(files.iter().map(entry));
    let mut request = Request::of(patch);
    request.look.describe = true;
    let preview = engine::preview(request, &memory);
    let mut out = Vec::new();
    terminal::print(&preview.report, preview.diffs(), sheet, &mut out).unwrap();
    String::from_utf8(out).unwrap().replace('\x1b', "~")
}

/// The same without colours.
fn plain(drawn: &str) -> String {
    let mut parts = drawn.split("~[");
    let first = parts.next().unwrap().to_owned();
    let text = parts
        .map(|part| part.split_once('m').unwrap().1)
        .collect::<String>();
    (first + &text)
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect()
}

#[test]
fn a_hunk_with_much_context_has_its_notes() {
    let lines: Vec<_> = (0..40).map(|line| format!("{line}\n")).collect();
    let old = lines.concat();
    let hunk = |first: usize, line: usize| {
        let body = lines[first..first + 17].iter();
        let body = body.flat_map(|line| [" ", line]).collect::<String>();
        let body = body.replace(&format!(" {line}\n"), &format!("-{line}\n+new\n"));
        format!("@@ -{first},17 +{first},17 @@ in {line}\n{body}")
    };
    // The stated lines are one line above the file's.
    let patch = format!("--- a/f\n+++ b/f\n{}{}", hunk(4, 12), hunk(22, 30));
    let sheet = TerminalOptions {
        width: 80,
        layout: Layout::Unified,
        symbols: Symbols::Ascii,
    };
    let shown = plain(&drawn(&[("f", old.as_bytes())], &patch, sheet));
    let heads: Vec<_> = shown
        .lines()
        .filter(|line| line.contains("stated") || line.contains("@@"))
        .collect();
    assert_eq!(
        heads,
        [
            "f1h1: 1 line below its stated line",
            "@@ -10,7 +10,7 @@ in 12",
            "f1h2: 1 line below its stated line",
            "@@ -28,7 +28,7 @@ in 30",
        ],
        "{shown}"
    );
}

const MOVED: &str = "diff --git a/old b/new\nrename from old\nrename to new\n--- a/old\n+++ b/new\n\
                     @@ -2,3 +2,4 @@\n b\n-\tcount = 1;\n+\tcount = 22;\n+\tnext\n d\n";
const OLD: &[u8] = b"zero\na\nb\n\tcount = 1;\nd\nlast";

#[test]
fn lines_that_go_stand_above_or_beside_those_that_come() {
    let files = [("old", OLD)];
    let unified = drawn(
        &files,
        MOVED,
        TerminalOptions {
            width: 40,
            layout: Layout::Unified,
            symbols: Symbols::Unicode,
        },
    );
    insta::assert_snapshot!(plain(&unified), @r#"
    ────────────────────────────────────────
    rename old => new  +2  -1
    f1h1: 1 line below its stated line
    @@ -1,6 +1,7 @@
      1   1   zero
      2   2   a
      3   3   b
      4     -         count = 1;
          4 +         count = 22;
          5 +         next
      5   6   d
      6   7   last
            \ no newline

    1 file changed, 2 insertions(+), 1 deletion(-)
    "#);
    let beside = drawn(
        &files,
        MOVED,
        TerminalOptions {
            width: 60,
            layout: Layout::SideBySide,
            symbols: Symbols::Unicode,
        },
    );
    insta::assert_snapshot!(plain(&beside), @r#"
    ────────────────────────────────────────────────────────────
    rename old => new  +2  -1
    f1h1: 1 line below its stated line
    @@ -1,6 +1,7 @@
      1   zero                   │   1   zero
      2   a                      │   2   a
      3   b                      │   3   b
      4 -         count = 1;     │   4 +         count = 22;
                                 │   5 +         next
      5   d                      │   6   d
      6   last                   │   7   last
          \ no newline           │       \ no newline

    1 file changed, 2 insertions(+), 1 deletion(-)
    "#);
}

#[test]
fn what_differs_within_a_line_is_marked() {
    let unified = drawn(
        &[("old", OLD)],
        MOVED,
        TerminalOptions {
            width: 40,
            layout: Layout::Unified,
            symbols: Symbols::Unicode,
        },
    );
    let changed: Vec<_> = unified
        .lines()
        .filter(|line| line.contains("count"))
        .collect();
    insta::assert_snapshot!(changed.join("\n"), @r#"
    ~[2m  4    ~[0m ~[31m-~[0m ~[31m        count = ~[0m~[7m~[31m1~[0m~[31m;~[0m
    ~[2m      4~[0m ~[32m+~[0m ~[32m        count = ~[0m~[7m~[32m22~[0m~[32m;~[0m
    "#);
}

#[test]
fn no_file_or_name_writes_to_the_terminal() {
    let hostile = "\u{1b}[2J\u{7}\u{202e}\u{9b}31m\r";
    let patch =
        format!("--- /dev/null\n+++ \"b/a\\033[31m\\342\\200\\256\"\n@@ -0,0 +1 @@\n+{hostile}\n");
    for layout in [Layout::Unified, Layout::SideBySide] {
        let drawn = plain(&drawn(
            &[],
            &patch,
            TerminalOptions {
                width: 100,
                layout,
                symbols: Symbols::Unicode,
            },
        ));
        assert!(drawn.contains("a\\x1b[31m\\u{202e}"), "{drawn}");
        assert!(
            drawn.contains("\\x1b[2J\\x07\\u{202e}\\u{9b}31m\\r\n"),
            "{drawn}"
        );
        assert!(
            !drawn
                .chars()
                .any(|character| character.is_control() && character != '\n'),
            "{drawn:?}"
        );
    }
}

#[test]
fn a_pipe_gets_a_patch_and_who_asks_for_colours_gets_them() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("old"), OLD).unwrap();
    fs::write(root.path().join("patch"), MOVED).unwrap();
    let wpatch = |arguments: &[&str], variable: (&str, &str)| {
        let mut command = crate::world::wpatch();
        command
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("COLUMNS", "160")
            .env(variable.0, variable.1);
        let output = command
            .current_dir(root.path())
            .arg("show")
            .args(arguments)
            .arg("patch")
            .output()
            .unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
        String::from_utf8(output.stdout).unwrap()
    };
    let none = ("LC_ALL", "C.UTF-8");
    for piped in [
        wpatch(&[], none),
        wpatch(&["--color=never"], ("CLICOLOR_FORCE", "1")),
        wpatch(&[], ("NO_COLOR", "1")),
    ] {
        assert!(
            piped.starts_with("diff --git a/old b/new\nsimilarity index "),
            "{piped}"
        );
    }
    for coloured in [
        wpatch(&["--color=always"], none),
        wpatch(&[], ("CLICOLOR_FORCE", "1")),
    ] {
        assert!(
            coloured.contains("\x1b[1m\x1b[36mrename\x1b[0m \x1b[1mold => new\x1b[0m")
                && coloured.contains(" │ "),
            "{coloured}"
        );
    }
    let ascii = wpatch(&["--side-by-side"], ("LC_ALL", "C"));
    assert!(ascii.is_ascii() && ascii.contains(" | "), "{ascii}");
    let plain = wpatch(&["--unified"], none);
    assert!(
        plain.contains("rename old => new  +2  -1\n")
            && !plain.contains('\x1b')
            && !plain.contains('│'),
        "{plain}"
    );
    assert!(
        wpatch(&["--stat"], ("CLICOLOR_FORCE", "1"))
            .contains("\x1b[32m++\x1b[0m\x1b[31m-\x1b[0m\n")
    );
    assert!(wpatch(&["--stat"], none).contains(" ++-\n"));
}

/// Returns the patch that is shown for the case.
fn shown(case: &Case) -> Result<Vec<u8>, String> {
    let memory = run::memory(&case.before);
    let preview = engine::preview(run::request(&case.patch, &case.settings), &memory);
    let diffs: Vec<_> = preview.diffs().map(Result::unwrap).collect();
    same("diffs and files", &diffs.len(), &preview.report.files.len())?;
    Ok(diffs.concat())
}

/// Applies `patch` with git to a tree outside of any repository.
fn by_git(before: &Tree, patch: &[u8]) -> Result<Tree, String> {
    let directory = TempDir::new().unwrap();
    let (root, file) = (
        directory.path().join("tree"),
        directory.path().join("patch"),
    );
    tree::write(before, &root);
    fs::write(&file, patch).unwrap();
    let output = quiet(git_apply(&file), &root, directory.path());
    if output.status.success() {
        Ok(tree::read(&root))
    } else {
        Err(format!(
            "{}\n{}",
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(patch)
        ))
    }
}

fn git_apply(patch: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fsmonitor=false", "apply", "--whitespace=nowarn"])
        .arg(patch);
    command
}
