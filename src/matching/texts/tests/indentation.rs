//! Replacements whose indentation is derived from the file.

use super::*;

#[test]
fn a_replacement_with_an_unknown_indentation_is_refused() {
    for (line, expected) in [
        ("        y", "refused 0: NotFound"),
        ("    y", r"def f():\n\tx\n\ty\n"),
    ] {
        let new = format!("def f():\n    x\n{line}\n");
        let edits = vec![text("def f():\n    x\n", &new, ReplaceCount::Once)];
        let file = b"def f():\n\tx\n";
        assert_eq!(
            made(file, edits, EditOrder::Simultaneous, MatchMode::Reindented),
            expected
        );
    }
}
