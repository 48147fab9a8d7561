//! Writes symbolic links as regular files that contain the target, if `core.symlinks` is false.

use super::stages::Selected;
use crate::change::{Content, FileChange, FileState, Postimage, Sink};
use crate::mode::{FileKind, FileMode, Permissions, with_execution};
use crate::plan::Plan;
use crate::preflight::{self, Problem, code};
use crate::workspace::WorkspaceError;
use crate::workspace::git::Git;

/// A sink that writes each new link as a regular file.
pub(super) struct LinkFileSink<'a>(pub(super) &'a dyn Sink);

impl Sink for LinkFileSink<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let FileChange {
            path,
            before,
            after,
        } = change;
        let after = after.map(|after| to_regular_file(after, before.as_ref()));
        self.0.receive(FileChange {
            path,
            before,
            after,
        })
    }
}

/// Returns `after` as a regular file if it is a link. A link in the work tree that is only moved
/// stays a link.
fn to_regular_file(after: Postimage, before: Option<&FileState>) -> Postimage {
    let source = match &after.content {
        Content::MovedFrom(_, state) | Content::Restored(_, state) => Some(state),
        Content::Bytes(_) | Content::Unchanged => before,
    };
    let source = source.filter(|state| state.stat.kind == FileKind::Regular);
    let has_bytes = matches!(after.content, Content::Bytes(_));
    if after.kind != FileKind::Symlink || source.is_none() && !has_bytes {
        return after;
    }
    let permissions = source.map_or(Permissions::New { executable: false }, |state| {
        let bits = state.stat.permissions;
        Permissions::Exact(if has_bytes {
            with_execution(bits, false)
        } else {
            bits
        })
    });
    Postimage {
        kind: FileKind::Regular,
        permissions,
        attribute_source: after.attribute_source.filter(|_| source.is_some()),
        ..after
    }
}

/// Sets in `options` whether links are written as regular files, according to git's configuration.
pub(super) fn load_symlink_support(
    git: &Git,
    selected: &mut Selected,
    options: &mut preflight::Options,
) {
    if !may_have_links(&selected.plan) {
        return;
    }
    match git.config_bool("core.symlinks") {
        Ok(is_on) => options.links_are_files = is_on == Some(false),
        Err(error) => {
            let message =
                format!("git cannot report whether the work tree supports symbolic links: {error}");
            let help = Some("fix the error that git reports and try again".to_owned());
            selected.problems.push(Problem {
                help,
                ..Problem::new(&code::GIT_CONFIG, message)
            });
        }
    }
}

/// Returns whether a file of `plan` can be a link. A section that only moves a file does not state
/// its mode.
fn may_have_links(plan: &Plan) -> bool {
    plan.operations.iter().any(|operation| {
        operation.from.is_some()
            || [operation.old_mode, operation.new_mode].contains(&Some(FileMode::Symlink))
    })
}
