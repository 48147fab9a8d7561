//! The review on a screen: a full-screen display with keys and mouse.

mod draw;
mod mouse;
mod palette;
mod rows;
mod terminal;
mod viewport;

use std::io;
use std::time::Duration;

use anstream::ColorChoice;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::action::{Action, find_action};
use super::choices::Choice;
use super::editor::Editor;
use super::question::{Question, ReviewEnd};
use super::state::{Reply, ReviewState};
use crate::cli::signals;
use crate::engine::options::Interrupt;
use crate::engine::{InputState, TerminalInput, suspend_job};
use crate::report::terminal::Symbols;
use draw::Areas;
use palette::Palette;
pub(super) use terminal::TerminalOutput;
use terminal::TerminalSession;
use viewport::{Viewport, VisibleRow};

/// The time between two looks at the signals and at the size of the terminal.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);
/// The number of these intervals between two looks at the files.
const FILE_INTERVALS: u32 = 20;

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
    signals::install_display_signals()?;
    let mut session = TerminalSession::start(&input, output)?;
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
        if signals::was_continued() {
            // After a hangup, the kernel sends SIGHUP and SIGCONT. `wait_for_event` reports a closed terminal.
            let _ = session.suspend().and_then(|()| session.recover());
            let _ = session.draw(|frame| draw::draw(frame, &mut screen, state));
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
            let step = screen.react(event::read()?, state);
            if let Some(ending) = take_step(step, (&mut session, editor), state)? {
                return Ok(ending);
            }
        }
        session.draw(|frame| draw::draw(frame, &mut screen, state))?;
    }
}

/// Does what an event requires, and returns the end of the review.
fn take_step(
    step: Step,
    (session, editor): (&mut TerminalSession<'_>, &Editor),
    state: &mut ReviewState<'_>,
) -> io::Result<Option<ReviewEnd>> {
    match step {
        Step::Continue => {}
        Step::Clear => session.clear()?,
        Step::Suspend => {
            session.suspend()?;
            suspend_job();
            session.resume()?;
        }
        Step::Finish(ending) => return Ok(Some(ending)),
        Step::Edit => {
            session.suspend()?;
            edit(editor, state);
            session.recover()?;
        }
    }
    Ok(None)
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
                    let text = text.trim().chars();
                    let text = text.map(|it| if it.is_whitespace() { ' ' } else { it });
                    dialog.answer.extend(text.filter(|it| !it.is_control()));
                }
                Step::Continue
            }
            _ => Step::Continue,
        }
    }

    fn press_key(&mut self, key: KeyEvent, state: &mut ReviewState<'_>) -> Step {
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if has_control => return self.interrupt(state),
            KeyCode::Char('l') if has_control => return Step::Clear,
            KeyCode::Char('z') if has_control => return Step::Suspend,
            _ => {}
        }
        if self.dialog.is_some() {
            return self.type_answer(key, state);
        }
        if self.page != Page::Patch {
            if !has_control {
                self.press_key_on_page(key, state);
            }
            return Step::Continue;
        }
        let action = match key.code {
            KeyCode::Char('f') if has_control => return self.scroll_page(state, 1),
            KeyCode::Char('b') if has_control => return self.scroll_page(state, -1),
            KeyCode::Char('e') if has_control => return self.scroll(state, 1),
            KeyCode::Char('y') if has_control => return self.scroll(state, -1),
            KeyCode::Char('r') if has_control => Action::Redo,
            KeyCode::PageDown => return self.scroll_page(state, 1),
            KeyCode::PageUp => return self.scroll_page(state, -1),
            KeyCode::Down => Action::Next,
            KeyCode::Up => Action::Previous,
            KeyCode::Right | KeyCode::Tab => Action::NextFile,
            KeyCode::Left | KeyCode::BackTab => Action::PreviousFile,
            KeyCode::Home => Action::First,
            KeyCode::End => Action::Last,
            KeyCode::Esc if state.cursor().line.is_some() => Action::Lines,
            KeyCode::Char(letter) if !has_control => {
                let Some(action) = find_action(letter) else {
                    state.show_message("this key has no action; press ? for help");
                    return Step::Continue;
                };
                action
            }
            _ => return Step::Continue,
        };
        let reply = state.perform(action);
        self.follow(reply, state)
    }

    /// Ends a question, or else the review. If decisions would be lost, it asks for a confirmation, which
    /// a second Ctrl-C gives.
    fn interrupt(&mut self, state: &mut ReviewState<'_>) -> Step {
        match self.dialog.take() {
            Some(dialog) if dialog.question.is_about_quitting() => {
                return Step::Finish(ReviewEnd::Signal(SIGINT));
            }
            Some(_) => return Step::Continue,
            None => {}
        }
        match state.perform(Action::Quit) {
            Reply::Finish(_) => Step::Finish(ReviewEnd::Signal(SIGINT)),
            reply => self.follow(reply, state),
        }
    }

    fn follow(&mut self, reply: Reply, state: &ReviewState<'_>) -> Step {
        match reply {
            Reply::Done => {}
            Reply::Ask(question) => {
                let answer = match question {
                    Question::Reason => state.reason().unwrap_or_default().to_owned(),
                    _ => String::new(),
                };
                self.dialog = Some(Dialog { question, answer });
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
            KeyCode::Char(letter) if dialog.question.is_choice() && !has_control => {
                let reply = state.answer(dialog.question, &letter.to_string());
                return self.follow(reply, state);
            }
            KeyCode::Enter if !dialog.question.is_choice() => {
                let reply = state.answer(dialog.question, &dialog.answer);
                return self.follow(reply, state);
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
}

/// The numbers of the signals for the loss of the terminal and for Ctrl-C, in POSIX.
const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
