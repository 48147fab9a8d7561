//! What git says where it does not apply a patch, and how far it is: scripts look for these words.
//!
//! To add words for a problem, write a row of [`WORDS`].

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::iter;

use crate::engine::Outcome;
use crate::engine::options::{Code, Input, Problem, Severity, SyntaxErrorKind, code};
use crate::path::RelPath;
use crate::report::{self, FileReport, Op};
use crate::text::printable;

/// How much is said in git's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// Why a patch does not apply.
    Refusals,
    /// What is done with each file, too (`--verbose`).
    Progress,
}

/// The last line on a file whose contents do not fit.
const UNFIT: &str = "{old}: patch does not apply";

/// What is said of a file for each code: usually, and where git's index counts. `{old}` is its name before, `{new}` the one
/// afterwards, `{blob}` the one that the patch was made for.
const WORDS: &[(Code, &[&str], &[&str])] = &[
    (code::MISSING, &["{old}: No such file or directory"], &["{old}: does not exist in index"]),
    (code::NOT_A_DIRECTORY, &["{old}: Not a directory"], &["{old}: Not a directory"]),
    (code::EXISTS, &["{new}: already exists in working directory"], &["{new}: already exists in index"]),
    (code::NOT_A_FILE, &["{old}: wrong type"], &["{old}: wrong type"]),
    (code::WRONG_TYPE, &["{old}: wrong type"], &["{old}: wrong type"]),
    (code::NOT_AS_INDEXED, &["{old}: does not match index"], &["{old}: does not match index"]),
    (code::CLOSED, &["invalid path '{new}'"], &["invalid path '{new}'"]),
    (code::OUTSIDE_ROOT, &["invalid path '{new}'"], &["invalid path '{new}'"]),
    (code::NOT_EMPTIED, &["removal patch leaves file contents", UNFIT], &["removal patch leaves file contents", UNFIT]),
    (
        code::NO_BLOB,
        &["sha1 information is lacking or useless ({old})."],
        &["sha1 information is lacking or useless ({old})."],
    ),
    (code::NO_BINARY_DATA, &[NO_INDEX_LINE, UNFIT], &[NO_INDEX_LINE, UNFIT]),
    (code::WRONG_BLOB, &[OTHER_BLOB, UNFIT], &[OTHER_BLOB, UNFIT]),
    (code::BINARY_DATA, &[DAMAGED, UNFIT], &[DAMAGED, UNFIT]),
    (code::IRREVERSIBLE, &[NO_WAY_BACK, UNFIT], &[NO_WAY_BACK, UNFIT]),
    (code::THROUGH_LINK, &[BEYOND, UNFIT], &[BEYOND, UNFIT]),
];

const NO_INDEX_LINE: &str = "cannot apply binary patch to '{old}' without full index line";
const OTHER_BLOB: &str = "the patch applies to '{old}' ({blob}), which does not match the current contents.";
const DAMAGED: &str = "binary patch does not apply to '{old}'";
const NO_WAY_BACK: &str = "cannot reverse-apply a binary patch without the reverse hunk to '{old}'";
const BEYOND: &str = "reading from '{old}' beyond a symbolic link";
const MADE_BEYOND: &str = "affected file '{new}' is beyond a symbolic link";
const NO_PATCH: &str = "No valid patches in input (allow with \"--allow-empty\")";

/// Prints what git would say of `outcome`, and nothing of what git does not know.
///
/// # Security
///
/// Names and lines of patches go through [`printable`].
pub(super) fn print(outcome: &Outcome, speech: Speech, err: &mut dyn Write) -> io::Result<()> {
    let mut lines = Vec::new();
    let problems = by_file(outcome);
    let is_foreign = outcome.inputs.iter().any(is_foreign);
    let speech = if is_foreign { Speech::Refusals } else { speech };
    if let Some(broken) = outcome.problems.iter().find(|problem| is_broken(outcome, problem)) {
        lines.extend(of_text(outcome, broken).into_iter().map(|line| format!("error: {line}")));
    } else {
        for (index, file) in outcome.report.files.iter().enumerate() {
            let problems = problems.get(&index).map_or(&[][..], Vec::as_slice);
            if speech == Speech::Progress && outcome.report.outcome != report::Outcome::Described {
                lines.push(format!("Checking patch {}...", both_names(outcome, file)));
                lines.extend(moved(file));
            }
            let problem = problems.iter().find(|problem| is_told(outcome, problem));
            lines.extend(problem.into_iter().flat_map(|problem| of_file(outcome, file, problem)));
            lines.extend(rejected(problems).filter_map(|hunk| failed(file, hunk)));
        }
    }
    if speech == Speech::Progress && outcome.report.outcome == report::Outcome::Applied {
        lines.extend(
            outcome.report.files.iter().map(|file| format!("Applied patch {} cleanly.", both_names(outcome, file))),
        );
    }
    if outcome.report.outcome == report::Outcome::Partial {
        lines.extend(in_conflict(outcome));
        let all = outcome.report.files.iter().enumerate();
        let all = all.filter_map(|(index, file)| Some((file, problems.get(&index)?)));
        lines.extend(all.flat_map(|(file, problems)| in_part(file, problems)));
    }
    lines.iter().try_for_each(|line| writeln!(err, "{line}"))
}

/// Names the files that have conflicts in them now.
fn in_conflict(outcome: &Outcome) -> impl Iterator<Item = String> {
    let has_conflict = |file: &&FileReport| file.merge.as_ref().is_some_and(|merge| !merge.conflicts.is_empty());
    let files = outcome.report.files.iter().filter(has_conflict);
    let name = |file: &FileReport| printable(file.path.as_bytes()).to_string();
    let applied = files.clone().map(move |file| format!("Applied patch to '{}' with conflicts.", name(file)));
    applied.chain(files.map(move |file| format!("U {}", name(file))))
}

/// Returns the problems of each file, by its index.
fn by_file(outcome: &Outcome) -> HashMap<usize, Vec<&Problem>> {
    let mut by_file: HashMap<_, Vec<_>> = HashMap::new();
    for problem in &outcome.problems {
        if let Some(file) = problem.operation {
            by_file.entry(file).or_default().push(problem);
        }
    }
    by_file
}

/// Returns the hunks that are rejected by the problems of a file.
fn rejected(problems: &[&Problem]) -> impl Iterator<Item = usize> {
    problems.iter().filter(|problem| problem.severity == Severity::Reject).filter_map(|problem| problem.hunk)
}

/// Says which hunks of a file went to its rejects.
fn in_part(file: &FileReport, problems: &[&Problem]) -> Vec<String> {
    let rejected: BTreeSet<_> = rejected(problems).collect();
    let count = rejected.len();
    if count == 0 {
        return Vec::new();
    }
    let plural = if count == 1 { "" } else { "s" };
    let head = format!("Applying patch {} with {count} reject{plural}...", printable(file.path.as_bytes()));
    let hunks = (0..file.hunks.len()).map(|hunk| {
        let number = hunk + 1;
        if rejected.contains(&hunk) {
            format!("Rejected hunk #{number}.")
        } else {
            format!("Hunk #{number} applied cleanly.")
        }
    });
    iter::once(head).chain(hunks).collect()
}

/// Names the place of a hunk that fails.
fn failed(file: &FileReport, hunk: usize) -> Option<String> {
    let old = printable(file.from.as_ref().unwrap_or(&file.path).as_bytes());
    Some(format!("error: patch failed: {old}:{}", file.hunks.get(hunk)?.patch.old_start?))
}

/// Returns whether git's words have the place and the reason of `problem`, or the line there shows it by itself, so that
/// ours would say no more.
pub(super) fn says_all(outcome: &Outcome, problem: &Problem) -> bool {
    let whole =
        [SyntaxErrorKind::LONE_HUNK, SyntaxErrorKind::NO_HUNK, SyntaxErrorKind::NO_METHOD, SyntaxErrorKind::ONE_NAME];
    let is_whole = |mistake: &SyntaxErrorKind| {
        let is_plain = matches!(mistake, &SyntaxErrorKind::Mode | &SyntaxErrorKind::NumberTooLarge);
        whole.contains(mistake) || is_plain
    };
    let file = problem.operation.and_then(|index| outcome.report.files.get(index));
    let is_whole =
        problem.facts.mistake.as_ref().is_some_and(is_whole) || file.is_some_and(|file| is_made_beyond(file, problem));
    is_told(outcome, problem) && is_whole
}

/// Returns whether a file would come to a place behind a symbolic link.
fn is_made_beyond(file: &FileReport, problem: &Problem) -> bool {
    *problem.code == code::THROUGH_LINK && matches!(file.op, Op::Create | Op::Rename | Op::Copy)
}

/// Returns whether `problem` keeps a patch of lines from applying.
fn is_told(outcome: &Outcome, problem: &Problem) -> bool {
    let input = problem.place.and_then(|(input, _)| outcome.inputs.get(input)).or(outcome.inputs.first());
    problem.severity == Severity::Error && !input.is_some_and(is_foreign)
}

/// Returns whether a patch is in a grammar that git does not know.
fn is_foreign(input: &Input) -> bool {
    !input.formats.is_empty() && !input.formats.iter().any(|name| matches!(*name, "git" | "unified"))
}

/// Returns whether `problem` is about the text of a patch, behind which git does not read on.
fn is_broken(outcome: &Outcome, problem: &Problem) -> bool {
    problem.operation.is_none() && is_told(outcome, problem) && !of_text(outcome, problem).is_empty()
}

/// Returns what is said of a text that cannot be read.
fn of_text(outcome: &Outcome, problem: &Problem) -> Vec<String> {
    let text = Text::of(outcome, problem);
    let line = match (problem.code, problem.facts.mistake.as_ref()) {
        (&code::NO_PATCH | &code::UNSUPPORTED_FORM | &code::ED_SCRIPT | &code::UNNAMED, _) => NO_PATCH.to_owned(),
        (&code::BAD_MODE, _) => format!("invalid mode at {}: {}\n", text.at(0), text.marked()),
        (_, Some(&SyntaxErrorKind::LONE_HUNK)) => {
            format!("patch fragment without header at {}: {}", text.at(0), text.line())
        }
        (_, Some(&SyntaxErrorKind::NO_HUNK)) => format!("patch with only garbage at {}", text.at(0)),
        (_, Some(&SyntaxErrorKind::ONE_NAME)) => {
            format!("git diff header lacks filename information at {}", text.at(0))
        }
        (_, Some(&SyntaxErrorKind::NO_METHOD)) => {
            return vec![format!("unrecognized binary patch at {}", text.at(-1)), NO_PATCH.to_owned()];
        }
        (&code::BINARY_DATA, Some(_)) => format!("corrupt binary patch at {}: {}", text.at(0), text.line()),
        (&code::NAME_STRIPPED, _) => without_name(problem, &text),
        (&code::NAMES_DISAGREE, _) if text.line().starts_with("diff --git ") => without_name(problem, &text),
        (&code::NAMES_DISAGREE, _) => {
            let side = if text.line().starts_with("---") { "old" } else { "new" };
            format!("git apply: bad git-diff - inconsistent {side} filename at {}", text.at(0))
        }
        (&code::OUTSIDE_ROOT | &code::CLOSED, _) if problem.name.is_some() => {
            format!("invalid path '{}'", printable(problem.name.as_deref().unwrap_or_default()))
        }
        (&code::TOO_MANY_FILES | &code::TOO_MANY_HUNKS, _) | (_, None) => return Vec::new(),
        (_, Some(_)) => format!("corrupt patch at {}", text.at(0)),
    };
    vec![line]
}

/// Says that the strip level leaves nothing of a name.
fn without_name(problem: &Problem, text: &Text<'_>) -> String {
    let level = problem.facts.strip.unwrap_or(1);
    let components = if level == 1 { "component" } else { "components" };
    let below = text.lines_to_hunk();
    if text.is_git {
        let lacks = "git diff header lacks filename information when removing";
        format!("{lacks} {level} leading pathname {components} at {}", text.at(below))
    } else {
        format!("unable to find filename in patch at {}", text.at(0))
    }
}

/// A place of a patch, as git names it.
struct Text<'o> {
    name: String,
    bytes: &'o [u8],
    /// First byte of the line, first and last byte of what is meant.
    start: usize,
    mark: (usize, usize),
    number: isize,
    is_git: bool,
}

impl<'o> Text<'o> {
    fn of(outcome: &'o Outcome, problem: &Problem) -> Self {
        let input = problem.place.and_then(|(input, span)| Some((outcome.inputs.get(input)?, span)));
        let (name, bytes, mark) = input.map_or(("", &b""[..], (0, 0)), |(input, span)| {
            let end = span.end.min(input.bytes.len());
            (input.name.as_str(), &input.bytes, (span.start.min(end), end))
        });
        let before = &bytes[..mark.0];
        // Behind an end that is cut off, git looks for one more line.
        let is_cut = mark.0 == bytes.len() && !before.is_empty() && !before.ends_with(b"\n");
        let start = if is_cut { mark.0 } else { memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1) };
        let number = memchr::memchr_iter(b'\n', before).count() + 1 + usize::from(is_cut);
        let name =
            if name == super::input::STDIN { "<stdin>".to_owned() } else { printable(name.as_bytes()).to_string() };
        // The last header above that names a file decides how it is read.
        let header = memchr::memmem::rfind(before, b"diff --git ").unwrap_or(0);
        let is_git =
            bytes[header..].starts_with(b"diff --git ") && memchr::memmem::find(&before[header..], b"\n@@ -").is_none();
        Self { name, bytes, start, mark, number: isize::try_from(number).unwrap_or(isize::MAX), is_git }
    }

    /// Returns the name of the patch and the number of the line so many lines below.
    fn at(&self, below: isize) -> String {
        format!("{}:{}", self.name, self.number + below)
    }

    /// Returns what is meant.
    fn marked(&self) -> String {
        printable(&self.bytes[self.mark.0..self.mark.1]).to_string()
    }

    /// Returns the line that it stands in.
    fn line(&self) -> String {
        let rest = &self.bytes[self.start..];
        printable(&rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]).to_string()
    }

    /// Returns how many lines below the hunks begin.
    fn lines_to_hunk(&self) -> isize {
        let lines = self.bytes[self.start..].split(|&byte| byte == b'\n');
        let above = lines.take_while(|line| !line.starts_with(b"@@ -") && !line.is_empty()).count();
        isize::try_from(above).unwrap_or_default()
    }
}

/// Returns what is said of a file that cannot be changed.
fn of_file(outcome: &Outcome, file: &FileReport, problem: &Problem) -> Vec<String> {
    let new = printable(file.path.as_bytes()).to_string();
    let old = file.from.as_ref().map_or_else(|| new.clone(), |from| printable(from.as_bytes()).to_string());
    let words = |row: &[&str]| {
        let blob = problem.facts.blob.as_deref().unwrap_or_default();
        let filled = |line: &&str| {
            let line = line.replace("{blob}", &printable(blob).to_string());
            format!("error: {}", line.replace("{old}", &old).replace("{new}", &new))
        };
        row.iter().map(filled).collect::<Vec<_>>()
    };
    if let Some(hunk) = problem.hunk.filter(|&hunk| hunk < file.hunks.len()) {
        let failed = failed(file, hunk);
        return failed.into_iter().flat_map(|failed| [vec![failed], words(&[UNFIT])].concat()).collect();
    }
    if is_made_beyond(file, problem) {
        return words(&[MADE_BEYOND]);
    }
    let row = WORDS.iter().find(|(code, ..)| code == problem.code);
    row.map_or(Vec::new(), |(_, usual, indexed)| words(if outcome.report.index.is_some() { indexed } else { usual }))
}

/// Names the hunks that are off their stated places.
fn moved(file: &FileReport) -> impl Iterator<Item = String> {
    file.hunks.iter().enumerate().filter_map(|(index, hunk)| {
        let offset = hunk.offset.filter(|&offset| offset != 0)?;
        let lines = if offset.abs() == 1 { "line" } else { "lines" };
        let at = hunk.applied.as_ref()?.new_start;
        Some(format!("Hunk #{} succeeded at {at} (offset {offset} {lines}).", index + 1))
    })
}

/// Returns the name of a file, or both.
fn both_names(outcome: &Outcome, file: &FileReport) -> String {
    let name = |path: &RelPath| printable(&outcome.report.quoting.quote(path.as_bytes())).to_string();
    match &file.from {
        Some(from) => format!("{} => {}", name(from), name(&file.path)),
        None => name(&file.path),
    }
}
