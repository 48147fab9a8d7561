//! What users of `CodeWhale` find here, statement by statement.

use super::Desk;

#[test]
fn s13_a_guard_refuses_what_looks_like_a_mistake() {
    let block = format!("{{ {} }}", "a: 1, ".repeat(13));
    let source = format!("#if A\nx = {block};\nf(1);\n#endif\n");
    let desk = Desk::with(&[("a.c", source.as_bytes())]);
    let edits = [(block.as_str(), "[]"), ("f(1)", "f(1"), ("#endif\n", ""), ("a: 1", "a: [1"), ("x = {", "x = ")];
    for (old, new) in edits {
        let edit = ["edit", "a.c", "--old", old, "--new", new];
        let edit = [&edit[..], if old == "a: 1" { &["--all"] } else { &[] }].concat();
        let error = desk.refuses("suspicious", &[&edit[..], &["--guard", "balance"]].concat(), b"");
        assert!(error["help"].as_str().unwrap().contains("--no-guard"), "{error:#}");
        desk.does(&[&edit[..], &["--dry-run"]].concat(), b"");
        desk.does(&[&edit[..], &["--dry-run", "--guard", "balance", "--no-guard"]].concat(), b"");
    }
    desk.does(&["edit", "a.c", "--old", "f(1)", "--new", "f(g(1))", "--guard", "balance"], b"");
}
