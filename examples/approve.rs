//! Checks a patch, shows it, applies exactly the plan that was approved, and undoes it.

#![allow(clippy::print_stdout, reason = "the example shows the change")]

use std::error::Error;
use std::fs;

use wpatch::prelude::*;

const PATCH: &str = "\
--- a/greeting
+++ b/greeting
@@ -1 +1 @@
-hello
+good morning
";

#[allow(
    clippy::disallowed_methods,
    reason = "the file exists before the workspace"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let root = tempfile::tempdir()?;
    let file = root.path().join("greeting");
    fs::write(&file, "hello\n")?;

    let workspace = open(root.path())?;
    let interrupt = Interrupt::new();
    // In a git work tree the history needs no preparation.
    init(&workspace, TransactionOptions::default(), &interrupt).into_result()?;

    let mut request = Request::of(PATCH);
    request.look.describe = true;
    request.look.diff = true;
    let checked = check(request.clone(), &workspace).into_result()?.report;
    for file in &checked.files {
        print!("{}", file.diff.as_deref().unwrap_or_default());
    }
    assert!(!checked.changed);

    // The plan_id names this change of this content. The user approves it.
    request.commit.approve = checked.plan_id;

    // A change that another process makes meanwhile is not overwritten.
    fs::write(&file, "hello\nworld\n")?;
    let refused = apply(request.clone(), &workspace, &interrupt)
        .into_result()
        .expect_err("the file has changed");
    println!("{}: {refused}", refused.code());
    assert_eq!(fs::read_to_string(&file)?, "hello\nworld\n");

    fs::write(&file, "hello\n")?;
    apply(request, &workspace, &interrupt).into_result()?;
    assert_eq!(fs::read_to_string(&file)?, "good morning\n");

    apply(Request::undo(UndoTarget::Last(1)), &workspace, &interrupt).into_result()?;
    assert_eq!(fs::read_to_string(&file)?, "hello\n");
    Ok(())
}
