//! Comparisons of lines that ignore white space.

/// How a diff compares lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhitespaceComparison {
    /// Byte for byte.
    #[default]
    Exact,
    /// Like `-b` of git-diff(1): ignores white space at the end of lines, and all other runs of white
    /// space are equal.
    IgnoreAmount,
    /// Like `-w` of git-diff(1): ignores all white space.
    IgnoreAll,
}

impl WhitespaceComparison {
    /// Returns the part of `line` that is compared. A missing terminator always counts, because no line
    /// can follow a line without terminator.
    pub(super) fn key(self, line: &[u8]) -> Vec<u8> {
        let mut key = match self {
            Self::Exact => return line.to_vec(),
            Self::IgnoreAll => (line.iter().copied())
                .filter(|byte| !is_space(*byte))
                .collect(),
            Self::IgnoreAmount => collapse_spaces(line),
        };
        key.extend(line.ends_with(b"\n").then_some(b'\n'));
        key
    }
}

/// Removes white space at the end, and replaces each other run of white space by one space.
fn collapse_spaces(line: &[u8]) -> Vec<u8> {
    let end = line.iter().rposition(|byte| !is_space(*byte));
    let line = &line[..end.map_or(0, |last| last + 1)];
    let mut key = Vec::with_capacity(line.len() + 1);
    for &byte in line {
        match byte {
            byte if !is_space(byte) => key.push(byte),
            _ if key.last() == Some(&b' ') => {}
            _ => key.push(b' '),
        }
    }
    key
}

/// Returns whether `byte` is white space for isspace(3) in the C locale.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
