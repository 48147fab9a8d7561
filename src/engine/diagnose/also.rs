//! The unchanged files that language servers open in addition to the changed ones
//! (`--diagnostics-also`): the files that depend on the change.

use std::collections::BTreeSet;

use super::noted::{self, MAX_TEXTS};
use super::{unknown_text_warning, warning};
use crate::diagnostics::{DiagnosticsOptions, Document, DocumentRole, Text};
use crate::engine::look;
use crate::mode::FileKind;
use crate::path::{PathPattern, RelPath};
use crate::policy::Policy;
use crate::preflight::{Problem, code};
use crate::transaction::Interrupt;
use crate::workspace::{Workspace, WorkspaceError};

/// The limit on the number of unchanged files that are opened.
const MAX_FILES: usize = 200;
/// The limit on the number of names that are examined. It bounds the work in a large tree.
const MAX_NAMES: usize = 200_000;

/// The unchanged files that match, and the reasons why some are missing.
#[derive(Default)]
struct RelatedFiles {
    documents: Vec<Document>,
    /// The total size of the texts, in bytes.
    size: usize,
    /// Files whose texts cannot be sent.
    unknown: Vec<RelPath>,
    /// Whether a pattern matches any file that a server handles.
    has_match: bool,
    /// Whether a limit was reached.
    is_cut: bool,
}

/// A walk through the tree.
struct RelatedWalk<'a> {
    options: &'a DiagnosticsOptions,
    /// The paths of the changed files, before and after the change.
    changed: BTreeSet<&'a RelPath>,
    workspace: &'a dyn Workspace,
    policy: &'a Policy,
    interrupt: &'a Interrupt,
    examined: usize,
    found: RelatedFiles,
}

/// Returns the unchanged files that match a pattern of [`DiagnosticsOptions::also`] and that a server
/// handles, with warnings about files that are missing.
///
/// Links are not followed, and names that start with a dot are skipped. Files that policy protects
/// from reading are skipped.
///
/// # Errors
///
/// Returns an error if the root cannot be listed.
pub(super) fn related_documents(
    options: &DiagnosticsOptions,
    changed: &[Document],
    (workspace, policy): (&dyn Workspace, &Policy),
    interrupt: &Interrupt,
) -> Result<(Vec<Document>, Vec<Problem>), WorkspaceError> {
    if options.also.is_empty() || changed.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let paths = changed
        .iter()
        .flat_map(|document| [Some(&document.path), document.from.as_ref()]);
    let mut walk = RelatedWalk {
        options,
        changed: paths.flatten().collect(),
        workspace,
        policy,
        interrupt,
        examined: 0,
        found: RelatedFiles::default(),
    };
    walk.enter(None)?;
    let problems = walk.found.warnings();
    Ok((walk.found.documents, problems))
}

impl RelatedWalk<'_> {
    fn enter(&mut self, directory: Option<&RelPath>) -> Result<(), WorkspaceError> {
        let mut names = match self.workspace.list(directory) {
            Ok(names) => names,
            // A subdirectory that cannot be read or no longer exists is skipped.
            Err(_) if directory.is_some() => return Ok(()),
            Err(error) => return Err(error),
        };
        names.sort_unstable();
        for name in names.iter().filter(|name| !name.starts_with(b".")) {
            if self.found.is_cut || self.interrupt.is_raised() {
                return Ok(());
            }
            self.examined += 1;
            self.found.is_cut |= self.examined > MAX_NAMES;
            let path =
                directory.map_or_else(|| RelPath::new(&name[..]), |directory| directory.join(name));
            if let Ok(path) = path {
                self.visit(path)?;
            }
        }
        Ok(())
    }

    fn visit(&mut self, path: RelPath) -> Result<(), WorkspaceError> {
        let mut patterns = self.options.also.iter();
        let is_match = patterns
            .clone()
            .any(|pattern| pattern.is_match(path.as_bytes()));
        let is_handled = is_match
            && self
                .options
                .servers
                .iter()
                .any(|server| server.is_for(&path));
        let may_contain = patterns.any(|pattern| may_match_below(pattern, &path));
        if !is_handled && !may_contain {
            return Ok(());
        }
        let Ok(Some(stat)) = self.workspace.stat(&path) else {
            return Ok(());
        };
        match stat.kind {
            FileKind::Directory if may_contain => self.enter(Some(&path)),
            FileKind::Regular if is_handled => {
                self.add(path);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds the file at `path`, unless the change contains it or policy protects it from reading.
    fn add(&mut self, path: RelPath) {
        self.found.has_match = true;
        if self.changed.contains(&path) || !look::is_readable(self.workspace, self.policy, &path) {
            return;
        }
        let text = noted::read(self.workspace, &path).unwrap_or(Text::Unknown);
        let Text::Known(contents) = &text else {
            self.found.unknown.push(path);
            return;
        };
        let size = self.found.size + contents.len();
        if self.found.documents.len() == MAX_FILES || size > MAX_TEXTS {
            self.found.is_cut = true;
            return;
        }
        self.found.size = size;
        self.found.documents.push(Document {
            path,
            from: None,
            before: Some(text.clone()),
            after: Some(text),
            role: DocumentRole::Unchanged,
        });
    }
}

impl RelatedFiles {
    fn warnings(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.is_cut {
            let message = format!(
                "more files match --diagnostics-also than the servers open; only the first {} are checked",
                self.documents.len()
            );
            problems.push(Problem {
                help: Some("name the directory of the files, such as `src/**/*.ts`".to_owned()),
                ..warning(&code::NOT_DIAGNOSED, message)
            });
        } else if !self.has_match {
            let message =
                "--diagnostics-also matches no file for which a language server is configured";
            problems.push(warning(&code::NOT_DIAGNOSED, message.to_owned()));
        }
        problems.extend(unknown_text_warning(&self.unknown));
        problems
    }
}

/// Returns whether `pattern` can match a path below the directory `path`: the directory agrees with
/// the part of the pattern before its first special character, and a pattern without `**` has more
/// slashes than the path of the directory.
fn may_match_below(pattern: &PathPattern, path: &RelPath) -> bool {
    let text = pattern.text().as_bytes();
    let literal = memchr::memchr3(b'*', b'?', b'[', text).unwrap_or(text.len());
    let literal = memchr::memchr2(b'{', b'\\', &text[..literal]).unwrap_or(literal);
    let base = memchr::memrchr(b'/', &text[..literal]).map_or(0, |slash| slash + 1);
    let directory = [path.as_bytes(), b"/"].concat();
    let common = base.min(directory.len());
    let slashes = |text: &[u8]| memchr::memchr_iter(b'/', text).count();
    text[..common] == directory[..common]
        && (pattern.text().contains("**") || slashes(&directory) <= slashes(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_that_can_contain_a_match_are_entered() {
        let entered = |pattern: &str, path: &str| {
            let pattern = PathPattern::new(pattern).unwrap();
            may_match_below(&pattern, &RelPath::new(path.as_bytes()).unwrap())
        };
        for (pattern, path) in [
            ("**/*.ts", "a/b"),
            ("src/**/*.ts", "src"),
            ("src/**/*.ts", "src/a/b"),
            ("src/a/*.ts", "src"),
            ("src/a/*.ts", "src/a"),
            ("{src,lib}/*.ts", "lib"),
        ] {
            assert!(entered(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("src/**/*.ts", "lib"),
            ("src/**/*.ts", "srcs"),
            ("src/a/*.ts", "src/b"),
            ("src/a/*.ts", "src/a/b"),
            ("*.ts", "a"),
        ] {
            assert!(!entered(pattern, path), "{pattern} {path}");
        }
    }
}
