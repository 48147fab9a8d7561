//! The table of the supported harnesses.
//!
//! To add a harness, add a file with its row and append the row to [`HARNESSES`].

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::claude::CLAUDE;
use super::codex::CODEX;
use super::copilot::COPILOT;
use super::cursor::CURSOR;
use super::gemini::GEMINI;
use super::harness::Harness;

/// All harnesses, in the order of the documentation.
pub(super) const HARNESSES: &[&Harness] = &[&CLAUDE, &CODEX, &GEMINI, &COPILOT, &CURSOR];

/// Returns the parser for the name of a harness on the command line.
pub(super) fn harness_parser() -> impl TypedValueParser<Value = &'static Harness> {
    let value = |harness: &&Harness| PossibleValue::new(harness.name).help(harness.title);
    PossibleValuesParser::new(HARNESSES.iter().map(value)).map(|name| {
        let named = HARNESSES
            .iter()
            .copied()
            .find(|harness| harness.name == name);
        named.expect("BUG: the parser accepts only names of the table")
    })
}
