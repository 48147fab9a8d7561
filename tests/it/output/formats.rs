//! The formats of single tools.

use serde_json::{Value, json};

use super::{REFUSED, code, desk, document, said};
use crate::systems::Desk;
use crate::world;

#[test]
fn github_shows_each_problem_at_its_place() {
    let desk = desk();
    let output = desk.runs(&["check", "--output", "github", "p/refused.patch"], b"");
    insta::assert_snapshot!(said(&output), @r#"
    ::error file=p/refused.patch,line=6,col=1,title=wpatch%3A%3Ahunk%3A%3Anot_found::a: the hunk does not match%0Ahelp: read a again from line 1: 2 of 3 lines match there
    ::error file=p/refused.patch,line=9,col=1,title=wpatch%3A%3Afile%3A%3Aexists::b: the file already exists%0Ahelp: use --overwrite to replace it
    "#);
    assert_eq!((code(&output), output.stderr.as_slice()), (1, &b""[..]));
    // Without a patch that somebody can open it is the file that is shown.
    let output = desk.runs(&["check", "--output", "github"], REFUSED.as_bytes());
    insta::assert_snapshot!(said(&output), @r#"
    ::error file=a,line=2,title=wpatch%3A%3Ahunk%3A%3Anot_found::the hunk does not match%0Ahelp: read a again from line 1: 2 of 3 lines match there
    ::error file=b,title=wpatch%3A%3Afile%3A%3Aexists::the file already exists%0Ahelp: use --overwrite to replace it
    "#);
    let output = desk.runs(&["check", "--output", "github", "p/good.patch"], b"");
    assert_eq!(
        said(&output),
        "would apply: 1 file changed, 1 insertion(+), 1 deletion(-)\n"
    );
}

#[test]
fn a_checker_is_told_where_and_what_would_fit() {
    let desk = desk();
    let output = desk.runs(&["check", "--output", "rdjson", "p/refused.patch"], b"");
    insta::assert_snapshot!(format!("{:#}", document("rdjson", &output)["diagnostics"][0]), @r#"
    {
      "code": {
        "value": "wpatch::hunk::not_found"
      },
      "location": {
        "path": "p/refused.patch",
        "range": {
          "start": {
            "column": 1,
            "line": 6
          }
        }
      },
      "message": "a: the hunk does not match\nhelp: read a again from line 1: 2 of 3 lines match there",
      "related_locations": [
        {
          "location": {
            "path": "a",
            "range": {
              "start": {
                "line": 2
              }
            }
          },
          "message": "the file"
        }
      ],
      "severity": "ERROR",
      "suggestions": [
        {
          "range": {
            "end": {
              "column": 5,
              "line": 6
            },
            "start": {
              "column": 2,
              "line": 6
            }
          },
          "text": "zwei"
        }
      ]
    }
    "#);
}

/// Returns the run of SARIF for a patch that is refused.
fn refused() -> Value {
    let output = desk().runs(&["check", "--output", "sarif", "p/refused.patch"], b"");
    document("sarif", &output)["runs"][0].clone()
}

#[test]
fn sarif_has_a_rule_for_each_result() {
    let run = refused();
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let mut result = run["results"][0].clone();
    // Its number changes with the table.
    result.as_object_mut().unwrap().remove("ruleIndex");
    result.as_object_mut().unwrap().remove("fixes");
    insta::assert_snapshot!(format!("{result:#}"), @r#"
    {
      "level": "error",
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "p/refused.patch"
            },
            "region": {
              "startLine": 6
            }
          }
        }
      ],
      "message": {
        "text": "a: the hunk does not match\nhelp: read a again from line 1: 2 of 3 lines match there"
      },
      "partialFingerprints": {
        "wpatch/v1": "b5dbce0eecef9f4a26fcb16bbe3ff649495dfdca109f20138492f68d1639bce9"
      },
      "relatedLocations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "a",
              "uriBaseId": "ROOT"
            },
            "region": {
              "startLine": 2
            }
          }
        }
      ],
      "ruleId": "wpatch::hunk::not_found"
    }
    "#);
    insta::assert_snapshot!(run["invocations"], @r#"[{"executionSuccessful":true,"exitCode":1,"exitCodeDescription":"does_not_apply"}]"#);
}

#[test]
fn sarif_fixes_a_line_as_the_file_has_it() {
    insta::assert_snapshot!(format!("{:#}", refused()["results"][0]["fixes"]), @r#"
    [
      {
        "artifactChanges": [
          {
            "artifactLocation": {
              "uri": "p/refused.patch"
            },
            "replacements": [
              {
                "deletedRegion": {
                  "endColumn": 5,
                  "startColumn": 2,
                  "startLine": 6
                },
                "insertedContent": {
                  "text": "zwei"
                }
              }
            ]
          }
        ],
        "description": {
          "text": "the line as the file has it"
        }
      }
    ]
    "#);
}

#[test]
fn codex_lists_files_or_says_why_not_in_its_words() {
    let desk = desk();
    let patch =
        b"*** Begin Patch\n*** Update File: a\n@@\n-zwei\n+2\n*** Delete File: b\n*** Add File: c\n+c\n*** End Patch\n";
    let check = desk.runs(&["check", "--output", "codex"], patch);
    assert_eq!(
        said(&check),
        "Success. Would update the following files:\nA c\nM a\nD b\n"
    );
    let apply = desk.runs(&["apply", "--output", "codex"], patch);
    assert_eq!(
        said(&apply),
        "Success. Updated the following files:\nA c\nM a\nD b\n"
    );
    let again = desk.runs(&["apply", "--output", "codex"], patch);
    assert!(
        said(&again).starts_with("No files were modified. a: "),
        "{}",
        said(&again)
    );
    let other = b"*** Begin Patch\n*** Update File: a\n@@\n-zwo\n+zwei\n*** End Patch\n";
    let other = desk.runs(&["apply", "--output", "codex"], other);
    assert!(
        said(&other).starts_with("Failed to find expected lines in a:\nzwo\n") && code(&other) == 1
    );
    let wrong = desk.runs(
        &["apply", "--output", "codex"],
        b"*** Begin Patch\n*** Update File: a\n@@\n!\n*** End Patch\n",
    );
    assert!(
        said(&wrong).starts_with("Invalid patch hunk on line 4: "),
        "{}",
        said(&wrong)
    );
    let missing = b"*** Begin Patch\n*** Update File: none\n@@\n-a\n+b\n*** End Patch\n";
    let missing = desk.runs(&["apply", "--output", "codex"], missing);
    assert!(
        said(&missing).starts_with("Failed to read file to update none: "),
        "{}",
        said(&missing)
    );
}

#[test]
fn codex_names_no_files_after_a_command_that_lists_none() {
    let desk = desk();
    desk.does(&["init"], b"");
    for (command, text) in [
        ("recover", "Success. nothing to recover\n"),
        (
            "init",
            "Success. changes are now recorded here and can be undone\n",
        ),
        ("gc", "Success. the history is within its limits\n"),
    ] {
        assert_eq!(said(&desk.runs(&[command, "--output", "codex"], b"")), text);
    }
    let dry = [
        "write",
        "new",
        "--content",
        "x",
        "--dry-run",
        "--output",
        "codex",
    ];
    let text = "Success. Would update the following files:\nA new\n";
    assert_eq!(said(&desk.runs(&dry, b"")), text);
}

/// A patch that changes, deletes, renames and creates a file.
const EACH: &str = "\
diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,3 +1,3 @@
 one
-two
+2
 three
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
diff --git a/made b/made
new file mode 100644
--- /dev/null
+++ b/made
@@ -0,0 +1 @@
+m
";

/// Returns the files of [`EACH`], and one more.
fn files_of_each() -> Desk {
    Desk::with(&[
        ("a", b"one\ntwo\nthree"),
        ("gone", b"x\n"),
        ("old", b"o\n"),
        ("bin", b"\0\x01"),
    ])
}

#[test]
fn a_client_is_told_what_becomes_of_each_file() {
    let desk = files_of_each();
    let output = desk.runs(&["check", "--output", "acp"], EACH.as_bytes());
    let told = document("acp", &output);
    let root = world::real(desk.root()).to_string_lossy().into_owned();
    let at = |name: &str| format!("{root}/{name}");
    let expected = json!([
        {"type": "diff", "path": at("a"), "oldText": "one\ntwo\nthree", "newText": "one\n2\nthree"},
        {"type": "diff", "path": at("gone"), "oldText": "x\n", "newText": ""},
        {"type": "content", "content": {"type": "text", "text": "rename old => new"}},
        {"type": "diff", "path": at("made"), "oldText": null, "newText": "m\n"},
    ]);
    assert_eq!(told["content"], expected, "{told:#}");
    let lines: Vec<_> = told["locations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["line"].clone())
        .collect();
    assert_eq!(
        (told["status"].clone(), lines),
        (
            json!("pending"),
            vec![json!(1), json!(1), json!(null), json!(1)]
        )
    );
    let report = desk.says(&["check"], EACH.as_bytes());
    assert_eq!(
        (&told["toolCallId"], &told["rawOutput"]["plan_id"]),
        (&report["plan_id"], &report["plan_id"])
    );
}

#[test]
fn a_client_is_told_what_fails_and_where() {
    let desk = files_of_each();
    let root = world::real(desk.root()).to_string_lossy().into_owned();
    let at = |name: &str| format!("{root}/{name}");
    let output = desk.runs(
        &["apply", "--output", "acp"],
        b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-none\n+1\n",
    );
    let told = document("acp", &output);
    assert_eq!(
        (&told["status"], &told["locations"]),
        (&json!("failed"), &json!([{"path": at("a"), "line": 1}]))
    );
    let words = told["content"][0]["content"]["text"].as_str().unwrap();
    assert!(words.starts_with("error (not_found): a: "), "{words}");
}

#[test]
fn the_kind_of_a_call_is_that_of_its_changes() {
    let desk = files_of_each();
    let renamed =
        b"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n";
    let deleted = b"--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    for (patch, kind) in [
        (EACH.as_bytes(), "edit"),
        (renamed, "move"),
        (deleted, "delete"),
    ] {
        assert_eq!(
            document("acp", &desk.runs(&["check", "--output", "acp"], patch))["kind"],
            kind
        );
    }
}

#[test]
fn a_long_change_is_shown_to_a_client_as_a_whole() {
    let long = "x\n".repeat(40_000);
    let patch = format!(
        "--- /dev/null\n+++ b/long\n@@ -0,0 +1,40000 @@\n{}",
        long.replace('x', "+x")
    );
    let output = Desk::with(&[]).runs(&["check", "--output", "acp"], patch.as_bytes());
    assert_eq!(document("acp", &output)["content"][0]["newText"], long);
}
