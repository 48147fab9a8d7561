//! Tests of the line endings that attributes and the configuration select.

use super::*;

fn attribute(text: &str) -> Attribute {
    match text {
        "" => Attribute::Unspecified,
        "set" => Attribute::Set,
        "unset" => Attribute::Unset,
        value => Attribute::Value(value.as_bytes().to_vec()),
    }
}

/// The values of `text`, `crlf` and `eol`. Each row has the expected line endings without
/// configuration, with `core.autocrlf=input`, with `core.autocrlf=true`, and with `core.eol=crlf`.
const CASES: &[([&str; 3], [LineEnds; 4])] = &[
    (
        ["", "", ""],
        [
            LineEnds::Kept,
            LineEnds::AutoLf,
            LineEnds::AutoCrLf,
            LineEnds::Kept,
        ],
    ),
    (
        ["auto", "", ""],
        [
            LineEnds::AutoLf,
            LineEnds::AutoLf,
            LineEnds::AutoCrLf,
            LineEnds::AutoCrLf,
        ],
    ),
    (
        ["set", "", ""],
        [
            LineEnds::TextLf,
            LineEnds::TextLf,
            LineEnds::TextCrLf,
            LineEnds::TextCrLf,
        ],
    ),
    (["", "", "crlf"], [LineEnds::TextCrLf; 4]),
    (["", "", "lf"], [LineEnds::TextLf; 4]),
    (["auto", "", "crlf"], [LineEnds::AutoCrLf; 4]),
    (["auto", "", "lf"], [LineEnds::AutoLf; 4]),
    (["unset", "", "crlf"], [LineEnds::Kept; 4]),
    (["", "unset", "crlf"], [LineEnds::Kept; 4]),
    (["", "input", ""], [LineEnds::TextLf; 4]),
    (["input", "", "crlf"], [LineEnds::TextCrLf; 4]),
    (
        ["other", "set", ""],
        [
            LineEnds::TextLf,
            LineEnds::TextLf,
            LineEnds::TextCrLf,
            LineEnds::TextCrLf,
        ],
    ),
    (
        ["", "", "other"],
        [
            LineEnds::Kept,
            LineEnds::AutoLf,
            LineEnds::AutoCrLf,
            LineEnds::Kept,
        ],
    ),
];

#[test]
fn attributes_come_before_the_configuration() {
    let plain = Defaults {
        converts: false,
        has_cr_lf: false,
        format: ObjectFormat::Sha1,
    };
    let input = Defaults {
        converts: true,
        ..plain
    };
    let windows = Defaults {
        has_cr_lf: true,
        ..input
    };
    let eol = Defaults {
        has_cr_lf: true,
        ..plain
    };
    for (values, expected) in CASES {
        let values = values.map(attribute);
        assert_eq!(
            [plain, input, windows, eol].map(|defaults| line_ends(&values, defaults)),
            *expected,
            "{values:?}"
        );
    }
}
