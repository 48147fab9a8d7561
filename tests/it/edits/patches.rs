//! Changes of lines as patches, in every grammar.

use serde_json::json;
use wpatch::text::tag::HashlineTag;

use super::lines::Section;
use super::model::{Edit, Line, Side, Text, joined};
use crate::dice::Dice;

/// Returns a diff with git's headers.
pub(super) fn git(sections: &[Section], dice: &mut Dice) -> Vec<u8> {
    let section = |section: &Section| {
        let name = section.name;
        [
            format!("diff --git a/{name} b/{name}\n").into_bytes(),
            hunk(section, dice),
        ]
        .concat()
    };
    sections.iter().map(section).collect::<Vec<_>>().concat()
}

/// Returns a diff without git's headers. It cannot tell an empty file from one that is not there.
pub(super) fn unified(sections: &[Section], dice: &mut Dice) -> Option<Vec<u8>> {
    let is_told =
        |section: &Section| !section.text.bytes().is_empty() && !section.after.bytes().is_empty();
    let diffs = sections
        .iter()
        .map(|section| hunk(section, dice))
        .collect::<Vec<_>>();
    sections.iter().all(is_told).then(|| diffs.concat())
}

fn hunk(section: &Section, dice: &mut Dice) -> Vec<u8> {
    diff(
        section.name,
        [&section.text.bytes(), &section.after.bytes()],
        1 + dice.below(4),
    )
}

/// Returns the names of the file and one hunk with all that changes.
pub(super) fn diff(name: &str, sides: [&[u8]; 2], context: usize) -> Vec<u8> {
    let [old, new] = sides.map(lines);
    let same = |(left, right): &(&Vec<u8>, &Vec<u8>)| left == right;
    let first = old.iter().zip(&new).take_while(same).count();
    let most = old.len().min(new.len()) - first;
    let last = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(same)
        .count();
    let (start, rest) = (first.saturating_sub(context), last.saturating_sub(context));
    let range = |lines: &[Vec<u8>]| {
        let count = lines.len() - rest - start;
        format!("{},{count}", if count == 0 { start } else { start + 1 })
    };
    let header = format!(
        "--- a/{name}\n+++ b/{name}\n@@ -{} +{} @@\n",
        range(&old),
        range(&new)
    );
    let rows = [
        (b' ', &old[start..first]),
        (b'-', &old[first..old.len() - last]),
        (b'+', &new[first..new.len() - last]),
        (b' ', &old[old.len() - last..old.len() - rest]),
    ];
    let mut out = header.into_bytes();
    for (sign, lines) in rows {
        for line in lines {
            out.push(sign);
            out.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

/// Returns a patch of Codex, which has to be UTF-8.
pub(super) fn codex(sections: &[Section], dice: &mut Dice) -> Option<Vec<u8>> {
    let mut patch = b"*** Begin Patch\n".to_vec();
    for section in sections {
        patch.extend(format!("*** Update File: {}\n", section.name).into_bytes());
        patch.extend(chunks(section, dice)?);
    }
    patch.extend_from_slice(b"*** End Patch\n");
    std::str::from_utf8(&patch).is_ok().then_some(patch)
}

/// Returns the operations of the tool `apply_patch`, as JSON: of texts in UTF-8 only.
pub(super) fn operations(sections: &[Section], dice: &mut Dice) -> Option<Vec<u8>> {
    let operation = |section: &Section| {
        let diff = String::from_utf8(chunks(section, dice)?).ok()?;
        Some(json!({ "type": "update_file", "path": section.name, "diff": diff }))
    };
    let operations = sections.iter().map(operation).collect::<Option<Vec<_>>>()?;
    Some(json!(operations).to_string().into_bytes())
}

/// Returns what stands below the name of a file in a patch of Codex, which cannot say that a line
/// has no line end.
fn chunks(section: &Section, dice: &mut Dice) -> Option<Vec<u8>> {
    let text = &section.text;
    let is_at_end = |edit: &Edit| edit.gone.end == text.lines.len() && !edit.come.is_empty();
    if text.is_open() && section.edits.iter().any(is_at_end) {
        return None;
    }
    // Each chunk is looked for behind the one before.
    let is_there_once = |window: std::ops::Range<usize>, cursor: usize| {
        let wanted = contents(&text.lines[window]);
        contents(&text.lines[cursor..])
            .windows(wanted.len())
            .filter(|place| *place == wanted)
            .count()
            == 1
    };
    let mut out = Vec::new();
    for (edit, window) in section
        .edits
        .iter()
        .zip(text.windows(&section.edits, is_there_once)?)
    {
        let row = |sign: u8| move |content: &Vec<u8>| [&[sign], &content[..], b"\n"].concat();
        let old = |sign: u8, lines: &[Line]| {
            lines
                .iter()
                .map(|line| row(sign)(&line.content))
                .collect::<Vec<_>>()
        };
        out.extend_from_slice(b"@@\n");
        out.extend(
            old(
                b' ',
                &text.lines[window.start..edit.gone.start.max(window.start)],
            )
            .concat(),
        );
        out.extend(old(b'-', &text.lines[edit.gone.clone()]).concat());
        out.extend(edit.come.iter().flat_map(row(b'+')));
        out.extend(
            old(
                b' ',
                &text.lines[edit.gone.end..window.end.max(edit.gone.end)],
            )
            .concat(),
        );
        if window.end == text.lines.len() && dice.once_in(2) {
            out.extend_from_slice(b"*** End of File\n");
        }
    }
    Some(out)
}

fn contents(lines: &[Line]) -> Vec<&Vec<u8>> {
    lines.iter().map(|line| &line.content).collect()
}

/// Returns SEARCH/REPLACE blocks. Each sees what the ones before left.
pub(super) fn blocks(sections: &[Section], dice: &mut Dice) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for section in sections {
        out.extend(format!("{}\n", section.name).into_bytes());
        let is_fenced = dice.once_in(2);
        for (search, replace) in section_blocks(section)? {
            let fences: [&[u8]; 2] = if is_fenced {
                [b"```\n", b"```\n"]
            } else {
                [b"", b""]
            };
            let parts: [&[u8]; 7] = [
                fences[0],
                b"<<<<<<< SEARCH\n",
                &search,
                b"=======\n",
                &replace,
                b">>>>>>> REPLACE\n",
                fences[1],
            ];
            out.extend(parts.concat());
        }
    }
    Some(out)
}

fn section_blocks(section: &Section) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let (text, edits) = (&section.text, &section.edits);
    if text.lines.is_empty() {
        // An empty file is filled byte for byte; there is no line that what comes could be put
        // beside.
        return (!text.has_mark)
            .then(|| vec![(Vec::new(), joined(edits.iter().flat_map(|edit| &edit.come)))]);
    }
    let is_there_once = |text: &Text, wanted: &[Vec<u8>]| {
        let lines: Vec<_> = text.lines.iter().map(|line| line.content.clone()).collect();
        lines
            .windows(wanted.len())
            .filter(|place| *place == wanted)
            .count()
            == 1
    };
    let of = |window: std::ops::Range<usize>| -> Vec<_> {
        text.lines[window]
            .iter()
            .map(|line| line.content.clone())
            .collect()
    };
    let windows = text.windows(edits, |window, _| is_there_once(text, &of(window)))?;
    let in_turn = text.in_turn(edits)?;
    let mut blocks = Vec::new();
    for ((edit, window), left) in edits.iter().zip(windows).zip(in_turn) {
        let old = of(window.clone());
        if !is_there_once(&left, &old) {
            return None;
        }
        blocks.push((joined(&old), joined(&edit.within(&old, window.start))));
    }
    Some(blocks)
}

/// Returns edits of numbered lines. Where the last line is open it stays so, also if that line
/// goes.
pub(super) fn hashline(sections: &[Section], _: &mut Dice) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for Section {
        name, text, edits, ..
    } in sections
    {
        let goes = |edit: &Edit| edit.come.is_empty() && edit.gone.end == text.lines.len();
        if text.is_open() && edits.iter().any(goes) {
            return None;
        }
        out.extend(format!("[{name}#{}]\n", HashlineTag::of(&text.bytes())).into_bytes());
        for edit in edits {
            let (first, last) = (edit.gone.start + 1, edit.gone.end);
            let head = match edit.side {
                _ if edit.come.is_empty() => format!("CUT {first}.={last}\n"),
                _ if !edit.gone.is_empty() => format!("PUT {first}.={last}:\n"),
                Side::Before => format!("PUT <{first}:\n"),
                Side::Behind if last == text.lines.len() => "PUT >$:\n".to_owned(),
                Side::Behind => format!("PUT >{last}:\n"),
            };
            out.extend(head.into_bytes());
            out.extend(
                edit.come
                    .iter()
                    .flat_map(|content| [b"+", &content[..], b"\n"].concat()),
            );
        }
    }
    Some(out)
}
