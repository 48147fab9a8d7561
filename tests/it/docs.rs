//! The documentation: its links, its reference of all options, and the manual pages.

mod links;
mod manual;
mod messages;
mod words;

use std::path::{Path, PathBuf};

use fs_err as fs;
use walkdir::WalkDir;

/// Returns the pages for users: README.md, SECURITY.md, CONTRIBUTING.md, and those in `docs`.
pub(crate) fn pages() -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md"]
        .map(|name| top.join(name))
        .to_vec();
    let files = WalkDir::new(top.join("docs"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    pages.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages.sort();
    assert!(pages.len() > 15, "{pages:?}");
    pages
}

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    assert!(readme.lines().count() <= 250);
}
