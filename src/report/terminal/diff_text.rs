//! A git diff with colors, as git prints it on a terminal.

use std::io;

use anstyle::Style;

use super::{ADDED, HEADER, HUNK_HEADER, REMOVED};
use crate::syntax::write::hunk_line_counts;
use crate::text::{lines, printable_line};

/// Prints a diff that [`tree_diff_section`](crate::syntax::write) wrote, with escape sequences for
/// colors.
///
/// # Security
///
/// All bytes that can affect a terminal are escaped.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print_diff_text(diff: &[u8], out: &mut dyn io::Write) -> io::Result<()> {
    // The numbers of lines of both files that the current hunk still contains.
    let mut rest = (0, 0);
    let mut is_data = false;
    for (_, line) in lines(diff) {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let first = line.first();
        is_data &= !line.starts_with(b"diff --git ");
        let style = if is_data {
            Style::new()
        } else if rest == (0, 0) {
            is_data = text == b"GIT binary patch";
            match hunk_line_counts(text) {
                Some(counts) => {
                    rest = counts;
                    HUNK_HEADER
                }
                None if first == Some(&b'\\') => Style::new(),
                None => HEADER,
            }
        } else {
            let (is_old, is_new) = (first != Some(&b'+'), first != Some(&b'-'));
            if first != Some(&b'\\') {
                rest.0 -= usize::from(is_old).min(rest.0);
                rest.1 -= usize::from(is_new).min(rest.1);
            }
            match first {
                Some(b'+') => ADDED,
                Some(b'-') => REMOVED,
                _ => Style::new(),
            }
        };
        writeln!(out, "{style}{}{style:#}", printable_line(text))?;
    }
    Ok(())
}
