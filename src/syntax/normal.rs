//! Normal diffs, as `diff` writes them without options: `1,2c3,4`, `<` lines, `---`, `>` lines.
//!
//! They have no context and do not name a file. An `Index:` line above them or the caller names it.
//! The parser converts them to equivalent unified hunks, each set in an input of its own.

use super::edges::{LineBounds, count_error_span};
use super::{
    Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, content_span, find_line, hunks,
};
use crate::plan::{Action, Anchor, Edit, Input, Name, PatchPart};
use crate::syntax::writers::{self, PatchChange, PatchHunk, WriteError};
use crate::text::{Lines, Span, without_ending};

/// The grammar of normal diffs.
pub(super) struct Normal;

impl Syntax for Normal {
    fn name(&self) -> &'static str {
        "normal"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["normal", "diff"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../grammar/normal.lark")
    }

    fn is_diff(&self) -> bool {
        true
    }

    fn can_end_message(&self) -> bool {
        true
    }

    fn has_file_names(&self) -> bool {
        false
    }

    fn required_markers(&self) -> &'static [&'static str] {
        &["\n<", "\n>"]
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        find_line(text, from, starts_hunk)
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let mut lines = Lines::of_span(text, Span::new(from, text.len()));
        let mut unified = Vec::new();
        // A `<` or `>` line directly above the command belongs to a hunk that was not recognised.
        let above = text[..from].strip_suffix(b"\n").unwrap_or_default();
        let above = above
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        if is_body(above) {
            return Err(SyntaxError::new(
                SyntaxErrorKind::ExtraLines,
                content_span(text, from - above.len() - 1),
            ));
        }
        while let Some(command) = lines.peek().and_then(HunkCommand::read) {
            command.convert_hunk(text, &mut lines, &mut unified)?;
        }
        if lines.peek().is_some_and(is_body) {
            return Err(SyntaxError::new(
                SyntaxErrorKind::ExtraLines,
                content_span(text, lines.offset()),
            ));
        }
        let part = PatchPart {
            span: Span::new(from, lines.offset()),
            format: "normal",
        };
        sections.read_quoted(
            Input {
                bytes: unified.into(),
                ..Input::default()
            },
            (part, content_span(text, from)),
            |input, sections| {
                let (mut hunks, end) = hunks::read(&input.bytes, 0, options)?;
                for hunk in &mut hunks {
                    hunk.anchor = Anchor::Bare;
                }
                let span = Span::new(0, end);
                sections
                    .push(
                        Action::Modify,
                        Name::Unnamed(span),
                        Edit::Hunks(hunks),
                        span,
                    )
                    .distinguishes_missing = false;
                Ok(())
            },
        )?;
        Ok(lines.offset())
    }

    fn write(&self, changes: &[PatchChange<'_>], _: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_normal(changes)
    }

    fn write_hunk(&self, hunk: &PatchHunk<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        writers::put_normal_hunk(&mut out, hunk);
        Some(out)
    }
}

/// Returns whether `line` is one of the lines below the command of a hunk.
fn is_body(line: &[u8]) -> bool {
    line.starts_with(b"< ") || line.starts_with(b"> ")
}

/// Returns whether `line` is a command that `diff -e` writes: `1,2c`, `3a`, `4d`.
pub(super) fn is_ed_command(line: &[u8]) -> bool {
    LineBounds::read(line)
        .is_some_and(|(_, rest)| matches!(without_ending(rest), b"a" | b"c" | b"d" | b"i"))
}

/// Returns the position of an ed script: its first command, if a line with a single dot ends the
/// text below it.
pub(super) fn find_ed_script(text: &[u8]) -> Option<Span> {
    let is_dot = |line: &[u8]| without_ending(line) == b".";
    let mut lines = Lines::of_span(text, Span::new(0, text.len()));
    let (start, _) = lines.find(|(_, line)| is_ed_command(line))?;
    lines
        .any(|(_, line)| is_dot(line))
        .then(|| content_span(text, start.start))
}

/// Returns whether the lines start with a command and a line that it inserts or deletes.
fn starts_hunk(mut lines: Lines<'_>) -> bool {
    let Some(command) = lines.next().and_then(|(_, line)| HunkCommand::read(line)) else {
        return false;
    };
    let mark = if command.letter == b'a' { b"> " } else { b"< " };
    lines
        .peek()
        .is_some_and(|line| line.starts_with(mark) || *without_ending(line) == mark[..1])
}

/// `5a6,7`, `1,2c3,4` or `8d7`.
struct HunkCommand {
    old: LineBounds,
    letter: u8,
    new: LineBounds,
}

impl HunkCommand {
    fn read(line: &[u8]) -> Option<Self> {
        let (old, rest) = LineBounds::read(line)?;
        let (&letter, rest) = rest.split_first()?;
        let (new, rest) = LineBounds::read(rest)?;
        let is_right = match letter {
            b'a' => old.is_lone(),
            b'd' => new.is_lone(),
            letter => letter == b'c',
        };
        (is_right && rest.trim_ascii().is_empty()).then_some(Self { old, letter, new })
    }

    /// Reads the hunk and appends it to `unified`.
    fn convert_hunk(
        &self,
        text: &[u8],
        lines: &mut Lines<'_>,
        unified: &mut Vec<u8>,
    ) -> Result<(), SyntaxError> {
        let at = content_span(text, lines.offset());
        lines.next();
        let (mut body, mut counts) = (Vec::new(), (0, 0));
        if self.letter != b'a' {
            counts.0 = convert_side(text, lines, (b'<', b'-'), &mut body)?;
        }
        if self.letter == b'c' {
            self.read_divider(text, lines, counts.0, at)?;
        }
        if self.letter != b'd' {
            counts.1 = convert_side(text, lines, (b'>', b'+'), &mut body)?;
        }
        let (old_count, new_count) = (self.old.count(at)?, self.new.count(at)?);
        let is_short = counts.0 < old_count || counts.1 < new_count;
        let at = if is_short {
            count_error_span(text, lines, at)
        } else {
            at
        };
        let (old, new) = (
            self.old.range("old", counts.0, at)?,
            self.new.range("new", counts.1, at)?,
        );
        // `a` needs new lines, `d` needs old lines, and `c` needs both.
        let is_empty =
            (self.letter != b'a' && old.count == 0) || (self.letter != b'd' && new.count == 0);
        if is_empty {
            return Err(SyntaxError::new(
                SyntaxErrorKind::Expected("the lines of the command"),
                at,
            ));
        }
        unified.extend(
            format!(
                "@@ -{},{} +{},{} @@\n",
                old.start, old.count, new.start, new.count
            )
            .bytes(),
        );
        unified.append(&mut body);
        Ok(())
    }

    /// Reads the `---` between the old and the new lines. `found` is the number of old lines. `at`
    /// is the position of the command.
    fn read_divider(
        &self,
        text: &[u8],
        lines: &mut Lines<'_>,
        found: usize,
        at: Span,
    ) -> Result<(), SyntaxError> {
        let border = content_span(text, lines.offset());
        if border.slice(text).trim_ascii_end() == b"---" {
            lines.next();
            return Ok(());
        }
        let promised = self.old.count(at)?;
        let kind = if found == promised {
            SyntaxErrorKind::Expected("`---` between the old and the new lines")
        } else {
            SyntaxErrorKind::LineCount {
                side: "old",
                promised,
                found,
            }
        };
        Err(SyntaxError::new(kind, border))
    }
}

/// Reads the lines of one side, writes them with another marker, and returns their number.
fn convert_side(
    text: &[u8],
    lines: &mut Lines<'_>,
    (from, to): (u8, u8),
    body: &mut Vec<u8>,
) -> Result<usize, SyntaxError> {
    let mut count = 0;
    while let Some(line) = lines.peek() {
        let rest = match line.split_first() {
            Some((b'\\', _)) if count > 0 => None,
            Some((marker, rest)) if *marker == from => rest
                .strip_prefix(b" ")
                .or_else(|| without_ending(rest).is_empty().then_some(rest)),
            _ => break,
        };
        match rest {
            Some(rest) => {
                body.push(to);
                body.extend_from_slice(rest);
                count += 1;
            }
            None if line.starts_with(b"\\") => {
                body.extend_from_slice(b"\\ No newline at end of file\n");
            }
            None => break,
        }
        lines.next();
        // A truncated `\` line has only one meaning, so it is accepted.
        if !line.ends_with(b"\n") && !line.starts_with(b"\\") {
            return Err(SyntaxError::new(
                SyntaxErrorKind::NO_NEWLINE,
                Span::new(text.len(), text.len()),
            ));
        }
    }
    Ok(count)
}
