//! The most common options. A small parser for these starts faster.

use std::path::PathBuf;

use clap::Args;

/// The input and the direction.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct BasicOptions {
    /// Files with patches [default: standard input, as for `-`]
    #[arg(value_name = "PATCH")]
    pub(in crate::cli) patches: Vec<PathBuf>,
    /// Set the grammar of the patches [default: auto]
    #[arg(long, value_name = "NAME", value_parser = formats(), help_heading = "Input")]
    pub(in crate::cli) format: Option<String>,
    /// Remove N leading components from names [default: 1]
    ///
    /// If the names of a plain diff have no directory, the default is 0 for it and for all later
    /// diffs.
    #[arg(short = 'p', value_name = "N", allow_negative_numbers = true, value_parser = parse_strip_level, help_heading = "Input")]
    pub(in crate::cli) strip: Option<usize>,
    /// Apply the patch in reverse
    #[arg(short = 'R', long, help_heading = "Input")]
    pub(in crate::cli) reverse: bool,
}

/// Parses a strip level. The error message is git's.
fn parse_strip_level(text: &str) -> Result<usize, String> {
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
