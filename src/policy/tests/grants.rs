//! Tests for grants, which protect everything that they do not contain.

use super::*;

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
