//! Prints documents about the program: grammars, schemas and shell completions.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::output::print;
use super::schemas::{NAMES, schema_text};
use crate::engine::options::find_syntax;

/// Prints the formal grammar of the syntax `name`.
pub(super) fn print_grammar(name: &str) -> ExitCode {
    print(
        find_syntax(name)
            .map_or("", |syntax| syntax.grammar())
            .as_bytes(),
    )
}

/// Prints the JSON Schema `name`. Without a name, prints the names of all schemas, one per line.
pub(super) fn print_schema(name: Option<&str>) -> ExitCode {
    let text = name.map_or_else(|| format!("{}\n", NAMES.join("\n")), schema_text);
    print(text.as_bytes())
}

/// Prints the completions for `shell`.
pub(super) fn print_completions(shell: Shell) -> ExitCode {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "wpatch", &mut out);
    print(&out)
}
