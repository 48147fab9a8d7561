//! Made-up notebooks, written as nobody writes them: outside of the cell not one byte changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};
use wpatch::plan::{CellEdit, CellKind, CellPosition};

use super::{after, delete, insert, replace};

/// A cell of a made-up notebook: its text and what it says.
#[derive(Clone, Debug)]
struct Made {
    text: String,
    value: Value,
}

/// A made-up notebook: what stands before, between and behind its cells.
#[derive(Clone, Debug)]
struct Notebook {
    before: String,
    cells: Vec<Made>,
    commas: Vec<String>,
    behind: String,
}

impl Notebook {
    fn text(&self) -> String {
        let mut text = self.before.clone();
        for (index, cell) in self.cells.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { &self.commas[index] });
            text.push_str(&cell.text);
        }
        text + &self.behind
    }

    /// Returns where the cell at `at` begins in the text, in bytes.
    fn start_of(&self, at: usize) -> usize {
        let until = Self {
            cells: self.cells[..=at].to_vec(),
            behind: String::new(),
            ..self.clone()
        };
        until.text().len() - self.cells[at].text.len()
    }
}

fn blanks() -> impl Strategy<Value = String> {
    select(vec!["", " ", "\n", "\n  ", "\r\n\t", "  \n\n ", "\t"]).prop_map(str::to_owned)
}

/// Text in JSON that a writer would write in another way.
fn junk() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "1.50",
        "-0.0e+10",
        "1E400",
        r#""caf\u00e9\/\ud800""#,
        "\"é\"",
        "null",
        "[ ]",
        "{\t}",
        "123456789012345678901234567890",
        "NaN",
        "-Infinity",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(6, 24, 3, |inner| {
            (blanks(), inner.clone(), blanks(), inner, blanks()).prop_map(
                |(a, first, b, second, c)| {
                    format!("{{{a}\"k\"{b}:{first},\"k\" :{c}[{second}{a},{b}{first}]{c}}}")
                },
            )
        })
}

/// Members of an object with blanks around them.
fn object(
    members: &[String],
    (open, comma, between, close): (String, String, String, String),
) -> String {
    format!(
        "{{{open}{}{close}}}",
        members.join(&format!("{comma},{between}"))
    )
}

fn spacing() -> impl Strategy<Value = (String, String, String, String)> {
    (blanks(), blanks(), blanks(), blanks())
}

fn cell() -> impl Strategy<Value = Made> {
    let source = vec(
        select(vec!["a\n", "\n", "é", "\"", "\\u0041", "x y\r\n"]),
        0..4,
    )
    .prop_map(|parts| parts.concat());
    let shape = (any::<bool>(), any::<bool>(), any::<bool>(), any::<u8>());
    (shape, source, junk(), spacing(), spacing(), blanks()).prop_map(
        |(shape, source, junk, outer, inner, colon)| {
            let (is_code, is_list, is_twice, turn) = shape;
            let lines: Vec<String> = source
                .split_inclusive('\n')
                .map(|line| Value::from(line).to_string())
                .collect();
            let written = if is_list {
                format!(
                    "[{}{}{}]",
                    inner.0,
                    lines.join(&format!(",{}", inner.2)),
                    inner.3
                )
            } else {
                Value::from(source.as_str()).to_string()
            };
            let kind = if is_code { "code" } else { "markdown" };
            let mut members = vec![
                format!("\"cell_type\"{colon}:\"{kind}\""),
                format!("\"metadata\":{colon}{{\"own\":{junk}}}"),
                format!("\"sou\\u0072ce\":{written}"),
            ];
            if is_code {
                members.extend([
                    format!("\"outputs\":[{junk}]"),
                    "\"execution_count\":7".to_owned(),
                ]);
            }
            let count = members.len();
            members.rotate_left(usize::from(turn) % count);
            if is_twice {
                members.insert(0, format!("\"cell_type\": {junk}"));
                members.insert(0, "\"outputs\":1".to_owned());
            }
            Made {
                text: object(&members, outer),
                value: json!({ "cell_type": kind, "source": source }),
            }
        },
    )
}

fn notebook() -> impl Strategy<Value = Notebook> {
    let commas = vec(
        (blanks(), blanks()).prop_map(|(before, behind)| format!("{before},{behind}")),
        4,
    );
    (
        vec(cell(), 0..4),
        commas,
        junk(),
        spacing(),
        spacing(),
        0..6_u8,
    )
        .prop_map(|(cells, commas, junk, outer, list, minor)| {
            let before = format!(
                "{}{{{}\"own\":{junk},\"cells\":0,\"nbformat\":4{},\"ce\\u006cls\":[{}",
                outer.0, outer.1, outer.2, list.0
            );
            let behind = format!(
                "{}],\"nbformat_minor\":{minor},\"own\" :{junk}{}}}{}",
                list.1, outer.3, list.2
            );
            Notebook {
                before,
                cells,
                commas,
                behind,
            }
        })
}

/// Returns kind and source of a cell, and what else it has to say, which is nothing but outputs
/// that are gone.
fn read(cell: &str) -> Value {
    // Numbers and lone surrogates that a reader cannot hold stand in what is not looked at.
    let plain = ["1E400", "NaN", "-Infinity"]
        .iter()
        .fold(cell.to_owned(), |cell, number| cell.replace(number, "1"));
    let plain = plain.replace("\\ud800", "");
    let value: Value =
        serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {cell}"));
    let lines = value["source"]
        .as_array()
        .unwrap_or_else(|| panic!("a list: {cell}"));
    let source: String = lines.iter().map(|line| line.as_str().unwrap()).collect();
    let parts: Vec<&str> = source.split_inclusive('\n').collect();
    assert_eq!(lines.len(), parts.len(), "{cell}");
    json!({ "cell_type": value["cell_type"], "source": source, "outputs": value.get("outputs"), "execution_count": value.get("execution_count") })
}

fn expected(kind: CellKind, source: &str) -> Value {
    let is_code = kind == CellKind::Code;
    let outputs = is_code.then(|| json!([]));
    json!({ "cell_type": kind.name(), "source": source, "outputs": outputs, "execution_count": null })
}

/// Returns what stands between `before` and `behind`, if both are as they were.
fn inside<'t>(text: &'t str, before: &str, behind: &str) -> &'t str {
    let rest = text
        .strip_prefix(before)
        .unwrap_or_else(|| panic!("{before:?} is not before {text:?}"));
    rest.strip_suffix(behind)
        .unwrap_or_else(|| panic!("{behind:?} is not behind {text:?}"))
}

fn kinds() -> impl Strategy<Value = CellKind> {
    select(vec![CellKind::Code, CellKind::Markdown, CellKind::Raw])
}

fn config(seed: u64) -> Config {
    Config {
        cases: 300,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config(31))]

    #[test]
    fn a_replaced_cell_is_the_only_thing_that_changes(notebook in notebook(), at in any::<usize>(), kind in proptest::option::of(kinds())) {
        prop_assume!(!notebook.cells.is_empty());
        let at = at % notebook.cells.len();
        let text = notebook.text();
        let edit: CellEdit = replace(&format!("cell-{at}"), kind, "new\n\"é\"\n\n");
        let new = after(&text, edit.clone());
        let start = notebook.start_of(at);
        let (before, behind) = (&text[..start], &text[start + notebook.cells[at].text.len()..]);
        let old = if notebook.cells[at].value["cell_type"] == "code" { CellKind::Code } else { CellKind::Markdown };
        prop_assert_eq!(read(inside(&new, before, behind)), expected(kind.unwrap_or(old), "new\n\"é\"\n\n"));
        prop_assert_eq!(after(&new, edit), new.clone(), "once more");
    }

    #[test]
    fn a_cell_that_came_and_goes_leaves_no_byte(notebook in notebook(), at in any::<usize>(), kind in kinds()) {
        let text = notebook.text();
        let index = at % (notebook.cells.len() + 1);
        let place = match index {
            0 => CellPosition::Start,
            index => CellPosition::After(format!("cell-{}", index - 1)),
        };
        let new = after(&text, insert(place, kind, "a\nb", None));
        let gone = after(&new, delete(&format!("cell-{index}")));
        if notebook.cells.is_empty() {
            // Only blanks between two brackets may be lost.
            prop_assert_eq!(gone, format!("{}{}", notebook.before.trim_end(), notebook.behind.trim_start()));
        } else {
            prop_assert_eq!(gone, text);
        }
    }
}
