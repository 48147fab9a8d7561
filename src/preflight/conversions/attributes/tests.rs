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
const CASES: &[([&str; 3], [CrLfAction; 4])] = &[
    (
        ["", "", ""],
        [
            CrLfAction::Kept,
            CrLfAction::AutoLf,
            CrLfAction::AutoCrLf,
            CrLfAction::Kept,
        ],
    ),
    (
        ["auto", "", ""],
        [
            CrLfAction::AutoLf,
            CrLfAction::AutoLf,
            CrLfAction::AutoCrLf,
            CrLfAction::AutoCrLf,
        ],
    ),
    (
        ["set", "", ""],
        [
            CrLfAction::TextLf,
            CrLfAction::TextLf,
            CrLfAction::TextCrLf,
            CrLfAction::TextCrLf,
        ],
    ),
    (["", "", "crlf"], [CrLfAction::TextCrLf; 4]),
    (["", "", "lf"], [CrLfAction::TextLf; 4]),
    (["auto", "", "crlf"], [CrLfAction::AutoCrLf; 4]),
    (["auto", "", "lf"], [CrLfAction::AutoLf; 4]),
    (["unset", "", "crlf"], [CrLfAction::Kept; 4]),
    (["", "unset", "crlf"], [CrLfAction::Kept; 4]),
    (["", "input", ""], [CrLfAction::TextLf; 4]),
    (["input", "", "crlf"], [CrLfAction::TextCrLf; 4]),
    (
        ["other", "set", ""],
        [
            CrLfAction::TextLf,
            CrLfAction::TextLf,
            CrLfAction::TextCrLf,
            CrLfAction::TextCrLf,
        ],
    ),
    (
        ["", "", "other"],
        [
            CrLfAction::Kept,
            CrLfAction::AutoLf,
            CrLfAction::AutoCrLf,
            CrLfAction::Kept,
        ],
    ),
];

#[test]
fn attributes_come_before_the_configuration() {
    let plain = ConversionDefaults {
        converts: false,
        has_cr_lf: false,
        format: ObjectFormat::Sha1,
    };
    let input = ConversionDefaults {
        converts: true,
        ..plain
    };
    let windows = ConversionDefaults {
        has_cr_lf: true,
        ..input
    };
    let eol = ConversionDefaults {
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
