//! The ways in which a correct patch is damaged. To add one, add a row of [`HUNKS`] or
//! [`TEXTS`].

use super::grammars::Grammar;
use super::scene::{Hunk, Scene};
use crate::dice::Dice;
use hunks::HUNKS;
use texts::TEXTS;

mod hunks;
mod texts;

/// What may come of a damaged patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// The change of the whole patch, or a refusal.
    Same,
    /// The same, but without `--lenient` a wrong line number chooses between equal places as in
    /// git.
    Lenient,
    /// A refusal alone.
    Unknown,
}

/// How a patch is damaged. Each returns whether it could be.
pub(super) enum Damage {
    /// In the lines or the header of a hunk.
    Hunk(fn(&mut Hunk, &mut Dice) -> bool),
    /// In the text.
    Text(fn(&str, &mut Dice) -> Option<String>),
}

/// One way to damage a patch.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) damage: Damage,
    pub(super) meaning: Meaning,
    /// Whether it is possible in a grammar.
    pub(super) fits: fn(&Grammar) -> bool,
}

const ALL: fn(&Grammar) -> bool = |_| true;
const fn hunk(
    name: &'static str,
    fits: fn(&Grammar) -> bool,
    damage: fn(&mut Hunk, &mut Dice) -> bool,
) -> Row {
    Row {
        name,
        damage: Damage::Hunk(damage),
        meaning: Meaning::Same,
        fits,
    }
}

const fn text(
    name: &'static str,
    fits: fn(&Grammar) -> bool,
    damage: fn(&str, &mut Dice) -> Option<String>,
) -> Row {
    Row {
        name,
        damage: Damage::Text(damage),
        meaning: Meaning::Same,
        fits,
    }
}

/// Returns every damage.
pub(super) fn damages() -> impl Iterator<Item = &'static Row> {
    HUNKS.iter().chain(TEXTS)
}

impl Row {
    /// Damages what a patch is rendered from, or does nothing; returns whether something was
    /// damaged.
    pub(super) fn damage_scene(&self, scene: &mut Scene, dice: &mut Dice) -> bool {
        let Damage::Hunk(damage) = &self.damage else {
            return false;
        };
        let is_lone = dice.once_in(2);
        let hunks: Vec<_> = scene
            .files
            .iter_mut()
            .flat_map(|file| &mut file.hunks)
            .collect();
        let chosen = dice.below(hunks.len());
        let mut is_damaged = false;
        for (index, hunk) in hunks
            .into_iter()
            .enumerate()
            .filter(|(index, _)| !is_lone || *index == chosen)
        {
            let _ = index;
            is_damaged |= damage(hunk, dice);
        }
        is_damaged
    }

    /// Damages the text of a patch, or does nothing; returns whether it was damaged.
    pub(super) fn damage_text(&self, patch: &mut String, dice: &mut Dice) -> bool {
        let Damage::Text(damage) = &self.damage else {
            return false;
        };
        match damage(patch, dice).filter(|damaged| damaged != patch) {
            Some(damaged) => {
                *patch = damaged;
                true
            }
            None => false,
        }
    }
}
