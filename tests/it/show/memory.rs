//! The memory that `show` takes for large files.
#![cfg(target_os = "linux")]

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::workspace::memory::{Entry, Memory};

/// Files of a mebibyte each, and a patch that deletes them.
fn large(count: usize) -> (Vec<(RelPath, Entry)>, String) {
    let text = |file: usize| {
        (0..16 << 10)
            .map(|line| format!("file {file:09} line {line:08} of many {file:025}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let name = |file: usize| RelPath::new(format!("f{file:02}").as_bytes()).unwrap();
    let files: Vec<_> = (0..count)
        .map(|file| (name(file), Entry::file(text(file))))
        .collect();
    let sections: Vec<_> = files
        .iter()
        .map(|(name, _)| format!("*** Delete File: {name}\n"))
        .collect();
    let sections = sections.concat();
    (files, format!("*** Begin Patch\n{sections}*** End Patch\n"))
}

#[test]
fn diffs_that_are_not_held_are_the_same_once_more() {
    let (files, patch) = large(20);
    let memory = Memory::with_files(files);
    let preview = engine::preview(Request::of(&*patch), &memory);
    let diffs: Vec<_> = preview.diffs().map(Result::unwrap).collect();
    assert!(diffs.iter().map(Vec::len).sum::<usize>() > 20 << 20);
    for (file, diff) in diffs.iter().enumerate() {
        let one = format!("*** Begin Patch\n*** Delete File: f{file:02}\n*** End Patch\n");
        let alone = engine::preview(Request::of(&*one), &memory)
            .diffs()
            .map(Result::unwrap)
            .collect::<Vec<_>>();
        assert!(*diff == alone[0], "{file}");
    }
    // By now none is held, and another file has no diff that anybody checked.
    assert!(diffs == preview.diffs().map(Result::unwrap).collect::<Vec<_>>());
    memory.put(&RelPath::new(b"f03").unwrap(), &Entry::file("other\n"));
    let told: Vec<_> = preview
        .diffs()
        .map(|diff| diff.map_err(|error| error.to_string()))
        .collect();
    let changed: Vec<_> = told.iter().filter_map(|diff| diff.as_ref().err()).collect();
    assert_eq!(changed, ["f03: the file changed while it was printed"]);
}

#[test]
fn a_change_that_is_shown_takes_the_memory_of_a_few_files() {
    let (files, patch) = large(80);
    let root = TempDir::new().unwrap();
    for (name, entry) in &files {
        fs::write(root.path().join(name.to_string()), &entry.contents).unwrap();
    }
    fs::write(root.path().join("patch"), patch).unwrap();
    for form in [&["show", "patch"][..], &["show", "--html", "patch"]] {
        let peak = peak(root.path(), form);
        assert!(peak > 1 << 10 && peak < 64 << 10, "{form:?}: {peak} kB");
    }
}

/// Returns the most memory, in kilobytes, that the program asks for.
fn peak(root: &Path, arguments: &[&str]) -> u64 {
    let mut command = crate::world::wpatch();
    command
        .current_dir(root)
        .args(arguments)
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let kilobytes = |field: &str| -> Option<u64> {
        let status = fs::read_to_string(&status).ok()?;
        status.lines().find_map(|line| {
            line.strip_prefix(field)?
                .trim_matches([':', '\t', ' '])
                .strip_suffix(" kB")?
                .trim()
                .parse()
                .ok()
        })
    };
    let (mut out, mut peak, mut piece) = (child.stdout.take().unwrap(), 0, vec![0; 64 << 10]);
    while out.read(&mut piece).unwrap() > 0 {
        // Pages of the program itself are no memory that it asks for.
        peak = kilobytes("VmHWM")
            .zip(kilobytes("RssFile"))
            .map_or(peak, |(all, own)| peak.max(all.saturating_sub(own)));
    }
    assert!(child.wait().unwrap().success());
    peak
}
