//! The nodes of each grammar that define symbols, and their names.

mod names;
mod rules;

pub(super) use names::Definition;
pub(super) use rules::{
    BASH, C, C_SHARP, CPP, GO, JAVA, JAVASCRIPT, NONE, PHP, PYTHON, RUBY, RUST, SQL, SymbolRules,
};
