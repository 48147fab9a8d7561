//! The list of the symbols of a file.

use std::path::Path;
use std::process::ExitCode;

use super::args::Global;
use super::file_options::relative_to_root;
use super::library_call::Document;
use super::read_commands::{print_message, print_query};
use crate::engine::{self, SymbolsRequest};

/// Prints the symbols of a file.
pub(super) fn list(file: &Path, max: Option<usize>, global: &Global) -> ExitCode {
    let defaults = SymbolsRequest::of(relative_to_root(file, global));
    let request = SymbolsRequest {
        max_symbols: max.unwrap_or(defaults.max_symbols),
        ..defaults
    };
    print_query(
        ("list", Document::Symbols),
        global,
        |workspace, policy| engine::list_symbols(&SymbolsRequest { policy, ..request }, workspace),
        |listing, out| {
            listing.print(out)?;
            let message = "more symbols exist; use --max to raise the limit";
            print_message(global, listing.truncated.then(|| message.to_owned()));
            Ok(())
        },
    )
}
