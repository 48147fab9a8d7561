//! The editing commands: their options, and what they ask the engine for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::Global;
use super::commands::CommandOptions;
use super::guards::GuardOptions;
use super::links::LinkOptions;
use super::policy::policy;
use super::servers::DiagnosticsOptions;
use super::{Stop, input, request};
use crate::digest::Sha256;
use crate::engine::options::{Closeness, Edit, EditOrder, Input, MAX_FILE, PreflightOptions, TransactionOptions, code};
use crate::engine::{self, Change, Parents};
use crate::mode::FileMode;
use crate::text::{Bytes, EncodingChoice, Position};

/// The options of all editing commands.
#[derive(Debug, Args)]
pub(super) struct FileOptions {
    /// The file, below the root
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Refuse any file but the one with this SHA-256
    #[arg(long, value_name = "HASH", value_parser = digest)]
    expect_hash: Option<Sha256>,
    /// Refuse any file but one with the contents of this one
    #[arg(long, value_name = "FILE", conflicts_with = "expect_hash")]
    expect_file: Option<PathBuf>,
    /// Take what has been done already for success
    #[arg(long)]
    idempotent: bool,
    #[command(flatten)]
    guard: GuardOptions,
    #[command(flatten)]
    links: LinkOptions,
    #[command(flatten)]
    commands: CommandOptions,
    #[command(flatten)]
    diagnostics: DiagnosticsOptions,
    /// Most bytes of the diff in the JSON, which is cut behind a line [default: 16384]
    #[arg(long, value_name = "BYTES")]
    diff_max_bytes: Option<usize>,
    /// Leave the diff of a file over 64 KiB or 2000 lines out of the JSON
    #[arg(long)]
    no_large_diff: bool,
    /// Largest file that is read or made, in bytes [default: 10485760]
    #[arg(long, visible_alias = "max-file", value_name = "BYTES")]
    pub(super) max_bytes: Option<u64>,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Refuse any change but the one with this `plan_id`, which --dry-run --json tells
    #[arg(long, value_name = "ID")]
    approve: Option<String>,
}

/// The options of `edit`.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct EditOptions {
    #[command(flatten)]
    common: FileOptions,
    /// Text that goes, which has to be there once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old: Option<OsString>,
    /// The same, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    old_file: Option<PathBuf>,
    /// Text that comes in its place
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    new: Option<OsString>,
    /// The same, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "new")]
    new_file: Option<PathBuf>,
    /// A JSON file with a list of edits
    #[arg(long, value_name = "FILE", conflicts_with_all = ["new", "new_file", "all"])]
    edits: Option<PathBuf>,
    /// Put the new text behind this line, 0 for the start of the file
    #[arg(long, value_name = "LINE")]
    insert_after: Option<usize>,
    /// Put the new text before this line
    #[arg(long, value_name = "LINE")]
    insert_before: Option<usize>,
    /// First text of what goes, together with --to
    #[arg(long, value_name = "TEXT", requires = "to", allow_hyphen_values = true)]
    from: Option<OsString>,
    /// Last text of what goes
    #[arg(long, value_name = "TEXT", requires = "from", allow_hyphen_values = true)]
    to: Option<OsString>,
    /// Replace the old text wherever it is
    #[arg(long)]
    all: bool,
    /// Let each edit of the list see what the ones before it left
    #[arg(long, requires = "edits")]
    sequential: bool,
    /// How closely the old text has to fit [default: exact]
    #[arg(long = "match", value_name = "HOW", value_enum)]
    closeness: Option<How>,
    /// Repair an old text that models wrote with mistakes, if it has one meaning only
    #[arg(long)]
    lenient: bool,
    /// Encoding of the file and of all texts in it, as in gb18030; auto finds out [default: bytes as they are]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Indent the new text as what it replaces; needs --match ladder
    #[arg(long, requires = "closeness")]
    reindent: bool,
}

/// How closely a text has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum How {
    /// Byte for byte, but for line ends
    Exact,
    /// Then without blanks at line ends, without indentation, without typography
    Ladder,
}

/// Where contents come from.
#[derive(Debug, Args)]
struct ContentOptions {
    /// The contents; without any of the two they come from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<OsString>,
    /// The same, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    content_file: Option<PathBuf>,
}

/// The options of `write`.
#[derive(Debug, Args)]
pub(super) struct WriteOptions {
    #[command(flatten)]
    common: FileOptions,
    #[command(flatten)]
    content: ContentOptions,
    /// Replace the file if it is there
    #[arg(long)]
    overwrite: bool,
    /// Refuse to make directories
    #[arg(long)]
    no_mkdirs: bool,
    /// Mode of the file: 0644 or 0755
    #[arg(long, value_parser = mode)]
    mode: Option<FileMode>,
}

/// The options of `append`.
#[derive(Debug, Args)]
pub(super) struct AppendOptions {
    #[command(flatten)]
    common: FileOptions,
    #[command(flatten)]
    content: ContentOptions,
    /// Put the text on lines of its own
    #[arg(long)]
    line: bool,
    /// Encoding of the file, to which the text is converted from UTF-8; auto finds out [default: bytes as they are]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

/// Returns how closely texts have to fit.
///
/// # Errors
///
/// Returns a mistake in usage if lines are to be moved that can only fit where they are.
pub(super) fn closeness(how: Option<How>, reindent: bool) -> Result<Closeness, Stop> {
    match (how, reindent) {
        (Some(How::Ladder), true) => Ok(Closeness::Reindented),
        (_, true) => Err(usage("--reindent needs --match ladder")),
        (Some(How::Ladder), false) => Ok(Closeness::Ladder),
        (Some(How::Exact) | None, false) => Ok(Closeness::Exact),
    }
}

/// Returns what `edit` asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn edit(options: &EditOptions, global: &Global) -> Result<Change, Stop> {
    let limit = options.common.max_bytes.unwrap_or(MAX_FILE);
    let closeness = closeness(options.closeness, options.reindent)?;
    let path = options.common.path(global);
    let mut change = match &options.edits {
        Some(list) if options.is_one_edit() => {
            return Err(usage(&format!("{} has all edits; give no other", list.display())));
        }
        Some(list) => listed(path, list, (limit, global))?,
        None => single(path, options, (limit, global))?,
    };
    if let Edit::Replacements(edits) = &mut change.edit {
        edits.order = if options.sequential { EditOrder::InTurn } else { EditOrder::AtOnce };
        edits.closeness = closeness;
    }
    change.is_lenient = options.lenient;
    change.preflight.encoding = options.encoding.as_deref().map(encoding).transpose()?;
    options.common.complete(change, global)
}

/// Returns what `write` asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn write(options: WriteOptions, global: &Global) -> Result<Change, Stop> {
    let contents = options.content.read(&options.common, global)?;
    let path = options.common.path(global);
    let change = if options.overwrite { Change::overwrite(path, contents) } else { Change::write(path, contents) };
    let parents = if options.no_mkdirs { Parents::Required } else { Parents::Made };
    options.common.complete(Change { parents, mode: options.mode, ..change }, global)
}

/// Returns what `append` asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn append(options: AppendOptions, global: &Global) -> Result<Change, Stop> {
    let contents = options.content.read(&options.common, global)?;
    let path = options.common.path(global);
    let mut change = if options.line {
        Change::append_lines(path, contents.into_vec())
    } else {
        Change::append(path, contents.into_vec())
    };
    change.preflight.encoding = options.encoding.as_deref().map(encoding).transpose()?;
    options.common.complete(change, global)
}

impl FileOptions {
    /// Returns the path of the file below the root.
    pub(super) fn path(&self, global: &Global) -> Vec<u8> {
        below(global.root(), &self.file)
    }

    /// Returns `change` with what these options say of any.
    ///
    /// # Errors
    ///
    /// Returns what keeps the run from beginning.
    pub(super) fn complete(&self, change: Change, global: &Global) -> Result<Change, Stop> {
        let limit = self.max_bytes.unwrap_or(MAX_FILE).max(MAX_FILE);
        let expected = match &self.expect_file {
            Some(path) => Some(Sha256::of(&input::text(path, limit, global)?)),
            None => self.expect_hash,
        };
        if expected.is_some() && change.expected.is_some_and(|listed| Some(listed) != expected) {
            return Err(usage("the edits and the options state two digests for one file"));
        }
        let expected = expected.or(change.expected);
        let defaults = change.preflight;
        let preflight = PreflightOptions {
            policy: policy(global)?,
            describe: global.is_described(),
            diff: global.is_described(),
            max_diff: self.diff_max_bytes.unwrap_or(if global.shows_changes() {
                usize::MAX
            } else {
                defaults.max_diff
            }),
            no_large_diff: self.no_large_diff,
            max_file: self.max_bytes.unwrap_or(defaults.max_file),
            idempotent: self.idempotent,
            guards: self.guard.meant(),
            ..defaults
        };
        let transaction = TransactionOptions { links: self.links.links(), ..request::transaction(global) };
        let (approve, commands) = (self.approve.clone(), self.commands.commands(global));
        let diagnostics = self.diagnostics.meant(super::root(global))?;
        let is_dry = self.dry_run;
        Ok(Change { expected, approve, is_dry, preflight, transaction, commands, diagnostics, ..change })
    }
}

impl EditOptions {
    /// Returns the file that is meant.
    pub(super) fn file(&self) -> &Path {
        &self.common.file
    }

    fn is_one_edit(&self) -> bool {
        let texts = self.old.is_some() || self.old_file.is_some() || self.from.is_some();
        texts || self.insert_after.is_some() || self.insert_before.is_some()
    }
}

impl WriteOptions {
    /// Returns the file that is meant.
    pub(super) fn file(&self) -> &Path {
        &self.common.file
    }
}

impl AppendOptions {
    /// Returns the file that is meant.
    pub(super) fn file(&self) -> &Path {
        &self.common.file
    }
}

impl ContentOptions {
    fn read(self, common: &FileOptions, global: &Global) -> Result<Bytes, Stop> {
        match (self.content, self.content_file) {
            (Some(text), _) => Ok(text.into_encoded_bytes().into()),
            // What is over a smaller limit is refused by preflight, which knows the file.
            (None, file) => {
                let limit = common.max_bytes.unwrap_or(MAX_FILE).max(MAX_FILE);
                input::text(file.as_deref().unwrap_or(Path::new("-")), limit, global)
            }
        }
    }
}

/// Returns `file` as a path below `root`, if it is an absolute one that lies there; else as it is.
pub(super) fn below(root: &Path, file: &Path) -> Vec<u8> {
    engine::below(&super::names_of(root), file)
}

/// Returns the one edit that the options name.
fn single(path: Vec<u8>, options: &EditOptions, (limit, global): (u64, &Global)) -> Result<Change, Stop> {
    let bytes = |text: &Option<OsString>, file: &Option<PathBuf>| match (text, file) {
        (Some(text), _) => Ok(Some(text.as_encoded_bytes().to_vec())),
        (None, Some(file)) => input::text(file, limit, global).map(|text| Some(text.into_vec())),
        (None, None) => Ok(None),
    };
    let range = options.from.as_ref().zip(options.to.as_ref());
    let range = range.map(|(from, to)| (from.as_encoded_bytes().to_vec(), to.as_encoded_bytes().to_vec()));
    let mut targets: Vec<Place> = Vec::new();
    targets.extend(bytes(&options.old, &options.old_file)?.map(Place::Old));
    targets.extend(range.map(|(from, to)| Place::Range(from, to)));
    targets.extend(options.insert_after.map(Place::After));
    targets.extend(options.insert_before.map(Place::Before));
    let (Some(place), None) = (targets.pop(), targets.pop()) else {
        return Err(usage("say what to change, once: --old, --from, --insert-after, --insert-before or --edits"));
    };
    let new = bytes(&options.new, &options.new_file)?.ok_or_else(|| usage("--new or --new-file is missing"))?;
    Ok(match place {
        Place::Old(old) if options.all => Change::edit_all(path, old, new),
        Place::Old(old) => Change::edit(path, old, new),
        _ if options.all => return Err(usage("--all needs --old")),
        Place::Range(from, to) => Change::edit_range(path, from, to, new),
        Place::After(line) => Change::insert_after(path, line, new),
        Place::Before(line) => Change::insert_before(path, line, new),
    })
}

/// Where the options say that an edit is.
enum Place {
    Old(Vec<u8>),
    Range(Vec<u8>, Vec<u8>),
    After(usize),
    Before(usize),
}

/// Returns the edits that the file `list` holds.
fn listed(path: Vec<u8>, list: &Path, (limit, global): (u64, &Global)) -> Result<Change, Stop> {
    let bytes = input::text(list, limit.max(MAX_FILE), global)?;
    let name = list.to_string_lossy().into_owned();
    match Change::edit_list(path, &bytes[..]) {
        Ok(change) => Ok(Change { input: Input { name, ..change.input }, ..change }),
        Err(error) => {
            let Position { line, column } = Position::of(&bytes, error.span.start);
            Err(Stop::new(&code::EXPECTED, format!("{name}:{line}:{column}: {error}")))
        }
    }
}

fn encoding(name: &str) -> Result<EncodingChoice, Stop> {
    EncodingChoice::parse(name).map_err(|error| Stop::new(&code::ENCODING, format!("{name}: {error}")))
}

pub(super) fn usage(message: &str) -> Stop {
    Stop::new(&code::USAGE, message.to_owned())
}

/// Reads a digest as reports write it, or without its prefix.
pub(super) fn digest(text: &str) -> Result<Sha256, String> {
    Sha256::parse(text).ok_or_else(|| "expected `sha256:` and 64 hex digits".to_owned())
}

/// Reads one of the two modes that git has for files.
fn mode(text: &str) -> Result<FileMode, String> {
    match text.trim_start_matches('0') {
        "644" => Ok(FileMode::Regular),
        "755" => Ok(FileMode::Executable),
        _ => Err("expected 0644 or 0755".to_owned()),
    }
}
