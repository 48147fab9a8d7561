//! git's `--numstat`: lines added and removed for each file, for programs.

use std::io;

use super::{FileType, Format, Report};

/// One line for each file: added, removed, name. `-` stands for both numbers of a change of bytes.
pub(super) struct Numstat {
    /// The format's name.
    pub(super) name: &'static str,
    /// How names are ended, and with it whether they are quoted.
    pub(super) end: End,
}

/// How a name ends.
pub(super) enum End {
    /// With a line feed; the name is quoted if it needs to be.
    Newline,
    /// With a NUL byte; the name is as it is (`-z`).
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
            match self.end {
                End::Newline => {
                    out.write_all(&report.quoting.quote(file.path.as_bytes()))?;
                    out.write_all(b"\n")?;
                }
                End::Nul => {
                    out.write_all(file.path.as_bytes())?;
                    out.write_all(b"\0")?;
                }
            }
        }
        Ok(())
    }
}
