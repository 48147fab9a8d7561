//! The commands as tools for models. A call has the name of a tool and arguments in JSON. Its
//! result is a short document, which contains a text for the model.
//!
//! An invalid call has a result with an error, so that the model can correct it. Read [`tool()`]
//! first. To add a tool, write its arguments and a row in `table.rs`.

mod arguments;
mod change;
mod history;
mod patch;
mod result;
mod session;
mod table;
mod view;
mod wrong;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Attribution, Outcome, Request, UserCommands, apply as apply_request, check as check_request,
    open_session, refused_outcome,
};
use crate::path::{below_root, path_bytes, plain_path};
use crate::policy::Policy;
use crate::preflight::{Problem, code};
use crate::progress::Progress;
use crate::text::json::Json;
use crate::transaction::audit::ApprovalMethod;
use crate::transaction::{self, Interrupt};
use crate::workspace::Workspace;
use crate::workspace::git::Git;

pub use result::{ToolFile, ToolProblem, ToolResult};
pub use table::TOOLS;

/// A tool that a model can call.
pub struct Tool {
    /// The name of the tool.
    pub name: &'static str,
    /// The description of the tool, for the model.
    pub description: &'static str,
    /// How the tool can change the tree.
    pub effect: ToolEffect,
    schema: fn() -> Value,
    run: ToolFn,
}

type ToolFn = fn(&str, &ToolContext<'_>) -> Result<ToolResult, ArgumentError>;

/// How a tool can change the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolEffect {
    /// The tool changes nothing.
    Reads,
    /// The tool creates files and changes no existing file.
    Adds,
    /// The tool can change every file.
    Changes,
}

impl Tool {
    /// Returns the JSON Schema of the arguments.
    #[must_use]
    pub fn schema(&self) -> Json {
        Json((self.schema)())
    }
}

/// The names of the text editor tool. Its argument `command` is the name of a tool: `view`,
/// `str_replace`, `insert` or `create`.
pub const EDITOR_NAMES: [&str; 2] = ["str_replace_based_edit_tool", "str_replace_editor"];
const EDITOR_COMMANDS: [&str; 4] = ["view", "str_replace", "insert", "create"];

/// The options of a tool call.
#[derive(Clone, Debug, Default)]
pub struct ToolOptions {
    /// The absolute paths of the root, with which paths can start. Reports contain the last one.
    pub roots: Vec<PathBuf>,
    /// How changes are committed.
    pub transaction: transaction::Options,
    /// The commands of the user around every change.
    pub commands: UserCommands,
    /// The policy. Tools also ask before they write a file that controls an agent or a CI system,
    /// unless the policy disables this rule.
    pub policy: Arc<Policy>,
    /// The git of the root, which converts files as `git apply` does; `None` to convert no file.
    pub git: Option<Arc<Git>>,
    /// The source of the argument `approve`.
    pub approver: Approver,
    /// Whether the call only checks a change, so that a person can decide about it.
    pub check_only: bool,
    /// The plan that a person has approved for this call. Any other change is refused.
    pub approved_plan: Option<String>,
    /// Who makes the change.
    pub attribution: Attribution,
    /// Receives the progress of the call.
    pub progress: Progress,
}

/// The source of an approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approver {
    /// The calling model. Its approval limits the change to the plan that the model has seen. It
    /// does not satisfy a policy rule that asks.
    #[default]
    Model,
    /// A person who examines each call before it runs.
    Person,
}

/// Calls the tool `name` with `arguments`, a JSON object; returns `None` if there is no such tool.
///
/// In addition to the names in [`TOOLS`], `str_replace_based_edit_tool` and `str_replace_editor`
/// are accepted: the text editor tool with all its commands. An unknown argument leads to a result
/// with an error, like every other mistake that a model can correct.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, ToolOptions};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let path = RelPath::new(b"a")?;
/// let workspace = Memory::with_files([(path.clone(), Entry::file("one\ntwo\n"))]);
/// let call = |arguments| {
///     let name = "str_replace_based_edit_tool";
///     engine::tool(name, arguments, &ToolOptions::default(), &workspace, &Interrupt::new()).unwrap()
/// };
/// assert_eq!(call(r#"{"command": "view", "path": "a"}"#).message, "     1\tone\n     2\ttwo\n");
///
/// let arguments = r#"{"command": "str_replace", "path": "a", "old_str": "two", "new_str": "2"}"#;
/// assert!(call(arguments).ok);
/// assert_eq!(workspace.files()[&path].contents, b"one\n2\n");
///
/// let again = call(arguments);
/// assert_eq!(again.problems[0].kind, wpatch::report::ProblemKind::NotFound);
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
#[must_use]
pub fn tool(
    name: &str,
    arguments: &str,
    options: &ToolOptions,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Option<ToolResult> {
    // The caller is a model, so the rule about control files applies.
    let policy = Arc::new(Policy::clone(&options.policy).for_model());
    let options = &ToolOptions {
        policy,
        ..options.clone()
    };
    let tree;
    let mut call = ToolContext {
        options,
        workspace,
        interrupt,
        is_session: false,
    };
    let takes_session = || {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        tool.is_none_or(|tool| (tool.schema)()["properties"]["session"].is_object())
    };
    if let Some(id) = arguments::session_of(arguments).filter(|_| takes_session()) {
        tree = match open_session(workspace, &id) {
            Ok(tree) => tree,
            Err(outcome) => return Some(ToolResult::of(&call.with_root(*outcome))),
        };
        (call.workspace, call.is_session) = (&tree, true);
    }
    let result = if EDITOR_NAMES.contains(&name) {
        editor(arguments, &call)
    } else {
        let tool = TOOLS.iter().find(|tool| tool.name == name)?;
        (tool.run)(arguments, &call)
    };
    Some(result.unwrap_or_else(|ArgumentError(why)| {
        ToolResult::of(&refused_outcome("tool", Problem::new(&code::USAGE, why)))
    }))
}

/// Calls the command of the text editor tool that `arguments` name.
fn editor(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    #[derive(Deserialize, JsonSchema)]
    struct EditorCommand {
        command: String,
    }
    let EditorCommand { command } = arguments::parse(arguments)?;
    let tool = TOOLS
        .iter()
        .find(|tool| tool.name == command && EDITOR_COMMANDS.contains(&tool.name));
    let unknown = || {
        ArgumentError(format!(
            "unknown command {command}; expected one of {}",
            EDITOR_COMMANDS.join(", ")
        ))
    };
    (tool.ok_or_else(unknown)?.run)(arguments, call)
}

/// Returns `file` relative to the root if it starts with one of the root's absolute paths,
/// otherwise unchanged. The root itself is `.`.
#[must_use]
pub fn relative_to<P: AsRef<Path>>(roots: &[P], file: &Path) -> Vec<u8> {
    let mut names = roots
        .iter()
        .map(AsRef::as_ref)
        .filter(|root| root.is_absolute());
    // Iterating over the components removes `.` and repeated slashes.
    let plain: PathBuf = plain_path(file.to_owned()).components().collect();
    let (plain, given) = (path_bytes(&plain), path_bytes(file));
    let below = names.find_map(|root| below_root(&path_bytes(root), &plain));
    // Keep the final slash of a path that names a directory.
    let is_directory = given.ends_with(b"/");
    match below {
        Some(b"") => b".".to_vec(),
        Some(path) if is_directory => [path, b"/"].concat(),
        Some(path) => path.to_vec(),
        None if given.is_empty() => b".".to_vec(),
        None => given.into_owned(),
    }
}

/// Returns the absolute paths of the root without a final slash, as the selection of operations
/// needs them.
#[must_use]
pub fn root_names<P: AsRef<Path>>(roots: &[P]) -> Vec<Vec<u8>> {
    let names = roots
        .iter()
        .map(AsRef::as_ref)
        .filter(|root| root.is_absolute());
    let names = names.map(path_bytes);
    names
        .map(|name| name.strip_suffix(b"/").unwrap_or(&name).to_vec())
        .collect()
}

/// The reason why the arguments are invalid.
struct ArgumentError(String);

/// The context of a tool call.
struct ToolContext<'a> {
    options: &'a ToolOptions,
    workspace: &'a dyn Workspace,
    interrupt: &'a Interrupt,
    /// Whether `workspace` is the tree of an edit session.
    is_session: bool,
}

impl ToolContext<'_> {
    fn relative_path(&self, path: &str) -> Vec<u8> {
        relative_to(&self.options.roots, Path::new(path))
    }

    /// Returns the source of an approval of this call.
    fn approver(&self) -> Approver {
        if self.options.check_only || self.options.approved_plan.is_some() {
            Approver::Person
        } else {
            self.options.approver
        }
    }

    /// Sets the options of the call in `request`.
    fn prepare(&self, request: &mut Request) {
        request.commit.transaction = self.options.transaction;
        // The commands check the files of the tree, so they run when the session is committed.
        if !self.is_session {
            request.commit.commands = self.options.commands.clone();
            // The commit of a session leaves the record, not its steps.
            request.commit.attribution = self.options.attribution.clone();
        }
        if let Some(plan) = &self.options.approved_plan {
            request.commit.approve = Some(plan.clone());
            request.commit.attribution.approval = Some(ApprovalMethod::Elicitation);
        }
        request.context.policy = Arc::clone(&self.options.policy);
        request.context.interrupt = self.interrupt.clone();
        request.look.describe = true;
        request.look.progress = self.options.progress.clone();
    }

    /// Lets git convert the files of `request`.
    fn convert_as_git(&self, request: &mut Request) {
        // A server runs for a long time, so each call reads git's configuration again.
        request.context.git = self
            .options
            .git
            .as_ref()
            .map(|git| Arc::new(git.with_directory(git.directory())));
    }

    /// Applies `request` with the options of the call, or checks it.
    fn apply(&self, mut request: Request) -> Outcome {
        self.prepare(&mut request);
        let outcome = if self.options.check_only {
            check_request(request, self.workspace)
        } else {
            apply_request(request, self.workspace, self.interrupt)
        };
        self.with_root(outcome)
    }

    /// Adds the path of the root to the report of `outcome`.
    fn with_root(&self, mut outcome: Outcome) -> Outcome {
        outcome.report.root = self
            .options
            .roots
            .last()
            .map(|root| root.to_string_lossy().into_owned());
        outcome
    }
}
