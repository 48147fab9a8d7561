//! A process that ends at each verb that changes something: the next command finds the tree before or after.
//!
//! `--cfg wpatch_exit_at_verb` compiles the variable that these tests set. Systems that have
//! `strace` are tested more finely, at each system call; see `faults` and `kills`.
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

/// Runs the program, which ends at verb `number`.
fn run(desk: &Desk, arguments: &[&str], input: &[u8], number: usize) -> Output {
    let mut command = program(&desk.root(), arguments);
    fed(command.env(VARIABLE, number.to_string()), input)
}

/// Runs a command until it is not ended early: at its first verb, at its second and so on. Before
/// each run, `prepare` makes a root. After it, recovery must leave one of the trees `allowed`.
/// Returns the number of runs that ended early.
fn end_at_each_verb(
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
        let recovered = desk.runs(&["recover"], b"");
        assert!(recovered.status.success(), "verb {number}: {recovered:?}");
        let found = tree::read(&desk.root());
        assert!(allowed.contains(&found), "verb {number}: {found:#?}");
        // The next change finds no trace of the interrupted one.
        if number % 10 == 0 {
            desk.does(&["write", "--overwrite", "other"], b"written\n");
        }
    }
    panic!("{arguments:?} has more verbs than {LIMIT}")
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
    let ended = end_at_each_verb(desk, (&["apply"], PATCH), &trees());
    println!("ended at {ended} verbs");
    assert!(ended > 15, "{ended} verbs");
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
    let ended = end_at_each_verb(prepare, (&["undo"], b""), &[after, before]);
    println!("ended at {ended} verbs");
    assert!(ended > 15, "{ended} verbs");
}

#[test]
fn a_recovery_that_ends_at_any_verb_can_be_repeated() {
    let [before, after] = trees();
    // The middle of the change: some files are swapped.
    let total = end_at_each_verb(desk, (&["apply"], PATCH), &[before.clone(), after]);
    let prepare = || {
        let desk = desk();
        let output = run(&desk, &["apply"], PATCH, total * 2 / 3);
        assert!(!output.status.success());
        desk
    };
    let ended = end_at_each_verb(prepare, (&["recover"], b""), &[before]);
    println!("ended at {ended} verbs");
    assert!(ended > 5, "{ended} verbs");
}
