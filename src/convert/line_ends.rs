//! Conversion of line endings: the attributes `text` and `eol`, `core.autocrlf` and `core.eol`.

use bstr::ByteSlice;

/// The conversion of line endings for one file, `enum convert_crlf_action` in git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrLfAction {
    /// No conversion.
    #[default]
    Kept,
    /// The file is text and has LF in the work tree.
    TextLf,
    /// The file is text and has CR LF in the work tree.
    TextCrLf,
    /// The content decides whether the file is text. A text file has LF in the work tree.
    AutoLf,
    /// The content decides whether the file is text. A text file has CR LF in the work tree.
    AutoCrLf,
}

impl CrLfAction {
    /// Returns the content for the repository if it differs from `bytes`.
    pub(super) fn to_repository(self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self == Self::Kept || !bytes.contains_str(b"\r\n") {
            return None;
        }
        if self.is_automatic() && TextStats::of(bytes).is_binary() {
            return None;
        }
        // Only the CR of a CR LF is removed. git removes every CR in the automatic modes, which is
        // the same: a file with a lone CR is binary there.
        let mut converted = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(at) = rest.find(b"\r\n") {
            converted.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
        }
        converted.extend_from_slice(rest);
        Some(converted)
    }

    /// Returns the content for the work tree if it differs from `bytes`.
    pub(super) fn to_work_tree(self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !matches!(self, Self::TextCrLf | Self::AutoCrLf) {
            return None;
        }
        let counts = TextStats::of(bytes);
        let has_cr = counts.lone_cr > 0 || counts.cr_lf > 0;
        if counts.lone_lf == 0 || self.is_automatic() && (has_cr || counts.is_binary()) {
            return None;
        }
        let mut converted = Vec::with_capacity(bytes.len() + counts.lone_lf);
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            converted.extend_from_slice(&rest[..at]);
            converted.extend_from_slice(if rest[..at].ends_with(b"\r") {
                b"\n"
            } else {
                b"\r\n"
            });
            rest = &rest[at + 1..];
        }
        converted.extend_from_slice(rest);
        Some(converted)
    }

    fn is_automatic(self) -> bool {
        matches!(self, Self::AutoLf | Self::AutoCrLf)
    }
}

/// The counts by which git decides whether a file is text, `struct text_stat`.
#[derive(Clone, Copy, Debug, Default)]
struct TextStats {
    lone_cr: usize,
    lone_lf: usize,
    cr_lf: usize,
    nul: usize,
    printable: usize,
    not_printable: usize,
}

impl TextStats {
    /// Counts the bytes like git's `gather_stats`.
    fn of(bytes: &[u8]) -> Self {
        let mut counts = Self::default();
        let mut previous = 0;
        for &byte in bytes {
            match byte {
                b'\n' if previous == b'\r' => {
                    counts.lone_cr -= 1;
                    counts.cr_lf += 1;
                }
                b'\n' => counts.lone_lf += 1,
                b'\r' => counts.lone_cr += 1,
                0 => {
                    counts.nul += 1;
                    counts.not_printable += 1;
                }
                8 | b'\t' | 0x0c | 0x1b => counts.printable += 1,
                0x7f | ..0x20 => counts.not_printable += 1,
                _ => counts.printable += 1,
            }
            previous = byte;
        }
        // A final Ctrl-Z marks the end of a DOS file.
        if previous == 0x1a {
            counts.not_printable -= 1;
        }
        counts
    }

    /// Returns whether git treats the content as binary, `convert_is_binary`.
    fn is_binary(self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || self.printable >> 7 < self.not_printable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [CrLfAction; 5] = [
        CrLfAction::Kept,
        CrLfAction::TextLf,
        CrLfAction::TextCrLf,
        CrLfAction::AutoLf,
        CrLfAction::AutoCrLf,
    ];

    fn both(bytes: &[u8]) -> Vec<[Vec<u8>; 2]> {
        let or_same = |converted: Option<Vec<u8>>| converted.unwrap_or_else(|| bytes.to_vec());
        ALL.iter()
            .map(|ends| {
                [
                    or_same(ends.to_repository(bytes)),
                    or_same(ends.to_work_tree(bytes)),
                ]
            })
            .collect()
    }

    #[test]
    fn text_is_converted_in_both_directions() {
        let (lf, cr_lf) = (b"a\nb\n".to_vec(), b"a\r\nb\r\n".to_vec());
        let changed = [lf.clone(), cr_lf.clone()];
        let same = [lf.clone(), lf.clone()];
        assert_eq!(
            both(&lf),
            [
                same.clone(),
                same.clone(),
                changed.clone(),
                same.clone(),
                changed.clone()
            ]
        );
        let kept = [cr_lf.clone(), cr_lf.clone()];
        assert_eq!(
            both(&cr_lf),
            [
                kept,
                changed.clone(),
                changed.clone(),
                changed.clone(),
                changed
            ]
        );
    }

    #[test]
    fn mixed_line_ends_are_completed_only_in_declared_text() {
        let mixed = b"a\r\nb\n".to_vec();
        let of = |ends: CrLfAction| ends.to_work_tree(&mixed);
        assert_eq!(
            ALL.map(of),
            [None, None, Some(b"a\r\nb\r\n".to_vec()), None, None]
        );
    }

    #[test]
    fn guessed_binary_data_are_kept() {
        for binary in [&b"a\r\nb\rc\n"[..], b"a\r\n\0\n", b"a\r\n\x01\n"] {
            assert_eq!(CrLfAction::AutoCrLf.to_repository(binary), None);
            assert_eq!(CrLfAction::AutoCrLf.to_work_tree(binary), None);
            assert!(CrLfAction::TextLf.to_repository(binary).is_some());
        }
        assert_eq!(
            CrLfAction::AutoLf.to_repository(b"a\r\n\x1a"),
            Some(b"a\n\x1a".to_vec())
        );
    }

    #[test]
    fn an_unterminated_line_has_no_line_end_to_convert() {
        assert_eq!(both(b"a"), vec![[b"a".to_vec(), b"a".to_vec()]; 5]);
    }
}
