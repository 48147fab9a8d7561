//! The options of all that changes a file: what it is looked at for.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::engine::options::{GUARDS, Guard};

/// What changes are looked at for.
#[derive(Debug, Default, Args)]
pub(super) struct GuardOptions {
    /// Refuse what looks like a mistake: brackets that balance no longer, JSON, TOML or YAML that
    /// parses no longer
    #[arg(long = "guard", value_name = "NAME", value_delimiter = ',', value_parser = names())]
    guards: Vec<String>,
    /// Refuse nothing of that kind, whatever --guard says
    #[arg(long)]
    no_guard: bool,
}

impl GuardOptions {
    /// Returns the guards that are meant.
    pub(super) fn meant(&self) -> Vec<&'static Guard> {
        let is_meant =
            |guard: &&Guard| !self.no_guard && self.guards.iter().any(|name| name == guard.name);
        GUARDS.iter().filter(is_meant).collect()
    }
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(GUARDS.iter().map(|guard| guard.name))
}
