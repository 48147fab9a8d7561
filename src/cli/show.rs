//! `show`: prints the changes of patches or of a history entry.

use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use clap::Args;

use super::args::{Global, PatchOptions};
use super::output::{self, Output, Verbosity, exit_code};
use super::root::{open, root_name, root_reports};
use super::{CommandMode, EarlyExit, finish, history, input, pager, refuse, request, watcher};
use crate::engine::options::{Progress, Workspace, code};
use crate::engine::{self, HAS_LOCALE, Preview, Request};
use crate::report::print_html;
use crate::report::terminal::{self, Layout, Symbols, TerminalOptions};

/// The width from which two files are shown side by side by default, and the assumed width if it is
/// unknown, in columns.
const SIDE_BY_SIDE_WIDTH: usize = 160;
const DEFAULT_WIDTH: usize = 80;

/// The number of hex digits of a change identifier before and after its dash.
const ID_DIGITS: (usize, usize) = (18, 8);

/// The options of `show`.
#[derive(Clone, Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct ShowOptions {
    #[command(flatten)]
    pub(super) patch: PatchOptions,
    /// Print one self-contained HTML page, without a script unless --decide is given
    #[arg(long, conflicts_with_all = ["json", "stat", "numstat", "summary", "side_by_side", "unified"])]
    html: bool,
    /// Let the reader of the page accept and reject files and hunks, and copy the commands for that
    ///
    /// The page has a script. Without JavaScript, it lists the ids for --only.
    #[arg(long, requires = "html", conflicts_with = "only")]
    pub(super) decide: bool,
    /// Show the old and new file side by side [default on terminals of 160 columns]
    #[arg(long, conflicts_with = "unified")]
    side_by_side: bool,
    /// Show deleted lines above added lines [default on narrower terminals]
    #[arg(long)]
    unified: bool,
    /// The first given option that needs a patch, if the operand names a change.
    #[arg(skip)]
    pub(super) patch_option: Option<String>,
}

impl ShowOptions {
    /// Returns the identifier of a change in the history if it is the only operand.
    pub(super) fn find_change_id(&self) -> Option<&str> {
        change(&self.patch.basic.patches)
    }

    /// Returns the `plan_id` of a plan if it is the only operand, and no file has this name.
    fn find_plan_id(&self) -> Option<&str> {
        let [only] = &self.patch.basic.patches[..] else {
            return None;
        };
        let is_plan_id = |name: &&str| name.starts_with("sha256:");
        only.to_str()
            .filter(is_plan_id)
            .filter(|name| Path::new(name).symlink_metadata().is_err())
    }
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShowFormat {
    /// The formats of [`Output`]: JSON or statistics.
    Report,
    /// A patch.
    Patch,
    /// An HTML page.
    Page,
    /// An HTML page with choices for the reviewer.
    DecisionPage,
    /// A rendered diff for people.
    Terminal(TerminalOptions),
}

impl ShowFormat {
    fn is_page(self) -> bool {
        matches!(self, Self::Page | Self::DecisionPage)
    }

    fn of(options: &ShowOptions, global: &Global, output: &Output) -> Self {
        let is_people = io::stdout().is_terminal()
            || options.side_by_side
            || options.unified
            || output::color(global, &io::stdout()) != ColorChoice::Never;
        match (options.html, options.decide) {
            (true, true) => return Self::DecisionPage,
            (true, false) => return Self::Page,
            (false, _) => {}
        }
        if output.has_report() {
            return Self::Report;
        }
        if !is_people {
            return Self::Patch;
        }
        let width = terminal_width();
        let is_wide = width >= SIDE_BY_SIDE_WIDTH && !options.unified;
        let layout = if is_wide || options.side_by_side {
            Layout::SideBySide
        } else {
            Layout::Unified
        };
        Self::Terminal(TerminalOptions {
            width,
            layout,
            symbols: choose_symbols(),
        })
    }
}

/// Returns the symbols for the character encoding of the locale. A system without locales in its
/// environment uses UTF-8.
pub(super) fn choose_symbols() -> Symbols {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut locales = names.iter().filter_map(env::var_os);
    let locale = locales.find(|locale| !locale.is_empty());
    let is_utf8 = locale.map_or(!HAS_LOCALE, |locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    if is_utf8 {
        Symbols::Unicode
    } else {
        Symbols::Ascii
    }
}

/// Returns the width of the terminal, in columns. Without a terminal, returns `COLUMNS` or a
/// default.
fn terminal_width() -> usize {
    let terminal =
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let told = || env::var("COLUMNS").ok()?.parse().ok();
    terminal
        .filter(|&width| width > 0)
        .or_else(told)
        .unwrap_or(DEFAULT_WIDTH)
}

/// Prints the diff of patches, or of a change in the history.
pub(super) fn show(options: ShowOptions, global: &Global) -> ExitCode {
    if let Some(id) = options.find_change_id() {
        if let Some(option) = &options.patch_option {
            let message = format!("{option} needs a patch, and {id} is a change of the history");
            return refuse(EarlyExit::usage(&message), CommandMode::Show.name(), global);
        }
        return if options.html {
            history::print_html(id, global)
        } else {
            history::show(id, global)
        };
    }
    if let Some(id) = options.find_plan_id() {
        let message = format!("{id} is the plan_id of a plan; name the patch of the plan instead");
        return refuse(EarlyExit::usage(&message), CommandMode::Show.name(), global);
    }
    let output = Output::of(global, Verbosity::Normal)
        .without_text()
        .with_statistics(&options.patch, global);
    let form = ShowFormat::of(&options, global, &output);
    let shown = open(global).and_then(|workspace| {
        let preview = watcher::run(CommandMode::Show.name(), global, |progress| {
            preview(options.patch, form, (global, &*workspace), progress)
        })?;
        let code = exit_code(print(&preview, form, global));
        Ok(if code == ExitCode::SUCCESS {
            finish(&preview.into_outcome(), &output)
        } else {
            code
        })
    });
    shown.unwrap_or_else(|stop| finish(&stop.into_outcome(CommandMode::Show.name()), &output))
}

/// Returns the identifier if the only operand is one: it has the form of an identifier or of the
/// beginning of one, and no file has this name.
fn change(named: &[PathBuf]) -> Option<&str> {
    let [only] = named else { return None };
    only.to_str()
        .filter(|name| is_change_id(name) && Path::new(name).symlink_metadata().is_err())
}

fn is_change_id(name: &str) -> bool {
    let (first, second) = name
        .split_once('-')
        .map_or((name, None), |(first, second)| (first, Some(second)));
    let is_hex = |digits: &str| {
        digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_first = is_hex(first) && !first.is_empty() && first.len() <= ID_DIGITS.0;
    is_first
        && second.is_none_or(|second| {
            first.len() == ID_DIGITS.0 && is_hex(second) && second.len() <= ID_DIGITS.1
        })
}

/// Reads the patches and returns the request.
fn options_from(
    patch: PatchOptions,
    global: &Global,
    progress: Progress,
) -> Result<Request, EarlyExit> {
    if patch.shape {
        return Err(EarlyExit::new(
            &code::USAGE,
            "--shape reads no file, so `show` has nothing to print".to_owned(),
        ));
    }
    progress.enter(input::first_phase(&patch.basic.patches, &global.caller), 0);
    let mut request = request::read_request(patch, CommandMode::Show, global)?;
    request.look.progress = progress;
    Ok(request)
}

fn preview<'w>(
    patch: PatchOptions,
    form: ShowFormat,
    (global, workspace): (&Global, &'w dyn Workspace),
    progress: Progress,
) -> Result<Preview<'w>, EarlyExit> {
    let is_limited = patch.look.diff_max_bytes.is_some();
    let mut request = options_from(patch, global, progress)?;
    // The default limit is for JSON. A page shows whole changes to a reviewer.
    if form.is_page() && !is_limited {
        request.look.max_diff = usize::MAX;
    }
    // The terminal diff shows the section headings of the hunks, which only a full report contains.
    request.look.describe |= matches!(form, ShowFormat::Terminal(_));
    let mut preview = match form {
        ShowFormat::Page | ShowFormat::DecisionPage => engine::render_page(request, workspace),
        ShowFormat::Report | ShowFormat::Patch | ShowFormat::Terminal(_) => {
            engine::preview(request, workspace)
        }
    };
    preview.report.root = root_name(global);
    preview.report.roots = root_reports(global);
    Ok(preview)
}

/// Prints the preview. An HTML page is also printed if the patch does not apply or is refused,
/// because it contains the reasons.
fn print(preview: &Preview<'_>, form: ShowFormat, global: &Global) -> io::Result<()> {
    match form {
        ShowFormat::Report => Ok(()),
        ShowFormat::Page => global
            .caller
            .print(|mut out| print_html(&preview.page(), &mut out)),
        ShowFormat::DecisionPage => global
            .caller
            .print(|mut out| print_html(&preview.decision_page(), &mut out)),
        ShowFormat::Patch => global
            .caller
            .print(|out| preview.diffs().try_for_each(|diff| out.write_all(&diff?))),
        ShowFormat::Terminal(sheet) => {
            let color = output::color(global, &io::stdout());
            pager::print_paged(global, |out| {
                let mut out = AutoStream::new(out, color);
                terminal::print(&preview.report, preview.diffs(), sheet, &mut out)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_change_has_a_shape() {
        for name in [
            "0",
            "0067a1b2c3",
            "0067a1b2c312345678",
            "0067a1b2c312345678-",
            "0067a1b2c312345678-9abcdef0",
        ] {
            assert!(is_change_id(name), "{name}");
        }
        let others = [
            "",
            "-",
            "x",
            "A",
            "0.diff",
            "./0",
            "67-1",
            "0067a1b2c3123456789",
            "0067a1b2c312345678-9abcdef01",
        ];
        for name in others {
            assert!(!is_change_id(name), "{name}");
        }
    }
}
