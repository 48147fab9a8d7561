//! Parses JSON (RFC 8259) and JSON lines.

use serde::de::IgnoredAny;

use super::ParseFailure;
use crate::text::{Position, lines};

/// Parses one document. The depth is not limited, because `IgnoredAny` is read without recursion.
pub(super) fn parse(text: &str) -> Result<(), ParseFailure> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(text) else {
        return Ok(());
    };
    // The text ends with the position, which is returned separately.
    let whole = error.to_string();
    let message = whole
        .rfind(" at line ")
        .map_or(whole.as_str(), |end| &whole[..end]);
    // The parser reports column 0 if the line has not started yet.
    let position = Position {
        line: error.line().max(1),
        column: error.column().max(1),
    };
    Err(ParseFailure {
        position,
        message: message.to_owned(),
    })
}

/// Parses one document on each non-blank line.
pub(super) fn parse_lines(text: &str) -> Result<(), ParseFailure> {
    for (index, (span, _)) in lines(text.as_bytes()).enumerate() {
        let line = text[span.start..span.end].trim_end();
        if !line.is_empty() {
            let moved = |fault: ParseFailure| Position {
                line: index + 1,
                ..fault.position
            };
            parse(line).map_err(|fault| ParseFailure {
                position: moved(fault.clone()),
                ..fault
            })?;
        }
    }
    Ok(())
}
