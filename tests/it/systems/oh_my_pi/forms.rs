//! Statements on lenient forms of an envelope, and on older generations.

use super::{APPLY, TEXT, desk, refused, section};

const LENIENT: &[&str] = &["apply", "--format", "hashline", "--lenient"];

#[test]
fn s10_the_lines_of_an_envelope_are_optional() {
    let desk = desk();
    desk.does(
        APPLY,
        b"*** Begin Patch\n[a#2914]\nPUT 2.=2:\n+TWO\n*** End Patch\n",
    );
    assert_eq!(desk.bytes("a"), b"one\nTWO\nthree\nfour\nfive\n");
}

#[test]
fn s10_nothing_behind_an_abort_counts() {
    let desk = desk();
    desk.does(
        APPLY,
        b"[a#2914]\nCUT 1.=1\n*** Abort\n[a#2914]\nCUT 2.=2\nnonsense\n",
    );
    assert_eq!(desk.bytes("a"), &TEXT[4..]);
}

#[test]
fn s12_forgiving_forms_are_taken_with_a_warning() {
    for (operations, after, mends) in [
        ("PUT 2.=3:\nTWO\n  x\n", "one\nTWO\n  x\nfour\nfive\n", 2),
        (
            "PUT 2.=3:\n-two\n-three\n+TWO\n",
            "one\nTWO\nfour\nfive\n",
            2,
        ),
        ("PUT 2.=4:\nPUT >5:\n+six\n", "one\nfive\nsix\n", 1),
        (
            "PUT 2.=2:\n+A\nPUT 2.=2:\n+B\n",
            "one\nB\nthree\nfour\nfive\n",
            1,
        ),
    ] {
        refused("parse", operations);
        let desk = desk();
        let report = desk.does(LENIENT, section(&desk, "a", operations).as_bytes());
        let problems = report["problems"].as_array().unwrap();
        let mended = problems
            .iter()
            .filter(|problem| problem["code"] == "wpatch::lines::mended");
        assert!(
            mended
                .clone()
                .all(|problem| problem["severity"] == "warning"),
            "{report:#}"
        );
        assert_eq!(
            (mended.count(), desk.bytes("a").as_slice()),
            (mends, after.as_bytes()),
            "{operations}"
        );
    }
}

#[test]
fn s12_a_form_with_two_readings_is_not_forgiven() {
    let refused = |kind: &str, operations: &str| {
        let desk = desk();
        desk.refuses(kind, LENIENT, section(&desk, "a", operations).as_bytes());
    };
    // At the end of the text, the rows may have been cut off.
    refused("parse", "PUT 2.=4:\n");
    // An item of a list is no line that goes.
    refused("not_found", "PUT 2.=3:\n+list:\n- one\n- two\n");
    refused("not_found", "PUT 2.=3:\n-five\n+x\n");
    refused("parse", "PUT >2:\n- one\n");
    // Nor is a line with the number of a viewer certainly one without it.
    refused("parse", "PUT 2.=2:\n2:TWO\n");
    refused("unsupported", "PUT 2.=2:\n2#KX:TWO\n");
}

#[test]
fn s15_older_generations_are_refused_by_their_name() {
    for (patch, form) in [
        ("[a#2914]\n2#KX:two\n", "`LINE#HH:text`"),
        ("2#KX:two\n", "`LINE#HH:text`"),
        (
            "*** Begin Patch\n2#KX:two\n*** End Patch\n",
            "`LINE#HH:text`",
        ),
        ("[a#2914]\n2+kx|two\n", "`LINE+HASH|TEXT`"),
        ("2+kx|two\n3+ab|three\n", "`LINE+HASH|TEXT`"),
        ("2kx|two\n", "`LINE+HASH|TEXT`"),
    ] {
        let error = desk().refuses("unsupported", APPLY, patch.as_bytes());
        assert!(
            error["message"].as_str().unwrap().contains(form),
            "{error:#}"
        );
    }
}
