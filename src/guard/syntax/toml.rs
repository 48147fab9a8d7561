//! Parses TOML. The parser limits the depth itself.

use toml::de::DeTable;

use super::Fault;

pub(super) fn parse(text: &str) -> Result<(), Fault> {
    let fault = |error: toml::de::Error| {
        Fault::at(
            text,
            error.span().map_or(0, |span| span.start),
            error.message(),
        )
    };
    DeTable::parse(text).map(|_| ()).map_err(fault)
}
