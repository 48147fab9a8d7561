//! The absolute paths under which a file can be reached through symbolic links.

use std::path::{Path, PathBuf};

use crate::path::{MAX_LINKS, RelPath, path_bytes, plain_path};

/// Returns the absolute paths of `file`: the given path, one path for each followed link, and last
/// the path without links. The file need not exist.
pub(super) fn follow_links(file: &Path) -> Vec<PathBuf> {
    let Ok(mut name) = std::path::absolute(file) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for _ in 0..MAX_LINKS {
        names.push(name.clone());
        // Find the first link in the path, and its target.
        let ancestors: Vec<&Path> = name.ancestors().collect();
        let link = ancestors
            .iter()
            .rev()
            .find_map(|above| Some((*above, fs_err::read_link(above).ok()?)));
        let Some((link, target)) = link else {
            names.extend(normalize_path(&name).filter(|plain| *plain != name));
            break;
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

/// Returns `path` as text without `.` and `..`. Returns `None` if it leads above `/`.
pub(super) fn normalize_path(path: &Path) -> Option<PathBuf> {
    let below = RelPath::new(&path_bytes(path.strip_prefix("/").ok()?)).ok()?;
    let name = [b"/", below.as_bytes()].concat();
    String::from_utf8(name).ok().map(PathBuf::from)
}
