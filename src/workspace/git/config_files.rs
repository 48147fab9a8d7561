//! Locates the files with git's configuration and attributes.
//!
//! The list contains every file that git may read. It can contain more, because git does not find a
//! repository above `GIT_CEILING_DIRECTORIES`. A word that no listed file contains therefore has no
//! effect on git.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::OnceLock;

use bstr::ByteSlice;

use super::boolean::parse_bool;
use super::config_environment::{config_entries, config_of_environment};
use super::discovery::{
    RepositoryCandidate, classify_directory, common_directory, is_repository, read_bounded,
};
use super::environment::directory_of;
use super::variables::{Variable, parse_file};
use crate::path::plain_path;
use crate::process::home;

/// The limit in bytes on a file that is searched. For a larger file, git is run.
const MAX_TEXT: u64 = 1 << 20;

/// Variables that redirect a part of the repository or its configuration.
const REDIRECTING_VARIABLES: [&str; 3] = ["GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG"];

/// The result of the search for the repository of a directory.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RepositorySearch {
    /// There is no repository.
    Nowhere,
    /// The directory is in the work tree of this repository.
    InWorkTree(RepositoryPaths),
    /// The directory is in a git directory. Only the configuration states whether the repository is
    /// bare.
    InGitDirectory,
    /// Only git can determine the repository.
    Undetermined,
}

/// The directories of a repository with a work tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RepositoryPaths {
    /// The top of the work tree.
    pub(super) top: PathBuf,
    /// The directory in which git is run, without links.
    pub(super) directory: PathBuf,
    /// The per-worktree git directory. It may not exist.
    git_dir: PathBuf,
    /// The git directory that all work trees of the repository share.
    pub(super) common: PathBuf,
}

impl RepositorySearch {
    /// Searches for a repository in `directory` and upwards.
    pub(super) fn search_upwards(directory: &Path) -> Self {
        if let Some(name) = directory_of("GIT_DIR") {
            // If `GIT_DIR` names no repository, git works outside a repository. If it names a file,
            // git requires that file to name a repository.
            let git_dir = directory.join(&name);
            let may_be =
                !name.as_os_str().is_empty() && (git_dir.is_file() || is_repository(&git_dir));
            return if may_be {
                Self::Undetermined
            } else {
                Self::Nowhere
            };
        }
        let Ok(directory) = fs_err::canonicalize(directory).map(plain_path) else {
            return Self::Nowhere;
        };
        for above in directory.ancestors() {
            let git_dir = match classify_directory(above) {
                Ok(RepositoryCandidate::Directory(git_dir)) if is_repository(&git_dir) => git_dir,
                // git stops at a `.git` file even if it names no repository. It skips a `.git`
                // directory that is not one.
                Ok(RepositoryCandidate::File(named)) => named.unwrap_or_else(|| above.join(".git")),
                Ok(RepositoryCandidate::Bare | RepositoryCandidate::Nothing)
                    if is_repository(above) =>
                {
                    return Self::InGitDirectory;
                }
                Ok(
                    RepositoryCandidate::Directory(_)
                    | RepositoryCandidate::Bare
                    | RepositoryCandidate::Nothing,
                ) => continue,
                Ok(RepositoryCandidate::Special) | Err(_) => return Self::Undetermined,
            };
            if REDIRECTING_VARIABLES
                .iter()
                .any(|name| env::var_os(name).is_some())
            {
                return Self::Undetermined;
            }
            let common = common_directory(&git_dir);
            return Self::InWorkTree(RepositoryPaths {
                top: above.to_owned(),
                directory,
                git_dir,
                common,
            });
        }
        Self::Nowhere
    }
}

/// The combined content of several files, in lower case.
#[derive(Debug, Default)]
pub(super) struct LowercaseContents(Vec<u8>);

impl LowercaseContents {
    /// Returns whether a file contains `word` anywhere. `word` must be in lower case.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.0.contains_str(word.as_bytes())
    }

    fn add(&mut self, text: &[u8]) {
        self.0.extend(text.iter().map(u8::to_ascii_lowercase));
        self.0.push(b'\n');
    }

    /// Adds the content of the file at `path`, if it exists. Returns `None` if its effect on git is
    /// unknown: the file is too large, unreadable or not a regular file.
    pub(super) fn read(&mut self, path: &Path) -> Option<()> {
        match fs_err::metadata(path) {
            Ok(found) if found.is_file() && found.len() <= MAX_TEXT => {
                self.add(&read_bounded(path, found.len(), MAX_TEXT).ok()?);
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

/// Returns the texts of the configuration, or `None` if only git knows which files it reads. The
/// files may include other files.
pub(super) fn read_configuration(found: &RepositorySearch) -> Option<LowercaseContents> {
    let mut texts = LowercaseContents::default();
    let parameters = env::var_os("GIT_CONFIG_PARAMETERS");
    let keys = config_entries()?.into_iter().map(|(key, _)| key);
    for text in parameters.into_iter().chain(keys) {
        texts.add(text.as_encoded_bytes());
    }
    for path in user_config_files() {
        texts.read(&path)?;
    }
    match found {
        RepositorySearch::Nowhere => {}
        RepositorySearch::InWorkTree(RepositoryPaths {
            git_dir, common, ..
        }) => {
            texts.read(&common.join("config"))?;
            texts.read(&git_dir.join("config.worktree"))?;
        }
        RepositorySearch::InGitDirectory | RepositorySearch::Undetermined => return None,
    }
    Some(texts)
}

/// The variables of all files and of the environment, without those of included files.
#[derive(Debug, Default)]
pub(super) struct FileVariables {
    /// The variables of the files of the user and of the environment.
    user: FileGroup,
    /// The variables of the repository's own files.
    own: FileGroup,
    environment: Vec<Variable>,
}

/// The variables of some files, the strongest last.
#[derive(Debug, Default)]
struct FileGroup {
    variables: Vec<Variable>,
    /// Whether git rejects a file.
    has_errors: bool,
}

impl FileVariables {
    pub(super) fn read(found: &RepositorySearch) -> Self {
        let mut all = Self::default();
        for path in user_config_files().iter().rev() {
            all.user.add(path);
        }
        if let RepositorySearch::InWorkTree(place) = found {
            all.own.add(&place.common.join("config"));
            // See `extensions.worktreeConfig` in git-config(1).
            if all
                .own
                .last("extensions.worktreeconfig")
                .and_then(parse_bool)
                == Some(true)
            {
                all.own.add(&place.git_dir.join("config.worktree"));
            }
        }
        match config_of_environment() {
            Some(variables) => all.environment = variables,
            None => all.user.has_errors = true,
        }
        all
    }

    /// Returns whether these are all variables that git reads.
    pub(super) fn is_complete(&self) -> bool {
        self.user.is_complete()
            && self.own.is_complete()
            && !self.environment.iter().any(is_include)
    }

    /// Returns the values of the variable `key`, which has no subsection, the strongest last.
    pub(super) fn values(&self, key: &str) -> impl Iterator<Item = &[u8]> {
        self.iter()
            .filter(move |variable| variable.is(key))
            .map(|variable| variable.value.as_slice())
    }

    /// Returns whether a variable can be `key`, which may have a subsection.
    pub(super) fn may_have(&self, key: &str) -> bool {
        self.iter().any(|variable| variable.may_be(key))
    }

    /// Returns whether a variable is in `section`.
    pub(super) fn has_section(&self, section: &str) -> bool {
        self.iter().any(|variable| variable.is_in(section))
    }

    /// Returns whether the repository's own files can define `key`.
    pub(super) fn may_be_own(&self, key: &str) -> bool {
        let mut own = self.own.variables.iter();
        own.any(|variable| variable.may_be(key)) || !self.own.is_complete()
    }

    fn iter(&self) -> impl Iterator<Item = &Variable> {
        let files = self.user.variables.iter().chain(&self.own.variables);
        files.chain(&self.environment)
    }
}

impl FileGroup {
    fn add(&mut self, path: &Path) {
        let (variables, is_valid) = parse_file(&fs_err::read(path).unwrap_or_default());
        self.variables.extend(variables);
        self.has_errors |= !is_valid;
    }

    /// An included file can contain any variable.
    fn is_complete(&self) -> bool {
        !self.has_errors && !self.variables.iter().any(is_include)
    }

    fn last(&self, key: &str) -> Option<&[u8]> {
        let last = self.variables.iter().rfind(|variable| variable.is(key));
        last.map(|variable| variable.value.as_slice())
    }
}

fn is_include(variable: &Variable) -> bool {
    matches!(&*variable.key, "include.path" | "includeif.path")
}

/// Returns the configuration files of the user and of the system, the strongest first. See
/// `GIT_CONFIG_GLOBAL` and `GIT_CONFIG_NOSYSTEM` in git(1).
pub(super) fn user_config_files() -> Vec<PathBuf> {
    let named = |name: &str| env::var_os(name).map(|path| vec![PathBuf::from(path)]);
    let own = || {
        home()
            .map(|home| home.join(".gitconfig"))
            .into_iter()
            .chain(user_file("config"))
            .collect()
    };
    let has_no_system =
        env::var_os("GIT_CONFIG_NOSYSTEM").is_some_and(|value| value == "1" || value == "true");
    let of_all = || {
        if has_no_system {
            Vec::new()
        } else {
            system_files("gitconfig")
        }
    };
    let global = named("GIT_CONFIG_GLOBAL").unwrap_or_else(own);
    global
        .into_iter()
        .chain(named("GIT_CONFIG_SYSTEM").unwrap_or_else(of_all))
        .collect()
}

/// Returns the attribute files of the user and of the system.
pub(super) fn user_attribute_files() -> Vec<PathBuf> {
    user_file("attributes")
        .into_iter()
        .chain(system_files("gitattributes"))
        .collect()
}

/// Returns the attribute files that apply to all repositories, and the one in this repository's git
/// directory.
pub(super) fn common_attribute_files(
    place: &RepositoryPaths,
) -> impl Iterator<Item = PathBuf> + use<> {
    user_attribute_files()
        .into_iter()
        .chain([place.common.join("info/attributes")])
}

/// Returns the path of git's file `name` in the user's configuration directory.
fn user_file(name: &str) -> Option<PathBuf> {
    let named = env::var_os("XDG_CONFIG_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    let directory = named.or_else(|| Some(home()?.join(".config")))?;
    Some(directory.join("git").join(name))
}

/// Returns the possible paths of git's system-wide file `name`. They depend on where git is
/// installed.
fn system_files(name: &str) -> Vec<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let mut places = Vec::new();
    // On Windows, every user can create a directory of this name.
    if MAIN_SEPARATOR == '/' {
        places.push(Path::new("/etc").join(name));
    }
    let program = PROGRAM.get_or_init(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let program = format!("git{}", env::consts::EXE_SUFFIX);
        env::split_paths(&path).find(|directory| directory.join(&program).is_file())
    });
    let etc = |prefix: &Path| prefix.join("etc").join(name);
    let Some(directory) = program.as_deref() else {
        return places;
    };
    if MAIN_SEPARATOR == '\\' {
        // Git for Windows has its programs in `cmd`, `bin` and `mingw64/bin`.
        places.extend(directory.ancestors().skip(1).take(2).map(etc));
    } else if directory.file_name() == Some(OsStr::new("bin")) {
        places.extend(directory.parent().map(etc));
    }
    places
}
