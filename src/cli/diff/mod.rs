//! The command `diff`: compares files, and with `-r` trees.

mod trees;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Args;

use super::args::{Global, SessionOption};
use super::file_options::relative_to_root;
use super::library_call::Document;
use super::output::{self, Output, Verbosity};
use super::read_commands::{print_message, run_query, write_text};
use super::{EarlyExit, finish, pager};
use crate::engine::options::WhitespaceComparison;
use crate::engine::{self, DiffRequest, Outcome};
use crate::report::Difference;
use crate::report::terminal::print_diff_text;

use trees::TreeDiffOptions;

/// The options of `diff`.
#[derive(Clone, Debug, Args)]
pub(super) struct DiffOptions {
    /// The old and the new file, below the root; with -r, two directories [default with --in: all changes of the session]
    #[arg(value_name = "FILE", num_args = 2, required_unless_present_any = ["session", "from_tree"])]
    files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) session: SessionOption,
    #[command(flatten)]
    trees: TreeDiffOptions,
    /// Print N lines of context around each change, 0 to 20 [default: 3]
    #[arg(long, short = 'U', value_name = "N", value_parser = clap::value_parser!(u8).range(0..=20))]
    context: Option<u8>,
    /// Ignore all white space in lines
    ///
    /// The diff still applies to the old file, but its result differs from the new file.
    #[arg(long, short = 'w', conflicts_with = "session")]
    ignore_all_space: bool,
    /// Ignore the amount of white space, and white space at the end of lines
    #[arg(long, short = 'b', conflicts_with_all = ["session", "ignore_all_space"])]
    ignore_space_change: bool,
    /// Set the name of the old file in the header [default: its path]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    label_a: Option<OsString>,
    /// Set the name of the new file in the header [default: its path]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    label_b: Option<OsString>,
    /// Limit the printed diff, in bytes, cut after a line [default: 2097152]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<usize>,
}

impl DiffOptions {
    /// Sets the patterns of --include (`true`) and --exclude (`false`), in the order of the command
    /// line.
    pub(super) fn set_filters(&mut self, filters: Vec<(bool, String)>) {
        self.trees.filters = filters;
    }

    /// Returns the comparison of lines.
    fn whitespace(&self) -> WhitespaceComparison {
        match (self.ignore_all_space, self.ignore_space_change) {
            (true, _) => WhitespaceComparison::IgnoreAll,
            (_, true) => WhitespaceComparison::IgnoreAmount,
            _ => WhitespaceComparison::Exact,
        }
    }
}

/// Prints the difference between two files. The exit code is 0 if they are equal, 1 if they differ,
/// and 2 if the difference cannot be printed.
pub(super) fn diff(options: DiffOptions, global: &Global) -> ExitCode {
    if options.trees.is_given() {
        return trees::diff(&options, global);
    }
    if let Some(option) = options.trees.tree_only_option() {
        let stop = EarlyExit::usage(&format!("{option} needs -r or --from-tree"));
        return print_difference(Err(Box::new(stop.into_outcome("diff"))), global);
    }
    let path = |path| relative_to_root(path, global);
    let [before, after] = &options.files[..] else {
        return diff_session(&options, global);
    };
    let defaults = DiffRequest::of(path(before), path(after));
    let request = DiffRequest {
        whitespace: options.whitespace(),
        labels: [options.label_a, options.label_b]
            .map(|label| label.map(OsString::into_encoded_bytes)),
        context: options.context.map_or(defaults.context, usize::from),
        max_output: options.max_bytes.unwrap_or(defaults.max_output),
        ..defaults
    };
    let found = run_query("diff", global, |workspace, policy| {
        engine::diff(&DiffRequest { policy, ..request }, workspace)
    });
    print_difference(found, global)
}

/// Prints the difference between the files of an edit session and those of the tree.
fn diff_session(options: &DiffOptions, global: &Global) -> ExitCode {
    let max_output = options
        .max_bytes
        .unwrap_or(DiffRequest::of("", "").max_output);
    let found = run_query("diff", global, |workspace, policy| {
        engine::diff_session(workspace, &policy, max_output)
    });
    print_difference(found, global)
}

fn print_difference(found: Result<Difference, Box<Outcome>>, global: &Global) -> ExitCode {
    let difference = match found {
        Ok(difference) => difference,
        Err(mut outcome) => {
            // The exit code 1 means that the files differ, so every error has the same code.
            outcome.report.exit_code = 2;
            return finish(&outcome, &Output::of(global, Verbosity::Normal));
        }
    };
    let printed = if global.json {
        global
            .caller
            .print_document(&difference, Document::Difference)
    } else {
        let color = output::color(global, &io::stdout());
        pager::print_paged(global, |out| write_diff(&difference.to_text(), color, out))
    };
    if difference.truncated && !global.json {
        let message = "the diff is truncated; use --max-bytes to raise the limit".to_owned();
        print_message(global, Some(message));
    }
    if output::exit_code(printed) == ExitCode::SUCCESS {
        ExitCode::from(u8::from(!difference.identical))
    } else {
        ExitCode::from(2)
    }
}

/// Writes a diff, with colors if `color` allows them.
fn write_diff(diff: &[u8], color: ColorChoice, out: &mut (dyn Write + 'static)) -> io::Result<()> {
    if color == ColorChoice::Never {
        write_text(diff, out)
    } else {
        print_diff_text(diff, &mut AutoStream::new(out, color))
    }
}
