//! Converts content between a work tree and a repository, as git does.
//!
//! A [`Conversion`] is the effect of the attributes and the configuration on one file.
//! [`Conversion::to_repository`] is git's `convert_to_git`, and [`Conversion::to_work_tree`] is its
//! `convert_to_working_tree` (`convert.c`). Both omit filter drivers, because these are programs.
//! The module is pure: bytes in, bytes out. See "Checking-out and checking-in" in gitattributes(5).

mod encoding;
mod ident;
mod line_ends;
mod table;

use std::borrow::Cow;

use crate::digest::ObjectFormat;

pub use encoding::{EncodingError, WorkTreeEncoding};
pub use line_ends::CrLfAction;

/// The conversions that git applies to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// The conversion of line endings.
    pub line_ends: CrLfAction,
    /// Whether `$Id$` is expanded in the work tree (`ident`).
    pub has_ident: bool,
    /// The encoding of the file in the work tree (`working-tree-encoding`). In the repository the
    /// file is in UTF-8.
    pub encoding: Option<WorkTreeEncoding>,
    /// The hash function of the repository, for `$Id$`.
    pub format: ObjectFormat,
}

/// The conversion of CR LF on the way to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrLfHandling {
    /// CR LF becomes LF where the attributes allow it (`CONV_EOL_RENORMALIZE` in git's convert.h).
    Normalized,
    /// CR LF is kept (`CONV_EOL_KEEP_CRLF`). `git apply` does this if the preimage of the patch
    /// contains CR LF (`read_old_data` in git's apply.c).
    Kept,
}

impl Conversion {
    /// Returns whether this conversion changes no file.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.line_ends == CrLfAction::Kept && !self.has_ident && self.encoding.is_none()
    }

    /// Converts the content of a file in the work tree to its content in the repository.
    ///
    /// # Errors
    ///
    /// Returns an error if `bytes` are not valid in the encoding of the work tree. git also reports
    /// an error in this case, but continues with the unconverted bytes.
    pub fn to_repository<'b>(
        &self,
        bytes: &'b [u8],
        cr_lf: CrLfHandling,
    ) -> Result<Cow<'b, [u8]>, EncodingError> {
        let mut content = Cow::Borrowed(bytes);
        if let Some(encoding) = self.encoding.as_ref().filter(|_| !bytes.is_empty()) {
            content = Cow::Owned(encoding.decode(bytes)?);
        }
        if cr_lf == CrLfHandling::Normalized {
            replace(&mut content, |content| {
                self.line_ends.to_repository(content)
            });
        }
        if self.has_ident {
            replace(&mut content, ident::collapse);
        }
        Ok(content)
    }

    /// Converts content of the repository to the content that git writes to the work tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the encoding of the work tree cannot represent `bytes`. git also reports
    /// an error in this case, but writes the bytes in UTF-8.
    pub fn to_work_tree<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, EncodingError> {
        let mut content = Cow::Borrowed(bytes);
        if self.has_ident {
            replace(&mut content, |content| ident::expand(content, self.format));
        }
        replace(&mut content, |content| self.line_ends.to_work_tree(content));
        if let Some(encoding) = self.encoding.as_ref().filter(|_| !content.is_empty()) {
            content = Cow::Owned(encoding.encode(&content)?);
        }
        Ok(content)
    }
}

/// Replaces `content` if `step` returns new content.
fn replace(content: &mut Cow<'_, [u8]>, step: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    if let Some(converted) = step(content) {
        *content = Cow::Owned(converted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_never_converted() {
        let encoding = WorkTreeEncoding::parse(b"UTF-16");
        let all = Conversion {
            line_ends: CrLfAction::TextCrLf,
            has_ident: true,
            encoding,
            ..Conversion::default()
        };
        assert_eq!(
            all.to_repository(b"", CrLfHandling::Normalized).unwrap(),
            &b""[..]
        );
        assert_eq!(all.to_work_tree(b"").unwrap(), &b""[..]);
    }

    #[test]
    fn conversions_are_undone_in_the_reverse_order() {
        let encoding = WorkTreeEncoding::parse(b"UTF-16LE-BOM");
        let all = Conversion {
            line_ends: CrLfAction::TextCrLf,
            has_ident: true,
            encoding,
            ..Conversion::default()
        };
        let file = all.to_work_tree(b"$Id$\nx\n").unwrap().into_owned();
        let ascii: Vec<u8> = file[2..]
            .iter()
            .copied()
            .filter(|&byte| byte != 0)
            .collect();
        assert_eq!(file[..2], *b"\xff\xfe");
        assert_eq!(
            ascii,
            b"$Id: 093cd7cf40884a9ffe9014d667e7edf3593ec7fb $\r\nx\r\n"
        );
        assert_eq!(
            all.to_repository(&file, CrLfHandling::Normalized).unwrap(),
            &b"$Id$\nx\n"[..]
        );
        assert_eq!(
            all.to_repository(&file, CrLfHandling::Kept).unwrap(),
            &b"$Id$\r\nx\r\n"[..]
        );
    }
}
