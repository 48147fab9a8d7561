//! Finds a file whose name looks like the name of a missing file.

use super::super::look::is_readable;
use super::candidates::find_by_name;
use crate::matching::lookalike_name;
use crate::path::RelPath;
use crate::policy::Policy;
use crate::preflight::{MismatchCause, Problem, code};
use crate::text::printable;
use crate::workspace::Workspace;

/// The limit on the number of names that are compared in one directory.
const MAX_NAMES: usize = 16_384;

/// The limit on the number of files with the same name that a message lists.
const MAX_LISTED: usize = 4;

/// Adds to `problem` the file that a command on one file probably means: the file whose path looks
/// the same, or the files with the same name.
pub(in crate::engine) fn explain_missing_file(
    problem: &mut Problem,
    workspace: &dyn Workspace,
    policy: &Policy,
) {
    if *problem.code != code::MISSING || problem.path.is_none() {
        return;
    }
    problem.help = Some("check the file name and the root, or create the file first".to_owned());
    explain_missing(problem, workspace, policy);
    let Some(wanted) = problem
        .path
        .as_ref()
        .filter(|_| problem.facts.advice.is_none())
    else {
        return;
    };
    // The name can be right although the directory is wrong.
    let found: Vec<_> = find_by_name(wanted.name(), workspace)
        .into_iter()
        .filter(|path| is_readable(workspace, policy, path))
        .collect();
    if !found.is_empty() && found.len() <= MAX_LISTED {
        let names: Vec<_> = found
            .iter()
            .map(|path| format!("`{}`", printable(path.as_bytes())))
            .collect();
        let help = format!(
            "the tree has {}; check the directory in the file name",
            names.join(", ")
        );
        problem.help = Some(help.clone());
        problem.facts.advice = Some(help);
    }
}

/// Adds to `problem` the existing file with a name that looks like the missing name.
pub(in crate::engine) fn explain_missing(
    problem: &mut Problem,
    workspace: &dyn Workspace,
    policy: &Policy,
) {
    if *problem.code != code::MISSING || problem.facts.cause.is_some() {
        return;
    }
    let Some(wanted) = problem.path.clone() else {
        return;
    };
    let Some(found) =
        similar(&wanted, workspace).filter(|found| is_readable(workspace, policy, found))
    else {
        return;
    };
    let name = printable(found.as_bytes()).to_string();
    let Some((text, wanted)) = std::str::from_utf8(found.as_bytes())
        .ok()
        .zip(std::str::from_utf8(wanted.as_bytes()).ok())
    else {
        return;
    };
    if let Some(lookalike) = lookalike_name(text, wanted) {
        problem.help = Some(format!(
            "use the name of the existing file, `{name}`, or rename that file"
        ));
        problem.facts.advice = Some(format!("use the exact name of the existing file: `{name}`"));
        problem.facts.cause = Some(MismatchCause::Name {
            path: found,
            lookalike,
        });
    } else {
        problem.help = Some(format!(
            "use the existing file `{name}`; its name differs only in case"
        ));
        problem.facts.advice = Some(format!("use the name `{name}`; it differs only in case"));
    }
}

/// Returns the only file whose path looks like `wanted`, component by component.
fn similar(wanted: &RelPath, workspace: &dyn Workspace) -> Option<RelPath> {
    let mut found: Option<RelPath> = None;
    for component in wanted.components() {
        let join = |name: &[u8]| match &found {
            Some(directory) => directory.join(name).ok(),
            None => RelPath::new(name).ok(),
        };
        let exact = join(component)?;
        if workspace.stat(&exact).ok()?.is_some() {
            found = Some(exact);
            continue;
        }
        let text = std::str::from_utf8(component).ok()?;
        let names = workspace.list(found.as_ref()).ok()?;
        let texts = || {
            names
                .iter()
                .take(MAX_NAMES)
                .filter_map(|name| std::str::from_utf8(name).ok())
        };
        let alike: Vec<_> = texts()
            .filter(|name| lookalike_name(name, text).is_some())
            .collect();
        let only = match &alike[..] {
            [only] => *only,
            // A name that differs only in case counts if no name looks the same.
            [] => match &texts()
                .filter(|name| name.to_lowercase() == text.to_lowercase())
                .collect::<Vec<_>>()[..]
            {
                [only] => *only,
                _ => return None,
            },
            _ => return None,
        };
        found = Some(join(only.as_bytes())?);
    }
    found.filter(|found| found != wanted)
}
