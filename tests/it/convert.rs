//! `convert`: a patch in another format has the same effect.

use std::collections::BTreeMap;

use serde_json::Value;
use wpatch::engine::options::{SYNTAXES, find_syntax};
use wpatch::engine::{self, Request};
use wpatch::workspace::memory::Memory;

use crate::case::{Case, each};
use crate::run;

/// Fewest conversions of the fixtures that succeed, for each format.
const LEAST: [(&str, usize); 8] = [
    ("blocks", 1),
    ("codex", 1),
    ("context", 1),
    ("git", 1),
    ("hashline", 1),
    ("json", 1),
    ("normal", 1),
    ("unified", 1),
];

/// Returns the `plan_id` of a patch, if it applies.
fn plan_id(request: Request, tree: &Memory) -> Option<String> {
    let mut request = request;
    request.look.describe = true;
    let report = engine::check(request, tree).report;
    report.plan_id.filter(|_| report.ok)
}

/// Returns the patch in the format `format`, or the reason why it cannot be written so.
fn convert(request: Request, format: &str, tree: &Memory) -> Result<Vec<u8>, Value> {
    engine::convert(request, format, tree)
        .map_err(|outcome| serde_json::to_value(&outcome.report).unwrap())
}

/// Returns a request for a patch in the format `format` with the default options.
fn in_format(patch: &[u8], format: &str) -> Request {
    let mut request = Request::of(patch);
    request.decide.format = format.to_owned();
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
    if plan_id(in_format(&text, format), &tree) != Some(expected.clone()) {
        return Err(format!("{format}: another plan\n{}", shown()));
    }
    match convert(in_format(&text, format), own, &tree) {
        Ok(back) if plan_id(in_format(&back, own), &tree) == Some(expected) => Ok(None),
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
    for (format, least) in LEAST {
        assert!(
            counts.get(format).is_some_and(|count| *count >= least),
            "{counts:#?}"
        );
    }
    eprintln!("{counts:#?}");
}
