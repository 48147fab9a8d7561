//! Recognises the lines around changes: envelope markers, fences, file headers, and mail
//! signatures.

/// Returns whether a line can only be the header of a file, in a diff or in an envelope.
pub(super) fn is_file_header(line: &[u8]) -> bool {
    line.starts_with(b"diff --git ") || line.starts_with(b"+++ ") || parse_marker(line).is_some()
}

/// The markers of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker<'t> {
    Begin,
    End,
    Add(&'t [u8]),
    Delete(&'t [u8]),
    Update(&'t [u8]),
    Move(&'t [u8]),
    EndOfFile,
    Environment,
}

/// Returns the marker on `line`. White space and case may differ from the exact form, and stars or
/// a `+` sign may be added: `***begin patch`, `*** Begin Patch ***`, `+*** End Patch`.
pub(super) fn parse_marker(line: &[u8]) -> Option<Marker<'_>> {
    let line = line
        .strip_prefix(b"+")
        .filter(|rest| rest.starts_with(b"***"))
        .unwrap_or(line);
    let rest = line.strip_prefix(b"***")?;
    let rest = rest.trim_ascii();
    let rest = rest.strip_suffix(b"***").unwrap_or(rest).trim_ascii_end();
    let word = |word: &[u8]| {
        let (head, tail) = rest.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then(|| tail.trim_ascii())
    };
    let named = |words: &[u8]| word(words).filter(|name| !name.is_empty());
    if word(b"begin patch").is_some_and(<[u8]>::is_empty) {
        return Some(Marker::Begin);
    }
    if word(b"end patch").is_some_and(<[u8]>::is_empty) {
        return Some(Marker::End);
    }
    if word(b"end of file").is_some_and(<[u8]>::is_empty) {
        return Some(Marker::EndOfFile);
    }
    named(b"add file:")
        .map(Marker::Add)
        .or_else(|| named(b"delete file:").map(Marker::Delete))
        .or_else(|| named(b"update file:").map(Marker::Update))
        .or_else(|| named(b"move to:").map(Marker::Move))
        .or_else(|| named(b"environment id:").map(|_| Marker::Environment))
}

/// Returns whether `line` has the exact form that `apply` reads.
pub(super) fn is_exact_marker(line: &[u8]) -> bool {
    let words: [&[u8]; 8] = [
        b"*** Begin Patch",
        b"*** End Patch",
        b"*** End of File",
        b"*** Add File: ",
        b"*** Delete File: ",
        b"*** Update File: ",
        b"*** Move to: ",
        b"*** Environment ID: ",
    ];
    words.iter().any(|word| line.starts_with(word)) && !line.ends_with(b"***")
}

/// Returns whether `line` starts with a fence of three or more backticks or tildes.
pub(in crate::repair) fn is_fence(line: &[u8]) -> bool {
    [b'`', b'~']
        .iter()
        .any(|&mark| line.iter().take_while(|&&byte| byte == mark).count() >= 3)
}

/// Returns whether `line` separates a mail from its signature. Mail programs can strip the space of
/// `-- `.
pub(in crate::repair) fn is_signature(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"--"
}

/// Returns whether `line` is `*** End Patch`, also after a sign.
pub(super) fn is_end_marker(line: &[u8]) -> bool {
    matches!(parse_marker(line), Some(Marker::End))
}

/// Returns whether `line` is a common word that ends a heredoc, as in `apply_patch <<'EOF'`.
pub(super) fn is_heredoc_end(line: &[u8]) -> bool {
    line == b"EOF" || line == b"PATCH"
}

/// Returns whether `line` is a closing tag such as `</patch>`.
pub(super) fn is_closing_tag(line: &[u8]) -> bool {
    line.starts_with(b"</") && line.ends_with(b">")
}
