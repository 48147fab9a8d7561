//! Writers of mail: each encodes the body of a message in another way.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A writer: receives the header fields of a message without those of MIME, and the body.
pub(crate) type Writer = fn(&[u8], &[u8]) -> Vec<u8>;

/// Every writer, and whether it can carry any body.
pub(crate) const WRITERS: &[(&str, Writer)] = &[
    ("8bit", eight_bit),
    ("quoted-printable", quoted_printable),
    ("base64", base64),
    ("quoted-printable with CR LF", |fields, body| {
        crlf(&quoted_printable(fields, body))
    }),
    ("base64 with CR LF", |fields, body| {
        crlf(&base64(fields, body))
    }),
    ("attached in base64", attached),
    ("inline in quoted-printable with a footer", inline),
    ("attached to alternatives", nested),
];

fn eight_bit(fields: &[u8], body: &[u8]) -> Vec<u8> {
    // git removes each CR before a line feed, so that a file with CR LF needs an encoding.
    if body.contains(&b'\r') {
        return base64(fields, body);
    }
    message(
        fields,
        "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n",
        body,
    )
}

fn quoted_printable(fields: &[u8], body: &[u8]) -> Vec<u8> {
    let fields_of_body = "Content-Type: text/plain; charset=\"utf-8\"\nContent-Transfer-Encoding: Quoted-Printable\n";
    message(fields, fields_of_body, &quoted(body))
}

fn base64(fields: &[u8], body: &[u8]) -> Vec<u8> {
    let fields_of_body =
        "content-type: text/plain; charset=utf-8\ncontent-transfer-encoding:  BASE64 \n";
    message(fields, fields_of_body, &in_base64(body))
}

/// The message as text, the patch as an attachment.
fn attached(fields: &[u8], body: &[u8]) -> Vec<u8> {
    let (text, patch) = halves(body);
    let part = "Content-Type: application/octet-stream; name=\"a.patch\"\nContent-Transfer-Encoding: base64\n\
                Content-Disposition: attachment; filename=\"a.patch\"\n";
    multipart(
        fields,
        &[
            ("Content-Type: text/plain; charset=utf-8\n", text),
            (part, &in_base64(patch)),
        ],
    )
}

fn inline(fields: &[u8], body: &[u8]) -> Vec<u8> {
    let part =
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n";
    let footer = b"_______\na mailing list\n";
    multipart(
        fields,
        &[
            (part, &quoted(body)),
            ("Content-Type: text/plain\n", footer),
        ],
    )
}

fn nested(fields: &[u8], body: &[u8]) -> Vec<u8> {
    let (text, patch) = halves(body);
    let inner = [
        &b"--inner\nContent-Type: text/plain\n\n"[..],
        text,
        b"--inner\nContent-Type: text/html\n\n<p>the same</p>\n--inner--\n",
    ]
    .concat();
    let part = "Content-Type: text/x-patch\nContent-Transfer-Encoding: quoted-printable\n";
    multipart(
        fields,
        &[
            (
                "Content-Type: multipart/alternative; boundary=inner\n",
                &inner,
            ),
            (part, &quoted(patch)),
        ],
    )
}

pub(crate) fn message(fields: &[u8], fields_of_body: &str, body: &[u8]) -> Vec<u8> {
    [
        fields,
        b"MIME-Version: 1.0\n",
        fields_of_body.as_bytes(),
        b"\n",
        body,
    ]
    .concat()
}

pub(crate) fn multipart(fields: &[u8], parts: &[(&str, &[u8])]) -> Vec<u8> {
    let part = |(fields, body): &(&str, &[u8])| {
        [b"--the border\n", fields.as_bytes(), b"\n", body].concat()
    };
    let parts: Vec<_> = parts.iter().flat_map(part).collect();
    let body = [
        &b"This is a multi-part message.\n"[..],
        &parts,
        b"--the border--\n",
    ]
    .concat();
    message(
        fields,
        "Content-Type: multipart/mixed;\n boundary=\"the border\"\n",
        &body,
    )
}

/// Divides a body before the line of three dashes.
fn halves(body: &[u8]) -> (&[u8], &[u8]) {
    body.split_at(
        body.windows(5)
            .position(|line| line == b"\n---\n")
            .map_or(0, |at| at + 1),
    )
}

pub(crate) fn crlf(mail: &[u8]) -> Vec<u8> {
    mail.split(|&byte| byte == b'\n')
        .collect::<Vec<_>>()
        .join(&b"\r\n"[..])
}

pub(crate) fn in_base64(body: &[u8]) -> Vec<u8> {
    let lines: Vec<_> = body.chunks(57).map(|line| STANDARD.encode(line)).collect();
    [lines.join("\n").as_bytes(), b"\n"].concat()
}

/// Encodes as Python's `quopri` does, with soft line breaks so that no line has more than 76
/// characters.
pub(crate) fn quoted(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let mut width = 0;
        for (at, &byte) in content.iter().enumerate() {
            let is_last = at + 1 == content.len();
            let is_plain = matches!(byte, b'!'..=b'<' | b'>'..=b'~')
                || (matches!(byte, b' ' | b'\t') && !is_last);
            let is_plain = is_plain && !(at == 0 && line.starts_with(b"From "));
            let written = if is_plain {
                vec![byte]
            } else {
                format!("={byte:02X}").into_bytes()
            };
            if width + written.len() > 75 {
                out.extend_from_slice(b"=\n");
                width = 0;
            }
            width += written.len();
            out.extend(written);
        }
        if line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    out
}
