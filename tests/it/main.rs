//! The integration tests, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod alone;
mod apply_patch;
mod blocks;
mod case;
mod cases;
mod changes;
mod cli;
mod cost;
mod crash;
mod dice;
mod edits;
mod encodings;
mod faults;
mod grammar;
mod guards;
mod hashline;
mod history;
mod hostile;
mod json;
mod lark;
mod laws;
mod lenient;
mod look;
mod mcp;
mod notebook;
mod objects;
mod only;
mod oracle;
mod others;
mod output;
mod power;
mod process;
mod repeated;
mod report;
mod repository;
mod run;
mod show;
mod systems;
mod tidy;
mod transaction;
mod tree;
mod verbs;
mod workspace;
mod world;
