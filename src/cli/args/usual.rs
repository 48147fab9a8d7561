//! The options of most command lines.

use std::path::PathBuf;

use clap::Args;

/// What is applied, and which way.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct UsualOptions {
    /// Files that hold the patches; `-`, or none, for standard input
    #[arg(value_name = "PATCH")]
    pub(in crate::cli) patches: Vec<PathBuf>,
    /// Grammar of the patches [default: auto]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    pub(in crate::cli) format: Option<String>,
    /// Leading components to take off names [default: 1; 0 from the first plain diff on whose names
    /// have no directory]
    #[arg(short = 'p', value_name = "N", allow_negative_numbers = true, value_parser = components)]
    pub(in crate::cli) strip: Option<usize>,
    /// Undo the patch
    #[arg(short = 'R', long)]
    pub(in crate::cli) reverse: bool,
}

/// Reads a strip level; the words are git's.
fn components(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| format!("option -p expects a non-negative integer, got '{text}'"))
}

fn formats() -> Vec<&'static str> {
    let mut formats = vec!["auto"];
    for &format in crate::engine::options::SYNTAXES
        .iter()
        .flat_map(|syntax| syntax.formats())
    {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}
