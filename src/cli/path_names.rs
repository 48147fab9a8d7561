//! The absolute paths under which a file can be reached through symbolic links.

use std::io;
use std::path::{Path, PathBuf};

use crate::path::{MAX_LINKS, RelPath, path_bytes, plain_path, split_root};

/// Returns the absolute paths of `file`: the given path, one path for each followed link, and last
/// the path without links. The file need not exist.
pub(super) fn follow_links(file: &Path) -> Vec<PathBuf> {
    let Ok(mut name) = std::path::absolute(file) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for _ in 0..MAX_LINKS {
        names.push(name.clone());
        let (link, target) = match first_link(&name) {
            FirstLink::Found(link, target) => (link, target),
            // Later names can be missing although the file exists: `normalize_path` does not follow
            // a link before `..`, and the system does.
            FirstLink::Missing if names.len() == 1 => {
                names.extend(normalize_path(&name).filter(|plain| *plain != name));
                return names;
            }
            FirstLink::Missing | FirstLink::None => {
                names.extend(normalize_path(&name).filter(|plain| *plain != name));
                break;
            }
        };
        let rest = name.strip_prefix(link).unwrap_or(Path::new(""));
        let next = link.parent().unwrap_or(Path::new("/")).join(target);
        let next = if rest == Path::new("") {
            next
        } else {
            next.join(rest)
        };
        name = normalize_path(&next).unwrap_or(next);
    }
    names.extend(fs_err::canonicalize(file).map(plain_path));
    names
}

/// The first symbolic link in a path.
enum FirstLink<'p> {
    /// The path of the link, and its target.
    Found(&'p Path, PathBuf),
    /// A component of the path does not exist, and none before it is a link.
    Missing,
    /// No component is a link.
    None,
}

fn first_link(path: &Path) -> FirstLink<'_> {
    let ancestors: Vec<&Path> = path.ancestors().collect();
    // The root is not a link.
    for &above in ancestors.iter().rev().skip(1) {
        match fs_err::read_link(above) {
            Ok(target) => return FirstLink::Found(above, target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return FirstLink::Missing,
            Err(_) => {}
        }
    }
    FirstLink::None
}

/// Returns the absolute path `path` as text without `.` and `..`, with `/` between its components.
/// Returns `None` if it leads above its root.
pub(super) fn normalize_path(path: &Path) -> Option<PathBuf> {
    let name = path_bytes(path);
    let (root, below) = split_root(&name)?;
    let name = [root, RelPath::new(below).ok()?.as_bytes()].concat();
    String::from_utf8(name).ok().map(PathBuf::from)
}
