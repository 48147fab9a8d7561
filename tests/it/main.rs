//! The integration tests, one binary.

mod grammar;
mod lark;
