//! What a commit costs, counted in verbs and syncs. A change of these numbers is a decision, not an
//! accident.

use wpatch::transaction::{
    CommitHook, Durability, Failure, HistoryLimits, Interrupt, Options, history,
};
use wpatch::workspace::memory::{Entry, Memory};

use crate::changes::{Case, Step, tried};

/// Returns the verbs and syncs of a case, less those of reading: two for each file that is there,
/// one for others.
fn cost(case: &Case, durability: Durability) -> (usize, usize) {
    let memory: Memory = case.memory();
    let reading: usize = case
        .steps
        .iter()
        .map(|step| if case.finds(step) { 2 } else { 1 })
        .sum();
    let _receipt = case
        .run(
            &memory,
            Options {
                durability,
                ..Options::default()
            },
        )
        .expect("nothing fails");
    (memory.verb_count() - reading, memory.sync_count())
}

fn case(steps: Vec<Step>, before: Vec<(&'static str, Entry)>) -> Case {
    Case {
        name: "cost",
        before,
        links: vec![],
        mounts: vec![],
        steps,
        after: vec![],
    }
}

fn updates(count: usize) -> Case {
    let names: Vec<&'static str> = (0..count)
        .map(|number| &*format!("d/{number}").leak())
        .collect();
    let steps = names
        .iter()
        .map(|name| Step::Put(name, Entry::file("new")))
        .collect();
    case(
        steps,
        names
            .iter()
            .map(|name| (*name, Entry::file("old")))
            .collect(),
    )
}

fn moves(count: usize) -> Case {
    let name =
        |letter: &str, number: usize| -> &'static str { format!("{letter}/{number}").leak() };
    let steps = (0..count).flat_map(|number| {
        let (from, to) = (name("d", number), name("e", number));
        [Step::Move(from, to), Step::Delete(from)]
    });
    case(
        steps.collect(),
        (0..count)
            .map(|number| (name("d", number), Entry::file("same")))
            .collect(),
    )
}

/// Permits every change.
struct Permits;

impl CommitHook for Permits {
    fn check(&self, _: &Interrupt) -> Result<(), Failure> {
        Ok(())
    }
}

/// Sends every change back.
struct Refuses;

impl CommitHook for Refuses {
    fn check(&self, _: &Interrupt) -> Result<(), Failure> {
        Err(Failure::Rejected)
    }
}

fn mixed() -> Case {
    let before = vec![("a", Entry::file("a")), ("d/b", Entry::file("b"))];
    let steps = vec![
        Step::Put("a", Entry::file("A")),
        Step::Delete("d/b"),
        Step::Put("n/c", Entry::file("c")),
    ];
    case(steps, before)
}

#[test]
fn a_commit_costs_so_many_verbs_and_syncs() {
    let cases = [
        ("1 update", updates(1)),
        ("3 mixed", mixed()),
        ("100 updates", updates(100)),
    ];
    let table: Vec<_> = cases
        .iter()
        .map(|(name, case)| {
            (
                *name,
                cost(case, Durability::Full),
                cost(case, Durability::None),
            )
        })
        .collect();
    // One verb looks for a state directory of another user, and one for that of this user next to
    // it.
    let expected = [
        ("1 update", (32, 7), (21, 0)),
        ("3 mixed", (49, 10), (35, 0)),
        ("100 updates", (435, 5), (426, 0)),
    ];
    assert_eq!(table, expected);
}

#[test]
fn removing_the_oldest_entry_of_the_history_needs_no_sync_without_durability() {
    let history = HistoryLimits {
        entries: 1,
        ..HistoryLimits::default()
    };
    let syncs = |durability| {
        let case = case(
            vec![Step::Put("a", Entry::file("one"))],
            vec![(".git/HEAD", Entry::file(""))],
        );
        let options = Options {
            durability,
            history,
            ..Options::default()
        };
        let memory = case.memory();
        let _receipt = case.run(&memory, options).expect("the first entry");
        let before = memory.sync_count();
        let second = [Step::Put("a", Entry::file("two"))];
        let _receipt = tried(&memory, &second, options, &Permits).expect("the second entry");
        assert_eq!(history::entries(&memory).expect("a history").len(), 1);
        memory.sync_count() - before
    };
    assert_eq!(syncs(Durability::None), 0);
    assert!(syncs(Durability::Full) > 0);
}

#[test]
fn to_roll_back_costs_the_same_for_each_file_that_moved() {
    let verbs = |count| {
        let (case, options) = (
            moves(count),
            Options {
                durability: Durability::None,
                ..Options::default()
            },
        );
        let memory = case.memory();
        tried(&memory, &case.steps, options, &Refuses).expect_err("it is sent back");
        assert_eq!(memory.entries(), case.memory().entries());
        memory.verb_count()
    };
    // As many of them as stand in whole directories of scratch.
    let [few, more, most] = [32, 64, 128].map(verbs);
    assert_eq!(most - more, 2 * (more - few));
}

#[test]
fn old_files_are_kept_at_the_same_cost_for_each() {
    let verbs = |count| {
        let case = updates(count);
        let before = case
            .before
            .into_iter()
            .chain([(".git/HEAD", Entry::file(""))])
            .collect();
        cost(&Case { before, ..case }, Durability::None).0
    };
    // As many of them as stand in whole directories of scratch: a directory is made, and stays.
    let [few, more, most] = [32, 64, 128].map(verbs);
    assert_eq!((more - few, most - more), (32 * 3 + 1, 2 * (32 * 3 + 1)));
}
