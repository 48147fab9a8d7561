//! Reads the patches of a request and prepares them for preflight.

use super::parse::{Reader, read};
use super::request::Patches;
use super::stages::Selected;
use super::task::CommandRun;
use super::{gnu, lenient, load_history, three_way, whitespace};
use crate::preflight;

/// An optional step between selection and preflight.
type Step = fn(&CommandRun<'_>, &mut Selected, &mut preflight::Options);

/// The optional steps, in execution order.
const STEPS: [Step; 4] = [
    |task, selected, _| gnu::apply_options(&task.request.decide.gnu, task.workspace, selected),
    |task, selected, _| load_history::load_history(&task.request.decide, task.workspace, selected),
    |task, selected, options| whitespace::load_whitespace_rules(&task.request, selected, options),
    three_way::find_bases,
];

/// Reads the patches for the tree of `task`. Returns the selected operations and the options of
/// preflight. The problems of `begun` come first.
pub(super) fn parse_for_tree(
    task: &CommandRun<'_>,
    patches: Patches,
    begun: Selected,
) -> (Selected, preflight::Options) {
    let request = &task.request;
    let mut read = if request.decide.lenient {
        lenient::read(task, patches)
    } else {
        let tree = Some(task.workspace);
        read(
            patches,
            Reader {
                tree,
                ..Reader::new(&request.decide, task.progress())
            },
        )
    };
    let mut options = request.preflight();
    read.problems.splice(..0, begun.problems);
    if read.is_resolvable {
        for step in STEPS {
            step(task, &mut read, &mut options);
        }
    }
    (read, options)
}
