//! Finds the files whose items a file of `src` uses. A path is resolved through `use` declarations
//! and re-exports to the file that defines the item.

use std::collections::{BTreeMap, BTreeSet};

/// The module in one file, without its tests.
#[derive(Default)]
struct Module {
    file: String,
    /// The names of the modules in files of their own.
    children: BTreeSet<String>,
    /// The names that `use` declarations define, each with its path.
    uses: BTreeMap<String, Vec<String>>,
    items: BTreeSet<String>,
    /// The paths in the code.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of the crate, each by its path, such as `crate::plan::hunk`.
pub(super) struct Modules(BTreeMap<String, Module>);

/// The target of a path.
#[derive(Clone, PartialEq)]
enum Named {
    Module(String),
    /// An item of the module with this path.
    Item(String),
}

impl Modules {
    /// Reads the modules from `files`: pairs of a path below `src` and a text. Modules for tests
    /// are left out.
    pub(super) fn new<'s>(files: impl IntoIterator<Item = (&'s str, &'s str)>) -> Self {
        let files: BTreeMap<_, _> = files.into_iter().collect();
        let mut modules = Self(BTreeMap::new());
        modules.add("crate", "lib.rs", &files);
        modules
    }

    fn add(&mut self, path: &str, file: &str, files: &BTreeMap<&str, &str>) {
        let tokens = tokens(files[file]);
        let module = Module::new(file, &tokens);
        let folder = ["lib.rs", "mod.rs"]
            .iter()
            .find_map(|name| file.strip_suffix(name));
        let folder = folder.map_or_else(
            || format!("{}/", file.trim_end_matches(".rs")),
            ToOwned::to_owned,
        );
        for child in &module.children {
            let places = [
                format!("{folder}{child}.rs"),
                format!("{folder}{child}/mod.rs"),
            ];
            let place = places
                .iter()
                .find(|place| files.contains_key(place.as_str()));
            self.add(
                &format!("{path}::{child}"),
                place.unwrap_or_else(|| panic!("{file}: mod {child}")),
                files,
            );
        }
        self.0.insert(path.to_owned(), module);
    }

    /// Returns pairs of files: the first one uses an item that the second one defines.
    pub(super) fn edges(&self) -> BTreeSet<(&str, &str)> {
        let edges = self.0.iter().flat_map(|(path, module)| {
            let definers =
                module
                    .paths
                    .iter()
                    .filter_map(|named| match self.resolve(path, named, 0)? {
                        Named::Item(definer) => Some(self.0[&definer].file.as_str()),
                        Named::Module(_) => None,
                    });
            definers.map(|definer| (module.file.as_str(), definer))
        });
        edges.filter(|(from, to)| from != to).collect()
    }

    fn resolve(&self, module: &str, path: &[String], depth: usize) -> Option<Named> {
        let (last, before) = path.split_last()?;
        let mut current = Named::Module(module.to_owned());
        for (index, name) in before.iter().chain([last]).enumerate() {
            let Named::Module(at) = &current else {
                return Some(current);
            };
            let next = match name.as_str() {
                "crate" => Some(Named::Module("crate".to_owned())),
                "self" => Some(current.clone()),
                "super" => Some(Named::Module(at.rsplit_once("::")?.0.to_owned())),
                name => self.lookup(at, name, index == before.len(), depth + 1),
            };
            // A macro can define an item, and `children`, `uses` and `items` do not contain it.
            let is_inside = matches!(path[0].as_str(), "crate" | "self" | "super") || index > 0;
            current = next.or_else(|| is_inside.then(|| Named::Item(at.clone())))?;
        }
        Some(current)
    }

    /// Resolves `name` in `module`. A function can have the name of a module; the last name of a
    /// path is then the function.
    fn lookup(&self, module: &str, name: &str, is_last: bool, depth: usize) -> Option<Named> {
        let names = self.0.get(module).filter(|_| depth < 20)?;
        let child = || {
            names
                .children
                .contains(name)
                .then(|| Named::Module(format!("{module}::{name}")))
        };
        let item = || {
            names
                .items
                .contains(name)
                .then(|| Named::Item(module.to_owned()))
        };
        let used = || self.resolve(module, names.uses.get(name)?, depth + 1);
        if is_last {
            item().or_else(used).or_else(child)
        } else {
            child().or_else(used).or_else(item)
        }
    }
}

impl Module {
    fn new(file: &str, tokens: &[&str]) -> Self {
        let mut module = Self {
            file: file.to_owned(),
            ..Self::default()
        };
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            let next = tokens.get(at + 1).copied().unwrap_or_default();
            if tokens[at..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
                at = end_of_item(tokens, at + 7);
                continue;
            }
            if token == "use" && next != "<" {
                let end = at + tokens[at..].iter().position(|token| *token == ";").unwrap();
                module.add_use(&tokens[at + 1..end], &[]);
                at = end;
            } else if token == "mod" && tokens.get(at + 2) == Some(&";") {
                module.children.insert(next.to_owned());
                at += 2;
            } else if [
                "fn", "struct", "enum", "trait", "const", "static", "type", "mod", "union",
            ]
            .contains(&token)
            {
                module.items.insert(next.to_owned());
            } else if is_word(token) {
                let mut path = vec![token.to_owned()];
                let is_start = at == 0 || !["::", "."].contains(&tokens[at - 1]);
                while is_start
                    && tokens.get(at + 1) == Some(&"::")
                    && tokens.get(at + 2).is_some_and(|name| is_word(name))
                {
                    path.push(tokens[at + 2].to_owned());
                    at += 2;
                }
                if path.len() > 1 {
                    module.paths.insert(path);
                }
            }
            at += 1;
        }
        module
    }

    /// Adds the names of a `use` tree below `parent`.
    fn add_use(&mut self, tree: &[&str], parent: &[String]) {
        let names: Vec<_> = tree
            .iter()
            .take_while(|token| is_word(token) || **token == "::")
            .copied()
            .collect();
        let mut path = parent.to_vec();
        let words = names
            .iter()
            .take_while(|word| **word != "as")
            .filter(|word| is_word(word));
        path.extend(words.map(|word| (*word).to_owned()));
        match tree.get(names.len()) {
            Some(&"{") => {
                let inside = &tree[names.len() + 1..tree.len() - 1];
                let mut depth = 0;
                let parts = inside.split(|token| {
                    depth += i32::from(*token == "{") - i32::from(*token == "}");
                    *token == "," && depth == 0
                });
                parts
                    .filter(|part| !part.is_empty())
                    .for_each(|part| self.add_use(part, &path));
            }
            Some(&"*") => {}
            _ => {
                if path.last().is_some_and(|name| name == "self") {
                    path.pop();
                }
                let alias = names
                    .iter()
                    .position(|word| *word == "as")
                    .map(|at| names[at + 1].to_owned());
                let name = alias.or_else(|| path.last().cloned());
                self.paths.insert(path.clone());
                self.uses.insert(name.unwrap(), path);
            }
        }
    }
}

/// Returns the end of the item that begins at `at`.
fn end_of_item(tokens: &[&str], mut at: usize) -> usize {
    let mut depth = 0;
    loop {
        match tokens[at] {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        at += 1;
        let is_end =
            |token| token == ";" || token == "," || (token == "}" && tokens.get(at) != Some(&";"));
        if depth < 0 {
            return at - 1;
        }
        if at == tokens.len() || depth == 0 && is_end(tokens[at - 1]) {
            return at;
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Splits code into words, `::` and single characters, and drops comments and literals.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let hashes = rest
            .trim_start_matches('b')
            .trim_start_matches('r')
            .chars()
            .take_while(|&c| c == '#')
            .count();
        let raw = ["r", "br"].iter().find_map(|prefix| {
            rest.strip_prefix(*prefix)?
                .strip_prefix(&"#".repeat(hashes))?
                .strip_prefix('"')
        });
        let is_escape = rest.starts_with("'\\");
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(raw) = raw {
            let end = format!("\"{}", "#".repeat(hashes));
            rest.len() - raw.len() + raw.find(&end).map_or(raw.len(), |at| at + end.len())
        } else if first == '"' {
            let mut is_escaped = false;
            let mut is_end = |&c: &char| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            };
            2 + rest[1..]
                .chars()
                .take_while(|c| !is_end(c))
                .map(char::len_utf8)
                .sum::<usize>()
        } else if is_escape {
            3 + rest[3..].find('\'').map_or(0, |at| at + 1)
        } else if first == '\'' && rest.chars().nth(2) == Some('\'') {
            rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at)
        } else {
            let word = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let length = if word > 0 {
                word
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            tokens.extend(Some(&rest[..length]).filter(|token| !token.trim().is_empty()));
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the groups of files that use each other, directly or through other files.
pub(super) fn cycles<'e>(edges: &BTreeSet<(&'e str, &'e str)>) -> Vec<BTreeSet<&'e str>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    let reached = |from: &'e str| {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            open.extend(
                next.get(file)
                    .into_iter()
                    .flatten()
                    .filter(|file| found.insert(**file)),
            );
        }
        found
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        next.keys().map(|file| (*file, reached(file))).collect();
    let mut groups: Vec<BTreeSet<&str>> = Vec::new();
    for (file, reached) in reach
        .iter()
        .filter(|(file, reached)| reached.contains(*file))
    {
        let group = reached
            .iter()
            .filter(|other| reach.get(*other).is_some_and(|back| back.contains(file)))
            .copied()
            .collect();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}
