//! `policy explain`.

use ::fs_err as fs;
use serde_json::{Value, json};

use super::{ASK, DENY, desk};
use crate::systems::Desk;
use crate::world;

#[test]
fn an_explanation_names_the_rule_that_decides_and_what_else_speaks() {
    let desk = desk(&format!(
        "{DENY}{ASK}[[grant]]\nprefix = '.'\nmode = 'rw'\n"
    ));
    let document = desk.does(
        &["policy", "explain", "vendor/v.c", "--access", "delete"],
        b"",
    );
    let said = |rule: &str, verdict: &str, source: &str, message: &str, pattern: &str| {
        json!({"path": "vendor/v.c", "access": "delete", "rule": rule, "verdict": verdict, "pattern": pattern,
            "message": message, "source": source})
    };
    assert_eq!(
        document["accesses"],
        json!([{
            "access": "delete",
            "verdict": "deny",
            "rule": said("rule-1", "deny", "wpatch.toml:1", "generated", "vendor/**"),
            "also": [
                said("rule-2", "ask", "wpatch.toml:6", "a rule of wpatch.toml", "vendor"),
                said("grant", "allow", "wpatch.toml:10", "the grant . allows it", "."),
            ],
        }])
    );
    let document = desk.does(&["policy", "explain", "a"], b"");
    let verdicts: Vec<_> = document["accesses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|access| &access["access"])
        .collect();
    assert_eq!(
        verdicts,
        ["read", "create", "modify", "delete", "rename", "mode"]
    );
    assert_eq!(document["accesses"][2]["rule"]["rule"], "grant");
}

#[cfg(unix)]
#[test]
fn an_explanation_follows_links_and_says_what_holds() {
    let desk = desk(
        "[policy]\nsecrets = 'strict'\nmax_write_bytes = 7\nmode = 'read-only'\n[[grant]]\nprefix = 'vendor'\nmode = 'r'\n",
    );
    world::link("vendor/k.pem", desk.path("key")).unwrap();
    world::link("/etc", desk.path("out")).unwrap();
    let document = desk.does(&["policy", "explain", "key", "--access", "read"], b"");
    assert_eq!(
        (&document["path"], &document["link"]),
        (&json!("vendor/k.pem"), &json!("key"))
    );
    let rules = |document: &Value| -> Vec<(String, String)> {
        let access = &document["accesses"][0];
        let rules = [&access["rule"]]
            .into_iter()
            .chain(access["also"].as_array().unwrap());
        rules
            .map(|rule| {
                (
                    rule["rule"].as_str().unwrap().to_owned(),
                    rule["path"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    };
    let expected: Vec<_> = [
        ("grant", "key"),
        ("secrets", "vendor/k.pem"),
        ("grant", "vendor/k.pem"),
    ]
    .map(|(rule, path)| (rule.to_owned(), path.to_owned()))
    .into();
    assert_eq!(rules(&document), expected);
    let grants = json!([{"prefix": "vendor", "mode": "r", "source": "wpatch.toml:5"}]);
    assert_eq!(
        document["limits"],
        json!({"mode": "read-only", "symlinks": "inside", "binary": "allow", "secrets": "strict", "require_hash": false, "guard": [],
            "max_read_bytes": null, "max_write_bytes": 7, "grants": grants})
    );
    let document = desk.does(
        &["policy", "explain", "out/passwd", "--access", "read"],
        b"",
    );
    assert_eq!(document["accesses"][0]["rule"]["rule"], "outside-root");
    desk.refuses("outside_root", &["policy", "explain", "../a"], b"");
    fs::write(desk.path("wpatch.toml"), "mode = 1\n").unwrap();
    desk.refuses("policy", &["policy", "explain", "a"], b"");
}

#[cfg(unix)]
#[test]
fn an_explanation_has_the_rules_on_each_link_and_on_the_target() {
    let rule =
        |path: &str| format!("[[rule]]\npaths = ['{path}']\nverdict = 'ask'\nreason = '{path}'\n");
    let rules = ["one", "two", "a"].map(rule).concat();
    let desk = Desk::with(&[
        ("a", b"a\n"),
        ("wpatch.toml", rules.as_bytes()),
        ("AGENTS.md", b"x\n"),
    ]);
    world::link("two", desk.path("one")).unwrap();
    world::link("a", desk.path("two")).unwrap();
    world::link("AGENTS.md", desk.path("notes")).unwrap();
    let explained =
        |path: &str, access| desk.does(&["policy", "explain", path, "--access", access], b"");
    let document = explained("one", "read");
    let first = &document["accesses"][0];
    let rules = first["also"]
        .as_array()
        .unwrap()
        .iter()
        .chain([&first["rule"]]);
    let mut reasons: Vec<_> = rules
        .map(|rule| [&rule["path"], &rule["message"]].map(|value| value.as_str().unwrap()))
        .collect();
    reasons.sort_unstable();
    assert_eq!(reasons, ["a", "one", "two"].map(|path| [path, path]));
    assert_eq!([&document["link"], &document["path"]], ["one", "a"]);
    assert_eq!(
        explained("notes", "modify")["accesses"][0]["verdict"],
        "ask"
    );
}

/// A built-in rule as an explanation lists it.
#[derive(Debug)]
struct BuiltIn {
    name: String,
    interfaces: Vec<String>,
    state: Value,
    paths: Vec<String>,
}

impl BuiltIn {
    fn of(rule: &Value) -> Self {
        let words = |key: &str| {
            let words = rule[key].as_array().unwrap().iter();
            words.map(|it| it.as_str().unwrap().to_owned()).collect()
        };
        Self {
            name: rule["rule"].as_str().unwrap().to_owned(),
            interfaces: words("interfaces"),
            state: rule["state"].clone(),
            paths: words("paths"),
        }
    }

    fn has(&self, path: &str) -> bool {
        self.paths.iter().any(|it| it == path)
    }
}

/// Returns the explanation of a path under `policy`, as text, and the built-in rules that it lists.
fn built_in(desk: &Desk, policy: &str) -> (String, Vec<BuiltIn>) {
    fs::write(desk.path("../p.toml"), format!("[policy]\n{policy}\n")).unwrap();
    let arguments = ["policy", "explain", "a", "--policy", "../p.toml"];
    let text = String::from_utf8(desk.runs(&arguments, b"").stdout).unwrap();
    let document = desk.does(&arguments, b"");
    let rules = document["built_in"].as_array().unwrap().iter();
    (text, rules.map(BuiltIn::of).collect())
}

/// Each built-in rule is listed with the interfaces that it holds for, its paths, and whether it is
/// in force.
#[test]
fn an_explanation_lists_the_built_in_rules() {
    let desk = desk("");
    let (_, all) = built_in(&desk, "");
    let names: Vec<_> = all.iter().map(|rule| rule.name.as_str()).collect();
    let expected = [
        "git-directory",
        "state-directory",
        "drive-letter",
        "backslash-parent",
        "policy-file",
        "secrets",
        "control-files",
    ];
    assert_eq!(names, expected);
    assert!(
        all.iter()
            .all(|rule| rule.state == "on" && !rule.paths.is_empty()),
        "{all:?}"
    );
    assert!(
        all[..6]
            .iter()
            .all(|rule| rule.interfaces == ["every command"])
            && all[6].interfaces == ["hook", "mcp"],
        "{all:?}"
    );
    for path in [
        "~/.ssh",
        "~/.aws",
        "~/.git-credentials",
        "/etc/shadow",
        "/run/secrets",
    ] {
        assert!(all[5].has(path), "{path}");
    }
    assert!(!all[5].has(".env.*") && all[6].has(".mcp.json") && all[6].has(".lsp.json"));
    let (_, strict) = built_in(&desk, "secrets = 'strict'");
    assert!(strict[5].has(".env.*") && strict[5].has("*.pem"));
    let (text, off) = built_in(&desk, "secrets = false\ncontrol_files = false");
    assert_eq!(
        (&off[5].state, &off[6].state, &off[4].state),
        (&json!("off"), &json!("off"), &json!("on"))
    );
    assert!(
        text.ends_with("policy-file\ndisabled built-in rules: secrets, control-files\n"),
        "{text}"
    );
}
