//! Repairs patches as models make them: what has one certain reading becomes a clean patch for the files as they are.
//!
//! It writes nothing. It reads the files that the patch names, finds the one place of each chunk, and returns the same
//! change as a git diff, which then goes the way of every patch: matched line by line, judged, reported, committed.
//! What has no place, or more than one, is refused and said.
//!
//! To add a repair, add a row of [`Row`], and the reading in `chunk`, `read` or `names` that gives it.

mod chunk;
mod compose;
mod names;
mod place;
mod read;

use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Repair};
use crate::syntax::write::{DiffSide, git_diff};
use crate::text::{Span, is_binary};
use crate::workspace::{Workspace, WorkspaceError};

use compose::compose;
use names::{Named, Names};
use place::Misfit;
use read::{Deed, Section};

/// The repairs, as reports name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Row {
    /// Fences, prose, tags, indentation or a byte order mark around the patch were cut away.
    Wrapping,
    /// Markers of an envelope were written in another way, or were missing.
    Envelope,
    /// The lines of a chunk were counted instead of believing its header.
    Counts,
    /// A chunk was not at its stated line.
    StartLine,
    /// A header said nothing of lines.
    BareHeader,
    /// The first line of a chunk stood on its header.
    GluedHeader,
    /// Lines of context had lost their marker.
    Markers,
    /// Blanks at the ends of lines, or runs of blanks, differed.
    Whitespace,
    /// The chunk stood at another depth, and so do the lines that it adds.
    Indentation,
    /// Typographic dashes, quotes or blanks differed.
    Typography,
    /// Line numbers of a viewer were taken off.
    LineNumbers,
    /// Entities of HTML were turned back.
    Escaped,
    /// The file was found under another name than the patch gives it.
    Name,
    /// Chunks did not come in the order of the file, or shared lines.
    Order,
}

impl Row {
    /// Returns its stable name, and what it says.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Wrapping => ("wrapping", "text around the patch was left out"),
            Self::Envelope => ("envelope", "the markers of the envelope were read as they were meant"),
            Self::Counts => ("counts", "the header of the chunk counted its lines wrongly; they were counted again"),
            Self::StartLine => ("start_line", "the header of the chunk named another line"),
            Self::BareHeader => ("bare_header", "the header of the chunk named no lines; they were searched"),
            Self::GluedHeader => ("glued_header", "the first line of the chunk stood on its header"),
            Self::Markers => ("markers", "lines had lost the blank or sign that they begin with"),
            Self::Whitespace => ("whitespace", "blanks differ in lines that stay; those of the file were kept"),
            Self::Indentation => ("indentation", "the chunk stands at another depth in the file; so do its new lines"),
            Self::Typography => {
                ("typography", "dashes, quotes or blanks differ in lines that stay; those of the file were kept")
            }
            Self::LineNumbers => ("line_numbers", "line numbers in front of the lines were taken off"),
            Self::Escaped => ("escaped", "entities of HTML were turned back"),
            Self::Name => ("name", "the file was found under another name than the patch gives"),
            Self::Order => ("order", "the chunks do not come in the order of the file, or share lines"),
        }
    }
}

/// A patch that was repaired.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The same change as a git diff for the files as they are.
    pub text: Vec<u8>,
    /// What was repaired, in the order of the patch; each once for a chunk.
    pub repairs: Vec<Repair>,
}

/// Why a patch cannot be repaired.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What kind of failure it is.
    pub kind: RefusalKind,
    /// The file, where one is known.
    pub path: Option<RelPath>,
    /// Where in the patch.
    pub span: Span,
    /// What is wrong, in words.
    pub message: String,
    /// Lines of the file, counted from 0, where that is what is wrong.
    pub lines: Vec<usize>,
}

/// The kinds of failure of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// No patch was found.
    NoPatch,
    /// Lines look like a change and belong to none.
    Stray,
    /// A chunk fits nowhere.
    NotFound,
    /// A chunk fits in several places.
    Ambiguous,
    /// It was applied already.
    Applied,
    /// No file has the name, or more than one may be meant.
    Name,
    /// The name leads out of the root.
    Outside,
    /// Two chunks want the same lines.
    Overlap,
    /// The file cannot be read as text.
    Unreadable,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Trail {
    rows: Vec<(usize, Row)>,
    /// Comparisons of lines that were made.
    work: u64,
}

/// Most comparisons of lines for one patch: what needs more is no patch that somebody damaged.
const MOST_WORK: u64 = 100_000_000;

impl Trail {
    fn note(&mut self, row: Row, line: usize) {
        let is_known = |known: &(usize, Row)| *known == (line, row) || row == Row::Wrapping && known.1 == row;
        if !self.rows.iter().rev().take(64).any(is_known) {
            self.rows.push((line, row));
        }
    }

    /// Notes so much work; `false` if it was too much.
    fn charge(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_add(work as u64);
        self.work <= MOST_WORK
    }

    /// Returns one that goes on with the work of this one, and has no rows yet.
    fn tried(&self) -> Self {
        Self { rows: Vec::new(), work: self.work }
    }

    /// Takes the rows and the work of `tried`.
    fn take(&mut self, tried: Self) {
        self.work = tried.work;
        tried.rows.into_iter().for_each(|(line, row)| self.note(row, line));
    }

    fn repairs(mut self) -> Vec<Repair> {
        self.rows.sort_unstable();
        self.rows.dedup();
        let told = |(line, row): (usize, Row)| {
            let (code, message) = row.words();
            Repair { code, line, message }
        };
        self.rows.into_iter().map(told).collect()
    }
}

/// Repairs `text` for the files below the root of `workspace`, which has the absolute name `root`; files of more than
/// `max_file` bytes are not read.
///
/// # Errors
///
/// Returns every reason why it cannot be repaired, or the error of a disk that failed.
pub fn repair(
    text: &[u8],
    workspace: &dyn Workspace,
    root: &[u8],
    max_file: u64,
) -> Result<Result<Repaired, Vec<Refusal>>, WorkspaceError> {
    let mut trail = Trail::default();
    let sections = match read::read(text, &mut trail) {
        Ok(sections) => sections,
        Err(span) => {
            let message = "this belongs to no change that could be read".to_owned();
            return Ok(Err(vec![Refusal { kind: RefusalKind::Stray, path: None, span, message, lines: Vec::new() }]));
        }
    };
    if sections.is_empty() {
        let message = "no patch was found, also not a damaged one".to_owned();
        let span = Span::new(0, 0);
        return Ok(Err(vec![Refusal { kind: RefusalKind::NoPatch, path: None, span, message, lines: Vec::new() }]));
    }
    let (mut out, mut refusals) = (Vec::new(), Vec::new());
    let mut files = Files { names: Names { workspace, root }, max_file, now: Vec::new() };
    for section in &sections {
        if section.is_verbatim {
            out.extend_from_slice(section.span.of(text));
            continue;
        }
        match files.section(section, &mut trail)? {
            Ok(diff) => out.extend(diff),
            Err(mut found) => refusals.append(&mut found),
        }
    }
    if !refusals.is_empty() {
        return Ok(Err(refusals));
    }
    Ok(Ok(Repaired { text: out, repairs: trail.repairs() }))
}

/// The files as the sections so far leave them.
struct Files<'w> {
    names: Names<'w>,
    max_file: u64,
    now: Vec<(RelPath, Found)>,
}

/// A file as it stands.
type Found = Option<(FileMode, Vec<u8>)>;

impl Files<'_> {
    /// Returns the section as a git diff.
    fn section(
        &mut self,
        section: &Section<'_>,
        trail: &mut Trail,
    ) -> Result<Result<Vec<u8>, Vec<Refusal>>, WorkspaceError> {
        let refuse = |kind, path: Option<RelPath>, message: String| {
            Ok(Err(vec![Refusal { kind, path, span: section.span, message, lines: Vec::new() }]))
        };
        let is_known = |path: &RelPath| self.now.iter().any(|(known, found)| known == path && found.is_some());
        let (path, is_other) = match self.names.resolve(section, is_known)? {
            Named::Path(path, is_other) => (path, is_other),
            Named::Outside(name) => return refuse(RefusalKind::Outside, None, format!("{name} leads out of the root")),
            Named::None(name) => return refuse(RefusalKind::Name, None, format!("no file here has the name {name}")),
            Named::Several(name) => {
                return refuse(RefusalKind::Name, None, format!("more than one file may be meant by {name}"));
            }
        };
        if is_other {
            trail.note(Row::Name, section.line);
        }
        let found = match self.load(&path)? {
            Ok(found) => found,
            Err(message) => return refuse(RefusalKind::Unreadable, Some(path), message),
        };
        let target = match section.target.map(|name| self.names.new_path(name)) {
            None => path.clone(),
            Some(Some(target)) => target,
            Some(None) => return refuse(RefusalKind::Outside, Some(path), "the new name leads out of the root".into()),
        };
        let after = match (section.deed, &found) {
            (Deed::Create, _) => {
                let Some(content) = compose::created(section, trail) else {
                    let message = "lines of the new file have no sign, and may be none of it".to_owned();
                    return refuse(RefusalKind::Stray, Some(path), message);
                };
                Some((FileMode::Regular, content))
            }
            (Deed::Delete, Some((_, content))) => {
                if !compose::is_whole(section, content) {
                    return refuse(RefusalKind::NotFound, Some(path), "the file to delete has other contents".into());
                }
                None
            }
            (Deed::Delete | Deed::Update, None) => {
                return refuse(RefusalKind::Name, Some(path), "the file does not exist".into());
            }
            (Deed::Update, Some((mode, content))) => match compose(section, &path, content, trail) {
                Ok(content) => Some((*mode, content)),
                Err(refusals) => return Ok(Err(refusals)),
            },
        };
        Ok(Ok(self.write(section, (&path, found), (&target, after))))
    }

    /// Returns the diff, and notes what the next section finds.
    fn write(
        &mut self,
        section: &Section<'_>,
        (path, found): (&RelPath, Found),
        (target, after): (&RelPath, Found),
    ) -> Vec<u8> {
        // A file that is there already is for the patch itself to refuse.
        let before = found.filter(|_| section.deed != Deed::Create);
        let action = match (path == target, section.deed) {
            (false, _) => Action::Rename,
            (_, Deed::Create) => Action::Create,
            (_, Deed::Delete) => Action::Delete,
            (_, Deed::Update) => Action::Modify,
        };
        let diff = git_diff(action, side(path, before.as_ref()).as_ref(), side(target, after.as_ref()).as_ref());
        self.now.retain(|(known, _)| known != path && known != target);
        if path != target {
            self.now.push((path.clone(), None));
        }
        self.now.push((target.clone(), after));
        diff
    }

    /// Returns the file at `path`, or why it cannot be read.
    fn load(&self, path: &RelPath) -> Result<Result<Found, String>, WorkspaceError> {
        if let Some((_, found)) = self.now.iter().find(|(known, _)| known == path) {
            return Ok(Ok(found.clone()));
        }
        let Some(stat) = self.names.stat(path)? else { return Ok(Ok(None)) };
        if stat.kind != FileKind::Regular {
            return Ok(Err(format!("a {} cannot be repaired for", stat.kind)));
        }
        if stat.size > self.max_file {
            return Ok(Err("the file is larger than --max-file".into()));
        }
        let (content, stat) = self.names.workspace.read(path, self.max_file)?;
        if is_binary(&content) {
            return Ok(Err("the file has binary data".into()));
        }
        let mode = if stat.permissions & 0o100 != 0 { FileMode::Executable } else { FileMode::Regular };
        Ok(Ok(Some((mode, content))))
    }
}

/// Returns one side of a diff.
fn side<'f>(path: &'f RelPath, found: Option<&'f (FileMode, Vec<u8>)>) -> Option<DiffSide<'f>> {
    found.map(|(mode, content)| DiffSide { path, mode: *mode, content, blob: "" })
}

/// Says why a chunk has no place.
fn refusal(path: &RelPath, span: Span, number: usize, misfit: Misfit) -> Refusal {
    let at = |lines: &[usize]| lines.iter().map(|line| (line + 1).to_string()).collect::<Vec<_>>().join(", ");
    let (kind, message, lines) = match misfit {
        Misfit::NotFound => {
            (RefusalKind::NotFound, format!("chunk {number} fits nowhere, in none of its readings"), Vec::new())
        }
        Misfit::Ambiguous(lines) => {
            (RefusalKind::Ambiguous, format!("chunk {number} fits at lines {}, and nothing decides", at(&lines)), lines)
        }
        Misfit::Applied(line) => {
            (RefusalKind::Applied, format!("what chunk {number} makes stands at line {} already", line + 1), vec![line])
        }
        Misfit::Depth(line) => {
            let message =
                format!("chunk {number} fits at line {}, but at another depth than it is written at", line + 1);
            (RefusalKind::NotFound, message, vec![line])
        }
        Misfit::Overlap => {
            (RefusalKind::Overlap, format!("chunk {number} changes lines that another one changes"), Vec::new())
        }
        Misfit::Elided => {
            (RefusalKind::Stray, format!("chunk {number} would write a line that stands for others"), Vec::new())
        }
        Misfit::TooMuch => {
            (RefusalKind::Unreadable, format!("chunk {number} would take too long to search"), Vec::new())
        }
        Misfit::Nothing => (RefusalKind::NotFound, format!("chunk {number} changes nothing"), Vec::new()),
    };
    Refusal { kind, path: Some(path.clone()), span, message, lines }
}
