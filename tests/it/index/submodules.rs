//! Submodules in the index.
#![cfg(unix)]

use fs_err as fs;

use super::tree::Tree;

#[test]
fn a_series_changes_one_submodule_several_times() {
    let tree = Tree::new();
    let ids = ["1", "2", "3"].map(|digit| digit.repeat(40));
    let entry = format!("160000,{},sub", ids[0]);
    tree.git(&["update-index", "--add", "--cacheinfo", &entry]);
    let patches = [0, 1].map(|nth| {
        let (old, new) = (&ids[nth], &ids[nth + 1]);
        let path = tree.root().join(format!("../{nth}.patch"));
        let header = format!("diff --git a/sub b/sub\nindex {old}..{new} 160000\n");
        let hunk = format!("@@ -1 +1 @@\n-Subproject commit {old}\n+Subproject commit {new}\n");
        fs::write(&path, header + "--- a/sub\n+++ b/sub\n" + &hunk).unwrap();
        path
    });
    let run = |arguments: &[&str]| {
        let mut command = crate::world::wpatch();
        let command = command.args(arguments).args(&patches);
        let output = command.current_dir(tree.root()).output().unwrap();
        (output.status.code(), tree.git(&["ls-files", "-s", "sub"]))
    };
    let entry = |id: &str| format!("160000 {id} 0\tsub\n");
    assert_eq!(run(&["apply", "--cached"]), (Some(0), entry(&ids[2])));
    // The first patch no longer matches.
    assert_eq!(run(&["apply", "--cached"]), (Some(1), entry(&ids[2])));
}
