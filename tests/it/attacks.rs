//! Attacks on policy and approval, by somebody who writes patches, names of files or the tree, and
//! who must not get anything done that the user did not allow. Each is refused with its kind and
//! its exit code, in words as in JSON, with no change to the tree and not a word of what may not be
//! read.
//!
//! The policy (`policy`): a patch that edits, deletes, renames away, replaces, copies over, links
//! over or makes executable its policy file before it does what that denies; the file by a link, by
//! a linked directory, in other case, with a dot, a blank, a stream, a joiner, a short name, as an
//! absolute path, through `..`; `--file`, `-p`, `--directory`, `-R`; a hard link with `--in-place`;
//! renames, copies and links into what is closed and out of it; a link made first and read through
//! then; the hash of another file by rename and copy, deleting and making anew, a mode without a
//! hash; many small steps over a limit; binary data as a file, in JSON, in base85, behind text;
//! every setting of a project's file that would open what another file closes.
//!
//! Reading (`reading`): every way to look at a file that may not be read, and every option that
//! names a file.
//!
//! Grants (`grants`): neighbours of what a grant opens outside of the root, links and `..` there,
//! the project's policy and that of the directory, ways back into the root.
//!
//! The configuration (`configuration`): directories that others can write to, links on the way,
//! variables that are relative, empty or not set, other names of a home.
//!
//! Approval (`approval`): the approval of a part for the whole, of the whole for a part, of a
//! change for its reverse, of the same bytes at another path, of a change that replaces nothing for
//! one that does; of what is denied; of a tree in which a link came since; a plan that was
//! rejected; an approval that a policy file came after; plans with one beginning, of another owner,
//! behind a link.
//!
//! Commands (`commands`): a project's file that names commands or servers; commands for what is
//! denied, asked about or not fitting; a patch file that is swapped by a command; a verification
//! that writes to the history, fills the disk, takes, swaps or cuts the state, closes the root,
//! leaves a daemon, floods the output or kills who waits for it.
//!
//! Git directories (`git_directories`): one behind a link, a chain of links, a file, an absolute or
//! a relative name; one that does not exist yet, of a nested repository, of another directory, of
//! linked work trees, of a work tree around the root, of the environment; a bare repository; each
//! of them by every command, hook and tool, and by undo.
//!
//! Elsewhere: policy files that are directories, links, too large or not understood, and
//! configurations that others can write (`crate::policy`); forged, cut, foreign and misnamed plans
//! and short approvals (`crate::approval`); commands that hang, fork and ignore signals
//! (`crate::verify`); ways out of the root (`crate::workspace`, `crate::hostile`).

mod approval;
mod commands;
mod configuration;
mod git_directories;
mod grants;
mod policy;
mod reading;

use serde_json::Value;

use crate::systems::Desk;

/// What stands in every file that may not be read.
const HUSH: &str = "hush-9f3c";

/// Asserts that the program refuses, and says nothing of [`HUSH`]. Returns the `error` of its
/// document.
fn refused(desk: &Desk, (kind, exit_code): (&str, i32), arguments: &[&str], input: &[u8]) -> Value {
    let error = desk.refuses(kind, arguments, input);
    for arguments in [arguments, &[arguments, &["--json"]].concat()] {
        let output = desk.runs(arguments, input);
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(
            output.status.code(),
            Some(exit_code),
            "{arguments:?}: {said}"
        );
        assert!(!said.contains(HUSH), "{arguments:?}: {said}");
    }
    error
}

const DENIED: (&str, i32) = ("denied", 3);

/// Returns a git patch that copies or renames.
fn moved(how: &str, from: &str, to: &str) -> Vec<u8> {
    format!("diff --git a/{from} b/{to}\nsimilarity index 100%\n{how} from {from}\n{how} to {to}\n")
        .into_bytes()
}

/// Returns a git patch that makes a link.
fn link(path: &str, target: &str) -> Vec<u8> {
    let head = format!(
        "diff --git a/{path} b/{path}\nnew file mode 120000\n--- /dev/null\n+++ b/{path}\n"
    );
    format!("{head}@@ -0,0 +1 @@\n+{target}\n\\ No newline at end of file\n").into_bytes()
}

/// Returns a patch that replaces the only line of a file.
fn replaced(path: &str, old: &str, new: &str) -> Vec<u8> {
    format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    )
    .into_bytes()
}
