//! `--index`: which file of the work tree is the one in the index.
#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, SystemTime};

use fs_err as fs;

use super::beside::{beside, commit};
use crate::repository::git;

const PATCH: &str = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n";

/// Sets the time of `f`. Far in the past git relies on it.
fn date(root: &Path, seconds: u64) {
    let file = fs::OpenOptions::new()
        .append(true)
        .open(root.join("f"))
        .unwrap();
    file.file()
        .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        .unwrap();
}

#[test]
fn a_file_with_the_bytes_of_the_index_is_another_one_where_git_converts_it() {
    // The attributes, whether they come after the file was added, whether its time changes, and
    // whether git applies the patch.
    let cases = [
        ("* text\n", true, true),
        ("* text\n", false, false),
        ("* text=auto\n", true, false),
        ("* -text\n", true, false),
        ("* text eol=crlf\n", true, true),
    ];
    for (attributes, is_touched, is_other) in cases {
        let prepare = |root: &Path| {
            fs::write(root.join("f"), "a\r\nb\r\n").unwrap();
            date(root, 1_000_000_000);
            commit(root, &[]);
            fs::write(root.join(".gitattributes"), attributes).unwrap();
            if is_touched {
                date(root, 1_100_000_000);
                // By the time alone git takes each file for another one.
                let refresh = git(&["update-index", "--refresh"])
                    .current_dir(root)
                    .output();
                assert_eq!(refresh.unwrap().status.success(), !is_other, "{attributes}");
            }
        };
        for options in [&["--index"][..], &["--index", "--check"]] {
            let [by_git, ours] = beside(&prepare, options, PATCH.as_bytes());
            assert_eq!(
                by_git.exit != 0,
                is_other,
                "{attributes} {is_touched} {}",
                by_git.said
            );
            assert_eq!(
                ours.result(),
                by_git.result(),
                "{attributes} {is_touched} {options:?} {}",
                ours.said
            );
        }
    }
}
