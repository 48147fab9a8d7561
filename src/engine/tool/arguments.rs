//! The arguments of the tools. The schemas are generated from these types. The messages about
//! invalid arguments are generated from the schemas.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::IgnoredAny;
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
    /// Whether to repair texts that are not in the file, if they have one certain reading. Examples
    /// are another indentation, blanks, quotes or line numbers.
    pub(super) lenient: Option<bool>,
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
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
}

/// The file to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// The path of the file: below the root, or absolute. The file must not exist.
    pub(super) path: String,
    /// The whole contents of the file.
    pub(super) file_text: String,
    #[serde(rename = "command")]
    #[schemars(skip)]
    _command: Option<IgnoredAny>,
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
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}
