//! Names that Windows reads as something else: devices, streams, other files, other directories.

use fs_err as fs;

use crate::systems::Desk;
use crate::tree;

/// Names of which no file may be created, changed or deleted.
const REFUSED: &[&str] = &[
    // Devices, with extensions, in any case.
    "CON",
    "con",
    "Con.txt",
    "PRN",
    "AUX",
    "aux.c",
    "NUL",
    "nul.tar.gz",
    "NUL ",
    "NUL .x",
    "CONIN$",
    "conout$.log",
    "COM0",
    "COM1",
    "com9.txt",
    "COM\u{b9}",
    "LPT1",
    "LPT\u{b3}.x",
    "d/NUL",
    "NUL/x",
    "d/aux/x",
    // Streams, and drives.
    "a:b",
    "kept.txt:stream",
    "kept.txt::$DATA",
    "d:$I30:$INDEX_ALLOCATION/x",
    "C:x",
    "C:/x",
    "c:/windows/x",
    "C:\\x",
    // Characters that Win32 reserves.
    "a*",
    "a?",
    "a<b",
    "a>b",
    "a|b",
    "a\"b",
    "a\tb",
    "a\u{1}b",
    "a\nb",
    // Win32 removes these ends.
    "x.",
    "x ",
    "x...",
    "kept.txt.",
    "kept.txt ",
    "d./x",
    "d /x",
    ".. /x",
    ".../x",
    ". /x",
    // Backslashes separate directories, and devices have directories of their own.
    "..\\x",
    "d\\x",
    "d\\..\\..\\x",
    "\\x",
    "\\\\server\\share\\x",
    "//server/share/x",
    "\\\\?\\C:\\x",
    "//?/C:/x",
    "\\\\.\\PhysicalDrive0",
    "//./pipe/x",
    "\\??\\C:\\x",
    "\\\\?\\GLOBALROOT\\Device\\Null",
    "/x",
    "../x",
    "d/../../x",
    // The directory of git under its other names.
    ".git/hooks/x",
    ".GIT/hooks/x",
    ".Git/config",
    "GIT~1/hooks/x",
    "git~1/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u{200c}it/config",
    "d/.git/config",
];

/// Names that cannot be text of Windows: invalid UTF-8, unpaired surrogates, `..` in five bytes.
const BYTES: &[&[u8]] = &[
    b"a\xff",
    b"\xed\xa0\x80",
    b"x\xed\xbf\xbf/y",
    b"\xc0\xae\xc0\xae/x",
    b"d/\x80",
];

/// Names that look unusual and are files like others.
const HARMLESS: &[&str] = &[
    "console",
    "a.con",
    "com10",
    "nul_",
    "..x",
    "...x",
    "~",
    "PROGRA~9",
    "..%5cx",
    "%2e%2e",
    "$MFT",
    "\u{ff23}\u{ff2f}\u{ff2e}",
    "a b",
    "d/\u{e9}",
];

/// Returns a root with files in it, and a file next to it.
fn desk() -> Desk {
    Desk::with(&[
        ("kept.txt", b"kept\n"),
        ("d/inner.txt", b"inner\n"),
        (".git/HEAD", b"ref: refs/heads/main\n"),
        (".git/config", b""),
        (".git/objects/info/x", b""),
        (".git/refs/heads/x", b""),
        ("../x", b"outside\n"),
    ])
}

/// Returns a name as git quotes it, after its prefix.
fn quoted(prefix: &str, name: &[u8]) -> String {
    let escaped = name.iter().map(|byte| format!("\\{byte:03o}"));
    format!("\"{prefix}{}\"", escaped.collect::<String>())
}

fn creation(name: &[u8]) -> String {
    let name = quoted("b/", name);
    format!("--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+new\n")
}

fn deletion(name: &[u8]) -> String {
    let name = quoted("a/", name);
    format!("--- {name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-kept\n")
}

/// Runs commands that name `name`, each of which is refused without a change.
fn refuse(desk: &Desk, name: &[u8]) {
    let mut runs = vec![
        (vec!["check"], creation(name)),
        (vec!["apply"], creation(name)),
        (vec!["apply"], deletion(name)),
    ];
    // After a prefix, a diff of git can have several slashes.
    if name.starts_with(b"/") {
        runs.clear();
    }
    let text = str::from_utf8(name).ok().filter(|name| {
        // A line holds one name, and its end is trimmed.
        !name.contains('\n') && !name.ends_with(' ')
    });
    if let Some(name) = text {
        let envelope = format!("*** Begin Patch\n*** Add File: {name}\n+new\n*** End Patch\n");
        // Only in a diff of git, a backslash is a character of a name.
        if name != "d\\x" {
            runs.push((vec!["apply"], envelope));
            runs.push((vec!["write", name], "new\n".into()));
        }
    }
    for (arguments, input) in runs {
        let output = desk.runs(&arguments, input.as_bytes());
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(1..=3)),
            "{arguments:?} {:?}: {:?}\n{input}{message}",
            String::from_utf8_lossy(name),
            output.status,
        );
    }
}

/// Refuses every name, with each of the commands, and compares the directory of the root after it.
fn refuse_all<'n>(names: impl Iterator<Item = &'n [u8]>) {
    let desk = desk();
    let files = || (tree::read(&desk.root()), desk.bytes("../x"));
    let before = files();
    for name in names {
        refuse(&desk, name);
        assert_eq!(files(), before, "{}", String::from_utf8_lossy(name));
    }
}

#[test]
fn names_of_something_else_are_refused() {
    let (first, _) = REFUSED.split_at(REFUSED.len() / 2);
    refuse_all(first.iter().map(|name| name.as_bytes()));
}

#[test]
fn further_names_of_something_else_are_refused() {
    let (_, last) = REFUSED.split_at(REFUSED.len() / 2);
    refuse_all(last.iter().map(|name| name.as_bytes()));
}

#[test]
fn names_that_are_not_text_are_refused() {
    refuse_all(BYTES.iter().copied());
}

#[test]
fn a_backslash_separates_directories_except_in_a_diff() {
    let desk = desk();
    let root = desk.root().to_str().unwrap().to_owned();
    for name in [
        "d\\x".to_owned(),
        format!("{root}\\d\\x"),
        format!("{root}/d/x").to_lowercase(),
    ] {
        let envelope = format!("*** Begin Patch\n*** Add File: {name}\n+new\n*** End Patch\n");
        for (arguments, input) in [
            (&["apply"][..], envelope.as_str()),
            (&["write", name.as_str()], "new\n"),
        ] {
            let output = desk.runs(arguments, input.as_bytes());
            assert!(output.status.success(), "{arguments:?} {input}: {output:?}");
            assert_eq!(desk.bytes("d/x"), b"new\n");
            fs::remove_file(desk.path("d/x")).unwrap();
        }
    }
}

#[test]
fn unusual_names_are_names() {
    let desk = desk();
    for name in HARMLESS {
        let output = desk.runs(&["apply"], creation(name.as_bytes()).as_bytes());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {message}");
        let path = desk.path(name);
        assert_eq!(fs::read(&path).unwrap(), b"new\n", "{name}");
        let listed = fs::read_dir(path.parent().unwrap()).unwrap();
        let names: Vec<_> = listed.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            names.iter().any(|listed| path.file_name() == Some(listed)),
            "{name}: {names:?}"
        );
    }
}
