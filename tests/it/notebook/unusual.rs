//! Notebooks that are malformed, deep, large or unusual.

use serde_json::json;
use wpatch::engine::{self, Request};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use super::{NOTEBOOK, OUTPUTS, after, delete, path, refused, replace, with};

// CheetahClaws 13-16: what is not there, is there twice, or is no notebook.
#[test]
fn a_notebook_that_does_not_fit_is_left_alone() {
    for cell in [
        "nope",
        "cell-2",
        "cell-",
        "cell--1",
        "cell-+1",
        "cell-18446744073709551616",
    ] {
        let error = refused(NOTEBOOK, delete(cell));
        assert_eq!(
            json!([error["kind"], error["cells"]]),
            json!(["not_found", ["intro", "cell-0"]]),
            "{cell}"
        );
    }
    let twice = with(NOTEBOOK, "\"intro\"", "\"cell-0\"");
    let error = refused(&twice, delete("cell-0"));
    assert_eq!(
        json!([error["kind"], error["lines"], error["count"]]),
        json!(["ambiguous", [3, 12], 2])
    );
    let broken = [
        ("", "parse"),
        ("{", "parse"),
        ("[]", "parse"),
        ("{}", "parse"),
        (r#"{"nbformat":4,"nbformat_minor":5}"#, "parse"),
        (r#"{"nbformat":4,"nbformat_minor":5,"cells":{}}"#, "parse"),
        (r#"{"nbformat":4,"nbformat_minor":5,"cells":[1]}"#, "parse"),
        (
            r#"{"nbformat":4,"nbformat_minor":5,"cells":[{}]} x"#,
            "parse",
        ),
        (r#"{"nbformat":4,"nbformat_minor":5,"cells":[{}]}"#, "parse"),
        (
            r#"{"nbformat":3,"nbformat_minor":0,"worksheets":[]}"#,
            "unsupported",
        ),
    ];
    for (text, kind) in broken {
        assert_eq!(
            refused(text, replace("cell-0", None, ""))["kind"],
            kind,
            "{text}"
        );
    }
}

/// Python writes numbers that JSON does not have.
#[test]
fn numbers_that_are_none_stay_and_are_in_nobodys_way() {
    let odd = "[NaN,-Infinity, Infinity\n,{\"NaN\":NaN}]";
    let text = with(NOTEBOOK, "1.50E+00", odd).replace("# Title", "\\\\\\\" NaN,Infinity");
    let expected = with(&text, "    \"a = 1\\n\",\n    \"a\"\n", "    \"b\"\n");
    let expected = with(
        &with(&expected, OUTPUTS, "[]"),
        r#""execution_count": 4"#,
        r#""execution_count": null"#,
    );
    assert_eq!(after(&text, replace("cell-1", None, "b")), expected);
    let counted = with(
        NOTEBOOK,
        r#""execution_count": 4"#,
        r#""execution_count": Infinity"#,
    );
    assert_eq!(
        after(&counted, replace("cell-1", None, "a = 1\na")),
        after(NOTEBOOK, replace("cell-1", None, "a = 1\na"))
    );
    for wrong in [
        "-NaN",
        "1NaN",
        "NaN5",
        "nan",
        "+Infinity",
        "--Infinity",
        "Infinityx",
        "NaNNaN",
        "\"NaN",
    ] {
        assert_eq!(
            refused(&with(NOTEBOOK, "1.50E+00", wrong), delete("intro"))["kind"],
            "parse",
            "{wrong}"
        );
    }
}

#[test]
fn nesting_and_size_have_no_power() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let text = with(NOTEBOOK, "1.50E+00", &deep);
    assert_eq!(after(&text, replace("intro", None, "# Title\ncafé")), text);
    // A step of indentation that is larger than all the text is no style to be multiplied.
    let wide = with(
        NOTEBOOK,
        "[\n    \"# Title",
        &format!("[\n{}\"# Title", " ".repeat(100_000)),
    );
    assert!(
        after(&wide, replace("intro", None, &"\n".repeat(1000))).len() < NOTEBOOK.len() + 10_000
    );
    let memory = Memory::with_files([(path(), Entry::file(NOTEBOOK))]);
    let mut request = Request::notebook("n.ipynb", replace("intro", None, &"\n".repeat(1000)));
    request.decide.max_file = 2000;
    assert_eq!(
        engine::apply(request, &memory, &Interrupt::new())
            .report
            .error
            .unwrap()
            .kind,
        wpatch::report::ProblemKind::TooLarge
    );
}
