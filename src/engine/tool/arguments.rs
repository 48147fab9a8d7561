//! The arguments of the tools. The schemas are generated from these types. The messages about
//! invalid arguments are generated from the schemas.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ArgumentError;
use super::wrong::explain;

/// The file or directory to show.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewArguments {
    /// The path of the file or directory: below the root, or absolute.
    pub(super) path: String,
    /// The first and the last line to show, counted from 1; -1 is the end of the file.
    pub(super) view_range: Option<[i64; 2]>,
    /// The function, class or other symbol to show, such as `Class.method`. The output has its
    /// attributes and the comments directly above it.
    pub(super) symbol: Option<String>,
    /// Whether the lines have the numbers and the tag that hashline edits name.
    pub(super) hashline: Option<bool>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// The text to replace in a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplaceArguments {
    /// The path of the file: below the root, or absolute.
    pub(super) path: String,
    /// The text to replace, exactly as it is in the file. It must occur exactly once.
    pub(super) old_str: String,
    /// The new text. If it is omitted, the old text is deleted.
    pub(super) new_str: Option<String>,
    /// Whether to replace every occurrence. The text can then occur several times.
    pub(super) replace_all: Option<bool>,
    /// Whether to repair texts that are not in the file, if they have one certain reading. Examples
    /// are another indentation, blanks, quotes or line numbers.
    pub(super) lenient: Option<bool>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// The lines to insert into a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InsertArguments {
    /// The path of the file: below the root, or absolute.
    pub(super) path: String,
    /// The line after which the text is inserted, counted from 1; 0 is the start of the file.
    pub(super) insert_line: usize,
    /// The lines to insert.
    #[serde(alias = "new_str")]
    pub(super) insert_text: String,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// The file to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// The path of the file: below the root, or absolute.
    pub(super) path: String,
    /// The whole contents of the file.
    pub(super) file_text: String,
    /// Whether to replace a file that exists.
    pub(super) overwrite: Option<bool>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// The edits to make.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditArguments {
    /// The edits. All edits of a file see the file before the change, and must not overlap.
    pub(super) edits: Vec<EditEntry>,
    /// Whether to repair texts that are not in the file, if they have one certain reading.
    pub(super) lenient: Option<bool>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
}

/// An edit of one file.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditEntry {
    /// The path of the file: below the root, or absolute.
    pub(super) path: String,
    /// The text to replace, exactly as it is in the file. It must occur exactly once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old_str: Option<String>,
    /// The function, class or other symbol to replace instead of a text, such as `Class.method`. It
    /// includes its attributes and the comments directly above it, as `view` with `symbol` shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<String>,
    /// Where to insert the new text next to the symbol. If it is omitted, the symbol is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<SymbolPlace>,
    /// The new text. If it is omitted, the old text is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new_str: Option<String>,
    /// Whether to replace every occurrence. The text can then occur several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replace_all: Option<bool>,
    /// Whether to delete the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delete: Option<bool>,
}

/// A place next to a symbol.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SymbolPlace {
    Before,
    After,
}

/// The change to undo.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoArguments {
    /// The id of the change, as `log` lists it. If it is omitted, the last change is undone.
    pub(super) id: Option<String>,
}

/// The part of the history to show.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LogArguments {
    /// The number of changes to show, the newest first. The default is 20.
    pub(super) max: Option<usize>,
}

/// The directory to list, or the file whose symbols are listed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    /// The path of the directory: below the root, or absolute. The default is the root.
    pub(super) path: Option<String>,
    /// A pattern such as `**/*.py`. Files in subdirectories are then listed, too, if their path
    /// relative to the directory matches.
    pub(super) pattern: Option<String>,
    /// Whether to list names that start with a dot.
    pub(super) hidden: Option<bool>,
    /// Whether to list the last modified files first.
    pub(super) newest: Option<bool>,
    /// Whether `path` is a file, and its functions, classes and other symbols are listed.
    pub(super) symbols: Option<bool>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
}

/// The change of a cell in a Jupyter notebook.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NotebookArguments {
    /// The path of the notebook: below the root, or absolute.
    pub(super) path: String,
    /// Whether to replace the source of a cell, to insert a new cell, or to delete a cell.
    pub(super) action: CellAction,
    /// The id of the cell, or cell-N with the index N from 0. A new cell is inserted after this
    /// cell; if it is omitted, at the start.
    pub(super) cell: Option<String>,
    /// The whole source, to replace or insert.
    pub(super) source: Option<String>,
    /// The type of the cell. It is necessary for a new cell.
    #[serde(rename = "type")]
    pub(super) kind: Option<CellType>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
}

/// The action on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CellAction {
    Replace,
    Insert,
    Delete,
}

/// The type of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CellType {
    Code,
    Markdown,
    Raw,
}

/// The patch to apply.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchArguments {
    /// The text of the patch.
    pub(super) patch: String,
    /// The grammar of the patch: unified, context, normal, git, codex, blocks, hashline or json. If
    /// it is auto or omitted, the grammar is detected.
    pub(super) format: Option<String>,
    /// The number of leading components to remove from the names in a diff. The default is 1, which
    /// removes a/ and b/.
    pub(super) strip: Option<usize>,
    /// Whether to repair a patch that does not apply, if it has one certain reading.
    pub(super) lenient: Option<bool>,
    /// The `plan_id` of the change that was checked. Any other change is refused.
    pub(super) approve: Option<String>,
    /// The id of an edit session, to work in it.
    #[serde(rename = "session")]
    _session: Option<String>,
}

/// The edit session, and the action on it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionArguments {
    /// Whether to begin a session, to check or make all of its changes, or to drop it.
    pub(super) action: SessionAction,
    /// The id of the session. It is necessary for every action except begin.
    pub(super) id: Option<String>,
    /// A note for the log, with begin.
    pub(super) note: Option<String>,
    /// Whether check and commit merge the session with files that were changed since.
    pub(super) rebase: Option<bool>,
    /// The `plan_id` of the checked session, with commit. Any other change is refused.
    pub(super) approve: Option<String>,
}

/// The action on an edit session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SessionAction {
    Begin,
    Check,
    Commit,
    Abort,
}

/// Returns the edit session that `arguments` name. Returns `None` for invalid arguments, which
/// [`parse`] reports.
pub(super) fn session_of(arguments: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct SessionArgument {
        session: Option<String>,
    }
    // Most calls name no session, and a patch can be long.
    memchr::memmem::find(arguments.as_bytes(), b"session")?;
    serde_json::from_str::<SessionArgument>(arguments)
        .ok()?
        .session
}

/// Parses the arguments of a tool.
pub(super) fn parse<'a, T: Deserialize<'a> + JsonSchema>(
    arguments: &'a str,
) -> Result<T, ArgumentError> {
    // serde also accepts a list of the fields in place of an object.
    if !arguments.trim_start().starts_with('{') {
        return Err(ArgumentError(
            "the arguments must be a JSON object".to_owned(),
        ));
    }
    serde_json::from_str(arguments).map_err(|error| {
        ArgumentError(explain(arguments, &schema::<T>()).unwrap_or_else(|| plain(&error)))
    })
}

/// Returns the text of `error` for mistakes that a schema cannot express. The position is removed,
/// because the model does not see the JSON text.
fn plain(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    match words.strip_prefix("duplicate field ") {
        Some(name) => format!("{name} occurs twice"),
        None => format!("the arguments are invalid: {words}"),
    }
}

/// Returns the JSON Schema of arguments.
pub(super) fn schema<T: JsonSchema>() -> Value {
    strict_schema::<T>(SchemaSettings::draft2020_12())
}

/// Returns a JSON Schema that strict validators accept: it has no references, no list of types, and
/// no format of a number.
pub(super) fn strict_schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(simplify).transform(&mut schema);
    schema.to_value()
}

/// Removes the format of a number, and `null` from a list of types or schemas: an optional
/// property is absent instead.
fn simplify(schema: &mut Schema) {
    let is_number = |format: &Value| {
        let format = format.as_str().unwrap_or_default();
        format.starts_with("uint") || format.starts_with("int")
    };
    if schema.get("format").is_some_and(is_number) {
        schema.remove("format");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    let types = schema.get("type").and_then(Value::as_array);
    let kept = types.and_then(|types| types.iter().find(|kind| *kind != "null").cloned());
    if let Some(kept) = kept {
        schema.insert("type".to_owned(), kept);
    }
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let kept = choices.and_then(|all| all.iter().find(|one| one["type"] != "null").cloned());
    if let Some(Value::Object(kept)) = kept {
        schema.remove("anyOf");
        for (key, value) in kept {
            if schema.get(&key).is_none() {
                schema.insert(key, value);
            }
        }
    }
}
