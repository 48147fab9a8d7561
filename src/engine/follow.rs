//! Follows the symbolic links of a path as long as they stay below the root.
//!
//! Only names are computed here. Preflight opens no file through a link, so it refuses a link that
//! appears later.

use std::collections::VecDeque;

use crate::mode::FileKind;
use crate::path::{MAX_LINKS, RelPath};
use crate::policy::{Policy, SymlinkSetting, protecting_rule};
use crate::preflight::{Problem, ProblemFacts, code};
use crate::workspace::Workspace;

/// Returns the paths to which `path` leads: one for each link, and last the path without links. If
/// there is no link, this is the only path. A policy rule for any of the paths applies. A protected
/// path ends the list, so that it is refused.
///
/// # Errors
///
/// Returns a problem for a link that leads out of the root, for links that lead in a circle, and
/// for any link where policy refuses them.
pub(super) fn resolve_links(
    workspace: &dyn Workspace,
    policy: &Policy,
    path: &RelPath,
) -> Result<Vec<RelPath>, Box<Problem>> {
    let mut names = Vec::new();
    let mut rest: VecDeque<Vec<u8>> = path.components().map(<[u8]>::to_vec).collect();
    let mut done: Vec<Vec<u8>> = Vec::new();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        match part.as_slice() {
            b"" | b"." => continue,
            b".." => {
                done.pop().ok_or_else(|| outside_problem(path))?;
                continue;
            }
            _ => done.push(part),
        }
        let here = RelPath::new(&done.join(&b'/')).map_err(|_| outside_problem(path))?;
        if protecting_rule(&here).is_some() {
            names.push(here);
            return Ok(names);
        }
        // A path that cannot be examined is not followed. The later access reports the error.
        let is_link =
            matches!(workspace.stat(&here), Ok(Some(stat)) if stat.kind == FileKind::Symlink);
        if !is_link {
            continue;
        }
        if policy.symlink_setting() == SymlinkSetting::Refuse {
            return Err(link_problem(&here));
        }
        links += 1;
        let Ok(target) = workspace.read_link(&here) else {
            names.push(here);
            return Ok(names);
        };
        // An absolute target counts as outside, even if it is below the root.
        if target.starts_with(b"/") || links > MAX_LINKS {
            return Err(outside_problem(path));
        }
        done.pop();
        for part in target.split(|&byte| byte == b'/').rev() {
            rest.push_front(part.to_vec());
        }
        let whole: Vec<_> = done.iter().chain(&rest).map(Vec::as_slice).collect();
        // After a further link, a name with `..` may not be a path below the root. Such a name is
        // skipped.
        names.extend(RelPath::new(&whole.join(&b'/')));
    }
    let last = RelPath::new(&done.join(&b'/')).map_err(|_| outside_problem(path))?;
    if names.last() != Some(&last) {
        names.push(last);
    }
    Ok(names)
}

fn link_problem(path: &RelPath) -> Box<Problem> {
    let problem = Problem::new(
        &code::DENIED,
        "the path goes through a symbolic link, and policy denies symbolic links",
    );
    let facts = ProblemFacts {
        reason: Some("policy denies symbolic links".to_owned()),
        ..ProblemFacts::default()
    };
    let help = Some("use the path that the link points to".to_owned());
    Box::new(Problem {
        path: Some(path.clone()),
        help,
        facts,
        ..problem
    })
}

fn outside_problem(path: &RelPath) -> Box<Problem> {
    let problem = Problem::new(
        &code::OUTSIDE_ROOT,
        "a symbolic link in the path points outside the root or forms a loop",
    );
    Box::new(Problem {
        path: Some(path.clone()),
        ..problem
    })
}
