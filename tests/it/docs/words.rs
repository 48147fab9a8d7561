//! Words that readers have to translate: none is in the help, in the pages, or the name of a public item.
#![cfg(unix)]

use fs_err as fs;
use regex::Regex;

use super::pages;
use crate::tidy::sources;

/// Phrases that are in no help text and on no page. The second part is the replacement.
pub(super) const PHRASES: &[(&str, &str)] = &[
    (
        r"(?i)\b(whoever|nobody|somebody|whatever)\b",
        "the user, no process",
    ),
    (r"(?i)\bputs? right\b|\bmends?\b", "fixes, restores"),
    (r"(?i)\bis told\b|\bare told\b", "receives, reports"),
    (
        r"(?i)\bas it stands now\b|\bas of old\b",
        "current, previous",
    ),
    (r"(?i)\bclosed path", "protected path"),
    (r"(?i)\bmost like it\b|\bnearest place\b", "closest match"),
    (r"(?i)\btakes? back\b|\bbrings? back\b", "undoes, restores"),
];

/// Names that no public item has. The second part is the replacement.
const NAMES: &[(&str, &str)] = &[
    ("Uncopy", "RemoveCopy"),
    ("Lead", "Preamble"),
    ("Claim", "NameCandidate"),
    ("Quest", "HunkSearch"),
    ("Closeness", "MatchMode"),
    ("Graveness", "Severity"),
    ("Held", "ApprovalGate"),
    ("Shelf", "DiffCache"),
    ("Gallery", "ImagePreviews"),
    ("Moment", "Side"),
    ("Ruling", "PolicyDecision"),
    ("Telling", "RuleMatch"),
    ("Hit", "RuleMatch"),
    ("Fault", "ErrorKind"),
    ("Trouble", "SysError"),
    ("Attempt", "SysResult"),
    ("Like", "AttributeSource"),
    ("Trial", "CommitHook"),
    ("Fate", "EntryStatus"),
    ("Ending", "EntryStatus"),
    ("Standing", "DirAttributes"),
    ("Wish", "Decide"),
    ("Errand", "ShellCommand"),
    ("Patience", "Timeout"),
    ("Habits", "GnuOptions"),
    ("Slot", "ScratchFile"),
    ("Task", "CommandMode"),
    ("Stop", "EarlyExit"),
    ("Way", "PlanSource"),
];

fn refuse(place: &str, text: &str, wrong: &mut Vec<String>) {
    for (pattern, replacement) in PHRASES {
        let pattern = Regex::new(pattern).unwrap();
        for (number, line) in text.lines().enumerate() {
            if pattern.is_match(line) {
                wrong.push(format!("{place}:{}: {line}  ({replacement})", number + 1));
            }
        }
    }
}

#[test]
fn help_and_pages_use_the_terms_of_the_glossary() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        refuse(&page.display().to_string(), &text, &mut wrong);
    }
    let reference = crate::world::wpatch()
        .args(["man", "--markdown"])
        .output()
        .unwrap();
    refuse(
        "help",
        &String::from_utf8(reference.stdout).unwrap(),
        &mut wrong,
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_type_has_a_name_that_the_glossary_replaces() {
    let definition = Regex::new(r"\b(?:struct|enum|trait|type) ([A-Z]\w*)").unwrap();
    let mut wrong = Vec::new();
    for source in sources(&["src"]) {
        for found in definition.captures_iter(&source.text) {
            if let Some((name, replacement)) = NAMES.iter().find(|(name, _)| *name == &found[1]) {
                wrong.push(format!("{}: {name} is {replacement}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
