//! Parses TOML. The parser limits the depth itself.

use toml::de::DeTable;

use super::GuardFailure;

pub(super) fn parse(text: &str) -> Result<(), GuardFailure> {
    let fault = |error: toml::de::Error| {
        GuardFailure::at(
            text,
            error.span().map_or(0, |span| span.start),
            error.message(),
        )
    };
    DeTable::parse(text).map(|_| ()).map_err(fault)
}
