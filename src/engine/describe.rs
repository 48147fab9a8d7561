//! Describes a patch without reading the files that it changes.

use std::path::Path;

use super::parse::{ReadOptions, read};
use super::request::Request;
use super::stages::{Command, Committed};
use super::{Outcome, whitespace};
use crate::preflight;
use crate::report::{self, Report};
use crate::syntax::{Quoting, TruncationHandling};
use crate::workspace::git::Git;

/// Returns whether git quotes the names in `report` that are not ASCII. Runs git in `directory`,
/// and only if there is such a name.
#[must_use]
pub fn quoting(report: &Report, directory: &Path) -> Quoting {
    let mut names = report
        .files
        .iter()
        .flat_map(|file| [Some(&file.path), file.from.as_ref()])
        .flatten();
    let is_off = || {
        matches!(
            Git::for_directory(directory).config_bool("core.quotepath"),
            Ok(Some(false))
        )
    };
    if names.any(|name| !name.as_bytes().is_ascii()) && is_off() {
        Quoting::Unreadable
    } else {
        Quoting::Full
    }
}

/// Parses the patches and reports their contents, as `git apply --stat` does. Reads no file of the
/// tree.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
///
/// let report = engine::describe(Request::of("--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n one\n+two\n")).report;
/// assert_eq!((report.summary.files, report.summary.added), (1, 1));
/// ```
pub fn describe(mut request: Request) -> Outcome {
    let command = Command {
        policy: request.context.policy.clone(),
        ..Command::of("apply", report::Outcome::Described)
    };
    let patches = match request.take_patches() {
        Ok(patches) => patches,
        Err(problem) => return Committed::of_problem(*problem).finish(&command),
    };
    let reader = ReadOptions {
        truncated: TruncationHandling::Read,
        ..ReadOptions::new(&request.decide, &request.look.progress)
    };
    let mut done = Committed::from(read(patches, reader));
    let selected = &mut done.resolved.selected;
    if selected.is_resolvable {
        let mut options = request.preflight_options();
        whitespace::load_whitespace_rules(&request, selected, &mut options);
        let (found, problems) = preflight::check_plan(
            &selected.plan,
            &options.whitespace,
            &request.context.interrupt,
        );
        selected.problems.extend(problems);
        done.resolved.uncompared_whitespace = found;
    }
    done.finish(&command)
}
