//! Unified diffs without git header, as POSIX `diff`, GNU `diff`, Subversion, CVS and other
//! programs write them: `---`, `+++` and `@@` lines.
//!
//! The parser also recognises combined diffs in order to reject them. A patch is applied as a whole
//! or not at all.

use super::names::{self, HeaderName};
use super::unsupported::is_coloured_header;
use super::{
    Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, UnnamedHandling, UnsupportedFormat,
    content_span, find_line, hunks, normal, stamp,
};
use crate::plan::{Action, Edit, Hunk, Name};
use crate::syntax::writers::{self, PatchChange, PatchHunk, WriteError};
use crate::text::{Lines, Span};

/// The first line of every hunk of a context diff.
pub(super) const STARS: &[u8] = b"***************";

/// The grammar of unified diffs.
pub(super) struct Unified;

impl Syntax for Unified {
    fn name(&self) -> &'static str {
        "unified"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["unified", "diff", "git"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../grammar/unified.lark")
    }

    fn is_diff(&self) -> bool {
        true
    }

    fn is_read_by_git(&self) -> bool {
        true
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        find_line(text, from, |lines| detect_form(&lines).is_some())
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let lines = Lines::of_span(text, Span::new(from, text.len()));
        let line = content_span(text, from);
        let refuse = |kind| Err(SyntaxError::new(kind, line));
        match detect_form(&lines) {
            Some(SectionForm::Unified) => read_section(text, from, options, sections),
            Some(SectionForm::LoneHunk) if options.unnamed == UnnamedHandling::Accept => {
                read_unnamed(text, from, options, sections)
            }
            Some(SectionForm::LoneHunk) => refuse(SyntaxErrorKind::LONE_HUNK),
            Some(SectionForm::EdScript) => refuse(SyntaxErrorKind::EdScript),
            Some(SectionForm::Other(what)) => refuse(SyntaxErrorKind::UnsupportedFormat(what)),
            None => refuse(SyntaxErrorKind::Expected("`---`, `+++` and `@@` lines")),
        }
    }

    fn write(&self, changes: &[PatchChange<'_>], _: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_unified(changes)
    }

    fn write_hunk(&self, hunk: &PatchHunk<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        writers::put_unified_hunk(&mut out, hunk);
        Some(out)
    }
}

/// The form that starts at a line.
enum SectionForm {
    Unified,
    /// A hunk without a file name.
    LoneHunk,
    /// Editor commands.
    EdScript,
    /// A format that is rejected.
    Other(UnsupportedFormat),
}

fn detect_form(lines: &Lines<'_>) -> Option<SectionForm> {
    let line = lines.peek()?;
    match line[0] {
        b'-' | b'*' => detect_header_form(line, lines.clone()),
        b'@' if hunks::is_whole_header(line) => Some(SectionForm::LoneHunk),
        b'\x1b' if is_coloured_header(line) => {
            Some(SectionForm::Other(UnsupportedFormat::Coloured))
        }
        b'd' if is_combined(line) => Some(SectionForm::Other(UnsupportedFormat::Combined)),
        _ => None,
    }
}

/// Returns whether the header of a context diff starts here.
pub(super) fn is_context_header(mut lines: Lines<'_>) -> bool {
    let mut starts = |with: &[u8]| lines.next().is_some_and(|(_, line)| line.starts_with(with));
    starts(b"*** ") && starts(b"--- ") && starts(STARS)
}

fn detect_header_form(first: &[u8], mut lines: Lines<'_>) -> Option<SectionForm> {
    if is_context_header(lines.clone()) {
        return Some(SectionForm::Other(UnsupportedFormat::Context));
    }
    lines.next();
    let (_, second) = lines.next()?;
    let third = lines.peek()?;
    if !first.starts_with(b"--- ") || !second.starts_with(b"+++ ") {
        return None;
    }
    match third {
        [b'@', b'@', b'@', ..] => Some(SectionForm::Other(UnsupportedFormat::Combined)),
        [b'@', b'@', ..] => Some(SectionForm::Unified),
        // An ed script can have this header too. As prose, its change would be lost.
        _ if normal::is_ed_command(third) => Some(SectionForm::EdScript),
        _ => None,
    }
}

fn is_combined(line: &[u8]) -> bool {
    line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ")
}

/// Reads the section whose `---` line is at `start`.
pub(super) fn read_section(
    text: &[u8],
    start: usize,
    options: Options,
    sections: &mut Sections,
) -> Result<usize, SyntaxError> {
    let mut lines = Lines::of_span(text, Span::new(start, text.len()));
    let is_missing = if options.unnamed == UnnamedHandling::Accept {
        stamp::is_missing
    } else {
        stamp::is_missing_for_git
    };
    let (old, new) = (
        read_side(text, &mut lines, is_missing)?,
        read_side(text, &mut lines, is_missing)?,
    );
    let (hunks, end) = hunks::read(text, lines.offset(), options)?;
    let header = content_span(text, start);
    let (action, name) = match action_and_name(old, new, &hunks) {
        Some(meaning) => meaning,
        // GNU patch reads `/dev/null` on both sides as a section that names no file.
        None if options.unnamed == UnnamedHandling::Accept => {
            (action_by_time((true, true), &hunks), Name::Unnamed(header))
        }
        None => {
            let says = SyntaxErrorKind::Contradiction("only one side of a change can be /dev/null");
            return Err(SyntaxError::new(says, header));
        }
    };
    hunks::refuse_lines_of_missing_side(action, &hunks)?;
    sections
        .push(action, name, Edit::Hunks(hunks), Span::new(start, end))
        .distinguishes_missing = false;
    Ok(end)
}

/// Reads the hunks at `start`, for which no line names a file.
pub(super) fn read_unnamed(
    text: &[u8],
    start: usize,
    options: Options,
    sections: &mut Sections,
) -> Result<usize, SyntaxError> {
    let (hunks, end) = hunks::read(text, start, options)?;
    let name = Name::Unnamed(content_span(text, start));
    sections
        .push(
            Action::Modify,
            name,
            Edit::Hunks(hunks),
            Span::new(start, end),
        )
        .distinguishes_missing = false;
    Ok(end)
}

/// Reads the name on the next line, after its four-byte marker.
fn read_side(
    text: &[u8],
    lines: &mut Lines<'_>,
    is_missing: fn(&[u8]) -> bool,
) -> Result<HeaderName, SyntaxError> {
    let line = content_span(text, lines.offset());
    lines.next();
    names::read_dated(text, Span::new(line.start + 4, line.end), is_missing)
}

/// Returns the action and the name of the section, or `None` if both sides are `/dev/null`.
pub(super) fn action_and_name(
    old: HeaderName,
    new: HeaderName,
    hunks: &[Hunk],
) -> Option<(Action, Name)> {
    Some(match (old, new) {
        (HeaderName::Null, HeaderName::Null) => return None,
        (HeaderName::Null, HeaderName::File(claim, _)) => {
            (Action::Create, Name::Agreed(vec![claim]))
        }
        (HeaderName::File(claim, _), HeaderName::Null) => {
            (Action::Delete, Name::Agreed(vec![claim]))
        }
        (HeaderName::File(old, is_new), HeaderName::File(new, is_gone)) => (
            action_by_time((is_new, is_gone), hunks),
            Name::Traditional {
                old: Box::new(old),
                new: Box::new(new),
            },
        ),
    })
}

/// A time stamp of the epoch means the same as `/dev/null`, but only if that side has no lines.
/// Reproducible builds give every file such a time stamp. GNU patch also checks the hunk.
pub(super) fn action_by_time((is_new, is_gone): (bool, bool), hunks: &[Hunk]) -> Action {
    if is_new && hunks.iter().all(|hunk| hunk.old.count == 0) {
        Action::Create
    } else if is_gone && hunks.iter().all(|hunk| hunk.new.count == 0) {
        Action::Delete
    } else {
        Action::Modify
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::SyntaxErrorKind::{Contradiction, Expected, NoPatch};
    use crate::syntax::testing::{describe, parse_error};
    use crate::syntax::{SyntaxErrorKind, UnsupportedFormat};

    const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";
    const CREATED: &str = "@@ -0,0 +1 @@\n+b\n";

    #[test]
    fn a_section_needs_no_diff_line_and_stands_in_any_prose() {
        let text = format!(
            "Description: x\n --- not a header\n\nIndex: x\n=====\n--- a/x\t(revision 1)\n+++ b/x\t(working copy)\n{HUNK}\
             diff -urN a/y b/y\n--- a/y 2010-07-05 19:41:17.0 -0500\n+++ b/y Mon Jul  5 19:41:17 2010\n{HUNK}{HUNK}\
             Only in b: z\n--- x.orig\n+++ x\nprose\n",
        );
        assert_eq!(describe(&text), ["Modify x +1-1", "Modify y +1-1 +1-1"]);
    }

    #[test]
    fn names_keep_their_blanks() {
        let text = format!(
            "--- a/a b.c\n+++ b/a b.c\n{HUNK}--- \"a/\\303\\244\"\tx\n+++ \"b/\\303\\244\"\n{HUNK}"
        );
        assert_eq!(describe(&text), ["Modify a b.c +1-1", "Modify ä +1-1"]);
    }

    #[test]
    fn dev_null_and_the_epoch_make_and_delete() {
        let epoch = "\t1970-01-01 01:00:00.000000000 +0100";
        let text = format!(
            "--- /dev/null\n+++ b/x\n{CREATED}--- a/y{epoch}\n+++ b/y\n{CREATED}\
             --- a/x\n+++ /dev/null\t{epoch}\n@@ -1 +0,0 @@\n-b\n--- a/y\n+++ b/y{epoch}\n@@ -1 +0,0 @@\n-b\n",
        );
        assert_eq!(
            describe(&text),
            [
                "Create x +1-0",
                "Create y +1-0",
                "Delete x +0-1",
                "Delete y +0-1"
            ]
        );
        let both = format!("--- /dev/null\n+++ /dev/null\n{HUNK}");
        assert_eq!(
            parse_error(&both).0,
            Contradiction("only one side of a change can be /dev/null")
        );
        let old = format!("--- /dev/null\n+++ b/x\n{HUNK}");
        assert_eq!(
            parse_error(&old),
            (
                Contradiction("a new file cannot have old lines"),
                "@@ -1 +1 @@".into()
            )
        );
    }

    #[test]
    fn forms_that_are_not_taken_are_refused() {
        let cases = [
            "--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n",
            "diff --cc x\nindex 1,2..3\n",
            "diff --combined x\nindex 1,2..3\nBinary files differ\n",
        ];
        for text in cases {
            let first = text.lines().next().unwrap_or_default();
            let behind = format!("--- a/x\n+++ b/x\n{HUNK}\n{text}");
            assert_eq!(
                parse_error(&behind),
                (
                    SyntaxErrorKind::UnsupportedFormat(UnsupportedFormat::Combined),
                    first.into()
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn a_hunk_without_a_file_is_not_dropped() {
        let lone = Expected("`---` and `+++` lines before a hunk");
        assert_eq!(
            parse_error(&format!("prose\n{HUNK}")),
            (lone, "@@ -1 +1 @@".into())
        );
        let bare = Expected("a hunk header, `@@ -START,COUNT +START,COUNT @@`");
        assert_eq!(
            parse_error("--- a/x\n+++ b/x\n@@ ... @@\n-a\n+b\n"),
            (bare, "@@ ... @@".into())
        );
        assert_eq!(parse_error("no patch at all\n").0, NoPatch);
    }
}
