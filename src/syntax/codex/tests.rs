//! Tests of envelopes, as short descriptions of their operations.

use super::SECTION;
use super::update::{ANY_HUNK, HUNK_LINE, NEXT_HUNK};
use crate::plan::{Anchor, Edit, Hunk};
use crate::syntax::SyntaxErrorKind::Expected;
use crate::syntax::testing::{describe, parse_error};
use crate::syntax::{Options, parse, select_syntaxes};

fn envelope(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}*** End Patch\n")
}

fn hunks(text: &str) -> Vec<Hunk> {
    let plan = parse(
        "-",
        text.as_bytes().to_vec(),
        &select_syntaxes("codex"),
        Options::default(),
    )
    .unwrap();
    let edits = plan
        .operations
        .into_iter()
        .map(|operation| match operation.edit {
            Edit::Hunks(hunks) => hunks,
            _ => Vec::new(),
        });
    edits.flatten().collect()
}

#[test]
fn every_kind_of_section_is_read() {
    let text = envelope(
        "*** Add File: a b\n+1\n+\n  *** Add File: empty\n\n*** Delete File: d  \n\n*** Update File: u\n@@\n-1\n+2\n\
         *** Update File: m\n*** Move to: ./m\n*** Update File: n\n*** Move to: o\n 1\n+2\n",
    );
    let words = [
        "Create a b +2-0",
        "Create empty step 1",
        "Delete d step 2",
        "Modify u +1-1 step 3",
        "Rename m from m step 4",
        "Rename o from n +1-0 step 5",
    ];
    assert_eq!(describe(&text), words);
    assert_eq!(describe(&text.replace('\n', "\r\n")), words);
}

#[test]
fn a_wrapper_of_the_shell_is_taken_off() {
    let text = envelope("*** Environment ID: x\n*** Delete File: d\n");
    for name in ["EOF", "PATCH", "end_of.patch-1"] {
        for wrapper in [
            format!("<<{name}"),
            format!("<<'{name}'"),
            format!("<< \"{name}\""),
        ] {
            let wrapped = format!("\n{wrapper}\n{text}{name}\n\n");
            assert_eq!(describe(&wrapped), ["Delete d"], "{wrapper}");
        }
    }
    for wrapper in ["<<", "<<''", "<<'EOF", "<<-EOF", "<<E$F"] {
        let (kind, place) = parse_error(&format!("{wrapper}\n{text}EOF\n"));
        assert_eq!((kind, &*place), (Expected("only the patch"), wrapper));
    }
    assert_eq!(describe(&format!(" \n\t{text}*** End Patch")), ["Delete d"]);
    assert_eq!(
        parse_error(&format!("<<'PATCH'\n{text}EOF\n")),
        (
            Expected("the delimiter of the here-document"),
            "EOF".to_owned()
        )
    );
    let prose = Expected("only the patch");
    assert_eq!(
        parse_error(&format!("apply_patch <<'EOF'\n{text}EOF\n")),
        (prose.clone(), "apply_patch <<'EOF'".into())
    );
    assert_eq!(parse_error(&format!("{text}EOF\n")), (prose, "EOF".into()));
}

#[test]
fn a_chunk_knows_its_headings_and_lines() {
    let text = envelope(
        "*** Update File: u\n@@ class A\t\n@@   def f:\n \n\n-x\r\n+y\n*** End of File\n\n@@\n+z\n\n",
    );
    let found: Vec<_> = hunks(&text)
        .into_iter()
        .map(|hunk| {
            let Anchor::Headings { headings, at_end } = &hunk.anchor else {
                panic!("a line")
            };
            let headings: Vec<_> = headings
                .iter()
                .map(|span| &text[span.start..span.end])
                .collect();
            (
                headings,
                *at_end,
                &text[hunk.body.start..hunk.body.end],
                (hunk.old.count, hunk.new.count),
            )
        })
        .collect();
    let first = (vec!["class A", "  def f:"], true, " \n\n-x\r\n+y\n", (3, 3));
    assert_eq!(found, [first, (vec![], false, "+z\n\n", (1, 2))]);
}

#[test]
fn markers_behind_a_sign_or_a_blank_are_contents() {
    let text =
        envelope("*** Add File: a\n+*** End Patch\n*** Update File: u\n *** Update File: v\n+@@\n");
    assert_eq!(describe(&text), ["Create a +1-0", "Modify u +1-0 step 1"]);
}

#[test]
fn damaged_envelopes_are_refused_where_they_break() {
    let cases = [
        (
            "",
            Expected("a section, such as `*** Update File: PATH`"),
            "*** End Patch",
        ),
        ("\n*** Delete File: d\n", SECTION, ""),
        (
            "*** Environment ID: \n",
            Expected("an environment name"),
            "*** Environment ID: ",
        ),
        ("*** Rename File: d\n", SECTION, "*** Rename File: d"),
        ("*** Add File: \n+a\n", SECTION, "*** Add File: "),
        ("*** Add File: a\n+a\n\n+b\n", SECTION, "+b"),
        ("*** Delete File: a\n-a\n", SECTION, "-a"),
        ("*** Update File: u\n", ANY_HUNK, "*** End Patch"),
        ("*** Update File: u\n\n", ANY_HUNK, "*** End Patch"),
        ("*** Update File: u\n@@\n@@\n a\n", HUNK_LINE, "@@"),
        ("*** Update File: u\n@@ a\n", HUNK_LINE, "*** End Patch"),
        ("*** Update File: u\n@@a\n b\n", HUNK_LINE, "@@a"),
        (
            "*** Update File: u\n@@\n-a\n*** Move to: v\n",
            HUNK_LINE,
            "*** Move to: v",
        ),
        (
            "*** Update File: u\n-a\n\\ No newline at end of file\n",
            HUNK_LINE,
            "\\ No newline at end of file",
        ),
        (
            "*** Update File: u\n-a\n*** End of File\n-b\n",
            NEXT_HUNK,
            "-b",
        ),
    ];
    for (sections, kind, place) in cases {
        assert_eq!(
            parse_error(&envelope(sections)),
            (kind, place.to_owned()),
            "{sections}"
        );
    }
    let cut = "*** Begin Patch\n*** Add File: a\n+a\n";
    assert_eq!(
        parse_error(cut),
        (Expected("`*** End Patch`"), String::new())
    );
}

#[test]
fn an_envelope_is_utf_8() {
    let text = b"*** Begin Patch\n*** Add File: a\n+\xc3\xa4\xff\n*** End Patch\n".to_vec();
    let broken = parse("-", text, &select_syntaxes("codex"), Options::default()).unwrap_err();
    assert_eq!(
        (broken.error.kind, broken.error.span.start),
        (Expected("UTF-8"), 35)
    );
}
