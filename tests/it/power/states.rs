//! The trees that a loss of power may leave: all of them if they are few, else the extremes and
//! some by dice.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use super::model::{Inode, Model, Tree, Versions, settle, tree};

/// How many states are looked at for one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// So many are looked at all.
    pub(super) all: usize,
    /// Of more, so many are chosen by dice, besides the extremes.
    pub(super) dice: u64,
}

/// A choice of what has reached the disk: changes of names, and the version of each node, 0 for the
/// durable one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Choice {
    names: BTreeSet<usize>,
    versions: BTreeMap<Inode, usize>,
}

/// Returns the trees that may be there when the power is back, and whether these are all.
pub(super) fn survivors(model: &Model, bound: Bound) -> (Vec<Tree>, bool) {
    let moment = Moment::new(model);
    let sets = moment.sets(bound.all);
    let combinations = moment
        .versions
        .values()
        .try_fold(1, |count: usize, versions| {
            count.checked_mul(versions.len())
        });
    let all = sets
        .as_ref()
        .zip(combinations)
        .and_then(|(sets, count)| sets.len().checked_mul(count));
    let choices = match (&sets, all.is_some_and(|all| all <= bound.all)) {
        (Some(sets), true) => moment.product(sets),
        _ => moment.sample(sets.filter(|sets| sets.len() <= bound.all / 4), bound.dice),
    };
    let is_all = all.is_some_and(|all| all <= bound.all);
    (
        choices
            .iter()
            .map(|choice| moment.survivor(choice))
            .collect(),
        is_all,
    )
}

/// What may or may not be there at one moment.
struct Moment<'m> {
    model: &'m Model,
    /// Modes and contents that a node may have, the durable ones first and the latest ones last.
    versions: BTreeMap<Inode, Vec<(u32, Vec<u8>)>>,
}

impl<'m> Moment<'m> {
    fn new(model: &'m Model) -> Self {
        let targets = model.pending.values().filter_map(|change| change.target);
        let named = model
            .disk
            .values()
            .flat_map(|node| node.names.values().copied());
        let named: BTreeSet<_> = targets.chain(named).collect();
        let unsynced = model
            .unsynced
            .iter()
            .filter(|(inode, _)| named.contains(inode));
        let versions = unsynced
            .map(|(&inode, versions)| (inode, combined(model, inode, versions)))
            .collect();
        Self { model, versions }
    }

    /// Returns all sets of changes that may have reached the disk together, unless they are more
    /// than `most`.
    fn sets(&self, most: usize) -> Option<Vec<BTreeSet<usize>>> {
        let mut found = BTreeSet::from([BTreeSet::new()]);
        let mut open = vec![BTreeSet::new()];
        while let Some(set) = open.pop() {
            for &id in self.model.pending.keys().filter(|&id| !set.contains(id)) {
                let larger = self.model.closed(set.iter().copied().chain([id]).collect());
                if found.insert(larger.clone()) {
                    open.push(larger);
                }
            }
            if found.len() > most {
                return None;
            }
        }
        Some(found.into_iter().collect())
    }

    /// Combines the sets with all versions.
    fn product(&self, sets: &[BTreeSet<usize>]) -> Vec<Choice> {
        let first = |names: &BTreeSet<usize>| Choice {
            names: names.clone(),
            versions: BTreeMap::new(),
        };
        let mut choices: Vec<_> = sets.iter().map(first).collect();
        for (&inode, versions) in &self.versions {
            let with = |choice: &Choice, version| {
                let mut choice = choice.clone();
                choice.versions.insert(inode, version);
                choice
            };
            choices = choices
                .iter()
                .flat_map(|choice| (0..versions.len()).map(move |at| with(choice, at)))
                .collect();
        }
        choices
    }

    /// Returns the extremes, what differs from them in one thing, and some by dice.
    fn sample(&self, sets: Option<Vec<BTreeSet<usize>>>, dice: u64) -> Vec<Choice> {
        let (none, all) = (
            BTreeSet::new(),
            self.model.pending.keys().copied().collect::<BTreeSet<_>>(),
        );
        let sets = sets.unwrap_or_else(|| {
            let with = all
                .iter()
                .map(|&id| self.model.closed(BTreeSet::from([id])));
            let without = all.iter().map(|id| self.without(*id));
            with.chain(without)
                .chain([none.clone(), all.clone()])
                .collect()
        });
        let latest: BTreeMap<_, _> = self
            .versions
            .iter()
            .map(|(&inode, versions)| (inode, versions.len() - 1))
            .collect();
        let extremes = [BTreeMap::new(), latest];
        let mut choices = Vec::new();
        for versions in &extremes {
            choices.extend(sets.iter().map(|names| Choice {
                names: names.clone(),
                versions: versions.clone(),
            }));
            for (&inode, others) in &self.versions {
                for version in 0..others.len() {
                    let mut versions = versions.clone();
                    versions.insert(inode, version);
                    choices.extend([&none, &all].map(|names| Choice {
                        names: names.clone(),
                        versions: versions.clone(),
                    }));
                }
            }
        }
        choices.extend((0..dice).map(|seed| self.thrown(seed)));
        choices
    }

    /// Returns all changes but for `id` and those that need it.
    fn without(&self, id: usize) -> BTreeSet<usize> {
        let needs = |other: &usize| self.model.closed(BTreeSet::from([*other])).contains(&id);
        self.model
            .pending
            .keys()
            .copied()
            .filter(|other| !needs(other))
            .collect()
    }

    fn thrown(&self, seed: u64) -> Choice {
        let sides = 4;
        let ids = self.model.pending.keys().copied();
        // Some throws take few of the names and some take most.
        let names = ids
            .filter(|&id| throw(seed, id as u64) % sides <= seed % (sides - 1))
            .collect();
        let version = |(&inode, versions): (&Inode, &Vec<_>)| {
            (
                inode,
                usize::try_from(throw(seed, u64::MAX - inode as u64) % versions.len() as u64)
                    .unwrap(),
            )
        };
        Choice {
            names: self.model.closed(names),
            versions: self.versions.iter().map(version).collect(),
        }
    }

    fn survivor(&self, choice: &Choice) -> Tree {
        let mut nodes = self.model.disk.clone();
        settle(&mut nodes, &self.model.pending, &choice.names);
        for (inode, &version) in &choice.versions {
            let node = nodes.get_mut(inode).unwrap();
            (node.mode, node.bytes) = self.versions[inode][version].clone();
        }
        tree(&nodes)
    }
}

/// Returns the contents and modes that a node may have, each with each.
fn combined(model: &Model, inode: Inode, unsynced: &Versions) -> Vec<(u32, Vec<u8>)> {
    let (durable, live) = (&model.disk[&inode], &model.live[&inode]);
    let mut found = Vec::new();
    for bytes in [&durable.bytes].into_iter().chain(&unsynced.bytes) {
        for mode in [durable.mode]
            .into_iter()
            .chain(unsynced.modes.iter().copied())
        {
            if !found.contains(&(mode, bytes.clone())) {
                found.push((mode, bytes.clone()));
            }
        }
    }
    // It may be the durable version again.
    let latest = (live.mode, live.bytes.clone());
    found.retain(|version| *version != latest);
    found.push(latest);
    found
}

fn throw(seed: u64, what: u64) -> u64 {
    xxh3_64(&[seed.to_le_bytes(), what.to_le_bytes()].concat()) >> 7
}
