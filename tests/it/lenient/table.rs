//! One table of repairs serves every grammar: `fixtures/repairs.toml` has a patch for each repair
//! in each grammar, or the reason why the repair cannot occur there.

use serde::Deserialize;
use serde_json::{Value, json};
use wpatch::engine::ToolOptions;
use wpatch::syntax::SYNTAXES;
use wpatch::text::tag::HashlineTag;

use super::*;

#[derive(Deserialize)]
struct Table {
    path: String,
    before: String,
    after: String,
    after_both: String,
    #[serde(flatten)]
    repairs: BTreeMap<String, BTreeMap<String, Cell>>,
}

/// One repair in one grammar.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    patch: Option<String>,
    never: Option<String>,
    #[serde(default)]
    both: bool,
    #[serde(default)]
    utf16: bool,
}

fn table() -> Table {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repairs.toml");
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

impl Table {
    fn memory(&self) -> Memory {
        let path = RelPath::new(self.path.as_bytes()).unwrap();
        Memory::with_files([(path, Entry::file(self.before.as_str()))])
    }

    /// Returns the only file, and the names of the repairs in a report.
    fn result(&self, memory: &Memory, report: &Value) -> (String, Vec<String>) {
        let path = RelPath::new(self.path.as_bytes()).unwrap();
        let inputs = report["inputs"].as_array().into_iter().flatten();
        let repairs = inputs.flat_map(|input| input["repairs"].as_array().into_iter().flatten());
        let names = repairs
            .filter_map(|repair| repair["code"].as_str().map(str::to_owned))
            .collect();
        (
            String::from_utf8(memory.files()[&path].contents.clone()).unwrap(),
            names,
        )
    }
}

/// Applies the patch of a cell; an error if it is not repaired as the table says.
fn applied(table: &Table, cell: &Cell, (repair, grammar): (&str, &str)) -> Result<(), String> {
    let patch = cell.patch.as_deref().unwrap_or_default();
    let patch = patch.replace(
        "#TAG]",
        &format!("#{}]", HashlineTag::of(table.before.as_bytes())),
    );
    let utf16 = || {
        patch
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
    };
    let bytes = if cell.utf16 {
        utf16()
    } else {
        patch.clone().into_bytes()
    };
    let memory = table.memory();
    let request = lenient(bytes.clone());
    let report =
        serde_json::to_value(engine::apply(request, &memory, &Interrupt::new()).report).unwrap();
    let wanted = if cell.both {
        &table.after_both
    } else {
        &table.after
    };
    let (found, names) = table.result(&memory, &report);
    if found != *wanted || !names.iter().any(|name| name == repair) {
        return Err(format!(
            "{repair} of {grammar}: {names:?}\n{patch}\n{}\n{report:#}",
            diff(wanted, &found)
        ));
    }
    // `edit` is the same change without a patch, and so is the tool of a model.
    if grammar == "json"
        && !cell.utf16
        && let Ok(document) = serde_json::from_str::<Value>(&patch)
    {
        edited(table, wanted, &document["edits"][0], repair)?;
    }
    Ok(())
}

/// Makes `edit` by the command and by the tool; an error if it is not repaired to `wanted`.
fn edited(table: &Table, wanted: &str, edit: &Value, repair: &str) -> Result<(), String> {
    let text = |key: &str| edit[key].as_str().unwrap_or_default().to_owned();
    let memory = table.memory();
    let mut request = Request::edit(table.path.clone(), text("old"), text("new"));
    request.decide.lenient = true;
    let report =
        serde_json::to_value(engine::apply(request, &memory, &Interrupt::new()).report).unwrap();
    let (found, names) = table.result(&memory, &report);
    if found != *wanted || !names.iter().any(|name| name == repair) {
        return Err(format!("{repair} of edit: {names:?}\n{edit}\n{report:#}"));
    }
    let memory = table.memory();
    let arguments = json!({"path": table.path, "old_str": edit["old"], "new_str": edit["new"], "lenient": true});
    let options = ToolOptions::default();
    let answer = engine::tool(
        "str_replace",
        &arguments.to_string(),
        &options,
        &memory,
        &Interrupt::new(),
    )
    .unwrap();
    // The result of a tool has no list of repairs.
    let (found, _) = table.result(&memory, &Value::Null);
    if found != *wanted || !answer.message.contains("warning") {
        return Err(format!("str_replace: {edit}\n{}", answer.message));
    }
    Ok(())
}

#[test]
fn each_repair_has_a_case_in_each_grammar_or_a_reason() {
    let table = table();
    let repairs: Vec<_> = REPAIRS.iter().map(|(_, name, _)| *name).collect();
    assert!(
        table
            .repairs
            .keys()
            .all(|name| repairs.contains(&name.as_str())),
        "an unknown repair"
    );
    let mut wrong = Vec::new();
    for repair in repairs {
        for syntax in SYNTAXES {
            let name = syntax.name();
            let Some(cell) = table.repairs.get(repair).and_then(|cells| cells.get(name)) else {
                wrong.push(format!("{repair} of {name}: neither a patch nor a reason"));
                continue;
            };
            match (&cell.patch, &cell.never) {
                (Some(_), None) => wrong.extend(applied(&table, cell, (repair, name)).err()),
                (None, Some(reason)) if reason.ends_with('.') => {}
                _ => wrong.push(format!(
                    "{repair} of {name}: one of both, a patch or a reason"
                )),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}

#[test]
fn the_readme_says_which_repair_serves_which_grammar() {
    let table = table();
    let readme =
        fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/models.md"))
            .unwrap();
    let names: Vec<_> = SYNTAXES.iter().map(|syntax| syntax.name()).collect();
    let mut wanted = format!(
        "| repair | {} |\n|{}\n",
        names.join(" | "),
        " --- |".repeat(names.len() + 1)
    );
    for (_, repair, _) in REPAIRS {
        let mark = |name: &&str| {
            if table.repairs[*repair][*name].patch.is_some() {
                "yes"
            } else {
                "-"
            }
        };
        let marks: Vec<_> = names.iter().map(mark).collect();
        wanted += &["| `", repair, "` | ", &marks.join(" | "), " |\n"].concat();
    }
    assert!(
        readme.contains(&wanted),
        "the README needs this table:\n{wanted}"
    );
}
