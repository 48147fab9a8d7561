//! The reason that each rule gives for a refusal.

use crate::systems::Desk;

const VENDOR: &[u8] = b"--- a/vendor/v.c\n+++ b/vendor/v.c\n@@ -1 +1 @@\n-v\n+w\n";
const OWN: &[u8] = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";

/// A command that is refused, with its input.
struct Refusal {
    kind: &'static str,
    command: &'static [&'static str],
    input: &'static [u8],
    reason: &'static str,
}

const fn refusal(
    kind: &'static str,
    command: &'static [&'static str],
    input: &'static [u8],
    reason: &'static str,
) -> Refusal {
    Refusal {
        kind,
        command,
        input,
        reason,
    }
}

const REFUSALS: &[Refusal] = &[
    refusal("denied", &["apply"], VENDOR, "why vendor/**"),
    refusal("denied", &["check"], VENDOR, "why vendor/**"),
    refusal(
        "denied",
        &["edit", "vendor/v.c", "--old", "v", "--new", "w"],
        b"",
        "why vendor/**",
    ),
    refusal(
        "denied",
        &["write", "vendor/new", "--content", "w"],
        b"",
        "why vendor/**",
    ),
    refusal(
        "denied",
        &["append", "vendor/v.c", "--content", "w"],
        b"",
        "why vendor/**",
    ),
    refusal("denied", &["read", "key"], b"", "why key"),
    refusal("denied", &["diff", "a", "key"], b"", "why key"),
    refusal("denied", &["list", "private"], b"", "why private"),
    refusal(
        "denied",
        &["edit", "key", "--old", "k", "--new", "w"],
        b"",
        "why key",
    ),
    refusal("approval_required", &["apply"], OWN, "why a"),
    refusal(
        "approval_required",
        &["edit", "a", "--old", "a", "--new", "b"],
        b"",
        "why a",
    ),
    refusal(
        "denied",
        &["write", ".git/x", "--content", "x"],
        b"",
        wpatch::policy::PROTECTION_RULES[0].reason,
    ),
    refusal(
        "denied",
        &["edit", "wpatch.toml", "--old", "a", "--new", "b"],
        b"",
        "the path is a policy file or a directory above one",
    ),
];

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
    for refusal in REFUSALS {
        let error = desk.refuses(refusal.kind, refusal.command, refusal.input);
        assert_eq!(error["reason"], refusal.reason, "{:?}", refusal.command);
    }
    assert_eq!(
        desk.says(&["edit", "none", "--old", "a", "--new", "b"], b"")["error"].get("reason"),
        None
    );
}
