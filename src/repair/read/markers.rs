//! The lines that stand around changes: markers of envelopes, fences, headers of files, signatures
//! of mail.

/// Returns whether a line can only be the header of a file, or an envelope's.
pub(super) fn is_file_header(line: &[u8]) -> bool {
    line.starts_with(b"diff --git ") || line.starts_with(b"+++ ") || marker(line).is_some()
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

/// Returns the marker that `line` is, also with other blanks and letters than it is written with.
pub(super) fn marker(line: &[u8]) -> Option<Marker<'_>> {
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

/// Returns whether `line` is one that `apply` reads exactly so.
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

/// A fence of three or more backticks or tildes.
pub(in crate::repair) fn is_fence(line: &[u8]) -> bool {
    [b'`', b'~']
        .iter()
        .any(|&mark| line.iter().take_while(|&&byte| byte == mark).count() >= 3)
}

/// The line between a mail and its signature.
pub(in crate::repair) fn is_signature(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"--"
}

/// `*** End Patch`, also behind a sign.
pub(super) fn is_end_marker(line: &[u8]) -> bool {
    matches!(marker(line), Some(Marker::End))
}

/// The word that ends a heredoc.
pub(super) fn is_here_end(line: &[u8]) -> bool {
    line == b"EOF" || line == b"PATCH"
}

/// `</patch>`
pub(super) fn is_closing_tag(line: &[u8]) -> bool {
    line.starts_with(b"</") && line.ends_with(b">")
}
