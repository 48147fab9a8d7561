//! Edits, extracts and lists of the symbols of source code.

#[cfg(feature = "code-guard")]
mod commands;
#[cfg(feature = "code-guard")]
mod file;
#[cfg(feature = "code-guard")]
mod generated;
#[cfg(feature = "code-guard")]
mod language;
#[cfg(feature = "code-guard")]
mod languages;
#[cfg(feature = "code-guard")]
mod places;

/// Without grammars, nothing is guessed.
#[cfg(not(feature = "code-guard"))]
#[test]
fn symbols_are_refused_without_grammars() {
    use crate::tree::{self, directory};
    use crate::verbs::run;

    let root = directory(&[("a.py", "def f(): pass\n")]);
    let before = tree::read(root.path());
    for command in [
        &["edit", "a.py", "--symbol", "f", "--delete"][..],
        &["read", "a.py", "--symbol", "f"],
        &["list", "--symbols", "a.py"],
    ] {
        let report = run(root.path(), command, "");
        assert_eq!(report["error"]["kind"], "unsupported", "{report:#}");
        let message = report["error"]["message"].as_str().unwrap();
        assert!(message.ends_with("(feature code-guard)"), "{message}");
    }
    assert_eq!(tree::read(root.path()), before);
}
