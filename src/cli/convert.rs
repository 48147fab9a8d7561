//! The command `convert`: writes patches in another format.

use std::process::ExitCode;

use clap::Args;

use super::args::{Global, PatchOptions, grammars};
use super::output::{self, Output, Verbosity};
use super::root::{open, root_name, root_reports};
use super::{CommandMode, EarlyExit, finish, request, watcher};
use crate::engine::{self, Outcome};

/// The options of other commands on patches that have no meaning here.
const EXCLUDED: [&str; 15] = [
    "approve",
    "approve_part",
    "build_fake_ancestor",
    "cached",
    "idempotent",
    "in_place",
    "index",
    "intent_to_add",
    "merge_hunks",
    "numstat",
    "reject",
    "shape",
    "stat",
    "summary",
    "three_way",
];

/// The options of `convert`.
#[derive(Clone, Debug, Args)]
pub(super) struct ConvertOptions {
    #[command(flatten)]
    pub(super) patch: PatchOptions,
    /// Set the format of the result
    #[arg(long, value_name = "FORMAT", value_parser = grammars(), conflicts_with_all = EXCLUDED)]
    to: String,
}

/// Prints the patches in another format, or with `--json` the report that contains them.
pub(super) fn convert(options: ConvertOptions, global: &Global) -> ExitCode {
    let output = Output::of(global, Verbosity::Normal);
    let name = CommandMode::Convert.name();
    let mut outcome =
        convert_patches(options, global).unwrap_or_else(|stop| stop.into_outcome(name));
    outcome.report.root = root_name(global);
    outcome.report.roots = root_reports(global);
    if global.json || global.caller.is_library() || !outcome.report.ok {
        return finish(&outcome, &output);
    }
    if !global.quiet {
        let _ = output.print_problems(&outcome);
    }
    let converted = outcome.report.converted.as_ref();
    let text = converted.map_or(&b""[..], |patch| &patch.text);
    output::exit_code(global.caller.print(|out| out.write_all(text)))
}

fn convert_patches(options: ConvertOptions, global: &Global) -> Result<Outcome, EarlyExit> {
    let workspace = open(global)?;
    watcher::run(CommandMode::Convert.name(), global, |progress| {
        let mut request = request::read_request(options.patch, CommandMode::Convert, global)?;
        request.look.progress = progress;
        Ok(engine::convert(request, &options.to, &*workspace))
    })
}
