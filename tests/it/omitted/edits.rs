//! Limits on notes, conflicts and edits.

use wpatch::engine;
use wpatch::matching::ConflictStyle;
use wpatch::report::{MAX_CONFLICTS, MAX_FAILED_HUNKS_PER_FILE, MAX_NOTES};

use super::{ONE_FILE, count, header, hunk, json, memory, omitted, request};

#[test]
fn notes_on_the_inputs_are_limited() {
    let names = (0..MAX_NOTES + 30)
        .map(|file| format!("Only in b: x{file}\n"))
        .collect::<Vec<_>>()
        .concat();
    let (_, report) = json(&engine::check(
        request(&(names + &header("a") + &hunk(0, true))),
        &memory(&["a".into()], 1),
    ));
    assert_eq!(
        (
            count(&report["inputs"][0]["not_included"]),
            omitted(&report, "not_included")
        ),
        (MAX_NOTES, 30)
    );
    assert_eq!(
        (omitted(&report["inputs"][0], "not_included"), &report["ok"]),
        (30, &true.into())
    );
}

#[test]
fn conflicts_are_limited() {
    const COUNT: usize = MAX_CONFLICTS + 40;
    let hunk = |nth: usize| {
        let line = 3 * nth;
        format!(
            "@@ -{},3 +{0},3 @@\n line {line}\n-absent\n+new\n line {}\n",
            line + 1,
            line + 2
        )
    };
    let patch = (0..COUNT).map(hunk).collect::<Vec<_>>().concat();
    let mut request = request(&(header("a") + &patch));
    request.decide.merge_hunks = Some(ConflictStyle::default());
    let (_, report) = json(&engine::check(
        request,
        &memory(&["a".to_owned()], 3 * COUNT),
    ));
    let file = &report["files"][0];
    assert_eq!(
        (
            count(&file["merge"]["conflicts"]),
            omitted(file, "conflicts")
        ),
        (MAX_CONFLICTS, 40)
    );
    assert_eq!(
        (count(&file["hunks"]), omitted(file, "hunks")),
        (MAX_FAILED_HUNKS_PER_FILE, COUNT - MAX_FAILED_HUNKS_PER_FILE)
    );
    assert_eq!(
        (omitted(&report, "conflicts"), &report["outcome"]),
        (40, &"would_be_partial".into())
    );
}

#[test]
fn edits_that_fail_are_limited_like_hunks() {
    let edits = (0..300)
        .map(|nth| serde_json::json!({"path": "a", "old": format!("absent {nth}"), "new": "x"}));
    let patch = serde_json::json!({ "edits": edits.collect::<Vec<_>>() }).to_string();
    let (size, report) = json(&engine::check(
        request(&patch),
        &memory(&["a".to_owned()], 3),
    ));
    assert!(size < ONE_FILE, "{size}");
    let file = &report["files"][0];
    assert_eq!(
        (count(&file["hunks"]), omitted(file, "hunks")),
        (MAX_FAILED_HUNKS_PER_FILE, 200)
    );
    assert_eq!(
        count(&report["problems"]) + omitted(&report, "problems"),
        300
    );
}
