//! The editing commands: their options, and what they ask the engine for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::Global;
use super::closeness::{How, closeness};
use super::file_options::FileOptions;
use super::{Stop, Task, input};
use crate::engine::options::{Edit, EditOrder, MAX_FILE, code};
use crate::engine::{Parents, Request, What};
use crate::mode::FileMode;
use crate::text::{Bytes, EncodingChoice, Position};

/// The options of `edit`.
#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
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
    #[arg(
        long,
        value_name = "TEXT",
        requires = "from",
        allow_hyphen_values = true
    )]
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
    /// Encoding of the file and of all texts in it, as in gb18030; auto finds out [default: bytes
    /// as they are]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Indent the new text as what it replaces; needs --match ladder
    #[arg(long, requires = "closeness")]
    reindent: bool,
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
    /// Encoding of the file, to which the text is converted from UTF-8; auto finds out [default:
    /// bytes as they are]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

/// Returns what `edit` asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn edit(options: &EditOptions, global: &Global) -> Result<(Task, Request), Stop> {
    let limit = options.common.max_bytes.unwrap_or(MAX_FILE);
    let closeness = closeness(options.closeness, options.reindent)?;
    let path = options.common.path(global);
    let mut request = match &options.edits {
        Some(list) if options.is_one_edit() => {
            return Err(Stop::usage(&format!(
                "{} has all edits; give no other",
                list.display()
            )));
        }
        Some(list) => listed(path, list, (limit, global))?,
        None => single(path, options, (limit, global))?,
    };
    if let What::Edit(edit) = &mut request.what
        && let Edit::Replacements(edits) = &mut edit.edit
    {
        edits.order = if options.sequential {
            EditOrder::InTurn
        } else {
            EditOrder::AtOnce
        };
        edits.closeness = closeness;
    }
    request.decide.lenient = options.lenient;
    request.decide.encoding = options.encoding.as_deref().map(encoding).transpose()?;
    options.common.complete(request, global)
}

/// Returns what `write` asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn write(options: WriteOptions, global: &Global) -> Result<(Task, Request), Stop> {
    let contents = options.content.read(&options.common, global)?;
    let path = options.common.path(global);
    let mut request = if options.overwrite {
        Request::overwrite(path, contents)
    } else {
        Request::write(path, contents)
    };
    if let What::Edit(edit) = &mut request.what {
        edit.parents = if options.no_mkdirs {
            Parents::Required
        } else {
            Parents::Made
        };
        edit.mode = options.mode;
    }
    options.common.complete(request, global)
}

/// Returns what `append` asks for.
///
/// # Errors
///
/// Returns what keeps the run from beginning.
pub(super) fn append(options: AppendOptions, global: &Global) -> Result<(Task, Request), Stop> {
    let contents = options.content.read(&options.common, global)?;
    let path = options.common.path(global);
    let mut request = if options.line {
        Request::append_lines(path, contents.into_vec())
    } else {
        Request::append(path, contents.into_vec())
    };
    request.decide.encoding = options.encoding.as_deref().map(encoding).transpose()?;
    options.common.complete(request, global)
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

/// Returns the one edit that the options name.
fn single(
    path: Vec<u8>,
    options: &EditOptions,
    (limit, global): (u64, &Global),
) -> Result<Request, Stop> {
    let bytes = |text: &Option<OsString>, file: &Option<PathBuf>| match (text, file) {
        (Some(text), _) => Ok(Some(text.as_encoded_bytes().to_vec())),
        (None, Some(file)) => input::text(file, limit, global).map(|text| Some(text.into_vec())),
        (None, None) => Ok(None),
    };
    let range = options.from.as_ref().zip(options.to.as_ref());
    let range = range.map(|(from, to)| {
        (
            from.as_encoded_bytes().to_vec(),
            to.as_encoded_bytes().to_vec(),
        )
    });
    let mut targets: Vec<Place> = Vec::new();
    targets.extend(bytes(&options.old, &options.old_file)?.map(Place::Old));
    targets.extend(range.map(|(from, to)| Place::Range(from, to)));
    targets.extend(options.insert_after.map(Place::After));
    targets.extend(options.insert_before.map(Place::Before));
    let (Some(place), None) = (targets.pop(), targets.pop()) else {
        return Err(Stop::usage(
            "say what to change, once: --old, --from, --insert-after, --insert-before or --edits",
        ));
    };
    let new = bytes(&options.new, &options.new_file)?
        .ok_or_else(|| Stop::usage("--new or --new-file is missing"))?;
    Ok(match place {
        Place::Old(old) if options.all => Request::edit_all(path, old, new),
        Place::Old(old) => Request::edit(path, old, new),
        _ if options.all => return Err(Stop::usage("--all needs --old")),
        Place::Range(from, to) => Request::edit_range(path, from, to, new),
        Place::After(line) => Request::insert_after(path, line, new),
        Place::Before(line) => Request::insert_before(path, line, new),
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
fn listed(path: Vec<u8>, list: &Path, (limit, global): (u64, &Global)) -> Result<Request, Stop> {
    let bytes = input::text(list, limit.max(MAX_FILE), global)?;
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
            Err(Stop::new(
                &code::EXPECTED,
                format!("{name}:{line}:{column}: {error}"),
            ))
        }
    }
}

fn encoding(name: &str) -> Result<EncodingChoice, Stop> {
    EncodingChoice::parse(name)
        .map_err(|error| Stop::new(&code::ENCODING, format!("{name}: {error}")))
}

/// Reads one of the two modes that git has for files.
fn mode(text: &str) -> Result<FileMode, String> {
    match text.trim_start_matches('0') {
        "644" => Ok(FileMode::Regular),
        "755" => Ok(FileMode::Executable),
        _ => Err("expected 0644 or 0755".to_owned()),
    }
}
