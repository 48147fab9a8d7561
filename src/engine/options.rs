//! What a caller needs to make a [`Request`](super::Request) and to read an [`Outcome`](super::Outcome), in one place.

pub use crate::matching::Rules;
pub use crate::plan::{Direction, Filter, Input, Selection};
pub use crate::preflight::{Code, Options as PreflightOptions, Problem, Severity, code};
pub use crate::syntax::{Options as SyntaxOptions, SYNTAXES};
pub use crate::transaction::history::Limits;
pub use crate::transaction::{Durability, Interrupt, Options as TransactionOptions};
