//! Plans that look like others, refusals of several plans, and what is too old of both.

use std::path::PathBuf;

use fs_err as fs;
use serde_json::{Value, json};

use super::{PATCH, desk, kept, saved};
use crate::systems::Desk;
use crate::world;

#[test]
fn of_several_plans_whose_names_begin_alike_none_is_carried_out() {
    let desk = desk();
    let id = saved(&desk, &[]);
    let plan = kept(&desk)[0].clone();
    let name = plan.to_str().unwrap();
    let other = PathBuf::from(format!("{}{}", &name[..name.len() - 4], "0123"));
    fs::create_dir(&other).unwrap();
    fs::copy(plan.join("plan"), other.join("plan")).unwrap();
    let short = &id["sha256:".len()..][..12];
    for command in [&["apply", "--plan", short][..], &["reject", short]] {
        let error = desk.refuses("usage", command, b"");
        let mut names = [
            &id["sha256:".len()..],
            &format!("{}0123", &id["sha256:".len()..id.len() - 4]),
        ];
        names.sort_unstable();
        assert_eq!(
            error["message"],
            format!("{short} is ambiguous: {}, {}", names[0], names[1])
        );
    }
    desk.does(&["apply", "--plan", &id], b"");
}

#[cfg(unix)]
#[test]
fn a_plan_in_the_place_of_which_a_link_stands_is_refused() {
    let desk = desk();
    let id = saved(&desk, &[]);
    let plan = kept(&desk)[0].clone();
    let away = desk.path("../away");
    fs::rename(&plan, &away).unwrap();
    world::link(&away, &plan).unwrap();
    let report = desk.says(&["apply", "--plan", &id], b"");
    assert_eq!(
        (&report["error"]["kind"], &report["changed"]),
        (&json!("io"), &json!(false)),
        "{report:#}"
    );
    assert_eq!(desk.bytes("a"), b"one\ntwo\n");
}

/// Returns where what was made of the history is, the oldest first.
fn entries(desk: &Desk) -> Vec<PathBuf> {
    let state = fs::read_dir(desk.path(".wpatch"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut entries: Vec<_> = state.filter(|path| path.join("refused").exists()).collect();
    entries.sort();
    entries
}

/// Gives what is kept at `path` a time that is long ago.
fn age(path: &PathBuf) {
    let name = path.file_name().unwrap().to_str().unwrap();
    let time = name
        .find(|character: char| character.is_ascii_digit())
        .unwrap();
    fs::rename(
        path,
        path.with_file_name(format!("{}0000000001{}", &name[..time], &name[time + 10..])),
    )
    .unwrap();
}

#[test]
fn a_refusal_is_of_one_plan_and_stays_until_all_of_it_is_withdrawn() {
    let desk = desk();
    let [first, second, whole] =
        [&["--only", "1"][..], &["--only", "2"], &[]].map(|options| saved(&desk, options));
    for id in [&first, &first, &second] {
        desk.does(&["reject", id], b"");
    }
    let approved = |id: &str, only: &[&str]| {
        let report = desk.says(
            &[&["apply", "--check", "--approve", id], only].concat(),
            PATCH.as_bytes(),
        );
        report["error"]["kind"].as_str().map(str::to_owned)
    };
    let refused = Some("approval_required".to_owned());
    assert_eq!(
        (
            approved(&first, &["--only", "1"]),
            approved(&second, &["--only", "2"])
        ),
        (refused.clone(), refused.clone())
    );
    assert_eq!(approved(&whole, &[]), None, "nobody refused this one");
    desk.does(&["reject", "--withdraw", &first], b"");
    assert_eq!(
        (
            approved(&first, &["--only", "1"]),
            approved(&second, &["--only", "2"])
        ),
        (None, refused)
    );
    // One that cannot be read says nothing of others.
    fs::write(entries(&desk)[0].join("refused"), "damaged").unwrap();
    assert_eq!(approved(&whole, &[]), None);
}

#[test]
fn what_is_too_old_goes_with_the_next_plan_or_refusal() {
    let desk = desk();
    let (old, new) = (saved(&desk, &["--only", "1"]), saved(&desk, &[]));
    let is_old = |path: &&PathBuf| path.to_str().unwrap().ends_with(&old["sha256:".len()..]);
    age(kept(&desk).iter().find(is_old).unwrap());
    assert_eq!(kept(&desk).len(), 2);
    saved(&desk, &[]);
    assert_eq!(kept(&desk).len(), 1);
    desk.does(&["reject", &old], b"");
    age(&entries(&desk)[0]);
    desk.does(&["reject", &new], b"");
    let log = desk.does(&["log"], b"");
    let plans: Vec<_> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["plan_id"])
        .collect();
    assert_eq!(plans, [&json!(new)]);
}

#[test]
fn a_brief_report_has_what_nobody_has_to_look_at_all_contents_for() {
    let patch =
        b"--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+one\n--- a/text\n+++ b/text\n@@ -2,3 +2,3 @@\n c\n-d\n+D\n e\n";
    let desk = Desk::with(&[("text", b"a\nb\nc\nd\ne\nf\n")]);
    let (whole, brief) = (
        desk.does(&["check"], patch),
        desk.does(&["check", "--brief"], patch),
    );
    assert!(whole["plan_id"].is_string() && whole["files"][0]["sha256_after"].is_string());
    assert!(brief["plan_id"].is_null());
    for file in brief["files"].as_array().unwrap() {
        for key in ["sha256_before", "sha256_after", "diff", "before", "after"] {
            assert!(file[key].is_null(), "{key} {file}");
        }
    }
    assert_eq!(brief["summary"], whole["summary"]);
    // Only one file has a hunk that does not stand where it says.
    let hunks =
        |report: &Value| [0, 1].map(|file| report["files"][file]["hunks"].as_array().map(Vec::len));
    assert_eq!(
        (hunks(&whole), hunks(&brief)),
        ([Some(1), Some(1)], [Some(0), Some(1)])
    );
    let id = whole["plan_id"].as_str().unwrap();
    assert_eq!(
        desk.does(&["check", "--brief", "--approve", id], patch)["plan_id"],
        id
    );
    desk.refuses("usage", &["check", "--brief", "--with-diff"], patch);
}

/// Every option of `apply` that can change the plan is one of `check` as well, so that an approval
/// can name any plan.
#[test]
fn a_check_takes_every_option_that_changes_the_plan() {
    const ONLY_APPLY: &[&str] = &[
        "--actor",
        "--after",
        "--apply",
        "--before",
        "--by",
        "--check",
        "--plan",
        "--request-id",
        "--sign-with",
        "--verify",
        "--verify-timeout",
    ];
    let options = |verb: &str| -> std::collections::BTreeSet<String> {
        let output = world::wpatch().args([verb, "--help"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let lines = help
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with('-'));
        let names = lines.flat_map(|line| {
            line.split([' ', ',', '=', '['])
                .filter(|word| word.starts_with("--"))
        });
        names.map(str::to_owned).collect()
    };
    let missing: Vec<_> = options("apply")
        .difference(&options("check"))
        .cloned()
        .collect();
    assert_eq!(missing, ONLY_APPLY);
    let desk = Desk::with(&[("f", b"one\n")]);
    let patch = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n";
    for options in [&["-b"][..], &["-b", "--suffix=.old"], &["-o", "g"], &["-E"]] {
        let checked = desk.does(&[&["check"][..], options].concat(), patch)["plan_id"].clone();
        let plan = checked.as_str().unwrap();
        desk.does(
            &[&["apply", "--check", "--approve", plan][..], options].concat(),
            patch,
        );
    }
}
