//! The hunks of diffs: unified, context and normal.

use super::{NOTE, Rendered, body};
use crate::mutations::scene::{File, Hunk, Scene};

/// `@@ -1,2 +1,2 @@`
fn header(hunk: &Hunk) -> String {
    if let Some(header) = &hunk.header {
        return format!("{header}\n");
    }
    let range = |other, start: usize, more: isize| {
        let count = hunk.side(other).count();
        let start = (start + usize::from(count > 0)).saturating_add_signed(hunk.off);
        format!("{start},{}", count.saturating_add_signed(more))
    };
    format!(
        "@@ -{} +{} @@\n",
        range('+', hunk.old, hunk.more.0),
        range('-', hunk.new, hunk.more.1)
    )
}

pub(super) fn diff(scene: &Scene, lead: fn(&File) -> String) -> Rendered {
    let mut rendered = Rendered::default();
    for file in &scene.files {
        rendered.text += &format!("{0}--- a/{1}\n+++ b/{1}\n", lead(file), file.path);
        for hunk in &file.hunks {
            rendered.unit(&(header(hunk) + &body(hunk, true)));
        }
    }
    rendered
}

pub(super) fn context(scene: &Scene) -> Rendered {
    let mut rendered = Rendered::default();
    for file in &scene.files {
        rendered.text += &format!("*** a/{0}\n--- b/{0}\n", file.path);
        for hunk in &file.hunks {
            rendered.unit(&context_hunk(hunk));
        }
    }
    rendered
}

fn context_hunk(hunk: &Hunk) -> String {
    let changes = hunk.changes();
    let is_mixed = |gone: bool, nth: usize| {
        let (_, _, deletions, insertions) = &changes[nth];
        if gone {
            !insertions.is_empty()
        } else {
            !deletions.is_empty()
        }
    };
    let half = |other: char, kept: char, lone: char| {
        let (mut nth, mut is_behind, mut half) = (None::<usize>, false, String::new());
        for line in &hunk.lines {
            if line.sign != ' ' && !is_behind {
                nth = Some(nth.map_or(0, |nth| nth + 1));
            }
            is_behind = line.sign != ' ';
            let sign = match line.sign {
                ' ' => ' ',
                sign if sign == kept => {
                    if is_mixed(kept == '-', nth.unwrap_or(0)) {
                        '!'
                    } else {
                        lone
                    }
                }
                sign if sign == other => continue,
                _ => continue,
            };
            half += &if line.is_bare {
                format!("{}\n", line.text)
            } else {
                format!("{sign} {}\n", line.text)
            };
        }
        if hunk.has_note {
            half += NOTE;
        }
        let has = hunk.lines.iter().any(|line| line.sign == kept);
        if has { half } else { String::new() }
    };
    let range = |other: char, start: usize, more: isize| {
        let count = hunk.side(other).count().saturating_add_signed(more);
        let start = start.saturating_add_signed(hunk.off);
        match count {
            0 => format!("{start}"),
            1 => format!("{}", start + 1),
            count => format!("{},{}", start + 1, start + count),
        }
    };
    let (old, new) = (half('+', '-', '-'), half('-', '+', '+'));
    let (before, after) = (
        range('+', hunk.old, hunk.more.0),
        range('-', hunk.new, hunk.more.1),
    );
    format!("***************\n*** {before} ****\n{old}--- {after} ----\n{new}")
}

pub(super) fn normal(scene: &Scene) -> Rendered {
    let mut rendered = Rendered::default();
    for file in &scene.files {
        rendered.text += &format!("Index: a/{}\n", file.path);
        for hunk in &file.hunks {
            let (mut text, off) = (String::new(), hunk.off);
            for (old, new, gone, come) in hunk.changes() {
                let range =
                    |start: usize, count: usize| match (start.saturating_add_signed(off), count) {
                        (start, 0) => start.to_string(),
                        (start, 1) => (start + 1).to_string(),
                        (start, count) => format!("{},{}", start + 1, start + count),
                    };
                let letter = if gone.is_empty() {
                    'a'
                } else if come.is_empty() {
                    'd'
                } else {
                    'c'
                };
                text += &format!(
                    "{}{letter}{}\n",
                    range(old, gone.len()),
                    range(new, come.len())
                );
                text.extend(gone.iter().map(|line| format!("< {}\n", line.text)));
                text += if letter == 'c' { "---\n" } else { "" };
                text.extend(come.iter().map(|line| format!("> {}\n", line.text)));
            }
            rendered.unit(&text);
        }
    }
    rendered
}
