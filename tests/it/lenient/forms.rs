//! One rule for every form of a change: a diff, a block, a JSON edit, whole lines and a part of a
//! line.

use serde_json::json;

use super::*;

/// Returns the file after a patch; `None` if it is refused.
fn made(file: &str, patch: &str) -> Option<String> {
    super::made(file, Asked::Patch(patch.to_owned()))
}

fn lines(sign: &str, text: &str) -> String {
    text.lines().flat_map(|line| [sign, line, "\n"]).collect()
}

/// Returns the same change of whole lines in each grammar.
fn forms(old: &str, new: &str) -> Vec<String> {
    let body = [lines("-", old), lines("+", new)].concat();
    vec![
        format!("--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ @@\n{body}"),
        format!("*** Begin Patch\n*** Update File: dir/file.txt\n@@\n{body}*** End Patch\n"),
        format!("dir/file.txt\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"),
        json!({"edits": [{"path": "dir/file.txt", "old": old, "new": new}]}).to_string(),
    ]
}

#[test]
fn a_changed_line_keeps_the_typographic_characters_of_the_file_in_each_form() {
    let file = "first\nprint(\"a\", b) # it's\nlast\n";
    let typed = |text: &str| {
        text.replace("\"a\"", "\u{201c}a\u{201d}")
            .replace(", b", ",\u{a0}b")
    };
    let (old, new) = ("print(\"a\", b) # it's\n", "print(\"a\", b) # it's new\n");
    for patch in forms(&typed(old), &typed(new)) {
        assert_eq!(
            made(file, &patch),
            Some(file.replace("it's", "it's new")),
            "{patch}"
        );
    }
    // A part of the line.
    let edit = |old: &str, new: &str| {
        json!({"edits": [{"path": "dir/file.txt", "old": old, "new": new}]}).to_string()
    };
    let patch = edit(&typed("(\"a\", b)"), &typed("(\"a\", b)").replace('b', "c"));
    assert_eq!(
        made(file, &patch),
        Some(file.replace(", b)", ", c)")),
        "{patch}"
    );
    // Lines in another order, and one that comes again.
    let file = "first\nsay \"a\" once\nsay \"b\" once\nlast\n";
    let typed = |text: &str| text.replace("say ", "say\u{a0}");
    let (old, new) = (
        "say \"a\" once\nsay \"b\" once\n",
        "say \"b\" once\nsay \"a\" once\nsay \"b\" once\n",
    );
    for patch in forms(&typed(old), &typed(new)) {
        assert_eq!(
            made(file, &patch),
            Some(format!("first\n{new}last\n")),
            "{patch}"
        );
    }
}

#[test]
fn an_ascii_patch_keeps_the_typographic_characters_of_the_file_in_each_form() {
    let file = "first\nsay \u{201c}a\u{201d} \u{2013} it\u{2019}s old\nit\u{2019}s last\n";
    let (old, new) = (
        "say \"a\" - it's old\nit's last\n",
        "say \"a\" - it's new 'now'\nit's last\nit's more\n",
    );
    let after = file.replace("old", "new 'now'") + "it's more\n";
    for patch in forms(old, new) {
        assert_eq!(made(file, &patch), Some(after.clone()), "{patch}");
    }
}

#[test]
fn a_typographic_character_that_can_be_meant_or_not_is_refused_in_each_form() {
    let file = "first\nprint(\"a\", b)\nlast\n";
    let old = "print(\u{201c}a\u{201d}, b)\n";
    for new in [
        "print(\u{201c}a\u{201d}, \u{201c}c\u{201d})\n",
        "print(\u{201c}a\u{201d}, b)\nprint(\u{201c}c\u{201d})\n",
    ] {
        for patch in forms(old, new) {
            assert_eq!(made(file, &patch), None, "{patch}");
        }
    }
    let part = json!({"edits": [{"path": "dir/file.txt", "old": "\u{201c}a\u{201d}", "new": "\u{201c}a\u{201d} + \u{201c}c\u{201d}"}]});
    assert_eq!(made(file, &part.to_string()), None);
}

#[test]
fn an_elision_that_moved_is_refused_in_each_form() {
    let file = "def a():\n    one()\n    two()\n    return x\n\ndef b():\n    pass\n";
    let elision = "    # ... existing code ...\n";
    let old = format!("def a():\n{elision}    return x\n");
    let moved = [
        format!("def a():\n    q = 1\n    return 5\n{elision}"),
        format!("def a():\n    return 5\n{elision}    # end\n"),
        format!("def c():\n{elision}    return 5\n"),
    ];
    for new in moved {
        for patch in forms(&old, &new).split_off(2) {
            assert_eq!(made(file, &patch), None, "{patch}");
        }
    }
    let body = format!(
        " def a():\n+    return 5\n{}-    return x\n",
        lines(" ", elision)
    );
    let diff = format!("--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ @@\n{body}");
    let codex =
        format!("*** Begin Patch\n*** Update File: dir/file.txt\n@@\n{body}*** End Patch\n");
    assert_eq!((made(file, &diff), made(file, &codex)), (None, None));
    let kept = format!("def a():\n    q = 1\n{elision}    return x\n");
    let changed = format!("def a():\n{elision}    return 5\n");
    for patch in forms(&old, &kept).split_off(2) {
        assert_eq!(
            made(file, &patch),
            Some(file.replace("def a():\n", "def a():\n    q = 1\n")),
            "{patch}"
        );
    }
    for patch in forms(&old, &changed).split_off(2) {
        assert_eq!(
            made(file, &patch),
            Some(file.replace("return x", "return 5")),
            "{patch}"
        );
    }
}

/// Comments that stand for lines.
const STAND_INS: &[&str] = &[
    "# The rest of the function stays the same",
    "# rest unchanged",
    "# unchanged",
    "# (unchanged)",
    "# ... 2 lines ...",
    "# .. existing ..",
    "# === existing code ===",
    "# rest as before",
    "# keep the rest as is",
    "# your existing code",
    "# everything else unchanged",
    "# other methods unchanged",
    "# implementation unchanged",
    "# <snip>",
    "# --- snip ---",
    "# omitted",
    "# truncated",
    "# [unchanged]",
    "# remaining lines omitted for brevity",
    "# same as the original",
    "// unchanged",
    "/* unchanged */",
    "{/* rest unchanged */}",
    "<!-- unchanged -->",
    "-- rest of the body as before",
    "pass  # existing code",
    "pass  # ...",
    "...  # unchanged",
];

#[test]
fn a_comment_that_stands_for_lines_that_go_is_refused_in_each_form() {
    let file = "def a():\n    x = 1\n    y = 2\n    return x\n\ndef b():\n    pass\n";
    let old = "def a():\n    x = 1\n    y = 2\n    return x\n";
    let mut wrong = Vec::new();
    for comment in STAND_INS {
        for kept in ["    x = 5\n", "    x = 5\n    z = 6\n    q = 7\n"] {
            let new = format!("def a():\n{kept}    {comment}\n");
            let body = [lines("-", old), lines("+", &new)].concat();
            let count = new.lines().count();
            let counted =
                format!("--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,4 +1,{count} @@\n{body}");
            let whole = [vec![counted], forms(old, &new)].concat();
            wrong.extend(
                whole
                    .into_iter()
                    .filter(|patch| made(file, patch).is_some()),
            );
        }
        let edit = Asked::edit(old, format!("def a():\n    x = 5\n    {comment}\n"));
        wrong.extend(super::made(file, edit));
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_remark_on_code_is_written_in_each_form() {
    let file = "def a():\n    x = 1\n    return x\n";
    for remark in [
        "# the cache is unchanged here because of x",
        "# keep the lock",
        "# the rest is for b()",
    ] {
        let new = format!("    {remark}\n    return 2\n");
        for patch in forms("    return x\n", &new) {
            assert_eq!(
                made(file, &patch),
                Some(file.replace("    return x\n", &new)),
                "{patch}"
            );
        }
    }
    // No line goes.
    for remark in ["# unchanged", "# The rest stays the same", "# omitted"] {
        let new = format!("    x = 1\n    {remark}\n");
        for patch in forms("    x = 1\n", &new).split_off(2) {
            assert_eq!(
                made(file, &patch),
                Some(file.replace("    x = 1\n", &new)),
                "{patch}"
            );
        }
    }
}
