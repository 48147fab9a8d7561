//! Plans that are kept, carried out and refused.

mod faults;
mod further;
mod options;

use std::path::{Path, PathBuf};

use fs_err as fs;
use serde_json::{Value, json};

use crate::systems::Desk;
use crate::world;

const PATCH: &str = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-three\n+3\n";

/// Returns a root with a place for plans.
fn desk() -> Desk {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("b", b"three\n")]);
    desk.does(&["init"], b"");
    desk
}

/// Keeps a plan and returns its name.
fn saved(desk: &Desk, arguments: &[&str]) -> String {
    let report = desk.does(
        &[&["check", "--save"], arguments].concat(),
        PATCH.as_bytes(),
    );
    assert_eq!(
        (&report["saved"]["id"], &report["changed"]),
        (&report["plan_id"], &json!(false))
    );
    report["saved"]["id"].as_str().unwrap().to_owned()
}

/// Returns where the plans are that are kept.
fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn kept(desk: &Desk) -> Vec<PathBuf> {
    let state = fs::read_dir(desk.path(".wpatch"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut plans: Vec<_> = state
        .filter(|path| name_of(path).starts_with("plan-"))
        .collect();
    plans.sort();
    plans
}

#[test]
fn a_saved_plan_is_carried_out_once_by_the_beginning_of_its_name() {
    let desk = desk();
    let id = saved(&desk, &["--only", "f2h1"]);
    assert_eq!(saved(&desk, &["--only", "2"]), id);
    assert_eq!(
        kept(&desk).len(),
        1,
        "of plans with one name the last stays"
    );
    let whole = saved(&desk, &[]);
    assert_ne!(whole, id);
    let short = &id["sha256:".len()..][..8];
    desk.does(&["apply", "--plan", short, "--check"], b"");
    let report = desk.does(&["apply", "--plan", short], b"");
    assert_eq!(
        (&report["plan_id"], &report["left_out"][0]["id"]),
        (&json!(id), &json!("f1"))
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\ntwo\n".to_vec(), b"3\n".to_vec())
    );
    desk.refuses("missing", &["apply", "--plan", short], b"");
    // The tree is another one now, and the hunk for `b` does not fit.
    desk.refuses("stale", &["apply", "--plan", &whole], b"");
    desk.does(&["undo"], b"");
    desk.does(&["apply", "--plan", &whole], b"");
    assert_eq!(
        (desk.bytes("a"), kept(&desk)),
        (b"1\ntwo\n".to_vec(), Vec::<PathBuf>::new())
    );
}

#[test]
fn a_tree_that_moved_makes_a_saved_plan_stale() {
    let desk = desk();
    let id = saved(&desk, &[]);
    fs::write(desk.path("a"), "one\ntwo\nmore\n").unwrap();
    desk.refuses("stale", &["apply", "--plan", &id], b"");
    let told = desk.says(&["apply", "--plan", &id], b"");
    assert_eq!(told["problems"].as_array().unwrap().len(), 1, "{told:#}");
    fs::write(desk.path("a"), "else\n").unwrap();
    desk.refuses("stale", &["apply", "--plan", &id], b"");
    fs::remove_file(desk.path("a")).unwrap();
    desk.refuses("stale", &["apply", "--plan", &id], b"");
    fs::write(desk.path("a"), "one\ntwo\n").unwrap();
    desk.does(&["apply", "--plan", &id], b"");
}

#[test]
fn a_root_without_a_place_keeps_no_plan() {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("b", b"three\n")]);
    let error = desk.refuses("unsupported", &["check", "--save"], PATCH.as_bytes());
    assert!(
        error["help"].as_str().unwrap().contains("wpatch init"),
        "{error:#}"
    );
    desk.refuses(
        "unsupported",
        &["reject", &format!("sha256:{}", "0".repeat(64))],
        b"",
    );
    let refused = PATCH.replace("-one", "-none");
    let with_place = self::desk();
    with_place.refuses("not_found", &["check", "--save"], refused.as_bytes());
    assert!(
        kept(&with_place).is_empty(),
        "what cannot be done is not kept"
    );
}

#[cfg(unix)]
#[test]
fn a_saved_plan_that_was_tampered_with_is_refused() {
    type Damage = fn(&PathBuf);
    let damages: [(&str, Damage); 7] = [
        ("io", |plan| fs::write(plan, "").unwrap()),
        ("io", |plan| {
            fs::write(plan, &fs::read(plan).unwrap()[..200]).unwrap();
        }),
        ("io", |plan| {
            let text = fs::read_to_string(plan).unwrap();
            fs::write(plan, text.replace("+1\n", "+9\n")).unwrap();
        }),
        ("io", |plan| {
            world::set_mode(plan, 0o666);
        }),
        ("io", |plan| {
            let away = plan.with_file_name("away");
            fs::rename(plan, &away).unwrap();
            world::link(&away, plan).unwrap();
        }),
        ("io", |plan| {
            fs::remove_file(plan).unwrap();
            fs::create_dir(plan).unwrap();
        }),
        ("io", |plan| {
            fs::OpenOptions::new()
                .write(true)
                .open(plan)
                .unwrap()
                .set_len(1 << 40)
                .unwrap();
        }),
    ];
    for (index, (kind, damage)) in damages.iter().enumerate() {
        let desk = desk();
        let id = saved(&desk, &[]);
        damage(&kept(&desk)[0].join("plan"));
        let document = desk.says(&["apply", "--plan", &id], b"");
        assert_eq!(
            (&document["error"]["kind"], &document["changed"]),
            (&json!(kind), &json!(false)),
            "{index}"
        );
        assert_eq!(desk.bytes("a"), b"one\ntwo\n");
        // It can still be made away with.
        desk.does(&["reject", &id], b"");
    }
}

/// Whoever can write to the state directory can make a plan that is whole; it is only done if it is
/// the one that was approved.
#[test]
fn a_plan_under_the_name_of_another_one_is_stale() {
    let desk = desk();
    let (some, whole) = (saved(&desk, &["--only", "1"]), saved(&desk, &[]));
    let plans = kept(&desk);
    let digits = |id: &str| id["sha256:".len()..].to_owned();
    let of = |id: &str| {
        plans
            .iter()
            .find(|path| path.to_str().unwrap().ends_with(&digits(id)))
            .unwrap()
            .join("plan")
    };
    let forged = fs::read_to_string(of(&whole))
        .unwrap()
        .replace(&digits(&whole), &digits(&some));
    fs::write(of(&some), forged).unwrap();
    desk.refuses("stale", &["apply", "--plan", &some], b"");
}

#[test]
fn plans_go_with_the_limits_of_the_history() {
    let desk = desk();
    let id = saved(&desk, &[]);
    desk.does(&["gc"], b"");
    assert_eq!(kept(&desk).len(), 1);
    let name = kept(&desk)[0].clone();
    let (_, rest) = name
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .split_at("plan-".len() + 10);
    let aged = name.with_file_name(format!("plan-0000000001{rest}"));
    fs::rename(&kept(&desk)[0], &aged).unwrap();
    desk.does(&["gc"], b"");
    assert!(kept(&desk).is_empty());
    desk.refuses("missing", &["apply", "--plan", &id], b"");
    saved(&desk, &[]);
    desk.does(&["gc", "--all"], b"");
    assert!(kept(&desk).is_empty());
}

/// The reason of a rejection, with a control character.
const REASON: &str = "no\u{1b}[31mred\nsecond";

/// Returns a root with a rejected plan, and the plan's name.
fn rejected() -> (Desk, String) {
    let desk = desk();
    let id = saved(&desk, &[]);
    let report = desk.does(&["reject", short(&id), "--reason", REASON], b"");
    assert_eq!(
        (&report["plan_id"], &report["outcome"]),
        (&json!(id), &json!("rejected"))
    );
    (desk, id)
}

/// Returns the beginning of a plan's name.
fn short(id: &str) -> &str {
    &id["sha256:".len()..][..12]
}

#[test]
fn a_plan_that_was_rejected_is_approved_by_nobody_until_that_is_withdrawn() {
    let (desk, id) = rejected();
    let short = short(&id);
    assert!(kept(&desk).is_empty());
    desk.refuses("missing", &["apply", "--plan", short], b"");
    let error = desk.refuses(
        "approval_required",
        &["apply", "--approve", &id],
        PATCH.as_bytes(),
    );
    assert_eq!(error["message"], format!("the plan was rejected: {REASON}"));
    saved(&desk, &[]);
    desk.refuses("approval_required", &["apply", "--plan", short], b"");
    assert_eq!(
        desk.runs(&["apply", "--plan", short], b"").status.code(),
        Some(3)
    );
    desk.refuses(
        "usage",
        &["reject", &id, "--reason", &"x".repeat(4097)],
        b"",
    );
    desk.refuses("usage", &["reject", "nonsense"], b"");
    desk.refuses("missing", &["reject", "00000000"], b"");
    desk.does(&["reject", "--withdraw", &id], b"");
    desk.refuses("nothing_to_undo", &["reject", "--withdraw", &id], b"");
    desk.does(&["apply", "--plan", short], b"");
    assert_eq!(desk.bytes("b"), b"3\n");
}

#[test]
fn a_rejected_plan_is_listed_with_its_reason_and_cannot_be_undone() {
    let (desk, id) = rejected();
    let log = desk.does(&["log"], b"");
    let entry = &log["entries"][0];
    assert_eq!(
        json!([entry["state"], entry["plan_id"], entry["reason"]]),
        json!(["rejected", id, REASON])
    );
    let files: Value = entry["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["op"], it["path"]]))
        .collect();
    assert_eq!(files, json!([["modify", "a"], ["modify", "b"]]));
    let shown = desk.runs(&["show", entry["id"].as_str().unwrap()], b"");
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(
        text.contains("because: no\\x1b[31mred\n  because: second\n") && !text.contains('\u{1b}'),
        "{text}"
    );
    desk.refuses("nothing_to_undo", &["undo"], b"");
    desk.refuses(
        "nothing_to_undo",
        &["undo", entry["id"].as_str().unwrap()],
        b"",
    );
}

#[test]
fn a_plan_is_kept_where_the_attic_is_and_comes_down_from_it() {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("b", b"three\n")]);
    let attic = desk.root().parent().unwrap().join("attic");
    let run = |arguments: &[&str], input: &[u8]| {
        let mut command = world::wpatch();
        command
            .current_dir(desk.root())
            .env("XDG_STATE_HOME", &attic)
            .args(arguments)
            .arg("--json");
        let output = crate::systems::fed(&mut command, input);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let report = run(&["check", "--save"], PATCH.as_bytes());
    let id = report["saved"]["id"].as_str().unwrap().to_owned();
    assert!(!desk.path(".wpatch").exists());
    assert_eq!(run(&["init"], b"")["ok"], true);
    assert_eq!(kept(&desk).len(), 1);
    assert_eq!(run(&["apply", "--plan", &id], b"")["ok"], true);
    assert_eq!(desk.bytes("b"), b"3\n");
}
