//! Finds special files that git would open. git would block on a FIFO until another process writes
//! to it.
//!
//! The check reads only file types, so it never blocks. To check another file that git opens, add a
//! row to a table.

use std::collections::HashSet;
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use super::config_environment::config_of_environment;
use super::config_files;
use super::discovery::{
    RepositoryCandidate, classify_directory, common_directory, is_repository, read_text,
};
use super::environment::directory_of;
use super::variables::{Variable, parse_variables};
use crate::path::{os_path, plain_path};
use crate::process::{home, home_of};

/// The files of a per-worktree git directory. Commands on the index check the index file
/// themselves.
const WORKTREE_FILES: &[&str] = &[
    "HEAD",
    "commondir",
    "config.worktree",
    "gitdir",
    "reftable/tables.list",
    "shallow",
];
/// The files that all work trees of a repository share.
const COMMON_FILES: &[&str] = &[
    "HEAD",
    "config",
    "packed-refs",
    "reftable/tables.list",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
];
/// The subdirectories of an object directory whose files git opens.
const OBJECT_SUBDIRECTORIES: &[&str] = &["info", "info/commit-graphs", "pack"];
/// Prefix of the name of the file that a split index needs.
const SHARED_INDEX: &str = "sharedindex.";
/// The variables that name another configuration file.
const INCLUDE_KEYS: &[&str] = &["include.path", "includeif.path"];
/// The variables that name another file.
const FILE_KEYS: &[&str] = &[ATTRIBUTES, "core.excludesfile"];
/// The variable that names the attribute file of the user.
const ATTRIBUTES: &str = "core.attributesfile";
/// The limit on the symbolic references that git follows.
const MAX_SYMBOLIC_REFERENCES: usize = 6;

/// Checks the files that git opens in the repository around `directory`.
///
/// # Errors
///
/// Returns an error of the kind [`io::ErrorKind::Unsupported`] if a file is neither regular nor a
/// directory, or if a configuration is too large. The error names the file.
pub(in crate::workspace) fn check_around(directory: &Path) -> io::Result<()> {
    let mut files = CheckedFiles::default();
    files.check_around(directory)?;
    files.into_result()
}

/// Returns the files that the configuration for `directory` names: included configurations, and
/// the attribute file of `core.attributesFile`. The files may not exist, and the paths can contain
/// links.
///
/// A file that is special or cannot be read does not hide the files that the others name.
#[allow(dead_code, reason = "unused on systems without a backend")]
pub(in crate::workspace) fn named_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = CheckedFiles::default();
    let searched = files.check_around(directory);
    files.note(searched);
    files.named
}

/// Checks the files that git opens in the git directory `git_dir`.
///
/// # Errors
///
/// Returns the same errors as [`check_around`].
pub(in crate::workspace) fn check_git_directory(git_dir: &Path) -> io::Result<()> {
    let mut files = CheckedFiles::default();
    files.check_git_directory(git_dir);
    files.into_result()
}

/// Checks the attribute files from the root of the file system down to each of `directories`.
///
/// # Errors
///
/// Returns the same errors as [`check_around`].
pub(in crate::workspace) fn check_attributes<'d>(
    directories: impl IntoIterator<Item = &'d Path>,
) -> io::Result<()> {
    let mut checked = HashSet::new();
    for directory in directories {
        for above in directory.ancestors() {
            if !checked.insert(above) {
                break;
            }
            let file = above.join(".gitattributes");
            // git does not follow a link with this name.
            if fs_err::symlink_metadata(&file)
                .is_ok_and(|found| !found.is_symlink() && is_special(&found))
            {
                return Err(not_regular_error(&file));
            }
        }
    }
    Ok(())
}

/// The state of a check of the files that git opens.
#[derive(Default)]
struct CheckedFiles {
    /// The configurations and object directories that were read, without links. The same file can
    /// be reached by several names.
    visited: HashSet<PathBuf>,
    /// The directories from which relative paths in a configuration can start.
    bases: Vec<PathBuf>,
    /// The included configurations and the attribute files that a configuration names.
    named: Vec<PathBuf>,
    /// The first error. The check continues after it.
    error: Option<io::Error>,
}

impl CheckedFiles {
    /// Returns the first error, if there was one.
    fn into_result(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    fn note(&mut self, checked: io::Result<()>) {
        self.error = self.error.take().or(checked.err());
    }

    /// Checks the files at `paths`.
    fn check_files(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            self.note(check_file(&path));
        }
    }

    /// Returns the text of the file at `path`, or an empty text if it cannot be read.
    fn read(&mut self, path: &Path) -> Vec<u8> {
        match read_text(path) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => {
                self.note(Err(error));
                Vec::new()
            }
        }
    }

    /// Checks the files that git opens in the repository around `directory`.
    fn check_around(&mut self, directory: &Path) -> io::Result<()> {
        if let Some(git_dir) = directory_of("GIT_DIR") {
            self.check_git_directory(&directory.join(git_dir));
            return Ok(());
        }
        let directory = fs_err::canonicalize(directory).map(plain_path)?;
        for above in directory.ancestors() {
            self.bases = vec![above.to_owned(), directory.clone()];
            let git_dir = match classify_directory(above)? {
                RepositoryCandidate::Directory(git_dir) => git_dir,
                RepositoryCandidate::File(named) => {
                    if let Some(git_dir) = named {
                        self.check_repository(&git_dir);
                    }
                    return Ok(());
                }
                RepositoryCandidate::Bare => above.to_owned(),
                // git does not read a special file with this name.
                RepositoryCandidate::Special | RepositoryCandidate::Nothing => continue,
            };
            self.check_repository(&git_dir);
            if is_repository(&git_dir) {
                return Ok(());
            }
        }
        self.check_user();
        Ok(())
    }

    fn check_git_directory(&mut self, git_dir: &Path) {
        self.bases = git_dir.ancestors().take(2).map(Path::to_owned).collect();
        self.check_repository(git_dir);
    }

    /// Checks the files of the repository with the git directory `git_dir`, and those of the user.
    fn check_repository(&mut self, git_dir: &Path) {
        self.check_files(WORKTREE_FILES.iter().map(|name| git_dir.join(name)));
        let common = common_directory(git_dir);
        self.check_files(COMMON_FILES.iter().map(|name| common.join(name)));
        self.note(check_names(git_dir, |name| name.starts_with(SHARED_INDEX)));
        // git looks for a reference in the per-worktree directory and in the common directory.
        let mut reference = git_dir.join("HEAD");
        for _ in 0..MAX_SYMBOLIC_REFERENCES {
            let text = self.read(&reference);
            let Some(name) = text
                .strip_prefix(b"ref:")
                .and_then(|name| os_path(name.trim_ascii()))
            else {
                break;
            };
            reference = common.join(name);
            self.check_files([git_dir.join(name), reference.clone()]);
        }
        let alternates = env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        let of_environment = directory_of("GIT_OBJECT_DIRECTORY")
            .into_iter()
            .chain(env::split_paths(&alternates))
            .filter(|path| !path.as_os_str().is_empty());
        let bases = self.bases.clone();
        let of_environment = of_environment.flat_map(|path| {
            bases
                .iter()
                .map(move |base| base.join(&path))
                .collect::<Vec<_>>()
        });
        self.check_objects(
            [common.join("objects")]
                .into_iter()
                .chain(of_environment)
                .collect(),
        );
        self.check_configuration(&common.join("config"));
        self.check_configuration(&git_dir.join("config.worktree"));
        self.check_user();
    }

    /// Checks the files of object directories and of their alternates.
    fn check_objects(&mut self, mut directories: Vec<PathBuf>) {
        while let Some(directory) = directories.pop() {
            let Ok(directory) = fs_err::canonicalize(directory).map(plain_path) else {
                continue;
            };
            if !self.visited.insert(directory.clone()) {
                continue;
            }
            for name in OBJECT_SUBDIRECTORIES {
                self.note(check_names(&directory.join(name), |_| true));
            }
            let alternates = self.read(&directory.join("info/alternates"));
            let names = alternates
                .split(|&byte| byte == b'\n')
                .filter(|name| !name.is_empty() && name[0] != b'#');
            directories.extend(names.filter_map(os_path).map(|name| directory.join(name)));
        }
    }

    /// Checks the files of the user and of the system, and those that the environment names.
    fn check_user(&mut self) {
        for path in config_files::user_config_files() {
            self.check_configuration(&path);
        }
        for variable in config_of_environment().unwrap_or_default() {
            if let Some(included) = self.check_variable(None, &variable) {
                self.check_configuration(&included);
            }
        }
        self.check_files(config_files::user_attribute_files());
    }

    /// Checks the configuration at `path` and the files that it names. Conditions of includes are
    /// ignored.
    fn check_configuration(&mut self, path: &Path) {
        let mut pending = vec![path.to_owned()];
        while let Some(path) = pending.pop() {
            if let Err(error) = check_file(&path) {
                self.note(Err(error));
                continue;
            }
            // Relative paths start at the directory of the including path, not of a link's target.
            let above = path
                .parent()
                .and_then(|above| fs_err::canonicalize(above).map(plain_path).ok());
            let Some((above, name)) = above.zip(path.file_name()) else {
                continue;
            };
            if !self.visited.insert(above.join(name)) {
                continue;
            }
            for variable in parse_variables(&self.read(&path)) {
                pending.extend(self.check_variable(Some(&above), &variable));
            }
        }
    }

    /// Checks the file that a variable names, and returns its path if it is a configuration. The
    /// variable is in a configuration in `directory`, or in the environment. There, git includes no
    /// relative path.
    fn check_variable(&mut self, directory: Option<&Path>, variable: &Variable) -> Option<PathBuf> {
        let is_included = INCLUDE_KEYS.contains(&variable.key.as_str());
        if !is_included && !FILE_KEYS.contains(&variable.key.as_str()) || variable.value.is_empty()
        {
            return None;
        }
        let name = expand_path(&variable.value)?;
        if is_included {
            let path = directory.map_or_else(|| name.clone(), |directory| directory.join(&name));
            let included = Some(path).filter(|path| path.is_absolute());
            self.named.extend(included.clone());
            return included;
        }
        let paths: Vec<_> = self.bases.iter().map(|base| base.join(&name)).collect();
        self.check_files(paths.iter().cloned());
        if variable.key == ATTRIBUTES {
            self.named.extend(paths);
        }
        None
    }
}

/// Returns the path in the value of a variable. git-config(1) describes a leading `~`.
pub(super) fn expand_path(value: &[u8]) -> Option<PathBuf> {
    let value = value.strip_prefix(b":(optional)").unwrap_or(value);
    let Some(rest) = value.strip_prefix(b"~") else {
        return os_path(value).map(Path::to_owned);
    };
    let (user, rest) = rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len()));
    let home = if user.is_empty() {
        home()
    } else {
        home_of(user)
    };
    Some(home?.join(os_path(rest.strip_prefix(b"/").unwrap_or(rest))?))
}

fn check_file(path: &Path) -> io::Result<()> {
    match fs_err::metadata(path) {
        Ok(found) if is_special(&found) && !is_null(path) => Err(not_regular_error(path)),
        _ => Ok(()),
    }
}

/// Checks the files in `directory` whose names satisfy `wanted`.
fn check_names(directory: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    let Ok(entries) = fs_err::read_dir(directory) else {
        return Ok(());
    };
    let is_wanted = |entry: &fs_err::DirEntry| {
        let is_regular = entry
            .file_type()
            .is_ok_and(|kind| kind.is_file() || kind.is_dir());
        !is_regular && wanted(&entry.file_name().to_string_lossy())
    };
    entries
        .flatten()
        .filter(is_wanted)
        .try_for_each(|entry| check_file(&entry.path()))
}

fn is_special(found: &std::fs::Metadata) -> bool {
    !found.is_file() && !found.is_dir()
}

/// Returns whether `path` leads to `/dev/null`, which is always empty.
fn is_null(path: &Path) -> bool {
    fs_err::canonicalize(path)
        .map(plain_path)
        .is_ok_and(|path| path == Path::new("/dev/null"))
}

fn not_regular_error(path: &Path) -> io::Error {
    let message = format!(
        "{} is not a regular file, and git would block on it; remove it",
        path.display()
    );
    io::Error::new(io::ErrorKind::Unsupported, message)
}
