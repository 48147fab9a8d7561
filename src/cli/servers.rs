//! The options for language servers, and the servers in the user's configuration.

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::EarlyExit;
use super::args::{Global, duration};
use super::config::{Config, load_config};
use super::root::canonical_root;
use crate::engine::options::{
    DIAGNOSTICS_QUIET, DIAGNOSTICS_TIMEOUT, DiagnosticsOptions as Asked, NewErrors, Server,
};
use crate::engine::policy_problem;
use crate::path::{PathPattern, PatternError};
use crate::text::Position;
use crate::text::json::Json;

/// Whether and how language servers check the change.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct DiagnosticsOptions {
    /// Report new diagnostics of the configured language servers
    ///
    /// The servers check the files before and after the change. `deny` refuses a change with new
    /// errors, or if a server does not answer.
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "report", help_heading = "Safety", hide_short_help = true)]
    diagnostics: Option<NewErrorsArg>,
    /// Limit the time for language servers, such as 20s or 1m [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "diagnostics", help_heading = "Safety", hide_short_help = true)]
    diagnostics_timeout: Option<Duration>,
    /// Also check the unchanged files that match GLOB, such as src/**/*.ts, at most 200 files
    ///
    /// The servers open these files before and after the change. New diagnostics in them count like
    /// those in the changed files. A pattern without a slash matches the last component of a path.
    /// Names that start with a dot are skipped.
    #[arg(
        long,
        value_name = "GLOB",
        requires = "diagnostics",
        help_heading = "Safety",
        hide_short_help = true
    )]
    diagnostics_also: Vec<String>,
}

impl DiagnosticsOptions {
    /// Returns whether language servers check the change.
    pub(super) fn is_given(&self) -> bool {
        self.diagnostics.is_some()
    }
}

/// The effect of new errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NewErrorsArg {
    /// New errors are reported
    Report,
    /// The change is refused
    Deny,
}

impl DiagnosticsOptions {
    /// Returns the options for language servers; `None` without `--diagnostics`. The configuration
    /// of servers is read only if it is needed.
    ///
    /// # Errors
    ///
    /// Returns an error if a pattern is invalid or the configuration cannot be read.
    pub(super) fn to_options(&self, global: &Global) -> Result<Option<Asked>, EarlyExit> {
        let Some(how) = self.diagnostics else {
            return Ok(None);
        };
        let also = globs(&self.diagnostics_also)
            .map_err(|error| EarlyExit::usage(&format!("--diagnostics-also: {error}")))?;
        let servers = load_servers()?;
        let new_errors = if how == NewErrorsArg::Deny {
            NewErrors::Denied
        } else {
            NewErrors::Reported
        };
        let timeout = self.diagnostics_timeout.unwrap_or(DIAGNOSTICS_TIMEOUT);
        Ok(Some(Asked {
            root: canonical_root(global).into(),
            servers,
            also,
            timeout,
            quiet: DIAGNOSTICS_QUIET,
            new_errors,
        }))
    }
}

/// The servers in the configuration. Other fields are ignored here, because reading the policy
/// rejects unknown ones.
#[derive(Debug, Deserialize)]
struct Servers {
    #[serde(default)]
    server: Vec<ServerConfig>,
}

/// Returns the servers in the configuration.
fn load_servers() -> Result<Vec<Server>, EarlyExit> {
    let Some(Config { path, text }) = load_config()? else {
        return Ok(Vec::new());
    };
    let wrong =
        |message: &str| EarlyExit::from_problem(policy_problem(&path.to_string_lossy(), message));
    let placed = |at: usize, message: &str| {
        let Position { line, column } = Position::of(&text, at);
        wrong(&format!("{message}, at line {line}, column {column}"))
    };
    let words = std::str::from_utf8(&text)
        .map_err(|error| placed(error.valid_up_to(), "the file is not UTF-8"))?;
    let read: Servers = toml::from_str(words)
        .map_err(|error| placed(error.span().unwrap_or_default().start, error.message()))?;
    read.server
        .into_iter()
        .map(|server| server.into_server().map_err(|message| wrong(&message)))
        .collect()
}

/// A `[[server]]` table of the configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerConfig {
    name: String,
    /// Patterns for paths. A pattern without a slash matches the last component.
    files: Vec<String>,
    command: Vec<String>,
    language: Option<String>,
    #[serde(default)]
    initialization: Json,
    #[serde(default)]
    settings: Json,
    /// Whether `--diagnostics=deny` refuses a change because of this server.
    #[serde(default = "denies_by_default")]
    deny: bool,
}

fn denies_by_default() -> bool {
    true
}

impl ServerConfig {
    fn into_server(self) -> Result<Server, String> {
        let wrong = |what: String| format!("the server {}: {what}", self.name);
        let Some(program) = self.command.first().filter(|program| !program.is_empty()) else {
            return Err(wrong("its command is empty".to_owned()));
        };
        // The command runs in the root, so a relative path would name a program of the project.
        if program.contains('/') && !Path::new(program).is_absolute() {
            return Err(wrong(format!(
                "{program} is neither a program name nor an absolute path"
            )));
        }
        let files = globs(&self.files).map_err(|error| wrong(error.to_string()))?;
        let Self {
            name,
            command,
            language,
            initialization,
            settings,
            deny,
            ..
        } = self;
        Ok(Server {
            name,
            files,
            command,
            language,
            initialization,
            settings,
            new_errors: if deny {
                NewErrors::Denied
            } else {
                NewErrors::Reported
            },
        })
    }
}

fn globs(patterns: &[String]) -> Result<Vec<PathPattern>, PatternError> {
    let whole = |pattern: &String| {
        if pattern.contains('/') {
            pattern.clone()
        } else {
            format!("**/{pattern}")
        }
    };
    patterns
        .iter()
        .map(|pattern| PathPattern::new(&whole(pattern)))
        .collect()
}
