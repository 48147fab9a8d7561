//! Random attributes, contents and patches.

use fs_err as fs;

use super::Pair;
use crate::dice::Dice;

/// Lines of attribute files.
const ATTRIBUTES: &[&str] = &[
    "* text=auto",
    "* text=auto eol=crlf",
    "*.a text",
    "*.a text eol=crlf",
    "*.a text eol=lf",
    "*.a eol=crlf",
    "*.a -text",
    "*.a binary",
    "*.a !text",
    "[attr]windows text eol=crlf ident\n*.a windows",
    "*.a crlf",
    "*.a -crlf",
    "*.a crlf=input",
    "*.a ident",
    "*.b ident eol=crlf",
    "*.b text=auto",
    "*.b working-tree-encoding=UTF-16LE-BOM",
    "*.b text working-tree-encoding=UTF-16 eol=crlf",
    "*.b working-tree-encoding=UTF-16BE ident",
    "*.b working-tree-encoding=UTF-32LE",
    "*.b working-tree-encoding=ISO-8859-1",
    "*.b working-tree-encoding=SHIFT-JIS",
    "one.* -text",
    "sub/*.a eol=crlf",
];

/// Contents of files, as a user may have them.
pub(super) const CONTENTS: &[&[u8]] = &[
    b"",
    b"single",
    b"single\n",
    b"one\ntwo\nthree\n",
    b"one\r\ntwo\r\nthree\r\n",
    b"one\r\ntwo\nthree\n",
    b"one\ntwo\r\nthree",
    b"\xef\xbb\xbfone\ntwo\n",
    b"\xef\xbb\xbfone\r\ntwo\r\n",
    b"/* $Id$ */\nint a;\n",
    b"/* $Id: 0123456789012345678901234567890123456789 $ */\r\nint a;\r\n",
    b"# $Id: x.c 1.2 now $\n$Id:\n$\nend $Id$",
    b"lone\rcr\nend\n",
    b"null\0\r\nend\r\n",
    b"\x01\x02\x03\r\nend\n",
    b"caf\xc3\xa9\nend\n",
    b"\xff\xfeo\0n\0e\0\n\0t\0w\0o\0\n\0",
    b"\xff\xfeo\0n\0e\0\r\0\n\0t\0w\0o\0\r\0\n\0",
    b"\0o\0n\0e\0\n",
    b"o\0\0\0n\0\0\0\n\0\0\0",
    b"caf\xe9\nend\n",
    b"\x96\xbc\nend\n",
    b"end\r\n\x1a",
];

/// Returns a few lines of an attribute file.
pub(super) fn attributes(dice: &mut Dice) -> String {
    (0..dice.below(4))
        .map(|_| dice.one(ATTRIBUTES).to_owned() + "\n")
        .collect()
}

/// Returns the hunk that makes `new` of `old`.
fn hunk(old: &[u8], new: &[u8]) -> Vec<u8> {
    let [old, new] = [old, new].map(|text| {
        text.split_inclusive(|&byte| byte == b'\n')
            .collect::<Vec<_>>()
    });
    if old == new {
        return Vec::new();
    }
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let range = |count: usize| format!("{},{count}", usize::from(count > 0));
    let mut out = format!("@@ -{} +{} @@\n", range(old.len()), range(new.len())).into_bytes();
    let parts = [
        (b' ', &old[..same]),
        (b'-', &old[same..]),
        (b'+', &new[same..]),
    ];
    for (sign, line) in parts
        .into_iter()
        .flat_map(|(sign, lines)| lines.iter().map(move |line| (sign, line)))
    {
        out.extend([&[sign], *line].concat());
        if !line.ends_with(b"\n") {
            out.extend(b"\n\\ No newline at end of file\n");
        }
    }
    out
}

/// Returns `text` with another line, ended as the dice say.
fn changed(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    let lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let at = dice.below(lines.len() + 1);
    let has_cr = lines.first().is_some_and(|line| line.ends_with(b"\r\n")) != dice.once_in(6);
    let line = dice.one(&["new", "$Id$", "caf\u{e9}"]);
    let end = if at == lines.len() && dice.once_in(5) {
        ""
    } else if has_cr {
        "\r\n"
    } else {
        "\n"
    };
    let new = [line.as_bytes(), end.as_bytes()].concat();
    let is_open = lines
        .get(at.wrapping_sub(1))
        .is_some_and(|line| !line.ends_with(b"\n"));
    let kept = if dice.once_in(2) {
        &lines[(at + 1).min(lines.len())..]
    } else {
        &lines[at..]
    };
    [
        &lines[..at].concat()[..],
        if is_open { b"\n" } else { b"" },
        &new,
        &kept.concat(),
    ]
    .concat()
}

/// Returns the header of a section.
fn header(a: &str, b: &str, lines: &str) -> String {
    format!("diff --git a/{a} b/{b}\n{lines}")
}

/// Returns a section: `header`, the names and `body`. A section without a body has no names.
fn section(header: &str, [old, new]: [&str; 2], body: &[u8]) -> Vec<u8> {
    let names = if body.is_empty() {
        String::new()
    } else {
        format!("--- {old}\n+++ {new}\n")
    };
    [header.as_bytes(), names.as_bytes(), body].concat()
}

/// Returns what a patch takes for the content of `name`: that of the index, that of the work tree,
/// or that of the index with LF.
fn old_content(pair: &Pair, name: &str, dice: &mut Dice) -> Vec<u8> {
    let old = pair
        .staged(name)
        .unwrap_or_else(|| b"one\ntwo\nthree\n".to_vec());
    match dice.below(8) {
        0 => fs::read(pair.root("git").join(name)).unwrap_or_default(),
        1 => String::from_utf8_lossy(&old)
            .replace("\r\n", "\n")
            .into_bytes(),
        _ => old,
    }
}

/// Returns a patch for one file of `pair`.
pub(super) fn patch(pair: &Pair, dice: &mut Dice) -> Vec<u8> {
    let name = dice.one(&[
        "one.a",
        "two.a",
        "three.b",
        "sub/four.a",
        "sub/five.b",
        "moved.a",
        "sub/moved.b",
    ]);
    let other = dice.one(&["moved.a", "sub/moved.b", "new.a", "sub/new.b", "plain"]);
    let old = old_content(pair, name, dice);
    let new = changed(&old, dice);
    let (from, to) = (format!("a/{name}"), format!("b/{other}"));
    let both = |lines: &str, new: &[u8]| {
        section(&header(name, other, lines), [&from, &to], &hunk(&old, new))
    };
    match dice.below(10) {
        0 => section(
            &header(other, other, "new file mode 100644\n"),
            ["/dev/null", &to],
            &hunk(b"", &new),
        ),
        1 => section(
            &header(name, name, "deleted file mode 100644\n"),
            [&from, "/dev/null"],
            &hunk(&old, b""),
        ),
        2 => both(
            &format!("similarity index 90%\nrename from {name}\nrename to {other}\n"),
            &new,
        ),
        3 => both(
            &format!("similarity index 100%\nrename from {name}\nrename to {other}\n"),
            &old,
        ),
        4 => both(
            &format!("similarity index 90%\ncopy from {name}\ncopy to {other}\n"),
            &new,
        ),
        5 => header(name, name, "old mode 100644\nnew mode 100755\n").into_bytes(),
        _ => {
            let names = format!("--- {from}\n+++ b/{name}\n");
            let header = header(name, name, "") + &names;
            [header.into_bytes(), hunk(&old, &new)].concat()
        }
    }
}
