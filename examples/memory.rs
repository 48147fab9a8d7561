//! Changes a tree in memory, and reads the result with the other commands.

#![allow(clippy::print_stdout, reason = "the example shows the results")]

use std::error::Error;

use wpatch::prelude::*;

const PATCH: &str = "\
*** Begin Patch
*** Update File: notes.txt
@@
 milk
-bread
+two breads
*** Add File: list/new.txt
+tea
*** End Patch
";

fn main() -> Result<(), Box<dyn Error>> {
    let workspace =
        Memory::with_files([(RelPath::new(b"notes.txt")?, Entry::file("milk\nbread\n"))]);
    let interrupt = Interrupt::new();
    init(&workspace, TransactionOptions::default(), &interrupt).into_result()?;
    let applied = apply(Request::of(PATCH), &workspace, &interrupt).into_result()?;
    assert_eq!(
        (
            applied.report.summary.creates,
            applied.report.summary.modifies
        ),
        (1, 1)
    );

    let extract = read(&ReadRequest::of("notes.txt"), &workspace).map_err(Refused::from)?;
    assert_eq!(extract.content, b"milk\ntwo breads\n");
    let listing = list(&ListRequest::of("list"), &workspace).map_err(Refused::from)?;
    assert_eq!(
        listing
            .entries
            .iter()
            .map(|entry| &entry.name)
            .collect::<Vec<_>>(),
        ["new.txt"]
    );

    let history = log(&workspace, &Policy::default().into()).map_err(Refused::from)?;
    let shown = show(
        &workspace,
        &history.entries[0].id,
        &Policy::default().into(),
    )
    .map_err(Refused::from)?;
    for file in &shown.entries[0].files {
        println!("{}", file.path);
    }
    assert_eq!(shown.entries[0].files.len(), 2);
    Ok(())
}
