//! The ways in which models damage diffs.

use crate::dice::Dice;

/// A damaged patch, and what it is for if that is not the tree of the whole one.
pub(super) struct Damaged {
    pub(super) text: String,
    /// The file, where it is another one.
    pub(super) file: Option<String>,
    /// What it is to become then.
    pub(super) result: Option<String>,
}

/// Returns a damaged form of a patch from one text to another; `None` if it cannot be damaged in
/// this way.
pub(super) type Damage = fn(&str, &str, &str, &mut Dice) -> Option<Damaged>;

/// Every damage.
pub(super) const DAMAGES: &[(&str, Damage)] = &[
    ("none", |patch, _, _, _| of(patch.to_owned())),
    ("counts", |patch, _, _, dice| {
        headers(patch, |old, new, _| {
            let more = dice.below(5);
            format!(
                "@@ -{},{} +{},{} @@",
                old.0,
                old.1 + more,
                new.0,
                (new.1 + 2).saturating_sub(more)
            )
        })
    }),
    ("no counts", |patch, _, _, _| {
        headers(patch, |old, new, _| format!("@@ -{} +{} @@", old.0, new.0))
    }),
    ("lines", |patch, _, _, dice| {
        headers(patch, |old, new, _| {
            format!(
                "@@ -{},{} +{},{} @@",
                old.0 + dice.below(60),
                old.1,
                new.0,
                new.1
            )
        })
    }),
    ("ones", |patch, _, _, _| {
        headers(patch, |old, new, _| {
            format!("@@ -1,{} +1,{} @@", old.1, new.1)
        })
    }),
    ("beyond", |patch, _, _, _| {
        headers(patch, |old, new, _| {
            format!("@@ -99999,{} +99999,{} @@", old.1, new.1)
        })
    }),
    ("bare", |patch, _, _, _| {
        headers(patch, |_, _, _| "@@".to_owned())
    }),
    ("dots", |patch, _, _, _| {
        headers(patch, |_, _, _| "@@ ... @@".to_owned())
    }),
    ("letters", |patch, _, _, _| {
        headers(patch, |_, _, _| "@@ -XX,XX +XX,XX @@".to_owned())
    }),
    ("glued", |patch, _, _, _| {
        let mut out = Vec::new();
        let mut lines = patch.lines().peekable();
        while let Some(line) = lines.next() {
            match (
                line.starts_with("@@"),
                lines.peek().and_then(|next| next.strip_prefix(' ')),
            ) {
                (true, Some(context)) if !context.trim().is_empty() => {
                    out.push(format!(
                        "{} {context}",
                        line.split(" @@").next()?.to_owned() + " @@"
                    ));
                    lines.next();
                }
                _ => out.push(line.to_owned()),
            }
        }
        of(joined(&out))
    }),
    ("blank context", |patch, _, _, _| {
        of(joined(&mapped(patch, |line| {
            if line == " " {
                String::new()
            } else {
                line.to_owned()
            }
        })))
    }),
    ("context shifted", |patch, _, _, _| {
        of(joined(&mapped(patch, |line| {
            line.strip_prefix(' ').unwrap_or(line).to_owned()
        })))
    }),
    ("fence", |patch, _, _, _| {
        of(format!(
            "Here is the change:\n\n```diff\n{patch}```\n\nIt does what you asked for.\n"
        ))
    }),
    ("prose", |patch, _, _, _| {
        of(format!(
            "I changed it as follows.\n\n{patch}\nThat is all.\n"
        ))
    }),
    ("indented", |patch, _, _, _| {
        of(joined(&mapped(patch, |line| format!("    {line}"))))
    }),
    ("mark", |patch, _, _, _| of(format!("\u{feff}{patch}"))),
    ("heredoc", |patch, _, _, _| {
        of(format!("apply_patch <<'EOF'\n{patch}EOF\n"))
    }),
    ("no end", |patch, _, _, _| {
        of(patch.trim_end_matches('\n').to_owned())
    }),
    ("trailing blanks", |patch, _, _, _| {
        of(joined(&mapped(patch, |line| {
            if line.starts_with(' ') {
                format!("{line}  ")
            } else {
                line.to_owned()
            }
        })))
    }),
    ("crlf patch", |patch, _, _, _| {
        of(patch.replace('\n', "\r\n"))
    }),
    ("crlf file", |patch, before, after, _| {
        Some(Damaged {
            text: patch.to_owned(),
            file: Some(before.replace('\n', "\r\n")),
            result: Some(after.replace('\n', "\r\n")),
        })
    }),
    ("typographic file", |patch, before, after, _| {
        let typed = |text: &str| text.replace('\'', "\u{2019}").replace(" - ", " \u{2013} ");
        let is_context = |line: &&str| !line.starts_with('+') && typed(line) != **line;
        patch.lines().find(is_context)?;
        Some(Damaged {
            text: patch.to_owned(),
            file: Some(typed(before)),
            result: Some(typed(after)),
        })
    }),
    ("tabs for blanks", |patch, _, _, _| {
        of(joined(&mapped(patch, |line| {
            match line.strip_prefix(" ") {
                Some(rest) if rest.starts_with("    ") => {
                    format!(" {}", rest.replacen("    ", "\t", 9))
                }
                _ => line.to_owned(),
            }
        })))
    }),
    ("no prefix", |patch, _, _, _| {
        of(patch.replace("--- a/", "--- ").replace("+++ b/", "+++ "))
    }),
    ("dot slash", |patch, _, _, _| {
        of(patch
            .replace("--- a/", "--- ./")
            .replace("+++ b/", "+++ ./"))
    }),
    ("project", |patch, _, _, _| {
        of(patch
            .replace("a/dir", "a/project/dir")
            .replace("b/dir", "b/project/dir"))
    }),
    ("absolute", |patch, _, _, _| {
        of(patch
            .replace("a/dir", "/srv/tree/dir")
            .replace("b/dir", "/srv/tree/dir"))
    }),
    ("elsewhere", |patch, _, _, _| {
        of(patch
            .replace("a/dir", "/home/me/dir")
            .replace("b/dir", "/home/me/dir"))
    }),
    ("backslashes", |patch, _, _, _| {
        of(patch
            .replace("a/dir/file", "a\\dir\\file")
            .replace("b/dir/file", "b\\dir\\file"))
    }),
    ("orig", |patch, _, _, _| {
        of(patch
            .replace("a/dir/file.txt", "dir/file.txt.orig")
            .replace("b/dir", "dir"))
    }),
    ("only new", |patch, _, _, _| {
        of(patch.split_once('\n')?.1.to_owned())
    }),
    ("only old", |patch, _, _, _| {
        of(joined(
            &patch
                .lines()
                .filter(|line| !line.starts_with("+++ "))
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        ))
    }),
    ("reversed order", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        (hunks.len() > 1)
            .then(|| Damaged::plain(head + &hunks.into_iter().rev().collect::<String>()))
    }),
    ("one file twice", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        (hunks.len() > 1).then(|| {
            Damaged::plain(
                hunks
                    .iter()
                    .flat_map(|hunk| [head.as_str(), hunk])
                    .collect(),
            )
        })
    }),
    ("line numbers", |patch, _, _, _| {
        let mut number = 0;
        let mut out = Vec::new();
        for line in patch.lines() {
            if line.starts_with("@@") {
                number = line[4..]
                    .split(',')
                    .next()?
                    .split(' ')
                    .next()?
                    .parse()
                    .ok()?;
            }
            match line.chars().next() {
                Some(mark @ (' ' | '-')) if !line.starts_with("---") => {
                    out.push(format!("{mark}{number:>4}| {}", &line[1..]));
                    number += 1;
                }
                _ => out.push(line.to_owned()),
            }
        }
        of(joined(&out))
    }),
    ("escaped", |patch, _, _, _| {
        let turned = |line: &str| {
            line.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
        };
        of(joined(&mapped(patch, turned)))
    }),
    ("envelope", |patch, _, _, _| {
        let (_, hunks) = parts(patch);
        let body: String = hunks
            .iter()
            .filter_map(|hunk| hunk.split_once('\n'))
            .flat_map(|(_, body)| ["@@\n", body])
            .collect();
        of(format!(
            "*** Begin Patch ***\n*** Update file: dir/file.txt ***\n{body}*** End Patch ***\n"
        ))
    }),
    ("envelope with ranges", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        of(format!(
            "*** Begin Patch\n*** Update File: dir/file.txt\n{head}{}*** End Patch\n",
            hunks.concat()
        ))
    }),
    ("envelope without end", |patch, _, _, _| {
        let (_, hunks) = parts(patch);
        of(format!(
            "*** Begin Patch\n*** Update File: dir/file.txt\n{}",
            hunks.concat()
        ))
    }),
    ("stale", |patch, _, _, _| {
        // A removed line that the file does not have is another file's.
        let line = patch
            .lines()
            .skip(2)
            .find(|line| line.starts_with('-') && line.trim().len() > 8)?;
        of(patch.replacen(line, &format!("{line} x"), 1)).map(|damaged| Damaged {
            result: Some("refused".to_owned()),
            ..damaged
        })
    }),
    ("twice", |patch, _, after, _| {
        patch
            .lines()
            .skip(2)
            .find(|line| line.starts_with('+') && line.trim().len() > 8)?;
        Some(Damaged {
            text: patch.to_owned(),
            file: Some(after.to_owned()),
            result: Some("refused".to_owned()),
        })
    }),
];

impl Damaged {
    pub(super) fn plain(text: String) -> Self {
        Self {
            text,
            file: None,
            result: None,
        }
    }
}

/// Every text can be damaged so.
#[allow(clippy::unnecessary_wraps, reason = "a damage may not be possible")]
pub(super) fn of(text: String) -> Option<Damaged> {
    Some(Damaged::plain(text))
}

pub(super) fn joined(lines: &[String]) -> String {
    lines
        .iter()
        .flat_map(|line| [line.as_str(), "\n"])
        .collect()
}

/// Changes the lines behind the names.
pub(super) fn mapped(patch: &str, change: impl Fn(&str) -> String) -> Vec<String> {
    let changed = |(index, line): (usize, &str)| {
        let is_kept = index < 2 || line.starts_with("@@");
        if is_kept {
            keep(line, &change)
        } else {
            change(line)
        }
    };
    patch.lines().enumerate().map(changed).collect()
}

/// Names and headers change only where everything is indented.
fn keep(line: &str, change: &impl Fn(&str) -> String) -> String {
    let changed = change(line);
    if changed.trim_start() == line {
        changed
    } else {
        line.to_owned()
    }
}

/// Changes the hunk headers, of which the ranges are given.
pub(super) fn headers(
    patch: &str,
    mut change: impl FnMut((usize, usize), (usize, usize), &str) -> String,
) -> Option<Damaged> {
    let mut out = Vec::new();
    for line in patch.lines() {
        let Some(rest) = line.strip_prefix("@@ -") else {
            out.push(line.to_owned());
            continue;
        };
        let (old, rest) = rest.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let range = |text: &str| -> Option<(usize, usize)> {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        out.push(change(range(old)?, range(new)?, line));
    }
    of(joined(&out))
}

/// Splits a patch into the names and the hunks.
pub(super) fn parts(patch: &str) -> (String, Vec<String>) {
    let (mut head, mut hunks) = (String::new(), Vec::<String>::new());
    for line in patch.lines() {
        if line.starts_with("@@") {
            hunks.push(String::new());
        }
        let part = hunks.last_mut().unwrap_or(&mut head);
        part.push_str(line);
        part.push('\n');
    }
    (head, hunks)
}
