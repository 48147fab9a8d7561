//! The backup options of GNU patch, and the environment variables that complete them.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};

use super::args::GnuArguments;
use crate::cli::EarlyExit;
use crate::engine::options::code;
use crate::engine::{BackupNames, BackupNumbering};

/// The environment variables that name a backup style. The first one that is set applies.
const STYLES: [&str; 2] = ["PATCH_VERSION_CONTROL", "VERSION_CONTROL"];

/// Returns how old files are kept. Returns `None` without `--backup`, even if other backup options
/// are given.
///
/// # Errors
///
/// Returns an error for an empty prefix or suffix, and for an unknown style in the environment.
pub(super) fn backup_names(options: &GnuArguments) -> Result<Option<BackupNames>, EarlyExit> {
    let named = [
        (&options.prefix, "prefix"),
        (&options.basename_prefix, "prefix"),
        (&options.suffix, "suffix"),
    ];
    if let Some((_, what)) = named
        .iter()
        .find(|(word, _)| word.as_deref() == Some(OsStr::new("")))
    {
        return Err(EarlyExit::new(
            &code::USAGE,
            format!("backup {what} is empty"),
        ));
    }
    if !options.backup {
        return Ok(None);
    }
    let numbering = numbering(options)?;
    let is_named = named.iter().any(|(word, _)| word.is_some());
    let [prefix, basename_prefix, suffix] =
        named.map(|(word, _)| word.clone().map(OsString::into_encoded_bytes));
    let has_prefix = prefix.is_some() || basename_prefix.is_some();
    let usual = || env::var_os("SIMPLE_BACKUP_SUFFIX").filter(|suffix| !suffix.is_empty());
    let usual = || {
        if has_prefix {
            OsString::new()
        } else {
            usual().unwrap_or_else(|| ".orig".into())
        }
    };
    Ok(Some(BackupNames {
        suffix: suffix.unwrap_or_else(|| usual().into_encoded_bytes()),
        prefix: prefix.unwrap_or_default(),
        basename_prefix: basename_prefix.unwrap_or_default(),
        numbering: if is_named {
            BackupNumbering::Never
        } else {
            numbering
        },
        marks_new: true,
        unchanged: HashSet::new(),
    }))
}

/// Returns the style from the command line or the environment.
fn numbering(options: &GnuArguments) -> Result<BackupNumbering, EarlyExit> {
    let variable = || {
        STYLES
            .into_iter()
            .find_map(|name| Some((name, env::var(name).ok()?)))
    };
    let (source, word) = match (&options.version_control, variable()) {
        (Some(word), _) => ("--version-control", word.clone()),
        (None, Some((name, word))) => (name, word),
        (None, None) => return Ok(BackupNumbering::Continued),
    };
    match word.as_str() {
        "simple" | "never" => Ok(BackupNumbering::Never),
        "existing" | "nil" | "" => Ok(BackupNumbering::Continued),
        // As in GNU patch, `none` also numbers the backups.
        "numbered" | "t" | "none" | "off" => Ok(BackupNumbering::Always),
        _ => Err(EarlyExit::new(
            &code::USAGE,
            format!("invalid argument '{word}' for '{source}'"),
        )),
    }
}
