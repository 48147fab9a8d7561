//! Tools that search: they read files as well.

use std::os::unix::fs::symlink;

use fs_err as fs;
use serde_json::{Value, json};

use super::{call, decision};
use crate::systems::{Desk, fed, program};

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
    symlink("private", desk.path("way")).unwrap();
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

#[test]
fn a_search_that_reads_a_protected_file_is_denied() {
    let desk = desk(KEY);
    for (tool, input, expected) in [
        ("Grep", json!({"pattern": "x"}), "deny"),
        ("Grep", json!({"pattern": "x", "path": desk.root()}), "deny"),
        ("Grep", json!({"pattern": "x", "path": "."}), "deny"),
        ("Grep", json!({"pattern": "x", "path": "key"}), "deny"),
        ("Grep", json!({"pattern": "x", "path": "private"}), "deny"),
        ("Grep", json!({"pattern": "x", "path": "way"}), "deny"),
        (
            "Grep",
            json!({"pattern": "x", "path": "src/../private"}),
            "deny",
        ),
        ("Grep", json!({"pattern": "x", "path": "src"}), "-"),
        ("Grep", json!({"pattern": "x", "path": "a.rs"}), "-"),
        ("Grep", json!({"pattern": "x", "path": "none"}), "-"),
        ("Grep", json!({"pattern": "x", "glob": "*.rs"}), "deny"),
        ("Grep", json!({"pattern": "x", "glob": "*.toml"}), "-"),
        (
            "Grep",
            json!({"pattern": "x", "glob": "!key !private"}),
            "-",
        ),
        ("Grep", json!({"pattern": "x", "glob": "!key"}), "deny"),
        (
            "Grep",
            json!({"pattern": "x", "path": "private", "glob": "*.{md,toml}"}),
            "-",
        ),
        ("Glob", json!({"pattern": "**/*.rs"}), "deny"),
        ("Glob", json!({"pattern": "**/*.toml"}), "-"),
        ("Glob", json!({"pattern": "src/**/*"}), "-"),
        ("Glob", json!({"pattern": "private/*"}), "deny"),
        ("Glob", json!({"pattern": "*", "path": "private"}), "deny"),
        (
            "Glob",
            json!({"pattern": format!("{}/private/*.txt", desk.root().display())}),
            "deny",
        ),
        ("Glob", json!({"pattern": "*/../private/*"}), "deny"),
        ("Glob", json!({"pattern": "key"}), "deny"),
        // Programs differ in what they take for a wildcard.
        ("Grep", json!({"pattern": "x", "glob": "@(k)ey"}), "deny"),
        ("Grep", json!({"pattern": "x", "glob": "!(x)"}), "deny"),
        (
            "Grep",
            json!({"pattern": "x", "glob": "!+(k)ey !private"}),
            "deny",
        ),
        (
            "Grep",
            json!({"pattern": "x", "glob": "{a.rs,private/c.rs}"}),
            "deny",
        ),
        (
            "Grep",
            json!({"pattern": "x", "glob": "{private/d.txt,x}"}),
            "deny",
        ),
        (
            "Grep",
            json!({"pattern": "x", "path": "src", "glob": "@(b).rs"}),
            "-",
        ),
        ("Glob", json!({"pattern": "@(key)"}), "deny"),
        ("Glob", json!({"pattern": "?(k)ey"}), "deny"),
        ("Glob", json!({"pattern": "+(key)"}), "deny"),
        ("Glob", json!({"pattern": "*(k)ey"}), "deny"),
        ("Glob", json!({"pattern": "!(a.rs)"}), "deny"),
        ("Glob", json!({"pattern": "@(private/d|x).txt"}), "deny"),
        ("Glob", json!({"pattern": "src/@(b).rs"}), "-"),
        ("Glob", json!({"pattern": "{private/d.txt,x}"}), "deny"),
        (
            "Glob",
            json!({"pattern": "{src/b.rs,private/d.txt}"}),
            "deny",
        ),
        ("Glob", json!({"pattern": "src/{b,c}.rs"}), "-"),
        (
            "NotebookRead",
            json!({"notebook_path": desk.path("n.ipynb")}),
            "-",
        ),
        (
            "NotebookRead",
            json!({"notebook_path": desk.path("private/n.ipynb")}),
            "deny",
        ),
        ("LS", json!({"path": desk.path("src")}), "-"),
        ("LS", json!({"path": desk.path("private/sub")}), "deny"),
        ("LS", json!({"path": desk.path(".git")}), "deny"),
    ] {
        assert_eq!(word(&desk, tool, &input), expected, "{tool} {input}");
    }
    let (_, why) = on(&desk, "Grep", &json!({"pattern": "x", "path": "private"})).unwrap();
    assert!(
        why.contains("private/c.rs: the search reads a protected file: it is ours")
            && why.contains("`!c.rs`"),
        "{why}"
    );
}

#[test]
fn without_a_rule_on_reading_every_search_below_the_root_is_for_the_agent() {
    let desk = desk("[[rule]]\npaths = ['**']\nops = ['write']\nverdict = 'deny'\n");
    for tool in ["Grep", "Glob"] {
        for path in [".", "src", "way", "private", "../other", "/etc"] {
            let silent = if path == "/etc" { "deny" } else { "-" };
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
        assert_eq!(
            word(
                &desk,
                "Grep",
                &json!({"pattern": "x", "path": "t", "glob": glob})
            ),
            "deny",
            "{glob}"
        );
        assert_eq!(
            word(
                &desk,
                "Grep",
                &json!({"pattern": "x", "path": "u", "glob": glob})
            ),
            "-",
            "{glob}"
        );
    }
    assert_eq!(
        word(
            &desk,
            "Grep",
            &json!({"pattern": "x", "path": "t", "glob": "!.env !*.pem"})
        ),
        "-"
    );
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
        why.contains("search a directory without it") && !why.contains("the glob"),
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
