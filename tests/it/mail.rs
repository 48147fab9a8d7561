//! Mail is decoded as `git am` decodes it.

mod history;
mod signatures;
mod writers;

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;
use tempfile::TempDir;
use wpatch::syntax::mail;
use wpatch::text::unquote;

use crate::case::{Case, Settings};
use crate::repository::git;
use crate::run;
use crate::systems::Desk;
use crate::tree::{self, Tree};
use history::COMMITS;
use writers::{WRITERS, crlf, in_base64, message, multipart, quoted};

const FIELDS: &[u8] =
    b"From: A <a@example.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: [PATCH] t\n";
const FROM: &[u8] = b"From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001\n";
const BODY: &str = "text\n---\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+zwölf = 2\n-- \n2.47\n";

/// Returns the messages of the history as `git format-patch` writes them: header fields without
/// those of MIME, and body.
fn messages(repository: &crate::repository::Repository) -> Vec<(Vec<u8>, Vec<u8>)> {
    let range = format!("main~{COMMITS}..main");
    let output = git(&[
        "format-patch",
        "--stdout",
        "--binary",
        "--no-signature",
        &range,
    ])
    .env("GIT_DIR", repository.path())
    .output()
    .unwrap();
    let mut messages: Vec<Vec<u8>> = Vec::new();
    for line in output.stdout.split_inclusive(|&byte| byte == b'\n') {
        if line.ends_with(b" Mon Sep 17 00:00:00 2001\n") && line.starts_with(b"From ") {
            messages.push(Vec::new());
        }
        messages.last_mut().unwrap().extend_from_slice(line);
    }
    let split = |message: Vec<u8>| {
        let end = message.windows(2).position(|end| end == b"\n\n").unwrap() + 1;
        let fields = message[..end].split_inclusive(|&byte| byte == b'\n');
        let is_mime = |line: &[u8]| line.starts_with(b"MIME-") || line.starts_with(b"Content-");
        (
            fields
                .filter(|line| !is_mime(line))
                .collect::<Vec<_>>()
                .concat(),
            message[end + 1..].to_vec(),
        )
    };
    messages.into_iter().map(split).collect()
}

/// Returns the tree after `git am` of `mailbox` in a clone with `main~COMMITS` checked out.
fn after_git_am(repository: &Path, mailbox: &[u8]) -> Tree {
    let directory = TempDir::new().unwrap();
    let clone = directory.path().join("clone");
    let runs = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    runs(
        git(&["clone", "-q", "--no-checkout"])
            .arg(repository)
            .arg(&clone),
    );
    runs(
        git(&["checkout", "-q", "-B", "other", &format!("main~{COMMITS}")])
            .current_dir(&clone)
            .env("GIT_DIR", ".git"),
    );
    let mail = directory.path().join("mail");
    fs::write(&mail, mailbox).unwrap();
    runs(git(&["am", "-q"]).arg(&mail).current_dir(&clone));
    fs::remove_dir_all(clone.join(".git")).unwrap();
    tree::read(&clone)
}

#[test]
fn a_history_in_every_encoding_gives_the_tree_of_git_am() {
    let repository = history::repository();
    let messages = messages(&repository);
    assert_eq!(messages.len(), COMMITS);
    let directory = TempDir::new().unwrap();
    let [before, after] = [format!("main~{COMMITS}"), "main".to_owned()].map(|revision| {
        let root = directory.path().join(&revision);
        repository.check_out(&revision, &root);
        tree::read(&root)
    });
    // The same writer never writes two messages that follow each other.
    let mailbox = |first: usize| -> Vec<u8> {
        let written = messages.iter().enumerate().map(|(index, (fields, body))| {
            let (_, write) = WRITERS[(first + index) % WRITERS.len()];
            write(fields, body)
        });
        written.collect::<Vec<_>>().concat()
    };
    assert_eq!(after_git_am(&repository.path(), &mailbox(0)), after);
    for first in [0, 3] {
        let memory = run::memory(&before);
        let report = run::apply(&memory, &mailbox(first), &Settings::default());
        assert_eq!(
            report["ok"], true,
            "from {}: {:#}",
            WRITERS[first].0, report["problems"]
        );
        assert_eq!(run::tree(&memory), after, "from {}", WRITERS[first].0);
    }
    for (name, write) in WRITERS {
        let mailbox: Vec<u8> = messages
            .iter()
            .flat_map(|(fields, body)| write(fields, body))
            .collect();
        let memory = run::memory(&before);
        assert_eq!(
            run::apply(&memory, &mailbox, &Settings::default())["ok"],
            true,
            "{name}"
        );
        assert_eq!(run::tree(&memory), after, "{name}");
    }
}

/// The content of a file after a mail that is not refused.
type After = Option<&'static [u8]>;

/// The mail in which wpatch and `git am` differ, with what each makes of the file `a`; the README
/// lists them.
fn differences() -> Vec<(&'static str, Vec<u8>, After, After)> {
    let body = BODY.as_bytes();
    let with = |fields: &str, body: &[u8]| message(FIELDS, fields, body);
    let ascii = BODY.replace("zwölf = ", "");
    let ascii = ascii.as_bytes();
    let two: After = Some(b"one\n2\n");
    let done = Some(DONE);
    let base64 = "Content-Transfer-Encoding: base64\n";
    let forwarded = [(
        "Content-Type: message/rfc822\n",
        &in_quoted_printable(body)[..],
    )];
    let raw: After = Some(b"one\nzw=C3=B6lf =3D 2\n");
    let html = [("", ascii), ("Content-Type: text/html\n", ascii)];
    let mixed = multipart(FIELDS, &html);
    let alternatives = String::from_utf8(mixed)
        .unwrap()
        .replace("multipart/mixed", "multipart/alternative");
    let inner = "Content-Type: multipart/mixed; boundary=inner\n";
    let patch = in_base64(ascii);
    let open = multipart(FIELDS, &[(inner, b"--inner\n\nhello\n"), (base64, &patch)]);
    let odd = in_base64(body)
        .split(|&byte| byte == b'\n')
        .flat_map(<[u8]>::to_vec)
        .collect::<Vec<_>>();
    let odd = [
        odd.chunks(75).collect::<Vec<_>>().join(&b'\n'),
        b"\n".to_vec(),
    ]
    .concat();
    let context = b"text\n\n*** a/a\n--- b/a\n***************\n*** 1,2 ****\n  one\n! two\n--- 1,2 ----\n  one\n! 2\n";
    let flowed = "  --- x \ny\n@@ -1 +1 @@\n".to_owned()
        + &String::from_utf8_lossy(ascii).replace("\n one", "\n  one");
    let eight = BODY.replace("text", "t\u{e9}xt").into_bytes();
    let in_flowed =
        "Content-Type: text/plain; format=flowed\nContent-Transfer-Encoding: quoted-printable\n";
    vec![
        ("a context or normal diff", with("", context), None, two),
        (
            "soft line breaks in quoted-printable or base64",
            with(in_flowed, &quoted(flowed.as_bytes())),
            None,
            two,
        ),
        (
            "8-bit text with the charset US-ASCII",
            with("Content-Type: text/plain; charset=us-ascii\n", &eight),
            None,
            done,
        ),
        (
            "unknown transfer encoding",
            with("Content-Transfer-Encoding: x-a\n", ascii),
            two,
            None,
        ),
        (
            "a byte that is not base64",
            with(base64, &[b"*", &in_base64(body)[..]].concat()),
            done,
            None,
        ),
        (
            "lines of base64 that end inside a group",
            with(base64, &odd),
            None,
            done,
        ),
        (
            "a charset without ASCII",
            with("Content-Type: text/plain; charset=utf-7\n", ascii),
            two,
            None,
        ),
        (
            "a forwarded message",
            multipart(FIELDS, &forwarded),
            raw,
            done,
        ),
        (
            "a patch in HTML next to the same as text",
            alternatives.into_bytes(),
            None,
            two,
        ),
        (
            "an inner multipart body without its last delimiter",
            open,
            None,
            two,
        ),
        (
            "a blank before the colon",
            with("Content-Transfer-Encoding : base64\n", &in_base64(body)),
            None,
            done,
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

fn desk() -> Desk {
    Desk::with(&[("a", b"one\ntwo\n")])
}

const DONE: &[u8] = "one\nzwölf = 2\n".as_bytes();

fn in_quoted_printable(body: &[u8]) -> Vec<u8> {
    message(
        FIELDS,
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
        &quoted(body),
    )
}

#[test]
fn every_command_decodes_mail() {
    let mail = in_quoted_printable(BODY.as_bytes());
    for arguments in [&["apply"][..], &["apply", "--lenient"]] {
        let desk = desk();
        let checked = desk.does(&[&["check"], &arguments[1..]].concat(), &mail);
        let applied = desk.does(arguments, &mail);
        assert_eq!(checked["plan_id"], applied["plan_id"], "{arguments:?}");
        assert_eq!(desk.bytes("a"), DONE, "{arguments:?}");
    }
    let desk = Desk::with(&[
        ("a", b"one\ntwo\n"),
        ("p/series", b"one.eml\n"),
        ("p/one.eml", &mail),
        (".git/HEAD", b""),
    ]);
    let shown = desk.runs(&["show"], &mail);
    assert!(
        String::from_utf8_lossy(&shown.stdout).contains("zwölf = 2"),
        "{shown:?}"
    );
    desk.does(&["apply", "--series", "p/series"], b"");
    assert_eq!(desk.bytes("a"), DONE);
}

/// Where a report says that the first mistake is, as line, column and byte.
fn place(report: &Value) -> [usize; 3] {
    ["line", "column", "byte"]
        .map(|name| usize::try_from(report["error"]["span"][name].as_u64().unwrap()).unwrap())
}

#[test]
fn a_mistake_is_at_its_place_in_the_mail() {
    let body = BODY.replace("@@ -1,2 +1,2 @@", "@@ --1,2 +1,2 @@");
    let text = |mail: &[u8]| mail.windows(4).position(|text| text == b"@@ -").unwrap() + 4;
    let with = |fields: &str, body: &[u8]| message(FIELDS, fields, body);
    let attachment = |body: &[u8]| {
        multipart(
            FIELDS,
            &[("", b"hello\n"), ("Content-Type: text/x-patch\n", body)],
        )
    };
    let wide = body.replace("text\n", &format!("{}\n", "ü = ü ".repeat(40)));
    let flowed = body
        .replace("text\n", "text \nmore \ntext\n")
        .replace("\n one", "\n  one");
    for mail in [
        with("", body.as_bytes()),
        in_quoted_printable(body.as_bytes()),
        in_quoted_printable(wide.as_bytes()),
        crlf(&with("", body.as_bytes())),
        crlf(&in_quoted_printable(wide.as_bytes())),
        attachment(body.as_bytes()),
        crlf(&attachment(body.as_bytes())),
        with(
            "Content-Type: text/plain; format=flowed; delsp=yes\n",
            flowed.as_bytes(),
        ),
        [
            &in_quoted_printable(BODY.as_bytes()),
            FROM,
            &with("", body.as_bytes()),
        ]
        .concat(),
    ] {
        let memory = run::memory(&Tree::new());
        let found = run::check(&memory, &mail, &Settings::default());
        let byte = if mail.starts_with(b"From: ") && mail.windows(5).any(|text| text == b"\nFrom") {
            mail.windows(5).rposition(|text| text == b"@@ --").unwrap() + 4
        } else {
            text(&mail)
        };
        let before = &mail[..byte];
        let line = before.split(|&byte| byte == b'\n').count();
        let column = byte - before.iter().rposition(|&byte| byte == b'\n').unwrap();
        assert_eq!(
            place(&found),
            [line, column, byte],
            "{}",
            String::from_utf8_lossy(&mail)
        );
    }
}

#[test]
fn a_mistake_in_base64_is_at_the_character_that_has_its_first_bits() {
    let body = format!(
        "{}{}",
        "text\n".repeat(40),
        BODY.replace("@@ -1,2 +1,2 @@", "@@ --1,2 +1,2 @@")
    );
    let mail = message(
        FIELDS,
        "Content-Transfer-Encoding: base64\n",
        &in_base64(body.as_bytes()),
    );
    let offset = body.find("@@ --").unwrap() + 4;
    let start = mail.windows(2).position(|end| end == b"\n\n").unwrap() + 2;
    let line = offset / 57;
    let column = offset % 57 / 3 * 4 + offset % 3;
    let found = run::check(&run::memory(&Tree::new()), &mail, &Settings::default());
    assert_eq!(
        place(&found),
        [7 + line, column + 1, start + line * 77 + column]
    );
    let desk = desk();
    let printed = desk.runs(&["check"], &mail);
    let printed = String::from_utf8_lossy(&printed.stderr).into_owned();
    assert!(
        printed.contains(&format!("{} | @@ --1,2 +1,2 @@", 7 + line)),
        "the decoded line is shown: {printed}"
    );
}

#[test]
fn what_cannot_be_decoded_is_refused_with_its_place_and_reason() {
    let encoded = |name: &str| format!("Content-Transfer-Encoding: {name}\n");
    let text = |fields: &str| message(FIELDS, fields, BODY.as_bytes());
    let base64 = in_base64(BODY.as_bytes());
    let cut = [
        FROM,
        &message(
            FIELDS,
            &encoded("base64"),
            &in_base64(&BODY.as_bytes()[..75]),
        ),
        FROM,
        FIELDS,
    ]
    .concat();
    let levels: Vec<_> = (0..20)
        .map(|depth| format!("Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}\n"))
        .collect();
    let deep = levels.concat();
    for (mail, line, reason) in [
        (
            text(&encoded("x-uuencode")),
            5,
            "unknown Content-Transfer-Encoding `x-uuencode`",
        ),
        (
            text("Content-Type: text/plain; charset=utf-16le\n"),
            5,
            "charset `utf-16le`",
        ),
        (
            text("Content-Type: text/plain;\n charset=\"no-such\"\n"),
            5,
            "charset `no-such`",
        ),
        (
            message(
                FIELDS,
                &encoded("base64"),
                &[b"AA*A\n", &base64[..]].concat(),
            ),
            7,
            "byte 0x2a is not in the base64",
        ),
        (
            message(FIELDS, &encoded("base64"), &base64[..base64.len() - 4]),
            8,
            "truncated base64 data",
        ),
        (cut, 10, "truncated message"),
        (
            [FIELDS, deep.as_bytes()].concat(),
            54,
            "more than 16 nested multipart bodies",
        ),
    ] {
        let tree = tree::fixture(Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/fixtures/problems/parse-mail/before"
        )));
        for lenient in [false, true] {
            let memory = run::memory(&tree);
            let report = run::apply(
                &memory,
                &mail,
                &Settings {
                    lenient,
                    ..Settings::default()
                },
            );
            let message = report["error"]["message"].as_str().unwrap();
            assert!(message.contains(reason), "{message}: {reason}");
            assert_eq!(
                (report["exit_code"].as_u64(), place(&report)[0]),
                (Some(2), line),
                "{reason}"
            );
            assert_eq!(report["error"]["code"], "wpatch::parse::mail");
            assert_eq!(run::tree(&memory), tree, "{reason}");
        }
    }
}

#[test]
fn text_that_is_no_encoded_mail_is_not_copied() {
    let prose = "From: here on\nContent-Transfer-Encoding is base64\n\n";
    for text in [
        BODY.to_owned(),
        format!("{prose}{BODY}"),
        format!("Index: a\r\n{}", BODY.replace('\n', "\r\n")),
        format!("The mail had\nContent-Transfer-Encoding: base64\n\n{BODY}"),
        format!(
            "{}{BODY}\n",
            String::from_utf8_lossy(&[FROM, FIELDS, b"\n"].concat())
        ),
        format!("From: a\nSubject: b\nContent-Type: text/plain; charset=iso-8859-1\n\n{BODY}"),
        "*** Begin Patch\n*** Add File: a\n+From: a\n*** End Patch\n".to_owned(),
        String::new(),
    ] {
        assert!(mail::open(text.as_bytes()).unwrap().is_none(), "{text}");
    }
    let opened = Case::all()
        .into_iter()
        .filter(|case| !matches!(mail::open(&case.patch), Ok(None)));
    let opened: Vec<_> = opened.map(|case| case.name).collect();
    assert!(
        opened.iter().all(|name| name.contains("mail")),
        "{opened:?}"
    );
}

fn checked(mail: &[u8]) -> Option<Vec<u8>> {
    let opened = mail::open(mail).ok()??;
    let (text, origin) = opened.into_parts(mail.to_vec().into());
    let mut last = 0;
    for offset in 0..=text.len() {
        let at = origin.offset(offset);
        assert!(
            at <= mail.len() && (text.len() > 4096 || at >= last),
            "{offset} {at} {last}"
        );
        last = at;
    }
    Some(text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn each_byte_of_a_text_is_found_in_its_mail(body in prop::collection::vec(any::<u8>(), 0..3000), is_crlf: bool) {
        let mail = in_quoted_printable(&body);
        let mail = if is_crlf { crlf(&mail) } else { mail };
        let opened = mail::open(&mail).unwrap().unwrap();
        let (text, origin) = opened.into_parts(mail.clone().into());
        let start = text.len() - body.len();
        prop_assert_eq!(&text[start..], &body[..]);
        for (offset, &byte) in text.iter().enumerate().skip(start) {
            prop_assert_eq!(unquote(&mail[origin.offset(offset)..]).1, Some(byte));
        }
        let mail = message(FIELDS, "Content-Transfer-Encoding: base64\n", &in_base64(&body));
        let text = checked(&mail).unwrap();
        prop_assert_eq!(&text[text.len() - body.len()..], &body[..]);
    }

    #[test]
    fn no_mail_is_too_broken_to_be_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..30), cut in any::<prop::sample::Index>(),
    ) {
        let mail = pieces.concat();
        let mail = &mail.as_bytes()[..cut.index(mail.len() + 1)];
        if let Some(text) = checked(mail) {
            prop_assert!(text.len() <= mail.len() + pieces.len());
        }
    }
}

/// Pieces of mail.
const PIECES: [&str; 18] = [
    "From a@b Mon Sep 17 00:00:00 2001\n",
    "From: a\nSubject: b\n",
    "From: a\r\nSubject: b\r\n",
    "Content-Type: multipart/mixed; boundary=b\n",
    "Content-Type: multipart/alternative; boundary=\"b c\"\n",
    "Content-Type: text/plain; format=flowed; delsp=yes; charset=utf-8\n",
    "Content-Type: message/rfc822\n",
    "Content-Transfer-Encoding: base64\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "\n",
    "\r\n",
    "--b\n",
    "--b--\n",
    "--b c\n",
    "a=\n=41=ZZ =",
    "  stuffed \n-- \n",
    "YWJjZGVm\nYQ==\nYWI\n",
    "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n",
];
