//! The options that most runs are content with.

use std::path::PathBuf;

use clap::Args;

use super::{ApplyOptions, CheckOptions, PatchOptions};

/// What is applied, and which way. A parser of these alone is made and asked in a fifth of the time that one of all takes.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct UsualOptions {
    /// Files that hold the patches; `-`, or none, for standard input
    #[arg(value_name = "PATCH")]
    pub(in crate::cli) patches: Vec<PathBuf>,
    /// Grammar of the patches [default: auto]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub(in crate::cli) format: Option<String>,
    /// Leading components to take off names [default: 1; 0 from the first plain diff on whose names have no directory]
    #[arg(short = 'p', value_name = "N", allow_negative_numbers = true, value_parser = components)]
    pub(in crate::cli) strip: Option<usize>,
    /// Undo the patch
    #[arg(short = 'R', long)]
    pub(in crate::cli) reverse: bool,
}

impl From<UsualOptions> for PatchOptions {
    fn from(usual: UsualOptions) -> Self {
        Self { usual, ..Self::default() }
    }
}

impl From<UsualOptions> for ApplyOptions {
    fn from(usual: UsualOptions) -> Self {
        Self { patch: usual.into(), ..Self::default() }
    }
}

impl From<UsualOptions> for CheckOptions {
    fn from(usual: UsualOptions) -> Self {
        Self { patch: usual.into(), ..Self::default() }
    }
}

/// Reads a strip level; the words are git's.
fn components(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("option -p expects a non-negative integer, got '{text}'"))
}

fn formats() -> Vec<&'static str> {
    let mut formats = vec!["auto"];
    for &format in crate::engine::options::SYNTAXES.iter().flat_map(|syntax| syntax.formats()) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}
