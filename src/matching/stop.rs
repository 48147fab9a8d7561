//! Searches that end when their request is cancelled.

use crate::interrupt::Interrupt;

/// The number of items between two reads of the handle.
const MANY: usize = 4096;

/// Returns the `items` until `interrupt` is raised.
pub(super) fn until_raised<I: Iterator>(
    items: I,
    interrupt: &Interrupt,
) -> impl Iterator<Item = I::Item> {
    items
        .enumerate()
        .take_while(move |(number, _)| number % MANY > 0 || !interrupt.is_raised())
        .map(|(_, item)| item)
}
