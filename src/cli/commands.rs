//! The user's commands that run before, during and after a change. Only the command line can set
//! them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::args::{Global, duration};
use super::root::canonical_root;
use crate::engine::UserCommands;

#[derive(Clone, Debug, Default, Args)]
pub(super) struct CommandOptions {
    /// Run CMD before anything is written, and refuse the change unless it exits with 0
    ///
    /// sh runs CMD in the root, as it does for --verify and --after. CMD receives the JSON report
    /// on standard input. When CMD ends, all its child processes are killed.
    #[arg(
        long,
        value_name = "CMD",
        help_heading = "Safety",
        hide_short_help = true
    )]
    before: Option<OsString>,
    /// Run CMD when the change is in place, and roll back unless it exits with 0
    #[arg(long, value_name = "CMD", help_heading = "Safety")]
    verify: Option<OsString>,
    /// Run CMD after the change; its exit code does not affect the change
    #[arg(
        long,
        value_name = "CMD",
        help_heading = "Safety",
        hide_short_help = true
    )]
    after: Option<OsString>,
    /// Limit the run time of each of these commands, such as 60s or 5m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Safety", hide_short_help = true)]
    verify_timeout: Option<Duration>,
}

impl CommandOptions {
    /// Returns the commands. They run in the root.
    pub(super) fn commands(&self, global: &Global) -> UserCommands {
        let [before, verify, after] = [&self.before, &self.verify, &self.after].map(Clone::clone);
        let usual = UserCommands {
            before,
            verify,
            after,
            ..UserCommands::default()
        };
        if usual.is_empty() {
            return usual;
        }
        let limit = self.verify_timeout.unwrap_or(usual.limit);
        UserCommands {
            limit,
            directory: PathBuf::from(canonical_root(global)),
            ..usual
        }
    }
}
