//! Stops the engine at every verb where it writes more than one patch that fits: rejects, a series,
//! a merge.

use std::sync::Arc;

use wpatch::engine::{
    self, ConflictMarkers, ExplicitBase, Outcome, Patches, Request, Series, ThreeWayOptions, What,
};
use wpatch::plan::{Direction, SeriesSettings};
use wpatch::transaction::{Durability, Interrupt, Options, recover};
use wpatch::workspace::memory::{
    DurableChanges, Entry, FaultInjection, FaultKind, Feature, Memory,
};

use super::{FULL, LACKS, NONE, sample, tree};
use crate::tree::path;
use crate::ways::{self, Way};
use crate::world::takes_all;

/// Of a sample, one verb in so many is tried.
const SAMPLE: usize = 3;

/// A way, and what the engine is asked for it.
type Asked = (Way, fn(&Way) -> Request);

const ASKED: [fn() -> Asked; 3] = [
    || (ways::rejects(), rejects),
    || (ways::series(), series),
    || (ways::merges(), merges),
];

fn rejects(way: &Way) -> Request {
    let mut request = Request::of(way.text("../patch"));
    request.decide.reject = true;
    request
}

fn series(_: &Way) -> Request {
    let listed = |line, strip, direction| SeriesSettings {
        line,
        strip,
        direction,
    };
    let (forward, back) = (Direction::Forward, Direction::Reverse);
    let entries = vec![
        listed(2, 1, forward),
        listed(4, 0, forward),
        listed(5, 1, forward),
        listed(6, 2, back),
    ];
    let patches = crate::series::PATCHES.map(|(name, text)| (name.to_owned(), text.into()));
    let series = Some(Series {
        name: "series".to_owned(),
        entries,
    });
    Request::with(What::Patches(Patches {
        texts: patches.to_vec(),
        series,
        is_saved: false,
    }))
}

fn merges(way: &Way) -> Request {
    let mut request = Request::of(way.text("../patch"));
    request.context.base = Some(ExplicitBase::Contents(Arc::new(way.text("../base").into())));
    request.decide.three_way = Some(ThreeWayOptions {
        marking: Some(ConflictMarkers::Base),
        ..ThreeWayOptions::default()
    });
    request
}

fn memory(way: &Way, lacks: &[Feature]) -> Memory {
    let inside = way
        .files
        .iter()
        .filter(|(name, _)| !name.starts_with("../"));
    let memory = Memory::with_files(inside.map(|(name, text)| (path(name), Entry::file(*text))));
    lacks
        .iter()
        .fold(memory, |memory, &feature| memory.without_feature(feature))
}

/// Applies it in one thread, so that the verbs have an order.
fn run((way, asked): &Asked, memory: &Memory, options: Options) -> Outcome {
    let mut request = asked(way);
    request.commit.transaction = options;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| engine::apply(request, memory, &Interrupt::new()))
}

/// Runs it with a failure at each verb in turn, or at some, looks at what the next command finds,
/// and returns how many verbs there are.
fn at_every_verb(asked: &Asked, (lacks, options): (&[Feature], Options), kind: FaultKind) -> usize {
    let (name, before, calm) = (
        asked.0.name,
        memory(&asked.0, lacks).entries(),
        memory(&asked.0, lacks),
    );
    assert_eq!(
        i32::from(run(asked, &calm, options).report.exit_code),
        asked.0.code,
        "{name}"
    );
    let after = tree(&calm);
    assert_ne!(before, after, "{name}");
    let (verbs, what) = (calm.verb_count(), format!("{name}{kind:?}{lacks:?}"));
    for verb in sample(0..verbs, &what).step_by(if takes_all() { 1 } else { SAMPLE }) {
        let memory = memory(&asked.0, lacks);
        memory.inject(FaultInjection { verb, kind });
        let report = run(asked, &memory, options).report;
        assert!(memory.has_failed(), "{name} {verb}");
        let is_dead = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
        let check = |next: &Memory, what: &str| {
            recover(next, options).unwrap();
            let found = tree(next);
            let is_right = match report.exit_code {
                5 => found == before || found == after,
                _ if is_dead => found == before || found == after,
                _ if report.changed => found == after,
                _ => found == before,
            };
            assert!(
                is_right,
                "{name} {kind:?} {lacks:?} at {verb}, {what}: {:?} {found:#?}",
                report.error
            );
        };
        check(&memory.restart(), "again");
        if options.durability == Durability::Full {
            let dice = (0..if takes_all() { 6 } else { 1 }).map(DurableChanges::Random);
            for survivors in [
                DurableChanges::Synced,
                DurableChanges::Names,
                DurableChanges::Data,
            ]
            .into_iter()
            .chain(dice)
            {
                check(
                    &memory.after_power_loss_with(survivors),
                    &format!("{survivors:?}"),
                );
            }
        }
    }
    verbs
}

#[test]
fn every_way_to_write_leaves_the_tree_before_or_after() {
    for asked in ASKED.map(|asked| asked()) {
        for (lacks, options) in LACKS
            .map(|lacks| (lacks, FULL))
            .into_iter()
            .chain([(LACKS[0], NONE)])
        {
            for kind in FaultKind::ALL {
                let faults = at_every_verb(&asked, (lacks, options), kind);
                assert!(faults > 12, "{}: {faults}", asked.0.name);
            }
        }
    }
}
