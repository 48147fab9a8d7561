//! Tests for errors in policy files and their positions.

use super::*;

#[test]
fn what_is_not_understood_is_an_error_with_a_place() {
    let mistake = |text: &str| {
        let error = parse("p.toml", text.as_bytes(), PolicyOrigin::Project).unwrap_err();
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
            parse("p.toml", text.as_bytes(), PolicyOrigin::Project).is_err(),
            "{text}"
        );
    }
    assert_eq!(
        parse("p", b"# \xff\n", PolicyOrigin::CommandLine)
            .unwrap_err()
            .span
            .start,
        2
    );
}
