//! Answers the tool calls of a model, as an agent harness does.

#![allow(clippy::print_stdout, reason = "the example shows the conversation")]

use std::error::Error;

use wpatch::prelude::*;

/// The calls of a model, and whether their answers are errors.
const CALLS: [(&str, &str, bool); 4] = [
    ("view", r#"{"path": "src/main.rs"}"#, false),
    (
        "str_replace",
        r#"{"path": "src/main.rs", "old_str": "goodbye", "new_str": "hi"}"#,
        true,
    ),
    (
        "str_replace",
        r#"{"path": "src/main.rs", "old_str": "hello", "new_str": "hi"}"#,
        false,
    ),
    (
        "create",
        r#"{"path": "../outside", "file_text": "x"}"#,
        true,
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let path = RelPath::new(b"src/main.rs")?;
    let source = "fn main() {\n    println!(\"hello\");\n}\n";
    let workspace = Memory::with_files([(path.clone(), Entry::file(source))]);
    let interrupt = Interrupt::new();
    for (name, arguments, is_error) in CALLS {
        let result = tool(
            name,
            arguments,
            &ToolOptions::default(),
            &workspace,
            &interrupt,
        )
        .ok_or("unknown tool")?;
        println!("> {name} {arguments}\n{}", result.message);
        assert_eq!(result.ok, !is_error, "{name} {arguments}");
    }
    assert_eq!(
        workspace.files()[&path].contents,
        source.replace("hello", "hi").as_bytes()
    );
    assert_eq!(workspace.files().len(), 1);
    assert!(
        tool(
            "delete",
            "{}",
            &ToolOptions::default(),
            &workspace,
            &interrupt
        )
        .is_none()
    );
    Ok(())
}
