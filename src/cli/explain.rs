//! `policy explain`: prints the verdict and the deciding rule for a path.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::args::Global;
use super::file_options::relative_to_root;
use super::library_call::Document;
use super::read_commands::print_query;
use crate::engine::options::Access;
use crate::engine::{self, ExplainRequest};

/// The subcommands of `policy`.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Explain the verdict on a path and the rule that decides it
    Explain(ExplainOptions),
}

/// The options of `policy explain`.
#[derive(Clone, Debug, Args)]
pub(super) struct ExplainOptions {
    /// The path below the root; it need not exist
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Explain only this kind of access [default: all kinds]
    #[arg(long, value_name = "ACCESS", value_parser = accesses())]
    access: Option<String>,
}

impl PolicyCommand {
    /// Returns the path to explain.
    pub(super) fn file(&self) -> &Path {
        let Self::Explain(options) = self;
        &options.path
    }
}

/// Prints the explanation. The exit code is 0 for every verdict.
pub(super) fn explain(PolicyCommand::Explain(options): PolicyCommand, global: &Global) -> ExitCode {
    let usual = ExplainRequest::of(relative_to_root(&options.path, global));
    let is_selected = |access: &Access| {
        options
            .access
            .as_ref()
            .is_none_or(|name| access.name() == name)
    };
    let accesses = Access::ALL.into_iter().filter(is_selected).collect();
    let request = |policy| ExplainRequest {
        accesses,
        policy,
        ..usual
    };
    print_query(
        ("policy", Document::Explanation),
        global,
        |workspace, policy| engine::explain(&request(policy), workspace),
        |explanation, out| explanation.print(out),
    )
}

fn accesses() -> PossibleValuesParser {
    Access::ALL.map(Access::name).into()
}
