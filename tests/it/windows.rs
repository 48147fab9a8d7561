//! What only Windows has: names with a meaning, files that other programs hold open, attributes.
#![cfg(windows)]

mod line_ends;
mod names;
mod sharing;
