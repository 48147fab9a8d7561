//! The commands of the user around a change, as the command line names them. Nothing else can.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::args::{Global, duration};
use super::root::root;
use crate::engine::Commands;

/// The options.
#[derive(Debug, Default, Args)]
pub(super) struct CommandOptions {
    /// Ask this command before anything is written: unless its exit code is 0, nothing is. Like the
    /// next two it is run by sh in the root, gets the JSON report on standard input, and is killed
    /// with all it started when it ends
    #[arg(long, value_name = "CMD")]
    before: Option<OsString>,
    /// Ask this command when the change is in place: unless its exit code is 0, everything is put
    /// back
    #[arg(long, value_name = "CMD")]
    verify: Option<OsString>,
    /// Tell this command what was done; nothing depends on it
    #[arg(long, value_name = "CMD")]
    after: Option<OsString>,
    /// How long each of the three may take, as in 60s or 5m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    verify_timeout: Option<Duration>,
}

impl CommandOptions {
    /// Returns the commands, which run in the root.
    pub(super) fn commands(&self, global: &Global) -> Commands {
        let [before, verify, after] = [&self.before, &self.verify, &self.after].map(Clone::clone);
        let usual = Commands {
            before,
            verify,
            after,
            ..Commands::default()
        };
        if usual.is_empty() {
            return usual;
        }
        let limit = self.verify_timeout.unwrap_or(usual.limit);
        Commands {
            limit,
            directory: PathBuf::from(root(global)),
            ..usual
        }
    }
}
