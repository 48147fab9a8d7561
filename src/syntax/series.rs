//! Finds the borders between the patches of a series.

use crate::text::{lines, without_ending};

/// Returns whether the text between two sections starts another patch: a message of a mailbox, a
/// commit of `git log -p`, or an export of Mercurial. `git format-patch` and mail programs write
/// mailboxes.
pub(super) fn has_border(between: &[u8]) -> bool {
    lines(between).any(|(_, line)| is_border(without_ending(line)))
}

/// Returns whether a message, a commit or an export starts at `line`. `line` has no terminator.
pub(super) fn is_border(line: &[u8]) -> bool {
    line == b"# HG changeset patch"
        || is_from_line(line)
        || line
            .strip_prefix(b"commit ")
            .is_some_and(begins_with_object_name)
}

/// Returns whether `line` starts a message of a mailbox.
pub(crate) fn is_from_line(line: &[u8]) -> bool {
    line.strip_prefix(b"From ").is_some_and(has_time_and_year)
}

/// Returns whether `line` starts with a full object name. `git log` and `git show` write it at the
/// start of a commit. Refs can follow.
fn begins_with_object_name(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    matches!(name, 40 | 64) && matches!(line.get(name), None | Some(b' '))
}

/// Returns whether `line` contains a time and a year, such as `09:30:00 2024`. A mailbox line
/// contains them and a line of prose that starts with `From ` usually does not. A zone can follow.
fn has_time_and_year(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    words
        .windows(2)
        .any(|pair| is_clock(pair[0]) && is_year(pair[1]))
}

fn is_clock(word: &[u8]) -> bool {
    let is_two_digits = |part: &[u8]| part.len() == 2 && part.iter().all(u8::is_ascii_digit);
    word.split(|&byte| byte == b':').all(is_two_digits) && matches!(word.len(), 5 | 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_has_borders_and_prose_has_none() {
        for border in [
            "-- \n2.39\n\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: me\n",
            "From me@example.org Sat Jan  3 01:05:34 1996\r\n",
            "# HG changeset patch\n",
            "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: me\n",
            "commit 0123456789abcdef0123456789abcdef01234567 (HEAD -> main)\r\n",
        ] {
            assert!(has_border(border.as_bytes()), "{border}");
        }
        for prose in [
            "From: me\n",
            "commit 0123abc\n",
            "commit it\n",
            "From the beginning of 2001\n",
            ">From me Mon Sep 17 00:00:00 2001\n",
            "",
        ] {
            assert!(!has_border(prose.as_bytes()), "{prose}");
        }
    }
}
