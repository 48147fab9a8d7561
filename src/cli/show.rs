//! `show`: what patches would change, or what a change of the history did.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::args::{Global, PatchOptions};
use super::output::{Output, Verbosity, printed};
use super::{Stop, Task, finish, history, look, open, request, root};
use crate::engine::options::code;
use crate::engine::{self, Preview, Request};
use crate::report::print_html;

/// Hex digits of a change's name before and behind its dash.
const ID: (usize, usize) = (18, 8);

/// The options of `show`.
#[derive(Debug, Args)]
pub(super) struct ShowOptions {
    #[command(flatten)]
    pub(super) patch: PatchOptions,
    /// Print one HTML page, which needs nothing but itself and runs no script
    #[arg(long, conflicts_with_all = ["json", "stat", "numstat", "summary"])]
    html: bool,
}

/// What standard output gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// What [`Output`] has: JSON, or statistics.
    Report,
    /// A patch.
    Patch,
}

/// Prints the diff of patches, or of a change.
pub(super) fn show(options: ShowOptions, global: &Global) -> ExitCode {
    if let Some(id) = change(&options.patch.patches) {
        if options.html {
            let message = "--html shows what patches would change, not what a change of the history did";
            let stop = Stop::new(&code::USAGE, message.to_owned());
            return finish(&stop.into_outcome(Task::Show.name()), &Output::of(global, Verbosity::Normal));
        }
        return history::show(id, global);
    }
    if options.html {
        return page(options.patch, global);
    }
    let form = if global.json || options.patch.is_statistics() { Form::Report } else { Form::Patch };
    let output = Output::of(global, Verbosity::Normal).without_words().with_statistics(&options.patch);
    match preview(options.patch, global) {
        Ok(preview) => {
            let code = match form {
                Form::Report => ExitCode::SUCCESS,
                Form::Patch => printed(print(&preview)),
            };
            if code == ExitCode::SUCCESS { finish(&preview.outcome, &output) } else { code }
        }
        Err(stop) => finish(&stop.into_outcome(Task::Show.name()), &output),
    }
}

/// Returns the name of the change that is meant: what is no file, and looks like the name of one or its beginning.
fn change(named: &[PathBuf]) -> Option<&str> {
    let [only] = named else { return None };
    only.to_str().filter(|name| is_change(name) && Path::new(name).symlink_metadata().is_err())
}

fn is_change(name: &str) -> bool {
    let (first, second) = name.split_once('-').map_or((name, None), |(first, second)| (first, Some(second)));
    let is_hex = |digits: &str| digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_first = is_hex(first) && !first.is_empty() && first.len() <= ID.0;
    is_first && second.is_none_or(|second| first.len() == ID.0 && is_hex(second) && second.len() <= ID.1)
}

/// Prints a page, also of what does not apply or is refused: it says why.
fn page(patch: PatchOptions, global: &Global) -> ExitCode {
    let output = Output::of(global, Verbosity::Normal).without_words();
    let exhibition = asked(patch, global).and_then(|request| {
        let mut exhibition = engine::exhibit(request, &open(global)?);
        exhibition.outcome.report.root = Some(root(global));
        Ok(exhibition)
    });
    match exhibition {
        Ok(exhibition) => {
            let mut out = BufWriter::new(io::stdout().lock());
            let code = printed(print_html(&exhibition.page(), &mut out).and_then(|()| out.flush()));
            if code == ExitCode::SUCCESS { finish(&exhibition.outcome, &output) } else { code }
        }
        Err(stop) => finish(&stop.into_outcome(Task::Show.name()), &output),
    }
}

/// Reads the patches and returns what to do with them.
fn asked(patch: PatchOptions, global: &Global) -> Result<Request, Stop> {
    if patch.shape {
        return Err(Stop::new(&code::USAGE, "--shape reads no file, so that there is nothing to show".to_owned()));
    }
    request::request(patch, Task::Show, global)
}

fn preview(patch: PatchOptions, global: &Global) -> Result<Preview, Stop> {
    let mut preview = engine::preview(asked(patch, global)?, &open(global)?);
    preview.outcome.report.root = Some(root(global));
    Ok(preview)
}

/// Prints the patch that it comes to.
fn print(preview: &Preview) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    preview.diffs.iter().try_for_each(|diff| look::put(diff, &mut out))?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_change_has_a_shape() {
        for name in ["0", "0067a1b2c3", "0067a1b2c312345678", "0067a1b2c312345678-", "0067a1b2c312345678-9abcdef0"] {
            assert!(is_change(name), "{name}");
        }
        let others =
            ["", "-", "x", "A", "0.diff", "./0", "67-1", "0067a1b2c3123456789", "0067a1b2c312345678-9abcdef01"];
        for name in others {
            assert!(!is_change(name), "{name}");
        }
    }
}
