//! The commands that only read files and directories: `read` and `list`.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::args::{Global, SessionOption, line_range};
use super::file_options::relative_to_root;
use super::library_call::Document;
use super::output::{self, Output, Verbosity, print_to_stderr};
use super::policy::load_policy;
use super::root::open;
use super::{EarlyExit, finish};
use crate::engine::options::{Policy, SymbolName, Workspace, code};
use crate::engine::{self, ListOrder, ListRequest, Outcome, ReadFormat, ReadRange, ReadRequest};
use crate::path::PathPattern;
use crate::report::Extract;
use crate::text::printable_line;

/// The default number of bytes with `--offset`.
const DEFAULT_LENGTH: u64 = 64 << 10;
/// The default number of lines with `--number`.
const DEFAULT_NUMBERED_LINES: usize = 2000;
/// The default number of entries with `--glob`.
const DEFAULT_GLOB_ENTRIES: usize = 100;

/// The options of `read`.
#[derive(Clone, Debug, Args)]
pub(super) struct ReadOptions {
    /// The file: below the root, or at another path that policy grants
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    pub(super) session: SessionOption,
    /// Print only these lines, counted from 1 and inclusive: A-B, A- or A
    #[arg(long, value_name = "A-B", value_parser = line_range, conflicts_with_all = ["offset", "length"])]
    lines: Option<(usize, usize)>,
    /// Print only the function, class or other symbol NAME, such as `Class.method`
    ///
    /// The symbol includes its attributes and the comments directly above it. See `wpatch edit` for
    /// the form of the name.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["lines", "offset", "length"])]
    symbol: Option<SymbolName>,
    /// Start at this byte, counted from 0
    #[arg(long, value_name = "BYTE")]
    offset: Option<u64>,
    /// Print only this number of bytes [default: 65536 with --offset]
    #[arg(long, value_name = "BYTES")]
    length: Option<u64>,
    /// Print line numbers, and at most 2000 characters of each line
    #[arg(long, short = 'n')]
    number: bool,
    /// Print the lines with the anchors of hashline edits
    #[arg(long, conflicts_with = "number")]
    hashline: bool,
    /// Limit the number of lines [default: 2000 with --number and without --lines or --symbol]
    #[arg(long, value_name = "N")]
    max_lines: Option<usize>,
    /// Limit the output, in bytes; text is cut between characters
    #[arg(long, value_name = "BYTES")]
    max_output: Option<usize>,
    /// Refuse a file of more than BYTES bytes [default: 10485760]
    #[arg(long, visible_alias = "max-file", value_name = "BYTES")]
    max_bytes: Option<u64>,
    /// Decode the file from the encoding NAME, such as gb18030
    ///
    /// `auto` detects the encoding. Offsets count bytes of the decoded text in UTF-8.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

impl ReadOptions {
    /// Returns the file to read.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
}

impl ListOptions {
    /// Returns the directory to list, if the command line names one.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Returns the file whose symbols are listed, if the command lists symbols.
    pub(super) fn file_with_symbols(&self) -> Option<&Path> {
        self.directory().filter(|_| self.symbols)
    }
}

/// The options of `list`.
#[derive(Clone, Debug, Args)]
pub(super) struct ListOptions {
    /// The directory: below the root, or at another path that policy grants [default: the root]
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
    #[command(flatten)]
    pub(super) session: SessionOption,
    /// List names that begin with a dot as well
    #[arg(long)]
    hidden: bool,
    /// Limit the number of entries [default: 100 with --glob]
    #[arg(long, value_name = "N")]
    pub(super) max: Option<usize>,
    /// List matching files in this directory and all directories below it
    ///
    /// `*` and `?` match within one component, `**` matches across components, and `{a,b}` matches
    /// either alternative.
    #[arg(long, value_name = "PATTERN")]
    glob: Option<String>,
    /// Sort by modification time, newest first
    #[arg(long)]
    newest: bool,
    /// List the functions, classes and other symbols of a file, which takes the place of DIR
    #[arg(long, requires = "directory", conflicts_with_all = ["hidden", "glob", "newest"])]
    symbols: bool,
}

/// Prints a file or a part of it.
pub(super) fn read(options: ReadOptions, global: &Global) -> ExitCode {
    let defaults = ReadRequest::of(relative_to_root(&options.file, global));
    let window = match (
        options.lines,
        options.symbol,
        options.offset,
        options.length,
    ) {
        (Some((first, last)), ..) => ReadRange::Lines { first, last },
        (None, Some(name), ..) => ReadRange::Symbol(Box::new(name)),
        (None, None, None, None) => ReadRange::All,
        (None, None, offset, length) => ReadRange::Bytes {
            offset: offset.unwrap_or_default(),
            length: length.unwrap_or(DEFAULT_LENGTH),
        },
    };
    let view = match (options.number, options.hashline) {
        (true, _) => ReadFormat::Numbered,
        (_, true) => ReadFormat::Hashline,
        _ => ReadFormat::Plain,
    };
    let is_chosen = matches!(window, ReadRange::Lines { .. } | ReadRange::Symbol(_));
    let usual = if options.number && !is_chosen {
        DEFAULT_NUMBERED_LINES
    } else {
        usize::MAX
    };
    let request = ReadRequest {
        range: window.clone(),
        format: view,
        encoding: options.encoding,
        max_file: options.max_bytes.unwrap_or(defaults.max_file),
        max_lines: options.max_lines.unwrap_or(usual),
        max_output: options.max_output.unwrap_or(defaults.max_output),
        ..defaults
    };
    print_query(
        ("read", Document::Extract),
        global,
        |workspace, policy| engine::read(&ReadRequest { policy, ..request }, workspace),
        |extract, out| {
            write_text(&extract.content, out)?;
            print_message(
                global,
                rest_message(extract, &window, options.length.is_some()),
            );
            Ok(())
        },
    )
}

/// Returns the message about requested bytes or lines that `extract` lacks because of a limit.
fn rest_message(extract: &Extract, window: &ReadRange, has_length: bool) -> Option<String> {
    let next = extract.next_offset?;
    let symbol = extract.symbol.as_ref();
    let window = match symbol.map(|symbol| (symbol.first_line, symbol.last_line)) {
        Some((first, last)) => &ReadRange::Lines { first, last },
        None => window,
    };
    let options = match *window {
        ReadRange::Lines { first, last } => {
            // The first line of a hashline extract is a tag, and not a line of the file.
            let whole = extract.content.iter().filter(|&&byte| byte == b'\n');
            let next = first + whole.count() - usize::from(extract.tag.is_some());
            let last = (last < extract.lines).then_some(last);
            let is_rest = last.is_none_or(|last| next <= last);
            is_rest.then(|| {
                format!(
                    "--lines {next}-{}",
                    last.map_or_else(String::new, |last| last.to_string())
                )
            })
        }
        ReadRange::Bytes { offset, length } if has_length => {
            let end = offset.saturating_add(length);
            (next < end).then(|| format!("--offset {next} --length {}", end - next))
        }
        ReadRange::Bytes { .. } | ReadRange::All | ReadRange::Symbol(_) => {
            Some(format!("--offset {next}"))
        }
    };
    options.map(|options| format!("the file continues; use {options} for the rest"))
}

/// Prints the names in a directory.
pub(super) fn list(options: ListOptions, global: &Global) -> ExitCode {
    let defaults = ListRequest::of(
        options
            .directory
            .map_or(b".".to_vec(), |path| relative_to_root(&path, global)),
    );
    let pattern = options.glob.as_ref().map(|glob| PathPattern::new(glob));
    let pattern = match pattern.transpose() {
        Ok(pattern) => pattern,
        Err(error) => {
            let stop = EarlyExit::new(&code::USAGE, format!("--glob: invalid pattern: {error}"));
            return finish(
                &stop.into_outcome("list"),
                &Output::of(global, Verbosity::Normal),
            );
        }
    };
    let usual = if pattern.is_some() {
        DEFAULT_GLOB_ENTRIES
    } else {
        defaults.max_entries
    };
    let request = ListRequest {
        hidden: options.hidden,
        pattern,
        order: if options.newest {
            ListOrder::Newest
        } else {
            ListOrder::Name
        },
        max_entries: options.max.unwrap_or(usual),
        ..defaults
    };
    print_query(
        ("list", Document::Listing),
        global,
        |workspace, policy| engine::list(&ListRequest { policy, ..request }, workspace),
        |listing, out| {
            listing.print(out)?;
            print_message(
                global,
                listing
                    .truncated
                    .then(|| "more entries exist; use --max to raise the limit".to_owned()),
            );
            Ok(())
        },
    )
}

/// Runs `look`. Returns the outcome if it fails.
pub(super) fn run_query<T>(
    command: &'static str,
    global: &Global,
    look: impl FnOnce(&dyn Workspace, Arc<Policy>) -> Result<T, Box<Outcome>>,
) -> Result<T, Box<Outcome>> {
    open(global)
        .and_then(|workspace| Ok(look(&*workspace, load_policy(global)?)))
        .unwrap_or_else(|stop| Err(Box::new(stop.into_outcome(command))))
}

/// Runs `look` and prints its result as JSON, or with `print`.
pub(super) fn print_query<T: Clone + Serialize>(
    (command, document): (&'static str, fn(T) -> Document),
    global: &Global,
    look: impl FnOnce(&dyn Workspace, Arc<Policy>) -> Result<T, Box<Outcome>>,
    print: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> ExitCode {
    let found = match run_query(command, global, look) {
        Ok(found) => found,
        Err(outcome) => return finish(&outcome, &Output::of(global, Verbosity::Normal)),
    };
    output::exit_code(if global.json {
        global.caller.print_document(&found, document)
    } else {
        global.caller.print(|out| print(&found, out))
    })
}

/// Writes `bytes` unchanged, or escaped if standard output is a terminal.
pub(super) fn write_text(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return out.write_all(bytes);
    }
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let (text, end) = line.split_at(line.len() - usize::from(line.ends_with(b"\n")));
        write!(out, "{}", printable_line(text))?;
        out.write_all(end)?;
    }
    Ok(())
}

/// Prints `message` to standard error unless `--quiet` is given.
pub(super) fn print_message(global: &Global, message: Option<String>) {
    if let Some(message) = message.filter(|_| !global.quiet) {
        print_to_stderr(&message);
    }
}
