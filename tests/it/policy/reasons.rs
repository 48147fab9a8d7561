//! The reason that each rule gives for a refusal.

use crate::systems::Desk;

#[test]
fn every_refusal_by_a_rule_has_its_reason() {
    let rule = |paths: &str, ops: &str, verdict: &str| {
        format!(
            "[[rule]]\npaths = ['{paths}']\nops = ['{ops}']\nverdict = '{verdict}'\nreason = 'why {paths}'\n"
        )
    };
    let policy = [
        rule("vendor/**", "write", "deny"),
        rule("key", "read", "deny"),
        rule("a", "write", "ask"),
    ]
    .concat();
    let desk = Desk::with(&[
        ("vendor/v.c", b"v\n"),
        ("a", b"a\n"),
        ("key", b"k\n"),
        ("private/x", b"x\n"),
        (
            "wpatch.toml",
            format!("{policy}{}", rule("private", "read", "deny")).as_bytes(),
        ),
    ]);
    let vendor = b"--- a/vendor/v.c\n+++ b/vendor/v.c\n@@ -1 +1 @@\n-v\n+w\n";
    let own = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    for (kind, command, input, reason) in [
        ("denied", &["apply"][..], &vendor[..], "why vendor/**"),
        ("denied", &["check"], vendor, "why vendor/**"),
        (
            "denied",
            &["edit", "vendor/v.c", "--old", "v", "--new", "w"],
            b"",
            "why vendor/**",
        ),
        (
            "denied",
            &["write", "vendor/new", "--content", "w"],
            b"",
            "why vendor/**",
        ),
        (
            "denied",
            &["append", "vendor/v.c", "--content", "w"],
            b"",
            "why vendor/**",
        ),
        ("denied", &["read", "key"], b"", "why key"),
        ("denied", &["diff", "a", "key"], b"", "why key"),
        ("denied", &["list", "private"], b"", "why private"),
        (
            "denied",
            &["edit", "key", "--old", "k", "--new", "w"],
            b"",
            "why key",
        ),
        ("approval_required", &["apply"], own, "why a"),
        (
            "approval_required",
            &["edit", "a", "--old", "a", "--new", "b"],
            b"",
            "why a",
        ),
        (
            "denied",
            &["write", ".git/x", "--content", "x"],
            b"",
            wpatch::policy::RULES[0].reason,
        ),
        (
            "denied",
            &["edit", "wpatch.toml", "--old", "a", "--new", "b"],
            b"",
            "it is a policy file, or on the way to one",
        ),
    ] {
        assert_eq!(
            desk.refuses(kind, command, input)["reason"],
            reason,
            "{command:?}"
        );
    }
    assert_eq!(
        desk.says(&["edit", "none", "--old", "a", "--new", "b"], b"")["error"].get("reason"),
        None
    );
}
