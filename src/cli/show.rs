//! `show`: what patches would change, or what a change of the history did.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Args;

use super::args::{Global, PatchOptions};
use super::output::{self, Output, Verbosity, printed};
use super::{Stop, Task, finish, history, input, open, progress, request, root};
use crate::engine::options::{Progress, code};
use crate::engine::{self, Preview, Request};
use crate::report::print_html;
use crate::report::terminal::{self, Layout, Sheet};

/// Columns of a terminal from which on two files have room beside each other, and where nothing says how many there are.
const WIDE: usize = 160;
const NARROW: usize = 80;

/// Hex digits of a change's name before and behind its dash.
const ID: (usize, usize) = (18, 8);

/// The options of `show`.
#[derive(Debug, Args)]
pub(super) struct ShowOptions {
    #[command(flatten)]
    pub(super) patch: PatchOptions,
    /// Print one HTML page, which needs nothing but itself and runs no script
    #[arg(long, conflicts_with_all = ["json", "stat", "numstat", "summary", "side_by_side", "unified"])]
    html: bool,
    /// Show the file before beside the file after; usual on a terminal of 160 columns
    #[arg(long, conflicts_with = "unified")]
    side_by_side: bool,
    /// Show the file before above the file after; usual on a terminal of fewer columns
    #[arg(long)]
    unified: bool,
}

/// What standard output gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// What [`Output`] has: JSON, or statistics.
    Report,
    /// A patch.
    Patch,
    /// What people read.
    Sheet(Sheet),
}

impl Form {
    fn of(options: &ShowOptions, global: &Global, output: &Output) -> Self {
        let is_people = io::stdout().is_terminal()
            || options.side_by_side
            || options.unified
            || output::color(global, &io::stdout()) != ColorChoice::Never;
        if output.is_report() {
            return Self::Report;
        }
        if !is_people {
            return Self::Patch;
        }
        let width = columns();
        let is_wide = width >= WIDE && !options.unified;
        let layout = if is_wide || options.side_by_side { Layout::SideBySide } else { Layout::Unified };
        Self::Sheet(Sheet { width, layout })
    }
}

/// Returns how wide the terminal is, or `COLUMNS` where there is none.
fn columns() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let told = || env::var("COLUMNS").ok()?.parse().ok();
    terminal.filter(|&width| width > 0).or_else(told).unwrap_or(NARROW)
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
    let output = Output::of(global, Verbosity::Normal).without_words().with_statistics(&options.patch, global);
    let form = Form::of(&options, global, &output);
    match progress::shown(global, |progress| preview(options.patch, global, progress)) {
        Ok(preview) => {
            let code = match form {
                Form::Report => ExitCode::SUCCESS,
                Form::Patch => printed(print(&preview)),
                Form::Sheet(sheet) => printed(draw(&preview, sheet, global)),
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
    let exhibition = progress::shown(global, |progress| {
        let mut exhibition = engine::exhibit(asked(patch, global, progress)?, &open(global)?);
        exhibition.outcome.report.root = Some(root(global));
        Ok::<_, Stop>(exhibition)
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
fn asked(patch: PatchOptions, global: &Global, progress: Progress) -> Result<Request, Stop> {
    if patch.shape {
        return Err(Stop::new(&code::USAGE, "--shape reads no file, so that there is nothing to show".to_owned()));
    }
    progress.enter(input::first(&patch.patches), 0);
    let mut request = request::request(patch, Task::Show, global)?;
    request.preflight.progress = progress;
    Ok(request)
}

fn preview(patch: PatchOptions, global: &Global, progress: Progress) -> Result<Preview, Stop> {
    let mut preview = engine::preview(asked(patch, global, progress)?, &open(global)?);
    preview.outcome.report.root = Some(root(global));
    Ok(preview)
}

/// Prints the patch that it comes to.
fn print(preview: &Preview) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    preview.diffs.iter().try_for_each(|diff| out.write_all(diff))?;
    out.flush()
}

/// Prints what people read, with colours if they are wanted.
fn draw(preview: &Preview, sheet: Sheet, global: &Global) -> io::Result<()> {
    let color = output::color(global, &io::stdout());
    let mut out = BufWriter::new(AutoStream::new(io::stdout().lock(), color));
    terminal::print(&preview.outcome.report, &preview.diffs, sheet, &mut out)?;
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
