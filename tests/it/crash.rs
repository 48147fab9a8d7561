//! Stops a transaction at every verb, in every way, and looks at what the next command finds.

use wpatch::transaction::{Durability, Options};

use crate::changes::cases;

#[test]
fn every_set_of_changes_becomes_true() {
    for durability in [Durability::Full, Durability::None] {
        for case in cases() {
            let memory = case.memory();
            let receipt = case.run(&memory, Options { durability, ..Options::default() });
            assert_eq!(receipt.map(|receipt| receipt.warnings).unwrap(), Vec::<String>::new(), "{}", case.name);
            assert_eq!(memory.entries(), case.after(), "{}", case.name);
        }
    }
}
