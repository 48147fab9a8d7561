//! What a change in place leaves in the state directory.

use wpatch::engine::UndoTarget;
use wpatch::mode::FileKind;
use wpatch::workspace::memory::{Entry, Feature};

use super::{applied, done, tree, undo};
use crate::changes::{Case, Step};

#[test]
fn nothing_stays_with_an_old_file_that_was_written_over() {
    let names: Vec<_> = (0..100)
        .map(|number| {
            (
                &*format!("{number}").leak(),
                &*format!("link{number}").leak(),
            )
        })
        .collect();
    let case = Case {
        name: "links",
        before: names
            .iter()
            .map(|&(name, _)| (name, Entry::file("old")))
            .chain([(".git/HEAD", Entry::file("ref"))])
            .collect(),
        links: names.clone(),
        mounts: vec![],
        steps: names
            .iter()
            .map(|&(name, _)| Step::Overwrite(name, Entry::file("new")))
            .collect(),
        after: vec![],
    };
    let memory = applied(&case, &[]);
    let files = memory.entries().into_iter().filter(|(path, entry)| {
        path.to_string().starts_with(".git/wpatch/entry-") && entry.kind == FileKind::Regular
    });
    let contents: Vec<_> = files.map(|(_, entry)| entry.contents).collect();
    assert_eq!(
        contents
            .iter()
            .filter(|contents| *contents == b"old")
            .count(),
        names.len()
    );
    // The record.
    assert_eq!(contents.len(), names.len() + 1);
    assert!(done(&undo(&memory, UndoTarget::Last(1))));
    assert_eq!(tree(&memory), tree(&case.memory()));
}

#[test]
fn no_directory_of_scratch_stays_without_an_old_file() {
    let names = |what: &str, count: usize| -> Vec<&'static str> {
        (0..count)
            .map(|number| &*format!("{what}/{number}").leak())
            .collect()
    };
    let (made, gone) = (names("made", 200), names("gone", 40));
    for lacks in [&[][..], &[Feature::ExclusiveRename, Feature::Exchange]] {
        let before = gone
            .iter()
            .map(|&name| (name, Entry::file("old")))
            .chain([(".git/HEAD", Entry::file("ref"))]);
        let steps = made.iter().map(|&name| Step::Put(name, Entry::file("new")));
        let steps = steps
            .chain(gone.iter().copied().map(Step::Delete))
            .collect();
        let after = Vec::new();
        let case = Case {
            name: "many",
            before: before.collect(),
            links: vec![],
            mounts: vec![],
            steps,
            after,
        };
        let memory = applied(&case, lacks);
        let kept: Vec<_> = memory
            .entries()
            .into_keys()
            .map(|path| path.to_string())
            .collect();
        let kept: Vec<_> = kept
            .iter()
            .filter_map(|name| name.strip_prefix(".git/wpatch/entry-")?.split_once('/'))
            .collect();
        let directories: Vec<_> = kept
            .iter()
            .filter(|(_, name)| name.starts_with("files") && !name.contains('/'))
            .collect();
        let is_used = |directory: &str| {
            kept.iter()
                .any(|(_, name)| name.starts_with(&format!("{directory}/o")))
        };
        assert!(
            directories.iter().all(|(_, directory)| is_used(directory)),
            "{lacks:?} {kept:?}"
        );
        assert_eq!(
            kept.len(),
            gone.len() + directories.len() + 1,
            "{lacks:?} {kept:?}"
        );
        assert!(done(&undo(&memory, UndoTarget::Last(1))), "{lacks:?}");
        assert_eq!(tree(&memory), tree(&case.memory()), "{lacks:?}");
    }
}
