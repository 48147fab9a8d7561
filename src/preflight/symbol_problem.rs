//! Describes why a symbol cannot be edited or read.

use super::codes::code;
use super::problem::Problem;
use crate::code::Unparsed;
use crate::matching::{SymbolCandidate, SymbolMismatch};

/// Returns the problem that the symbol `name` cannot be used because of `mismatch`.
#[must_use]
pub fn symbol_problem(name: &str, mismatch: &SymbolMismatch) -> Problem {
    match mismatch {
        SymbolMismatch::Unparsed(reason) => unparsed_problem(*reason),
        SymbolMismatch::NotFound(similar) => {
            let message = match listed(similar, similar.len()) {
                names if names.is_empty() => format!("the file has no symbol {name}"),
                names => format!("the file has no symbol {name}; similar: {names}"),
            };
            let help = "use `wpatch list --symbols FILE` to list the symbols";
            with_candidates(
                Problem::new(&code::SYMBOL_NOT_FOUND, message),
                similar,
                help.to_owned(),
            )
        }
        SymbolMismatch::Ambiguous(count, candidates) => {
            let message = format!(
                "the file has {count} symbols {name}: {}",
                listed(candidates, *count)
            );
            let example = &candidates[0];
            let help = format!(
                "add the names around it, or the line of its name: {}:{}",
                example.name,
                example.line + 1
            );
            let mut problem = with_candidates(
                Problem::new(&code::SYMBOL_AMBIGUOUS, message),
                candidates,
                help,
            );
            problem.facts.count = Some(*count);
            problem
        }
        SymbolMismatch::Faulty(symbol) => {
            let message = format!(
                "the {} {name} contains code that the parser does not understand, so its end is uncertain",
                symbol.kind
            );
            with_candidates(
                Problem::new(&code::SYMBOL_UNSUPPORTED, message),
                std::slice::from_ref(symbol),
                "replace a text or lines instead".to_owned(),
            )
        }
        SymbolMismatch::ListElement => {
            let message =
                format!("{name} is an element of a list, and its separators are uncertain");
            let mut problem = Problem::new(&code::SYMBOL_UNSUPPORTED, message);
            problem.help = Some("replace a text instead".to_owned());
            problem
        }
        SymbolMismatch::SharedLine => {
            let message =
                format!("other code is on the line of {name}, so no line can be inserted there");
            let mut problem = Problem::new(&code::SYMBOL_UNSUPPORTED, message);
            problem.help = Some("replace a text instead".to_owned());
            problem
        }
    }
}

/// Returns the problem that the symbols of a file are unknown.
#[must_use]
pub fn unparsed_problem(reason: Unparsed) -> Problem {
    let message = format!("the symbols of the file are unknown: {reason}");
    let mut problem = Problem::new(&code::SYMBOL_UNSUPPORTED, message);
    problem.help = Some("name a text or lines instead".to_owned());
    problem
}

fn with_candidates(mut problem: Problem, candidates: &[SymbolCandidate], help: String) -> Problem {
    problem.lines = candidates.iter().map(|symbol| symbol.line).collect();
    problem.facts.symbols = candidates.to_vec();
    problem.help = Some(help);
    problem
}

/// Returns the candidates as text. `count` is the number of all candidates.
fn listed(candidates: &[SymbolCandidate], count: usize) -> String {
    let describe = |symbol: &SymbolCandidate| {
        format!(
            "{} {} at line {}",
            symbol.kind,
            symbol.name,
            symbol.line + 1
        )
    };
    let all: Vec<_> = candidates.iter().map(describe).collect();
    let more = match count - candidates.len() {
        0 => String::new(),
        more => format!(", and {more} others"),
    };
    format!("{}{more}", all.join(", "))
}
