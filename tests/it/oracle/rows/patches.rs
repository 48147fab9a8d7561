//! The patches of the rows.

use super::Files;

pub(super) const GLUED: &str =
    "a line without newline before another line (`--unidiff-zero`, `-C`)";
pub(super) const OPEN: &str = "a last old line without newline, where the file has one";
pub(super) const ADDED: &str =
    "a hunk without old lines, whose place the file does not have or `--unidiff-zero` would take";
pub(super) const TWICE: &str = "two sections of one diff that make the same file";
pub(super) const NULL: &str =
    "`/dev/null` in a git diff without a line `new file` or `deleted file`";
pub(super) const UNTOLD: &str = "files that the work tree lacks, with `--index` or `--3way`";
pub(super) const UNTRACKED: &str = "`--index` or `--3way` where `core.bare` is true";
pub(super) const MODES: &str = "an executable file where `core.fileMode` is false";
pub(super) const INACCURATE: &str = "`--inaccurate-eof`";

pub(super) const AB: Files = &[("f", "a\nb\n")];
pub(super) const A: Files = &[("f", "a\n")];
pub(super) const CHANGE: &str = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n";
pub(super) const MADE_ONE: &str =
    "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\n";
pub(super) const MADE: &str = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\n\
                    diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+two\n";
pub(super) const RENAMED: &str = "diff --git a/f b/n\nsimilarity index 100%\nrename from f\nrename to n\n\
                       diff --git a/f b/n\nsimilarity index 100%\nrename from f\nrename to n\n";
pub(super) const COPIED: &str =
    "diff --git a/f b/n\nsimilarity index 100%\ncopy from f\ncopy to n\n";
pub(super) const SECTIONS: &str = "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\
                        diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+n\n";
pub(super) const BINARY: &str = "diff --git a/b b/b\nnew file mode 100644\n\
                      index 0000000000000000000000000000000000000000..f76dd238ade08917e6712764a16a22005a50573d\n\
                      GIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 9\nHcmV?d00001\n\n";

pub(super) const NEW_LINK: &str = "diff --git a/n b/n\nnew file mode 120000\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+f\n\
                        \\ No newline at end of file\n";
