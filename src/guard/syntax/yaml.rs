//! Parses YAML 1.2 as events. No nodes are built and an alias remains one event, so aliases cannot
//! multiply the work.

use saphyr_parser::{Event, Marker, Parser};

use super::ParseFailure;
use crate::text::lines;

/// The maximum depth of nested collections. The parser has the same limit for collections in
/// brackets.
const MAX_DEPTH: usize = 255;

pub(super) fn parse(text: &str) -> Result<(), ParseFailure> {
    let mut depth = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| failure_at(text, error.marker(), error.info()))?;
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth -= 1,
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(failure_at(
                text,
                &span.start,
                "the nesting of collections exceeds the limit",
            ));
        }
    }
    Ok(())
}

/// Returns the fault at `marker`. It counts lines from 1, and columns from 0 in characters.
fn failure_at(text: &str, marker: &Marker, message: &str) -> ParseFailure {
    let span = lines(text.as_bytes())
        .nth(marker.line().saturating_sub(1))
        .map(|(span, _)| span);
    let line = span.map_or("", |span| &text[span.start..span.end]);
    let column = line
        .char_indices()
        .nth(marker.col())
        .map_or(line.len(), |(offset, _)| offset);
    ParseFailure::at(
        text,
        span.map_or(text.len(), |span| span.start) + column,
        message,
    )
}
