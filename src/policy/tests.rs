//! What layers say, alone and together.

mod credentials;

use proptest::prelude::*;

use super::document::parse_with;
use super::pattern::Case;
use super::*;

fn layer(text: &str, origin: Origin) -> Layer {
    parse_with("p.toml", text.as_bytes(), origin, Case::Kept).unwrap()
}

fn given(texts: &[&str]) -> Policy {
    let layers = texts
        .iter()
        .map(|text| layer(text, Origin::Given))
        .collect();
    Policy::new(layers, Place::default(), Vec::new())
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

/// Returns which of `names` a rule with `pattern` closes.
fn closed_by<'n>(pattern: &str, names: &[&'n str]) -> Vec<&'n str> {
    let policy = given(&[&rule(pattern)]);
    names
        .iter()
        .copied()
        .filter(|name| verdict(&policy, name, Access::Read) == Verdict::Deny)
        .collect()
}

#[test]
fn a_pattern_means_what_the_documentation_says() {
    let names = ["v", "v/a", "v/a/b", "w/v", "w/v/a", "x.lock", "w/x.lock"];
    assert_eq!(closed_by("*.lock", &names), ["x.lock", "w/x.lock"]);
    assert_eq!(closed_by("/*.lock", &names), ["x.lock"]);
    assert_eq!(closed_by("v/**", &names), ["v/a", "v/a/b"]);
    assert_eq!(closed_by("v/*", &names), ["v/a"]);
    assert_eq!(
        closed_by("v", &names),
        ["v", "v/a", "v/a/b", "w/v", "w/v/a"]
    );
    assert_eq!(closed_by("/v", &names), ["v", "v/a", "v/a/b"]);
    assert_eq!(closed_by("v/", &names), ["v/a", "v/a/b", "w/v/a"]);
    assert_eq!(closed_by("w/v", &names), ["w/v", "w/v/a"]);
    assert_eq!(closed_by("**", &names), names);
    assert_eq!(closed_by("{v,w}/*", &names), ["v/a", "w/v", "w/x.lock"]);
}

#[test]
fn case_counts_but_where_file_systems_fold_it() {
    let denies = |case| {
        let layer = parse_with("p", rule("Sécret/*.KEY").as_bytes(), Origin::Given, case).unwrap();
        let policy = Policy::new(vec![layer], Place::default(), Vec::new());
        let names = [
            "SÉCRET/a.Key",
            "se\u{301}cret/a.key",
            "\u{17f}écret/a.\u{212a}ey",
        ];
        names.map(|name| verdict(&policy, name, Access::Read))
    };
    assert_eq!(
        (denies(Case::Kept), denies(Case::Folded)),
        ([Verdict::Allow; 3], [Verdict::Deny; 3])
    );
}

#[test]
fn the_strictest_rule_counts_whatever_the_order() {
    let rules = ["allow", "deny", "ask"]
        .map(|verdict| format!("[[rule]]\npaths = ['a']\nverdict = '{verdict}'\n"));
    let [allow, deny, ask] = &rules;
    for order in [[allow, deny, ask], [deny, ask, allow], [ask, allow, deny]] {
        let policy = given(&[&order.map(String::as_str).concat()]);
        let ruling = policy.judge(&path("a"), Access::Modify);
        let verdicts: Vec<_> = ruling.hits.iter().map(|hit| hit.verdict).collect();
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
    let hit = &ruling.hits[0];
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
fn grants_close_everything_else_at_directory_boundaries() {
    let policy = given(&[
        "[[grant]]\nprefix = 'src'\nmode = 'rw'\n[[grant]]\nprefix = 'src/fixed/'\nmode = 'r'\n",
    ]);
    let both = |name| {
        (
            verdict(&policy, name, Access::Read),
            verdict(&policy, name, Access::Modify),
        )
    };
    assert_eq!(both("src/a"), (Verdict::Allow, Verdict::Allow));
    assert_eq!(both("src"), (Verdict::Allow, Verdict::Allow));
    assert_eq!(both("src2/a"), (Verdict::Deny, Verdict::Deny));
    assert_eq!(both("src/fixed/a"), (Verdict::Allow, Verdict::Deny));
    assert_eq!(both("a"), (Verdict::Deny, Verdict::Deny));
    let seen = ["src", "src/a", "src2", "a"].map(|name| policy.is_visible(Some(&path(name))));
    assert_eq!(
        (seen, policy.is_visible(None)),
        ([true, true, false, false], true)
    );
}

#[test]
fn every_layer_has_to_grant() {
    let policy = given(&[
        "[[grant]]\nprefix = 'a'\nmode = 'rw'\n",
        "[[grant]]\nprefix = 'a/b'\nmode = 'rw'\n",
    ]);
    assert_eq!(verdict(&policy, "a/b/x", Access::Modify), Verdict::Allow);
    assert_eq!(verdict(&policy, "a/x", Access::Modify), Verdict::Deny);
    assert_eq!(
        ["a/b/x", "a/x"].map(|name| policy.is_visible(Some(&path(name)))),
        [true, false]
    );
}

#[test]
fn the_nearest_grant_decides_and_of_two_for_one_directory_the_stricter_one() {
    let grants = [("a", "r"), ("a/b", "rw"), ("c", "rw"), ("c", "r")]
        .map(|(prefix, mode)| format!("[[grant]]\nprefix = '{prefix}'\nmode = '{mode}'\n"));
    let backwards: Vec<_> = grants.iter().rev().cloned().collect();
    for text in [grants.concat(), backwards.concat()] {
        let policy = given(&[&text]);
        let verdicts = ["a/x", "a/b/x", "c/x"].map(|name| verdict(&policy, name, Access::Modify));
        assert_eq!(
            verdicts,
            [Verdict::Deny, Verdict::Allow, Verdict::Deny],
            "{text}"
        );
    }
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
    let hit = &policy.judge(&path("a"), Access::Create).hits[0];
    assert_eq!(hit.modes, Some((Mode::ReadOnly, Mode::WorkspaceWrite)));
}

#[test]
fn a_policy_file_is_closed_in_every_spelling() {
    let policy = Policy::new(Vec::new(), Place::default(), vec![path("pol/strict.toml")]);
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

/// Returns the policy for `root`, which is another one than `/srv/p`, that the files are of.
fn elsewhere(root: &str, texts: &[(&str, Origin)]) -> Policy {
    let place = Place {
        roots: vec![root.into()],
        ..Place::default()
    };
    let layers = texts
        .iter()
        .map(|(text, origin)| layer(text, *origin).of_other_root(vec![b"/srv/p".to_vec()]));
    Policy::new(layers.collect(), place, Vec::new())
}

#[test]
fn a_policy_file_holds_outside_of_its_root_and_for_every_way_back_into_it() {
    let opened = (
        "[[grant]]\nprefix = '/data'\nmode = 'rw'\n[[grant]]\nprefix = '/srv'\nmode = 'rw'\n",
        Origin::User,
    );
    let own = "[[rule]]\npaths = ['*.lock', 'v/**', '/top']\nverdict = 'deny'\n";
    let denied = |root, names: &[&str]| {
        let policy = elsewhere(root, &[opened, (own, Origin::Project)]);
        let is_denied = |name: &&&str| verdict(&policy, name, Access::Modify) == Verdict::Deny;
        names
            .iter()
            .filter(is_denied)
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        denied("/data", &["a", "x/y.lock", "v/a", "p/v/a", "top"]),
        ["x/y.lock", "v/a", "top"]
    );
    assert_eq!(
        denied("/srv", &["a", "p/a", "p/v/a", "p/top", "p/x/top", "q/v/a"]),
        ["p/v/a", "p/top"]
    );
    let granted = |text: &str, root, name| {
        let policy = elsewhere(root, &[opened, (text, Origin::Project)]);
        Access::ALL.map(|access| verdict(&policy, name, access) == Verdict::Allow)[..3] == [true; 3]
    };
    let src = "[[grant]]\nprefix = 'src'\nmode = 'rw'\n";
    assert!(!granted(src, "/data", "a") && !granted(src, "/data", "src/a"));
    assert!(!granted(src, "/srv", "p/a") && granted(src, "/srv", "p/src/a"));
    assert!(!granted("[policy]\nmode = 'read-only'\n", "/data", "a") && granted("", "/data", "a"));
    // A file of the directory itself grants by names of its own.
    let policy = elsewhere("/data", &[opened]).with(layer(src, Origin::Project));
    let modify = |name| verdict(&policy, name, Access::Modify);
    assert_eq!(
        (modify("src/a"), modify("a")),
        (Verdict::Allow, Verdict::Deny)
    );
}

#[test]
fn an_absolute_grant_opens_that_directory_and_no_other() {
    let text = "[[grant]]\nprefix = '/data'\nmode = 'rw'\n[[grant]]\nprefix = 'src'\nmode = 'rw'\n";
    let policy = elsewhere("/data", &[(text, Origin::Given)]);
    assert_eq!(verdict(&policy, "x", Access::Modify), Verdict::Allow);
    assert_eq!(policy.opened_elsewhere(b"/data/x"), Some(&b"/data"[..]));
    assert_eq!(policy.opened_elsewhere(b"/data2/x"), None);
    let nested = ["/data/deep", "/data"]
        .map(|prefix| text.replace("/data", prefix))
        .concat();
    let policy = Policy::new(
        vec![layer(&nested, Origin::Given)],
        Place::default(),
        Vec::new(),
    );
    assert_eq!(
        policy.opened_elsewhere(b"/data/deep/x"),
        Some(&b"/data/deep"[..])
    );
    let error = parse("wpatch.toml", text.as_bytes(), Origin::Project).unwrap_err();
    assert_eq!(
        error.message,
        "a project's own file grants nothing outside of the root"
    );
}

#[test]
fn what_is_not_understood_is_an_error_with_a_place() {
    let mistake = |text: &str| {
        let error = parse("p.toml", text.as_bytes(), Origin::Project).unwrap_err();
        text.get(error.span.start..error.span.end)
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(mistake("[policy]\nmax_wrte_bytes = 9\n"), "max_wrte_bytes");
    assert_eq!(mistake("[policy]\nmode = 'careful'\n"), "'careful'");
    assert_eq!(mistake("[policy]\nsecrets = 'some'\n"), "'some'");
    assert_eq!(mistake("[policy]\nmax_read_bytes = -1\n"), "-1");
    assert_eq!(
        mistake("[[rule]]\npaths = ['a[']\nverdict = 'deny'\n"),
        "'a['"
    );
    assert_eq!(
        mistake("[[rule]]\npaths = ['../a']\nverdict = 'deny'\n"),
        "'../a'"
    );
    assert_eq!(mistake("[[rule]]\npaths = ['']\nverdict = 'deny'\n"), "''");
    assert_eq!(
        mistake("[[rule]]\npaths = ['a']\nops = ['see']\nverdict = 'deny'\n"),
        "'see'"
    );
    assert_eq!(
        mistake("[[grant]]\nprefix = '../a'\nmode = 'r'\n"),
        "'../a'"
    );
    assert_eq!(mistake("[[server]]\n"), "[[server]]");
    assert_eq!(mistake("mode = 'full'\n"), "mode");
    for text in [
        "[[rule]]\npaths = []\nverdict = 'deny'\n",
        "[[rule]]\nverdict = 'deny'\n",
        "[policy",
        "a\u{0}",
    ] {
        assert!(
            parse("p.toml", text.as_bytes(), Origin::Project).is_err(),
            "{text}"
        );
    }
    assert_eq!(
        parse("p", b"# \xff\n", Origin::Given)
            .unwrap_err()
            .span
            .start,
        2
    );
}

#[test]
fn a_pattern_that_means_more_elsewhere_is_an_error_that_says_what_to_write() {
    let error = |text: &str| {
        let PolicyError { message, span } = parse("p", text.as_bytes(), Origin::User)
            .map(|_| ())
            .unwrap_err();
        (text[span.start..span.end].to_owned(), message)
    };
    for pattern in ["!a", "!a/*", "~/a", "~", "~me/*"] {
        let (place, message) = error(&rule(pattern));
        assert_eq!(place, format!("'{pattern}'"));
        assert!(
            message.ends_with(&format!(": `./{pattern}` means a file that is called so")),
            "{message}"
        );
    }
    let names = ["!a", "~", "~x", "~/a", "b/!a", "a"];
    assert_eq!(closed_by("./!a", &names), ["!a", "b/!a"]);
    assert_eq!(closed_by("\\!a", &names), ["!a", "b/!a"]);
    assert_eq!(closed_by("./~/a", &names), ["~/a"]);
    assert_eq!(closed_by("~*", &names), ["~", "~x"]);
    let (place, message) = error("[[grant]]\nprefix = '~/a'\nmode = 'rw'\n");
    assert!(
        place == "'~/a'" && message.ends_with("full path"),
        "{message}"
    );
}

#[test]
fn patterns_that_would_cost_too_much_are_errors() {
    let nested = format!("{}a{}", "{".repeat(2000), "}".repeat(2000));
    let many = format!("{{{}}}", vec!["a*b*c*d"; 500].join(","));
    let all = many.replace('a', "[!a-z]").repeat(3);
    for pattern in [nested, "a".repeat(5000), all] {
        // Whether they are refused is for the library to say; it comes back.
        let _ = parse("p", rule(&pattern).as_bytes(), Origin::Given);
    }
    assert!(parse("p", rule(&"a".repeat(5000)).as_bytes(), Origin::Given).is_err());
    let bomb = rule(&"**/*a".repeat(80)).repeat(2000);
    let error = parse("p", bomb.as_bytes(), Origin::Given).unwrap_err();
    assert!(
        error.message.ends_with("have more than 20000 wildcards"),
        "{error}"
    );
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
        let layers = given.iter().map(|text| layer(text, Origin::Given)).collect();
        let place = Place { roots: vec![b"/home/me".to_vec()], homes: vec![b"/home/me".to_vec()], ..Place::default() };
        let without = Policy::new(layers, place, Vec::new()).for_model();
        let with = without.with(layer(&own, Origin::Project));
        for access in Access::ALL {
            for name in [name.as_str(), ".ssh/id", "x.pem", ".git/x", "wpatch.toml", ".mcp.json"] {
                prop_assert!(verdict(&with, name, access) >= verdict(&without, name, access), "{name} {access:?}");
            }
        }
        prop_assert!(with.max_read() <= without.max_read() && with.max_write() <= without.max_write());
        prop_assert!(with.links() >= without.links());
    }
}

#[test]
fn of_what_no_rule_is_about_every_verdict_is_without_a_hit() {
    let names = RULES.iter().flat_map(|rule| rule.examples).chain(&[
        "wpatch.toml",
        "a",
        "src/github.c",
        "caf\u{e9}",
    ]);
    let names: Vec<_> = names
        .flat_map(|name| ["", "x/", "x\\"].map(|above| path(&format!("{above}{name}"))))
        .collect();
    let policies = [
        Policy::default(),
        given(&[&rule("src/**")]),
        given(&["[policy]\nsecrets = \"strict\"\n"]),
    ];
    let silent = policies.map(|policy| {
        let is_silent = |path: &&RelPath| policy.is_silent_about(path);
        for path in names.iter().filter(is_silent) {
            assert!(
                Access::ALL
                    .iter()
                    .all(|&access| policy.judge(path, access) == Ruling::default()),
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
            policy.with(layer("", Origin::Given)),
            policy.folded().unwrap(),
            policy.above(&inner, b"/top"),
            policy.with_inner(layer("", Origin::Project), &inner, b"/top"),
            policy.everywhere(Place::default(), Vec::new()),
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
