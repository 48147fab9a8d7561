//! The integration tests: one binary, so that it links once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod workspace;
