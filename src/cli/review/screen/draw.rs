//! Draws a frame: the bars, the list of files, the rows of the patch, and a page above them.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::palette::Palette;
use super::rows::RowKind;
use super::viewport::VisibleRow;
use super::{Page, Screen};
use crate::cli::review::action::{KEYS, key_name};
use crate::cli::review::choices::{Choice, Decision};
use crate::cli::review::state::{ReviewState, is_match};
use crate::report::terminal::Symbols;
use crate::text::printable;

/// The width from which the list of files is next to the patch.
const FILE_LIST_WIDTH: u16 = 110;
/// The columns before a row: the cursor, the decision and a blank.
const MARGIN_WIDTH: usize = 3;
/// The keys in the bar at the bottom.
const BAR_KEYS: &str = "? help  y accept  n reject  r reason  w apply  q quit  s split  l lines  e edit  u undo  f files";

/// The areas of the screen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Areas {
    pub(super) files: Rect,
    pub(super) patch: Rect,
    pub(super) page: Rect,
}

/// Draws the whole screen.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &mut Screen, state: &mut ReviewState<'_>) {
    let [top, middle, bottom] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let (files, patch) = if middle.width >= FILE_LIST_WIDTH {
        let list = middle.width / 4;
        let [files, patch] =
            Layout::horizontal([Constraint::Length(list.min(60)), Constraint::Min(1)])
                .areas(middle);
        (files, patch)
    } else {
        (Rect::default(), middle)
    };
    screen.areas = Areas {
        files,
        patch,
        page: middle,
    };
    draw_top(frame, top, state);
    draw_files(frame, files, screen, state);
    draw_patch(frame, patch, screen, state);
    match screen.page {
        Page::Patch => {}
        Page::Files(first) => {
            frame.render_widget(ratatui::widgets::Clear, middle);
            screen.file_top = first;
            draw_files(frame, middle, screen, state);
        }
        Page::Help(first) => draw_help(frame, middle, screen.palette, first),
    }
    draw_bottom(frame, bottom, screen, state);
}

fn draw_top(frame: &mut Frame<'_>, area: Rect, state: &ReviewState<'_>) {
    let choices = state.choices();
    let (done, all) = (choices.decided_count(), choices.units().len());
    let files = choices.file_count();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let file = choices.units()[state.cursor().unit].file;
    let name = &state.patch().files[file].title;
    let left = format!(
        " {done} of {all} hunk{} decided, {files} file{}",
        plural(all),
        plural(files)
    );
    let right = format!("{name} ({}/{files}) ", file + 1);
    let width = usize::from(area.width);
    let right = clip_start(&right, width.saturating_sub(left.width() + 2));
    let gap = width.saturating_sub(left.width() + right.width());
    let line = Line::styled(format!("{left}{}{right}", " ".repeat(gap)), Palette::bar());
    frame.render_widget(line, area);
}

fn draw_bottom(frame: &mut Frame<'_>, area: Rect, screen: &Screen, state: &ReviewState<'_>) {
    let width = usize::from(area.width);
    if let Some(dialog) = &screen.dialog {
        let text = format!("{}{}", dialog.question.text(), dialog.answer);
        let text = clip_start(&text, width.saturating_sub(1));
        let column = u16::try_from(text.width()).unwrap_or(u16::MAX);
        frame.render_widget(Line::styled(text, Palette::title()), area);
        frame.set_cursor_position((area.x.saturating_add(column), area.y));
        return;
    }
    let line = match state.message() {
        Some(message) => Line::styled(clip_end(message, width), Palette::title()),
        None => Line::styled(clip_end(BAR_KEYS, width), screen.palette.faint()),
    };
    frame.render_widget(line, area);
}

/// Returns the end of `text` that fits into `width` columns.
fn clip_start(text: &str, width: usize) -> String {
    let reversed: Vec<_> = fitting(text.chars().rev(), width).collect();
    reversed.into_iter().rev().collect()
}

/// Returns the start of `text` that fits into `width` columns.
fn clip_end(text: &str, width: usize) -> String {
    fitting(text.chars(), width).collect()
}

/// Returns the first characters that fit into `width` columns together.
fn fitting(characters: impl Iterator<Item = char>, width: usize) -> impl Iterator<Item = char> {
    let mut used = 0;
    characters.take_while(move |character| {
        used += character.width().unwrap_or(0);
        used <= width
    })
}

/// Returns the mark of a decision.
fn mark(decision: Decision, symbols: Symbols) -> &'static str {
    match (decision, symbols) {
        (Decision::Whole(Choice::Accepted), Symbols::Ascii) => "y",
        (Decision::Whole(Choice::Rejected), Symbols::Ascii) => "n",
        (Decision::Whole(Choice::Accepted), _) => "✓",
        (Decision::Whole(Choice::Rejected), _) => "✗",
        (Decision::Whole(Choice::Undecided), _) => " ",
        (Decision::Partial, _) => "~",
    }
}

/// Draws the list of files. The first row is the file `screen.file_top`, or one that makes the file
/// at the cursor visible.
fn draw_files(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen, state: &ReviewState<'_>) {
    let (height, width) = (usize::from(area.height), usize::from(area.width));
    if height == 0 || width == 0 {
        return;
    }
    let current = state.choices().units()[state.cursor().unit].file;
    let first = screen.file_top.min(current);
    screen.file_top = first.max((current + 1).saturating_sub(height));
    let files = screen.file_top..state.choices().file_count();
    for (row, file) in (area.y..area.bottom()).zip(files) {
        let shown = &state.patch().files[file];
        let decision = state.choices().file_decision(file);
        let units = state.choices().file_units(file);
        let has_note = !shown.notes.is_empty()
            || units
                .clone()
                .any(|unit| !state.patch().unit_notes(unit).is_empty());
        let attention = if has_note { "!" } else { " " };
        let counts = format!(" +{} -{}", shown.added, shown.removed);
        let room = width.saturating_sub(counts.width() + 5);
        // The details of a long title would hide the name.
        let name = if shown.title.width() > room {
            clip_start(&printable(shown.path.as_bytes()).to_string(), room)
        } else {
            shown.title.clone()
        };
        let gap = " ".repeat(room.saturating_sub(name.width()));
        let style = if file == current {
            Palette::bar()
        } else {
            Style::new()
        };
        let line = Line::from(vec![
            Span::styled(
                mark(decision, screen.symbols),
                screen.palette.decision(decision),
            ),
            Span::styled(format!("{attention} "), Palette::title()),
            Span::styled(format!("{name}{gap}"), style),
            Span::styled(counts, screen.palette.faint()),
        ]);
        let place = Rect {
            y: row,
            height: 1,
            ..area
        };
        frame.render_widget(line, place);
    }
}

/// Draws the rows of the patch.
fn draw_patch(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen, state: &mut ReviewState<'_>) {
    let width = usize::from(area.width).saturating_sub(MARGIN_WIDTH).max(1);
    let rows = screen
        .viewport
        .rows(state, (width, usize::from(area.height)));
    for (row, y) in rows.iter().zip(area.y..) {
        let place = Rect {
            y,
            height: 1,
            ..area
        };
        draw_row(frame, place, row, screen, state);
    }
    screen.rows = rows;
}

fn draw_row(
    frame: &mut Frame<'_>,
    area: Rect,
    visible: &VisibleRow,
    screen: &Screen,
    state: &ReviewState<'_>,
) {
    let (row, palette) = (visible.row(), screen.palette);
    let style = match &row.kind {
        RowKind::Gap => return,
        RowKind::FileTitle => Palette::title(),
        RowKind::UnitTitle if visible.position.unit == state.cursor().unit => {
            palette.hunk_title().patch(Palette::title())
        }
        RowKind::UnitTitle => palette.hunk_title(),
        RowKind::Note(kind) => palette.note(*kind),
        RowKind::Line { kind, .. } => palette.line(*kind),
    };
    let mut spans = row_start(visible, screen, state, style);
    for (text_style, text) in &row.pieces {
        let style = match &row.kind {
            RowKind::Line { kind, .. } => palette.text(*kind, *text_style),
            _ => style,
        };
        match state
            .search_text()
            .filter(|query| is_match(text.as_bytes(), query))
        {
            Some(query) => push_matches(&mut spans, text, query, (style, palette.matched())),
            None => spans.push(Span::styled(text.clone(), style)),
        }
    }
    let reason = state.choices().units()[visible.position.unit].reason();
    if let (RowKind::UnitTitle, Some(reason)) = (&row.kind, reason) {
        let reason = printable(reason.as_bytes());
        spans.push(Span::styled(
            format!("  reason: {reason}"),
            Palette::title(),
        ));
    }
    if let RowKind::Line { .. } = row.kind {
        // The background of a changed line reaches to the right edge.
        let start = u16::try_from(MARGIN_WIDTH).unwrap_or(0).min(area.width);
        let rest = Rect {
            x: area.x + start,
            width: area.width - start,
            ..area
        };
        frame.buffer_mut().set_style(rest, style);
    }
    frame.render_widget(Line::from(spans), area);
}

/// Returns the columns before the text of a row: the cursor, the decision and the line numbers.
fn row_start(
    visible: &VisibleRow,
    screen: &Screen,
    state: &ReviewState<'_>,
    style: Style,
) -> Vec<Span<'static>> {
    let palette = screen.palette;
    let unit = &state.choices().units()[visible.position.unit];
    let cursor = if visible.is_at_cursor(state) {
        cursor_mark(screen.symbols)
    } else {
        " "
    };
    let mut spans = vec![Span::styled(cursor, palette.cursor())];
    match &visible.row().kind {
        RowKind::Line {
            position, gutter, ..
        } => {
            let decision = position.map(|position| Decision::Whole(unit.choice(position)));
            let mark = decision.map_or(" ", |decision| mark(decision, screen.symbols));
            let mark_style = decision.map_or(Style::new(), |decision| palette.decision(decision));
            spans.push(Span::styled(mark, mark_style));
            spans.push(Span::raw(" "));
            spans.push(Span::styled(gutter.clone(), style));
        }
        RowKind::UnitTitle => {
            let decision = unit.decision();
            let text = format!("[{}] ", mark(decision, screen.symbols));
            spans.push(Span::styled(text, palette.decision(decision)));
        }
        RowKind::Note(_) => spans.push(Span::styled("! ", style)),
        RowKind::Gap | RowKind::FileTitle => {}
    }
    spans
}

fn cursor_mark(symbols: Symbols) -> &'static str {
    match symbols {
        Symbols::Ascii => ">",
        _ => "▌",
    }
}

/// Adds `text` with the matches of `query` in another style.
fn push_matches(
    spans: &mut Vec<Span<'static>>,
    text: &str,
    query: &str,
    (style, matched): (Style, Style),
) {
    let is_exact = query.bytes().any(|byte| byte.is_ascii_uppercase());
    let haystack = if is_exact {
        text.to_owned()
    } else {
        text.to_ascii_lowercase()
    };
    let mut done = 0;
    for (start, found) in haystack.match_indices(query) {
        spans.push(Span::styled(text[done..start].to_owned(), style));
        done = start + found.len();
        spans.push(Span::styled(text[start..done].to_owned(), matched));
    }
    spans.push(Span::styled(text[done..].to_owned(), style));
}

/// Draws the help from the row `first` on.
fn draw_help(frame: &mut Frame<'_>, area: Rect, palette: Palette, first: usize) {
    frame.render_widget(ratatui::widgets::Clear, area);
    let mut lines = vec![Line::styled(
        "Keys (any other key closes the help)",
        Palette::title(),
    )];
    for key in KEYS {
        lines.push(Line::from(vec![
            Span::styled(format!("  {:>7}  ", key_name(key.letter)), palette.cursor()),
            Span::raw(key.help),
        ]));
    }
    for (keys, help) in MORE_KEYS {
        lines.push(Line::from(vec![
            Span::styled(format!("  {keys:>7}  "), palette.cursor()),
            Span::raw(*help),
        ]));
    }
    for (line, y) in lines.into_iter().skip(first).zip(area.y..area.bottom()) {
        frame.render_widget(
            line,
            Rect {
                y,
                height: 1,
                ..area
            },
        );
    }
}

/// The keys and mouse actions that only the screen has.
const MORE_KEYS: &[(&str, &str)] = &[
    ("arrows", "next and previous hunk, file"),
    ("PgDn", "next page; also Ctrl-F"),
    ("PgUp", "previous page; also Ctrl-B"),
    ("Ctrl-E", "one row down; Ctrl-Y: one row up"),
    ("Ctrl-L", "draw the screen again"),
    (
        "mouse",
        "click a hunk or line to select it, its mark to change the decision; the wheel scrolls",
    ),
];

/// The number of lines of the help.
pub(super) fn help_length() -> usize {
    KEYS.len() + MORE_KEYS.len() + 1
}
