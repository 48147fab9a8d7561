//! The most common options, and a parser for command lines that contain only these.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Durability, Global};

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

/// Parses the words after `apply` or `check` if they contain only common options, each in its own
/// word. Returns `None` for anything else, which needs clap.
///
/// Even clap's parser for these options takes a tenth of the time that a small patch takes.
pub(super) fn parse_common_options(words: &[OsString]) -> Option<(Global, BasicOptions)> {
    let (mut global, mut basic) = (Global::default(), BasicOptions::default());
    let mut words = words.iter().map(|word| word.to_str());
    while let Some(word) = words.next() {
        let word = word.filter(|word| !word.is_empty())?;
        if word == "-" || !word.starts_with('-') {
            basic.patches.push(word.into());
            continue;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => match word.strip_prefix("-p") {
                Some(level) if !level.is_empty() => ("-p", Some(level)),
                _ => (word, None),
            },
        };
        match (name, attached) {
            ("--json", None) => global.json = true,
            ("-q" | "--quiet", None) => (global.quiet, global.verbose) = (true, false),
            ("-v" | "--verbose", None) => (global.quiet, global.verbose) = (false, true),
            ("-R" | "--reverse", None) => basic.reverse = true,
            ("-d" | "--root" | "--policy" | "--durability" | "--format" | "-p", _) => {
                let separate = || words.next()?.filter(|value| !value.starts_with('-'));
                let value = attached.or_else(separate);
                set_value(name, value?, (&mut global, &mut basic))?;
            }
            _ => return None,
        }
    }
    Some((global, basic))
}

/// Sets the option `name` to `value`. Returns `None` for an invalid value.
fn set_value(
    name: &str,
    value: &str,
    (global, basic): (&mut Global, &mut BasicOptions),
) -> Option<()> {
    match name {
        _ if value.is_empty() => return None,
        "--durability" => global.durability = Some(Durability::from_str(value, false).ok()?),
        "--policy" => global.policy.push(value.into()),
        "--format" if formats().contains(&value) => basic.format = Some(value.to_owned()),
        "-p" => basic.strip = Some(parse_strip_level(value).ok()?),
        "-d" | "--root" => global.given_roots.push(value.into()),
        _ => return None,
    }
    Some(())
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

/// Returns the names of the formats that can be written.
pub(in crate::cli) fn grammars() -> Vec<&'static str> {
    crate::engine::options::SYNTAXES
        .iter()
        .map(|syntax| syntax.name())
        .collect()
}
