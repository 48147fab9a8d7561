//! The conversion that git's attributes and configuration select for a file.

use crate::convert::{Conversion, CrLfAction, WorkTreeEncoding};
use crate::digest::ObjectFormat;
use crate::workspace::git::Attribute;

/// The attributes that convert contents. Lists of attribute values have this order.
pub(super) const ATTRIBUTES: [&str; 6] = [
    "text",
    "crlf",
    "eol",
    "ident",
    "working-tree-encoding",
    "filter",
];

/// The effect of the configuration on files without attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConversionDefaults {
    /// Whether files without attributes are converted (`core.autocrlf`).
    pub(super) converts: bool,
    /// Whether text files have CR LF in the work tree.
    pub(super) has_cr_lf: bool,
    pub(super) format: ObjectFormat,
}

/// Returns the conversion of a file with these values of [`ATTRIBUTES`], as git's `convert_attrs`
/// does.
pub(super) fn select_conversion(values: &[Attribute], defaults: ConversionDefaults) -> Conversion {
    let encoding = match &values[4] {
        Attribute::Value(name) => WorkTreeEncoding::parse(name),
        _ => None,
    };
    let has_ident = values[3] == Attribute::Set;
    Conversion {
        line_ends: line_ends(&values[..3], defaults),
        has_ident,
        encoding,
        format: defaults.format,
    }
}

/// Returns the line-ending conversion; see "End-of-line conversion" in gitattributes(5). `crlf` is
/// the old name of `text`.
fn line_ends(values: &[Attribute], defaults: ConversionDefaults) -> CrLfAction {
    let is = |attribute: &Attribute, word: &[u8]| matches!(attribute, Attribute::Value(value) if value == word);
    let is_specified = |text: &&Attribute| match text {
        Attribute::Value(_) => is(text, b"auto") || is(text, b"input"),
        Attribute::Unspecified => false,
        Attribute::Set | Attribute::Unset => true,
    };
    let (text, eol) = (values[..2].iter().find(is_specified), &values[2]);
    let (lf, cr_lf) = match text {
        Some(Attribute::Unset) => return CrLfAction::Kept,
        Some(text) if is(text, b"auto") => (CrLfAction::AutoLf, CrLfAction::AutoCrLf),
        Some(_) => (CrLfAction::TextLf, CrLfAction::TextCrLf),
        None if is(eol, b"lf") || is(eol, b"crlf") => (CrLfAction::TextLf, CrLfAction::TextCrLf),
        None if !defaults.converts => return CrLfAction::Kept,
        None => (CrLfAction::AutoLf, CrLfAction::AutoCrLf),
    };
    let has_cr_lf = match eol {
        eol if is(eol, b"lf") => false,
        eol if is(eol, b"crlf") => true,
        _ => defaults.has_cr_lf && !text.is_some_and(|text| is(text, b"input")),
    };
    if has_cr_lf { cr_lf } else { lf }
}

#[cfg(test)]
mod tests;
