//! git's `--numstat`: the numbers of added and removed lines of each file, for programs.

use std::io;

use super::{FileType, Format, Report};

/// One line for each file: added lines, removed lines, name. For binary files both numbers are `-`.
pub(super) struct Numstat {
    /// The name of the format.
    pub(super) name: &'static str,
    /// The terminator of names. It determines whether names are quoted.
    pub(super) terminator: NameTerminator,
}

/// The terminator of a name.
pub(super) enum NameTerminator {
    /// A line feed. The name is quoted if necessary.
    Newline,
    /// A NUL byte (`-z`). The name is unchanged.
    Nul,
}

impl Format for Numstat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        for file in &report.files {
            match file.file_type {
                FileType::Binary => out.write_all(b"-\t-\t")?,
                _ => write!(out, "{}\t{}\t", file.added, file.removed)?,
            }
            match self.terminator {
                NameTerminator::Newline => {
                    out.write_all(&report.quoting.quote(file.path.as_bytes()))?;
                    out.write_all(b"\n")?;
                }
                NameTerminator::Nul => {
                    out.write_all(file.path.as_bytes())?;
                    out.write_all(b"\0")?;
                }
            }
        }
        Ok(())
    }
}
