//! Mail that cannot be decoded, and the places of errors in mail.

use std::path::Path;

use serde_json::Value;
use wpatch::syntax::mail;

use super::writers::{crlf, in_base64, message, multipart};
use super::{BODY, FIELDS, FROM, desk, in_quoted_printable};
use crate::case::{Case, Settings};
use crate::run;
use crate::tree::{self, Tree};

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

/// Mail that cannot be decoded, with the line and the reason of the error.
fn undecodable() -> Vec<(Vec<u8>, usize, &'static str)> {
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
    vec![
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
    ]
}

#[test]
fn what_cannot_be_decoded_is_refused_with_its_place_and_reason() {
    for (mail, line, reason) in undecodable() {
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
        assert!(mail::decode(text.as_bytes()).unwrap().is_none(), "{text}");
    }
    let opened = Case::all()
        .into_iter()
        .filter(|case| !matches!(mail::decode(&case.patch), Ok(None)));
    let opened: Vec<_> = opened.map(|case| case.name).collect();
    assert!(
        opened.iter().all(|name| name.contains("mail")),
        "{opened:?}"
    );
}
