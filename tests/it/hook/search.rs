//! Tools that search: they read files as well.

use fs_err as fs;
use serde_json::{Value, json};

use super::{call, decision};
use crate::systems::{Desk, fed, program};
use crate::world;

const KEY: &str = "[[rule]]\npaths = ['key', 'private/**']\nops = ['read']\nverdict = 'deny'\nreason = 'it is ours'\n";

fn desk(policy: &str) -> Desk {
    let desk = Desk::with(&[
        ("a.rs", b"a\n"),
        ("src/b.rs", b"b\n"),
        ("key", b"k\n"),
        ("private/c.rs", b"c\n"),
        ("private/d.txt", b"d\n"),
        ("n.ipynb", b"{}"),
        (".git/config", b"x\n"),
        ("wpatch.toml", policy.as_bytes()),
        ("../home/.ssh/id_rsa", b"x\n"),
        ("../home/notes/a", b"x\n"),
        ("../other/b", b"x\n"),
    ]);
    world::link_on_unix("private", desk.path("way"));
    desk
}

fn on(desk: &Desk, tool: &str, input: &Value) -> Option<(String, String)> {
    let mut hook = program(&desk.root(), &["hook", "claude"]);
    hook.env_remove("CLAUDE_PROJECT_DIR")
        .env("HOME", desk.path("../home"));
    decision(&fed(&mut hook, call(desk, tool, input).as_bytes()))
}

fn word(desk: &Desk, tool: &str, input: &Value) -> String {
    on(desk, tool, input).map_or("-".to_owned(), |(said, _)| said)
}

/// Searches with `Grep`: the path, the glob (empty if there is none), and the decision. `ROOT` is
/// the root.
const GREP: &[(&str, &str, &str)] = &[
    ("", "", "deny"),
    ("ROOT", "", "deny"),
    (".", "", "deny"),
    ("key", "", "deny"),
    ("private", "", "deny"),
    ("way", "", "deny"),
    ("src/../private", "", "deny"),
    ("src", "", "-"),
    ("a.rs", "", "-"),
    ("none", "", "-"),
    ("", "*.rs", "deny"),
    ("", "*.toml", "-"),
    ("", "!key !private", "-"),
    ("", "!key", "deny"),
    ("private", "*.{md,toml}", "-"),
    // Programs differ in what they take for a wildcard.
    ("", "@(k)ey", "deny"),
    ("", "!(x)", "deny"),
    ("", "!+(k)ey !private", "deny"),
    ("", "{a.rs,private/c.rs}", "deny"),
    ("", "{private/d.txt,x}", "deny"),
    ("src", "@(b).rs", "-"),
];

/// Searches with `Glob`: the path, the pattern, and the decision.
const GLOB: &[(&str, &str, &str)] = &[
    ("", "**/*.rs", "deny"),
    ("", "**/*.toml", "-"),
    ("", "src/**/*", "-"),
    ("", "private/*", "deny"),
    ("private", "*", "deny"),
    ("", "ROOT/private/*.txt", "deny"),
    ("", "*/../private/*", "deny"),
    ("", "key", "deny"),
    // Programs differ in what they take for a wildcard.
    ("", "@(key)", "deny"),
    ("", "?(k)ey", "deny"),
    ("", "+(key)", "deny"),
    ("", "*(k)ey", "deny"),
    ("", "!(a.rs)", "deny"),
    ("", "@(private/d|x).txt", "deny"),
    ("", "src/@(b).rs", "-"),
    ("", "{private/d.txt,x}", "deny"),
    ("", "{src/b.rs,private/d.txt}", "deny"),
    ("", "src/{b,c}.rs", "-"),
];

/// Returns an input with those of `members` that are not empty.
fn searched(members: &[(&str, &str)]) -> Value {
    let members = members.iter().filter(|(_, value)| !value.is_empty());
    members
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn grep(path: &str, glob: &str) -> Value {
    searched(&[("pattern", "x"), ("path", path), ("glob", glob)])
}

#[cfg(unix)]
#[test]
fn a_search_that_reads_a_protected_file_is_denied() {
    let desk = desk(KEY);
    let root = desk.root().display().to_string();
    let absolute = |text: &str| text.replace("ROOT", &root);
    for (path, glob, expected) in GREP {
        let input = grep(&absolute(path), glob);
        assert_eq!(word(&desk, "Grep", &input), *expected, "{input}");
    }
    for (path, pattern, expected) in GLOB {
        let input = searched(&[("pattern", &absolute(pattern)), ("path", path)]);
        assert_eq!(word(&desk, "Glob", &input), *expected, "{input}");
    }
    let (_, why) = on(&desk, "Grep", &json!({"pattern": "x", "path": "private"})).unwrap();
    assert!(
        why.contains("private/c.rs: the search would read a protected file: it is ours")
            && why.contains("`!c.rs`"),
        "{why}"
    );
}

#[test]
fn a_notebook_or_a_directory_that_is_protected_is_not_read() {
    let desk = desk(KEY);
    for (tool, member, path, expected) in [
        ("NotebookRead", "notebook_path", "n.ipynb", "-"),
        ("NotebookRead", "notebook_path", "private/n.ipynb", "deny"),
        ("LS", "path", "src", "-"),
        ("LS", "path", "private/sub", "deny"),
        ("LS", "path", ".git", "deny"),
    ] {
        let input = json!({member: desk.path(path)});
        assert_eq!(word(&desk, tool, &input), expected, "{tool} {input}");
    }
}

#[test]
fn without_a_rule_on_reading_every_search_below_the_root_is_for_the_agent() {
    let desk = desk("[[rule]]\npaths = ['**']\nops = ['write']\nverdict = 'deny'\n");
    for tool in ["Grep", "Glob"] {
        for path in [".", "src", "way", "private", "../other", "/etc"] {
            let silent = if cfg!(unix) && path == "/etc" {
                "deny"
            } else {
                "-"
            };
            assert_eq!(
                word(&desk, tool, &json!({"pattern": "*", "path": path})),
                silent,
                "{tool} {path}"
            );
        }
    }
}

#[test]
fn a_search_outside_of_the_root_does_not_find_credentials() {
    let desk = desk("");
    let on = |path: &str| {
        ["Grep", "Glob"].map(|tool| word(&desk, tool, &json!({"pattern": "*", "path": path})))
    };
    assert_eq!(on("~"), ["deny", "deny"]);
    assert_eq!(on("~/.ssh"), ["deny", "deny"]);
    assert_eq!(on("~/notes"), ["-", "-"]);
    assert_eq!(on("../other"), ["-", "-"]);
    let keys = desk.root().parent().unwrap().join("home/.ssh");
    for pattern in [
        format!("{{{}/*,x}}", keys.display()),
        format!("{{x,{}/*}}", keys.display()),
        format!("@({}/*|x)", keys.display()),
        "{x,}{/etc,y}/z".to_owned(),
        "{x,}/etc/*".to_owned(),
        "+(.)/home/.ssh/*".to_owned(),
        "{.,x}{.,x}/home/.ssh/*".to_owned(),
        "{../home/.ssh/*,x}".to_owned(),
        "{{../home/.ssh,x}/*,x}".to_owned(),
        "@(..|x)/home/.ssh/*".to_owned(),
    ] {
        assert_eq!(
            word(&desk, "Glob", &json!({"pattern": pattern})),
            "deny",
            "{pattern}"
        );
    }
    for pattern in [
        "{src/b.rs,x/y}",
        "{src,.}/*.rs",
        "src/{a,b}.rs",
        "!(a)/*.rs",
        "@(a).rs",
    ] {
        assert_eq!(
            word(&desk, "Glob", &json!({"pattern": pattern})),
            "-",
            "{pattern}"
        );
    }
}

#[test]
fn a_pattern_is_not_taken_for_less_than_a_program_may_find() {
    let desk = desk(
        "[policy]\nsecrets = 'strict'\n[[rule]]\npaths = ['private/**']\nops = ['read']\nverdict = 'deny'\n",
    );
    for name in ["t/.env", "t/k.pem", "u/k.md"] {
        fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
        fs::write(desk.path(name), "x\n").unwrap();
    }
    for glob in [
        "!.env/ !*.pem",
        "!.env/** !*.pem",
        "!{.env,*.pem}/",
        "!.env/,!*.pem",
        "!\\.env !*.pem",
        "[[:lower:]].pem",
    ] {
        assert_eq!(word(&desk, "Grep", &grep("t", glob)), "deny", "{glob}");
        assert_eq!(word(&desk, "Grep", &grep("u", glob)), "-", "{glob}");
    }
    assert_eq!(word(&desk, "Grep", &grep("t", "!.env !*.pem")), "-");
    for pattern in [
        "src/[.][.]/private/*",
        "src/.\\./private/*",
        "src/{.,x}[.]/private/*",
        "**/[[:lower:]].pem",
        "**/{j..l}.pem",
        "t/{j..l}.pem",
        "private/{c..e}.txt",
        "t/\\k.pem",
    ] {
        assert_eq!(
            word(&desk, "Glob", &json!({"pattern": pattern})),
            "deny",
            "{pattern}"
        );
    }
    assert_eq!(word(&desk, "Glob", &json!({"pattern": "u/{j..l}.md"})), "-");
    let (_, why) = on(&desk, "Glob", &json!({"pattern": "t/*"})).unwrap();
    assert!(
        why.contains("search another directory") && !why.contains("the glob"),
        "{why}"
    );
}

#[test]
fn a_search_asks_where_policy_asks_about_reading() {
    let desk = desk("[[rule]]\npaths = ['key']\nops = ['read']\nverdict = 'ask'\n");
    assert_eq!(word(&desk, "Grep", &json!({"pattern": "x"})), "ask");
    assert_eq!(
        word(&desk, "Grep", &json!({"pattern": "x", "path": "src"})),
        "-"
    );
}
