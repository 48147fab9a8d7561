//! The options that most runs are content with.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ApplyOptions, CheckOptions, Durability, Global, PatchOptions};

/// What is applied, and which way.
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

/// Reads `words` that are told apart at sight; `None` if there is one that is not, or that is wrong. To make a parser of all
/// options takes as long as a quarter of a tiny patch.
pub(super) fn read(words: &[OsString]) -> Option<(Global, UsualOptions)> {
    let (mut global, mut options) = (Global::default(), UsualOptions::default());
    let mut words = words.iter().map(|word| word.to_str());
    while let Some(word) = words.next() {
        let word = word.filter(|word| !word.is_empty())?;
        let (name, glued) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (word, None),
        };
        let mut value = || glued.or_else(|| words.next()?).filter(|value| !value.is_empty() && !value.starts_with('-'));
        match (name, glued) {
            ("-R" | "--reverse", None) => options.reverse = true,
            ("--json", None) => global.json = true,
            ("-q" | "--quiet", None) => (global.quiet, global.verbose) = (true, false),
            ("-v" | "--verbose", None) => (global.quiet, global.verbose) = (false, true),
            ("-d", None) | ("--root", _) => global.root = Some(value()?.into()),
            ("--durability", _) => global.durability = Some(Durability::from_str(value()?, false).ok()?),
            ("--format", _) => options.format = Some(value().filter(|name| formats().contains(name))?.to_owned()),
            ("-p", None) => options.strip = Some(components(value()?).ok()?),
            ("-", None) => options.patches.push(word.into()),
            _ if word.starts_with('-') => options.strip = Some(components(word.strip_prefix("-p")?).ok()?),
            _ => options.patches.push(word.into()),
        }
    }
    Some((global, options))
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
