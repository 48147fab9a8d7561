//! Texts, names and characters that could deceive a reviewer.

use wpatch::engine;
use wpatch::workspace::memory::{Entry, Memory};

use super::{LIST, Shown, all, page, path, request, shown, texts};

#[test]
fn hostile_texts_stay_texts() {
    let hostile: [&[u8]; 12] = [
        b"<script>alert(1)</script>",
        b"\"><img src=x onerror=alert(1)>",
        b"' onload='alert(1)",
        b"</style><script>1</script>",
        b"</title><h1>",
        b"<!--",
        b"]]>",
        b"&lt;script&gt; &#60;b&#62;",
        "\u{202e}gnp.exe \u{2066}\u{200b}\u{feff}".as_bytes(),
        b"\x1b[2J\x07\x7f\x08",
        b"\xff\xfe\x80 caf\xe9",
        "a\u{301}\u{fdd0}\u{ffff}\u{e0041}\r".as_bytes(),
    ];
    for text in hostile {
        let line = |sign: &[u8]| [sign, text, b"\n"].concat();
        let hunk = [
            b"@@ -1,1 +1,2 @@ ",
            text,
            b"\n",
            b" ",
            text,
            b"\n+",
            text,
            b" new\n",
        ]
        .concat();
        let patch = [b"--- a/file\n+++ b/file\n", &hunk[..]].concat();
        let fits = shown(&[("file", &line(b""))], patch.clone());
        assert!(fits.report.ok, "{:?}", fits.report.problems);
        let page = page(&fits);
        assert_eq!(all(&page, "tbody tr").len(), 2, "{text:?}");
        // It is read as it is, with what does not show as escapes.
        if text.iter().all(|byte| (b' '..0x7f).contains(byte)) {
            let expected = String::from_utf8_lossy(text).into_owned();
            let cells: Vec<String> = all(&page, "td.c")
                .into_iter()
                .map(|cell| cell.text().collect())
                .collect();
            assert_eq!(cells, [expected.clone(), format!("{expected} new")]);
        } else {
            assert!(!all(&page, "td.c .esc").is_empty(), "{text:?}");
        }
        self::page(&shown(&[("file", b"something else\n")], patch.clone()));
        self::page(&shown(&[], patch));
        self::page(&shown(&[], [b"<", text].concat()));
    }
}

#[test]
fn hostile_names_stay_names() {
    let names: [&[u8]; 8] = [
        b"<script>alert(1)</script>",
        b"\" onmouseover=\"alert(1)",
        b"'><img src=x>",
        "src/\u{202e}sr.nigol".as_bytes(),
        b"a\x1b[31mb\tc\nd",
        b"caf\xe9/\xff",
        b"javascript:alert(1)",
        b"#f1 \" id=\"files",
    ];
    for name in names {
        let quoted: Vec<_> = name.iter().map(|byte| format!("\\{byte:03o}")).collect();
        let quoted = quoted.concat();
        let header = format!("diff --git \"a/{quoted}\" \"b/{quoted}\"\n");
        let create = format!(
            "{header}new file mode 100644\n--- /dev/null\n+++ \"b/{quoted}\"\n@@ -0,0 +1 @@\n+x\n"
        );
        let created = shown(&[], create);
        assert!(created.report.ok, "{name:?} {:?}", created.report.problems);
        page(&created);
        page(&shown(
            &[],
            format!("{header}--- \"a/{quoted}\"\n+++ \"b/{quoted}\"\n@@ -1 +1 @@\n-x\n+y\n"),
        ));
        let renamed = format!(
            "diff --git \"a/{quoted}\" b/new\nsimilarity index 100%\nrename from \"{quoted}\"\nrename to new\n"
        );
        let workspace = Memory::with_files([(path(name), Entry::file("x\n"))]);
        let renamed = Shown::of(&engine::render_page(request(renamed), &workspace));
        assert!(renamed.report.ok, "{name:?} {:?}", renamed.report.problems);
        page(&renamed);
    }
}

#[test]
fn a_reviewer_is_told_of_invisible_characters() {
    let change =
        |text: &str| format!("--- a/list\n+++ b/list\n@@ -1,2 +1,3 @@\n one\n+{text}\n two\n");
    let badges = |text: &str| {
        texts(
            &page(&shown(&[("list", LIST)], change(text))),
            ".file > summary .badge",
        )
    };
    assert_eq!(
        badges("\tplain\r"),
        ["modify", "line ends lf \u{2192} mixed"]
    );
    assert_eq!(
        badges("if level != \"user\u{202e}\""),
        ["modify", "invisible characters"]
    );
}
