//! git's configuration with all scopes, includes and the environment, as git itself reads it.

use std::io;
use std::path::PathBuf;

use super::boolean::parse_bool;
use super::config_files::{FileVariables, LowercaseContents, RepositorySearch};
use super::variables::parse_variables;
use super::{Git, special_files};
use crate::text::printable;

/// The variables that are read from the files if git is not installed, and it is known which files
/// git would read.
const READ_WITHOUT_GIT: [&str; 2] = ["core.autocrlf", "core.eol"];

/// All variables, in the order in which git reads them.
pub(super) type ConfigVariables = Vec<ConfigVariable>;

/// A variable of the configuration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConfigVariable {
    /// Whether the user defines it, not the repository.
    pub(super) is_user_defined: bool,
    /// The name in git's spelling.
    pub(super) name: Vec<u8>,
    /// The value. It is `true` for a variable without a value.
    pub(super) value: Vec<u8>,
}

impl Git {
    /// Returns the value of `key`, such as `core.whitespace`. `key` must be in lower case.
    ///
    /// # Errors
    ///
    /// Returns git's reason if it is run and fails, or if it does not trust the repository whose
    /// configuration can contain `key`.
    pub fn config(&self, key: &str) -> io::Result<Option<&[u8]>> {
        Ok(self.config_values(key)?.pop())
    }

    /// Returns the values of `key`, the one in effect last. `key` must be in lower case.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Git::config`].
    pub fn config_values(&self, key: &str) -> io::Result<Vec<&[u8]>> {
        let variables = match self.variables_with(key) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && READ_WITHOUT_GIT.contains(&key) =>
            {
                return Ok(self.file_variables().ok_or(error)?.values(key).collect());
            }
            variables => variables?,
        };
        self.check_trust(key, variables)?;
        let of_key = variables
            .iter()
            .filter(|variable| variable.name == key.as_bytes());
        Ok(of_key.map(|variable| variable.value.as_slice()).collect())
    }

    /// Returns the variables that the files contain, or `None` if only git knows which files it
    /// reads.
    fn file_variables(&self) -> Option<&FileVariables> {
        self.texts()?;
        Some(self.parsed_files()).filter(|found| found.is_complete())
    }

    fn parsed_files(&self) -> &FileVariables {
        let read = || FileVariables::read(self.discover());
        self.configuration.file_variables.get_or_init(read)
    }

    /// Returns the value of `key` in the user's own configuration. Values in the repository have no
    /// effect. `key` must be in lower case.
    ///
    /// # Errors
    ///
    /// Returns git's reason if it is run and fails.
    pub fn user_config(&self, key: &str) -> io::Result<Option<&[u8]>> {
        let last = self
            .variables_with(key)?
            .iter()
            .rfind(|variable| variable.is_user_defined && variable.name == key.as_bytes());
        Ok(last.map(|variable| variable.value.as_slice()))
    }

    /// Returns the directory that `core.hooksPath` names, or `None` if git runs the hooks of the
    /// git directory.
    ///
    /// # Errors
    ///
    /// Returns an error if git is run and fails.
    #[allow(dead_code, reason = "unused on systems without a backend")]
    pub(in crate::workspace) fn hooks_path(&self) -> io::Result<Option<PathBuf>> {
        let Some(value) = self
            .config("core.hookspath")?
            .filter(|value| !value.is_empty())
        else {
            return Ok(None);
        };
        // A relative path starts at the directory in which git runs hooks, see core.hooksPath in
        // git-config(1).
        let base = match self.discover() {
            RepositorySearch::InWorkTree(place) => &place.top,
            RepositorySearch::Nowhere
            | RepositorySearch::InGitDirectory
            | RepositorySearch::Undetermined => &self.directory,
        };
        Ok(special_files::expand_path(value).map(|name| base.join(name)))
    }

    /// Returns all variables, or none if `key` is not among them.
    fn variables_with(&self, key: &str) -> io::Result<&[ConfigVariable]> {
        let word = key.rsplit('.').next().unwrap_or(key);
        self.variables(word, |files| files.may_have(key))
    }

    /// Returns all variables, or none if the configuration has no variable in `section`, which must
    /// be in lower case.
    ///
    /// # Errors
    ///
    /// Returns an error if git is run and fails.
    pub(super) fn variables_of(&self, section: &str) -> io::Result<&[ConfigVariable]> {
        self.variables(section, |files| files.has_section(section))
    }

    /// Returns all variables, or none if no text of the configuration contains `word`, or if
    /// `is_wanted` is false for the variables of its files.
    fn variables(
        &self,
        word: &str,
        is_wanted: impl FnOnce(&FileVariables) -> bool,
    ) -> io::Result<&[ConfigVariable]> {
        // Most texts contain neither the word nor an include, so they need not be parsed.
        let is_absent =
            |texts: &LowercaseContents| !texts.contains(word) && !texts.contains("include");
        if self.texts().is_some_and(is_absent)
            || self.file_variables().is_some_and(|files| !is_wanted(files))
        {
            return Ok(&[]);
        }
        let entries = self.configuration.variables.get_or_init(|| {
            let arguments = ["config", "--list", "-z", "--includes", "--show-scope"];
            let list = self.run_git(&arguments);
            list.map(|list| parse_config_list(&list))
                .map_err(|error| (error.kind(), error.to_string()))
        });
        entries
            .as_deref()
            .map_err(|(kind, why)| io::Error::new(*kind, why.clone()))
    }

    /// Checks whether git has read the repository's own configuration, if that can contain `key`. git
    /// ignores it silently if it does not trust the owner of the repository.
    fn check_trust(&self, key: &str, variables: &[ConfigVariable]) -> io::Result<()> {
        let was_run = self.configuration.variables.get().is_some();
        if was_run
            && variables.iter().all(|variable| variable.is_user_defined)
            && self.parsed_files().may_be_own(key)
            && let Err(error) = self.run_git(&["rev-parse", "--git-dir"])
            && error.to_string().contains("dubious ownership")
        {
            return Err(error);
        }
        Ok(())
    }

    /// Returns whether git failed to print the configuration. It is not run for this again.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.configuration
            .variables
            .get()
            .is_some_and(Result::is_err)
    }

    /// Returns the value of `key` as a boolean, or `None` if it is missing.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Git::config`], and git's message if any of the values is not a
    /// boolean: git reads all of them.
    pub fn config_bool(&self, key: &str) -> io::Result<Option<bool>> {
        let values = self.config_values(key)?;
        let values = values
            .into_iter()
            .map(|value| config_value_bool(key, value));
        Ok(values.collect::<io::Result<Vec<_>>>()?.pop())
    }
}

/// Returns the boolean that the value `value` of the variable `key` states.
///
/// # Errors
///
/// Returns git's message if it states none.
pub fn config_value_bool(key: &str, value: &[u8]) -> io::Result<bool> {
    parse_bool(value).ok_or_else(|| {
        let value = printable(value);
        let message = format!("bad boolean config value '{value}' for '{key}'");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Parses entries of the form `SCOPE NUL NAME LF VALUE NUL` or `SCOPE NUL NAME NUL`.
///
/// Variables of the scopes `local` and `worktree` are in the repository. All others belong to the
/// user: files outside the repository, the environment and the command line. An included file has
/// the scope of the file that includes it.
fn parse_config_list(list: &[u8]) -> ConfigVariables {
    let fields: Vec<_> = list.split(|&byte| byte == 0).collect();
    let variable = |fields: &[&[u8]]| {
        let is_of_user = matches!(fields[0], b"system" | b"global" | b"command");
        let (name, value) = match memchr::memchr(b'\n', fields[1]) {
            Some(end) => (fields[1][..end].to_vec(), fields[1][end + 1..].to_vec()),
            None => (fields[1].to_vec(), b"true".to_vec()),
        };
        ConfigVariable {
            is_user_defined: is_of_user,
            name,
            value,
        }
    };
    fields.chunks_exact(2).map(variable).collect()
}

/// Returns whether the configuration `text` of a git directory states that the repository has a
/// work tree. An invalid boolean counts as such a statement, which is the stricter interpretation.
#[must_use]
pub fn has_work_tree(text: &[u8]) -> bool {
    parse_variables(text).iter().any(|variable| {
        variable.is("core.worktree")
            || variable.is("core.bare") && parse_bool(&variable.value) != Some(true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_a_value_or_is_true() {
        let found =
            parse_config_list(b"system\0core.whitespace\n-trailing\0local\0apply.x\0worktree\0a.b\nc\nd\0command\0e.f\ng\0");
        let expected: [(bool, &[u8], &[u8]); 4] = [
            (true, b"core.whitespace", b"-trailing"),
            (false, b"apply.x", b"true"),
            (false, b"a.b", b"c\nd"),
            (true, b"e.f", b"g"),
        ];
        let variable = |(is_of_user, name, value): (bool, &[u8], &[u8])| ConfigVariable {
            is_user_defined: is_of_user,
            name: name.to_vec(),
            value: value.to_vec(),
        };
        assert_eq!(found, expected.map(variable));
    }
}
