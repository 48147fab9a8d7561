//! The page for a history entry: the command, the state and the change of each file.

use super::file;
use super::lines::{self, CarriageReturns, FileContext};
use super::markup::Markup;
use super::page_budget::PageBudget;
use super::tree::{Badge, Leaf};
use super::{badge, place, summary};
use crate::report::{Coverage, LogEntry, LogFile, State, syntax_colors};
use crate::syntax::write::{DiffHunk, hunks};

/// A history entry, with counts for its files.
pub(super) struct EntryCard<'a> {
    entry: &'a LogEntry,
    pub(super) files: Vec<File<'a>>,
}

/// One file of the entry.
pub(super) struct File<'a> {
    id: String,
    log: &'a LogFile,
    added: usize,
    removed: usize,
}

/// Returns the heading of the page.
pub(super) fn state_title(entry: &LogEntry) -> &'static str {
    match entry.state {
        State::Committed => "Applied",
        State::Undone => "Undone",
        State::Aborted => "Rolled back",
        State::Rejected => "Rejected",
        State::Damaged => "Damaged record",
    }
}

impl<'a> EntryCard<'a> {
    pub(super) fn of(entry: &'a LogEntry) -> Self {
        Self {
            entry,
            files: entry
                .files
                .iter()
                .enumerate()
                .map(|(index, file)| File::of(index, file))
                .collect(),
        }
    }

    /// Adds the head of the page.
    pub(super) fn add_summary(&self, out: &mut Markup) {
        let entry = self.entry;
        let tone = match entry.state {
            State::Committed => badge::tone::GOOD,
            State::Undone | State::Aborted => badge::tone::ASK,
            State::Rejected | State::Damaged => badge::tone::BAD,
        };
        let sum = |lines: fn(&File<'_>) -> usize| self.files.iter().map(lines).sum();
        let lines = (sum(|file| file.added), sum(|file| file.removed));
        summary::open_header((tone, state_title(entry)), self.files.len(), lines, out);
        out.raw("<dl class=\"facts\">\n<dt>Change</dt><dd><code class=\"copy\">")
            .text(&entry.id)
            .raw("</code></dd>\n");
        out.raw("<dt>Made</dt><dd>")
            .text(&entry.time)
            .raw(" by <code>")
            .text(&entry.command)
            .raw("</code></dd>\n");
        let undone = entry.undoes.iter().map(|id| ("Undoes", id));
        let others = undone.chain(entry.undone_by.iter().map(|id| ("Undone by", id)));
        for (word, id) in others.chain(entry.origin.plan_id.iter().map(|id| ("Plan", id))) {
            out.raw("<dt>")
                .raw(word)
                .raw("</dt><dd><code>")
                .text(id)
                .raw("</code></dd>\n");
        }
        for line in entry.reason.iter().flat_map(|reason| reason.lines()) {
            out.raw("<dt>Because</dt><dd>").text(line).raw("</dd>\n");
        }
        out.raw("</dl>\n");
        if entry.coverage == Coverage::Partial {
            out.raw("<p class=\"word ask\">A part of this change cannot be undone.</p>\n");
        }
        out.raw("</header>\n");
    }

    /// Returns the tree entries of the files.
    pub(super) fn leaves(&self) -> Vec<Leaf<'_>> {
        self.files.iter().map(File::leaf).collect()
    }
}

impl<'a> File<'a> {
    fn of(index: usize, file: &'a LogFile) -> Self {
        let diff = hunks(file.diff.as_deref().unwrap_or_default());
        let count = |sign: u8| {
            diff.iter()
                .flat_map(|hunk| &hunk.lines)
                .filter(|line| line.first() == Some(&sign))
                .count()
        };
        Self {
            id: format!("f{}", index + 1),
            log: file,
            added: count(b'+'),
            removed: count(b'-'),
        }
    }

    fn leaf(&self) -> Leaf<'_> {
        let Self {
            ref id,
            log: file,
            added,
            removed,
        } = *self;
        let tone = file.withheld.as_ref().map(|_| Badge {
            class: badge::tone::ASK,
            word: "closed",
        });
        Leaf {
            id,
            path: file.path.as_bytes(),
            op: file.op,
            added,
            removed,
            tone,
        }
    }

    /// Adds the section of the file.
    pub(super) fn add_section(&self, room: &mut PageBudget, out: &mut Markup) {
        let file = self.log;
        let diff = hunks(file.diff.as_deref().unwrap_or_default());
        file::open(
            &self.id,
            (
                file.from.as_deref().map(str::as_bytes),
                file.path.as_bytes(),
            ),
            out,
        );
        badge::add_op(file.op, out);
        let sides = [&file.before, &file.after];
        if sides
            .into_iter()
            .flatten()
            .any(|side| side.file_type == "link")
        {
            badge::add_badge(badge::tone::ASK, "symbolic link", out);
        }
        let [old, new] = sides.map(|side| side.as_ref().and_then(|side| side.mode.as_deref()));
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            badge::add_change("mode", [old, new], out);
        }
        if file.lost {
            badge::add_badge(badge::tone::BAD, "previous content not kept", out);
        }
        file::close_summary(&diff, (self.added, self.removed), None, out);
        self.add_body(&diff, room, out);
        out.raw("</details>\n");
    }

    fn add_body(&self, diff: &[DiffHunk<'_>], room: &mut PageBudget, out: &mut Markup) {
        let file = self.log;
        match (&file.withheld, &file.diff) {
            (Some(why), _) => {
                out.raw("<p class=\"word ask\">The content is not shown: ")
                    .text(why)
                    .raw("</p>\n");
            }
            (None, None) => {
                out.raw("<p class=\"word\">The changed lines are not recorded.</p>\n");
            }
            (None, Some(_)) if diff.is_empty() => {
                out.raw("<p class=\"word\">No line changes.</p>\n");
            }
            (None, Some(_)) => {
                let mut lines = diff
                    .iter()
                    .flat_map(|hunk| &hunk.lines)
                    .filter(|line| line.first() != Some(&b'\\'));
                let is_dropped = lines.all(|line| line.ends_with(b"\r"));
                let subject = FileContext {
                    id: &self.id,
                    language: syntax_colors::language(file.path.as_bytes()),
                    returns: if is_dropped {
                        CarriageReturns::Dropped
                    } else {
                        CarriageReturns::Shown
                    },
                };
                let mut left = 0;
                for hunk in diff {
                    place::add_heading(hunk, &[], out);
                    left += lines::add_hunk(subject, hunk, room, out);
                }
                file::add_full_note(left, out);
            }
        }
    }
}
