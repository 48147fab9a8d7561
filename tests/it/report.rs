//! Reports as programs read them, and the formats that print them.

mod commit;
mod plan_id;
mod stat;

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::engine::{self, Outcome, Request};
use wpatch::path::RelPath;
use wpatch::report::{self, Report, SCHEMAS};
use wpatch::workspace::memory::{Entry, Memory};

use crate::world;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/grammar/report.schema.json");

/// A rename with another mode, a new file whose name has a blank, a hunk that is two lines off.
const PATCH: &str = "\
diff --git a/run.sh b/bin/run.sh
old mode 100644
new mode 100755
similarity index 100%
rename from run.sh
rename to bin/run.sh
diff --git a/new file b/new file
new file mode 100644
--- /dev/null
+++ b/new file\t
@@ -0,0 +1,2 @@
+one
+two
diff --git a/text b/text
--- a/text
+++ b/text
@@ -2,3 +2,3 @@ heading
 c
-d
+D
 e
";

fn memory() -> Memory {
    tree("a\nb\nc\nd\ne\nf\n")
}

fn tree(text: &str) -> Memory {
    let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    Memory::with_files([
        (path("run.sh"), Entry::file("echo\n")),
        (path("text"), Entry::file(text)),
    ])
}

fn request(patch: &str) -> Request {
    let mut request = Request::of(patch);
    (request.look.describe, request.look.diff) = (true, true);
    request
}

fn check(patch: &str) -> Outcome {
    engine::check(request(patch), &memory())
}

fn printed(report: &Report, format: &str) -> String {
    let mut out = Vec::new();
    report::find_format(format)
        .unwrap()
        .print(report, &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the JSON of the report, as it is printed, after comparing it with the published schema.
fn json(report: &Report) -> Value {
    let schema: Value = serde_json::from_slice(&fs::read(SCHEMA).unwrap()).unwrap();
    let document: Value = serde_json::from_str(&printed(report, "json")).unwrap();
    let errors: Vec<_> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [""; 0], "{document:#}");
    document
}

/// Returns the parts `keys` of a report, a line for each value; of a list, for each value of its
/// entries.
fn told(report: &Report, keys: &[&str]) -> String {
    let document = json(report);
    let mut lines = Vec::new();
    for &key in keys {
        match &document[key] {
            Value::Array(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    let values = entry.as_object().unwrap().iter();
                    lines.extend(
                        values.map(|(name, value)| format!("{key}[{index}].{name}: {value}")),
                    );
                }
            }
            value => lines.push(format!("{key}: {value}")),
        }
    }
    lines.join("\n")
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    for schema in SCHEMAS {
        let path = format!(
            "{}/grammar/{}.schema.json",
            env!("CARGO_MANIFEST_DIR"),
            schema.name
        );
        let generated = (schema.text)();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &generated).unwrap();
        }
        let published = fs::read_to_string(&path).unwrap();
        assert!(published == generated, "renew {path}: set UPDATE=1");
    }
    for schema in SCHEMAS {
        let output = world::wpatch()
            .args(["schema", schema.name])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text == (schema.text)(), "{}", schema.name);
    }
}

#[test]
fn the_names_at_the_top_are_fixed() {
    let document = json(&check(PATCH).report);
    let names: Vec<_> = document
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let fixed = [
        "changed",
        "command",
        "error",
        "exit_code",
        "files",
        "inputs",
        "ok",
        "outcome",
        "plan_id",
        "policy",
        "problems",
        "schema",
        "summary",
        "tool",
        "transaction",
    ];
    assert_eq!(names, fixed);
    assert_eq!(document["schema"], "wpatch.report/1");
}

/// Returns the lines of [`told`] on one file of [`PATCH`].
fn told_of_file(index: usize) -> String {
    let text = told(&check(PATCH).report, &["files"]);
    let prefix = format!("files[{index}].");
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with(&prefix))
        .collect();
    lines.join("\n")
}

#[test]
fn a_check_has_a_summary_of_its_files_and_inputs() {
    let report = check(PATCH).report;
    assert_eq!(json(&report)["files"].as_array().unwrap().len(), 3);
    insta::assert_snapshot!(told(&report, &["ok", "changed", "outcome", "exit_code", "summary", "inputs"]), @r#"
    ok: true
    changed: false
    outcome: "would_apply"
    exit_code: 0
    summary: {"added":3,"binary":0,"copies":0,"creates":1,"deletes":0,"files":3,"hunks":2,"hunks_fuzzy":0,"hunks_offset":1,"mode_changes":1,"modifies":1,"removed":1,"renames":1}
    inputs[0].bytes: 320
    inputs[0].format: "git"
    inputs[0].index: 0
    inputs[0].name: "-"
    inputs[0].repairs: []
    inputs[0].sections: 3
    inputs[0].sha256: "sha256:241f04d53549f53dc3fec1b164ee267b96902b88cf8fb9f7dfdfa7cb9676802d"
    "#);
}

#[test]
fn a_check_says_what_would_become_of_a_renamed_file() {
    insta::assert_snapshot!(told_of_file(0), @r#"
    files[0].added: 0
    files[0].after: {"bom":null,"encoding":"utf-8","eol":"lf","final_newline":true,"git_oid":"fa11a6a9c54797a8f68963af8ffc4d92bbffc660","size":5}
    files[0].before: {"bom":null,"encoding":"utf-8","eol":"lf","final_newline":true,"git_oid":"fa11a6a9c54797a8f68963af8ffc4d92bbffc660","size":5}
    files[0].diff: "diff --git a/run.sh b/bin/run.sh\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from run.sh\nrename to bin/run.sh\n"
    files[0].file_type: "text"
    files[0].from: "run.sh"
    files[0].hunks: []
    files[0].id: "f1"
    files[0].mode: {"new":"100755","old":"100644"}
    files[0].op: "rename"
    files[0].path: "bin/run.sh"
    files[0].policy: []
    files[0].post: {"sha256":"sha256:86b0c5a1e2b73b08fd54c727f4458649ed9fe3ad1b6e8ac9460c070113509a1e"}
    files[0].pre: {"sha256":"sha256:86b0c5a1e2b73b08fd54c727f4458649ed9fe3ad1b6e8ac9460c070113509a1e"}
    files[0].reason: null
    files[0].removed: 0
    files[0].score: 100
    files[0].sha256_after: "sha256:86b0c5a1e2b73b08fd54c727f4458649ed9fe3ad1b6e8ac9460c070113509a1e"
    files[0].sha256_before: "sha256:86b0c5a1e2b73b08fd54c727f4458649ed9fe3ad1b6e8ac9460c070113509a1e"
    files[0].stats: {"additions":0,"deletions":0}
    files[0].status: "ok"
    files[0].verdict: "allow"
    "#);
}

#[test]
fn a_check_says_what_would_become_of_a_created_file() {
    insta::assert_snapshot!(told_of_file(1), @r#"
    files[1].added: 2
    files[1].after: {"bom":null,"encoding":"utf-8","eol":"lf","final_newline":true,"git_oid":"814f4a422927b82f5f8a43f8fab6d3839e3983f2","size":8}
    files[1].before: null
    files[1].diff: "diff --git a/new file b/new file\nnew file mode 100644\nindex 000000000000..814f4a422927\n--- /dev/null\n+++ b/new file\t\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    files[1].file_type: "text"
    files[1].from: null
    files[1].hunks: [{"applied":{"new_lines":2,"new_start":1,"old_lines":0,"old_start":0},"fuzz":0,"id":"f2h1","match":"exact","offset":0,"patch":{"new_lines":2,"new_start":1,"old_lines":0,"old_start":0,"section":""},"source":{"byte_end":237,"byte_start":211,"input":0,"line_end":13,"line_start":11},"status":"clean"}]
    files[1].id: "f2"
    files[1].match: "exact"
    files[1].mode: {"new":"100644","old":null}
    files[1].op: "create"
    files[1].path: "new file"
    files[1].policy: []
    files[1].post: {"sha256":"sha256:c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8"}
    files[1].pre: null
    files[1].reason: null
    files[1].removed: 0
    files[1].sha256_after: "sha256:c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8"
    files[1].sha256_before: null
    files[1].stats: {"additions":2,"deletions":0}
    files[1].status: "ok"
    files[1].verdict: "allow"
    "#);
}

#[test]
fn a_check_says_what_would_become_of_a_modified_file() {
    insta::assert_snapshot!(told_of_file(2), @r#"
    files[2].added: 1
    files[2].after: {"bom":null,"encoding":"utf-8","eol":"lf","final_newline":true,"git_oid":"e7b62411d9d801b002f4720765b42ca7e6eeba18","size":12}
    files[2].before: {"bom":null,"encoding":"utf-8","eol":"lf","final_newline":true,"git_oid":"0fdf397db08b5cecda1b6394d4fef7395c1933ba","size":12}
    files[2].diff: "diff --git a/text b/text\nindex 0fdf397db08b..e7b62411d9d8 100644\n--- a/text\n+++ b/text\n@@ -1,6 +1,6 @@\n a\n b\n c\n-d\n+D\n e\n f\n"
    files[2].file_type: "text"
    files[2].from: null
    files[2].hunks: [{"applied":{"new_lines":3,"new_start":3,"old_lines":3,"old_start":3},"candidates":[{"line":3}],"fuzz":0,"id":"f3h1","match":"exact","offset":1,"patch":{"new_lines":3,"new_start":2,"old_lines":3,"old_start":2,"section":"heading"},"source":{"byte_end":320,"byte_start":284,"input":0,"line_end":21,"line_start":17},"status":"offset"}]
    files[2].id: "f3"
    files[2].match: "exact"
    files[2].mode: {"new":"100644","old":"100644"}
    files[2].op: "modify"
    files[2].path: "text"
    files[2].policy: []
    files[2].post: {"sha256":"sha256:759217487525528bc7d40f12f27133efc949bda3618a6f6f2f6c781e163b939f"}
    files[2].pre: {"sha256":"sha256:c6b39a37aa42bdd454f15806269ca1d0d417cd4823ec7a3db809908d6214f4dc"}
    files[2].reason: null
    files[2].removed: 1
    files[2].sha256_after: "sha256:759217487525528bc7d40f12f27133efc949bda3618a6f6f2f6c781e163b939f"
    files[2].sha256_before: "sha256:c6b39a37aa42bdd454f15806269ca1d0d417cd4823ec7a3db809908d6214f4dc"
    files[2].stats: {"additions":1,"deletions":1}
    files[2].status: "ok"
    files[2].verdict: "allow"
    "#);
}

#[test]
fn a_hunk_that_does_not_fit_is_told_with_the_nearest_place() {
    let report = check("--- a/text\n+++ b/text\n@@ -2,3 +2,3 @@\n b\n-c \n+C\n d\n").report;
    insta::assert_snapshot!(told(&report, &["outcome", "exit_code", "plan_id", "files", "problems", "error"]), @r#"
    outcome: "does_not_apply"
    exit_code: 1
    plan_id: null
    files[0].added: 1
    files[0].after: null
    files[0].before: {"bom":null,"encoding":"utf-8","eol":"lf","final_newline":true,"git_oid":"0fdf397db08b5cecda1b6394d4fef7395c1933ba","size":12}
    files[0].diff: null
    files[0].file_type: "text"
    files[0].from: null
    files[0].hunks: [{"expected":["b","c ","d"],"id":"f1h1","nearest":{"first_difference":{"expected":"c ","file_line":3,"found":"c","patch_line":5,"reason":"whitespace"},"line":2,"lines_after":["e","f"],"lines_before":["a"],"matched":2,"of":3,"text":["b","c","d"]},"patch":{"new_lines":3,"new_start":2,"old_lines":3,"old_start":2,"section":""},"source":{"byte_end":51,"byte_start":22,"input":0,"line_end":7,"line_start":3},"status":"not_found"}]
    files[0].id: "f1"
    files[0].mode: {"new":null,"old":null}
    files[0].op: "modify"
    files[0].path: "text"
    files[0].policy: []
    files[0].post: null
    files[0].pre: {"sha256":"sha256:c6b39a37aa42bdd454f15806269ca1d0d417cd4823ec7a3db809908d6214f4dc"}
    files[0].reason: null
    files[0].removed: 1
    files[0].sha256_after: null
    files[0].sha256_before: "sha256:c6b39a37aa42bdd454f15806269ca1d0d417cd4823ec7a3db809908d6214f4dc"
    files[0].stats: {"additions":1,"deletions":1}
    files[0].status: "not_found"
    files[0].verdict: "allow"
    problems[0].code: "wpatch::hunk::not_found"
    problems[0].file: "f1"
    problems[0].help: "read text again from line 2: 2 of 3 lines match there"
    problems[0].hunk: "f1h1"
    problems[0].kind: "not_found"
    problems[0].message: "the hunk does not match"
    problems[0].path: "text"
    problems[0].severity: "error"
    problems[0].span: {"byte":41,"column":1,"input":0,"length":3,"line":5}
    error: {"code":"wpatch::hunk::not_found","expected":["b","c ","d"],"help":"read text again from line 2: 2 of 3 lines match there","hunk":1,"kind":"not_found","message":"the hunk does not match","nearest":{"first_difference":{"expected":"c ","file_line":3,"found":"c","patch_line":5,"reason":"whitespace"},"line":2,"lines_after":["e","f"],"lines_before":["a"],"matched":2,"of":3,"text":["b","c","d"]},"path":"text","span":{"byte":41,"column":1,"input":0,"length":3,"line":5}}
    "#);
}

#[test]
fn a_broken_patch_is_told_with_its_place() {
    let report = check("--- a/text\n+++ b/text\n@@ -2,3 +2,3 @@\n b\n").report;
    insta::assert_snapshot!(told(&report, &["outcome", "exit_code", "inputs", "files", "problems", "error"]), @r#"
    outcome: "malformed"
    exit_code: 2
    inputs[0].bytes: 41
    inputs[0].format: null
    inputs[0].index: 0
    inputs[0].name: "-"
    inputs[0].repairs: []
    inputs[0].sections: 0
    inputs[0].sha256: "sha256:f5b5468310915e0f8ec47f0107be443c9a1481119098d27d0df832f9e3a8bff8"
    problems[0].code: "wpatch::parse::line_count"
    problems[0].help: "the patch ends in the middle of this hunk; provide the complete patch"
    problems[0].kind: "parse"
    problems[0].message: "the hunk header counts 3 old lines, but 1 follow"
    problems[0].severity: "error"
    problems[0].span: {"byte":41,"column":1,"input":0,"length":0,"line":5}
    error: {"code":"wpatch::parse::line_count","help":"the patch ends in the middle of this hunk; provide the complete patch","kind":"parse","message":"the hunk header counts 3 old lines, but 1 follow","span":{"byte":41,"column":1,"input":0,"length":0,"line":5}}
    "#);
}

#[test]
fn what_safety_forbids_decides_whatever_else_does_not_fit() {
    let report = check(
        "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n",
    )
    .report;
    let document = json(&report);
    assert_eq!(
        document["problems"].as_array().unwrap().len(),
        2,
        "{document:#}"
    );
    assert_eq!(
        (&document["outcome"], &document["exit_code"]),
        (&"refused".into(), &3.into())
    );
    assert_eq!(document["error"]["kind"], "denied");
}

#[test]
fn a_closed_path_names_the_rule_that_closes_it() {
    let report =
        check("diff --git a/.git/hooks/x b/.GIT/y\nrename from .git/hooks/x\nrename to .GIT/y\n")
            .report;
    let hit =
        |message: &str| json!({"rule": "git-directory", "verdict": "deny", "message": message});
    let hits = json!([
        hit("`.git` is protected; patches may not change it"),
        hit("some file systems treat this name as `.git`, which is protected"),
    ]);
    assert_eq!(
        json(&report)["policy"],
        json!({"verdict": "deny", "source": null, "rules_hit": ["git-directory"]})
    );
    let file = &json(&report)["files"][0];
    assert_eq!((&file["policy"], &file["verdict"]), (&hits, &json!("deny")));
    assert_eq!(
        file["reason"],
        "`.git` is protected; patches may not change it"
    );
}
