//! What the tests of the grammars share: a parsed patch in a few words.

use super::{Options, SyntaxErrorKind, chosen, parse};
use crate::plan::{Direction, Edit, LineKind, Name, Operation, Plan};

/// Returns one line for each operation: action, name, source, modes, contents, and its step unless that is 0.
pub(super) fn said(text: &str) -> Vec<String> {
    let plan = parse("-", text.as_bytes().to_vec(), &chosen("auto"), Options::default()).expect("a patch");
    plan.operations.iter().map(|operation| line(&plan, operation)).collect()
}

/// Returns what is wrong and the text where it is.
pub(super) fn refused(text: &str) -> (SyntaxErrorKind, String) {
    let broken = *parse("-", text.as_bytes().to_vec(), &chosen("auto"), Options::default()).expect_err("no patch");
    let place = String::from_utf8_lossy(broken.error.span.of(&broken.input.bytes)).into_owned();
    (broken.error.kind, place)
}

fn line(plan: &Plan<Name>, operation: &Operation<Name>) -> String {
    let name = |name: &Name| name.resolve(1, b"").map_or_else(|error| error.to_string(), |path| path.to_string());
    let mut words = vec![format!("{:?}", operation.action), name(&operation.path)];
    words.extend(operation.from.as_ref().map(|from| format!("from {}", name(from))));
    words.extend(operation.old_mode.map(|mode| format!("old {mode}")));
    words.extend(operation.new_mode.map(|mode| format!("new {mode}")));
    match &operation.edit {
        Edit::Keep => {}
        Edit::Hunks(hunks) => words.extend(hunks.iter().map(|hunk| {
            let lines = || hunk.lines(plan.text(operation), Direction::Forward);
            let count = |kind| lines().filter(|line| line.kind == kind).count();
            format!("+{}-{}", count(LineKind::Insertion), count(LineKind::Deletion))
        })),
        Edit::Binary(binary) => {
            let sizes = [Some(binary.forward), binary.backward].into_iter().flatten();
            words.extend(sizes.map(|data| format!("{:?} {}", data.method, data.size)));
        }
        Edit::BinaryMissing => words.push("differs".to_owned()),
    }
    words.extend(Some(operation.step).filter(|&step| step > 0).map(|step| format!("step {step}")));
    words.join(" ")
}
