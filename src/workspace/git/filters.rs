//! Filter drivers: programs that convert files between a work tree and a repository; see "filter"
//! in gitattributes(5).
//!
//! The configuration of a repository that was received as an archive can contain any driver. A
//! driver therefore runs only if the user's own configuration defines it, or if an option of the
//! user names it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::boolean::parse_bool;
use super::config_files::{LowercaseContents, RepositorySearch, common_attribute_files};
use super::{Git, process};
use crate::path::RelPath;
use crate::process::{ProcessGroup, Timeout};

/// The commands of a driver, in the order of [`FilterDriver::commands`].
const COMMANDS: [&str; 3] = ["clean", "smudge", "process"];

/// A filter driver that the configuration defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterDriver {
    /// The name, which is the value of the attribute `filter`.
    pub name: String,
    /// Whether the driver may run.
    pub is_allowed: bool,
    /// Whether a file is refused if the driver has no command for it.
    is_required: bool,
    commands: [Option<Vec<u8>>; 3],
}

/// The direction of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterDirection {
    /// From the work tree to the repository.
    Clean,
    /// From the repository to the work tree.
    Smudge,
}

impl Git {
    /// Returns the filter driver `name`, or `None` if it has no command and is not required. Files
    /// with the attribute are then not filtered.
    ///
    /// The last value of each variable applies. An empty command means no command. The repository
    /// can thus switch off a driver, which grants no permission.
    ///
    /// # Errors
    ///
    /// Returns an error if git is run to read the configuration and fails.
    pub fn filter_driver(&self, name: &[u8]) -> io::Result<Option<FilterDriver>> {
        let variables = self.variables_of("filter")?;
        let last = |key: &str| {
            let key = [b"filter.", name, b".", key.as_bytes()].concat();
            variables.iter().rfind(|variable| variable.name == key)
        };
        let [clean, smudge, process] = COMMANDS.map(last);
        // `apply_filter` of git runs nothing if `process` is empty.
        let is_off = process.is_some_and(|variable| variable.value.is_empty());
        let found = if is_off {
            [None; 3]
        } else {
            [clean, smudge, process]
        };
        let found = found.map(|variable| variable.filter(|variable| !variable.value.is_empty()));
        let is_required =
            last("required").and_then(|variable| parse_bool(&variable.value)) == Some(true);
        if found.iter().all(Option::is_none) && !is_required {
            return Ok(None);
        }
        let is_allowed = found
            .iter()
            .flatten()
            .all(|variable| variable.is_user_defined)
            || self.is_allowed_by_user(name);
        let commands = found.map(|variable| variable.map(|variable| variable.value.clone()));
        let name = String::from_utf8_lossy(name).into_owned();
        Ok(Some(FilterDriver {
            name,
            is_allowed,
            is_required,
            commands,
        }))
    }

    /// Returns the options that prevent git from running drivers that are not allowed, for any file
    /// of the repository.
    ///
    /// # Errors
    ///
    /// Returns an error if git is run to read the configuration and fails.
    pub(in crate::workspace) fn options_without_filters(&self) -> io::Result<Vec<OsString>> {
        let mut names = BTreeSet::new();
        for variable in self
            .variables_of("filter")?
            .iter()
            .filter(|variable| !variable.is_user_defined)
        {
            let Some(rest) = variable.name.strip_prefix(b"filter.") else {
                continue;
            };
            let Some(end) = memchr::memrchr(b'.', rest) else {
                continue;
            };
            names.insert(&rest[..end]);
        }
        let mut options = Vec::new();
        for name in names {
            if self
                .filter_driver(name)?
                .is_none_or(|driver| driver.is_allowed)
            {
                continue;
            }
            // git takes the text after the first `=` as the value.
            let name = std::str::from_utf8(name)
                .ok()
                .filter(|name| !name.contains('='));
            let Some(name) = name else {
                return Err(io::Error::other(
                    "the name of a filter driver in the repository configuration cannot be overridden",
                ));
            };
            let settings = COMMANDS
                .iter()
                .map(|command| format!("filter.{name}.{command}="));
            let settings = settings.chain([format!("filter.{name}.required=false")]);
            options.extend(
                settings
                    .flat_map(|setting| ["-c".to_owned(), setting])
                    .map(OsString::from),
            );
        }
        Ok(options)
    }

    /// Returns the attribute file that assigns the filter `name` to the file `path`. The result is
    /// based on a search for the text `filter=NAME`.
    #[must_use]
    pub fn filter_source(&self, name: &str, path: &RelPath) -> Option<PathBuf> {
        let RepositorySearch::InWorkTree(place) = self.discover() else {
            return None;
        };
        let is_source = |file: &PathBuf| {
            let mut texts = LowercaseContents::default();
            texts.read(file).is_some()
                && texts.contains(&format!("filter={}", name.to_ascii_lowercase()))
        };
        let info = place.common.join("info/attributes");
        let file = place
            .directory
            .join(std::str::from_utf8(path.as_bytes()).ok()?);
        let above = file
            .ancestors()
            .skip(1)
            .take_while(|above| above.starts_with(&place.top));
        let in_tree = above.map(|directory| directory.join(".gitattributes"));
        [info]
            .into_iter()
            .chain(in_tree)
            .chain(common_attribute_files(place))
            .find(is_source)
    }

    /// Returns the output of an allowed driver for `content`, the content of the file `path`.
    /// Returns `None` if the driver has no command for that direction and is not required.
    ///
    /// # Errors
    ///
    /// Returns an error if the driver fails, or if it has only a command of the long-running
    /// protocol. The error of a failed driver names its program.
    pub fn run_filter(
        &self,
        driver: &FilterDriver,
        filter: FilterDirection,
        path: &RelPath,
        content: &[u8],
    ) -> io::Result<Option<Vec<u8>>> {
        let [clean, smudge, process] = &driver.commands;
        let (command, direction) = if filter == FilterDirection::Clean {
            (clean, "clean")
        } else {
            (smudge, "smudge")
        };
        let Some(command) = command else {
            return match process {
                Some(_) => Err(io::Error::other(
                    "the driver has only a long-running `process` command",
                )),
                None if driver.is_required => Err(io::Error::other(format!(
                    "the driver is required but has no `{direction}` command"
                ))),
                None => Ok(None),
            };
        };
        if !driver.is_allowed {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let (top, name) = self.work_tree_path(path)?;
        let mut shell = Command::new("/bin/sh");
        shell
            .arg("-c")
            .arg(expand_file_name(command, &name)?)
            .current_dir(top);
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let patience = Timeout {
            limit: process::FILTER_TIMEOUT,
            interrupt: self.interrupt.clone(),
        };
        let group = ProcessGroup::start(&mut shell)?;
        process::run_with_input(group, &program_name(command), content.to_vec(), patience).map(Some)
    }

    fn is_allowed_by_user(&self, name: &[u8]) -> bool {
        self.allowed_filters
            .iter()
            .any(|allowed| allowed.as_bytes() == name)
    }

    /// Returns the top of the work tree, and `path` relative to it.
    fn work_tree_path(&self, path: &RelPath) -> io::Result<(PathBuf, Vec<u8>)> {
        let answer = self.run_git(&["rev-parse", "--show-cdup", "--show-prefix"])?;
        let text = String::from_utf8(answer).map_err(io::Error::other)?;
        let mut lines = text.lines();
        let (up, prefix) = (
            lines.next().unwrap_or_default(),
            lines.next().unwrap_or_default(),
        );
        Ok((
            self.directory.join(up),
            [prefix.as_bytes(), path.as_bytes()].concat(),
        ))
    }
}

/// Returns the program name at the start of `command`.
fn program_name(command: &[u8]) -> String {
    let words = String::from_utf8_lossy(command);
    words
        .split_ascii_whitespace()
        .next()
        .unwrap_or_default()
        .trim_matches(['"', '\''])
        .to_owned()
}

/// Replaces each `%f` in `command` by the file name, quoted for the shell, and `%%` by a percent
/// sign.
fn expand_file_name(command: &[u8], name: &[u8]) -> io::Result<OsString> {
    let quoted = [
        b"'",
        &name
            .split(|&byte| byte == b'\'')
            .collect::<Vec<_>>()
            .join(&b"'\\''"[..])[..],
        b"'",
    ]
    .concat();
    let (mut out, mut rest) = (Vec::new(), command);
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        let (text, length): (&[u8], _) = match rest.get(at + 1) {
            Some(b'f') => (&quoted, 2),
            Some(b'%') => (b"%", 2),
            _ => (b"%", 1),
        };
        out.extend_from_slice(text);
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest);
    String::from_utf8(out)
        .map(OsString::from)
        .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_is_quoted() {
        let command = |text: &[u8]| {
            expand_file_name(text, b"it's")
                .unwrap()
                .into_string()
                .unwrap()
        };
        assert_eq!(command(b"x %f 100%% %d %"), r"x 'it'\''s' 100% %d %");
    }
}
