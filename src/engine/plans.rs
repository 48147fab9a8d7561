//! Saved plans: saves a checked plan, and loads it to apply it.

use super::approval::{PLAN_ID_PREFIX, is_plan_id};
use super::failure::failure_outcome;
use super::problems::{no_state_directory_problem, sweep_warning};
use super::request::Request;
use super::saved::{SavedPlan, to_request};
use super::stages::Committed;
use super::steps;
use super::task::{CommandMode, CommandRun};
use super::top_roots::one_root_problem;
use super::{Outcome, refused_outcome};
use crate::digest::is_hex;
use crate::preflight::{Problem, ProblemFacts, code};
use crate::report;
use crate::transaction::Interrupt;
use crate::transaction::history;
use crate::transaction::saved_plans::{self, MAX_PLAN, PlanSearchResult, SaveResult, StoredPlan};
use crate::workspace::Workspace;

/// The smallest number of hex digits that can name a plan.
const MIN_DIGITS: usize = 8;

/// Checks a request as [`check`](super::check) does, and saves the plan for [`load_plan`] if it
/// applies.
///
/// Saving takes the lock and recovers interrupted changes, as every command that writes does.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let (path, interrupt) = (RelPath::new(b"a")?, Interrupt::new());
/// let workspace = Memory::with_files([(path.clone(), Entry::file("one\n"))]);
/// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
/// let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
/// let saved = engine::save(Request::of(patch), &workspace, &interrupt).report.saved.unwrap();
/// let request = engine::load_plan(Request::of(""), &workspace, &saved.id).unwrap();
/// assert!(engine::apply(request, &workspace, &interrupt).report.changed);
/// assert_eq!(workspace.files()[&path].contents, b"1\n");
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn save(mut request: Request, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    if let Some(problem) = one_root_problem("a saved plan", workspace) {
        return *refused_outcome("check", problem);
    }
    request.look.describe = true;
    request.context.interrupt = interrupt.clone();
    let patches = match request.take_patches() {
        Ok(patches) => patches,
        Err(problem) => return *refused_outcome("check", *problem),
    };
    let (mut task, begun) =
        match CommandRun::new(("check", report::Outcome::WouldApply), request, workspace) {
            Ok(begun) => begun,
            Err(outcome) => return *outcome,
        };
    task.command.is_saved = patches.is_saved;
    let saved = SavedPlan::of(&patches, &task.request.decide);
    // `steps::read` consumes the patches, so their texts are copied first.
    let texts: Vec<u8> = patches
        .texts
        .iter()
        .flat_map(|(_, text)| &text[..])
        .copied()
        .collect();
    let (selected, options) = steps::read(&task, patches, begun);
    let mut done = task.run(selected, &options, CommandMode::Check);
    if !done.is_refused() {
        save_plan(&task, saved, &texts, &mut done);
    }
    done.finish(&task.command)
}

/// Returns the request to apply the saved plan `id`: a `plan_id`, or at least its first eight hex
/// digits.
///
/// The patches and [`Decide`](super::Decide) are the saved ones. The policy, the contents of the
/// report and the options of the commit come from `usual`. [`apply`](super::apply) makes exactly
/// the change that was checked, or refuses it as stale.
///
/// # Security
///
/// A saved plan is not trusted. It is read only from files that no other user can write. The change
/// is computed again and applied only if its `plan_id` is `id`.
///
/// # Errors
///
/// Returns the outcome with the problem if no plan or more than one plan matches `id`, or if the
/// plan is damaged.
pub fn load_plan(
    defaults: Request,
    workspace: &dyn Workspace,
    id: &str,
) -> Result<Request, Box<Outcome>> {
    let refuse = |problem| refused_outcome("apply", problem);
    let digits = plan_id_digits(id).ok_or_else(|| refuse(plan_id_problem(id)))?;
    match saved_plans::search(workspace, digits) {
        Ok(PlanSearchResult::One(kept)) => {
            let mut request =
                to_request(defaults, &kept).ok_or_else(|| refuse(damaged_problem()))?;
            // The approval refuses every change except the one that was checked.
            request.commit.approve = Some(format!("{PLAN_ID_PREFIX}{}", kept.name));
            Ok(request)
        }
        Ok(PlanSearchResult::None) => Err(refuse(not_saved_problem(id))),
        Ok(PlanSearchResult::Several(names)) => Err(refuse(ambiguous_problem(id, &names))),
        Err(failure) => Err(failure_outcome("apply", &failure)),
    }
}

/// Returns the hex digits of a whole or an abbreviated `plan_id`.
fn plan_id_digits(id: &str) -> Option<&str> {
    match id.strip_prefix(PLAN_ID_PREFIX) {
        Some(digits) => is_plan_id(id).then_some(digits),
        None => ((MIN_DIGITS..=64).contains(&id.len()) && is_hex(id)).then_some(id),
    }
}

pub(super) fn plan_id_problem(id: &str) -> Problem {
    let help = format!(
        "use a full plan_id (`{PLAN_ID_PREFIX}` and 64 hex digits), or at least {MIN_DIGITS} hex digits of a saved plan"
    );
    Problem {
        help: Some(help),
        ..Problem::new(&code::USAGE, format!("`{id}` is not a plan_id"))
    }
}

fn not_saved_problem(id: &str) -> Problem {
    let help = Some(
        "run `wpatch check --save` to save it again; a saved plan is removed when it is applied or expires"
            .to_owned(),
    );
    Problem {
        help,
        ..Problem::new(&code::NOT_SAVED, format!("no saved plan matches {id}"))
    }
}

fn damaged_problem() -> Problem {
    let help = Some("run `wpatch check --save` again".to_owned());
    Problem {
        help,
        ..Problem::new(&code::STATE, "the saved plan is incomplete")
    }
}

fn ambiguous_problem(id: &str, names: &[String]) -> Problem {
    let help = Some("use more digits of the plan_id".to_owned());
    Problem {
        help,
        ..Problem::new(
            &code::USAGE,
            history::ambiguous_message(id, names.iter().map(String::as_str)),
        )
    }
}

/// Removes the saved plan after it was applied.
pub(super) fn remove_applied_plan(task: &CommandRun<'_>, done: &Committed) {
    if let Some(name) = task
        .approve()
        .and_then(|approve| approve.strip_prefix(PLAN_ID_PREFIX))
        .filter(|_| !done.is_refused())
    {
        saved_plans::forget(task.workspace, name);
    }
}

/// Saves `plan` with the patches `texts`. A report without `plan_id` has no plan to save.
fn save_plan(task: &CommandRun<'_>, mut plan: SavedPlan, texts: &[u8], done: &mut Committed) {
    let report = done.report(&task.command);
    let Some(name) = report
        .plan_id
        .as_deref()
        .and_then(|id| id.strip_prefix(PLAN_ID_PREFIX))
    else {
        return;
    };
    let files = report.files.iter();
    plan.files = files
        .map(|file| (file.op.to_string(), report::path_text(&file.path)))
        .collect();
    let files = report.files.iter();
    plan.hunks = files
        .map(|file| (file.id.clone(), file.hunks.len()))
        .collect();
    let Ok(mut bytes) = serde_json::to_vec(&plan) else {
        return;
    };
    bytes.push(b'\n');
    bytes.extend_from_slice(texts);
    if bytes.len() as u64 > MAX_PLAN {
        let facts = ProblemFacts {
            limit: Some(MAX_PLAN),
            size: Some(bytes.len() as u64),
            ..ProblemFacts::default()
        };
        let message = format!("the patch is too large to save: it exceeds {MAX_PLAN} bytes");
        done.problems().push(Problem {
            facts,
            ..Problem::new(&code::TOO_LARGE, message)
        });
        return;
    }
    let (workspace, options) = (task.workspace, task.request.transaction_options());
    match saved_plans::save(
        workspace,
        options,
        task.interrupt(),
        &StoredPlan {
            name: name.to_owned(),
            bytes,
        },
    ) {
        Ok(Some(saved)) => {
            add_save_result(saved, done);
            let now = u64::try_from(workspace.now().seconds).unwrap_or_default();
            done.result.saved_until = Some(now.saturating_add(options.history.age.as_secs()));
        }
        Ok(None) => done.problems().push(no_state_directory_problem("the plan")),
        Err(failure) => done.add_failure(&failure, None),
    }
}

/// Adds the changes that were recovered before the save, and a warning if older plans could not be
/// removed.
pub(super) fn add_save_result(saved: SaveResult, done: &mut Committed) {
    done.note_recovered(saved.recovered);
    let warning = |failure| {
        sweep_warning(&format!(
            "some old saved plans could not be removed: {failure}"
        ))
    };
    done.problems().extend(saved.warning.map(warning));
}

/// Returns the plan that `id` names. A plan that is not saved has only its name.
pub(super) fn find_plan(
    id: &str,
    workspace: &dyn Workspace,
    done: &mut Committed,
) -> Option<StoredPlan> {
    let Some(digits) = plan_id_digits(id) else {
        done.problems().push(plan_id_problem(id));
        return None;
    };
    match saved_plans::search(workspace, digits) {
        Ok(PlanSearchResult::One(kept)) => return Some(kept),
        // A plan that is not saved or has a damaged record can be rejected, too.
        _ if digits.len() == 64 => {
            return Some(StoredPlan {
                name: digits.to_owned(),
                bytes: Vec::new(),
            });
        }
        Ok(PlanSearchResult::None) => done.problems().push(not_saved_problem(id)),
        Ok(PlanSearchResult::Several(names)) => done.problems().push(ambiguous_problem(id, &names)),
        Err(failure) => done.add_failure(&failure, None),
    }
    None
}
