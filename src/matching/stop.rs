//! Long searches that end when somebody wants them to.

/// How many items are passed before it is asked again.
const MANY: usize = 4096;

/// Returns what `items` have until `is_stopped`, which is asked now and then.
pub(super) fn unless_stopped<I: Iterator>(items: I, is_stopped: fn() -> bool) -> impl Iterator<Item = I::Item> {
    items.enumerate().take_while(move |(number, _)| number % MANY > 0 || !is_stopped()).map(|(_, item)| item)
}
