//! Aborts the program before each verb that changes something. The next command must find the tree
//! before or after the change.
//!
//! `--cfg wpatch_exit_at_verb`, which only `.ci/windows` sets, compiles the variable that these
//! tests set. Systems that have `strace` are tested at each system call; see `faults` and `kills`.
#![cfg(wpatch_exit_at_verb)]

use std::process::Output;

use crate::systems::{Desk, fed, program};
use crate::tree::{self, Tree};

const VARIABLE: &str = "WPATCH_EXIT_AT_VERB";
/// More verbs than any of the commands has.
const LIMIT: usize = 2_000;

const PATCH: &[u8] = b"diff --git a/changed b/changed
--- a/changed
+++ b/changed
@@ -1 +1 @@
-old
+new
diff --git a/d/deleted b/d/deleted
deleted file mode 100644
--- a/d/deleted
+++ /dev/null
@@ -1 +0,0 @@
-old
diff --git a/e/created b/e/created
new file mode 100644
--- /dev/null
+++ b/e/created
@@ -0,0 +1 @@
+new
diff --git a/from b/to
similarity index 50%
rename from from
rename to to
--- a/from
+++ b/to
@@ -1 +1 @@
-old
+new
";

fn desk() -> Desk {
    let old = &b"old\n"[..];
    Desk::with(&[
        ("changed", old),
        ("d/deleted", old),
        ("from", old),
        ("other", old),
    ])
}

/// Runs the program, which aborts before verb `number`.
fn run(desk: &Desk, arguments: &[&str], input: &[u8], number: usize) -> Output {
    let mut command = program(&desk.root(), arguments);
    fed(command.env(VARIABLE, number.to_string()), input)
}

/// Aborts a command before its verb 1, 2 and so on, until a run completes. Before each run,
/// `prepare` makes a root. After it, recovery must leave one of the trees `allowed`. Returns the
/// number of aborted runs.
fn abort_at_each_verb(
    prepare: impl Fn() -> Desk,
    (arguments, input): (&[&str], &[u8]),
    allowed: &[Tree],
) -> usize {
    for number in 1..LIMIT {
        let desk = prepare();
        let output = run(&desk, arguments, input, number);
        if output.status.success() {
            assert_eq!(Some(&tree::read(&desk.root())), allowed.last());
            return number - 1;
        }
        assert!(has_aborted(&output), "verb {number}: {output:?}");
        let recovered = desk.runs(&["recover"], b"");
        assert!(recovered.status.success(), "verb {number}: {recovered:?}");
        let found = tree::read(&desk.root());
        assert!(allowed.contains(&found), "verb {number}: {found:#?}");
        // The next change works as usual.
        if number % 10 == 0 {
            desk.does(&["write", "--overwrite", "other"], b"written\n");
        }
    }
    panic!("{arguments:?} has more verbs than {LIMIT}")
}

/// Returns whether `process::abort` has ended the program.
fn has_aborted(output: &Output) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(6);
    // `STATUS_STACK_BUFFER_OVERRUN`, the status of `__fastfail`.
    #[cfg(windows)]
    return output.status.code().map(i32::cast_unsigned) == Some(0xC000_0409);
}

/// Returns the trees before and after the patch.
fn trees() -> [Tree; 2] {
    let desk = desk();
    let before = tree::read(&desk.root());
    assert!(desk.runs(&["apply"], PATCH).status.success());
    [before, tree::read(&desk.root())]
}

#[test]
fn a_change_that_ends_at_any_verb_is_whole_or_absent() {
    let aborted = abort_at_each_verb(desk, (&["apply"], PATCH), &trees());
    assert!(aborted > 15, "{aborted} verbs");
}

#[test]
fn an_undo_that_ends_at_any_verb_is_whole_or_absent() {
    let prepare = || {
        let desk = desk();
        assert!(desk.runs(&["init"], b"").status.success());
        assert!(desk.runs(&["apply"], PATCH).status.success());
        desk
    };
    let [before, after] = trees();
    let aborted = abort_at_each_verb(prepare, (&["undo"], b""), &[after, before]);
    assert!(aborted > 15, "{aborted} verbs");
}

#[test]
fn a_recovery_that_ends_at_any_verb_can_be_repeated() {
    let [before, after] = trees();
    // The last third of the verbs: the change is in the middle of its commit.
    let total = abort_at_each_verb(desk, (&["apply"], PATCH), &[before.clone(), after]);
    let prepare = || {
        let desk = desk();
        let output = run(&desk, &["apply"], PATCH, total * 2 / 3);
        assert!(has_aborted(&output), "{output:?}");
        desk
    };
    let aborted = abort_at_each_verb(prepare, (&["recover"], b""), &[before]);
    assert!(aborted > 5, "{aborted} verbs");
}
