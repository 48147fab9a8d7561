//! What a commit costs, counted in verbs and syncs. A change of these numbers is a decision, not an accident.

use wpatch::transaction::{Durability, Options};
use wpatch::workspace::memory::{Entry, Memory};

use crate::changes::{Case, Step};

/// Returns the verbs and syncs of a case, less those of reading: two for each file that is there, one for others.
fn cost(case: &Case, durability: Durability) -> (usize, usize) {
    let memory: Memory = case.memory();
    let reading: usize = case.steps.iter().map(|step| if case.finds(step) { 2 } else { 1 }).sum();
    let _receipt = case.run(&memory, Options { durability, ..Options::default() }).expect("nothing fails");
    (memory.verbs() - reading, memory.syncs())
}

fn case(steps: Vec<Step>, before: Vec<(&'static str, Entry)>) -> Case {
    Case { name: "cost", before, links: vec![], mounts: vec![], steps, after: vec![] }
}

fn updates(count: usize) -> Case {
    let names: Vec<&'static str> = (0..count).map(|number| &*format!("d/{number}").leak()).collect();
    let steps = names.iter().map(|name| Step::Put(name, Entry::file("new"))).collect();
    case(steps, names.iter().map(|name| (*name, Entry::file("old"))).collect())
}

fn mixed() -> Case {
    let before = vec![("a", Entry::file("a")), ("d/b", Entry::file("b"))];
    let steps = vec![Step::Put("a", Entry::file("A")), Step::Delete("d/b"), Step::Put("n/c", Entry::file("c"))];
    case(steps, before)
}

#[test]
fn a_commit_costs_so_many_verbs_and_syncs() {
    let cases = [("1 update", updates(1)), ("3 mixed", mixed()), ("100 updates", updates(100))];
    let table: Vec<_> =
        cases.iter().map(|(name, case)| (*name, cost(case, Durability::Full), cost(case, Durability::None))).collect();
    let expected =
        [("1 update", (30, 7), (15, 0)), ("3 mixed", (47, 10), (33, 0)), ("100 updates", (425, 6), (415, 0))];
    assert_eq!(table, expected);
}
