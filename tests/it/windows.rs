//! Properties that only Windows has: reserved names, files that other programs hold open, attributes.
#![cfg(windows)]

mod line_ends;
mod names;
mod sharing;
