//! The terminal in the mode for a full-screen display. The earlier mode returns in every case.

use std::io::{self, IsTerminal, Write};
use std::mem::ManuallyDrop;

use anstream::ColorChoice;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Position, Rect};
use ratatui::{Frame, Terminal};

use crate::cli::args::Global;
use crate::cli::output;
use crate::engine::{TerminalInput, TerminalSettings};

/// Resets what another program can have left: colors, line wrapping, the modes of the cursor keys and of
/// the number pad, and the scroll region, which moves the cursor. See `console_codes(4)`.
const RESET: &str = "\x1b[0m\x1b[?7h\x1b[?1l\x1b>\x1b7\x1b[r\x1b8";

/// The stream to the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::review) enum TerminalOutput {
    Stdout,
    Stderr,
}

impl TerminalOutput {
    /// Returns the standard stream that is a terminal; `None` if none is.
    pub(in crate::cli::review) fn find() -> Option<Self> {
        if io::stdout().is_terminal() {
            Some(Self::Stdout)
        } else {
            io::stderr().is_terminal().then_some(Self::Stderr)
        }
    }

    /// Returns the choice of colors for this stream.
    pub(in crate::cli::review) fn color(self, global: &Global) -> ColorChoice {
        match self {
            Self::Stdout => output::color(global, &io::stdout()),
            Self::Stderr => output::color(global, &io::stderr()),
        }
    }
}

impl Write for TerminalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout => io::stdout().write(bytes),
            Self::Stderr => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => io::stdout().flush(),
            Self::Stderr => io::stderr().flush(),
        }
    }
}

/// A terminal that shows the screen. Dropping it restores the earlier mode.
pub(super) struct TerminalSession<'i> {
    input: &'i TerminalInput,
    /// The settings before the session.
    settings: Option<TerminalSettings>,
    /// It is never dropped: its own destructor panics if standard error is a terminal that is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<io::BufWriter<TerminalOutput>>>>,
    output: TerminalOutput,
}

impl<'i> TerminalSession<'i> {
    /// Starts the full-screen display.
    pub(super) fn start(input: &'i TerminalInput, output: TerminalOutput) -> io::Result<Self> {
        let backend = CrosstermBackend::new(io::BufWriter::new(output));
        let mut session = Self {
            settings: input.settings(),
            input,
            terminal: ManuallyDrop::new(Terminal::new(backend)?),
            output,
        };
        session.resume()?;
        Ok(session)
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw)?;
        Ok(())
    }

    /// Draws the next frame as a whole.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` asks the terminal for the position of the cursor, and fails if the answer
        // is late.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Restores the earlier mode until [`Self::resume`].
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        // Each step must run, even if an earlier one fails.
        let shown = self.terminal.show_cursor();
        let left = execute!(
            self.output,
            DisableBracketedPaste,
            DisableMouseCapture,
            LeaveAlternateScreen
        );
        let restored = disable_raw_mode();
        shown.and(left).and(restored)
    }

    /// Restores the settings of the terminal after another program has used it, and continues.
    pub(super) fn recover(&mut self) -> io::Result<()> {
        if let Some(settings) = &self.settings {
            self.input.restore(settings);
        }
        execute!(self.output, Print(RESET))?;
        self.resume()
    }

    pub(super) fn resume(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(
            self.output,
            EnterAlternateScreen,
            EnableMouseCapture,
            EnableBracketedPaste
        )?;
        self.clear()
    }
}

impl Drop for TerminalSession<'_> {
    fn drop(&mut self) {
        // The terminal may be gone, so errors are expected here.
        let _ = self.suspend();
    }
}
