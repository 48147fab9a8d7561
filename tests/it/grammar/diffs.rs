//! What the grammars of context and normal diffs cannot say: numbers, and halves that agree.

/// Writes the numbers of a hunk, gives it a change, and gives its new half the context of the old
/// one.
pub(super) fn context(hunk: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = hunk.split_inclusive(|&byte| byte == b'\n').collect();
    let border = lines
        .iter()
        .rposition(|line| line.starts_with(b"--- "))
        .expect("two halves");
    let is_note = |line: &&&[u8]| line.starts_with(b"\\");
    let mut old: Vec<&[u8]> = lines[2..border]
        .iter()
        .filter(|line| !is_note(line))
        .copied()
        .collect();
    let mut new: Vec<&[u8]> = lines[border + 1..]
        .iter()
        .filter(|line| !is_note(line))
        .copied()
        .collect();
    new.retain(|line| line.starts_with(b"+") || line.starts_with(b"!"));
    let is_context = |line: &&&[u8]| !line.starts_with(b"-") && !line.starts_with(b"!");
    // The first line of a half that may be left out has to have its blanks.
    old.insert(0, b"  first\n");
    let context: Vec<&[u8]> = old.iter().filter(is_context).copied().collect();
    old.push(b"! old\n");
    new.extend(context);
    new.insert(0, b"! new\n");
    let numbers = |count: usize| {
        if count == 1 {
            "7".to_owned()
        } else {
            format!("7,{}", 6 + count)
        }
    };
    let head = |mark: &str, count| {
        format!(
            "{mark} {} {}\n",
            numbers(count),
            mark.repeat(4 / mark.len())
        )
    };
    let (before, after) = (head("***", old.len()), head("---", new.len()));
    [
        &[lines[0], before.as_bytes()],
        old.as_slice(),
        &[after.as_bytes()],
        &new,
    ]
    .concat()
    .concat()
}

/// Writes the numbers of a command.
pub(super) fn normal(hunk: &[u8]) -> Vec<u8> {
    let end = hunk
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a command")
        + 1;
    let count = |mark: u8| {
        hunk[end..]
            .split(|&byte| byte == b'\n')
            .filter(|line| line.first() == Some(&mark))
            .count()
    };
    let letter = hunk
        .iter()
        .copied()
        .find(u8::is_ascii_lowercase)
        .expect("a letter");
    let numbers = |count: usize| {
        if count < 2 {
            "7".to_owned()
        } else {
            format!("7,{}", 6 + count)
        }
    };
    let command = format!(
        "{}{}{}\n",
        numbers(count(b'<')),
        char::from(letter),
        numbers(count(b'>'))
    );
    [command.as_bytes(), &hunk[end..]].concat()
}
