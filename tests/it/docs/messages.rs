//! The messages of the fixtures and the texts in the code: standard terms, and a next step.
#![cfg(unix)]

use std::sync::LazyLock;

use regex::Regex;
use wpatch::engine;
use wpatch::preflight::Severity;
use wpatch::report::Report;

use super::words::PHRASES;
use crate::case::{Case, each};
use crate::run;
use crate::tidy::sources;

/// Phrases that are in no message, in addition to [`PHRASES`]. The second part is the replacement.
const MORE_PHRASES: &[(&str, &str)] = &[
    (r"(?i)\bis said\b|\bsays\b|\bhears of\b", "states, reports"),
    (
        r"(?i)\bstands?\b|\blies\b|\bsits\b",
        "is, exists, is present",
    ),
    (
        r"(?i)\bcomes? to\b|\bgoes (with|by)\b",
        "results in, is removed",
    ),
    (
        r"(?i)\bmakes? good\b|\bputs? (right|back|everything)\b",
        "fixes, restores",
    ),
    (r"(?i)\bin front of\b|\bbehind\b", "before, after"),
    (r"(?i)\bbeside\b", "next to"),
    (
        r"(?i)\bwho has\b|\bwhat (is there|it holds|was read)\b",
        "the caller, the existing file",
    ),
    (r"(?i)\bas it (is|was)\b", "unchanged"),
    (r"(?i)\b(has|have) to\b", "must"),
    (r"(?i)\bmeanwhile\b", "while ..."),
    (r"(?i)\bis no [a-km-z]", "is not a"),
    (r"(?i)\bthere is no\b", "unknown, missing"),
    (r"(?i)\bexists? already\b", "already exists"),
    (r"(?i)\bfits\b", "matches"),
    (r"(?i)\bchunks?\b", "hunk"),
    (r"(?i)\b(is|are) left out\b|\bleaves? out\b", "skip"),
    (r"(?i)\bsent? back\b|\bre-read\b", "rejected, read again"),
];

/// Texts that quote another program.
const QUOTED: &[&str] = &[
    // The markers of omitted code that models write.
    "src/repair/elision.rs",
    // Messages of git and of GNU patch.
    "src/cli/git/",
    "src/cli/gnu/",
    "src/syntax/not_included/",
];

/// Adds each forbidden phrase in `text` to `wrong`.
fn refuse(place: &str, text: &str, wrong: &mut Vec<String>) {
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let compiled = |(pattern, replacement): &(&str, &'static str)| {
            (Regex::new(pattern).unwrap(), *replacement)
        };
        PHRASES.iter().chain(MORE_PHRASES).map(compiled).collect()
    });
    for (pattern, replacement) in PATTERNS.iter() {
        if pattern.is_match(text) {
            wrong.push(format!("{place}: {text}  ({replacement})"));
        }
    }
}

/// Checks that the decisive problem has a next step, and that no text has a forbidden phrase.
fn judge(report: &Report) -> Result<(), String> {
    let mut wrong = Vec::new();
    for problem in &report.problems {
        for text in [Some(&problem.message), problem.help.as_ref()]
            .into_iter()
            .flatten()
        {
            refuse(problem.code, text, &mut wrong);
        }
    }
    if let Some(error) = &report.error {
        match &error.help {
            None => wrong.push(format!("{}: no next step: {}", error.code, error.message)),
            Some(help) if help.ends_with('.') || help.contains(". ") => {
                wrong.push(format!("{}: more than one sentence: {help}", error.code));
            }
            Some(_) => {}
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

#[test]
fn messages_of_the_fixtures_use_standard_terms_and_name_a_next_step() {
    each(&Case::all(), |case| {
        let memory = run::memory(&case.before);
        let request = || run::request(&case.patch, &case.settings);
        judge(&engine::check(request(), &memory).report)?;
        let report = engine::check(request(), &memory).report.for_model();
        judge(&report)?;
        let has_options = |text: &String| text.contains(" --") || text.contains("`wpatch ");
        let errors = report
            .problems
            .iter()
            .filter(|problem| problem.severity != Severity::Warning);
        match errors
            .filter_map(|problem| problem.help.as_ref())
            .find(|help| has_options(help))
        {
            Some(help) => Err(format!("an option in a text for a model: {help}")),
            None => Ok(()),
        }
    });
}

#[test]
fn texts_in_the_code_use_standard_terms() {
    let literal = Regex::new(r#""((?:[^"\\\n]|\\.|\\\n)*)""#).unwrap();
    let test_code = Regex::new(r"(^|/)(tests?|testing)(/|\.rs)").unwrap();
    let mut wrong = Vec::new();
    for source in sources(&["src"]) {
        let is_quoted = QUOTED.iter().any(|start| source.path.starts_with(start));
        if is_quoted || test_code.is_match(&source.path) {
            continue;
        }
        let text = source.text.split("#[cfg(test)]\nmod tests {").next();
        let code: Vec<_> = text
            .into_iter()
            .flat_map(str::lines)
            .filter(|line| {
                let line = line.trim_start();
                !line.starts_with("//") && !line.contains("reason = ") && !line.contains("BUG: ")
            })
            .collect();
        for found in literal.captures_iter(&code.join("\n")) {
            if found[1].contains(' ') {
                refuse(&source.path, &found[1], &mut wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
