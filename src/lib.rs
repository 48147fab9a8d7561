//! Makes a change to a tree of files true as a whole, or not at all.

pub mod change;
pub mod cli;
pub mod digest;
pub mod matching;
pub mod mode;
pub mod path;
pub mod plan;
pub mod policy;
pub mod preflight;
pub mod report;
pub mod syntax;
pub mod text;
pub mod transaction;
pub mod workspace;
