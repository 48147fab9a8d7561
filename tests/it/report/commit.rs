//! What a report states about a commit.

use wpatch::engine::{self};
use wpatch::preflight::{Problem, code};
use wpatch::report::{self, Command, CommitResult, Report, Resolved, Selected};
use wpatch::transaction::Interrupt;

use super::{PATCH, check, json, memory, printed, request};

fn built(
    command: &'static str,
    success: report::Outcome,
    problems: Vec<Problem>,
    signal: Option<i32>,
) -> Report {
    let resolved = Resolved {
        selected: Selected {
            problems,
            ..Selected::default()
        },
        ..Resolved::default()
    };
    let result = CommitResult {
        signal,
        ..CommitResult::default()
    };
    report::build(&Command::of(command, success), &resolved, &result, success)
}

#[test]
fn people_are_not_told_that_nothing_happened_where_something_may_have() {
    let ended = |code| {
        printed(
            &built(
                "apply",
                report::Outcome::Applied,
                vec![Problem::new(code, "")],
                None,
            ),
            "text",
        )
    };
    assert_eq!(ended(&code::IO), "nothing applied\n");
    assert_eq!(ended(&code::INCOMPLETE), "partly rolled back\n");
}

#[test]
fn people_are_told_what_became_of_the_history() {
    let said = |outcome| printed(&built("init", outcome, Vec::new(), None), "text");
    assert_eq!(
        said(report::Outcome::Initialized),
        "changes are now recorded here and can be undone\n"
    );
    assert_eq!(
        said(report::Outcome::Cleaned),
        "the history is within its limits\n"
    );
}

#[test]
fn a_tree_that_is_not_put_back_decides_over_the_signal_that_was_the_cause() {
    let problems = vec![
        Problem::new(&code::INTERRUPTED, ""),
        Problem::new(&code::INCOMPLETE, ""),
    ];
    let report = built("apply", report::Outcome::Applied, problems, Some(15));
    assert_eq!(
        (report.exit_code, report.outcome, report.changed),
        (5, report::Outcome::Incomplete, true)
    );
}

#[test]
fn a_commit_has_a_receipt() {
    let memory = memory();
    let applied = json(&engine::apply(request(PATCH), &memory, &Interrupt::new()).report);
    assert_eq!(
        (&applied["outcome"], &applied["changed"]),
        (&"applied".into(), &true.into()),
        "{applied:#}"
    );
    assert_eq!(applied["transaction"]["durability"], "full");
    assert_eq!(applied["plan_id"], json(&check(PATCH).report)["plan_id"]);
}
