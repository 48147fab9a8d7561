//! The JSON Schema of documents of changes, executed: a document is taken where it is valid, and
//! nowhere else.

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use wpatch::syntax::{self, Options, SyntaxErrorKind};

use crate::case::Case;
use crate::run;

const DOCUMENTS: u64 = 20_000;

/// Grammars of fixtures, except JSON itself.
const GRAMMARS: &[&str] = &[
    "blocks", "codex", "context", "git", "hashline", "normal", "unified",
];

/// Keys and values of which documents are made; most are right in some place.
const KEYS: &[&str] = &["path", "content", "expected_hash", "expected", "contents"];
const TEXTS: &[&str] = &[
    "old",
    "new",
    "old_string",
    "new_string",
    "all",
    "replace_all",
    "search",
    "replace",
    "path",
    "expected",
];
const DIGEST: &str = "sha256:e49c81e2d2f84e259d40e2fb8192f3bcd198b355184845d76d8f58807d0d78ee";

fn schema() -> Validator {
    let syntax = syntax::select_syntaxes("json")[0];
    jsonschema::validator_for(&serde_json::from_str(syntax.grammar()).unwrap()).unwrap()
}

/// Numbers that are the same in every run (a linear congruential generator; only its high bits are
/// used).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn document(&mut self) -> Value {
        let mut document = Map::new();
        for _ in 0..self.one(&[0, 1, 1, 1, 1, 1, 1, 2]) {
            let key = self.one(&["replace", "edits", "edits", "changes", "replce"]);
            let count = self.one(&[0, 1, 1, 2]);
            let entries = (0..count)
                .map(|_| {
                    if key == "edits" {
                        self.edit()
                    } else {
                        self.entry()
                    }
                })
                .collect();
            let value = if self.below(12) == 0 {
                self.scalar()
            } else {
                Value::Array(entries)
            };
            document.insert(key.to_owned(), value);
        }
        Value::Object(document)
    }

    fn entry(&mut self) -> Value {
        if self.below(12) == 0 {
            return self.scalar();
        }
        let mut entry = json!({ "path": self.one(&["a", "b", "c/d"]), "content": "x\n" });
        let members = entry.as_object_mut().unwrap();
        for _ in 0..self.one(&[0, 0, 1, 2]) {
            let key = self.one(KEYS);
            let value = if key == "expected_hash" {
                self.one(&[json!(DIGEST), json!(DIGEST[7..]), json!("1")])
            } else {
                self.scalar()
            };
            members.insert(key.to_owned(), value);
        }
        if self.below(8) == 0 {
            members.remove(self.one(KEYS));
        }
        entry
    }

    fn edit(&mut self) -> Value {
        if self.below(12) == 0 {
            return self.scalar();
        }
        let (old, new) = self.one(&[
            ("old", "new"),
            ("old_str", "new_str"),
            ("oldText", "newText"),
            ("search", "replace"),
        ]);
        let mut entry = json!({ "path": self.one(&["a", "b"]), old: "x", new: "" });
        let members = entry.as_object_mut().unwrap();
        for _ in 0..self.one(&[0, 0, 1, 2]) {
            let key = self.one(TEXTS);
            let value = if key.ends_with("all") {
                json!(true)
            } else {
                self.scalar()
            };
            members.insert(key.to_owned(), value);
        }
        if self.below(8) == 0 {
            members.remove(self.one(TEXTS));
        }
        entry
    }

    fn scalar(&mut self) -> Value {
        self.one(&[
            json!("x"),
            json!(""),
            json!(1),
            json!(true),
            json!(null),
            json!([]),
            json!({}),
        ])
    }
}

/// Returns whether `text` is taken; `None` for what no schema can say.
fn is_taken(text: &str) -> Option<bool> {
    match syntax::parse(
        "-",
        text,
        &syntax::select_syntaxes("json"),
        Options::default(),
    ) {
        Ok(_) => Some(true),
        Err(broken)
            if broken.error.kind == SyntaxErrorKind::Contradiction("two entries for one file") =>
        {
            None
        }
        Err(_) => Some(false),
    }
}

#[test]
fn a_document_is_taken_where_the_schema_says_so() {
    let (schema, mut numbers) = (schema(), Numbers(1));
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..DOCUMENTS {
        let document = numbers.document();
        let is_valid = schema.is_valid(&document);
        for text in [document.to_string(), format!("{document:#}")] {
            match is_taken(&text) {
                Some(is_taken) => assert_eq!(is_taken, is_valid, "{text}"),
                None => continue,
            }
            *if is_valid { &mut taken } else { &mut refused } += 1;
        }
    }
    assert!(
        taken > 1000 && refused > 1000,
        "{taken} taken, {refused} refused"
    );
}

#[test]
fn a_patch_in_a_json_string_is_the_same_change() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for case in GRAMMARS.iter().flat_map(|grammar| Case::of(grammar)) {
        let Ok(text) = std::str::from_utf8(&case.patch) else {
            continue;
        };
        // A patch in a string has no format of its own to select.
        if case.after.is_none() || case.settings.format.is_some() || !text.ends_with('\n') {
            continue;
        }
        count += 1;
        let memory = run::memory(&case.before);
        let document = json!({ "patch": text }).to_string();
        let report = run::apply(&memory, document.as_bytes(), &case.settings);
        if Some(&run::tree(&memory)) != case.after.as_ref() {
            wrong.push(format!("{}: {}", case.name, report["error"]));
        }
    }
    assert!(wrong.is_empty(), "of {count}:\n{}", wrong.join("\n"));
    let least = if cfg!(unix) { 200 } else { 170 };
    assert!(count >= least, "{count}");
}
