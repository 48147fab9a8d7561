//! What is asked of language servers, and which ones the user has.

use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::Stop;
use super::args::duration;
use super::config::{Config, config};
use crate::engine::options::{
    DIAGNOSTICS_QUIET, DIAGNOSTICS_TIMEOUT, DiagnosticsOptions as Asked, NewErrors, Server,
};
use crate::engine::unusable;
use crate::path::{PathPattern, PatternError};
use crate::text::Position;
use crate::text::json::Json;

/// What is asked of language servers.
#[derive(Debug, Default, Args)]
pub(super) struct DiagnosticsOptions {
    /// Ask the language servers of the configuration what is wrong before and after, and report
    /// what the change brings; `deny` refuses new errors, and servers that do not answer
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "report")]
    diagnostics: Option<How>,
    /// How long that may take, as in 20s or 1m [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "diagnostics")]
    diagnostics_timeout: Option<Duration>,
}

/// What new errors mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// They are reported
    Report,
    /// The change is refused
    Deny,
}

impl DiagnosticsOptions {
    /// Returns what is asked, if anything is. The configuration is read for nothing else.
    ///
    /// # Errors
    ///
    /// Returns what keeps the run from beginning.
    pub(super) fn meant(&self, root: String) -> Result<Option<Asked>, Stop> {
        let Some(how) = self.diagnostics else {
            return Ok(None);
        };
        let servers = servers()?;
        let new_errors = if how == How::Deny {
            NewErrors::Denied
        } else {
            NewErrors::Reported
        };
        let timeout = self.diagnostics_timeout.unwrap_or(DIAGNOSTICS_TIMEOUT);
        Ok(Some(Asked {
            root: root.into(),
            servers,
            timeout,
            quiet: DIAGNOSTICS_QUIET,
            new_errors,
        }))
    }
}

/// What the configuration says of servers. The policy refuses what it has besides and nobody knows.
#[derive(Debug, Deserialize)]
struct Servers {
    #[serde(default)]
    server: Vec<ServerConfig>,
}

/// Returns the servers of the configuration.
fn servers() -> Result<Vec<Server>, Stop> {
    let Some(Config { path, text }) = config()? else {
        return Ok(Vec::new());
    };
    let wrong = |message: &str| Stop::of(unusable(&path.to_string_lossy(), message));
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
        .map(|server| server.server().map_err(|message| wrong(&message)))
        .collect()
}

/// A `[[server]]` of the configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerConfig {
    name: String,
    /// Patterns, of which one without a slash speaks of the last part of a path.
    files: Vec<String>,
    command: Vec<String>,
    language: Option<String>,
    #[serde(default)]
    initialization: Json,
    #[serde(default)]
    settings: Json,
}

impl ServerConfig {
    fn server(self) -> Result<Server, String> {
        let wrong = |what: String| format!("the server {}: {what}", self.name);
        let Some(program) = self.command.first().filter(|program| !program.is_empty()) else {
            return Err(wrong("its command is empty".to_owned()));
        };
        // Anything else would be looked for below the root.
        if program.contains('/') && !Path::new(program).is_absolute() {
            return Err(wrong(format!(
                "{program} is neither a name nor an absolute path"
            )));
        }
        let files = globs(&self.files).map_err(|error| wrong(error.to_string()))?;
        let Self {
            name,
            command,
            language,
            initialization,
            settings,
            ..
        } = self;
        Ok(Server {
            name,
            files,
            command,
            language,
            initialization,
            settings,
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
