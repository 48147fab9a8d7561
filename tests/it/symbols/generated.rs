//! Source code that is composed of known parts, so that the lines of each symbol are known.

use std::collections::BTreeMap;

use wpatch::engine::{self, ReadRange, ReadRequest, Request, SymbolsRequest};
use wpatch::path::RelPath;
use wpatch::plan::{SymbolAction, SymbolName};
use wpatch::report::{ListedSymbol, ProblemKind};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use super::file::{File, Part};
use super::languages::LANGUAGES;

/// An edit of a symbol.
#[derive(Clone, Copy, Debug)]
enum Action {
    Read,
    Edit(SymbolAction),
}

const ACTIONS: [Action; 5] = [
    Action::Read,
    Action::Edit(SymbolAction::Replace),
    Action::Edit(SymbolAction::Delete),
    Action::Edit(SymbolAction::InsertBefore),
    Action::Edit(SymbolAction::InsertAfter),
];

/// Returns the lines of the file after the edit of `part`.
fn edited(lines: &[String], part: &Part, position: SymbolAction, new: &[&str]) -> Vec<String> {
    let is_blank = |line: &&String| line.is_empty();
    let above = lines[..part.first]
        .iter()
        .rev()
        .take_while(is_blank)
        .count();
    let below = lines[part.last + 1..].iter().take_while(is_blank).count();
    let gap = match (part.is_first, part.is_last) {
        (_, false) => below,
        (false, true) => above,
        (true, true) => 1,
    };
    let new: Vec<String> = new.iter().map(|&line| line.to_owned()).collect();
    let blank = vec![String::new(); gap];
    let (first, end, inserted) = match position {
        SymbolAction::InsertBefore => (part.first, part.first, [new, blank].concat()),
        SymbolAction::InsertAfter => (part.last + 1, part.last + 1, [blank, new].concat()),
        SymbolAction::Replace => (part.first, part.last + 1, new),
        _ => match (part.is_first, part.is_last) {
            (true, true) => (part.first, part.last + 1, Vec::new()),
            (false, true) => (part.first - above, part.last + 1, Vec::new()),
            (false, false) if above < below => (part.first - above, part.last + 1, Vec::new()),
            _ => (part.first, part.last + 1 + below, Vec::new()),
        },
    };
    [&lines[..first], &inserted, &lines[end..]].concat()
}

/// Returns `lines` with terminators.
fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// Compares the list of symbols.
fn compare_list(file: &File<'_>, path: &str, memory: &Memory) {
    let listing = engine::list_symbols(&SymbolsRequest::of(path), memory).unwrap();
    let listed = listing.symbols.iter().map(|it| {
        let ListedSymbol {
            symbol,
            first_line,
            last_line,
            faulty,
        } = it;
        (
            symbol.name.clone(),
            *first_line,
            symbol.line,
            *last_line,
            *faulty,
        )
    });
    let wanted = file.parts.iter().map(|it| {
        (
            it.path.join("."),
            it.first + 1,
            it.name + 1,
            it.last + 1,
            false,
        )
    });
    let [listed, wanted]: [Vec<_>; 2] = [listed.collect(), wanted.collect()];
    assert_eq!(
        listed,
        wanted,
        "{}\n{}",
        file.language.name,
        joined(&file.lines)
    );
}

/// Reads or edits the symbol `name` of the file. Returns the kind of the error, or compares the
/// result with the one for `part`.
fn try_action(
    file: &File<'_>,
    (path, memory): (&str, &Memory),
    (action, name): (Action, &str),
    part: &Part,
) -> Option<ProblemKind> {
    let shown = format!(
        "{} {action:?} {name}\n{}",
        file.language.name,
        joined(&file.lines)
    );
    let symbol: SymbolName = name.parse().unwrap();
    let position = match action {
        Action::Edit(position) => position,
        Action::Read => {
            let range = ReadRange::Symbol(Box::new(symbol));
            let request = ReadRequest {
                range,
                ..ReadRequest::of(path)
            };
            return match engine::read(&request, memory) {
                Ok(extract) => {
                    let wanted = joined(&file.lines[part.first..=part.last]);
                    assert_eq!(String::from_utf8_lossy(&extract.content), wanted, "{shown}");
                    None
                }
                Err(outcome) => outcome.report.error.map(|error| error.kind),
            };
        }
    };
    let new: &[&str] = match position {
        SymbolAction::Delete => &[],
        _ => &["new 1", "  new 2"],
    };
    let request = Request::edit_symbol(path, symbol, position, new.join("\n"));
    let report = engine::apply(request, memory, &Interrupt::new()).report;
    let after = memory.files()[&RelPath::new(path.as_bytes()).unwrap()]
        .contents
        .clone();
    let wanted = if report.ok {
        joined(&edited(&file.lines, part, position, new))
    } else {
        joined(&file.lines)
    };
    assert_eq!(String::from_utf8_lossy(&after), wanted, "{shown}");
    report.error.map(|error| error.kind)
}

/// Reads or edits one symbol of a file, and compares the result.
fn try_symbol(file: &mut File<'_>) -> &'static str {
    let path = format!("d/x.{}", file.language.extension);
    let key = RelPath::new(path.as_bytes()).unwrap();
    let memory = Memory::with_files([(key, Entry::file(joined(&file.lines)))]);
    compare_list(file, &path, &memory);
    if file.parts.is_empty() {
        return "nothing";
    }
    let part = file.dice.below(file.parts.len());
    let part = file.parts[part].clone();
    let suffix = &part.path[file.dice.below(part.path.len())..];
    let mut name = suffix.join(file.dice.one(&[".", "::", "#"]));
    let line = file.dice.once_in(2).then_some(part.name);
    if let Some(line) = line {
        name = format!("{name}:{}", line + 1);
    }
    let action = file.dice.one(&ACTIONS);
    let matching = file.matching(suffix, line);
    // The only match can be the definition of a declaration.
    let error = try_action(file, (&path, &memory), (action, &name), matching[0]);
    let wanted = (matching.len() > 1).then_some(ProblemKind::Ambiguous);
    assert_eq!(
        error,
        wanted,
        "{} {action:?} {name}\n{}",
        file.language.name,
        joined(&file.lines)
    );
    if error.is_none() {
        "edited"
    } else {
        "ambiguous"
    }
}

/// Tries 500 files of the language.
fn try_language(name: &str) {
    let language = LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .unwrap();
    let mut results = BTreeMap::new();
    let mut seed = 0;
    while results.values().sum::<usize>() - results.get("nothing").unwrap_or(&0) < 500 {
        seed += 1;
        let result = try_symbol(&mut File::new(language, seed));
        *results.entry(result).or_insert(0) += 1;
    }
    assert!(
        results["edited"] > 200 && results["ambiguous"] > 10,
        "{name} {results:?}"
    );
}

macro_rules! languages {
    ($($test:ident $name:literal,)+) => {
        $(#[test]
        fn $test() {
            try_language($name);
        })+

        #[test]
        fn each_language_is_tried() {
            let tried = [$($name),+];
            let known: Vec<_> = LANGUAGES.iter().map(|language| language.name).collect();
            assert_eq!(tried, known[..]);
        }
    };
}

languages! {
    python "Python",
    javascript "JavaScript",
    typescript "TypeScript",
    rust "Rust",
    go "Go",
    java "Java",
    c "C",
    cpp "C++",
    c_sharp "C#",
    ruby "Ruby",
    php "PHP",
    bash "Bash",
    sql "SQL",
}
