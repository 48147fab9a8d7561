//! Checks that the paths of a plan begin with the name of a root, if the tree has several roots.

use crate::path::RelPath;
use crate::plan::Plan;
use crate::preflight::{Problem, code};
use crate::workspace::{Roots, Workspace};

/// Returns a problem for each path of `plan` that is in no root of `workspace`. A tree with one
/// root has none.
pub(super) fn root_name_problems(plan: &Plan, workspace: &dyn Workspace) -> Vec<Problem> {
    let Some(roots) = workspace.roots() else {
        return Vec::new();
    };
    let is_outside = |path: &&RelPath| !matches!(roots.split(path), Some((_, Some(_))));
    let operations = plan.operations.iter().enumerate();
    operations
        .filter_map(|(number, operation)| {
            let mut paths = operation.from.iter().chain([&operation.path]);
            let path = paths.find(is_outside)?;
            Some(Problem {
                operation: Some(number),
                ..root_name_problem(path, roots)
            })
        })
        .collect()
}

fn root_name_problem(path: &RelPath, roots: &Roots) -> Problem {
    let message = format!(
        "expected a path in one of the roots, which begins with one of these names: {}",
        roots.names().join(", ")
    );
    Problem {
        path: Some(path.clone()),
        help: Some("no file was changed; correct the path, or use -p or --directory".to_owned()),
        ..Problem::new(&code::OUTSIDE_ROOT, message)
    }
}
