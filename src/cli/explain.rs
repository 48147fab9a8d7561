//! The command that says what policy has to say.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::args::Global;
use super::file_options::below;
use super::look::looked;
use crate::engine::options::Access;
use crate::engine::{self, ExplainRequest};

/// What is to be said.
#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Say what may be done with a path, which rule decides, and why
    Explain(ExplainOptions),
}

/// The options of `policy explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainOptions {
    /// The path, below the root; nothing has to be there
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Only what is said of this [default: of everything that can be done]
    #[arg(long, value_name = "ACCESS", value_parser = accesses())]
    access: Option<String>,
}

impl PolicyCommand {
    /// Returns the file that is meant.
    pub(super) fn file(&self) -> &Path {
        let Self::Explain(options) = self;
        &options.path
    }
}

/// Prints what policy says. The exit code is that of an answer, whatever the verdict.
pub(super) fn explain(PolicyCommand::Explain(options): PolicyCommand, global: &Global) -> ExitCode {
    let usual = ExplainRequest::of(below(global.root(), &options.path));
    let is_meant = |access: &Access| {
        options
            .access
            .as_ref()
            .is_none_or(|name| access.name() == name)
    };
    let accesses = Access::ALL.into_iter().filter(is_meant).collect();
    let request = |policy| ExplainRequest {
        accesses,
        policy,
        ..usual
    };
    looked(
        "policy",
        global,
        |workspace, policy| engine::explain(&request(policy), workspace),
        |explanation, out| explanation.print(out),
    )
    .1
}

fn accesses() -> PossibleValuesParser {
    Access::ALL.map(Access::name).into()
}
