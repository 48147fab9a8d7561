//! Tests for the paths that a pattern matches, and for invalid patterns.

use super::*;

/// Returns the `names` that a rule with `pattern` protects.
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
        let layer = parse_layer(
            "p",
            rule("Sécret/*.KEY").as_bytes(),
            PolicyOrigin::CommandLine,
            case,
        )
        .unwrap();
        let policy = Policy::new(vec![layer], RootLocation::default(), Vec::new());
        let names = [
            "SÉCRET/a.Key",
            "se\u{301}cret/a.key",
            "\u{17f}écret/a.\u{212a}ey",
        ];
        names.map(|name| verdict(&policy, name, Access::Read))
    };
    assert_eq!(
        (
            denies(CaseSensitivity::Sensitive),
            denies(CaseSensitivity::Insensitive)
        ),
        ([Verdict::Allow; 3], [Verdict::Deny; 3])
    );
}

#[test]
fn a_pattern_that_means_more_elsewhere_is_an_error_that_says_what_to_write() {
    let error = |text: &str| {
        let PolicyError { message, span } = parse("p", text.as_bytes(), PolicyOrigin::User)
            .map(|_| ())
            .unwrap_err();
        (text[span.start..span.end].to_owned(), message)
    };
    for pattern in ["!a", "!a/*", "~/a", "~", "~me/*"] {
        let (place, message) = error(&rule(pattern));
        assert_eq!(place, format!("'{pattern}'"));
        assert!(
            message.ends_with(&format!("; use `./{pattern}` for a file with this name")),
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
        place == "'~/a'" && message.ends_with("use the full path of the directory"),
        "{message}"
    );
}

#[test]
fn a_set_with_a_character_outside_ascii_is_an_error() {
    let is_error = |pattern: &str| {
        let text = rule(pattern);
        [CaseSensitivity::Sensitive, CaseSensitivity::Insensitive].map(|case| {
            parse_layer("p", text.as_bytes(), PolicyOrigin::Project, case)
                .is_err_and(|error| error.message.contains("only ASCII characters"))
        })
    };
    for pattern in [
        "x[\u{e9}]y",
        "k[a-\u{fc}]k",
        "stra[\u{df}]e",
        "[!\u{e9}]",
        "[]\u{e9}]",
    ] {
        assert_eq!(is_error(pattern), [true; 2], "{pattern}");
    }
    for pattern in [
        "[a-z]\u{e9}",
        "\\[\u{e9}]",
        "{\u{e9},\u{fc}}",
        "[[]\u{e9}",
        "\u{e9}[]]",
    ] {
        assert_eq!(is_error(pattern), [false; 2], "{pattern}");
    }
    assert_eq!(
        closed_by("k{\u{e9},\u{fc}}k", &["k\u{e9}k", "k\u{fc}k", "kak"]),
        ["k\u{e9}k", "k\u{fc}k"]
    );
    assert_eq!(closed_by("q?.txt", &["qa.txt", "q\u{e9}.txt"]), ["qa.txt"]);
}

#[test]
fn patterns_that_would_cost_too_much_are_errors() {
    let nested = format!("{}a{}", "{".repeat(2000), "}".repeat(2000));
    let many = format!("{{{}}}", vec!["a*b*c*d"; 500].join(","));
    let all = many.replace('a', "[!a-z]").repeat(3);
    for pattern in [nested, "a".repeat(5000), all] {
        // The library decides whether the pattern is valid. The test checks only that the call
        // returns.
        let _ = parse("p", rule(&pattern).as_bytes(), PolicyOrigin::CommandLine);
    }
    assert!(
        parse(
            "p",
            rule(&"a".repeat(5000)).as_bytes(),
            PolicyOrigin::CommandLine
        )
        .is_err()
    );
    let bomb = rule(&"**/*a".repeat(80)).repeat(2000);
    let error = parse("p", bomb.as_bytes(), PolicyOrigin::CommandLine).unwrap_err();
    assert!(
        error.message.ends_with("contain more than 20000 wildcards"),
        "{error}"
    );
}
