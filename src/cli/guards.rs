//! The guard options of all commands that change files.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::engine::options::{GUARDS, Guard};

/// The checks on new contents.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct GuardOptions {
    /// Refuse a change that a guard rejects: unbalanced brackets, or a new syntax error
    ///
    /// A guard rejects only faults that the file did not have before. `syntax` reads JSON, TOML and YAML, and
    /// source code in 17 languages.
    #[arg(long = "guard", value_name = "NAME", value_delimiter = ',', value_parser = names(), help_heading = "Safety")]
    guards: Vec<String>,
    /// Turn all guards of --guard off. The guards of a policy file stay on
    #[arg(long, help_heading = "Safety", hide_short_help = true)]
    no_guard: bool,
}

impl GuardOptions {
    /// Returns the selected guards.
    pub(super) fn selected_guards(&self) -> Vec<&'static Guard> {
        let is_meant =
            |guard: &&Guard| !self.no_guard && self.guards.iter().any(|name| name == guard.name);
        GUARDS.iter().filter(is_meant).collect()
    }
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(GUARDS.iter().map(|guard| guard.name))
}
