//! Compares two files line by line.

use std::sync::Arc;

use super::{LookResult, contents, refused_outcome, resolve_readable};
use crate::engine::Outcome;
use crate::engine::govern::extend_policy;
use crate::mode::FileKind;
use crate::policy::Policy;
use crate::report::Difference;
use crate::syntax::WhitespaceComparison;
use crate::syntax::write::labelled_diff;
use crate::text::is_binary;
use crate::workspace::Workspace;

/// A request to compare two files.
#[derive(Clone, Debug)]
pub struct DiffRequest {
    /// The paths of the two files below the root. Links are followed as long as they stay below the
    /// root.
    pub paths: [Vec<u8>; 2],
    /// The names in the header of the diff; `None` for the path.
    pub labels: [Option<Vec<u8>>; 2],
    /// The number of context lines around each change.
    pub context: usize,
    /// How lines are compared. If the comparison is not exact, the diff does not give the second file.
    pub whitespace: WhitespaceComparison,
    /// The limit on the size of each file, in bytes.
    pub max_file: u64,
    /// The limit on the size of the diff, in bytes. A longer diff ends after a complete line.
    pub max_output: usize,
    /// The policy.
    pub policy: Arc<Policy>,
}

impl DiffRequest {
    /// Returns a request to compare two files with the default options.
    #[must_use]
    pub fn of(before: impl Into<Vec<u8>>, after: impl Into<Vec<u8>>) -> Self {
        Self {
            paths: [before.into(), after.into()],
            labels: [None, None],
            context: 3,
            whitespace: WhitespaceComparison::Exact,
            max_file: 4 << 20,
            max_output: 2 << 20,
            policy: Arc::default(),
        }
    }
}

/// Compares two files line by line.
///
/// [`apply`](crate::engine::apply) accepts the diff unless it was cut. For binary files the result
/// only states whether they differ. The search for the shortest diff is limited; above the limit,
/// the diff can be longer than necessary, but it is correct.
///
/// # Errors
///
/// Returns the outcome with the problem, for example if a file is missing, too large or outside the
/// root. Its exit code is 2, because 1 means that the files differ.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, DiffRequest};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let file = |name: &[u8], text: &str| Ok::<_, wpatch::path::PathError>((RelPath::new(name)?, Entry::file(text)));
/// let workspace = Memory::with_files([file(b"a", "one\n")?, file(b"b", "two")?]);
/// let difference = engine::diff(&DiffRequest::of("a", "b"), &workspace).unwrap();
/// assert_eq!(difference.diff, b"--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n\\ No newline at end of file\n");
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn diff(request: &DiffRequest, workspace: &dyn Workspace) -> Result<Difference, Box<Outcome>> {
    let found = extend_policy("diff", &request.policy, workspace).and_then(|policy| {
        compare(request, &policy, workspace).map_err(|problem| refused_outcome("diff", *problem))
    });
    found.map_err(|mut outcome| {
        outcome.report.exit_code = 2;
        outcome
    })
}

fn compare(
    request: &DiffRequest,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> LookResult<Difference> {
    let side = |index: usize| {
        let path = resolve_readable(workspace, policy, &request.paths[index])?;
        let max_file = request.max_file.min(policy.max_read());
        contents(workspace, &path, max_file).map_err(|mut problem| {
            let stat = workspace.stat(&path);
            if stat.is_ok_and(|stat| stat.is_some_and(|it| it.kind == FileKind::Directory)) {
                problem.help = Some("compare directories with `wpatch diff -r`".to_owned());
            }
            problem
        })
    };
    let (before, after) = (side(0)?, side(1)?);
    let label = |index: usize| {
        request.labels[index]
            .as_ref()
            .unwrap_or(&request.paths[index])
            .as_slice()
    };
    let mut difference = Difference::new([label(0), label(1)], [&before, &after]);
    difference.binary = is_binary(&before) || is_binary(&after);
    if difference.identical || difference.binary {
        return Ok(difference);
    }
    let diff = labelled_diff(
        (label(0), &before),
        (label(1), &after),
        (request.context, request.whitespace),
    );
    (difference.added, difference.removed) = (diff.added, diff.removed);
    difference.identical = diff.text.is_empty();
    difference.set_limited_diff(diff.text, request.max_output);
    Ok(difference)
}
