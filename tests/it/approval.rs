//! Plans that are kept, carried out and refused.

mod further;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::engine::options::Limits;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::transaction::{Durability, Interrupt, Options};
use wpatch::workspace::memory::{Entry, FaultKind, Injection, Memory, Survivors};

use crate::systems::Desk;

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
fn kept(desk: &Desk) -> Vec<PathBuf> {
    let state = fs::read_dir(desk.path(".wpatch"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut plans: Vec<_> = state
        .filter(|path| path.to_str().unwrap().contains("/plan-"))
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
fn a_saved_plan_has_the_options_that_it_was_checked_with() {
    let desk = Desk::with(&[("d/a", b"0\nONE\n  two\none\n  two\n"), (".git/HEAD", b"")]);
    let patch = "--- a\n+++ a\n@@ -9,2 +9,2 @@\n-1\n+one\n   two\n";
    let options = [
        "-p0",
        "--directory",
        "d",
        "-R",
        "--include",
        "d/*",
        "--exclude",
        "[!a]",
        "--max-file",
        "1000",
    ];
    let report = desk.does(
        &[&["check", "--save"], options.as_slice()].concat(),
        patch.as_bytes(),
    );
    desk.does(
        &["apply", "--plan", report["plan_id"].as_str().unwrap()],
        b"",
    );
    assert_eq!(desk.bytes("d/a"), b"0\nONE\n  two\n1\n  two\n");
}

#[test]
fn each_option_without_which_a_patch_does_not_fit_goes_with_its_plan() {
    let change = |name: &str, hunk: &str| format!("--- a/{name}\n+++ b/{name}\n{hunk}");
    let one = change("a", "@@ -1,2 +1,2 @@\n-one\n+1\n two\n");
    let two = one.clone() + &change("b", "@@ -1 +1 @@\n-no\n+yes\n");
    let loose = change("n", "@@ -2,5 +2,5 @@\n other\n 3\n-4\n+four\n 5\n other\n");
    let cases: [(&[&str], String); 12] = [
        (&["-C", "1"], loose.clone()),
        (&["--fuzz", "1"], loose),
        (&["--unidiff-zero"], change("n", "@@ -4,0 +5 @@\n+more\n")),
        (
            &["--ignore-whitespace"],
            change("blanks", "@@ -1 +1 @@\n-a b\n+c\n"),
        ),
        (
            &["--match", "ladder"],
            change("blanks", "@@ -1 +1 @@\n-  a  b\n+c\n"),
        ),
        (&["--recount"], one.replace("-1,2 +1,2", "-1,5 +1,1")),
        (
            &["--lenient"],
            change("n", "@@ -1,3 +1,3 @@\n1\n-2\n+two\n3\n"),
        ),
        (
            &["--overwrite"],
            change("b", "@@ -0,0 +1 @@\n+new\n").replace("a/b", "/dev/null"),
        ),
        (
            &["--idempotent"],
            change("b", "@@ -1 +1 @@\n-zero\n+three\n") + &one,
        ),
        (&["--exclude", "b"], two.clone()),
        (&["--include", "a"], two),
        (&["--format", "unified"], format!("*** Begin Patch\n{one}")),
    ];
    for (options, patch) in cases {
        let desk = desk();
        fs::write(desk.path("n"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n").unwrap();
        fs::write(desk.path("blanks"), "a  b\n").unwrap();
        assert_eq!(
            desk.says(&["check"], patch.as_bytes())["ok"],
            false,
            "{options:?}"
        );
        let report = desk.does(&[&["check", "--save"], options].concat(), patch.as_bytes());
        let done = desk.does(
            &["apply", "--plan", report["plan_id"].as_str().unwrap()],
            b"",
        );
        assert_eq!(
            (&done["plan_id"], &done["changed"]),
            (&report["plan_id"], &json!(true)),
            "{options:?}"
        );
    }
    let desk = desk();
    fs::hard_link(desk.path("a"), desk.path("other")).unwrap();
    let id = saved(&desk, &["--in-place"]);
    desk.does(&["apply", "--plan", &id], b"");
    assert_eq!(
        desk.bytes("other"),
        b"1\ntwo\n",
        "all names of a file change with it"
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
fn nothing_goes_with_a_plan_that_would_change_what_it_means() {
    let desk = desk();
    let id = saved(&desk, &[]);
    for more in [
        &["x.diff"][..],
        &["--only", "1"],
        &["-R"],
        &["-p1"],
        &["--approve", "x"],
        &["--overwrite"],
        &["--in-place"],
    ] {
        desk.refuses("usage", &[&["apply", "--plan", &id], more].concat(), b"");
    }
    for wrong in [
        "",
        "1234567",
        "sha256:12345678",
        "SHA256:x",
        "xyzxyzxyz",
        "12345678X",
    ] {
        desk.refuses("usage", &["apply", "--plan", wrong], b"");
    }
    for wrong in [
        "",
        "12345678",
        &id[..70],
        &id["sha256:".len()..],
        &id.to_uppercase(),
        &format!("{id}0"),
    ] {
        let error = desk.refuses("usage", &["apply", "--approve", wrong], PATCH.as_bytes());
        assert_eq!(
            error["message"], "an approval names a whole plan_id, sha256: and 64 hex digits",
            "{wrong}"
        );
    }
    desk.refuses("missing", &["apply", "--plan", "00000000"], b"");
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
            fs::set_permissions(plan, std::fs::Permissions::from_mode(0o666)).unwrap();
        }),
        ("io", |plan| {
            let away = plan.with_file_name("away");
            fs::rename(plan, &away).unwrap();
            symlink(&away, plan).unwrap();
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

#[test]
fn a_plan_that_was_rejected_is_approved_by_nobody_until_that_is_withdrawn() {
    let desk = desk();
    let id = saved(&desk, &[]);
    let short = &id["sha256:".len()..][..12];
    let report = desk.does(
        &["reject", short, "--reason", "no\u{1b}[31mred\nsecond"],
        b"",
    );
    assert_eq!(
        (&report["plan_id"], &report["outcome"]),
        (&json!(id), &json!("rejected"))
    );
    assert!(kept(&desk).is_empty());
    desk.refuses("missing", &["apply", "--plan", short], b"");
    let error = desk.refuses(
        "approval_required",
        &["apply", "--approve", &id],
        PATCH.as_bytes(),
    );
    assert_eq!(
        error["message"],
        "the plan was rejected: no\u{1b}[31mred\nsecond"
    );
    saved(&desk, &[]);
    desk.refuses("approval_required", &["apply", "--plan", short], b"");
    assert_eq!(
        desk.runs(&["apply", "--plan", short], b"").status.code(),
        Some(3)
    );
    let log = desk.does(&["log"], b"");
    let entry = &log["entries"][0];
    assert_eq!(
        json!([entry["state"], entry["plan_id"], entry["reason"]]),
        json!(["rejected", id, "no\u{1b}[31mred\nsecond"])
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
fn a_plan_is_kept_where_the_attic_is_and_comes_down_from_it() {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("b", b"three\n")]);
    let attic = desk.root().parent().unwrap().join("attic");
    let run = |arguments: &[&str], input: &[u8]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wpatch"));
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

/// Returns a root in memory, with a place for plans.
fn memory() -> Memory {
    let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let memory = Memory::with_files([
        (path("a"), Entry::file("one\ntwo\n")),
        (path("b"), Entry::file("three\n")),
    ]);
    assert!(
        engine::init(&memory, Options::default(), &Interrupt::new())
            .report
            .ok
    );
    memory
}

fn request() -> Request {
    let transaction = Options {
        durability: Durability::Full,
        patience: std::time::Duration::ZERO,
        ..Options::default()
    };
    let mut request = Request::of(PATCH);
    request.commit.transaction = transaction;
    request
}

/// Says whether the plan `id` is there, by carrying it out.
fn is_whole(memory: &Memory, id: &str) -> bool {
    match engine::planned(request(), memory, id) {
        Ok(request) => {
            let outcome = engine::apply(request, memory, &Interrupt::new());
            assert!(outcome.report.changed, "{:?}", outcome.report.error);
            true
        }
        Err(outcome) => {
            assert_eq!(
                outcome.report.error.unwrap().kind,
                wpatch::report::ProblemKind::Missing
            );
            false
        }
    }
}

#[test]
fn a_fault_at_any_verb_leaves_a_plan_whole_or_none() {
    let id = engine::save(request(), &memory(), &Interrupt::new())
        .report
        .saved
        .unwrap()
        .id;
    for kind in FaultKind::ALL {
        let mut faults = 0;
        for verb in 0.. {
            let memory = memory();
            memory.inject(Injection { verb, kind });
            let report = engine::save(request(), &memory, &Interrupt::new()).report;
            if !memory.has_met_fault() {
                break;
            }
            faults += 1;
            let is_killed = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
            for next in [
                memory.restart(),
                memory.after_power_loss_with(Survivors::Dice(verb as u64)),
            ] {
                let recovered = engine::recover(&next, Options::default()).report;
                assert!(recovered.ok, "{kind:?} {verb}: {:?}", recovered.error);
                let names: Vec<_> = next.entries().keys().map(ToString::to_string).collect();
                assert!(
                    !names.iter().any(|name| name.contains("txn-")),
                    "{kind:?} {verb}: {names:?}"
                );
                let is_there = is_whole(&next, &id);
                assert!(
                    is_there || is_killed || report.saved.is_none(),
                    "{kind:?} {verb}"
                );
            }
            if kind == FaultKind::ErrorOnce {
                assert_eq!(
                    is_whole(&memory.restart(), &id),
                    report.saved.is_some(),
                    "{verb}: {:?}",
                    report.problems
                );
            }
        }
        assert!(faults > 10, "{kind:?}: {faults}");
    }
}

#[test]
fn a_plan_that_is_kept_is_told_though_older_ones_stay() {
    let one = Limits {
        entries: 1,
        ..Limits::default()
    };
    let limited = |patch: &str| {
        let mut request = Request {
            what: Request::of(patch).what,
            ..request()
        };
        request.commit.transaction.history = one;
        request
    };
    let mut warned = 0;
    for verb in 0.. {
        let memory = memory();
        let other = limited(&PATCH.replace("+2", "+II"));
        assert!(
            engine::save(other, &memory, &Interrupt::new())
                .report
                .saved
                .is_some()
        );
        let verb = memory.verbs() + verb;
        memory.inject(Injection {
            verb,
            kind: FaultKind::ErrorFromNowOn,
        });
        let report = engine::save(limited(PATCH), &memory, &Interrupt::new()).report;
        if !memory.has_met_fault() {
            break;
        }
        let codes: Vec<_> = report
            .problems
            .iter()
            .map(|problem| (problem.severity, problem.code))
            .collect();
        if let Some(saved) = &report.saved {
            assert_eq!(
                (report.ok, codes),
                (
                    true,
                    vec![(wpatch::report::Severity::Warning, "wpatch::io::not_swept")]
                ),
                "{verb}"
            );
            assert!(is_whole(&memory.restart(), &saved.id), "{verb}");
            warned += 1;
        }
    }
    assert!(warned > 1, "{warned}");
}

#[test]
fn a_fault_at_any_verb_leaves_a_refusal_whole_or_none() {
    let id = format!("sha256:{}", "5".repeat(64));
    let reject = |memory: &Memory| {
        engine::reject(
            &id,
            Some("why"),
            memory,
            (request().commit.transaction, &Interrupt::new()),
        )
    };
    for kind in FaultKind::ALL {
        let mut faults = 0;
        for verb in 0.. {
            let memory = memory();
            memory.inject(Injection { verb, kind });
            let is_told = reject(&memory).report.ok;
            if !memory.has_met_fault() {
                break;
            }
            faults += 1;
            let is_killed = matches!(kind, FaultKind::Killed | FaultKind::KilledAfter);
            for next in [
                memory.restart(),
                memory.after_power_loss_with(Survivors::Dice(verb as u64)),
            ] {
                assert!(
                    engine::recover(&next, Options::default()).report.ok,
                    "{kind:?} {verb}"
                );
                let log = engine::log(&next, &std::sync::Arc::default()).unwrap();
                let reasons: Vec<_> = log
                    .entries
                    .iter()
                    .map(|entry| entry.reason.as_deref())
                    .collect();
                assert!(
                    reasons == [Some("why")] || reasons.is_empty() && (is_killed || !is_told),
                    "{kind:?} {verb}"
                );
            }
        }
        assert!(faults > 10, "{kind:?}: {faults}");
    }
}
