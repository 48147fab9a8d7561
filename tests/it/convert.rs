//! `convert`: a patch in another format has the same effect.

#[cfg(unix)]
mod command;

use std::collections::BTreeMap;

use serde_json::Value;
use wpatch::engine::options::{SYNTAXES, find_syntax};
use wpatch::engine::{self, Request, TreeDiffRequest};
use wpatch::workspace::memory::Memory;

use crate::case::{Case, each};
use crate::run;
use crate::tree_diff::random::RandomTrees;

/// Fewest conversions of the fixtures that succeed, for each format.
const LEAST: [(&str, usize); 8] = [
    ("blocks", 180),
    ("codex", 210),
    ("context", 210),
    ("git", 270),
    ("hashline", 180),
    ("json", 270),
    ("normal", 180),
    ("unified", 210),
];

/// Most refusals of fixtures that state no specific reason.
const MAX_INEXACT: usize = 14;

/// Returns the `plan_id` of a patch, if it applies.
fn plan_id(request: Request, tree: &Memory) -> Option<String> {
    let mut request = request;
    request.look.describe = true;
    let report = engine::check(request, tree).report;
    report.plan_id.filter(|_| report.ok)
}

/// Returns the patch in the format `format`, or the reason why it cannot be written so.
fn convert(request: Request, format: &str, tree: &Memory) -> Result<Vec<u8>, Value> {
    let report = engine::convert(request, format, tree).report;
    assert_eq!(report.ok, report.converted.is_some());
    let refused = serde_json::to_value(&report).unwrap();
    report.converted.map(|patch| patch.text).ok_or(refused)
}

/// Returns a request for a patch in the format `format` with the default options, except that the
/// case can allow to overwrite files.
fn in_format(patch: &[u8], format: &str, case: &Case) -> Request {
    let mut request = Request::of(patch);
    request.decide.overwrite = case.settings.overwrite;
    format.clone_into(&mut request.decide.format);
    request
}

/// Converts the patch to `format` and back to the format `own`. Returns the reason if the format
/// cannot express it.
fn there_and_back(case: &Case, own: &str, format: &str) -> Result<Option<String>, String> {
    let tree = run::memory(&case.before);
    let request = || run::request(&case.patch, &case.settings);
    let Some(expected) = plan_id(request(), &tree) else {
        return Ok(Some("the patch does not apply".to_owned()));
    };
    let text = match convert(request(), format, &tree) {
        Ok(text) => text,
        Err(report) if report["error"]["code"] == "wpatch::convert::inexpressible" => {
            return Ok(report["error"]["message"].as_str().map(str::to_owned));
        }
        Err(report) => return Err(format!("{format}: {:#}", report["error"])),
    };
    let shown = || String::from_utf8_lossy(&text).into_owned();
    if plan_id(in_format(&text, format, case), &tree) != Some(expected.clone()) {
        return Err(format!("{format}: another plan\n{}", shown()));
    }
    match convert(in_format(&text, format, case), own, &tree) {
        Ok(back) if plan_id(in_format(&back, own, case), &tree) == Some(expected) => Ok(None),
        Ok(back) => Err(format!(
            "{format} to {own}: another plan\n{}",
            String::from_utf8_lossy(&back)
        )),
        Err(report) if report["error"]["code"] == "wpatch::convert::inexpressible" => Ok(Some(
            format!("back: {}", report["error"]["message"].as_str().unwrap()),
        )),
        Err(report) => Err(format!(
            "{format} to {own}: {:#}\n{}",
            report["error"],
            shown()
        )),
    }
}

#[test]
fn every_fixture_has_the_same_plan_in_each_format() {
    let cases: Vec<Case> = Case::all()
        .into_iter()
        .filter(|case| case.after.is_some())
        .collect();
    let counts = std::sync::Mutex::new(BTreeMap::<String, usize>::new());
    each(&cases, |case| {
        let tree = run::memory(&case.before);
        let report = run::check(&tree, &case.patch, &case.settings);
        // A patch in several formats has no format of its own.
        let own = report["inputs"][0]["format"].as_str().unwrap_or_default();
        if find_syntax(own).is_none() {
            return Ok(());
        }
        for syntax in SYNTAXES {
            let result = there_and_back(case, own, syntax.name())?;
            let key = match result {
                None => syntax.name().to_owned(),
                Some(reason) => format!("refused: {reason}"),
            };
            *counts.lock().unwrap().entry(key).or_default() += 1;
        }
        Ok(())
    });
    let counts = counts.into_inner().unwrap();
    let inexact = counts
        .iter()
        .filter(|(reason, _)| reason.contains("exactly"));
    let inexact: usize = inexact.map(|(_, count)| count).sum();
    assert!(inexact <= MAX_INEXACT, "{counts:#?}");
    for (format, least) in LEAST {
        assert!(
            counts.get(format).is_some_and(|count| *count >= least),
            "{counts:#?}"
        );
    }
}

#[test]
fn the_diff_of_random_trees_has_the_same_plan_in_each_format() {
    let mut counts = BTreeMap::<&str, usize>::new();
    for seed in 0..400 {
        let RandomTrees { old, new } = RandomTrees::new(seed);
        let patch = crate::tree_diff::diff(&TreeDiffRequest::default(), &old, &new);
        let tree = run::memory(&old);
        let Some(expected) = plan_id(Request::of(patch.clone()), &tree) else {
            assert!(patch.is_empty(), "seed {seed}");
            continue;
        };
        for syntax in SYNTAXES {
            let Ok(text) = convert(Request::of(patch.clone()), syntax.name(), &tree) else {
                continue;
            };
            let mut request = Request::of(text.clone());
            request.decide.format = syntax.name().to_owned();
            let found = plan_id(request, &tree);
            let shown = String::from_utf8_lossy(&text);
            let format = syntax.name();
            assert_eq!(
                found,
                Some(expected.clone()),
                "seed {seed} {format}\n{shown}"
            );
            *counts.entry(format).or_default() += 1;
        }
    }
    let is_tested = |format: &str| counts.get(format).is_some_and(|count| *count > 10);
    assert!(
        SYNTAXES.iter().all(|syntax| is_tested(syntax.name())),
        "{counts:?}"
    );
    assert!(counts["git"] > 370, "{counts:?}");
}
