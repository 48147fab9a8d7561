//! Where git's texts are: its configuration, and its files of attributes.
//!
//! Every text that git may read is among them; some of them it does not read, as it does not find a
//! repository above `GIT_CEILING_DIRECTORIES`. So a word that is in none of them says nothing to
//! git.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bstr::ByteSlice;

use super::discovery::{Candidate, candidate, common_of, is_repository};
use super::variables::Variable;
use crate::process::home;

/// Largest text that is searched, in bytes; git is asked about larger ones.
const MAX_TEXT: u64 = 1 << 20;

/// Variables that replace a part of the repository, or its configuration.
const REDIRECTIONS: [&str; 3] = ["GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG"];

/// Where the repository of a directory is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// There is none.
    Nowhere,
    /// Around the directory.
    In(Place),
    /// The directory is in a git directory. Only the configuration tells whether the repository is
    /// bare.
    Inside,
    /// Where git alone can tell.
    Elsewhere,
}

/// The directories of a repository with a work tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The top of the work tree.
    pub(super) top: PathBuf,
    /// The directory that was asked about, without links.
    pub(super) directory: PathBuf,
    /// The git directory of the work tree. It need not exist.
    git_dir: PathBuf,
    /// The git directory that all work trees of the repository share.
    pub(super) common: PathBuf,
}

impl Found {
    /// Looks for a repository from `directory` on upwards.
    pub(super) fn above(directory: &Path) -> Self {
        if let Some(name) = env::var_os("GIT_DIR") {
            // git works as outside of a repository if the variable names none. A file has to name
            // one.
            let git_dir = directory.join(&name);
            let may_be = !name.is_empty() && (git_dir.is_file() || is_repository(&git_dir));
            return if may_be {
                Self::Elsewhere
            } else {
                Self::Nowhere
            };
        }
        let Ok(directory) = fs_err::canonicalize(directory) else {
            return Self::Nowhere;
        };
        for above in directory.ancestors() {
            let git_dir = match candidate(above) {
                Ok(Candidate::Directory(git_dir)) if is_repository(&git_dir) => git_dir,
                // git ends at a file that names no repository, and passes over a directory that is
                // none.
                Ok(Candidate::File(named)) => named.unwrap_or_else(|| above.join(".git")),
                Ok(Candidate::Bare | Candidate::Nothing) if is_repository(above) => {
                    return Self::Inside;
                }
                Ok(Candidate::Directory(_) | Candidate::Bare | Candidate::Nothing) => continue,
                Ok(Candidate::Special) | Err(_) => return Self::Elsewhere,
            };
            if REDIRECTIONS.iter().any(|name| env::var_os(name).is_some()) {
                return Self::Elsewhere;
            }
            let common = common_of(&git_dir);
            return Self::In(Place {
                top: above.to_owned(),
                directory,
                git_dir,
                common,
            });
        }
        Self::Nowhere
    }
}

/// Texts, joined, in lower case.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<u8>);

impl Texts {
    /// Returns whether one of them has the word `word`, which is in lower case, anywhere.
    pub(super) fn mention(&self, word: &str) -> bool {
        self.0.contains_str(word.as_bytes())
    }

    fn add(&mut self, text: &[u8]) {
        self.0.extend(text.iter().map(u8::to_ascii_lowercase));
        self.0.push(b'\n');
    }

    /// Adds the text of the file at `path`, if it is there. Returns `None` if nobody can tell what
    /// git makes of it.
    pub(super) fn read(&mut self, path: &Path) -> Option<()> {
        match fs_err::metadata(path) {
            Ok(found) if found.is_file() && found.len() <= MAX_TEXT => {
                self.add(&fs_err::read(path).ok()?);
            }
            Ok(_) if path == Path::new("/dev/null") => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) => {}
            Ok(_) | Err(_) => return None,
        }
        Some(())
    }
}

/// Returns the texts of the configuration; `None` where it cannot be told which ones git would
/// read.
pub(super) fn configuration(found: &Found) -> Option<Texts> {
    let mut texts = Texts::default();
    let parameters = env::var_os("GIT_CONFIG_PARAMETERS");
    for text in parameters
        .into_iter()
        .chain(counted_variables().map(|(key, _)| key))
    {
        texts.add(text.as_encoded_bytes());
    }
    for path in configurations_of_user() {
        texts.read(&path)?;
    }
    match found {
        Found::Nowhere => {}
        Found::In(Place {
            git_dir, common, ..
        }) => {
            texts.read(&common.join("config"))?;
            texts.read(&git_dir.join("config.worktree"))?;
        }
        Found::Inside | Found::Elsewhere => return None,
    }
    // What is included may say anything.
    (!texts.mention("include")).then_some(texts)
}

/// Returns the configurations of the user and of all users. See `GIT_CONFIG_GLOBAL` and
/// `GIT_CONFIG_NOSYSTEM` in git(1).
pub(super) fn configurations_of_user() -> Vec<PathBuf> {
    let named = |name: &str| env::var_os(name).map(|path| vec![PathBuf::from(path)]);
    let own = || {
        home()
            .map(|home| home.join(".gitconfig"))
            .into_iter()
            .chain(of_user("config"))
            .collect()
    };
    let has_no_system =
        env::var_os("GIT_CONFIG_NOSYSTEM").is_some_and(|value| value == "1" || value == "true");
    let of_all = || {
        if has_no_system {
            Vec::new()
        } else {
            of_system("gitconfig")
        }
    };
    let global = named("GIT_CONFIG_GLOBAL").unwrap_or_else(own);
    global
        .into_iter()
        .chain(named("GIT_CONFIG_SYSTEM").unwrap_or_else(of_all))
        .collect()
}

/// Returns the names and values of the variables that the environment counts: see
/// `GIT_CONFIG_COUNT` in git-config(1).
fn counted_variables() -> impl Iterator<Item = (OsString, OsString)> {
    let count = env::var("GIT_CONFIG_COUNT")
        .ok()
        .and_then(|count| count.trim_start().parse().ok())
        .unwrap_or(0_u32);
    (0..count).map_while(|number| {
        let key = env::var_os(format!("GIT_CONFIG_KEY_{number}"))?;
        // Without a value, git refuses to run.
        Some((
            key,
            env::var_os(format!("GIT_CONFIG_VALUE_{number}")).unwrap_or_default(),
        ))
    })
}

/// Returns the variables that the environment sets, as git and `git -c` pass them on: see
/// `GIT_CONFIG_COUNT` in git-config(1).
pub(super) fn variables_of_environment() -> Vec<Variable> {
    let variable = |key: &str, value: &[u8]| {
        let key = key.to_ascii_lowercase();
        let name = key.rsplit('.').next().unwrap_or_default();
        let section = key.split('.').next().unwrap_or_default();
        Variable {
            key: format!("{section}.{name}"),
            value: value.to_vec(),
        }
    };
    let counted = counted_variables()
        .map(|(key, value)| variable(&key.to_string_lossy(), value.as_encoded_bytes()));
    let mut variables: Vec<_> = counted.collect();
    let parameters = env::var_os("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    // Each is `'KEY'='VALUE'`, or `'KEY=VALUE'` by an older git.
    for parameter in parameters
        .to_string_lossy()
        .replace("'='", "=")
        .split("' '")
    {
        if let Some((key, value)) = parameter.split_once('=') {
            let value = value
                .strip_suffix('\'')
                .unwrap_or(value)
                .replace(r"'\''", "'");
            variables.push(variable(key.trim_start_matches('\''), value.as_bytes()));
        }
    }
    variables
}

/// Returns the files of attributes of the user and of all users.
pub(super) fn attributes_of_user() -> Vec<PathBuf> {
    of_user("attributes")
        .into_iter()
        .chain(of_system("gitattributes"))
        .collect()
}

/// Returns the files of attributes that count for all repositories, and those of this one besides
/// the tree.
pub(super) fn common_attributes(place: &Place) -> impl Iterator<Item = PathBuf> + use<> {
    attributes_of_user()
        .into_iter()
        .chain([place.common.join("info/attributes")])
}

/// Returns where the user keeps git's file `name`.
fn of_user(name: &str) -> Option<PathBuf> {
    let named = env::var_os("XDG_CONFIG_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    let directory = named.or_else(|| Some(home()?.join(".config")))?;
    Some(directory.join("git").join(name))
}

/// Returns where git's file `name` may be for all users: it goes by where git was installed.
fn of_system(name: &str) -> Vec<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let mut places = vec![Path::new("/etc").join(name)];
    let program = PROGRAM.get_or_init(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).find(|directory| directory.join("git").is_file())
    });
    if let Some(prefix) = program
        .as_deref()
        .filter(|directory| directory.file_name() == Some(OsStr::new("bin")))
    {
        places.extend(prefix.parent().map(|prefix| prefix.join("etc").join(name)));
    }
    places
}
