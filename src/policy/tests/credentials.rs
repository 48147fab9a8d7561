//! Tests for the protection of credentials.

use super::*;

fn placed(root: &str, text: &str) -> Policy {
    let place = RootLocation {
        roots: vec![root.into()],
        homes: vec!["/home/me".into()],
        ..RootLocation::default()
    };
    Policy::new(
        vec![layer(text, PolicyOrigin::CommandLine)],
        place,
        Vec::new(),
    )
}

#[test]
fn secrets_are_closed_where_they_are_kept_and_nowhere_else() {
    let closed = |root, name| verdict(&placed(root, ""), name, Access::Read) == Verdict::Deny;
    for (root, name) in [
        ("/home/me", ".aws/credentials"),
        ("/home/me", ".ssh/id_ed25519"),
        ("/home/me", ".ssh/config/x"),
        ("/home/me", ".SSH/id"),
        ("/home/me", ".\u{17f}sh/id_r\u{17f}a"),
        ("/home/me", ".\u{df}h/id"),
        ("/home/me", ".\u{212a}ube/config"),
        ("/home/me", ".netrc"),
        ("/home/me/.ssh", "id"),
        ("/home/me/.aws/sso", "token"),
        ("/home", "me/.gnupg/x"),
        ("", "home/me/.pgpass"),
        ("", "etc/shadow"),
        ("/etc", "sudoers.d/me"),
    ] {
        assert!(closed(root, name), "{root} {name}");
    }
    for (root, name) in [
        ("/home/me", ".ssh/config"),
        ("/home/me", "testdata/.aws/credentials"),
        ("/home/me", ".awsome"),
        ("/home/me/work", ".aws/credentials"),
        ("/home/me/.ssh", "config"),
        ("/home", "you/.aws/x"),
        ("/home/me2", ".aws/x"),
        ("/etc", "passwd"),
        ("/srv", "etc/shadow"),
    ] {
        assert!(!closed(root, name), "{root} {name}");
    }
}

#[test]
fn a_list_of_keys_that_let_others_in_may_be_read_and_not_written() {
    let policy = placed("/home/me", "");
    for name in ["authorized_keys", "AUTHORIZED_KEYS"] {
        let verdicts = Access::ALL.map(|access| verdict(&policy, &format!(".ssh/{name}"), access));
        assert_eq!(verdicts[1..], [Verdict::Deny; 5], "{name}");
        assert_eq!(verdicts[0] == Verdict::Allow, name == "authorized_keys");
    }
    assert_eq!(
        verdict(&policy, ".ssh/config", Access::Modify),
        Verdict::Allow
    );
}

#[test]
fn only_who_is_trusted_may_say_that_nothing_is_secret() {
    let secrecy_of = |layers: &[(&str, PolicyOrigin)]| {
        secrets_setting(
            &layers
                .iter()
                .map(|(text, origin)| layer(text, *origin))
                .collect::<Vec<_>>(),
        )
    };
    let (off, on, strict) = (
        "[policy]\nsecrets = false\n",
        "[policy]\nsecrets = true\n",
        "[policy]\nsecrets = 'strict'\n",
    );
    assert_eq!(secrecy_of(&[]), SecretsSetting::Places);
    assert_eq!(
        secrecy_of(&[(off, PolicyOrigin::Project)]),
        SecretsSetting::Places
    );
    assert_eq!(
        secrecy_of(&[(off, PolicyOrigin::CommandLine)]),
        SecretsSetting::Off
    );
    assert_eq!(
        secrecy_of(&[(off, PolicyOrigin::CommandLine), (on, PolicyOrigin::User)]),
        SecretsSetting::Places
    );
    assert_eq!(
        secrecy_of(&[
            (off, PolicyOrigin::CommandLine),
            (strict, PolicyOrigin::Project)
        ]),
        SecretsSetting::Strict
    );
}

#[test]
fn strict_secrets_may_not_be_read_wherever_they_are() {
    let policy = placed("/srv", "[policy]\nsecrets = 'strict'\n");
    for name in [
        ".EnV",
        ".env::$DATA",
        ".env. ",
        "a/.e\u{ad}nv",
        "a/x.\u{212a}ey",
        "x.pem ",
        ".env",
        "a/.env",
        "x.PEM",
        "a/k.key",
        "s.p12",
        "s.pfx",
        ".git-credentials",
        ".env.local",
        ".ENV.Production",
        "a/.env.test.local",
        ".env.example.local",
        ".envrc",
        "id_ed25519",
        "a/.npmrc",
        "x.jks",
    ] {
        assert_eq!(
            verdict(&policy, name, Access::Read),
            Verdict::Deny,
            "{name}"
        );
        assert_eq!(
            verdict(&policy, name, Access::Create),
            Verdict::Allow,
            "{name}"
        );
    }
    for name in [
        "x.env",
        ".env.example",
        "a/.env.sample",
        ".env.template",
        ".env.dist",
        ".environment",
        "id_rsa.pub",
        "key",
    ] {
        assert_eq!(
            verdict(&policy, name, Access::Read),
            Verdict::Allow,
            "{name}"
        );
    }
}
