//! Further ways in which models damage diffs: what stands around them, what they leave out, what is
//! never certain.

use super::damage::{Damage, Damaged, headers, joined, mapped, of, parts};

/// Every damage.
pub(super) const FURTHER: &[(&str, Damage)] = &[
    ("signature", |patch, _, _, _| {
        let damaged = headers(patch, |old, new, _| {
            format!("@@ -{},{} +{},{} @@", old.0, old.1 + 2, new.0, new.1 + 1)
        })?;
        of(format!("{}-- \n2.43.0\n", damaged.text))
    }),
    ("heading", |patch, before, _, _| {
        let lines: Vec<_> = before.lines().collect();
        headers(patch, |old, _, _| {
            format!("@@ {}", old.0.checked_sub(2).map_or("", |at| lines[at]))
        })
    }),
    ("heading glued to its signs", |patch, before, _, _| {
        let lines: Vec<_> = before.lines().collect();
        headers(patch, |old, _, _| {
            format!(
                "@@{}",
                old.0.checked_sub(2).map_or("", |at| lines[at].trim())
            )
        })
    }),
    ("header repeated", |patch, before, _, _| {
        let lines: Vec<_> = before.lines().collect();
        headers(patch, |old, new, _| {
            format!(
                "@@ -{},9 +{},9 @@ {}",
                old.0,
                new.0,
                lines[old.0.saturating_sub(1)]
            )
        })
    }),
    ("changed line on the header", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        let glued = |hunk: &String| {
            let (header, body) = hunk.split_once('\n')?;
            let at = body
                .split_inclusive('\n')
                .position(|line| !line.starts_with(' '))?;
            let body: String = body.split_inclusive('\n').skip(at).collect();
            Some(format!("{} @@ {body}", header.split(" @@").next()?))
        };
        of(head
            + &hunks
                .iter()
                .map(glued)
                .collect::<Option<Vec<_>>>()?
                .concat())
    }),
    ("one marker", |patch, _, _, _| {
        let line = patch.lines().find(|line| line.starts_with("  "))?;
        of(patch.replacen(&format!("\n{line}\n"), &format!("\n{}\n", &line[1..]), 1))
    }),
    ("tags", |patch, _, _, _| {
        of(format!("<patch>\n{patch}</patch>\n"))
    }),
    ("fences", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        let fenced = |hunk: &String| format!("Now this:\n\n```diff\n{head}{hunk}```\n\n");
        of(hunks.iter().map(fenced).collect())
    }),
    ("runs of blanks", |patch, _, _, _| {
        of(joined(&mapped(patch, |line| {
            match line.split_once(" = ") {
                Some((left, right)) if line.starts_with(' ') => format!("{left}  =   {right}"),
                _ => line.to_owned(),
            }
        })))
    }),
    ("dedented", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        let dedented = |hunk: &String| -> String {
            let body: Vec<_> = hunk.lines().skip(1).collect();
            let depth = |line: &&str| line.len() - 1 - line[1..].trim_start().len();
            let least = body
                .iter()
                .filter(|line| !line[1..].trim().is_empty())
                .map(depth)
                .min()
                .unwrap_or(0);
            let cut = |line: &&str| {
                format!(
                    "{}{}\n",
                    &line[..1],
                    line[1..].get(least..).unwrap_or_default()
                )
            };
            ["@@ @@\n".to_owned()]
                .into_iter()
                .chain(body.iter().map(cut))
                .collect()
        };
        of(head + &hunks.iter().map(dedented).collect::<String>())
    }),
    ("gap", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        let cut = |hunk: &String| -> Option<String> {
            let mut lines: Vec<_> = hunk.lines().map(str::to_owned).collect();
            let at = lines
                .windows(3)
                .position(|three| three.iter().all(|line| line.starts_with(' ')))?;
            "@@".clone_into(&mut lines[0]);
            " // ... existing code ...".clone_into(&mut lines[at + 1]);
            Some(joined(&lines))
        };
        of(head + &hunks.iter().map(cut).collect::<Option<Vec<_>>>()?.concat())
    }),
    ("stamps", |patch, _, _, _| {
        of(patch.replace(
            "file.txt\n",
            "file.txt\t2024-02-30 10:00:00.000000000 +0100\n",
        ))
    }),
    ("only git", |patch, _, _, _| {
        of(git(&parts(patch).1.concat(), ""))
    }),
    ("made-up index", |patch, _, _, _| {
        of(git(patch, "index 1234567..abcdefg 100644\n"))
    }),
    ("git and lines", |patch, _, _, dice| {
        let damaged = headers(patch, |old, new, _| {
            format!(
                "@@ -{},{} +{},{} @@",
                old.0 + dice.below(9),
                old.1,
                new.0,
                new.1
            )
        })?;
        of(git(&damaged.text, ""))
    }),
    ("loose markers", |patch, _, _, _| {
        let body = parts(patch).1.concat();
        of(format!(
            "***begin patch\n***Update file:dir/file.txt\n{body}***end patch\n"
        ))
    }),
    ("envelopes", |patch, _, _, _| {
        let envelope = |hunk: &String| {
            let body = hunk.split_once('\n').map_or("", |(_, body)| body);
            format!("*** Begin Patch\n*** Update File: dir/file.txt\n@@\n{body}*** End Patch\n")
        };
        of(parts(patch).1.iter().map(envelope).collect())
    }),
    ("end behind a sign", |patch, _, _, _| {
        let body = parts(patch).1.concat();
        of(format!(
            "*** Begin Patch\n*** Update File: dir/file.txt\n{body}+*** End Patch\n"
        ))
    }),
    ("file without last newline", |patch, before, after, _| {
        let [before, after] = [before, after].map(|text| text.trim_end_matches('\n').to_owned());
        let is_kept = before.lines().last() == after.lines().last();
        is_kept.then(|| Damaged {
            text: patch.to_owned(),
            file: Some(before),
            result: Some(after),
        })
    }),
    ("same hunk twice", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        refused(format!("{head}{}{}", hunks[0], hunks.concat()))
    }),
    ("unknown line in between", |patch, before, after, _| {
        let line = patch
            .lines()
            .skip(3)
            .filter(|line| line.starts_with(' ') && line.trim().len() > 8)
            .nth(1)?;
        // Where it comes to stand behind the hunk, the hunk fits and the line stays.
        let [file, result] = [before, after].map(|text| {
            text.replacen(
                &format!("\n{}\n", &line[1..]),
                &format!("\n{}\nunknown\n", &line[1..]),
                9,
            )
        });
        Some(Damaged {
            text: patch.to_owned(),
            file: Some(file),
            result: Some(result),
        })
    }),
    ("outermost line differs", |patch, _, _, _| {
        let line = patch.lines().nth(3).filter(|line| line.starts_with(' '))?;
        of(patch.replacen(line, &format!("{line} // differs"), 1))
    }),
    ("out of the root", |patch, _, _, _| {
        refused(patch.replace("/dir/", "/../tree/dir/"))
    }),
    ("chunk without file", |patch, _, _, _| {
        let (head, hunks) = parts(patch);
        (hunks.len() > 1).then(|| refused(format!("{}{head}{}", hunks[0], hunks[1..].concat())))?
    }),
    ("no chunk header", |patch, _, _, _| {
        refused(
            patch
                .lines()
                .filter(|line| !line.starts_with("@@"))
                .flat_map(|line| [line, "\n"])
                .collect(),
        )
    }),
];

fn git(rest: &str, more: &str) -> String {
    format!("diff --git a/dir/file.txt b/dir/file.txt\n{more}{rest}")
}

/// What nobody can know the meaning of.
#[allow(clippy::unnecessary_wraps, reason = "a damage may not be possible")]
fn refused(text: String) -> Option<Damaged> {
    Some(Damaged {
        result: Some("refused".to_owned()),
        ..Damaged::plain(text)
    })
}
