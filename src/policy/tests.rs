//! Tests for the verdicts of layers, alone and combined.

mod credentials;
mod grants;
mod mistakes;
mod other_roots;
mod patterns;

use proptest::prelude::*;

use super::document::parse_layer;
use super::pattern::CaseSensitivity;
use super::*;

fn layer(text: &str, origin: PolicyOrigin) -> PolicyLayer {
    parse_layer(
        "p.toml",
        text.as_bytes(),
        origin,
        CaseSensitivity::Sensitive,
    )
    .unwrap()
}

fn given(texts: &[&str]) -> Policy {
    let layers = texts
        .iter()
        .map(|text| layer(text, PolicyOrigin::CommandLine))
        .collect();
    Policy::new(layers, RootLocation::default(), Vec::new())
}

fn path(name: &str) -> RelPath {
    RelPath::new(name.as_bytes()).unwrap()
}

fn verdict(policy: &Policy, name: &str, access: Access) -> Verdict {
    policy.judge(&path(name), access).verdict
}

fn rule(pattern: &str) -> String {
    format!("[[rule]]\npaths = ['{pattern}']\nverdict = \"deny\"\n")
}

#[test]
fn the_strictest_rule_counts_whatever_the_order() {
    let rules = ["allow", "deny", "ask"]
        .map(|verdict| format!("[[rule]]\npaths = ['a']\nverdict = '{verdict}'\n"));
    let [allow, deny, ask] = &rules;
    for order in [[allow, deny, ask], [deny, ask, allow], [ask, allow, deny]] {
        let policy = given(&[&order.map(String::as_str).concat()]);
        let ruling = policy.judge(&path("a"), Access::Modify);
        let verdicts: Vec<_> = ruling.matches.iter().map(|hit| hit.verdict).collect();
        assert_eq!(
            (ruling.verdict, verdicts),
            (Verdict::Deny, vec![Verdict::Deny, Verdict::Ask])
        );
    }
}

#[test]
fn a_rule_is_about_the_operations_that_it_names() {
    let policy = given(&["[[rule]]\npaths = ['a']\nops = ['delete', 'mode']\nverdict = 'ask'\n"]);
    let asked: Vec<_> = Access::ALL
        .into_iter()
        .filter(|&access| verdict(&policy, "a", access) > Verdict::Allow)
        .collect();
    assert_eq!(asked, [Access::Delete, Access::Mode]);
    let policy = given(&["[[rule]]\npaths = ['a']\nops = ['write']\nverdict = 'ask'\n"]);
    let free: Vec<_> = Access::ALL
        .into_iter()
        .filter(|&access| verdict(&policy, "a", access) == Verdict::Allow)
        .collect();
    assert_eq!(free, [Access::Read]);
}

#[test]
fn a_hit_names_its_rule_and_its_line() {
    let policy = given(&[
        "# first\n[[rule]]\nname = 'lock'\npaths = ['b', '*.lock']\nverdict = 'deny'\nreason = 'made'\n",
    ]);
    let ruling = policy.judge(&path("x.lock"), Access::Create);
    let hit = &ruling.matches[0];
    assert_eq!(
        (
            hit.rule.as_str(),
            hit.pattern.as_deref(),
            hit.reason.as_str()
        ),
        ("lock", Some("*.lock"), "made")
    );
    assert_eq!(hit.source, Some(("p.toml".to_owned(), 2)));
}

#[test]
fn what_one_layer_demands_no_other_takes_back() {
    let strict = "[policy]\nmode = 'read-only'\nmax_write_bytes = 7\nbinary = 'refuse'\nrequire_hash = true\n";
    let loose =
        "[policy]\nmode = 'full'\nmax_write_bytes = 9\nbinary = 'allow'\nrequire_hash = false\n";
    for texts in [[strict, loose], [loose, strict]] {
        let policy = given(&texts);
        assert_eq!(
            (policy.mode(), policy.max_write()),
            (Some(Mode::ReadOnly), 7)
        );
        assert!(policy.refuses_binary() && policy.requires_hash());
    }
}

#[test]
fn the_strictest_mode_and_the_smallest_limits_hold() {
    let texts = [
        "[policy]\nmode = 'read-only'\nmax_read_bytes = 7\n",
        "[policy]\nmode = 'full'\nmax_read_bytes = 9\n",
    ];
    let policy = given(&texts);
    assert_eq!((policy.max_read(), policy.max_write()), (7, u64::MAX));
    assert_eq!(verdict(&policy, "a", Access::Read), Verdict::Allow);
    let hit = &policy.judge(&path("a"), Access::Create).matches[0];
    assert_eq!(hit.modes, Some((Mode::ReadOnly, Mode::WorkspaceWrite)));
}

#[test]
fn a_policy_file_is_closed_in_every_spelling() {
    let policy = Policy::new(
        Vec::new(),
        RootLocation::default(),
        vec![path("pol/strict.toml")],
    );
    let closed = [
        "wpatch.toml",
        "WPATCH.toml",
        "wpatch.toml. ",
        "wpatch.toml/x",
        "pol",
        "POL/Strict.TOML",
        "wpatch~1.TOM",
    ];
    for name in closed {
        for access in Access::ALL {
            let expected = if access == Access::Read {
                Verdict::Allow
            } else {
                Verdict::Deny
            };
            assert_eq!(verdict(&policy, name, access), expected, "{name}");
        }
    }
    for name in [
        "sub/wpatch.toml",
        "wpatch.toml2",
        "pol/other",
        "strict.toml",
    ] {
        assert_eq!(
            verdict(&policy, name, Access::Modify),
            Verdict::Allow,
            "{name}"
        );
    }
}

fn name() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["a", "b", "a/b", "a/b/c", "b/c", "c.lock", "a/c.lock"])
        .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    let word = |words: &'static [&'static str]| proptest::sample::select(words);
    let pattern = word(&["a", "b", "*.lock", "a/**", "a/*", "**", "/b", "b/"]);
    let rules = proptest::collection::vec(
        (
            pattern,
            word(&["read", "write", "create", "delete"]),
            word(&["allow", "ask", "deny"]),
        ),
        0..4,
    );
    let grants =
        proptest::collection::vec((word(&["a", "a/b", "b", "."]), word(&["r", "rw"])), 0..3);
    let settings = word(&[
        "",
        "mode = 'read-only'",
        "mode = 'full'",
        "secrets = false",
        "secrets = 'strict'",
        "symlinks = 'follow'",
        "control_files = false",
    ]);
    (rules, grants, settings).prop_map(|(rules, grants, settings)| {
        let rules = rules.iter().map(|(pattern, op, verdict)| {
            format!("[[rule]]\npaths = ['{pattern}']\nops = ['{op}']\nverdict = '{verdict}'\n")
        });
        let grants = grants
            .iter()
            .map(|(prefix, mode)| format!("[[grant]]\nprefix = '{prefix}'\nmode = '{mode}'\n"));
        format!(
            "[policy]\n{settings}\n{}{}",
            rules.collect::<String>(),
            grants.collect::<String>()
        )
    })
}

proptest! {
    #[test]
    fn a_project_only_tightens(given in proptest::collection::vec(text(), 0..3), own in text(), name in name()) {
        let layers = given.iter().map(|text| layer(text, PolicyOrigin::CommandLine)).collect();
        let place = RootLocation { roots: vec![b"/home/me".to_vec()], homes: vec![b"/home/me".to_vec()], ..RootLocation::default() };
        let without = Policy::new(layers, place, Vec::new()).for_model();
        let with = without.with_layer(layer(&own, PolicyOrigin::Project));
        for access in Access::ALL {
            for name in [name.as_str(), ".ssh/id", "x.pem", ".git/x", "wpatch.toml", ".mcp.json"] {
                prop_assert!(verdict(&with, name, access) >= verdict(&without, name, access), "{name} {access:?}");
            }
        }
        prop_assert!(with.max_read() <= without.max_read() && with.max_write() <= without.max_write());
        prop_assert!(with.symlink_setting() >= without.symlink_setting());
    }
}

#[test]
fn of_what_no_rule_is_about_every_verdict_is_without_a_hit() {
    let names = PROTECTION_RULES
        .iter()
        .flat_map(|rule| rule.examples)
        .chain(&["wpatch.toml", "a", "src/github.c", "caf\u{e9}"]);
    let names: Vec<_> = names
        .flat_map(|name| ["", "x/", "x\\"].map(|above| path(&format!("{above}{name}"))))
        .collect();
    let policies = [
        Policy::default(),
        given(&[&rule("src/**")]),
        given(&["[policy]\nsecrets = \"strict\"\n"]),
    ];
    let silent = policies.map(|policy| {
        let is_silent = |path: &&RelPath| policy.has_no_rule_for(path);
        for path in names.iter().filter(is_silent) {
            assert!(
                Access::ALL
                    .iter()
                    .all(|&access| policy.judge(path, access) == PolicyDecision::default()),
                "{path}"
            );
        }
        names.iter().filter(is_silent).count()
    });
    assert!(silent[0] > 6 && silent[1..] == [0, 0], "{silent:?}");
}

#[test]
fn every_derived_policy_is_for_a_model_if_the_first_one_is() {
    let control = path("CLAUDE.md");
    let inner = path("sub");
    for is_for_model in [false, true] {
        let policy = if is_for_model {
            Policy::default().for_model()
        } else {
            Policy::default()
        };
        let derived = [
            policy.with_layer(layer("", PolicyOrigin::CommandLine)),
            policy.with_folding().unwrap(),
            policy.for_work_tree(&inner, b"/top"),
            policy.with_inner(layer("", PolicyOrigin::Project), &inner, b"/top"),
            policy.for_directory(RootLocation::default(), Vec::new()),
        ];
        let expected = if is_for_model {
            Verdict::Ask
        } else {
            Verdict::Allow
        };
        for policy in derived {
            assert_eq!(policy.judge(&control, Access::Create).verdict, expected);
        }
    }
}
