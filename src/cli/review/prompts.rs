//! The review as prompts: one hunk after the other, for terminals without cursor addressing and for
//! screen readers.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::action::{Action, KEYS, find_action, key_name};
use super::choices::{Choice, Decision};
use super::editor::Editor;
use super::question::ReviewEnd;
use super::screen::TerminalOutput;
use super::state::{Cursor, Reply, ReviewState};
use crate::engine::CONTROLLING_TERMINAL;
use crate::engine::options::LineKind;
use crate::text::{printable, printable_line};

/// The input and the output.
pub(super) struct Prompts {
    input: Box<dyn BufRead>,
    output: AutoStream<Box<dyn Write>>,
    editor: Editor,
    /// The unit and the part that were printed last.
    printed: Option<(Cursor, usize)>,
    /// The file whose title was printed last.
    file: Option<usize>,
}

impl Prompts {
    /// Returns the prompts on the terminal of the process.
    ///
    /// # Errors
    ///
    /// Returns an error if standard input is not a terminal and the terminal cannot be opened.
    pub(super) fn new(
        output: TerminalOutput,
        color: ColorChoice,
        editor: Editor,
    ) -> io::Result<Self> {
        let input: Box<dyn BufRead> = if io::stdin().is_terminal() {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(fs_err::File::open(CONTROLLING_TERMINAL)?))
        };
        Ok(Self {
            input,
            output: AutoStream::new(Box::new(output), color),
            editor,
            printed: None,
            file: None,
        })
    }

    /// Runs the review until it ends.
    ///
    /// # Errors
    ///
    /// Returns an error of the terminal.
    pub(super) fn run(&mut self, state: &mut ReviewState<'_>) -> io::Result<ReviewEnd> {
        loop {
            if let Some(message) = state.take_message() {
                writeln!(self.output, "{message}")?;
            }
            let shown = Some((state.cursor(), state.revision()));
            if self.printed != shown {
                self.print_part(state)?;
                self.printed = shown;
            }
            let question = question_text(state);
            let Some(line) = self.ask(&question)? else {
                return Ok(ReviewEnd::Quit);
            };
            if let Some(ending) = self.perform(&line, state)? {
                return Ok(ending);
            }
        }
    }

    /// Performs the command in `line`: a key, and for some keys a text after it.
    fn perform(
        &mut self,
        line: &str,
        state: &mut ReviewState<'_>,
    ) -> io::Result<Option<ReviewEnd>> {
        let mut characters = line.chars();
        let action = match characters.next() {
            None => Some(Action::Next),
            Some(letter) => find_action(letter),
        };
        let text = characters.as_str().trim();
        let Some(action) = action.filter(|action| text.is_empty() || has_text(*action)) else {
            writeln!(self.output, "unknown command; ? lists the commands")?;
            return Ok(None);
        };
        let mut reply = state.perform(action);
        let mut given = Some(text.to_owned()).filter(|text| !text.is_empty());
        loop {
            reply = match reply {
                Reply::Done => return Ok(None),
                Reply::Finish(ending) => return Ok(Some(ending)),
                Reply::Ask(question) => {
                    let answer = match given.take() {
                        Some(text) => Some(text),
                        None => self.ask(&question.text())?,
                    };
                    match answer {
                        Some(answer) => state.answer(question, answer.trim()),
                        None => return Ok(Some(ReviewEnd::Quit)),
                    }
                }
                Reply::Edit => {
                    match self.editor.edit(&state.editor_text()) {
                        Ok(text) => state.replace_hunk(&text),
                        Err(error) => state.show_message(&error),
                    }
                    return Ok(None);
                }
                Reply::Show(action) => {
                    if action == Action::Files {
                        self.print_files(state)?;
                    } else {
                        self.print_help()?;
                    }
                    return Ok(None);
                }
            };
        }
    }

    /// Prints `question` and reads a line; `None` at the end of the input.
    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        write!(self.output, "{question}")?;
        self.output.flush()?;
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            writeln!(self.output)?;
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// Prints the part at the cursor, and the title of its file if it is another one.
    fn print_part(&mut self, state: &mut ReviewState<'_>) -> io::Result<()> {
        let cursor = state.cursor();
        let file = state.choices().units()[cursor.unit].file;
        if self.file != Some(file) {
            self.file = Some(file);
            let shown = &state.patch().files[file];
            let (op, title) = (shown.op, &shown.title);
            writeln!(
                self.output,
                "\n{op} {title}  +{} -{}",
                shown.added, shown.removed
            )?;
            for note in &shown.notes {
                writeln!(self.output, "! {}", note.text)?;
            }
        }
        if cursor.line.is_none() && cursor.part == 0 {
            let unit = &state.choices().units()[cursor.unit];
            writeln!(self.output, "{}", state.patch().unit_title(unit))?;
            for note in state.patch().unit_notes(cursor.unit) {
                writeln!(self.output, "! {}", note.text)?;
            }
        }
        self.print_lines(state)
    }

    /// Prints the lines of the part at the cursor. The first part includes the context before it, the
    /// last one the context after it.
    fn print_lines(&mut self, state: &mut ReviewState<'_>) -> io::Result<()> {
        let cursor = state.cursor();
        let text = state.text(cursor.unit);
        let (first, last) = state.cursor_lines();
        let unit = &state.choices().units()[cursor.unit];
        let parts = unit.parts();
        let starts = cursor.part == 0 && cursor.line.is_none();
        let ends = cursor.part + 1 >= parts.len() && cursor.line.is_none();
        let first = if starts { 0 } else { first };
        let last = if ends { text.lines.len() } else { last + 1 };
        let lines = text
            .lines
            .get(first..last.min(text.lines.len()))
            .unwrap_or_default();
        for line in lines {
            let (sign, style) = match line.kind {
                Some(LineKind::Deletion) => ("-", AnsiColor::Red.on_default()),
                Some(LineKind::Insertion) => ("+", AnsiColor::Green.on_default()),
                Some(_) => (" ", Style::new()),
                None => ("", AnsiColor::Cyan.on_default()),
            };
            let content = printable_line(text.text(line));
            writeln!(self.output, "{style}{sign}{content}{style:#}")?;
            if !line.has_line_feed && line.kind.is_some() {
                writeln!(self.output, "\\ no newline at the end")?;
            }
        }
        if let Some(reason) = state.choices().units()[cursor.unit].reason() {
            writeln!(self.output, "reason: {}", printable(reason.as_bytes()))?;
        }
        Ok(())
    }

    fn print_files(&mut self, state: &ReviewState<'_>) -> io::Result<()> {
        for (file, shown) in state.patch().files.iter().enumerate() {
            let word = decision_word(state.choices().file_decision(file));
            let id = state.choices().file_id(file);
            let (added, removed) = (shown.added, shown.removed);
            let title = &shown.title;
            writeln!(
                self.output,
                "{id}  {word:10} {} {title}  +{added} -{removed}",
                shown.op
            )?;
        }
        Ok(())
    }

    fn print_help(&mut self) -> io::Result<()> {
        for key in KEYS {
            writeln!(self.output, "{:>5}  {}", key_name(key.letter), key.help)?;
        }
        writeln!(
            self.output,
            "A reason or a search text can follow its key, as in `r too slow`."
        )
    }
}

/// Returns the question about the part at the cursor.
fn question_text(state: &ReviewState<'_>) -> String {
    let (cursor, choices) = (state.cursor(), state.choices());
    let unit = &choices.units()[cursor.unit];
    let parts = unit.parts().len();
    let what = match (cursor.line, unit.content.hunk) {
        (Some(_), _) => "this line".to_owned(),
        (None, None) => "this file".to_owned(),
        (None, Some(_)) if parts > 1 => format!("part {} of {parts}", cursor.part + 1),
        (None, Some(_)) => "this hunk".to_owned(),
    };
    let decision = match decision_word(state.decision(cursor.unit)) {
        "" => String::new(),
        word => format!(" ({word})"),
    };
    let (done, all) = (choices.decided_count(), choices.units().len());
    format!(
        "[{done}/{all}] {} accept {what}{decision} [y,n,r,a,d,s,l,e,u,w,q,?]? ",
        unit.id
    )
}

/// Returns whether a text can follow the key of the action.
fn has_text(action: Action) -> bool {
    matches!(action, Action::RejectWithReason | Action::Search)
}

fn decision_word(decision: Decision) -> &'static str {
    match decision {
        Decision::Whole(Choice::Undecided) => "",
        Decision::Whole(Choice::Accepted) => "accepted",
        Decision::Whole(Choice::Rejected) => "rejected",
        Decision::Partial => "in part",
    }
}
