//! The table of layers, and the imports between them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, refuse, sources};

/// Each module of the crate with the modules that it may import; a module stands behind all that it
/// imports.
pub(super) const LAYERS: &[(&str, &[&str])] = &[
    ("interrupt", &[]),
    ("text", &[]),
    ("digest", &["interrupt"]),
    ("mode", &[]),
    ("path", &["text"]),
    ("mutex", &[]),
    ("stat", &["mode"]),
    ("workspace_error", &[]),
    ("threads", &["mutex"]),
    ("bytes", &["text", "mutex", "interrupt", "threads"]),
    ("process", &["mutex", "interrupt"]),
    ("progress", &["mutex"]),
    ("whitespace", &[]),
    ("convert", &["digest"]),
    ("lines", &["text", "interrupt", "whitespace"]),
    ("plan", &["text", "digest", "mode", "path"]),
    (
        "change",
        &["text", "digest", "mode", "path", "stat", "workspace_error"],
    ),
    (
        "workspace",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "stat",
            "workspace_error",
            "mutex",
            "interrupt",
            "bytes",
            "process",
        ],
    ),
    (
        "syntax",
        &[
            "text",
            "interrupt",
            "digest",
            "mode",
            "path",
            "lines",
            "plan",
        ],
    ),
    ("code", &["text", "path"]),
    (
        "matching",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "interrupt",
            "whitespace",
            "lines",
            "plan",
            "code",
        ],
    ),
    ("notebook", &["text", "digest", "plan"]),
    ("guard", &["text", "path", "code"]),
    (
        "diagnostics",
        &["text", "path", "mutex", "interrupt", "process"],
    ),
    (
        "policy",
        &["text", "digest", "mode", "path", "plan", "guard"],
    ),
    (
        "repair",
        &[
            "text",
            "mode",
            "path",
            "plan",
            "lines",
            "syntax",
            "matching",
            "interrupt",
        ],
    ),
    (
        "preflight",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "stat",
            "workspace_error",
            "plan",
            "workspace",
            "change",
            "syntax",
            "lines",
            "matching",
            "notebook",
            "code",
            "guard",
            "policy",
            "progress",
            "mutex",
            "interrupt",
            "threads",
            "whitespace",
            "convert",
        ],
    ),
    (
        "transaction",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "stat",
            "workspace_error",
            "mutex",
            "interrupt",
            "threads",
            "policy",
            "progress",
            "workspace",
            "change",
        ],
    ),
    (
        "report",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "plan",
            "change",
            "syntax",
            "lines",
            "matching",
            "notebook",
            "diagnostics",
            "policy",
            "preflight",
            "process",
            "transaction",
            "threads",
        ],
    ),
    (
        "engine",
        &[
            "text",
            "digest",
            "mode",
            "path",
            "stat",
            "workspace_error",
            "mutex",
            "interrupt",
            "threads",
            "plan",
            "workspace",
            "change",
            "syntax",
            "lines",
            "matching",
            "notebook",
            "guard",
            "diagnostics",
            "policy",
            "preflight",
            "process",
            "progress",
            "repair",
            "transaction",
            "report",
            "whitespace",
            "code",
        ],
    ),
    (
        "cli",
        &[
            "text", "digest", "mode", "path", "mutex", "bytes", "report", "engine",
        ],
    ),
];

#[test]
fn the_table_of_layers_has_no_circle() {
    let place: BTreeMap<_, _> = LAYERS
        .iter()
        .enumerate()
        .map(|(place, (module, _))| (*module, place))
        .collect();
    for (module, imports) in LAYERS {
        for import in *imports {
            assert!(
                place[import] < place[module],
                "{module} stands before {import}, which it may import"
            );
        }
    }
}

#[test]
fn imports_go_up_the_table() {
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let wrong = |source: &Source| {
        let Some(module) = source.module() else {
            return Vec::new();
        };
        let Some(allowed) = layers.get(module) else {
            return vec![format!("{}: not in the table", source.path)];
        };
        let is_wrong = |import: &&str| *import != module && !allowed.contains(import);
        let wrong = source.imports().into_iter().filter(is_wrong);
        wrong
            .map(|import| format!("{}: imports {import}", source.path))
            .collect()
    };
    refuse(sources(&["src"]).iter().flat_map(wrong));
}

#[test]
fn every_module_of_the_table_is_there() {
    let sources = sources(&["src"]);
    let found: BTreeSet<_> = sources.iter().filter_map(Source::module).collect();
    let missing = LAYERS.iter().filter(|(module, _)| !found.contains(module));
    refuse(missing.map(|(module, _)| format!("{module}: in the table and nowhere else")));
}
