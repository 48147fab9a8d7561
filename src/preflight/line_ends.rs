//! Files whose line ends git converts: the attributes `text` and `eol`, `core.autocrlf` and `core.eol`.
//!
//! A patch is of what the repository holds, with LF, where the file may have CR LF. Nothing is asked before a file with
//! CR LF is to be changed by a patch without, or a file is to be made.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, OnceLock};

use crate::path::RelPath;
use crate::workspace::git::{Attribute, Git};

/// What git does about the line ends of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// Nothing.
    #[default]
    Kept,
    /// Work trees have LF.
    Lf,
    /// Work trees have CR LF.
    CrLf,
}

impl LineEnds {
    /// Returns whether CR LF in the work tree is LF in the repository.
    pub(super) fn are_converted(self) -> bool {
        self != Self::Kept
    }
}

/// What git does about the line ends of some files.
#[derive(Debug)]
pub struct Conversions {
    git: Arc<Git>,
    paths: Vec<RelPath>,
    found: OnceLock<HashMap<RelPath, LineEnds>>,
    may_return: OnceLock<bool>,
}

/// What the configuration says of all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Usual {
    /// Whether files without attributes are converted.
    converts: bool,
    /// What texts have in the work tree.
    ends: LineEnds,
}

impl Conversions {
    /// Prepares to ask `git` about `paths`.
    #[must_use]
    pub fn new(git: &Arc<Git>, paths: Vec<RelPath>) -> Self {
        Self { git: Arc::clone(git), paths, found: OnceLock::new(), may_return: OnceLock::new() }
    }

    /// Returns what is done about the file at `path`; nothing if git cannot tell.
    pub(super) fn of(&self, path: &RelPath) -> LineEnds {
        let found = self.found.get_or_init(|| self.ask().unwrap_or_default());
        found.get(path).copied().unwrap_or_default()
    }

    /// Returns whether the new file at `path` gets CR LF.
    pub(super) fn returns(&self, path: &RelPath) -> bool {
        *self.may_return.get_or_init(|| self.may_return()) && self.of(path) == LineEnds::CrLf
    }

    /// Returns whether anything says that a work tree has CR LF.
    fn may_return(&self) -> bool {
        let is_usual = self.usual().is_ok_and(|usual| usual.ends == LineEnds::CrLf);
        let paths: Vec<_> = self.paths.iter().collect();
        let is_said = |said: Vec<Vec<Attribute>>| said.iter().flatten().any(|eol| *eol == value(b"crlf"));
        is_usual || self.git.attributes(&["eol"], &paths).is_ok_and(is_said)
    }

    fn usual(&self) -> io::Result<Usual> {
        let (automatic, eol) = (self.git.config("core.autocrlf")?, self.git.config("core.eol")?);
        let is_input = automatic.is_some_and(|value| value.eq_ignore_ascii_case(b"input"));
        let is_on = !is_input && self.git.is_on("core.autocrlf")? == Some(true);
        let is_crlf = eol.is_some_and(|value| value.eq_ignore_ascii_case(b"crlf"));
        let ends = if is_on || is_crlf && !is_input { LineEnds::CrLf } else { LineEnds::Lf };
        Ok(Usual { converts: is_on || is_input, ends })
    }

    fn ask(&self) -> io::Result<HashMap<RelPath, LineEnds>> {
        let usual = self.usual()?;
        let paths: Vec<_> = self.paths.iter().collect();
        let said = self.git.attributes(&["text", "eol", "crlf"], &paths)?;
        let ends = said.iter().map(|said| of_attributes(&said[0], &said[1], &said[2], usual));
        Ok(self.paths.iter().cloned().zip(ends).collect())
    }
}

fn value(value: &[u8]) -> Attribute {
    Attribute::Value(value.to_vec())
}

/// See "End-of-line conversion" in gitattributes(5); `crlf` is what `text` was called once.
fn of_attributes(text: &Attribute, eol: &Attribute, crlf: &Attribute, usual: Usual) -> LineEnds {
    let text = if *text == Attribute::Unspecified { crlf } else { text };
    if *text == Attribute::Unset {
        return LineEnds::Kept;
    }
    if *text == value(b"input") || *eol == value(b"lf") {
        return LineEnds::Lf;
    }
    if *eol == value(b"crlf") {
        return LineEnds::CrLf;
    }
    let is_text = *text == Attribute::Set || *text == value(b"auto");
    if is_text || usual.converts { usual.ends } else { LineEnds::Kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_come_before_the_configuration() {
        let none = Attribute::Unspecified;
        let plain = Usual { converts: false, ends: LineEnds::Lf };
        let windows = Usual { converts: true, ends: LineEnds::CrLf };
        let of = |text: &Attribute, eol: &Attribute, usual| of_attributes(text, eol, &Attribute::Unspecified, usual);
        assert_eq!([of(&none, &none, plain), of(&none, &none, windows)], [LineEnds::Kept, LineEnds::CrLf]);
        assert_eq!(
            [of(&value(b"auto"), &none, plain), of(&Attribute::Set, &none, windows)],
            [LineEnds::Lf, LineEnds::CrLf]
        );
        assert_eq!(
            [of(&none, &value(b"crlf"), plain), of(&none, &value(b"lf"), windows)],
            [LineEnds::CrLf, LineEnds::Lf]
        );
        assert_eq!(of(&Attribute::Unset, &value(b"crlf"), windows), LineEnds::Kept);
        assert_eq!(of_attributes(&none, &none, &Attribute::Unset, windows), LineEnds::Kept);
    }
}
