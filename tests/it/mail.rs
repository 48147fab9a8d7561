//! Mail is decoded as `git am` decodes it.

mod differences;
mod history;
mod mistakes;
mod signatures;
mod writers;

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;
use wpatch::syntax::mail;
use wpatch::text::decode_quoted_byte;

use crate::case::Settings;
use crate::repository::git;
use crate::run;
use crate::systems::Desk;
use crate::tree::{self, Tree};
use history::COMMITS;
use writers::{WRITERS, crlf, in_base64, message, quoted};

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

#[cfg(unix)]
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

fn checked(mail: &[u8]) -> Option<Vec<u8>> {
    let opened = mail::decode(mail).ok()??;
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
        let opened = mail::decode(&mail).unwrap().unwrap();
        let (text, origin) = opened.into_parts(mail.clone().into());
        let start = text.len() - body.len();
        prop_assert_eq!(&text[start..], &body[..]);
        for (offset, &byte) in text.iter().enumerate().skip(start) {
            prop_assert_eq!(decode_quoted_byte(&mail[origin.offset(offset)..]).1, Some(byte));
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
