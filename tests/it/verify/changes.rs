//! Files and directories that a verification itself changes.

use super::{desk, sent_back, verify};

#[test]
fn what_a_verification_makes_of_a_file_stays_and_is_named() {
    for (deed, path) in [
        ("echo made > a", "a"),
        ("rm a", "a"),
        ("echo made > new/c", "new/c"),
        ("echo made > d-b; mkdir d; mv d-b d/b", "d/b"),
    ] {
        let kept = desk();
        let report = verify(&kept, deed);
        assert_eq!(
            (&report["ok"], &report["problems"][0]["code"]),
            (&true.into(), &"wpatch::command::altered".into()),
            "{deed}: {report:#}"
        );
        assert_eq!(report["problems"][0]["path"], path, "{deed}");
        let refused = desk();
        let report = verify(&refused, &format!("{deed}; exit 1"));
        assert_eq!(
            report["error"]["code"], "wpatch::io::incomplete",
            "{deed}: {report:#}"
        );
        assert!(
            report["exit_code"] == 5 && report["verify"]["exit_code"] == 1,
            "{deed}: {report:#}"
        );
        assert_eq!(refused.bytes("other"), b"other\n");
    }
}

#[test]
fn no_file_is_looked_for_through_a_link_that_a_verification_puts_in_the_place_of_a_directory() {
    let (kept, refused) = (desk(), desk());
    let deed = "mv new aside; ln -s aside new";
    let report = verify(&kept, deed);
    let told = (
        &report["ok"],
        &report["problems"][0]["code"],
        &report["problems"][0]["path"],
    );
    assert_eq!(
        told,
        (
            &true.into(),
            &"wpatch::command::altered".into(),
            &"new/c".into()
        ),
        "{report:#}"
    );
    let report = verify(&refused, &format!("{deed}; exit 1"));
    assert_eq!(report["exit_code"], 3, "{report:#}");
    assert_eq!(
        (refused.bytes("a"), refused.bytes("aside/c")),
        (b"one\n".to_vec(), b"three\n".to_vec())
    );
}

#[test]
fn what_a_verification_makes_elsewhere_is_its_own() {
    let desk = desk();
    let report = verify(&desk, "echo built > built; exit 1");
    assert_eq!(report["exit_code"], 3, "{report:#}");
    assert_eq!(
        (desk.bytes("built"), desk.bytes("a")),
        (b"built\n".to_vec(), b"one\n".to_vec())
    );
}

#[test]
fn a_verification_can_run_a_command_that_changes_nothing() {
    let program = env!("CARGO_BIN_EXE_wpatch");
    for (command, code) in [
        ("edit other --old 1 --new 2 --dry-run", 0),
        ("undo --dry-run", 0),
        ("redo --dry-run", 1),
        ("edit other --old 1 --new 2", 6),
        ("undo", 6),
    ] {
        let desk = desk();
        desk.does(&["init"], b"");
        desk.does(&["edit", "other", "--old=other", "--new=1"], b"");
        let report = verify(&desk, &format!("{program} {command}; test $? = {code}"));
        assert_eq!(report["ok"], true, "{command}: {report:#}");
        assert_eq!(desk.bytes("other"), b"1\n", "{command}");
    }
}

#[test]
fn no_help_states_that_no_file_was_changed_after_an_incomplete_rollback() {
    let report = verify(&desk(), "echo mine > a; exit 1");
    let problems = report["problems"].as_array().unwrap();
    assert_eq!((report["exit_code"].as_i64(), problems.len()), (Some(5), 2));
    let verify = problems
        .iter()
        .find(|problem| problem["code"] == "wpatch::command::verify")
        .unwrap();
    assert_eq!(
        verify["help"],
        "fix the cause that the command reports and try again"
    );
    let report = super::verify(&desk(), "exit 1");
    assert_eq!(
        report["error"]["help"],
        "fix the cause that the command reports and try again; no file was changed"
    );
}

#[test]
fn a_mode_that_a_verification_sets_goes_with_the_new_file() {
    let before = sent_back("chmod 600 a; exit 1", &[]);
    assert_eq!(before["exit_code"], 1);
}

#[test]
fn a_state_directory_that_is_taken_away_is_told() {
    for end in ["true", "false"] {
        let desk = desk();
        let report = verify(&desk, &format!("rm -rf .wpatch; {end}"));
        assert_eq!(
            (&report["exit_code"], &report["changed"]),
            (&5.into(), &true.into()),
            "{end}: {report:#}"
        );
        assert_eq!(
            (desk.bytes("a"), desk.bytes("new/c")),
            (b"1\n".to_vec(), b"three\n".to_vec()),
            "{end}"
        );
    }
}
