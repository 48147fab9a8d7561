//! Tests of the changes that the sink of a resolution receives.

use std::sync::Mutex;

use super::*;
use crate::change::FileChange;
use crate::plan::{Selection, select};
use crate::syntax;
use crate::workspace::memory::{Entry, Memory};

/// Records the paths of the changes.
#[derive(Default)]
struct PathRecorder(Mutex<Vec<RelPath>>);

impl Sink for PathRecorder {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        self.0.lock().unwrap().push(change.path);
        Ok(())
    }
}

fn taken(patch: &str) -> Vec<String> {
    let parsed = syntax::parse(
        "-",
        patch,
        &syntax::select_syntaxes("auto"),
        syntax::Options::default(),
    )
    .unwrap();
    let files = ["a", "b"].map(|name| {
        (
            RelPath::new(name.as_bytes()).unwrap(),
            Entry::file(format!("{name}\n")),
        )
    });
    let workspace = Memory::with_files(files);
    let sink = PathRecorder::default();
    resolve(
        &select(parsed, &Selection::default()).plan,
        &workspace,
        &Options::default(),
        &sink,
    )
    .unwrap();
    let mut taken: Vec<_> = sink
        .0
        .into_inner()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    taken.sort();
    taken
}

#[test]
fn nothing_is_staged_of_a_patch_that_names_a_closed_path() {
    let change = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{name}\n+x\n");
    assert_eq!(taken(&[change("a"), change("b")].concat()), ["a", "b"]);
    assert_eq!(
        taken(&[change("a"), change("b"), change(".git/config")].concat()),
        [""; 0]
    );
}
