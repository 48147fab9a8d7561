//! Files that git opens whatever their type is: it would wait for a process that writes to a FIFO.
//!
//! The check looks at file types only, so it never waits. To check another file that git opens, add a row to a table.

use std::collections::HashSet;
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use super::places;
use crate::process::home;

/// The files of a git directory; commands on the index check the index itself.
const OWN: &[&str] = &["HEAD", "commondir", "config.worktree", "gitdir", "shallow"];
/// The files that all work trees of a repository share.
const SHARED: &[&str] = &[
    "HEAD",
    "config",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
];
/// The keys of a configuration whose values are files that git opens.
const NAMING: &[&str] = &["path", "attributesfile", "excludesfile"];
/// Most files of one check; git follows at most 10 levels of included files.
const MOST_FILES: usize = 200;
/// Largest file that is searched for names of other files, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// Checks the files that git opens in the repository around `directory`.
///
/// # Errors
///
/// Returns an error of the kind [`io::ErrorKind::Unsupported`] that names a file which is neither regular nor a directory.
pub(in crate::workspace) fn check_around(directory: &Path) -> io::Result<()> {
    if let Some(git_dir) = env::var_os("GIT_DIR") {
        return check(&directory.join(git_dir));
    }
    let directory = fs_err::canonicalize(directory)?;
    for above in directory.ancestors() {
        let git = above.join(".git");
        match fs_err::metadata(&git) {
            Ok(found) if found.is_dir() => return check(&git),
            Ok(found) if found.is_file() => {
                let named = text(&git).and_then(|text| Some(above.join(text.strip_prefix("gitdir:")?.trim())));
                return named.map_or(Ok(()), |git_dir| check(&git_dir));
            }
            Err(_) if above.join("objects").is_dir() && above.join("HEAD").exists() => return check(above),
            // git reads no special file of this name.
            Ok(_) | Err(_) => {}
        }
    }
    Files::default().check_user()
}

/// Checks the files that git opens in the git directory `git_dir`.
///
/// # Errors
///
/// As [`check_around`].
pub(in crate::workspace) fn check(git_dir: &Path) -> io::Result<()> {
    let mut files = Files::default();
    OWN.iter().try_for_each(|name| files.check(&git_dir.join(name)))?;
    let common = text(&git_dir.join("commondir")).map_or_else(|| git_dir.to_owned(), |name| git_dir.join(name.trim()));
    SHARED.iter().try_for_each(|name| files.check(&common.join(name)))?;
    if let Some(branch) = text(&git_dir.join("HEAD")).as_deref().and_then(|head| head.strip_prefix("ref:")) {
        files.check(&common.join(branch.trim()))?;
        files.check(&git_dir.join(branch.trim()))?;
    }
    files.check_configuration(&common.join("config"))?;
    files.check_configuration(&git_dir.join("config.worktree"))?;
    files.check_user()
}

/// Checks the files of attributes from the root of the file system down to each of `directories`.
///
/// # Errors
///
/// As [`check_around`].
pub(in crate::workspace) fn check_attributes<'d>(directories: impl IntoIterator<Item = &'d Path>) -> io::Result<()> {
    let mut checked = HashSet::new();
    for directory in directories {
        for above in directory.ancestors() {
            if !checked.insert(above) {
                break;
            }
            let file = above.join(".gitattributes");
            // git follows no link of this name.
            if fs_err::symlink_metadata(&file).is_ok_and(|found| !found.is_symlink() && is_special(&found)) {
                return Err(refused(&file));
            }
        }
    }
    Ok(())
}

/// The files that are checked already.
#[derive(Default)]
struct Files(HashSet<PathBuf>);

impl Files {
    fn check(&mut self, path: &Path) -> io::Result<()> {
        let is_new = self.0.len() < MOST_FILES && self.0.insert(path.to_owned());
        match fs_err::metadata(path) {
            Ok(found) if is_new && is_special(&found) && !is_null(path) => Err(refused(path)),
            _ => Ok(()),
        }
    }

    /// Checks the files of the user and of all users.
    fn check_user(&mut self) -> io::Result<()> {
        let configurations = places::configurations_of_user();
        for path in &configurations {
            self.check(path)?;
            self.check_configuration(path)?;
        }
        places::attributes_of_user().into_iter().try_for_each(|path| self.check(&path))
    }

    /// Checks the files that the configuration at `path` names, and those that these name.
    fn check_configuration(&mut self, path: &Path) -> io::Result<()> {
        let mut named = vec![path.to_owned()];
        while let Some(path) = named.pop() {
            let Some(text) = text(&path) else { continue };
            for (is_included, file) in text.lines().filter_map(|line| named_file(&path, line)) {
                let is_new = !self.0.contains(&file) && self.0.len() < MOST_FILES;
                self.check(&file)?;
                named.extend((is_included && is_new).then_some(file));
            }
        }
        Ok(())
    }
}

/// Returns the file that a line of the configuration at `path` names, and whether it may be an included configuration.
fn named_file(path: &Path, line: &str) -> Option<(bool, PathBuf)> {
    // A section and its first key can share a line.
    let line = line.rsplit_once(']').map_or(line, |(_, rest)| rest);
    let (key, value) = line.split_once('=')?;
    let key = key.trim().to_ascii_lowercase();
    let value = value.trim().trim_matches('"');
    if !NAMING.contains(&key.as_str()) || value.is_empty() {
        return None;
    }
    let file = match value.strip_prefix("~/") {
        Some(rest) => home()?.join(rest),
        None => path.parent()?.join(value),
    };
    Some((key == "path", file))
}

/// Returns the text of a regular file.
fn text(path: &Path) -> Option<String> {
    let found = fs_err::metadata(path).ok().filter(|found| found.is_file() && found.len() <= MAX_TEXT);
    found.and_then(|_| Some(String::from_utf8_lossy(&fs_err::read(path).ok()?).into_owned()))
}

fn is_special(found: &std::fs::Metadata) -> bool {
    !found.is_file() && !found.is_dir()
}

/// Returns whether `path` leads to the file that is always empty.
fn is_null(path: &Path) -> bool {
    fs_err::canonicalize(path).is_ok_and(|path| path == Path::new("/dev/null"))
}

fn refused(path: &Path) -> io::Error {
    let message = format!("{} is not a regular file, and git would wait for it; remove it", path.display());
    io::Error::new(io::ErrorKind::Unsupported, message)
}
