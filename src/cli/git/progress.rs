//! Prints the progress of a patch in git's words.

use std::collections::BTreeSet;
use std::iter;

use super::GitMessageOptions;
use crate::engine::Outcome;
use crate::engine::options::{Direction, NoMergeReason, Problem, Severity};
use crate::path::RelPath;
use crate::report::{self, FileReport, HunkReport, Op};
use crate::text::{printable, printable_line};

/// The limit on the length of an error message of git, in bytes; see `vreportf` in its usage.c.
const MAX_MESSAGE: usize = 4095;
pub(super) const NO_BLOB: &str = "repository lacks the necessary blob to perform 3-way merge.";

/// Returns the messages about files that the filters skipped.
pub(super) fn skip_messages(outcome: &Outcome, speech: GitMessageOptions) -> Vec<String> {
    let skipped = outcome.report.skipped.iter().filter(|_| speech.is_verbose);
    skipped
        .map(|(from, path)| format!("Skipped patch '{}'.", names(outcome, from.as_ref(), path)))
        .collect()
}

/// Returns the message about the start of a check of `file`.
pub(super) fn start_messages(
    outcome: &Outcome,
    file: &FileReport,
    speech: GitMessageOptions,
) -> Vec<String> {
    let is_compared = outcome.report.outcome != report::Outcome::Described;
    let is_said = speech.is_verbose && is_compared;
    is_said
        .then(|| format!("Checking patch {}...", both_names(outcome, file)))
        .into_iter()
        .collect()
}

/// Returns the messages about a three-way merge of `file`.
pub(super) fn merge_messages(file: &FileReport, speech: GitMessageOptions) -> Vec<String> {
    const DIRECTLY: &str = "Falling back to direct application...";
    if !speech.is_merge {
        return Vec::new();
    }
    let lacks = format!("error: {NO_BLOB}");
    let words: &[&str] = match file.fallback {
        Some(NoMergeReason::Unmergeable) => &[DIRECTLY],
        Some(NoMergeReason::NoBase) => &[&lacks, DIRECTLY],
        None if file.op == Op::Create || file.replaces.is_some() => {
            &["Performing three-way merge..."]
        }
        None => &[],
    };
    let merge = file.merge.as_ref();
    let has_conflicts = merge.is_some_and(|merge| !merge.conflicts.is_empty());
    // A file with unmarked conflicts is not changed. A merge can also succeed although the hunks
    // are refused.
    let applied = match (file.fallback, has_conflicts) {
        _ if file.is_rejected() => None,
        (None, false) => Some("cleanly"),
        (None, true) if merge.is_some_and(|merge| merge.marked) => Some("with conflicts"),
        _ => None,
    };
    let name = printable(file.path.as_bytes());
    let applied = applied.map(|how| format!("Applied patch to '{name}' {how}."));
    words
        .iter()
        .map(|line| (*line).to_owned())
        .chain(applied)
        .collect()
}

/// Returns the message with the lines that git searched for.
pub(super) fn search_message(
    outcome: &Outcome,
    hunk: &HunkReport,
    speech: GitMessageOptions,
) -> Option<String> {
    let input = outcome
        .inputs
        .get(hunk.source.input)
        .filter(|_| speech.is_verbose)?;
    let text = input
        .bytes
        .get(hunk.source.text.start..hunk.source.text.end)?;
    let new = if speech.direction == Direction::Forward {
        b'+'
    } else {
        b'-'
    };
    let mut said = "error: while searching for:\n".to_owned();
    let mut is_taken = false;
    for line in text.split_inclusive(|&byte| byte == b'\n').skip(1) {
        if line.starts_with(b"\\") {
            // `\ No newline at end of file` removes the newline of the line before it.
            said.truncate(said.len() - usize::from(is_taken));
            continue;
        }
        is_taken = !line.starts_with(&[new]);
        if is_taken {
            let (line, end) = line
                .strip_suffix(b"\n")
                .map_or((line, ""), |line| (line, "\n"));
            said.extend([
                printable_line(line.get(1..).unwrap_or_default())
                    .to_string()
                    .as_str(),
                end,
            ]);
        }
    }
    let end = (0..=MAX_MESSAGE.min(said.len()))
        .rev()
        .find(|&end| said.is_char_boundary(end));
    said.truncate(end.unwrap_or_default());
    Some(said)
}

/// Returns the message about a hunk that matched at an offset. Lines are counted in the file after
/// the previous hunks, as in git.
pub(super) fn offset_message(hunk: &HunkReport, speech: GitMessageOptions) -> Option<String> {
    let applied = hunk.applied.as_ref().filter(|_| speech.is_verbose)?;
    // An empty run has the number of the line before it.
    let found = if applied.new_lines == 0 {
        applied.new_start + 1
    } else {
        applied.new_start
    };
    let stated = hunk.patch.new_start?.max(1);
    let offset = found.cast_signed() - stated.cast_signed();
    let offset = if speech.direction == Direction::Forward {
        offset
    } else {
        -offset
    };
    let lines = if offset == 1 { "line" } else { "lines" };
    (offset != 0).then(|| format!("succeeded at {found} (offset {offset} {lines})."))
}

/// Returns the indices of hunks that the problems of a file reject.
pub(super) fn rejected_hunks(problems: &[&Problem]) -> impl Iterator<Item = usize> {
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Reject)
        .filter_map(|problem| problem.hunk)
}

/// Returns the messages about a written file and its rejected hunks.
pub(super) fn write_messages(
    outcome: &Outcome,
    file: &FileReport,
    problems: &[&Problem],
    speech: GitMessageOptions,
) -> Vec<String> {
    let is_written = matches!(
        outcome.report.outcome,
        report::Outcome::Applied | report::Outcome::Partial
    );
    if !is_written || file.is_rejected() {
        return Vec::new();
    }
    let rejected: BTreeSet<_> = rejected_hunks(problems).collect();
    let count = file
        .rejects
        .as_ref()
        .map_or(rejected.len(), |rejects| rejects.count);
    if count == 0 && !speech.is_verbose {
        return Vec::new();
    }
    let name = both_names(outcome, file);
    if count == 0 {
        return vec![format!("Applied patch {name} cleanly.")];
    }
    let plural = if count == 1 { "" } else { "s" };
    let hunks = file.hunks.iter().map(|hunk| {
        let number = hunk.index + 1;
        if rejected.contains(&hunk.index) {
            format!("Rejected hunk #{number}.")
        } else {
            format!("Hunk #{number} applied cleanly.")
        }
    });
    let more = match file.omitted.hunks {
        0 => None,
        1 => Some("1 more rejected hunk is not listed.".to_owned()),
        more => Some(format!("{more} more rejected hunks are not listed.")),
    };
    iter::once(format!(
        "Applying patch {name} with {count} reject{plural}..."
    ))
    .chain(hunks)
    .chain(more)
    .collect()
}

/// Returns the names of files with conflicts.
pub(super) fn conflict_names(outcome: &Outcome) -> Vec<String> {
    let has_conflict = |file: &&FileReport| {
        file.merge
            .as_ref()
            .is_some_and(|merge| !merge.conflicts.is_empty())
    };
    let is_written = outcome.report.outcome == report::Outcome::Partial;
    let files = outcome
        .report
        .files
        .iter()
        .filter(|_| is_written)
        .filter(has_conflict);
    let mut names: Vec<_> = files.map(|file| file.path.as_bytes()).collect();
    names.sort_unstable();
    names
        .into_iter()
        .map(|name| format!("U {}", printable(name)))
        .collect()
}

/// Returns the name of a file, or both names of a renamed or copied file.
fn both_names(outcome: &Outcome, file: &FileReport) -> String {
    names(outcome, file.from.as_ref(), &file.path)
}

fn names(outcome: &Outcome, from: Option<&RelPath>, path: &RelPath) -> String {
    let name =
        |path: &RelPath| printable(&outcome.report.quoting.quote(path.as_bytes())).to_string();
    match from {
        Some(from) => format!("{} => {}", name(from), name(path)),
        None => name(path),
    }
}
