//! What a plan is kept as: all that a request asks for which decides what comes of it, written down and read again.

use serde::{Deserialize, Serialize};

use super::{Lenience, Request, Series, WhitespaceRequest};
use crate::digest::Sha256;
use crate::guard::GUARDS;
use crate::plan::{Closeness, Direction, Filter, Listed, Selection};
use crate::preflight::{Options as PreflightOptions, WhitespaceAction};
use crate::syntax;
use crate::transaction::history::plans::Kept;
use crate::transaction::{self, Links};

/// A line of a list: its number, the strip level, and whether the patch is undone.
type Entry = (usize, usize, bool);

/// What a request asks for that decides what comes of it, as it is written down; the patches stand behind it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub(super) struct Wish {
    /// What would be done to which file, for people.
    pub(super) files: Vec<(String, String)>,
    /// The name and the length of each patch.
    patches: Vec<(String, usize)>,
    /// The list that names them.
    series: Option<(String, Vec<Entry>)>,
    format: String,
    recount: bool,
    max_files: usize,
    max_hunks: usize,
    forgiving: bool,
    #[serde(default)]
    strict_input: bool,
    allow_empty: bool,
    no_add: bool,
    allow_overlap: bool,
    lenient: Option<Vec<u8>>,
    relocate: bool,
    strip: Option<usize>,
    below: Option<Vec<u8>>,
    directory: Vec<u8>,
    filters: Vec<(bool, String)>,
    reverse: bool,
    file: Option<Vec<u8>>,
    expected: Option<String>,
    only: Option<String>,
    roots: Vec<Vec<u8>>,
    /// How closely texts and lines have to fit.
    closeness: (u8, u8),
    context: usize,
    fuzz: usize,
    zero_context: bool,
    ignore_whitespace: Option<bool>,
    /// The action, where one was asked for.
    whitespace: Option<String>,
    inaccurate_eof: bool,
    unique: bool,
    overwrite: bool,
    reject: bool,
    idempotent: bool,
    in_place: bool,
    max_file: u64,
    max_ratio: u64,
    max_growth: u64,
    guards: Vec<String>,
}

/// How closely something fits, by its place here.
const CLOSENESS: [Closeness; 3] = [Closeness::Exact, Closeness::Ladder, Closeness::Reindented];

fn rank(closeness: Closeness) -> u8 {
    CLOSENESS.iter().position(|known| *known == closeness).and_then(|rank| u8::try_from(rank).ok()).unwrap_or_default()
}

impl Wish {
    pub(super) fn of(request: &Request) -> Self {
        let Request { selection, preflight, syntax, .. } = request;
        let rules = &preflight.rules;
        Self {
            files: Vec::new(),
            patches: request.patches.iter().map(|(name, text)| (name.clone(), text.len())).collect(),
            series: request.series.as_ref().map(listed),
            format: request.format.clone(),
            recount: syntax.recount,
            max_files: syntax.max_files,
            max_hunks: syntax.max_hunks,
            forgiving: syntax.lenient,
            strict_input: syntax.strict_input,
            allow_empty: syntax.allow_empty,
            no_add: rules.no_add,
            allow_overlap: rules.allow_overlap,
            lenient: request.lenience.as_ref().map(|lenience| lenience.root.clone()),
            relocate: request.relocate,
            strip: selection.strip,
            below: selection.below.clone(),
            directory: selection.directory.clone(),
            filters: selection.filters.iter().map(|it| (it.takes, it.pattern.glob().glob().to_owned())).collect(),
            reverse: is_reverse(selection.direction),
            file: selection.file.clone(),
            expected: selection.expected.map(|digest| digest.to_string()),
            only: selection.only.as_ref().map(ToString::to_string),
            roots: selection.roots.clone(),
            closeness: (rank(selection.closeness), rank(rules.closeness)),
            context: rules.context,
            fuzz: rules.fuzz,
            zero_context: rules.zero_context,
            ignore_whitespace: request.whitespace.ignores,
            whitespace: request.whitespace.action.map(|action| action.name().to_owned()),
            inaccurate_eof: rules.inaccurate_eof,
            unique: rules.unique,
            overwrite: preflight.overwrite,
            reject: preflight.reject,
            idempotent: preflight.idempotent,
            in_place: request.transaction.links == Links::Kept,
            max_file: preflight.max_file,
            max_ratio: preflight.max_ratio,
            max_growth: preflight.max_growth,
            guards: preflight.guards.iter().map(|guard| guard.name.to_owned()).collect(),
        }
    }

    /// Returns what `kept` says, and the patches.
    pub(super) fn read(kept: &Kept) -> Option<(Self, &[u8])> {
        let end = memchr::memchr(b'\n', &kept.bytes)?;
        Some((serde_json::from_slice(&kept.bytes[..end]).ok()?, &kept.bytes[end + 1..]))
    }

    fn selection(&self) -> Option<Selection> {
        let filter = |(takes, pattern): &(bool, String)| Filter::new(*takes, pattern).ok();
        Some(Selection {
            strip: self.strip,
            below: self.below.clone(),
            directory: self.directory.clone(),
            filters: self.filters.iter().map(filter).collect::<Option<_>>()?,
            direction: direction(self.reverse),
            file: self.file.clone(),
            expected: self.expected.as_deref().map(|digest| Sha256::parse(digest).ok_or(())).transpose().ok()?,
            only: self.only.as_deref().map(str::parse).transpose().ok()?,
            closeness: *CLOSENESS.get(usize::from(self.closeness.0))?,
            roots: self.roots.clone(),
        })
    }
}

fn is_reverse(direction: Direction) -> bool {
    direction == Direction::Reverse
}

fn direction(is_reverse: bool) -> Direction {
    if is_reverse { Direction::Reverse } else { Direction::Forward }
}

fn listed(series: &Series) -> (String, Vec<Entry>) {
    let entry = |listed: &Listed| (listed.line, listed.strip, is_reverse(listed.direction));
    (series.name.clone(), series.entries.iter().map(entry).collect())
}

fn series((name, all): &(String, Vec<Entry>)) -> Series {
    let entry = |&(line, strip, reverse): &Entry| Listed { line, strip, direction: direction(reverse) };
    Series { name: name.clone(), entries: all.iter().map(entry).collect() }
}

/// Returns the request that was saved as `kept`, all else as it is `usual`; `None` if that does not say what it has to.
pub(super) fn restored(usual: Request, kept: &Kept) -> Option<Request> {
    let (wish, mut rest) = Wish::read(kept)?;
    let mut patches = Vec::new();
    for (name, length) in &wish.patches {
        let (text, others) = rest.split_at_checked(*length)?;
        patches.push((name.clone(), text.into()));
        rest = others;
    }
    if !rest.is_empty() {
        return None;
    }
    let mut preflight = usual.preflight;
    preflight.rules.closeness = *CLOSENESS.get(usize::from(wish.closeness.1))?;
    preflight.rules.context = wish.context;
    preflight.rules.fuzz = wish.fuzz;
    preflight.rules.zero_context = wish.zero_context;
    preflight.rules.inaccurate_eof = wish.inaccurate_eof;
    preflight.rules.no_add = wish.no_add;
    preflight.rules.allow_overlap = wish.allow_overlap;
    let action = wish.whitespace.as_ref().map(|name| WhitespaceAction::named(name.as_bytes()).ok_or(()));
    let action = action.transpose().ok()?;
    let whitespace = WhitespaceRequest { action, ignores: wish.ignore_whitespace, ..usual.whitespace };
    preflight.rules.unique = wish.unique;
    preflight.guards = GUARDS.iter().filter(|guard| wish.guards.iter().any(|name| name == guard.name)).collect();
    let (overwrite, idempotent, reject) = (wish.overwrite, wish.idempotent, wish.reject);
    let (max_file, max_ratio, max_growth) = (wish.max_file, wish.max_ratio, wish.max_growth);
    let links = if wish.in_place { Links::Kept } else { Links::Parted };
    Some(Request {
        patches,
        series: wish.series.as_ref().map(series),
        selection: wish.selection()?,
        syntax: syntax::Options {
            recount: wish.recount,
            lenient: wish.forgiving,
            strict_input: wish.strict_input,
            allow_empty: wish.allow_empty,
            max_files: wish.max_files,
            max_hunks: wish.max_hunks,
            ..usual.syntax
        },
        preflight: PreflightOptions { overwrite, max_file, max_ratio, max_growth, reject, idempotent, ..preflight },
        transaction: transaction::Options { links, ..usual.transaction },
        lenience: wish.lenient.map(|root| Lenience { root }),
        relocate: wish.relocate,
        whitespace,
        format: wish.format,
        ..usual
    })
}
