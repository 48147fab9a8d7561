//! The decisions as lists of `--only`, and undo.

use super::*;

/// Returns a hunk whose body has these changed lines, in blocks of consecutive lines.
fn hunk(hunk: usize, lines: &[usize]) -> UnitContent {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for position in 0..lines.len() {
        match blocks.last_mut() {
            Some(last) if lines[position] == lines[position - 1] + 1 => last.end += 1,
            _ => blocks.push(position..position + 1),
        }
    }
    UnitContent {
        hunk: Some(hunk),
        lines: lines.to_vec(),
        blocks,
    }
}

/// Three files: two hunks, no hunks, one hunk.
fn choices() -> Choices {
    Choices::new([
        ("f1".to_owned(), vec![hunk(0, &[1, 2, 5]), hunk(1, &[0])]),
        ("f2".to_owned(), vec![UnitContent::default()]),
        ("f3".to_owned(), vec![hunk(0, &[3, 4])]),
    ])
}

fn only(choices: &Choices) -> AcceptedPart {
    choices.accepted_part()
}

fn some(list: &str) -> AcceptedPart {
    AcceptedPart::Some(list.to_owned())
}

#[test]
fn accepted_parts_are_items_of_only() {
    let mut choices = choices();
    assert_eq!(only(&choices), AcceptedPart::None);
    choices.decide((0, 0..3), Choice::Accepted, None);
    assert_eq!(only(&choices), some("f1h1"));
    choices.decide((0, 1..2), Choice::Rejected, Some("no".to_owned()));
    assert_eq!(only(&choices), some("f1h1:2,f1h1:6"));
    choices.decide((0, 1..2), Choice::Accepted, None);
    choices.decide((1, 0..1), Choice::Accepted, None);
    assert_eq!(only(&choices), some("f1"));
    choices.decide((2, 0..1), Choice::Accepted, None);
    assert_eq!(only(&choices), some("1-2"));
    choices.decide((3, 0..1), Choice::Accepted, None);
    assert_eq!(only(&choices), some("1-2,f3h1:4"));
    choices.decide_rest(Choice::Accepted);
    assert_eq!(only(&choices), AcceptedPart::All);
    choices.decide((1, 0..1), Choice::Rejected, None);
    assert_eq!(only(&choices), some("f1h1,2-3"));
}

#[test]
fn accepted_lines_around_context_are_one_range() {
    let mut choices = Choices::new([("f1".to_owned(), vec![hunk(0, &[1, 4, 6, 9])])]);
    choices.decide((0, 1..3), Choice::Accepted, None);
    assert_eq!(only(&choices), some("f1h1:5-7"));
}

#[test]
fn each_decision_can_be_undone_and_made_again() {
    let mut choices = choices();
    choices.decide((0, 0..3), Choice::Accepted, None);
    choices.decide_units(0..4, Choice::Rejected);
    choices.decide((3, 1..2), Choice::Accepted, None);
    let last = only(&choices);
    assert_eq!(choices.undo(), Some(3));
    assert_eq!(only(&choices), AcceptedPart::None);
    assert_eq!(choices.undo(), Some(0));
    assert_eq!(only(&choices), some("f1h1"));
    assert_eq!((choices.redo(), choices.redo()), (Some(0), Some(3)));
    assert_eq!((choices.redo(), only(&choices)), (None, last));
    assert_eq!(
        (choices.undo(), choices.undo(), choices.undo()),
        (Some(3), Some(0), Some(0))
    );
    assert_eq!((choices.undo(), only(&choices)), (None, AcceptedPart::None));
}

#[test]
fn a_reason_belongs_to_a_rejection() {
    let mut choices = choices();
    choices.decide((0, 0..3), Choice::Rejected, Some("no".to_owned()));
    choices.decide((0, 0..1), Choice::Accepted, None);
    assert_eq!(choices.units()[0].reason(), Some("no"));
    choices.decide((0, 0..3), Choice::Accepted, None);
    assert_eq!(choices.units()[0].reason(), None);
}

#[test]
fn the_next_undecided_part_is_found_after_the_end() {
    let mut choices = choices();
    choices.toggle_split(0);
    assert_eq!(choices.next_undecided((0, 1)), Some((0, 1)));
    choices.decide_units(1..4, Choice::Accepted);
    choices.decide((0, 2..3), Choice::Accepted, None);
    assert_eq!(choices.next_undecided((0, 1)), Some((0, 0)));
    choices.decide((0, 0..2), Choice::Accepted, None);
    assert_eq!(choices.next_undecided((0, 1)), None);
}
