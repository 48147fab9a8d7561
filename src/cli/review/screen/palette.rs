//! The styles of the screen for terminals with few colors, many colors or none.

use std::env;

use anstream::ColorChoice;
use ratatui::style::{Color, Modifier, Style};

use crate::cli::review::choices::{Choice, Decision};
use crate::cli::review::reviewed::NoteKind;
use crate::engine::options::LineKind;
use crate::report::terminal::{Emphasis, TextStyle, Token};

/// The colors of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColorDepth {
    None,
    /// The 16 colors that each terminal defines for itself.
    Basic,
    /// 256 colors. Changed lines have a background, so that syntax colors stay visible.
    Many,
}

/// The styles of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Palette {
    depth: ColorDepth,
    /// Whether the terminal has a light background.
    is_light: bool,
}

impl Palette {
    /// Returns the styles for the terminal that the environment describes.
    pub(super) fn of_terminal(choice: ColorChoice) -> Self {
        let variable = |name| env::var(name).unwrap_or_default();
        let has_many = variable("TERM").contains("256color")
            || !variable("COLORTERM").is_empty()
            || env::var_os("WT_SESSION").is_some();
        let depth = match choice {
            ColorChoice::Never => ColorDepth::None,
            _ if has_many => ColorDepth::Many,
            _ => ColorDepth::Basic,
        };
        // rxvt, Konsole and others state the colors of text and background, as in `0;15`.
        let colors = variable("COLORFGBG");
        let background = colors.rsplit(';').next().unwrap_or_default();
        Self {
            depth,
            is_light: matches!(background, "7" | "15"),
        }
    }

    /// Returns the style of a changed or unchanged line.
    pub(super) fn line(self, kind: Option<LineKind>) -> Style {
        let style = Style::new();
        match (self.depth, kind) {
            (_, None) => self.faint(),
            (ColorDepth::None, _) | (_, Some(LineKind::Context)) => style,
            (ColorDepth::Basic, Some(LineKind::Deletion)) => style.fg(Color::Red),
            (ColorDepth::Basic, Some(_)) => style.fg(Color::Green),
            (ColorDepth::Many, Some(LineKind::Deletion)) if self.is_light => {
                style.fg(Color::Indexed(16)).bg(Color::Indexed(224))
            }
            (ColorDepth::Many, Some(_)) if self.is_light => {
                style.fg(Color::Indexed(16)).bg(Color::Indexed(194))
            }
            (ColorDepth::Many, Some(LineKind::Deletion)) => {
                style.fg(Color::Indexed(255)).bg(Color::Indexed(52))
            }
            (ColorDepth::Many, Some(_)) => style.fg(Color::Indexed(255)).bg(Color::Indexed(22)),
        }
    }

    /// Returns the style of a piece of text in a line of this kind.
    pub(super) fn text(self, kind: Option<LineKind>, text: TextStyle) -> Style {
        let line = self.line(kind);
        let is_changed = !matches!(kind, None | Some(LineKind::Context));
        let line = match text
            .token
            .filter(|_| !is_changed || self.depth == ColorDepth::Many)
        {
            Some(token) => line.patch(self.token(token)),
            None => line,
        };
        match (text.emphasis, self.depth) {
            (Emphasis::Plain, _) => line,
            (Emphasis::Marked, ColorDepth::None) => {
                line.add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
            }
            (Emphasis::Marked, ColorDepth::Basic) | (Emphasis::Escaped, ColorDepth::None) => {
                line.add_modifier(Modifier::REVERSED)
            }
            (Emphasis::Marked, ColorDepth::Many) => {
                let (deletion, insertion) = if self.is_light { (217, 157) } else { (88, 28) };
                let background = match kind {
                    Some(LineKind::Deletion) => deletion,
                    _ => insertion,
                };
                line.bg(Color::Indexed(background))
                    .add_modifier(Modifier::BOLD)
            }
            (Emphasis::Escaped, _) => line.fg(Color::Magenta),
        }
    }

    fn token(self, token: Token) -> Style {
        let many = |dark, light| Color::Indexed(if self.is_light { light } else { dark });
        let color = match (self.depth, token) {
            (ColorDepth::None, _) => return Style::new(),
            (ColorDepth::Many, Token::Comment) => many(250, 242),
            (ColorDepth::Many, Token::Text) => many(222, 94),
            (ColorDepth::Many, Token::Number) => many(159, 25),
            (ColorDepth::Many, Token::Keyword) => many(183, 90),
            (ColorDepth::Basic, Token::Comment) => Color::DarkGray,
            (ColorDepth::Basic, Token::Text) => Color::Yellow,
            (ColorDepth::Basic, Token::Number) => Color::Cyan,
            (ColorDepth::Basic, Token::Keyword) => Color::Magenta,
        };
        Style::new().fg(color)
    }

    pub(super) fn faint(self) -> Style {
        match self.depth {
            ColorDepth::None => Style::new(),
            ColorDepth::Basic | ColorDepth::Many => Style::new().fg(Color::DarkGray),
        }
    }

    pub(super) fn title() -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Returns the style of the bars at the top and at the bottom.
    pub(super) fn bar() -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn hunk_title(self) -> Style {
        self.colored(Color::Cyan)
    }

    pub(super) fn note(self, kind: NoteKind) -> Style {
        match kind {
            NoteKind::Problem => self.colored(Color::Red).add_modifier(Modifier::BOLD),
            NoteKind::Attention => self.colored(Color::Yellow),
        }
    }

    pub(super) fn decision(self, decision: Decision) -> Style {
        match decision {
            Decision::Whole(Choice::Accepted) => self.colored(Color::Green),
            Decision::Whole(Choice::Rejected) => self.colored(Color::Red),
            Decision::Whole(Choice::Undecided) => self.faint(),
            Decision::Partial => self.colored(Color::Yellow),
        }
        .add_modifier(Modifier::BOLD)
    }

    pub(super) fn cursor(self) -> Style {
        self.colored(Color::Blue).add_modifier(Modifier::BOLD)
    }

    pub(super) fn matched(self) -> Style {
        match self.depth {
            ColorDepth::None => Style::new().add_modifier(Modifier::REVERSED),
            _ => Style::new().fg(Color::Black).bg(Color::Yellow),
        }
    }

    fn colored(self, color: Color) -> Style {
        match self.depth {
            ColorDepth::None => Style::new(),
            ColorDepth::Basic | ColorDepth::Many => Style::new().fg(color),
        }
    }
}
