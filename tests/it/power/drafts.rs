//! What is applied: trees with patches for them, made of a few kinds of change.

use std::fmt::Write;

use crate::ways::Way;

/// Permission bits of a file that is not a program.
const PLAIN: u32 = 0o644;

/// A tree and what the program is told to do with it.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) name: &'static str,
    pub(super) words: &'static [&'static str],
    /// The code that the program ends with.
    pub(super) code: i32,
    /// Paths, permission bits and contents.
    pub(super) files: Vec<(String, u32, String)>,
    /// Paths and targets.
    pub(super) links: Vec<(String, String)>,
    pub(super) patch: String,
}

impl Draft {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            words: &["apply", "../patch"],
            ..Self::default()
        }
        .file("stays", "stays\n")
    }

    /// Adds a file that the patch does not name.
    pub(super) fn file(mut self, path: &str, contents: &str) -> Self {
        self.files
            .push((path.to_owned(), PLAIN, contents.to_owned()));
        self
    }

    fn update(self, path: &str) -> Self {
        let contents = format!("old {path}\nstays\n");
        let mut draft = self.file(path, &contents);
        let hunk = format!("@@ -1,2 +1,2 @@\n-old {path}\n+new {path}\n stays\n");
        write!(
            draft.patch,
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{hunk}"
        )
        .unwrap();
        draft
    }

    fn create(mut self, path: &str, mode: u32) -> Self {
        let hunk = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+created {path}\n");
        write!(
            self.patch,
            "diff --git a/{path} b/{path}\nnew file mode 100{mode:o}\n{hunk}"
        )
        .unwrap();
        self
    }

    fn delete(self, path: &str) -> Self {
        let mut draft = self.file(path, &format!("gone {path}\n"));
        let hunk = format!("--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone {path}\n");
        write!(
            draft.patch,
            "diff --git a/{path} b/{path}\ndeleted file mode 100644\n{hunk}"
        )
        .unwrap();
        draft
    }

    fn rename(self, from: &str, to: &str) -> Self {
        let mut draft = self.file(from, &format!("moved {from}\n"));
        write!(draft.patch, "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
            .unwrap();
        draft
    }

    fn rename_with_change(self, from: &str, to: &str) -> Self {
        let mut draft = self.file(from, &format!("moved {from}\nold\n"));
        write!(
            draft.patch,
            "diff --git a/{from} b/{to}\nsimilarity index 50%\nrename from {from}\nrename to {to}\n\
             --- a/{from}\n+++ b/{to}\n@@ -1,2 +1,2 @@\n moved {from}\n-old\n+new\n"
        )
        .unwrap();
        draft
    }

    fn mode(self, path: &str) -> Self {
        let mut draft = self.file(path, "#!/bin/sh\n");
        write!(
            draft.patch,
            "diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n"
        )
        .unwrap();
        draft
    }

    fn link(mut self, path: &str) -> Self {
        let hunk = format!(
            "--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+stays\n\\ No newline at end of file\n"
        );
        write!(
            self.patch,
            "diff --git a/{path} b/{path}\nnew file mode 120000\n{hunk}"
        )
        .unwrap();
        self
    }

    fn aim(mut self, path: &str) -> Self {
        self.links.push((path.to_owned(), "stays".to_owned()));
        let end = "\\ No newline at end of file\n";
        let hunk =
            format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-stays\n{end}+elsewhere\n{end}");
        write!(
            self.patch,
            "diff --git a/{path} b/{path}\nindex 1111111..2222222 120000\n{hunk}"
        )
        .unwrap();
        self
    }
}

impl From<Way> for Draft {
    fn from(
        Way {
            name,
            files,
            words,
            code,
        }: Way,
    ) -> Self {
        let draft = Self {
            name,
            words,
            code,
            ..Self::default()
        };
        files
            .into_iter()
            .fold(draft, |draft, (name, text)| draft.file(&name, text))
    }
}

/// Returns what is applied, the smallest first.
pub(super) fn drafts() -> Vec<Draft> {
    vec![
        Draft::new("one update").update("file"),
        Draft::new("one mode").mode("script"),
        Draft::new("new directories")
            .create("new/dir/file", PLAIN)
            .create("new/program", 0o755),
        Draft::new("emptied directories")
            .delete("old/dir/gone")
            .delete("other"),
        Draft::new("links").link("link").aim("aimed"),
        Draft::new("a file becomes a directory")
            .delete("place")
            .create("place/file", PLAIN),
        renames(),
        few(),
        Draft::new("many files")
            .update("1")
            .update("2")
            .update("3")
            .create("4", PLAIN)
            .delete("5")
            .create("6", 0o755),
        many(),
    ]
}

/// Returns one that moves files, into another directory and in their own, with a change and
/// without.
pub(super) fn renames() -> Draft {
    let moves = Draft::new("renames")
        .rename("plain", "sub/plain")
        .rename("own", "named");
    moves.rename_with_change("from/edited", "edited")
}

/// Returns a few changes in each of two roots.
pub(super) fn two_roots() -> Draft {
    Draft::new("two roots")
        .file("one/stays", "stays\n")
        .file("two/stays", "stays\n")
        .update("one/d/f")
        .create("one/made", PLAIN)
        .update("two/f")
        .delete("two/gone")
}

/// Returns one with so few files and directories that each is synced on its own.
pub(super) fn few() -> Draft {
    Draft::new("a few")
        .update("file")
        .create("new/file", PLAIN)
        .delete("gone")
        .mode("script")
}

/// Returns one with so many files and directories that all is synced at once.
pub(super) fn many() -> Draft {
    let updates = (0..5).fold(Draft::new("many"), |draft, at| {
        draft.update(&format!("{at}/file"))
    });
    updates
        .create("new/file", PLAIN)
        .delete("old/gone")
        .mode("script")
        .rename("plain", "to/plain")
}
