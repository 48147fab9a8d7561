//! The editing commands `edit`, `write` and `append`: their options and requests.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::Global;
use super::file_options::FileOptions;
use super::match_mode::{MatchArg, match_mode};
use super::{CommandMode, EarlyExit, input};
use crate::engine::options::{Edit, EditOrder, MAX_FILE, SymbolAction, SymbolName, code};
use crate::engine::{MissingParents, Request, What};
use crate::mode::FileMode;
use crate::text::{Bytes, EncodingChoice, Position};

/// The options of `edit`.
#[derive(Clone, Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct EditOptions {
    #[command(flatten)]
    pub(super) common: FileOptions,
    /// Replace TEXT, which must occur exactly once without --all
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old: Option<OsString>,
    /// Read the old text from FILE
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    old_file: Option<PathBuf>,
    /// Use TEXT as the new text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    new: Option<OsString>,
    /// Read the new text from FILE
    #[arg(long, value_name = "FILE", conflicts_with = "new")]
    new_file: Option<PathBuf>,
    /// Read a list of edits from the JSON file FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["new", "new_file", "all"])]
    edits: Option<PathBuf>,
    /// Insert the new text after line LINE, or at the start of the file for 0
    #[arg(long, value_name = "LINE")]
    insert_after: Option<usize>,
    /// Insert the new text before line LINE
    #[arg(long, value_name = "LINE")]
    insert_before: Option<NonZero<usize>>,
    /// Replace the range that starts with TEXT; needs --to
    #[arg(long, value_name = "TEXT", requires = "to", allow_hyphen_values = true)]
    from: Option<OsString>,
    /// Replace the range that ends with TEXT; needs --from
    #[arg(
        long,
        value_name = "TEXT",
        requires = "from",
        allow_hyphen_values = true
    )]
    to: Option<OsString>,
    /// Replace the function, class or other symbol NAME, such as `Class.method`
    ///
    /// NAME must denote exactly one symbol. The names of its containers can precede it, separated
    /// by `.`, `::` or `#`; `.` or `::` at the start means the top level of the file. NAME:LINE
    /// denotes the symbol whose name, comments or attributes are on line LINE. A symbol includes
    /// its attributes and the comments directly above it.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["match_mode", "reindent", "all"])]
    symbol: Option<SymbolName>,
    /// Insert the new text next to the symbol [default: replace the symbol]
    #[arg(long, value_name = "WHERE", value_enum, requires = "symbol")]
    place: Option<PlaceArg>,
    /// Delete the symbol, and the blank lines that separate it
    #[arg(long, requires = "symbol", conflicts_with_all = ["new", "new_file", "place"])]
    delete: bool,
    /// Replace all occurrences of the old text
    #[arg(long)]
    all: bool,
    /// Apply each edit of the list to the result of the previous edits
    #[arg(long, requires = "edits")]
    sequential: bool,
    /// Set how closely the old text must match [default: exact]
    #[arg(long = "match", value_name = "HOW", value_enum)]
    match_mode: Option<MatchArg>,
    /// Repair an old text with typical mistakes of models, if it has only one meaning
    #[arg(long)]
    lenient: bool,
    /// Set the encoding of the file and of all texts, such as gb18030 [default: compare bytes]
    ///
    /// `auto` detects the encoding.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Indent the new text like the text it replaces; needs --match ladder
    #[arg(long, requires = "match_mode")]
    reindent: bool,
}

/// The place of a new text next to a symbol.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PlaceArg {
    /// Before the symbol and its comments
    Before,
    /// After the symbol
    After,
}

/// The source of the content.
#[derive(Clone, Debug, Args)]
struct ContentOptions {
    /// Use TEXT as the content [default: read standard input]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<OsString>,
    /// Read the content from FILE
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    content_file: Option<PathBuf>,
}

/// The options of `write`.
#[derive(Clone, Debug, Args)]
pub(super) struct WriteOptions {
    #[command(flatten)]
    pub(super) common: FileOptions,
    #[command(flatten)]
    content: ContentOptions,
    /// Replace an existing file
    #[arg(long)]
    overwrite: bool,
    /// Refuse to create directories
    #[arg(long)]
    no_mkdirs: bool,
    /// Set the mode of the file: 0644 or 0755
    #[arg(long, value_parser = parse_mode)]
    mode: Option<FileMode>,
}

/// The options of `append`.
#[derive(Clone, Debug, Args)]
pub(super) struct AppendOptions {
    #[command(flatten)]
    pub(super) common: FileOptions,
    #[command(flatten)]
    content: ContentOptions,
    /// Add the text as separate lines
    #[arg(long)]
    line: bool,
    /// Convert the text from UTF-8 to the encoding NAME [default: append bytes unchanged]
    ///
    /// `auto` detects the encoding of the file.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

/// Returns the request of `edit`.
///
/// # Errors
///
/// Returns an error if the options contradict each other or if a file cannot be read.
pub(super) fn build_edit(
    options: &EditOptions,
    global: &Global,
) -> Result<(CommandMode, Request), EarlyExit> {
    let limit = options.common.max_bytes.unwrap_or(MAX_FILE);
    let match_mode = match_mode(options.match_mode, options.reindent)?;
    let path = options.common.path(global);
    let mut request = match &options.edits {
        Some(list) if options.is_one_edit() => {
            return Err(EarlyExit::usage(&format!(
                "{} contains all edits and cannot be combined with other edits",
                list.display()
            )));
        }
        Some(list) => list_request(path, list, (limit, global))?,
        None => edit_request(path, options, (limit, global))?,
    };
    if let What::Edit(edit) = &mut request.what
        && let Edit::Replacements(edits) = &mut edit.edit
    {
        edits.order = if options.sequential {
            EditOrder::Sequential
        } else {
            EditOrder::Simultaneous
        };
        edits.match_mode = match_mode;
    }
    request.decide.lenient = options.lenient;
    request.decide.encoding = options
        .encoding
        .as_deref()
        .map(parse_encoding)
        .transpose()?;
    options.common.complete(request, global)
}

/// Returns the request of `write`.
///
/// # Errors
///
/// Returns an error if the content cannot be read or the options are invalid.
pub(super) fn build_write(
    options: WriteOptions,
    global: &Global,
) -> Result<(CommandMode, Request), EarlyExit> {
    let contents = options.content.read(&options.common, global)?;
    let path = options.common.path(global);
    let mut request = if options.overwrite {
        Request::overwrite(path, contents)
    } else {
        Request::write(path, contents)
    };
    if let What::Edit(edit) = &mut request.what {
        edit.parents = if options.no_mkdirs {
            MissingParents::Refuse
        } else {
            MissingParents::Create
        };
        edit.mode = options.mode;
    }
    options.common.complete(request, global)
}

/// Returns the request of `append`.
///
/// # Errors
///
/// Returns an error if the content cannot be read or the options are invalid.
pub(super) fn build_append(
    options: AppendOptions,
    global: &Global,
) -> Result<(CommandMode, Request), EarlyExit> {
    let contents = options.content.read(&options.common, global)?;
    let path = options.common.path(global);
    let mut request = if options.line {
        Request::append_lines(path, contents.into_vec())
    } else {
        Request::append(path, contents.into_vec())
    };
    request.decide.encoding = options
        .encoding
        .as_deref()
        .map(parse_encoding)
        .transpose()?;
    options.common.complete(request, global)
}

impl EditOptions {
    /// Returns the file to edit.
    pub(super) fn file(&self) -> &Path {
        &self.common.file
    }

    fn symbol_action(&self) -> SymbolAction {
        match self.place {
            Some(PlaceArg::Before) => SymbolAction::InsertBefore,
            Some(PlaceArg::After) => SymbolAction::InsertAfter,
            None if self.delete => SymbolAction::Delete,
            None => SymbolAction::Replace,
        }
    }

    fn is_one_edit(&self) -> bool {
        let texts = self.old.is_some() || self.old_file.is_some() || self.from.is_some();
        let lines = self.insert_after.is_some() || self.insert_before.is_some();
        texts || lines || self.symbol.is_some()
    }
}

impl WriteOptions {
    /// Returns the file to write.
    pub(super) fn file(&self) -> &Path {
        &self.common.file
    }
}

impl AppendOptions {
    /// Returns the file to append to.
    pub(super) fn file(&self) -> &Path {
        &self.common.file
    }
}

impl ContentOptions {
    fn read(self, common: &FileOptions, global: &Global) -> Result<Bytes, EarlyExit> {
        match (self.content, self.content_file) {
            (Some(text), _) => Ok(text.into_encoded_bytes().into()),
            // Read more than a lower `--max-bytes` allows. Preflight then refuses the content, and
            // its report contains the path of the file.
            (None, file) => {
                let limit = common.max_bytes.unwrap_or(MAX_FILE).max(MAX_FILE);
                input::read_text(file.as_deref().unwrap_or(Path::new("-")), limit, global)
            }
        }
    }
}

/// Returns the request with the single edit that the options describe.
fn edit_request(
    path: Vec<u8>,
    options: &EditOptions,
    (limit, global): (u64, &Global),
) -> Result<Request, EarlyExit> {
    let bytes = |text: &Option<OsString>, file: &Option<PathBuf>| match (text, file) {
        (Some(text), _) => Ok(Some(text.as_encoded_bytes().to_vec())),
        (None, Some(file)) => {
            input::read_text(file, limit, global).map(|text| Some(text.into_vec()))
        }
        (None, None) => Ok(None),
    };
    let range = options.from.as_ref().zip(options.to.as_ref());
    let range = range.map(|(from, to)| {
        (
            from.as_encoded_bytes().to_vec(),
            to.as_encoded_bytes().to_vec(),
        )
    });
    let mut targets: Vec<EditPosition> = Vec::new();
    targets.extend(bytes(&options.old, &options.old_file)?.map(EditPosition::OldText));
    targets.extend(range.map(|(from, to)| EditPosition::Range(from, to)));
    targets.extend(options.insert_after.map(EditPosition::After));
    targets.extend(
        options
            .insert_before
            .map(NonZero::get)
            .map(EditPosition::Before),
    );
    targets.extend(options.symbol.clone().map(EditPosition::Symbol));
    let (Some(place), None) = (targets.pop(), targets.pop()) else {
        return Err(EarlyExit::usage(
            "expected exactly one of --old, --from, --insert-after, --insert-before, --symbol and \
             --edits",
        ));
    };
    let new = bytes(&options.new, &options.new_file)?
        .or_else(|| options.delete.then(Vec::new))
        .ok_or_else(|| EarlyExit::usage("--new or --new-file is missing"))?;
    Ok(match place {
        EditPosition::OldText(old) if options.all => Request::edit_all(path, old, new),
        EditPosition::OldText(old) => Request::edit(path, old, new),
        _ if options.all => return Err(EarlyExit::usage("--all needs --old")),
        EditPosition::Range(from, to) => Request::edit_range(path, from, to, new),
        EditPosition::After(line) => Request::insert_after(path, line, new),
        EditPosition::Before(line) => Request::insert_before(path, line, new),
        EditPosition::Symbol(name) => {
            Request::edit_symbol(path, name, options.symbol_action(), new)
        }
    })
}

/// The position of the edit that the options name.
enum EditPosition {
    OldText(Vec<u8>),
    Range(Vec<u8>, Vec<u8>),
    After(usize),
    Before(usize),
    Symbol(SymbolName),
}

/// Returns the request with the edits in the JSON file `list`.
fn list_request(
    path: Vec<u8>,
    list: &Path,
    (limit, global): (u64, &Global),
) -> Result<Request, EarlyExit> {
    let bytes = input::read_text(list, limit.max(MAX_FILE), global)?;
    let name = list.to_string_lossy().into_owned();
    match Request::edit_list(path, &bytes[..]) {
        Ok(mut request) => {
            if let What::Edit(edit) = &mut request.what {
                edit.input.name = name;
            }
            Ok(request)
        }
        Err(error) => {
            let Position { line, column } = Position::of(&bytes, error.span.start);
            Err(EarlyExit::new(
                &code::EXPECTED,
                format!("{name}:{line}:{column}: {error}"),
            ))
        }
    }
}

fn parse_encoding(name: &str) -> Result<EncodingChoice, EarlyExit> {
    EncodingChoice::parse(name)
        .map_err(|error| EarlyExit::new(&code::ENCODING, format!("{name}: {error}")))
}

/// Parses one of git's two modes for regular files.
fn parse_mode(text: &str) -> Result<FileMode, String> {
    match text.trim_start_matches('0') {
        "644" => Ok(FileMode::Regular),
        "755" => Ok(FileMode::Executable),
        _ => Err("expected 0644 or 0755".to_owned()),
    }
}
