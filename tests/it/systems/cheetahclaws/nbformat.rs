//! What the schemas of nbformat 4.0 to 4.5, and its own checks, say of the cells of a notebook.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Returns what is wrong with a notebook.
pub(super) fn faults(notebook: &Value) -> Vec<String> {
    let minor = notebook["nbformat_minor"].as_u64().unwrap_or(u64::MAX);
    let mut faults = Vec::new();
    let mut say = |is_right: bool, what: String| faults.extend((!is_right).then_some(what));
    say(
        notebook["nbformat"] == 4 && minor <= 5,
        "version".to_owned(),
    );
    say(
        has_keys(
            notebook,
            &["cells", "metadata", "nbformat", "nbformat_minor"],
            &[],
        ),
        "keys of the notebook".to_owned(),
    );
    let cells = notebook["cells"].as_array().unwrap();
    for (index, cell) in cells.iter().enumerate() {
        say(is_cell(cell, minor), format!("cell {index}: {cell}"));
    }
    let ids: BTreeSet<_> = cells
        .iter()
        .filter_map(|cell| cell["id"].as_str())
        .collect();
    say(
        minor < 5 || ids.len() == cells.len(),
        "an id that is not the only one".to_owned(),
    );
    faults
}

fn is_cell(cell: &Value, minor: u64) -> bool {
    let id: &[&str] = if minor >= 5 { &["id"] } else { &[] };
    let has = |more: &[&str], may: &[&str]| {
        has_keys(
            cell,
            &[&["cell_type", "metadata", "source"], id, more].concat(),
            may,
        )
    };
    let has_right_keys = match cell["cell_type"].as_str() {
        Some("code") => has(&["execution_count", "outputs"], &[]) && is_run(cell),
        Some("markdown" | "raw") => has(&[], if minor >= 1 { &["attachments"] } else { &[] }),
        _ => false,
    };
    let has_id = minor < 5 || cell["id"].as_str().is_some_and(is_id);
    has_right_keys && has_id && cell["metadata"].is_object() && is_text(&cell["source"])
}

/// Returns whether the fields of a code cell are what they have to be.
fn is_run(cell: &Value) -> bool {
    let count = |value: &Value| value.is_null() || value.is_u64();
    let is_output = |output: &Value| match output["output_type"].as_str() {
        Some("stream") => {
            has_keys(output, &["output_type", "name", "text"], &[]) && is_text(&output["text"])
        }
        Some("display_data") => has_keys(output, &["output_type", "data", "metadata"], &[]),
        Some("execute_result") => has_keys(
            output,
            &["output_type", "data", "metadata", "execution_count"],
            &[],
        ),
        Some("error") => has_keys(
            output,
            &["output_type", "ename", "evalue", "traceback"],
            &[],
        ),
        _ => false,
    };
    count(&cell["execution_count"])
        && cell["outputs"]
            .as_array()
            .is_some_and(|outputs| outputs.iter().all(is_output))
}

fn has_keys(value: &Value, must: &[&str], may: &[&str]) -> bool {
    let Some(members) = value.as_object() else {
        return false;
    };
    let is_known = |key: &String| must.contains(&key.as_str()) || may.contains(&key.as_str());
    must.iter().all(|key| members.contains_key(*key)) && members.keys().all(is_known)
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn is_text(value: &Value) -> bool {
    value.is_string()
        || value
            .as_array()
            .is_some_and(|lines| lines.iter().all(Value::is_string))
}

/// Returns a notebook of nbformat 4 with a cell of each type.
pub(super) fn notebook(minor: u64) -> Value {
    let stream = json!({"output_type": "stream", "name": "stdout", "text": ["3\n"]});
    let mut cells = [
        json!({"cell_type": "markdown", "metadata": {}, "source": "# Title"}),
        json!({"cell_type": "code", "metadata": {}, "source": ["a = 1\n", "a"], "outputs": [stream], "execution_count": 4}),
        json!({"cell_type": "raw", "metadata": {"format": "text/plain"}, "source": []}),
    ];
    if minor >= 1 {
        cells[0]["attachments"] = json!({"a.png": {"image/png": "AAAA"}});
    }
    for (cell, id) in cells
        .iter_mut()
        .zip(["title", "calc", "raw"])
        .filter(|_| minor >= 5)
    {
        cell["id"] = json!(id);
    }
    json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": minor})
}

#[test]
fn s16_the_check_of_notebooks_knows_good_ones_from_bad_ones() {
    for minor in 0..=5 {
        assert_eq!(faults(&notebook(minor)), [""; 0]);
    }
    let damages: [(u64, &str, Value); 9] = [
        (4, "/cells/1/id", json!("x")),
        (5, "/cells/1/id", json!("title")),
        (5, "/cells/1/id", json!("a b")),
        (0, "/cells/0/attachments", json!({})),
        (5, "/cells/1/attachments", json!({})),
        (5, "/cells/0/outputs", json!([])),
        (5, "/cells/0/execution_count", json!(null)),
        (5, "/cells/1/cell_type", json!("markdown")),
        (5, "/cells/2/source", json!([1])),
    ];
    for (minor, place, value) in damages {
        let (cell, key) = place.rsplit_once('/').unwrap();
        let mut notebook = notebook(minor);
        notebook.pointer_mut(cell).unwrap()[key] = value;
        assert_eq!(faults(&notebook).len(), 1, "{minor} {place}");
    }
}
