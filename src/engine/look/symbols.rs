//! Lists the symbols of a file, and finds one of them.

use std::sync::Arc;

use super::{LookResult, contents, refused_outcome, resolve_readable};
use crate::code::{self, Symbol, SymbolList};
use crate::engine::Outcome;
use crate::engine::govern::extend_policy;
use crate::engine::request::MAX_FILE;
use crate::engine::suggest::explain_missing_file;
use crate::lines::LineOffsets;
use crate::matching::{SymbolCandidate, find_symbol};
use crate::path::RelPath;
use crate::plan::SymbolName;
use crate::policy::Policy;
use crate::preflight::{Problem, symbol_problem, unparsed_problem};
use crate::report::{ListedSymbol, NamedSymbol, SymbolListing};
use crate::workspace::Workspace;

/// The limit on the length of all names of a list together, in bytes.
const MAX_NAMES: usize = 64 << 20;

/// A request to list the symbols of a file.
#[derive(Clone, Debug)]
pub struct SymbolsRequest {
    /// The path of the file below the root. Links are followed as long as they stay below the root.
    pub path: Vec<u8>,
    /// The limit on the size of the file, in bytes.
    pub max_file: u64,
    /// The limit on the number of symbols.
    pub max_symbols: usize,
    /// The policy.
    pub policy: Arc<Policy>,
}

impl SymbolsRequest {
    /// Returns a request to list all symbols of a file of at most 10 MiB.
    #[must_use]
    pub fn of(path: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            max_file: MAX_FILE,
            max_symbols: usize::MAX,
            policy: Arc::default(),
        }
    }
}

/// Lists the functions, classes and other symbols of a file.
///
/// # Errors
///
/// Returns the outcome with the problem. Examples are a file that is missing, too large or outside
/// the root, and a language without a grammar. Without the feature `code-guard`, there is no
/// grammar for any language.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, SymbolsRequest};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// # if !cfg!(feature = "code-guard") { return Ok(()); }
/// let file = Entry::file("class C:\n    def f(self):\n        pass\n");
/// let workspace = Memory::with_files([(RelPath::new(b"a.py")?, file)]);
/// let listing = engine::list_symbols(&SymbolsRequest::of("a.py"), &workspace).unwrap();
/// let names: Vec<_> = listing.symbols.iter().map(|listed| listed.symbol.name.as_str()).collect();
/// assert_eq!(names, ["C", "C.f"]);
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn list_symbols(
    request: &SymbolsRequest,
    workspace: &dyn Workspace,
) -> Result<SymbolListing, Box<Outcome>> {
    let policy = extend_policy("list", &request.policy, workspace)?;
    list(request, &policy, workspace).map_err(|mut problem| {
        explain_missing_file(&mut problem, workspace, &policy);
        refused_outcome("list", *problem)
    })
}

fn list(
    request: &SymbolsRequest,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> LookResult<SymbolListing> {
    let path = resolve_readable(workspace, policy, &request.path)?;
    let text = contents(workspace, &path, request.max_file.min(policy.max_read()))?;
    let symbols = parse(&path, &text)?;
    let lines = LineOffsets::new(&text);
    let mut listing = SymbolListing::of(path.as_bytes(), &text, symbols.language);
    let mut room = MAX_NAMES;
    for (index, symbol) in symbols.iter().enumerate() {
        let described = describe(&symbols, symbol, &lines);
        room = room.saturating_sub(described.symbol.name.len());
        if index == request.max_symbols || room == 0 {
            listing.truncated = true;
            break;
        }
        listing.symbols.push(described);
    }
    Ok(listing)
}

/// Returns the symbol `name` of the file at `path` with the content `text`.
pub(super) fn find(path: &RelPath, text: &[u8], name: &SymbolName) -> LookResult<ListedSymbol> {
    let symbols = parse(path, text)?;
    let symbol = find_symbol(&symbols, text, name).map_err(|mismatch| {
        let problem = symbol_problem(&name.to_string(), &mismatch);
        of_file(path, problem)
    })?;
    Ok(describe(&symbols, symbol, &LineOffsets::new(text)))
}

fn parse(path: &RelPath, text: &[u8]) -> LookResult<SymbolList> {
    code::list_symbols(path.as_bytes(), text)
        .map_err(|reason| of_file(path, unparsed_problem(reason)))
}

fn of_file(path: &RelPath, problem: Problem) -> Box<Problem> {
    Box::new(Problem {
        path: Some(path.clone()),
        ..problem
    })
}

fn describe(symbols: &SymbolList, symbol: &Symbol, lines: &LineOffsets<'_>) -> ListedSymbol {
    let candidate = SymbolCandidate {
        name: symbols.path(symbol).join("."),
        line: lines.line_at(symbol.name_offset),
        kind: symbol.kind.as_str(),
    };
    let last = symbol.bytes.end.max(symbol.bytes.start + 1) - 1;
    ListedSymbol {
        symbol: NamedSymbol::of(&candidate),
        first_line: lines.line_at(symbol.bytes.start) + 1,
        last_line: lines.line_at(last) + 1,
        faulty: symbol.has_fault,
    }
}
