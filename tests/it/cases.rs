//! Every case of `fixtures/`, through the engine in memory and through the binary on a disk.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use wpatch::preflight::CODES;
use wpatch::syntax::SYNTAXES;

use crate::case::{Case, Place, each, same};
use crate::tree::{self, Tree};
use crate::{run, tree::Traces};

/// The codes that no patch can raise: those of the command line, of the disk and of other
/// processes.
const NOT_FROM_A_PATCH: &[&str] = &[
    // In `convert.rs`.
    "wpatch::convert::inexpressible",
    // In `refresh.rs`.
    "wpatch::refresh::already_applied",
    "wpatch::refresh::not_rewritable",
    "wpatch::usage",
    // In `whitespace.rs`.
    "wpatch::git::config",
    "wpatch::git::conversion",
    // In `conversions/filters.rs`: a filter needs a repository.
    "wpatch::git::filter",
    "wpatch::git::filter_failed",
    // In `world/folding.rs`: it needs a file system that folds names.
    "wpatch::path::folded",
    // In `words.rs`.
    "wpatch::file::other_mode",
    "wpatch::plan::not_approved",
    // Those of the commands of the user are in `verify.rs`.
    "wpatch::command::before",
    // Those of `run` are in `sandbox.rs`.
    "wpatch::command::run",
    "wpatch::command::not_applied",
    "wpatch::command::no_overlay",
    "wpatch::command::verify",
    "wpatch::command::after",
    "wpatch::command::altered",
    "wpatch::plan::rejected",
    "wpatch::plan::not_saved",
    "wpatch::session::missing",
    "wpatch::plan::no_place",
    "wpatch::policy::approval_required",
    "wpatch::io",
    "wpatch::io::locked",
    "wpatch::io::state",
    "wpatch::io::interrupted",
    "wpatch::io::revision",
    "wpatch::io::incomplete",
    "wpatch::io::half_made",
    "wpatch::io::not_swept",
    "wpatch::undo::conflict",
    "wpatch::undo::nothing",
    "wpatch::history::pruned",
    "wpatch::file::encoding",
    // Of git's index; it is in `index.rs`.
    "wpatch::file::not_as_indexed",
    "wpatch::git::no_blob",
    "wpatch::git::sparse_index",
    // In `reject.rs`.
    "wpatch::git::index_kept",
    // Of three-way merges; it is in `three_way.rs`.
    "wpatch::merge::conflict",
    "wpatch::notebook::malformed",
    "wpatch::notebook::version",
    "wpatch::notebook::cell_not_found",
    "wpatch::notebook::cell_ambiguous",
    "wpatch::notebook::cell_exists",
    "wpatch::notebook::no_ids",
    // Raised by a forgiving reader alone; its cases are in `hashline.rs`.
    "wpatch::lines::mended",
    // Of a file of megabytes; it is in `guards.rs`.
    "wpatch::guard::not_parsed",
    "wpatch::guard::too_large",
    // Of language servers; they are in `diagnostics.rs`.
    "wpatch::diagnostics::new_errors",
    "wpatch::diagnostics::no_answer",
    "wpatch::diagnostics::not_asked",
];

/// What `check` and `apply` say alike of every case.
const AGREED: &[&str] = &[
    "ok",
    "exit_code",
    "plan_id",
    "policy",
    "summary",
    "files",
    "problems",
    "error",
];

/// Fewest cases that they are held to.
const LEAST: usize = 475;

#[test]
fn every_case_ends_as_it_says_in_memory() {
    each(&Case::all(), |case| {
        let memory = run::memory(&case.before);
        let print = memory.fingerprint();
        let checked = run::check(&memory, &case.patch, &case.settings);
        same("check leaves a trace", &memory.fingerprint(), &print)?;
        let applied = run::apply(&memory, &case.patch, &case.settings);
        judge(case, &checked, &applied, &run::tree(&memory))
    });
}

#[test]
fn a_brief_report_says_all_but_the_files() {
    let brief = AtomicUsize::new(0);
    each(&Case::all(), |case| {
        let [long, short] = [false, true].map(|is_brief| {
            let mut request = run::request(&case.patch, &case.settings);
            (request.look.is_brief, request.look.describe) = (is_brief, false);
            run::applied(&run::memory(&case.before), request)
        });
        for key in AGREED.iter().filter(|key| **key != "files") {
            same(key, &short[key], &long[key])?;
        }
        if short["files"] == long["files"] {
            return Ok(());
        }
        brief.fetch_add(1, Ordering::Relaxed);
        same("files", &short["files"], &Value::Array(Vec::new()))?;
        same(
            "what is said",
            &short["problems"],
            &Value::Array(Vec::new()),
        )?;
        let said: Vec<_> = long["files"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|file| &file["status"])
            .collect();
        same(
            "what is left out",
            &said
                .iter()
                .all(|status| matches!(status.as_str(), Some("ok" | "no_change"))),
            &true,
        )
    });
    if std::env::var_os("CASE").is_none() {
        assert!(brief.into_inner() > LEAST / 4);
    }
}

#[test]
fn every_case_ends_as_it_says_on_disk() {
    let mut cases = Case::all();
    cases.retain(Case::has_names_of_the_disk);
    each(&cases, |case| {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("tree");
        tree::write(&case.before, &root);
        let before: Traces = tree::traces(&root);
        let checked = run::binary("check", &root, &case.patch, &case.settings);
        same("check leaves a trace", &tree::traces(&root), &before)?;
        let applied = run::binary("apply", &root, &case.patch, &case.settings);
        judge(case, &checked, &applied, &tree::read(&root))
    });
}

#[test]
fn every_grammar_has_cases_that_apply_and_cases_that_do_not() {
    if std::env::var_os("CASE").is_some() {
        return;
    }
    for syntax in SYNTAXES {
        let cases = Case::of(syntax.name());
        let applied = cases.iter().filter(|case| case.after.is_some()).count();
        assert!(
            0 < applied && applied < cases.len(),
            "{}: {applied} of {}",
            syntax.name(),
            cases.len()
        );
    }
    assert!(Case::all().len() >= LEAST, "{}", Case::all().len());
}

#[cfg(unix)]
#[test]
fn every_code_has_a_case() {
    let cases = Case::of("problems");
    let with_a_case: BTreeSet<_> = cases.iter().filter_map(|case| code(case)).collect();
    let codes: BTreeSet<_> = CODES
        .iter()
        .map(|code| code.name)
        .filter(|name| !NOT_FROM_A_PATCH.contains(name))
        .filter(|name| cfg!(feature = "code-guard") || !name.starts_with("wpatch::symbol::"))
        .collect();
    if std::env::var_os("CASE").is_none() {
        assert_eq!(with_a_case, codes);
    }
}

#[test]
fn a_case_of_a_problem_is_called_by_its_code() {
    each(&Case::of("problems"), |case| {
        let name = code(case)
            .and_then(|code| code.strip_prefix("wpatch::"))
            .unwrap_or_default();
        same(
            "name",
            &case.name,
            &format!("problems/{}", name.replace("::", "-")),
        )
    });
}

fn code(case: &Case) -> Option<&str> {
    case.settings
        .code
        .as_deref()
        .or(case.settings.warning.as_deref())
}

/// Compares the tree with the case, and both reports with each other and with the case.
fn judge(case: &Case, checked: &Value, applied: &Value, tree: &Tree) -> Result<(), String> {
    same("tree", tree, case.after.as_ref().unwrap_or(&case.before))?;
    for key in AGREED {
        // A command that is suggested repeats the one that was given.
        let applied = applied[key]
            .to_string()
            .replace("/wpatch apply ", "/wpatch check ")
            .replace("/wpatch.exe apply ", "/wpatch.exe check ");
        same(
            &format!("check and apply disagree on {key}"),
            &checked[key].to_string(),
            &applied,
        )?;
    }
    same(
        "plan_id",
        &applied["plan_id"].is_string(),
        &case.after.is_some(),
    )?;
    same("ok", &applied["ok"], &Value::Bool(case.after.is_some()))?;
    same(
        "changed",
        &applied["changed"],
        &Value::Bool(
            case.after
                .as_ref()
                .is_some_and(|after| *after != case.before),
        ),
    )?;
    same(
        "error.kind",
        &applied["error"]["kind"].as_str(),
        &case.settings.error.as_deref(),
    )?;
    same(
        "error.code",
        &applied["error"]["code"].as_str(),
        &case.settings.code.as_deref(),
    )?;
    same(
        "warning",
        &warning(applied),
        &case.settings.warning.as_deref(),
    )?;
    match case.settings.place {
        Some(place) => same(
            "place",
            &found(&applied["problems"][0]["span"]),
            &Some(place),
        ),
        None => Ok(()),
    }
}

fn warning(report: &Value) -> Option<&str> {
    let problems = report["problems"].as_array()?;
    problems
        .iter()
        .find(|problem| problem["severity"] == "warning")?["code"]
        .as_str()
}

fn found(span: &Value) -> Option<Place> {
    let number = |key: &str| span[key].as_u64();
    Some(Place {
        line: number("line")?,
        column: number("column")?,
        byte: number("byte")?,
    })
}
