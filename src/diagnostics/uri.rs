//! File URIs of the Language Server Protocol.

use std::path::Path;

use crate::path::{is_absolute, path_bytes};
use crate::text::{percent_decode, percent_encode};

const SCHEME: &str = "file://";

/// Returns the URI of the absolute path `path`.
pub(super) fn from_path(path: &Path) -> String {
    let path = path_bytes(path);
    let slash = if path.starts_with(b"/") { "" } else { "/" };
    format!("{SCHEME}{slash}{}", percent_encode(&path))
}

/// Returns the URI of the file at `path` below `root`.
pub(super) fn join(root: &Path, path: &[u8]) -> String {
    let root = from_path(root);
    format!(
        "{}/{}",
        root.strip_suffix('/').unwrap_or(&root),
        percent_encode(path)
    )
}

/// Returns the absolute path of the file that `uri` names, with all percent escapes decoded.
pub(super) fn to_path(uri: &str) -> Option<Vec<u8>> {
    let path = uri
        .strip_prefix(SCHEME)
        .filter(|path| path.starts_with('/'))?;
    let mut path = percent_decode(path);
    if is_absolute(&path[1..]) && path.get(1) != Some(&b'/') {
        path.remove(0);
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back() {
        let uri = join(Path::new("/a b"), "é#:~.py".as_bytes());
        assert_eq!(from_path(Path::new("/")), "file:///");
        assert_eq!(join(Path::new("/"), b"a"), "file:///a");
        assert_eq!(uri, "file:///a%20b/%C3%A9%23%3A~.py");
        assert_eq!(to_path(&uri).unwrap(), "/a b/é#:~.py".as_bytes());
        assert_eq!(
            to_path("file:///a%20b/é%23:~.py").unwrap(),
            "/a b/é#:~.py".as_bytes()
        );
        assert_eq!(
            (to_path("untitled:a"), to_path("file://host/a")),
            (None, None)
        );
    }
}
