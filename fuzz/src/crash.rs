//! The law of crashes: whatever stops an apply, and wherever, the next command finds the tree as
//! before or as after.

use std::collections::BTreeMap;

use wpatch::engine;
use wpatch::path::RelPath;
use wpatch::transaction::{Durability, Interrupt, recover};
use wpatch::workspace::memory::{DurableChanges, Entry, FaultInjection, FaultKind, Memory};

use crate::apply::tree;
use crate::scene::{Scene, is_state};

/// Applies the patch of an input with the failure that its options arrange, then recovers.
///
/// # Panics
///
/// If the law does not hold.
pub fn survive(bytes: &[u8]) {
    let mut scene = Scene::decode(bytes);
    scene.entries.retain(|(path, _)| !is_state(path));
    let calm = scene.memory();
    let before = tree(&calm);
    let run = |memory: &Memory| {
        engine::apply(scene.request(scene.direction()), memory, &Interrupt::new()).report
    };
    if !run(&calm).ok {
        return;
    }
    let after = tree(&calm);
    let memory = scene.memory();
    let kinds = [
        (b'a', FaultKind::KilledAfter),
        (b'e', FaultKind::TransientError),
        (b'v', FaultKind::PersistentError),
        (b'i', FaultKind::ErrorAfterSuccess),
    ];
    let kind = kinds
        .iter()
        .find(|(letter, _)| scene.has(*letter))
        .map_or(FaultKind::Killed, |(_, kind)| *kind);
    let verb = scene.number();
    memory.inject(FaultInjection { verb, kind });
    let report = run(&memory);
    if report.ok {
        // What could not be swept is told of, and goes with the next command.
        let swept = |mut found: BTreeMap<RelPath, Entry>| {
            found.retain(|path, _| !path.name().starts_with(b".wpatch-"));
            found
        };
        assert_eq!(
            swept(tree(&memory)),
            swept(after.clone()),
            "done, and the tree is another"
        );
    } else if matches!(
        kind,
        FaultKind::TransientError | FaultKind::ErrorAfterSuccess
    ) {
        assert_eq!(tree(&memory), before, "refused, and the tree is another");
    }
    let next = if scene.has(b'!') && scene.transaction().durability == Durability::Full {
        memory.after_power_loss_with(DurableChanges::Random(
            bytes.len() as u64 * 1000 + verb as u64,
        ))
    } else {
        memory.restart()
    };
    recover(&next, scene.transaction()).expect("the disk is well again");
    let found = tree(&next);
    let is_whole = found == after || found == before && !report.ok;
    assert!(
        is_whole,
        "{kind:?} at {verb}: neither before nor after\n{found:?}"
    );
}
