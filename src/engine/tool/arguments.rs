//! What tools take. The schemas are made from these types, and so are the words on what does not
//! keep to them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Misuse;
use super::wrong::explain;

/// What to show.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewArguments {
    /// The file or directory: below the root, or absolute.
    pub(super) path: String,
    /// The first and the last line to show, counted from 1; -1 is the end of the file.
    pub(super) view_range: Option<[i64; 2]>,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// What to replace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplaceArguments {
    /// The file: below the root, or absolute.
    pub(super) path: String,
    /// The text that goes, exactly as it is in the file, where it has to be once.
    pub(super) old_str: String,
    /// The text that comes in its place; nothing if it is left out.
    pub(super) new_str: Option<String>,
    /// Whether texts that are not in the file as they are get repaired where they have one certain
    /// reading, such as another indentation, blanks, quotes or line numbers.
    pub(super) lenient: Option<bool>,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// What to insert.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InsertArguments {
    /// The file: below the root, or absolute.
    pub(super) path: String,
    /// The line behind which the text comes, counted from 1; 0 is the start of the file.
    pub(super) insert_line: usize,
    /// The lines that come.
    #[serde(alias = "new_str")]
    pub(super) insert_text: String,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// What to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// The file: below the root, or absolute. Nothing may be there.
    pub(super) path: String,
    /// All of its contents.
    pub(super) file_text: String,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// What to apply.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchArguments {
    /// The text of the patch.
    pub(super) patch: String,
    /// Its grammar: unified, context, normal, git, codex, blocks, hashline or json; auto, or left
    /// out, to find out.
    pub(super) format: Option<String>,
    /// How many leading components to take off the names of a diff; 1 if it is left out, for a/ and
    /// b/.
    pub(super) strip: Option<usize>,
    /// Whether a patch that does not fit as it stands is repaired where it has one certain reading.
    pub(super) lenient: Option<bool>,
    /// The `plan_id` that was checked: any other change is refused.
    pub(super) approve: Option<String>,
}

/// Reads arguments.
pub(super) fn read<'a, T: Deserialize<'a> + JsonSchema>(arguments: &'a str) -> Result<T, Misuse> {
    // The reader of objects takes lists as well, item by item.
    if !arguments.trim_start().starts_with('{') {
        return Err(Misuse("the arguments are no object".to_owned()));
    }
    serde_json::from_str(arguments).map_err(|error| {
        Misuse(explain(arguments, &schema::<T>()).unwrap_or_else(|| plain(&error)))
    })
}

/// Returns the words of `error` without its place in a text that a model does not see, for what a
/// schema cannot express.
fn plain(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    match words.strip_prefix("duplicate field ") {
        Some(name) => format!("{name} is given twice"),
        None => format!("the arguments are wrong: {words}"),
    }
}

/// Returns the JSON Schema of arguments.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}
