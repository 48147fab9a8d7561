//! Writes the lines of a merged text.

/// The length of a conflict marker, in bytes.
const MARKER: usize = 7;

/// Returns whether a line ends with CR LF. For an unterminated last line, the line before it
/// decides.
pub(super) fn is_crlf_line(lines: &[&[u8]], index: usize) -> Option<bool> {
    let line = lines.get(index).filter(|line| line.ends_with(b"\n"));
    let line = line.or_else(|| lines.get(index.checked_sub(1)?));
    line.map(|line| line.ends_with(b"\r\n"))
}

pub(super) fn put(out: &mut Vec<u8>, lines: &[&[u8]]) {
    out.extend(lines.iter().copied().flatten());
}

/// Writes a conflict marker.
pub(crate) fn put_marker(out: &mut Vec<u8>, sign: u8, label: &str, newline: &[u8]) {
    out.extend([sign; MARKER]);
    out.extend(label.as_bytes());
    out.extend(newline);
}

/// Terminates the last line if it has no terminator.
pub(crate) fn end_line(out: &mut Vec<u8>, newline: &[u8]) {
    if out.last().is_some_and(|&last| last != b'\n') {
        out.extend_from_slice(newline);
    }
}
