//! Adds the white-space rules of the request and of git's configuration to the options of
//! preflight.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use super::link_files;
use super::request::{Decide, Request};
use super::stages::Selected;
use crate::path::RelPath;
use crate::plan::{Operation, Plan};
use crate::preflight::{
    self, Conversions, Problem, Severity, WhitespaceAction, code, is_git_operation, lookup_name,
};
use crate::whitespace::{RuleConflictError, WhitespaceRule};
use crate::workspace::git::{Attribute, Git};

/// The reason why the configuration is unknown.
enum RuleError {
    /// git failed.
    Git(io::Error),
    /// The value is invalid.
    Value(String),
}

impl From<io::Error> for RuleError {
    fn from(error: io::Error) -> Self {
        Self::Git(error)
    }
}

impl From<RuleConflictError> for RuleError {
    fn from(contradiction: RuleConflictError) -> Self {
        Self::Value(contradiction.to_string())
    }
}

/// Adds to `options` the settings of the request, of git's configuration and of git's attributes
/// for the files of the plan.
pub(super) fn load_whitespace_rules(
    request: &Request,
    selected: &mut Selected,
    options: &mut preflight::Options,
) {
    let Request {
        decide, context, ..
    } = request;
    options.whitespace.action = decide.whitespace.unwrap_or(context.whitespace);
    options.rules.ignore_whitespace |= decide.ignore_whitespace.unwrap_or_default();
    options.conversions = root_conversions(&context.root_gits, &selected.plan);
    let Some(git) = &context.git else { return };
    // A tree in a repository has the line endings and links that were committed.
    if !context.is_git_tree {
        options.conversions = conversions(git, &selected.plan);
        link_files::load_symlink_support(git, selected, options);
    }
    let numbered = selected.plan.operations.iter().filter(|it| has_numbers(it));
    let paths: Vec<_> = numbered.map(lookup_name).cloned().collect();
    if paths.is_empty() {
        return;
    }
    let result = apply_configuration(decide, git, options)
        .map_err(|error| (error, Severity::Error))
        .and_then(|()| {
            // `nowarn` and `warn` do not change the result, so an error of git is only a warning.
            let is_harmless = matches!(
                options.whitespace.action,
                WhitespaceAction::NoWarn | WhitespaceAction::Warn
            );
            let severity = if is_harmless {
                Severity::Warning
            } else {
                Severity::Error
            };
            load_path_rules(git, &paths, options).map_err(|error| (error, severity))
        });
    match result {
        Ok(()) => {}
        Err((RuleError::Value(message), _)) => {
            selected.problems.push(Problem::new(&code::USAGE, message));
        }
        Err((RuleError::Git(error), severity)) => {
            let message = format!("git cannot report its whitespace configuration: {error}");
            let help =
                "fix the error that git reports, or use --whitespace and --ignore-whitespace";
            let help = Some(help.to_owned()).filter(|_| severity == Severity::Error);
            selected.problems.push(Problem {
                severity,
                help,
                ..Problem::new(&code::GIT_CONFIG, message)
            });
        }
    }
}

/// Returns git's conversions for the files of git patches; `None` if there are no such files.
fn conversions(git: &Arc<Git>, plan: &Plan) -> Option<Arc<Conversions>> {
    let paths = converted_paths(plan);
    (!paths.is_empty()).then(|| Arc::new(Conversions::new(git, paths)))
}

/// Returns the conversions of each root, `gits`, for the files of git patches.
fn root_conversions(gits: &[(RelPath, Arc<Git>)], plan: &Plan) -> Option<Arc<Conversions>> {
    if gits.is_empty() {
        return None;
    }
    let paths = converted_paths(plan);
    (!paths.is_empty()).then(|| Arc::new(Conversions::of_roots(gits, &paths)))
}

/// Returns the paths of the files of git patches.
fn converted_paths(plan: &Plan) -> Vec<RelPath> {
    let operations = plan
        .operations
        .iter()
        .filter(|operation| is_git_operation(plan, operation));
    operations
        .flat_map(|it| it.from.iter().chain([&it.path]))
        .cloned()
        .collect()
}

/// Returns whether the operation has hunks with line numbers. git's configuration does not apply to
/// other grammars.
fn has_numbers(operation: &Operation) -> bool {
    operation.hunks().any(|hunk| hunk.anchor.is_numbered())
}

/// Sets the action and the comparison of blanks, unless the request sets them.
fn apply_configuration(
    decide: &Decide,
    git: &Git,
    options: &mut preflight::Options,
) -> Result<(), RuleError> {
    if decide.whitespace.is_none()
        && let Some(name) = git.config("apply.whitespace")?
    {
        let unknown = || {
            RuleError::Value(format!(
                "unrecognized whitespace option '{}'",
                String::from_utf8_lossy(name)
            ))
        };
        options.whitespace.action = WhitespaceAction::from_name(name).ok_or_else(unknown)?;
    }
    if decide.ignore_whitespace.is_none() {
        options.rules.ignore_whitespace |=
            parse_ignore_whitespace(git.config("apply.ignorewhitespace")?)?;
    }
    Ok(())
}

/// Sets the rule of each of `paths`.
fn load_path_rules(
    git: &Git,
    paths: &[RelPath],
    options: &mut preflight::Options,
) -> Result<(), RuleError> {
    // Without warnings and fixes, the rules have no effect.
    if options.whitespace.action == WhitespaceAction::NoWarn {
        return Ok(());
    }
    let usual = git
        .config("core.whitespace")?
        .map(WhitespaceRule::parse)
        .transpose()?
        .unwrap_or_default();
    let attributes = git.attributes(&["whitespace"], &paths.iter().collect::<Vec<_>>())?;
    let mut rules = HashMap::new();
    for (path, attribute) in paths.iter().zip(attributes) {
        let rule = match &attribute[0] {
            Attribute::Unspecified => continue,
            Attribute::Set => usual.with_attribute_set(),
            Attribute::Unset => usual.with_attribute_unset(),
            Attribute::Value(text) => WhitespaceRule::parse(text)?,
        };
        rules.insert(path.clone(), rule);
    }
    options.whitespace.default_rule = usual;
    options.whitespace.rules = Arc::new(rules);
    Ok(())
}

fn parse_ignore_whitespace(value: Option<&[u8]>) -> Result<bool, RuleError> {
    match value {
        None | Some(b"no" | b"false" | b"never" | b"none") => Ok(false),
        Some(b"change") => Ok(true),
        Some(value) => {
            let value = String::from_utf8_lossy(value);
            Err(RuleError::Value(format!(
                "unrecognized whitespace ignore option '{value}'"
            )))
        }
    }
}
