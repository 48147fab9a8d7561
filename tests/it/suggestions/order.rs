//! Patches that are in the wrong order, or already applied.

use fs_err as fs;

use super::{FILE, change, fails, follows};
use crate::systems::Desk;

fn patches() -> [(&'static str, String); 3] {
    let second = change("f").replace("-two\n+2", "-2\n+zwei");
    [("A", change("f")), ("B", second), ("C", change("g"))]
}

fn ordered() -> Desk {
    let desk = Desk::with(&[("f", FILE), ("g", FILE)]);
    for (name, patch) in patches() {
        fs::write(desk.path("..").join(name), patch).unwrap();
    }
    desk
}

#[cfg(unix)]
#[test]
fn patches_in_the_wrong_order_are_named_with_the_command_that_applies_them() {
    for arguments in [
        &["../B", "../A"][..],
        &["../C", "../B", "../A"],
        &["../B", "../C", "../A"],
    ] {
        let desk = ordered();
        let text = fails(&desk, "", &[&["apply"], arguments].concat());
        assert!(
            text.contains("help: ../B depends on ../A, which comes after it; "),
            "{text}"
        );
        follows(&desk, "", &text);
        assert_eq!(desk.bytes("f"), b"one\nzwei\nthree\n");
    }
    let desk = ordered();
    let [(_, first), (_, second), _] = patches();
    fs::write(desk.path("../both"), [second, first].concat()).unwrap();
    let text = fails(&desk, "", &["apply", "../both"]);
    let fault = "the patch at line 1 of ../both depends on the patch at line 8 of ../both, which comes after it";
    assert!(text.contains(fault), "{text}");
}

#[cfg(unix)]
#[test]
fn patches_that_are_applied_already_are_named() {
    let desk = ordered();
    desk.does(&["apply", "../A"], b"");
    for (arguments, fault) in [
        (&["../A"][..], "the patch is already applied; "),
        (&["../A", "../B"], "../A is already applied; use "),
        (&["../A", "../C"], "../A is already applied; use "),
    ] {
        let text = fails(&desk, "", &[&["check"], arguments].concat());
        assert!(text.contains(&format!("help: {fault}")), "{text}");
        follows(&desk, "", &text);
    }
    let error = desk.says(&["apply", "../A"], b"")["error"].clone();
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .starts_with("the patch is already applied"),
        "{error}"
    );
    let both = [change("f"), change("g")].concat();
    fs::write(desk.path("../both"), both).unwrap();
    let text = fails(&desk, "", &["apply", "../both"]);
    assert!(text.contains("already applied"), "{text}");
    follows(&desk, "", &text);
    assert_eq!(desk.bytes("g"), b"one\n2\nthree\n");
}
