//! The integration tests, in one binary so that they link once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod case;
mod cases;
mod laws;
mod oracle;
mod run;
mod tidy;
mod tree;
