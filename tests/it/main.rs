//! The integration tests, in one binary: it links once.

mod changes;
mod cost;
mod crash;
mod transaction;
