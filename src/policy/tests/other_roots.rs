//! Tests for policy files that apply outside their own root.

use super::*;

/// Returns the policy for `root` from policy files whose own root is `/srv/p`.
fn elsewhere(root: &str, texts: &[(&str, PolicyOrigin)]) -> Policy {
    let place = RootLocation {
        roots: vec![root.into()],
        ..RootLocation::default()
    };
    let layers = texts
        .iter()
        .map(|(text, origin)| layer(text, *origin).with_other_root(vec![b"/srv/p".to_vec()]));
    Policy::new(layers.collect(), place, Vec::new())
}

#[test]
fn a_policy_file_holds_outside_of_its_root_and_for_every_way_back_into_it() {
    let opened = (
        "[[grant]]\nprefix = '/data'\nmode = 'rw'\n[[grant]]\nprefix = '/srv'\nmode = 'rw'\n",
        PolicyOrigin::User,
    );
    let own = "[[rule]]\npaths = ['*.lock', 'v/**', '/top']\nverdict = 'deny'\n";
    let denied = |root, names: &[&str]| {
        let policy = elsewhere(root, &[opened, (own, PolicyOrigin::Project)]);
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
        let policy = elsewhere(root, &[opened, (text, PolicyOrigin::Project)]);
        Access::ALL.map(|access| verdict(&policy, name, access) == Verdict::Allow)[..3] == [true; 3]
    };
    let src = "[[grant]]\nprefix = 'src'\nmode = 'rw'\n";
    assert!(!granted(src, "/data", "a") && !granted(src, "/data", "src/a"));
    assert!(!granted(src, "/srv", "p/a") && granted(src, "/srv", "p/src/a"));
    assert!(!granted("[policy]\nmode = 'read-only'\n", "/data", "a") && granted("", "/data", "a"));
    // The relative grants of the directory's own policy file refer to the directory.
    let policy = elsewhere("/data", &[opened]).with_layer(layer(src, PolicyOrigin::Project));
    let modify = |name| verdict(&policy, name, Access::Modify);
    assert_eq!(
        (modify("src/a"), modify("a")),
        (Verdict::Allow, Verdict::Deny)
    );
}

#[test]
fn an_absolute_grant_opens_that_directory_and_no_other() {
    let text = "[[grant]]\nprefix = '/data'\nmode = 'rw'\n[[grant]]\nprefix = 'src'\nmode = 'rw'\n";
    let policy = elsewhere("/data", &[(text, PolicyOrigin::CommandLine)]);
    assert_eq!(verdict(&policy, "x", Access::Modify), Verdict::Allow);
    assert_eq!(policy.find_grant(b"/data/x"), Some(&b"/data"[..]));
    assert_eq!(policy.find_grant(b"/data2/x"), None);
    let nested = ["/data/deep", "/data"]
        .map(|prefix| text.replace("/data", prefix))
        .concat();
    let policy = Policy::new(
        vec![layer(&nested, PolicyOrigin::CommandLine)],
        RootLocation::default(),
        Vec::new(),
    );
    assert_eq!(policy.find_grant(b"/data/deep/x"), Some(&b"/data/deep"[..]));
    let error = parse("wpatch.toml", text.as_bytes(), PolicyOrigin::Project).unwrap_err();
    assert_eq!(
        error.message,
        "a policy file in the tree cannot grant access outside the root"
    );
}
