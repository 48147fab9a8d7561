//! The pages that the program prints.

use ::fs_err as fs;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use scraper::Html;

use super::{LIST, all, page, parsed, rows, shown, texts};
use crate::systems::Desk;

/// A PNG whose header names this size; nobody decodes it here.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
    png
}

#[test]
fn images_stand_side_by_side_and_svg_is_text() {
    let codex = "*** Begin Patch\n*** Delete File: logo.png\n*** Delete File: bomb.png\n*** Delete File: data\n*** End Patch\n";
    let bomb = png(60_000, 60_000);
    let files: [(&str, &[u8]); 3] = [
        ("logo.png", &png(3, 2)),
        ("bomb.png", &bomb),
        ("data", b"\0\0"),
    ];
    let page = page(&shown(&files, codex));
    let images = all(&page, "img");
    let expected = format!(
        "data:image/png;base64,{}",
        BASE64_STANDARD.encode(png(3, 2))
    );
    assert_eq!(
        images
            .iter()
            .map(|image| image.value().attr("src").unwrap())
            .collect::<Vec<_>>(),
        [expected]
    );
    let captions = texts(&page, "figcaption");
    assert!(
        captions[4].starts_with("Before 33 bytes, 3 \u{d7} 2 pixelssha256:"),
        "{captions:?}"
    );
    assert!(texts(&page, ".word").contains(&"Too many pixels to be shown.".to_owned()));

    let svg = "--- /dev/null\n+++ b/x.svg\n@@ -0,0 +1 @@\n+<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>\n";
    let page = self::page(&shown(&[], svg));
    assert_eq!(
        (all(&page, "img").len(), all(&page, "tbody tr").len()),
        (0, 1)
    );
}

#[test]
fn the_program_prints_one_page_whatever_comes_of_the_patch() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("list"), LIST).unwrap();
    let run = |patch: &str, arguments: &[&str]| {
        fs::write(root.path().join("patch"), patch).unwrap();
        let mut command = crate::world::wpatch();
        let output = command
            .current_dir(root.path())
            .args(["show", "--html"])
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let fits = "--- a/list\n+++ b/list\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let endings = [
        fits,
        &fits.replace("two", "II"),
        "nothing",
        &fits.replace("list", ".git/x"),
    ]
    .map(|patch| {
        let (code, text) = run(patch, &["patch"]);
        let page = Html::parse_document(&text);
        assert!(page.errors.is_empty(), "{:?}", page.errors);
        (code, texts(&page, ".outcome").concat())
    });
    let expected = [
        (0, "Applies"),
        (1, "Does not apply"),
        (2, "Malformed patch"),
        (3, "Refused"),
    ];
    assert_eq!(
        endings,
        expected.map(|(code, ending)| (Some(code), ending.to_owned()))
    );
    assert_eq!(run(fits, &["--stat", "patch"]), (Some(2), String::new()));
    assert_eq!(
        run(fits, &["0067a1b2c312345678-9abcdef0"]),
        (Some(1), String::new())
    );
    assert_eq!(fs::read(root.path().join("list")).unwrap(), LIST);
}

#[test]
fn a_page_has_the_end_of_a_long_change() {
    let root = tempfile::tempdir().unwrap();
    let lines: Vec<_> = (1..=5000).map(|n| format!("+line {n}\n")).collect();
    let lines = lines.concat();
    let patch = format!("--- /dev/null\n+++ b/long\n@@ -0,0 +1,5000 @@\n{lines}");
    fs::write(root.path().join("patch"), patch).unwrap();
    let last = |arguments: &[&str]| {
        let mut command = crate::world::wpatch();
        let command = command
            .current_dir(root.path())
            .args(["show", "--html", "patch"]);
        let output = command.args(arguments).output().unwrap();
        let page = parsed(std::str::from_utf8(&output.stdout).unwrap());
        rows(&page).pop().unwrap()
    };
    assert_eq!(last(&[]), "5000+line 5000");
    assert_eq!(last(&["--diff-max-bytes", "200"]), "9+line 9");
}

/// Returns a root with a change in its history, of files whose names and texts could deceive.
fn applied() -> Desk {
    let files: [(&str, &[u8]); 4] = [
        ("a <b>", b"one\r\ntwo\r\n"),
        ("\u{202e}", b"x\n"),
        (".env", b"SECRET=1\n"),
        ("run", b"#!\n"),
    ];
    let desk = Desk::with(&files);
    desk.does(&["init"], b"");
    let patch = "diff --git \"a/a <b>\" \"b/a <b>\"\nold mode 100644\nnew mode 100755\n--- \"a/a <b>\"\n+++ \"b/a <b>\"\n\
                 @@ -1,2 +1,2 @@\n one\r\n-two\r\n+<script>\u{ff}\u{200b}\r\n\
                 diff --git \"a/\\342\\200\\256\" b/moved\nsimilarity index 100%\n\
                 rename from \"\\342\\200\\256\"\nrename to moved\n\
                 diff --git a/run b/run\n--- a/run\n+++ b/run\n@@ -1 +1,2 @@\n #!\n+secret\n";
    let patch: Vec<u8> = patch
        .chars()
        .flat_map(|it| {
            if it == '\u{ff}' {
                vec![0xff]
            } else {
                it.to_string().into_bytes()
            }
        })
        .collect();
    desk.does(&["apply"], &patch);
    desk
}

#[cfg(unix)]
#[test]
fn a_change_of_the_history_is_a_page_too() {
    let desk = applied();
    fs::write(
        desk.path("wpatch.toml"),
        "[[rule]]\npaths = ['run']\nops = ['read']\nverdict = 'deny'\nreason = '<i>no</i>'\n",
    )
    .unwrap();
    let id = desk.does(&["log"], b"")["entries"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let output = desk.runs(&["show", &id, "--html"], b"");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    let page = parsed(std::str::from_utf8(&output.stdout).unwrap());
    assert_eq!(
        texts(&page, "title, h1"),
        ["Applied: 3 files", "Applied 3 files +1\u{2212}1"]
    );
    assert_eq!(
        texts(&page, "h3"),
        ["a <b>", "\\u{202e} \u{2192} moved", "run"]
    );
    let badges = [
        "modify",
        "mode 0644 \u{2192} 0755",
        "invisible characters",
        "rename",
        "modify",
    ];
    assert_eq!(texts(&page, ".file > summary .badge"), badges);
    assert_eq!(rows(&page), ["11 one", "2-two", "2+<script>\\xff\\u{200b}"]);
    assert_eq!(
        texts(&page, "main .word"),
        ["No line changes.", "The content is not shown: <i>no</i>"]
    );
    assert_eq!(texts(&page, ".facts .copy"), [id]);
}

#[cfg(unix)]
#[test]
fn a_change_of_the_history_is_not_shown_with_an_option_for_patches() {
    let desk = applied();
    let id = desk.does(&["log"], b"")["entries"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for option in ["--stat", "--reverse", "--include=a", "-p1", "--unified"] {
        let output = desk.runs(&["show", &id, option], b"");
        let words = String::from_utf8(output.stderr).unwrap();
        let name = option.split(['=', '1']).next().unwrap();
        assert!(words.contains(&format!("{name} needs a patch")), "{words}");
        assert_eq!(
            (output.status.code(), output.stdout),
            (Some(2), Vec::new()),
            "{option}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_page_needs_an_entry_of_the_history_and_goes_with_no_json() {
    let desk = applied();
    let none = desk.runs(&["show", "0067a1b2c312345678-9abcdef0", "--html"], b"");
    assert_eq!((none.status.code(), &*none.stdout), (Some(1), &b""[..]));
    assert_eq!(
        desk.runs(&["show", "0067", "--html", "--json"], b"")
            .status
            .code(),
        Some(2)
    );
}
