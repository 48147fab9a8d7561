//! The patches of a scene, and the files that they are for.

/// Updates, deletes (and empties a directory), renames with and without a change, changes a mode,
/// makes a file in a new directory and a symbolic link.
pub(super) const PATCH: &str = "\
diff --git a/update b/update
--- a/update
+++ b/update
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/old/gone b/old/gone
deleted file mode 100644
--- a/old/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/plain b/sub/plain
similarity index 100%
rename from plain
rename to sub/plain
diff --git a/edited b/renamed
similarity index 50%
rename from edited
rename to renamed
--- a/edited
+++ b/renamed
@@ -1,2 +1,2 @@
 first
-second
+2nd
diff --git a/script b/script
old mode 100644
new mode 100755
diff --git a/new/dir/file b/new/dir/file
new file mode 100644
--- /dev/null
+++ b/new/dir/file
@@ -0,0 +1 @@
+new
diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+update
\\ No newline at end of file
";

/// Changes one file.
pub(super) const SINGLE: &str =
    "--- a/d/update\n+++ b/d/update\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n";

/// The options of a change of all names.
pub(super) const IN_PLACE: &[&str] = &["--in-place"];

/// The files that the patch is for, and one that it is not for.
pub(super) const FILES: &[(&str, &str)] = &[
    ("update", "one\ntwo\nthree\n"),
    ("old/gone", "gone\n"),
    ("plain", "plain\n"),
    ("edited", "first\nsecond\n"),
    ("script", "#!/bin/sh\n"),
    ("stays", "stays\n"),
];
