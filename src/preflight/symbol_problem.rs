//! Describes why a symbol cannot be edited or read.

use super::codes::{ProblemCode, code};
use super::problem::Problem;
use crate::code::Unparsed;
use crate::matching::{SymbolCandidate, SymbolMismatch};

/// Returns the problem that the symbol `name` cannot be used because of `mismatch`.
#[must_use]
pub fn symbol_problem(name: &str, mismatch: &SymbolMismatch) -> Problem {
    match mismatch {
        SymbolMismatch::Unparsed(reason) => unparsed_problem(*reason),
        SymbolMismatch::NotFound(similar) => {
            let message = match list_candidates(similar, similar.len()) {
                names if names.is_empty() => format!("the file has no symbol {name}"),
                names => format!("the file has no symbol {name}; similar: {names}"),
            };
            let help = "use `wpatch list --symbols FILE` to list the symbols";
            let problem = with_help(&code::SYMBOL_NOT_FOUND, message, help);
            with_candidates(problem, similar)
        }
        SymbolMismatch::Ambiguous(count, candidates) => {
            let names = list_candidates(candidates, *count);
            let message = format!("the file has {count} symbols {name}: {names}");
            let SymbolCandidate { name, line, .. } = &candidates[0];
            let help = format!(
                "add the names around it, or the line of its name: {name}:{}",
                line + 1
            );
            let problem = with_help(&code::SYMBOL_AMBIGUOUS, message, &help);
            let mut problem = with_candidates(problem, candidates);
            problem.facts.count = Some(*count);
            problem
        }
        SymbolMismatch::Faulty(symbol) => {
            let kind = symbol.kind;
            let message = format!(
                "the {kind} {name} contains code that the parser does not understand, so its end is uncertain"
            );
            let help = "replace a text or lines instead";
            let problem = with_help(&code::SYMBOL_UNSUPPORTED, message, help);
            with_candidates(problem, std::slice::from_ref(symbol))
        }
        SymbolMismatch::ListElement => {
            let message =
                format!("{name} is an element of a list, and its separators are uncertain");
            with_help(&code::SYMBOL_UNSUPPORTED, message, "replace a text instead")
        }
        SymbolMismatch::SharedLine => {
            let message = format!("other code is on the first or the last line of {name}");
            with_help(&code::SYMBOL_UNSUPPORTED, message, "replace a text instead")
        }
    }
}

/// Returns the problem that the symbols of a file are unknown.
#[must_use]
pub fn unparsed_problem(reason: Unparsed) -> Problem {
    let message = format!("the symbols of the file are unknown: {reason}");
    with_help(
        &code::SYMBOL_UNSUPPORTED,
        message,
        "name a text or lines instead",
    )
}

fn with_help(code: &'static ProblemCode, message: String, help: &str) -> Problem {
    Problem {
        help: Some(help.to_owned()),
        ..Problem::new(code, message)
    }
}

fn with_candidates(mut problem: Problem, candidates: &[SymbolCandidate]) -> Problem {
    problem.lines = candidates.iter().map(|symbol| symbol.line).collect();
    problem.facts.symbols = candidates.to_vec();
    problem
}

/// Returns the candidates as text. `count` is the number of all candidates.
fn list_candidates(candidates: &[SymbolCandidate], count: usize) -> String {
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
