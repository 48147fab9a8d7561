//! Which program is started as the language server.

use std::path::{Path, PathBuf};

use fs_err as fs;
use serde_json::{Value, json};

use super::{BEFORE, Place, SERVER, WORSE};
use crate::run::valid;
use crate::world;

/// Puts a server into the tree, which creates `marker`, with links to it and to its directory.
/// Returns the server.
fn bring_server(place: &Place, marker: &Path) -> PathBuf {
    let brought = place.root().join("bin/brought");
    fs::create_dir(place.root().join("bin")).unwrap();
    let script = format!(
        "#!/bin/sh\necho > {}\nexec sh {SERVER} push\n",
        marker.display()
    );
    for path in [&brought, &place.root().join("brought")] {
        fs::write(path, &script).unwrap();
        world::set_mode(path, 0o755);
    }
    // Other ways to the same directory, and to the same program.
    world::link(place.root().join("bin"), place.0.path().join("aside")).unwrap();
    fs::create_dir(place.0.path().join("linked")).unwrap();
    world::link(&brought, place.0.path().join("linked/brought")).unwrap();
    brought
}

#[test]
fn a_tree_does_not_bring_its_own_server() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let usual = std::env::var("PATH").unwrap();
    let marker = place.0.path().join("ran");
    let brought = bring_server(&place, &marker);
    let server = |command: &Value| {
        format!("[[server]]\nname = \"fake\"\nfiles = [\"*.x\"]\ncommand = {command}\n")
    };
    let report = |path: &str| {
        let output = place.output_with(&["check", "--diagnostics", "--json"], WORSE, path);
        valid(serde_json::from_slice(&output.stdout).unwrap())
    };
    place.configure(&server(&json!(["brought"])));
    let here = |name: &str| place.0.path().join(name).display().to_string();
    let inside = [
        here("root/bin"),
        here("root"),
        here("aside"),
        here("linked"),
        format!("{}/../bin", here("root/bin")),
    ];
    let relative = ["", ".", "bin", "./bin", "../root/bin"].map(str::to_owned);
    for (entries, words) in [
        (&inside[..], "only inside the tree, which is not trusted"),
        (&relative, "not found in PATH"),
    ] {
        for entry in entries {
            let report = report(&format!("{entry}:{usual}"));
            let told = report["diagnostics"]["servers"][0]["problem"]
                .as_str()
                .unwrap();
            assert!(
                told.starts_with("fake cannot be started: ") && told.contains(words),
                "{entry}: {told}"
            );
            assert!(!marker.exists(), "{entry}");
        }
    }
    // What a server starts is looked for as it is.
    place.configure(&server(&json!(["env", "brought"])));
    assert!(report(&format!(":bin:{}:{usual}", here("root/bin")))["diagnostics"]["servers"][0]["problem"].is_string());
    assert!(!marker.exists());
    place.configure(&server(&json!([brought])));
    assert_eq!(
        report(&usual)["diagnostics"]["servers"][0]["problem"],
        Value::Null
    );
    assert!(marker.exists());
}

#[test]
fn a_search_path_with_nothing_in_it_is_not_the_tree() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let (root, marker) = (place.root(), place.0.path().join("ran"));
    fs::write(
        root.join("helper"),
        format!("#!/bin/sh\necho > {}\n", marker.display()),
    )
    .unwrap();
    world::set_mode(root.join("helper"), 0o755);
    let script = format!("helper\nexec sh {SERVER} push");
    let command = json!(["/bin/sh", "-c", script]);
    place.configure(&format!(
        "[[server]]\nname = \"fake\"\nfiles = [\"*.x\"]\ncommand = {command}\n"
    ));
    for path in ["", ".", ":", &root.display().to_string()] {
        let output = place.output_with(&["check", "--diagnostics", "--json"], WORSE, path);
        let report = valid(serde_json::from_slice(&output.stdout).unwrap());
        assert!(!marker.exists(), "{path}");
        assert_eq!(
            report["diagnostics"]["servers"][0]["problem"],
            Value::Null,
            "{path}"
        );
    }
}

#[test]
fn of_a_root_that_holds_the_system_its_programs_are_taken() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let (own, marker) = (place.0.path().join("own"), place.0.path().join("ran"));
    fs::create_dir(&own).unwrap();
    fs::write(
        own.join("sh"),
        format!("#!/bin/sh\necho > {}\n", marker.display()),
    )
    .unwrap();
    world::set_mode(own.join("sh"), 0o755);
    let entries = format!("{}:/usr/bin:/bin", own.display());
    let named = place.root().join("a.x").display().to_string();
    let patch = WORSE
        .replace("a/a.x", &format!("a{named}"))
        .replace("b/a.x", &format!("b{named}"));
    let output = place.output_with(
        &["check", "--root", "/", "--diagnostics", "--json"],
        &patch,
        &entries,
    );
    let report = valid(serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!(
        report["diagnostics"]["servers"][0]["problem"],
        Value::Null,
        "{report:#}"
    );
    assert!(!marker.exists());
}
