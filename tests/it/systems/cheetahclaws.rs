//! What users of `CheetahClaws` find here, statement by statement.

use serde_json::json;

use super::Desk;

#[test]
fn s01_a_text_that_is_there_once_is_replaced() {
    let desk = Desk::with(&[("calc.py", b"def f():\n    result = 0\n    return result\n")]);
    let report = desk.does(&["edit", "calc.py", "--old", "    result = 0\n", "--new", "    result = 1\n"], b"");
    assert_eq!(desk.bytes("calc.py"), b"def f():\n    result = 1\n    return result\n");
    assert_eq!(report["files"][0]["replacements"], json!(1));
}

#[test]
fn s02_a_text_that_is_not_there_is_refused() {
    let desk = Desk::with(&[("a", b"x\ny\nx\ny\nx\n")]);
    desk.refuses("not_found", &["edit", "a", "--old", "z", "--new", "q"], b"");
    let error = desk.refuses("ambiguous", &["edit", "a", "--old", "x", "--new", "q"], b"");
    assert_eq!((&error["count"], &error["lines"]), (&json!(3), &json!([1, 3, 5])));
    let report = desk.does(&["edit", "a", "--old", "x", "--new", "q", "--all"], b"");
    assert_eq!((report["files"][0]["replacements"].as_u64(), desk.bytes("a")), (Some(3), b"q\ny\nq\ny\nq\n".to_vec()));
}
