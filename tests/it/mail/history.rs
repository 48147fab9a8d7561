//! A history whose patches are difficult for mail.

use crate::dice::Dice;
use crate::repository::Repository;

/// Number of commits after the first one.
pub(crate) const COMMITS: usize = 200;

/// Text of messages that looks like a change. `git am` reads none above the line that begins the
/// patch.
const QUOTED: &[&str] = &[
    "",
    "The test printed\n@@ -1,5 +1,5 @@\n one\n-two\n+2\nand failed.\n",
    "@@ -1 +1 @@\n@@ -2 +2 @@ f()\n+++ b/x\n----\n---x\n",
    "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\n",
    "x.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    "diff x y\n1c1\n< a\n> b\n\n5d4\n< c\n",
    "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n",
    " diff --git a/x b/x\n --- a/x\n +++ b/x\n@@ -1 +1 @@\n",
    "From: me\nSubject: x\n\nOnly in b: x\n* Unmerged path x\n",
];

/// Makes a repository with the history on `main`.
pub(crate) fn repository() -> Repository {
    let (mut dice, mut stream) = (Dice::new(28), Vec::new());
    let files = 12;
    let mut contents: Vec<Vec<Vec<u8>>> = (0..files).map(|file| lines(&mut dice, file)).collect();
    let all: Vec<_> = (0..files)
        .map(|file| (file, contents[file].concat()))
        .collect();
    commit(&mut stream, 0, "first", &all);
    for number in 1..=COMMITS {
        let file = dice.below(files);
        match dice.below(8) {
            0 if file % 5 != 4 => contents[file] = lines(&mut dice, file),
            1 => drop(contents[file].pop()),
            _ => {
                for _ in 0..=dice.below(3) {
                    let at = dice.below(contents[file].len() + 1);
                    let new = line(&mut dice, file);
                    contents[file].insert(at, new);
                }
            }
        }
        contents[file].push(format!("{number}{}", end(file)).into_bytes());
        let subjects = [
            "change",
            "änderung – größer",
            "From the start, a subject that is so long that its line is folded",
        ];
        commit(
            &mut stream,
            number,
            dice.one(&subjects),
            &[(file, contents[file].concat())],
        );
    }
    let repository = Repository::new();
    repository.git_with(&["fast-import", "--quiet"], &stream);
    repository
}

/// How the lines of a file end.
fn end(file: usize) -> &'static str {
    if file % 5 == 3 { "\r\n" } else { "\n" }
}

fn lines(dice: &mut Dice, file: usize) -> Vec<Vec<u8>> {
    (0..8 + dice.below(20)).map(|_| line(dice, file)).collect()
}

fn line(dice: &mut Dice, file: usize) -> Vec<u8> {
    let long = "a very long line; ".repeat(80);
    let texts = [
        "plain",
        "",
        " ",
        "a = b == c;",
        "=3D=20",
        "soft=",
        "  indented\t",
        "trailing  ",
        "Straße und zwölf – „“",
        "From me to you",
        ">From a mailbox",
        "--",
        "-- ",
        "--the border",
        ".",
        "diff --git a b",
        "@@ -1 +1 @@",
        &long,
    ];
    let mut line = dice.one(&texts).as_bytes().to_vec();
    match file % 5 {
        // Latin-1, and bytes of no text.
        2 => line.extend_from_slice(b" caf\xe9"),
        4 => line.extend((0..40).map(|_| u8::try_from(dice.below(256)).unwrap())),
        _ => {}
    }
    [&line, end(file).as_bytes()].concat()
}

fn commit(stream: &mut Vec<u8>, number: usize, subject: &str, files: &[(usize, Vec<u8>)]) {
    let quoted = QUOTED[number % QUOTED.len()];
    let message = format!("{subject} {number}\n\nA body, with a ü.\n\n{quoted}");
    stream.extend(
        format!("commit refs/heads/main\ncommitter ä <a@example.org> {number} +0000\n")
            .into_bytes(),
    );
    stream.extend(format!("data {}\n{message}", message.len()).into_bytes());
    for (file, bytes) in files {
        stream.extend(
            format!(
                "M 100644 inline \"d\\303\\266r/{file}\"\ndata {}\n",
                bytes.len()
            )
            .into_bytes(),
        );
        stream.extend([bytes, &b"\n"[..]].concat());
    }
}
