//! The review on a screen: a full-screen display with keys and mouse.

mod draw;
mod palette;
mod rows;
mod terminal;
mod viewport;

use std::io;
use std::time::Duration;

use anstream::ColorChoice;
use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use ratatui::layout::{Position, Rect};

use super::action::{Action, find_action};
use super::choices::{Choice, Decision};
use super::editor::Editor;
use super::question::{Question, ReviewEnd};
use super::state::{Reply, ReviewState};
use crate::engine::options::Interrupt;
use crate::engine::{InputState, TerminalInput, suspend_job};
use crate::report::terminal::Symbols;
use draw::Areas;
use palette::Palette;
use rows::RowKind;
pub(super) use terminal::TerminalOutput;
use terminal::TerminalSession;
use viewport::{Viewport, VisibleRow};

/// The time between two looks at the signals and at the size of the terminal.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);
/// The number of these intervals between two looks at the files.
const FILE_INTERVALS: u32 = 20;
/// The number of columns at the left of a row in which a click changes the decision.
const MARK_COLUMNS: u16 = 5;
/// The number of rows that the mouse wheel scrolls.
const WHEEL_ROWS: isize = 3;

/// The display.
struct Screen {
    palette: Palette,
    symbols: Symbols,
    viewport: Viewport,
    /// The rows of the last frame, from top to bottom.
    rows: Vec<VisibleRow>,
    areas: Areas,
    page: Page,
    /// The first file in the list.
    file_top: usize,
    dialog: Option<Dialog>,
}

/// The page that covers the patch. The number is its first row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Patch,
    Files(usize),
    Help(usize),
}

/// A question with the answer so far.
struct Dialog {
    question: Question,
    answer: String,
}

/// What the loop does after an event.
enum Step {
    Continue,
    /// Stop the process until the shell continues it.
    Suspend,
    Edit,
    /// Draw the next frame as a whole.
    Clear,
    Finish(ReviewEnd),
}

/// Runs the review until it ends.
///
/// # Errors
///
/// Returns an error of the terminal.
pub(super) fn run(
    state: &mut ReviewState<'_>,
    output: TerminalOutput,
    (color, symbols): (ColorChoice, Symbols),
    (editor, interrupt): (&Editor, &Interrupt),
) -> io::Result<ReviewEnd> {
    let input = TerminalInput::open()?;
    let mut session = TerminalSession::start(output)?;
    let mut screen = Screen {
        palette: Palette::of_terminal(color),
        symbols,
        viewport: Viewport::default(),
        rows: Vec::new(),
        areas: Areas::default(),
        page: Page::Patch,
        file_top: 0,
        dialog: None,
    };
    let mut idle = 0;
    // From here on, the event reader notices each new size of the terminal.
    event::poll(Duration::ZERO)?;
    session.draw(|frame| draw::draw(frame, &mut screen, state))?;
    loop {
        if let Some(signal) = interrupt.signal() {
            return Ok(ReviewEnd::Signal(signal));
        }
        let Some(has_event) = wait_for_event(&input)? else {
            return Ok(ReviewEnd::Signal(SIGHUP));
        };
        if !has_event {
            idle += 1;
            if idle % FILE_INTERVALS == 0 && screen.dialog.is_none() && state.refresh() {
                session.draw(|frame| draw::draw(frame, &mut screen, state))?;
            }
            continue;
        }
        // Handle all events that have arrived before the next frame.
        while event::poll(Duration::ZERO)? {
            match screen.react(event::read()?, state) {
                Step::Continue => {}
                Step::Clear => session.clear()?,
                Step::Suspend => {
                    session.suspend()?;
                    suspend_job();
                    session.resume()?;
                }
                Step::Finish(ending) => return Ok(ending),
                Step::Edit => {
                    session.suspend()?;
                    edit(editor, state);
                    session.resume()?;
                }
            }
        }
        session.draw(|frame| draw::draw(frame, &mut screen, state))?;
    }
}

/// Waits for an event, and returns whether one has arrived; `None` if the terminal is gone. The event
/// reader would never return then.
fn wait_for_event(input: &TerminalInput) -> io::Result<Option<bool>> {
    Ok(match input.wait(SIGNAL_INTERVAL) {
        InputState::Ready => Some(true),
        // A new size of the terminal is an event, too, and does not end the wait.
        InputState::Idle => Some(event::poll(Duration::ZERO)?),
        InputState::Closed => None,
        InputState::Unknown => Some(event::poll(SIGNAL_INTERVAL)?),
    })
}

/// Lets the user edit the hunk at the cursor.
fn edit(editor: &Editor, state: &mut ReviewState<'_>) {
    match editor.edit(&state.editor_text()) {
        Ok(text) => state.replace_hunk(&text),
        Err(error) => state.show_message(&error),
    }
}

impl Screen {
    fn react(&mut self, event: Event, state: &mut ReviewState<'_>) -> Step {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press_key(key, state),
            Event::Mouse(mouse) if self.dialog.is_none() => self.use_mouse(mouse, state),
            Event::Paste(text) => {
                if let Some(dialog) = self.dialog.as_mut().filter(|it| !it.question.is_choice()) {
                    let is_text = |character: &char| !character.is_control();
                    dialog.answer.extend(text.chars().filter(is_text));
                }
                Step::Continue
            }
            _ => Step::Continue,
        }
    }

    fn press_key(&mut self, key: KeyEvent, state: &mut ReviewState<'_>) -> Step {
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if has_control => return Step::Finish(ReviewEnd::Signal(SIGINT)),
            KeyCode::Char('l') if has_control => return Step::Clear,
            _ => {}
        }
        if self.dialog.is_some() {
            return self.type_answer(key, state);
        }
        if self.page != Page::Patch {
            self.press_key_on_page(key, state);
            return Step::Continue;
        }
        let action = match key.code {
            KeyCode::Char('f') if has_control => return self.scroll_page(state, 1),
            KeyCode::Char('b') if has_control => return self.scroll_page(state, -1),
            KeyCode::Char('e') if has_control => return self.scroll(state, 1),
            KeyCode::Char('y') if has_control => return self.scroll(state, -1),
            KeyCode::Char('r') if has_control => Action::Redo,
            KeyCode::Char('z') if has_control => return Step::Suspend,
            KeyCode::PageDown => return self.scroll_page(state, 1),
            KeyCode::PageUp => return self.scroll_page(state, -1),
            KeyCode::Down => Action::Next,
            KeyCode::Up => Action::Previous,
            KeyCode::Right | KeyCode::Tab => Action::NextFile,
            KeyCode::Left | KeyCode::BackTab => Action::PreviousFile,
            KeyCode::Home => Action::First,
            KeyCode::End => Action::Last,
            KeyCode::Esc if state.cursor().line.is_some() => Action::Lines,
            KeyCode::Char(letter) if !has_control => match find_action(letter) {
                Some(action) => action,
                None => return Step::Continue,
            },
            _ => return Step::Continue,
        };
        let reply = state.perform(action);
        self.follow(reply)
    }

    fn follow(&mut self, reply: Reply) -> Step {
        match reply {
            Reply::Done => {}
            Reply::Ask(question) => {
                self.dialog = Some(Dialog {
                    question,
                    answer: String::new(),
                });
            }
            Reply::Edit => return Step::Edit,
            Reply::Show(Action::Files) => self.page = Page::Files(self.file_top),
            Reply::Show(_) => self.page = Page::Help(0),
            Reply::Finish(ending) => return Step::Finish(ending),
        }
        Step::Continue
    }

    /// Handles a key of a question. Escape ends the question.
    fn type_answer(&mut self, key: KeyEvent, state: &mut ReviewState<'_>) -> Step {
        let Some(mut dialog) = self.dialog.take() else {
            return Step::Continue;
        };
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Step::Continue,
            KeyCode::Char(letter) if dialog.question.is_choice() => {
                let reply = state.answer(dialog.question, &letter.to_string());
                return self.follow(reply);
            }
            KeyCode::Enter if !dialog.question.is_choice() => {
                let reply = state.answer(dialog.question, &dialog.answer);
                return self.follow(reply);
            }
            KeyCode::Backspace => {
                dialog.answer.pop();
            }
            KeyCode::Char('u') if has_control => dialog.answer.clear(),
            KeyCode::Char(letter) if !has_control => dialog.answer.push(letter),
            _ => {}
        }
        self.dialog = Some(dialog);
        Step::Continue
    }

    /// Handles a key on the list of files or the help. A key without a meaning there closes the page.
    fn press_key_on_page(&mut self, key: KeyEvent, state: &mut ReviewState<'_>) {
        let height = usize::from(self.areas.page.height).max(1);
        let (page, last) = match self.page {
            Page::Help(first) => (first, draw::help_length().saturating_sub(height)),
            Page::Files(_) | Page::Patch => (0, 0),
        };
        match (self.page, key.code) {
            (Page::Help(_), KeyCode::Down | KeyCode::Char('j')) => {
                self.page = Page::Help((page + 1).min(last));
            }
            (Page::Help(_), KeyCode::PageDown | KeyCode::Char(' ')) => {
                self.page = Page::Help((page + height).min(last));
            }
            (Page::Help(_), KeyCode::Up | KeyCode::Char('k')) => {
                self.page = Page::Help(page.saturating_sub(1));
            }
            (Page::Help(_), KeyCode::PageUp) => {
                self.page = Page::Help(page.saturating_sub(height));
            }
            (Page::Files(_), KeyCode::Down | KeyCode::Char('j')) => {
                state.perform(Action::NextFile);
            }
            (Page::Files(_), KeyCode::Up | KeyCode::Char('k')) => {
                state.perform(Action::PreviousFile);
            }
            (Page::Files(_), KeyCode::Char('a')) => {
                state.decide_whole_file(Choice::Accepted);
            }
            (Page::Files(_), KeyCode::Char('d')) => {
                state.decide_whole_file(Choice::Rejected);
            }
            _ => self.page = Page::Patch,
        }
    }

    fn scroll(&mut self, state: &mut ReviewState<'_>, rows: isize) -> Step {
        self.viewport.scroll(state, rows);
        Step::Continue
    }

    fn scroll_page(&mut self, state: &mut ReviewState<'_>, step: isize) -> Step {
        self.viewport.scroll_page(state, step);
        Step::Continue
    }

    fn use_mouse(&mut self, mouse: MouseEvent, state: &mut ReviewState<'_>) -> Step {
        let place = Position::new(mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollDown => return self.scroll(state, WHEEL_ROWS),
            MouseEventKind::ScrollUp => return self.scroll(state, -WHEEL_ROWS),
            MouseEventKind::Down(MouseButton::Left) => {}
            _ => return Step::Continue,
        }
        let list = match self.page {
            Page::Files(_) => self.areas.page,
            Page::Help(_) => {
                self.page = Page::Patch;
                return Step::Continue;
            }
            Page::Patch => self.areas.files,
        };
        if list.contains(place) {
            let file = self.file_top + usize::from(mouse.row - list.y);
            if file < state.choices().file_count() {
                state.move_to(state.choices().file_units(file).start);
                self.page = Page::Patch;
            }
        } else if self.areas.patch.contains(place) && self.page == Page::Patch {
            self.click(place, self.areas.patch, state);
        }
        Step::Continue
    }

    /// Selects the hunk or line at `place`. A click on a mark changes the decision.
    fn click(&mut self, place: Position, area: Rect, state: &mut ReviewState<'_>) {
        let Some(visible) = self.rows.get(usize::from(place.y - area.y)) else {
            return;
        };
        let (unit, is_mark) = (visible.position.unit, place.x - area.x < MARK_COLUMNS);
        match visible.row().kind {
            RowKind::Line {
                position: Some(position),
                ..
            } => {
                let was_selecting = state.cursor().line.is_some();
                let parts = state.choices().units()[unit].parts();
                let part = parts.iter().position(|part| part.contains(&position));
                let part = part.unwrap_or(0);
                state.move_to_part(unit, part);
                if is_mark || was_selecting {
                    state.move_to_line(position);
                }
                if is_mark {
                    state.perform(Action::ToggleLine);
                    state.move_to_part(unit, part);
                }
                if is_mark && was_selecting {
                    state.move_to_line(position);
                }
            }
            RowKind::UnitTitle => {
                state.move_to(unit);
                if is_mark {
                    let next = match state.decision(unit) {
                        Decision::Whole(Choice::Accepted) => Action::Reject,
                        Decision::Whole(Choice::Rejected) => Action::Clear,
                        _ => Action::Accept,
                    };
                    state.perform(next);
                    state.move_to(unit);
                }
            }
            _ => state.move_to(unit),
        }
    }
}

/// The numbers of the signals for the loss of the terminal and for Ctrl-C, in POSIX.
const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
