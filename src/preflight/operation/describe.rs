//! Describes the files before and after an operation.

use std::sync::Arc;

use super::GroupExecutor;
use crate::digest::Sha256;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Edit, Operation};
use crate::preflight::converter::Converter;
use crate::preflight::findings::Findings;
use crate::preflight::image_previews::{ImageSide, image};
use crate::preflight::modes::git_mode;
use crate::preflight::overlay::Node;
use crate::preflight::{ContentProperties, FileOutcome, describe, edit_result};
use crate::syntax::write::{DiffSide, git_diff_until_raised, plain_diff_until_raised};

impl GroupExecutor<'_> {
    /// Adds the content of `node` if it is an image and the caller collects images.
    pub(super) fn add_image(
        &self,
        moment: ImageSide,
        node: Option<&Node>,
        findings: &mut Findings,
    ) {
        if let Some(node) = node.filter(|_| self.options.images) {
            findings.images[moment as usize] = image(node.bytes.whole());
        }
    }

    /// Records the mode and digest of `replaced`, an overwritten file that is not the preimage.
    pub(super) fn describe_replaced(
        &self,
        operation: &Operation,
        before: Option<&Node>,
        replaced: Option<&Node>,
        findings: &mut Findings,
    ) {
        // Such a file is described as the preimage instead.
        let is_start = |node: &&Node| before.is_none() && node.kind == FileKind::Regular;
        let is_going = self
            .removed_in_step
            .contains(&(operation.step, &operation.path));
        let is_asked = self.options.needs_digests() || self.options.three_way.is_some();
        if let Some(node) = replaced.filter(|node| is_asked && !is_going && !is_start(node)) {
            findings.outcome.replaced = Some(Box::new((git_mode(node), Sha256::of(&node.bytes))));
        }
    }

    /// Adds the contents as `git diff` shows them, if the caller keeps them.
    fn keep_contents(
        &self,
        operation: &Operation,
        (before, after): (Option<&Node>, Option<&Node>),
        findings: &mut Findings,
    ) {
        if !self.options.keeps_contents {
            return;
        }
        let converter = Converter::new(self.plan, operation, self.options);
        let content = |path: &RelPath, node: Option<&Node>| {
            let (node, _) = converter.convert_for_diff(path, node, String::new())?;
            Some(Arc::clone(node.bytes.whole()))
        };
        let old_path = operation.from.as_ref().unwrap_or(&operation.path);
        findings.contents = Some([content(old_path, before), content(&operation.path, after)]);
    }

    pub(super) fn describe_before(&mut self, before: Option<&Node>, findings: &mut Findings) {
        findings.outcome.modes.0 = before.map(git_mode);
        findings.outcome.before = self.describe_side(before);
    }

    pub(super) fn describe_after(
        &mut self,
        operation: &Operation,
        before: Option<&Node>,
        after: &Node,
        findings: &mut Findings,
    ) {
        let is_gone = matches!(operation.action, Action::Delete | Action::RemoveCopy);
        let after = (!is_gone).then_some(after);
        let outcome = &mut findings.outcome;
        outcome.modes.1 = after.map(git_mode);
        outcome.is_link_file =
            self.options.links_are_files && outcome.modes.1 == Some(FileMode::Symlink);
        outcome.is_edited = before.map(|node| &node.bytes) != after.map(|node| &node.bytes);
        // A plan with guards contains whole files, so no edit has counted the changed lines.
        if operation.guard.is_some() {
            let bytes =
                |node: Option<&Node>| node.map(|node| node.bytes.clone()).unwrap_or_default();
            let interrupt = &self.options.rules.interrupt;
            edit_result::count_changed_lines(&bytes(before), &bytes(after), interrupt, outcome);
        }
        outcome.after = self.describe_side(after);
        self.keep_contents(operation, (before, after), findings);
        let outcome = &mut findings.outcome;
        let is_left_out = self.options.no_large_diff
            && [before, after]
                .into_iter()
                .flatten()
                .any(|node| describe::is_large(&node.bytes));
        if self.options.diff && !self.options.full_diff && !is_left_out {
            self.describe_diff(operation, (before, after), outcome);
        }
    }

    /// Adds the diff of the change of one file to `outcome`, which describes both contents.
    fn describe_diff(
        &self,
        operation: &Operation,
        (before, after): (Option<&Node>, Option<&Node>),
        outcome: &mut FileOutcome,
    ) {
        let blob = |side: &Option<Box<ContentProperties>>| {
            let details = side.as_ref().and_then(|side| side.details.as_ref());
            details.map_or_else(String::new, |details| details.blob.clone())
        };
        let blobs = (blob(&outcome.before), blob(&outcome.after));
        let old_path = operation
            .from
            .as_ref()
            .filter(|_| operation.has_new_path())
            .unwrap_or(&operation.path);
        let converter = Converter::new(self.plan, operation, self.options);
        let (before, after) = (
            converter.convert_for_diff(old_path, before, blobs.0),
            converter.convert_for_diff(&operation.path, after, blobs.1),
        );
        let old = before
            .as_ref()
            .map(|(node, blob)| side(old_path, node, blob));
        let new = after
            .as_ref()
            .map(|(node, blob)| side(&operation.path, node, blob));
        let interrupt = &self.options.rules.interrupt;
        let diff = match (&operation.edit, &old, &new) {
            (Edit::Replacements(_) | Edit::Cell(_), Some(old), Some(new)) => {
                plain_diff_until_raised(old, new, interrupt)
            }
            _ => git_diff_until_raised(operation.action, old.as_ref(), new.as_ref(), interrupt),
        };
        (outcome.diff, outcome.is_diff_cut) = describe::clip_diff(diff, self.options.max_diff);
    }

    /// Describes the content of `node`, if a description is requested. The postimage of one
    /// operation is the preimage of the next one on the same file, so the last description is
    /// cached.
    fn describe_side(&mut self, node: Option<&Node>) -> Option<Box<ContentProperties>> {
        let node = node.filter(|_| self.options.needs_digests())?;
        match &self.described {
            Some((bytes, side)) if bytes.has_same_memory(&node.bytes) => Some(side.clone()),
            _ => {
                let interrupt = &self.options.rules.interrupt;
                let details = || describe::details(&node.bytes, interrupt);
                let side = Box::new(ContentProperties {
                    details: self.options.describe.then(details),
                    ..describe::digest(&node.bytes, interrupt)
                });
                self.described = Some((node.bytes.clone(), side.clone()));
                Some(side)
            }
        }
    }
}

fn side<'n>(path: &'n RelPath, node: &'n Node, blob: &'n str) -> DiffSide<'n> {
    DiffSide {
        path,
        mode: git_mode(node),
        content: &node.bytes,
        blob,
    }
}
