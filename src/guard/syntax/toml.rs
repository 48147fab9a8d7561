//! Parses TOML. The parser limits the depth itself.

use toml::de::DeTable;

use super::ParseFailure;

pub(super) fn parse(text: &str) -> Result<(), ParseFailure> {
    let fault = |error: toml::de::Error| {
        ParseFailure::at(
            text,
            error.span().map_or(0, |span| span.start),
            error.message(),
        )
    };
    DeTable::parse(text).map(|_| ()).map_err(fault)
}
