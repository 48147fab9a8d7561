//! Inputs for the tests of the budget.

/// The header of a section for the file `x`.
pub(crate) const HEAD: &str = "--- a/x\n+++ b/x\n";

/// Files and patches that need many steps for their size.
pub(crate) fn costly() -> Vec<(&'static str, String, String)> {
    let same = |count: usize| "0,\n".repeat(count);
    let numbered = |count: usize| {
        (0..count).fold(String::new(), |text, line| {
            text + &format!("+ line {line}\n")
        })
    };
    let hunks = |count: usize, hunk: fn(usize) -> String| {
        HEAD.to_owned() + &(0..count).map(hunk).collect::<String>()
    };
    let old = |count: usize| " 0,\n".repeat(count);
    vec![
        (
            "a long hunk",
            same(600),
            format!("{HEAD}@@ -1,9 +1,9 @@\n{}-2,\n+1,\n{}", old(100), old(100)),
        ),
        (
            "many hunks",
            same(600),
            hunks(20, |_| "@@\n 0,\n 0,\n-2,\n+1,\n".to_owned()),
        ),
        (
            "wrong counts",
            numbered(600),
            hunks(20, |at| {
                format!("@@ -{at},9 +{at},9 @@\n+ line {at}\n-x\n+y\n")
            }),
        ),
        (
            "signs",
            numbered(60),
            format!("{HEAD}@@ -1,60 +1,59 @@\n{}", numbered(60)),
        ),
        (
            "headings",
            numbered(600),
            hunks(20, |_| "@@ e 599\n+ line 7\n-+ line 8\n+y\n".to_owned()),
        ),
        (
            "stated",
            same(600),
            hunks(20, |_| {
                "@@ -9,9 +9,9 @@\n 0,\n 0,\n-0,\n+y\n 0,\n".to_owned()
            }),
        ),
        (
            "elisions",
            same(600),
            format!("{HEAD}@@\n{}-0,\n+y\n", " ...\n 0,\n".repeat(30)),
        ),
    ]
}
