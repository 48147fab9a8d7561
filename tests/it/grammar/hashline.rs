//! What the grammar of hashline cannot say: that files differ, that ranges run forwards and differ,
//! and that what is put from a register was cut.

/// Rewrites the paths and numbers of a sentence so that no rule without a place in the grammar is
/// broken.
pub(super) fn mended(sentence: &[u8]) -> Vec<u8> {
    let (mut mended, mut files, mut ranges) = (Vec::new(), 0, 0);
    let mut state = Section::Open;
    for line in sentence.split_inclusive(|&byte| byte == b'\n') {
        if state == Section::Aborted || line.starts_with(b"*** Abort") {
            state = Section::Aborted;
            mended.extend(line);
            continue;
        }
        let is_row = line.starts_with(b"+");
        if state == Section::Closed
            && (!line.starts_with(b"[") || is_row)
            && !line.starts_with(b"*** ")
        {
            continue;
        }
        if line.starts_with(b"[") {
            files += 1;
            let tag = line.iter().rposition(|&byte| byte == b'#').expect("a tag");
            mended.extend(format!("[f{files}").bytes());
            mended.extend(&line[tag..]);
            state = Section::Empty;
        } else if line.starts_with(b"REM") && state != Section::Empty {
            mended.extend(b"MV elsewhere\n");
            state = Section::Closed;
        } else if line.starts_with(b"REM") || line.starts_with(b"MV ") {
            mended.extend(line);
            state = Section::Closed;
        } else if line.starts_with(b"PUT ") || line.starts_with(b"CUT ") {
            let line = renumbered(line, &mut ranges);
            mended.extend(filled(&line, &mut ranges));
            state = Section::Open;
        } else {
            mended.extend(line);
        }
    }
    mended
}

/// How far a section is.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Empty,
    Open,
    Closed,
    /// Anything may follow.
    Aborted,
}

/// Gives a range lines that no other one has.
fn renumbered(line: &[u8], ranges: &mut usize) -> Vec<u8> {
    let Some(dots) = line.windows(2).position(|pair| pair == b".=") else {
        return line.to_vec();
    };
    let start = line[..dots]
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |before| before + 1);
    let end = line[dots + 2..]
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .map_or(line.len(), |end| dots + 2 + end);
    *ranges += 2;
    [
        &line[..start],
        format!("{}.={}", *ranges, *ranges + 1).as_bytes(),
        &line[end..],
    ]
    .concat()
}

/// Puts a `CUT` in front of a `PUT` that takes from a register.
fn filled(line: &[u8], ranges: &mut usize) -> Vec<u8> {
    let text = line.trim_ascii_end();
    if text.starts_with(b"CUT ") && !text.contains(&b'@') {
        // Of two of these without a name none is meant more than the other.
        return [text, b" @nameless\n"].concat();
    }
    if text.starts_with(b"CUT ") || text.ends_with(b":") {
        return line.to_vec();
    }
    *ranges += 2;
    let register = text
        .iter()
        .position(|&byte| byte == b'@')
        .map_or(&b""[..], |at| &text[at - 1..]);
    [
        format!("CUT {}.={}", *ranges, *ranges + 1).as_bytes(),
        register,
        b"\n",
        line,
    ]
    .concat()
}
