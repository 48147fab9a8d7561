//! Finds the strip level, the directory or the root with which a patch applies, if its names do not
//! match.

use std::sync::Arc;

use super::super::govern::extend_policy;
use super::super::stages::Selected;
use super::super::{Decide, SuggestionMode, whitespace};
use super::candidates::{Candidate, RequiredFiles};
use super::command::CommandChange;
use super::{ProblemHelp, TrialContext, budget};
use crate::path::{RelPath, path_bytes};
use crate::plan::{self, Action, Plan};
use crate::policy::Policy;
use crate::preflight::{self, ProblemCode, WhitespaceAction, code};
use crate::syntax;
use crate::text::printable;
use crate::workspace::Workspace;

/// The limit on the number of candidates that are resolved.
const MAX_TRIALS: usize = 16;
/// The limit on the number of candidates, and of files per candidate, that a message names.
const MAX_LISTED: usize = 4;

/// The problems that other names can solve.
const CODES: &[ProblemCode] = &[
    code::MISSING,
    code::NOT_A_DIRECTORY,
    code::NAME_STRIPPED,
    code::NOT_A_FILE,
];

/// A reading of the names with which all files of the patch exist.
struct NameMatch {
    difference: CommandChange,
    /// The files from the root, or from the top of the work tree.
    paths: Vec<RelPath>,
    applies: bool,
}

/// Returns advice about names with which the patch applies, if files of the patch are missing.
pub(super) fn suggest(trials: &TrialContext<'_>) -> Option<ProblemHelp> {
    if !trials
        .selected
        .problems
        .iter()
        .any(|problem| CODES.contains(problem.code))
    {
        return None;
    }
    let plan = trials.parse()?;
    let request = &trials.task.request;
    let needs = RequiredFiles::of(&plan, request.decide.direction());
    let mut matches = try_git_paths(trials, &plan).into_iter().collect::<Vec<_>>();
    let level = (
        request.decide.selection().strip_level(),
        request.decide.strip.is_some(),
    );
    let policy = &trials.options.policy;
    // A series file has its own strip levels, and `--file` replaces the names.
    if trials.series_info.series.is_none() && request.decide.file.is_none() {
        let found = needs.candidates(level, trials.workspace, policy);
        let found = found.into_iter().take(MAX_TRIALS);
        let below = trials.prefix();
        matches.extend(found.map(|candidate| trials.try_below(candidate, below.as_ref())));
        matches.extend(try_from_top(trials, &needs, level));
    }
    // Skips readings that name the same files as the patch, because these files are not missing.
    let mut known: Vec<Vec<RelPath>> = vec![trials.required_paths()];
    matches.retain(|found| {
        let is_new = !known.contains(&found.paths);
        known.push(found.paths.clone());
        is_new
    });
    if trials.budget.is_exhausted() {
        None
    } else {
        advise(trials, &matches)
    }
}

impl TrialContext<'_> {
    /// Parses the patches without resolving their names.
    fn parse(&self) -> Option<Plan<plan::Name>> {
        let request = &self.task.request;
        let among = syntax::select_syntaxes(&request.decide.format);
        let mut plan = Plan::default();
        for (name, bytes) in self.patches()? {
            plan.append(syntax::parse(&name, bytes, &among, request.decide.syntax_options()).ok()?);
        }
        Some(plan)
    }

    /// Returns the path of the root below the top of its work tree.
    fn prefix(&self) -> Option<RelPath> {
        Some(self.workspace.work_tree().ok()??.prefix.clone())
    }

    /// Returns the files that the patch needs as it was read, relative to the top of the work tree.
    fn required_paths(&self) -> Vec<RelPath> {
        let prefix = self.prefix();
        let needed = self
            .selected
            .plan
            .operations
            .iter()
            .filter_map(|operation| match operation.action {
                Action::Create => None,
                Action::Rename | Action::Copy => operation.from.as_ref(),
                Action::Modify | Action::Delete | Action::RemoveCopy => Some(&operation.path),
            });
        needed
            .map(|path| join_prefix(path, prefix.as_ref()))
            .collect()
    }

    fn reads_input(&self) -> bool {
        self.selected
            .plan
            .inputs
            .iter()
            .any(|input| input.name == "-")
    }

    /// Tries a reading of the names below the root. `prefix` is the path of the root below the top.
    fn try_below(&self, candidate: Candidate, prefix: Option<&RelPath>) -> NameMatch {
        let Candidate {
            strip,
            directory,
            paths,
        } = candidate;
        let decide = &self.task.request.decide;
        let level = || (!directory.is_empty()).then(|| decide.selection().strip_level());
        let tried = Decide {
            strip: strip.or(decide.strip).or_else(level),
            directory: directory.clone(),
            ..decide.clone()
        };
        let directory =
            (!directory.is_empty() || !decide.directory.is_empty()).then_some(directory);
        let paths = paths.iter().map(|path| join_prefix(path, prefix)).collect();
        let applies = self.can_apply(tried, (self.workspace, &self.options.policy));
        let difference = CommandChange {
            strip,
            directory,
            reads_input: self.reads_input(),
            ..CommandChange::default()
        };
        NameMatch {
            difference,
            paths,
            applies,
        }
    }

    /// Returns whether the patches apply with `decide` to `workspace`, under `policy`.
    fn can_apply(
        &self,
        decide: Decide,
        (workspace, policy): (&dyn Workspace, &Arc<Policy>),
    ) -> bool {
        let count = self.selected.plan.operations.len();
        // Other names can match `--exclude`. A plan with fewer operations is not the same patch.
        let plan = self
            .read(decide, workspace)
            .filter(|plan| plan.operations.len() >= count);
        let Some(plan) =
            plan.filter(|plan| self.budget.spend(budget::work(&plan.operations, workspace)))
        else {
            return false;
        };
        let mut selected = Selected {
            plan,
            ..Selected::default()
        };
        let mut options = preflight::Options {
            policy: Arc::clone(policy),
            ..self.options.clone()
        };
        whitespace::load_whitespace_rules(&self.task.request, &mut selected, &mut options);
        // Loading the rules also set the configured action.
        options.whitespace.action = WhitespaceAction::NoWarn;
        !selected.is_refused() && super::resolve(&selected.plan, &options, workspace).is_some()
    }
}

/// Returns `path` relative to the top of the work tree. `prefix` is the path of the root below the
/// top.
fn join_prefix(path: &RelPath, prefix: Option<&RelPath>) -> RelPath {
    let joined = prefix
        .and_then(|prefix| RelPath::new(&[prefix.as_bytes(), path.as_bytes()].join(&b'/')).ok());
    joined.unwrap_or_else(|| path.clone())
}

/// Tries the names of git diffs relative to the top of the repository (`--git-paths`).
fn try_git_paths(trials: &TrialContext<'_>, plan: &Plan<plan::Name>) -> Option<NameMatch> {
    let request = &trials.task.request;
    // Only git diffs have names that start at the top of the repository.
    let prefix = trials.prefix()?;
    if request.decide.below.is_some()
        || !plan
            .operations
            .iter()
            .all(|operation| operation.distinguishes_missing)
    {
        return None;
    }
    let decide = Decide {
        below: Some(prefix.as_bytes().to_vec()),
        ..request.decide.clone()
    };
    if !trials.can_apply(decide, (trials.workspace, &trials.options.policy)) {
        return None;
    }
    let needs = RequiredFiles::of(plan, request.decide.direction());
    let top = trials.workspace.work_tree().ok()??.top;
    let paths = needs.existing(request.decide.selection().strip_level(), b"", top)?;
    let difference = CommandChange {
        git_paths: true,
        reads_input: trials.reads_input(),
        ..CommandChange::default()
    };
    Some(NameMatch {
        difference,
        paths,
        applies: true,
    })
}

/// Tries the top of the work tree as the root, if the request comes from a command line.
fn try_from_top(
    trials: &TrialContext<'_>,
    needs: &RequiredFiles<'_>,
    level: (usize, bool),
) -> Vec<NameMatch> {
    let request = &trials.task.request;
    let Ok(Some(tree)) = trials.workspace.work_tree() else {
        return Vec::new();
    };
    if !matches!(request.look.hints, SuggestionMode::Command(_))
        || !request.decide.directory.is_empty()
    {
        return Vec::new();
    }
    let above = trials
        .options
        .policy
        .for_work_tree(tree.prefix, &path_bytes(tree.directory));
    let Ok(policy) = extend_policy(trials.task.command.name, &Arc::new(above), tree.top) else {
        return Vec::new();
    };
    let candidates = needs.candidates(level, tree.top, &policy);
    let candidates = candidates
        .into_iter()
        .filter(|candidate| candidate.directory.is_empty())
        .take(MAX_TRIALS);
    let above = tree.prefix.components().count();
    let tried = candidates.map(|Candidate { strip, paths, .. }| {
        let decide = Decide {
            strip: strip.or(request.decide.strip),
            ..request.decide.clone()
        };
        let applies = trials.can_apply(decide, (tree.top, &policy));
        let difference = CommandChange {
            strip,
            above,
            reads_input: trials.reads_input(),
            ..CommandChange::default()
        };
        NameMatch {
            difference,
            paths,
            applies,
        }
    });
    tried.collect()
}

/// Returns advice about the names. `matches` are the readings with which the files exist.
fn advise(trials: &TrialContext<'_>, matches: &[NameMatch]) -> Option<ProblemHelp> {
    let applying: Vec<_> = matches.iter().filter(|found| found.applies).collect();
    let names = |found: &NameMatch| list_paths(trials, found);
    let (help, advice) = match (&applying[..], matches) {
        ([only], _) => {
            let names = names(only);
            let help = match trials.command(&only.difference) {
                Some(command) => format!("run {command}: the patch applies with these options"),
                None => format!("use {names} as the file name: the patch applies there"),
            };
            (
                help,
                format!("use {names} as the file name: the patch applies there"),
            )
        }
        ([], [only]) => {
            let names = names(only);
            let help = match trials.command(&only.difference) {
                Some(command) => {
                    format!("run {command} to see how the existing files differ from the patch")
                }
                None => format!(
                    "check the file name: the tree has {names}, but the patch does not apply to it"
                ),
            };
            (
                help,
                format!(
                    "the patch does not apply to {names} either; read the current content again"
                ),
            )
        }
        // No reading applies, and nothing shows which one is meant.
        ([], _) => return None,
        (several, _) => several_places(trials, several),
    };
    Some(ProblemHelp {
        codes: CODES,
        help,
        next_step: advice,
    })
}

/// Returns the help and the next step if the patch applies in each of `matches`.
fn several_places(trials: &TrialContext<'_>, matches: &[&NameMatch]) -> (String, String) {
    let commands = matches
        .iter()
        .map(|found| trials.command(&found.difference));
    let commands = commands.collect::<Option<Vec<_>>>();
    let places: Vec<_> = matches
        .iter()
        .map(|found| list_paths(trials, found))
        .collect();
    let (count, places) = (matches.len(), list_candidates(&places));
    let fault = format!("the patch applies in {count} places");
    let next_step = format!("{fault}; use the names of the intended one: {places}");
    let help = commands.map_or_else(
        || next_step.clone(),
        |commands| {
            format!(
                "{fault}; run one of these commands: {}",
                list_candidates(&commands)
            )
        },
    );
    (help, next_step)
}

/// Returns the first of `candidates`, and the number of the remaining ones.
fn list_candidates(candidates: &[String]) -> String {
    let more = candidates.len().saturating_sub(MAX_LISTED);
    let listed = candidates[..candidates.len() - more].join("; ");
    if more > 0 {
        format!("{listed}; and {more} more")
    } else {
        listed
    }
}

/// Returns the files of `found`, relative to the root.
fn list_paths(trials: &TrialContext<'_>, found: &NameMatch) -> String {
    let prefix = trials.prefix();
    let below = |path: &RelPath| {
        let below = prefix
            .as_ref()
            .and_then(|prefix| crate::workspace::path_relative_to(path, prefix));
        format!("`{}`", printable(below.as_ref().unwrap_or(path).as_bytes()))
    };
    let more = found.paths.len().saturating_sub(MAX_LISTED);
    let shown: Vec<_> = found.paths.iter().take(MAX_LISTED).map(below).collect();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}
