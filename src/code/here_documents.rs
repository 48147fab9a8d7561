//! Finds here-documents in shell scripts. Their content is not code, but the grammar can fail in it.

/// Returns whether `offset` of `text` is in a here-document.
pub(super) fn is_in_here_document(text: &str, offset: usize) -> bool {
    let mut end = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_here = (start..start + line.len()).contains(&offset);
        match end {
            Some(delimiter) if line.trim() == delimiter => end = None,
            Some(_) if is_here => return true,
            Some(_) => {}
            None => end = delimiter(line),
        }
        start += line.len();
    }
    false
}

/// Returns the delimiter of the here-document that starts after `line`.
fn delimiter(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let word = rest.trim_start_matches('-').trim_start();
    let word = word.trim_start_matches(['"', '\'', '\\']);
    let length = word
        .find(|character: char| !(character.is_alphanumeric() || character == '_'))
        .unwrap_or(word.len());
    (length > 0).then(|| &word[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_here_document_ends_at_its_delimiter() {
        let text = "a\ncat <<-'END' | b\nc\n\tEND\nd\n";
        let is_in = |word: &str| is_in_here_document(text, text.find(word).unwrap());
        assert!(is_in("c\n"));
        assert!(!is_in("a\n") && !is_in("b\n") && !is_in("END\nd") && !is_in("d\n"));
    }
}
