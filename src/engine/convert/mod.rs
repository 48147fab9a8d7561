//! `convert`: writes a patch in another format.
//!
//! A conversion between two diff formats needs no tree (`from_plan.rs`). In all other cases
//! [`convert()`] checks the patch against the tree, writes the result in the target format
//! (`from_tree.rs`), and checks the new text. Both checks must give the same `plan_id`. If a hunk
//! matches several places, the text is written again with more context lines.

mod from_plan;
mod from_tree;

use super::parse::{self, ReadOptions};
use super::stages::{Command, Committed};
use super::{Decide, Outcome, Request, refused_outcome};
use crate::path::RelPath;
use crate::preflight::{Problem, code};
use crate::report::{self, ConvertedPatch};
use crate::syntax::{Syntax, find_syntax};
use crate::workspace::Workspace;

/// The name of the command in reports.
const NAME: &str = "convert";

/// Returns the outcome of a conversion. [`Report::converted`](crate::report::Report::converted) is
/// the patch in the format `format`, such as `git` or `codex`.
///
/// Check the text against the same tree, with the default options and the same
/// [`Decide::overwrite`]. Its `plan_id` is then the same.
///
/// If the patches and the result are diffs with line numbers, the tree is not read. The result then
/// has the same operations and hunks.
///
/// The outcome is a refusal if the patches are malformed, if they do not apply, or if the format
/// cannot express a change (`wpatch::convert::inexpressible`).
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\ntwo\n"))]);
/// let patch = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
/// let report = engine::convert(Request::of(patch), "blocks", &workspace).report;
/// let expected = "a\n<<<<<<< SEARCH\none\ntwo\n=======\none\n2\n>>>>>>> REPLACE\n";
/// assert_eq!(report.converted.unwrap().text, expected.as_bytes());
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn convert(request: Request, format: &str, workspace: &dyn Workspace) -> Outcome {
    let Some(syntax) = find_syntax(format) else {
        let message = format!("unknown format {format}");
        return *refused_outcome(NAME, Problem::new(&code::USAGE, message));
    };
    let converted = convert_without_tree(&request, syntax).transpose();
    let converted = converted.unwrap_or_else(|| from_tree::convert(request, syntax, workspace));
    match converted {
        Ok((text, mut outcome)) => {
            let patch = ConvertedPatch::new(syntax.name(), text);
            outcome.report.converted = Some(Box::new(patch));
            *outcome
        }
        Err(outcome) => *outcome,
    }
}

/// The text of a patch, and the outcome of its check.
type Converted = (Vec<u8>, Box<Outcome>);

/// Converts the patches without a tree, if they and the target are diffs with line numbers.
fn convert_without_tree(
    request: &Request,
    syntax: &dyn Syntax,
) -> Result<Option<Converted>, Box<Outcome>> {
    let decide = &request.decide;
    if !syntax.is_diff() || !only_selects(decide) {
        return Ok(None);
    }
    let mut copy = request.clone();
    let patches = (copy.take_patches()).map_err(|problem| refused_outcome(NAME, *problem))?;
    let selected = parse::read(patches, ReadOptions::new(decide, &request.look.progress));
    if selected.is_refused() {
        // The check against the tree reports the errors.
        return Ok(None);
    }
    let text = from_plan::convert(&selected.plan, syntax);
    let command = Command {
        policy: request.context.policy.clone(),
        ..Command::of(NAME, report::Outcome::Described)
    };
    let outcome = || Committed::from(selected).finish(&command);
    Ok(text.map(|text| (text, Box::new(outcome()))))
}

/// Returns whether the options only select what to convert. Other options can change the effect of
/// a patch, and the result must have the same effect without them.
fn only_selects(decide: &Decide) -> bool {
    let given = decide.clone();
    let usual = Decide {
        format: given.format,
        recount: given.recount,
        strict_input: given.strict_input,
        allow_empty: given.allow_empty,
        strip: given.strip,
        directory: given.directory,
        below: given.below,
        filters: given.filters,
        reverse: given.reverse,
        file: given.file,
        only: given.only,
        roots: given.roots,
        in_place: given.in_place,
        max_files: given.max_files,
        max_hunks: given.max_hunks,
        max_file: given.max_file,
        max_ratio: given.max_ratio,
        max_growth: given.max_growth,
        ..Decide::default()
    };
    // `Decide` has no equality. Its JSON form has every option.
    serde_json::to_value(decide).ok() == serde_json::to_value(&usual).ok()
}

/// Returns the outcome if the format cannot express the change of `path`.
fn inexpressible(path: Option<&RelPath>, syntax: &dyn Syntax, reason: &str) -> Box<Outcome> {
    let help = "choose another format; `git` expresses all changes except the reverse of a copy";
    let problem = Problem {
        path: path.cloned(),
        help: (syntax.name() != "git").then(|| help.to_owned()),
        ..Problem::new(&code::INEXPRESSIBLE, format!("{}: {reason}", syntax.name()))
    };
    refused_outcome(NAME, problem)
}
