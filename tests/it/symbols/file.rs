//! A file of source code that is composed of known parts.

use super::language::Language;
use crate::dice::Dice;

const FUNCTIONS: [&str; 4] = ["f", "g", "h", "get_all"];
const CLASSES: [&str; 3] = ["A", "B", "Cc"];
const INDENT: &str = "    ";

/// A symbol of the generated file. Lines are counted from 0, and ranges include their last line.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) path: Vec<String>,
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The line of the name.
    pub(crate) name: usize,
    pub(crate) is_first: bool,
    pub(crate) is_last: bool,
    is_declaration: bool,
}

pub(crate) struct File<'l> {
    pub(crate) language: &'l Language,
    pub(crate) dice: Dice,
    pub(crate) lines: Vec<String>,
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    TopLevel,
    Class,
    Function,
}

impl<'l> File<'l> {
    /// Returns the file with this number.
    pub(crate) fn new(language: &'l Language, seed: u64) -> Self {
        let mut file = Self {
            language,
            dice: Dice::new(seed),
            lines: language
                .header
                .iter()
                .map(|&line| line.to_owned())
                .collect(),
            parts: Vec::new(),
        };
        file.items(Place::TopLevel, &[], 0);
        file
    }

    /// Adds definitions and other lines to a container.
    fn items(&mut self, place: Place, path: &[String], depth: usize) {
        let language = self.language;
        let count = match depth {
            0 => self.dice.below(7),
            1 | 2 => self.dice.below(4),
            _ => self.dice.below(2),
        };
        let mut has_neighbour = depth == 0 && !language.header.is_empty();
        if place == Place::Function && language.needs_statement {
            self.push(
                depth,
                if language.name == "Bash" {
                    "x"
                } else {
                    "x = 1"
                },
            );
            has_neighbour = true;
        }
        let (mut last, mut is_after_comment) = (None::<usize>, false);
        for _ in 0..count {
            if has_neighbour {
                let gap = self.dice.below(3).max(usize::from(is_after_comment));
                self.lines.extend((0..gap).map(|_| String::new()));
            }
            let found = self.parts.len();
            is_after_comment = self.item((place, !has_neighbour), path, depth);
            if let Some(part) = last.take() {
                self.parts[part].is_last = false;
            }
            if let Some(part) = self.parts.get_mut(found) {
                part.is_first = !has_neighbour;
                last = Some(found);
            }
            has_neighbour = true;
        }
    }

    /// Adds one definition, or other lines. Returns whether the last line is a comment.
    fn item(&mut self, (place, is_first): (Place, bool), path: &[String], depth: usize) -> bool {
        let language = self.language;
        let mut kinds: Vec<(&'static [&'static [&'static str]], &str)> = Vec::new();
        // A body of comments is no body.
        if !(is_first && language.needs_statement) {
            kinds.push((language.comments, "comment"));
        }
        match place {
            Place::TopLevel => {
                for _ in 0..4 {
                    kinds.push((language.functions, "function"));
                    kinds.push((language.classes, "class"));
                }
                kinds.push((language.received, "received"));
                kinds.push((language.declarations, "declaration"));
                kinds.push((language.types, "type"));
                kinds.push((language.statements, "other"));
            }
            Place::Class => {
                kinds.extend([(language.methods, "function"); 4]);
                kinds.push((language.fields, "other"));
            }
            Place::Function => {
                kinds.extend([(language.bodies, "other"); 2]);
                if language.nests && depth < 3 {
                    let plain = &language.functions[..1];
                    kinds.push((plain, "function"));
                }
            }
        }
        kinds.retain(|(templates, _)| !templates.is_empty());
        let (templates, kind) = self.dice.one(&kinds);
        let template = self.dice.one(templates);
        if kind == "comment" || kind == "other" {
            for line in template {
                self.push(depth, line);
            }
            let last = template.last().copied().unwrap_or_default();
            return kind == "comment" || ["//", "#"].iter().any(|mark| last.starts_with(mark));
        }
        self.definition(template, kind, path, (place, depth));
        false
    }

    fn definition(
        &mut self,
        template: &[&str],
        kind: &str,
        path: &[String],
        (place, depth): (Place, usize),
    ) {
        let language = self.language;
        let first = self.lines.len();
        self.attributes(template, place, depth);
        let names: &[&str] = match kind {
            "class" | "type" => &CLASSES,
            _ => &FUNCTIONS,
        };
        let name = self.dice.one(names);
        let parameters = self.dice.one(language.parameters);
        let mut own = path.to_vec();
        if kind == "received" {
            own.push("R".to_owned());
        }
        if template[0].starts_with("exports_.") {
            own.push("exports_".to_owned());
        }
        own.push(name.to_owned());
        let part = self.parts.len();
        self.parts.push(Part {
            path: own.clone(),
            first,
            last: 0,
            name: 0,
            is_first: false,
            is_last: true,
            is_declaration: kind == "declaration",
        });
        let mut name_line = None;
        for line in template {
            if *line == "{}" {
                self.body(template, kind, &own, depth);
                continue;
            }
            if line.contains("{n}") {
                name_line = Some(self.lines.len());
            }
            let line = line.replace("{n}", name).replace("{a}", parameters);
            self.push(depth, &line);
        }
        self.parts[part].last = self.lines.len() - 1;
        self.parts[part].name = name_line.unwrap_or(first);
        // In `typedef struct A { … } A`, the last name counts.
        if template[0].starts_with("typedef struct") {
            self.parts[part].name = self.lines.len() - 1;
        }
    }

    /// Adds comments and attributes above a definition.
    fn attributes(&mut self, template: &[&str], place: Place, depth: usize) {
        let language = self.language;
        let can_have = !language.only_methods_have_attributes || place == Place::Class;
        let is_plain_namespace = template[0].starts_with("namespace");
        for _ in 0..self.dice.below(4) {
            if can_have
                && !is_plain_namespace
                && !language.attributes.is_empty()
                && self.dice.once_in(2)
            {
                let attribute = self.dice.one(language.attributes);
                self.push(depth, attribute);
            } else {
                let comment = self.dice.one(language.comments);
                for line in comment {
                    self.push(depth, line);
                }
            }
        }
    }

    /// Adds the body of a definition.
    fn body(&mut self, template: &[&str], kind: &str, own: &[String], depth: usize) {
        let language = self.language;
        let inner = if kind == "class" {
            Place::Class
        } else {
            Place::Function
        };
        let is_module = ["mod {n}", "namespace {n}"]
            .iter()
            .any(|it| template[0].contains(it));
        let inner = if is_module { Place::TopLevel } else { inner };
        let before = self.lines.len();
        self.items(inner, own, depth + 1);
        if self.lines.len() == before && language.needs_statement {
            self.push(depth + 1, "pass");
        }
    }

    fn push(&mut self, depth: usize, line: &str) {
        self.lines.push(format!("{}{line}", INDENT.repeat(depth)));
    }

    /// Returns the symbols that `name` denotes: the last components of a path.
    pub(crate) fn matching(&self, name: &[String], line: Option<usize>) -> Vec<&Part> {
        let mut found: Vec<_> = self
            .parts
            .iter()
            .filter(|part| part.path.ends_with(name) && line.is_none_or(|line| line == part.name))
            .collect();
        let is_defined = |part: &Part| {
            self.parts
                .iter()
                .any(|other| !other.is_declaration && other.path == part.path)
        };
        if self.language.merges && line.is_none() {
            found.retain(|part| !part.is_declaration || !is_defined(part));
        }
        found
    }
}
