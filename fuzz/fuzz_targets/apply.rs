//! Any bytes as a patch for a small tree: done as a whole, or the tree stays as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wpatch::engine::{self, Request};
use wpatch::matching::Rules;
use wpatch::path::RelPath;
use wpatch::plan::Selection;
use wpatch::transaction::{Durability, Interrupt};
use wpatch::workspace::memory::{Entry, Memory};
use wpatch::{preflight, syntax, transaction};

fuzz_target!(|bytes: &[u8]| {
    let memory = Memory::with_files(tree());
    let before = memory.files();
    let outcome = engine::apply(request(bytes), &memory, &Interrupt::new());
    if !outcome.report.ok {
        assert_eq!(memory.files(), before, "refused, and the tree is another");
    }
});

fn tree() -> Vec<(RelPath, Entry)> {
    let path = |name: &str| RelPath::new(name.as_bytes()).expect("a plain name");
    vec![
        (path("a"), Entry::file("one\ntwo\nthree\n")),
        (path("d/b"), Entry::executable("x\ny\nx\ny\n")),
        (path("d/l"), Entry::link("../a")),
    ]
}

fn request(bytes: &[u8]) -> Request {
    Request {
        patches: vec![("fuzz".into(), bytes.to_vec())],
        format: "auto".into(),
        syntax: syntax::Options::default(),
        selection: Selection::default(),
        preflight: preflight::Options {
            rules: Rules::default(),
            overwrite: false,
            describe: false,
            diff: false,
            max_diff: usize::MAX,
            max_file: 1 << 20,
        },
        transaction: transaction::Options { durability: Durability::None, ..transaction::Options::default() },
        approve: None,
    }
}
