//! The differences from `git am`.
#![cfg(unix)]

use fs_err as fs;
use tempfile::TempDir;

use super::writers::{in_base64, message, multipart, quoted};
use super::{BODY, DONE, FIELDS, desk, in_quoted_printable};
use crate::repository::git;
use crate::systems::Desk;

/// The content of a file after a mail that is not refused.
type After = Option<&'static [u8]>;

const TWO: After = Some(b"one\n2\n");
const BASE64: &str = "Content-Transfer-Encoding: base64\n";

/// Returns the body in ASCII alone.
fn ascii() -> Vec<u8> {
    BODY.replace("zwölf = ", "").into_bytes()
}

/// The mail in which wpatch and `git am` differ, with what each makes of the file `a`; the README
/// lists them.
fn differences() -> Vec<(&'static str, Vec<u8>, After, After)> {
    let context = b"text\n\n*** a/a\n--- b/a\n***************\n*** 1,2 ****\n  one\n! two\n--- 1,2 ----\n  one\n! 2\n";
    let in_context = message(FIELDS, "", context);
    let mut all = vec![("a context or normal diff", in_context, None, TWO)];
    all.extend(encodings());
    all.extend(parts());
    all
}

/// Returns `base64` in lines that end inside of a group.
fn misaligned(base64: &[u8]) -> Vec<u8> {
    let bytes: Vec<_> = base64
        .iter()
        .copied()
        .filter(|&byte| byte != b'\n')
        .collect();
    let lines = bytes.chunks(75).collect::<Vec<_>>().join(&b'\n');
    [lines, b"\n".to_vec()].concat()
}

/// Differences in the decoding of a body.
fn encodings() -> Vec<(&'static str, Vec<u8>, After, After)> {
    let body = BODY.as_bytes();
    let with = |fields: &str, body: &[u8]| message(FIELDS, fields, body);
    let (ascii, done) = (ascii(), Some(DONE));
    let flowed = "  --- x \ny\n@@ -1 +1 @@\n".to_owned()
        + &String::from_utf8_lossy(&ascii).replace("\n one", "\n  one");
    let eight = BODY.replace("text", "t\u{e9}xt").into_bytes();
    let in_flowed =
        "Content-Type: text/plain; format=flowed\nContent-Transfer-Encoding: quoted-printable\n";
    vec![
        (
            "soft line breaks in quoted-printable or base64",
            with(in_flowed, &quoted(flowed.as_bytes())),
            None,
            TWO,
        ),
        (
            "8-bit text with the charset US-ASCII",
            with("Content-Type: text/plain; charset=us-ascii\n", &eight),
            None,
            done,
        ),
        (
            "unknown transfer encoding",
            with("Content-Transfer-Encoding: x-a\n", &ascii),
            TWO,
            None,
        ),
        (
            "a byte that is not base64",
            with(BASE64, &[b"*", &in_base64(body)[..]].concat()),
            done,
            None,
        ),
        (
            "lines of base64 that end inside a group",
            with(BASE64, &misaligned(&in_base64(body))),
            None,
            done,
        ),
        (
            "a charset without ASCII",
            with("Content-Type: text/plain; charset=utf-7\n", &ascii),
            TWO,
            None,
        ),
        (
            "a blank before the colon",
            with("Content-Transfer-Encoding : base64\n", &in_base64(body)),
            None,
            done,
        ),
    ]
}

/// Differences in what the parts of a message mean.
fn parts() -> Vec<(&'static str, Vec<u8>, After, After)> {
    let (ascii, raw): (_, After) = (ascii(), Some(b"one\nzw=C3=B6lf =3D 2\n"));
    let quoted = in_quoted_printable(BODY.as_bytes());
    let forwarded = [("Content-Type: message/rfc822\n", &quoted[..])];
    let html = [("", &ascii[..]), ("Content-Type: text/html\n", &ascii)];
    let mixed = multipart(FIELDS, &html);
    let alternatives = String::from_utf8(mixed)
        .unwrap()
        .replace("multipart/mixed", "multipart/alternative");
    let inner = "Content-Type: multipart/mixed; boundary=inner\n";
    let patch = in_base64(&ascii);
    let unclosed: [(&str, &[u8]); 2] = [(inner, b"--inner\n\nhello\n"), (BASE64, &patch)];
    let open = multipart(FIELDS, &unclosed);
    vec![
        (
            "a forwarded message",
            multipart(FIELDS, &forwarded),
            raw,
            Some(DONE),
        ),
        (
            "a patch in HTML next to the same as text",
            alternatives.into_bytes(),
            None,
            TWO,
        ),
        (
            "an inner multipart body without its last delimiter",
            open,
            None,
            TWO,
        ),
    ]
}

#[test]
fn the_differences_from_git_am_are_those_of_the_table() {
    let mut rows = crate::oracle::differences::rows("## Mail");
    assert_eq!(
        rows.pop().as_deref(),
        Some("CR LF in the body after a header with LF")
    );
    let mut names: Vec<_> = differences()
        .iter()
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    rows.sort();
    names.sort();
    assert_eq!(rows, names);
    for (name, mail, in_git, in_wpatch) in differences() {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a"), "one\ntwo\n").unwrap();
        fs::write(directory.path().join("mail"), &mail).unwrap();
        let git = |arguments: &[&str]| {
            git(arguments)
                .current_dir(&root)
                .output()
                .unwrap()
                .status
                .success()
        };
        assert!(git(&["init", "-q"]) && git(&["add", "a"]) && git(&["commit", "-q", "-m", "a"]));
        assert_eq!(git(&["am", "-q", "../mail"]), in_git.is_some(), "{name}");
        assert_eq!(
            fs::read(root.join("a")).unwrap(),
            in_git.unwrap_or(b"one\ntwo\n"),
            "{name}"
        );
        let desk = desk();
        let report = desk.says(&["apply"], &mail);
        assert_eq!(report["ok"], in_wpatch.is_some(), "{name}: {report:#}");
        assert_eq!(
            desk.bytes("a"),
            in_wpatch.unwrap_or(b"one\ntwo\n"),
            "{name}"
        );
    }
    let desk = Desk::with(&[("a", b"one\r\ntwo\r\n")]);
    let body = BODY
        .replace(" one\n", " one\r\n")
        .replace("two\n", "two\r\n")
        .replace("= 2\n", "= 2\r\n");
    desk.does(&["apply"], &message(FIELDS, "", body.as_bytes()));
    assert_eq!(
        desk.bytes("a"),
        "one\r\nzwölf = 2\r\n".as_bytes(),
        "as git am --keep-cr"
    );
}
