//! Seeds: what each target begins with, made from the cases in `fixtures/` when it starts.

use std::fs;
use std::path::{Path, PathBuf};

use wpatch::digest::Digest;
use wpatch::engine;
use wpatch::path::RelPath;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind};

use crate::scene::{BORDER, Scene, is_state};

/// Options of cases, and the letters that they have here.
const OPTIONS: &[(&str, u8)] = &[
    ("reverse = true", b'R'),
    ("unidiff_zero = true", b'z'),
    ("recount = true", b'c'),
    ("ignore_whitespace = true", b'w'),
    ("overwrite = true", b'o'),
    ("unique = true", b'u'),
    ("fuzz = ", b'F'),
    ("context = ", b'C'),
    ("strip = 0", b'p'),
    ("strip = 2", b'P'),
];

/// Writes the patches of all cases as seeds of `target`.
pub fn patches(target: &str) {
    write(target, cases().into_iter().map(|case| case.patch));
}

/// Writes the patches of all cases with their trees.
pub fn scenes(target: &str) {
    write(target, cases().iter().map(Scene::encode));
}

/// Writes pairs of contents: each file of a case, and the next one.
pub fn pairs(target: &str) {
    let files = cases()
        .into_iter()
        .flat_map(|case| case.entries)
        .collect::<Vec<_>>();
    let pair = |pair: &[(RelPath, Entry)]| {
        let [(old, first), (new, second)] = pair else {
            return Vec::new();
        };
        [
            &b"x"[..],
            old.as_bytes(),
            new.as_bytes(),
            &first.contents,
            &second.contents,
        ]
        .join(BORDER)
    };
    write(target, files.windows(2).map(pair));
}

/// Writes what cases leave that are killed in the middle.
pub fn wrecks(target: &str) {
    let mut wrecks = Vec::new();
    for case in cases() {
        for verb in (4..60).step_by(5) {
            let memory = case.memory();
            memory.inject(FaultInjection {
                verb,
                kind: FaultKind::Killed,
            });
            let _ = engine::apply(case.request(case.direction()), &memory, &Interrupt::new());
            let entries: Vec<_> = memory.entries().into_iter().collect();
            if entries.iter().any(|(path, _)| is_state(path)) && memory.has_failed() {
                wrecks.push(wreck(entries).encode());
            }
        }
    }
    write(target, wrecks.into_iter());
}

/// Returns a tree with its journals as the target takes them: without the checksum, and digests by
/// number.
fn wreck(mut entries: Vec<(RelPath, Entry)>) -> Scene {
    let digests: Vec<_> = entries
        .iter()
        .map(|(_, entry)| Digest::of(&entry.contents).to_string())
        .collect();
    for (path, entry) in &mut entries {
        if path.as_bytes().ends_with(b"journal") {
            let text = String::from_utf8_lossy(&entry.contents).into_owned();
            let mut body = text
                .split_once('\n')
                .map_or(String::new(), |(_, body)| body.to_owned());
            for (number, digest) in digests.iter().enumerate() {
                body = body.replace(digest, &format!("@{number}@"));
            }
            entry.contents = body.into_bytes();
        }
    }
    Scene {
        entries,
        ..Scene::default()
    }
}

fn write(target: &str, seeds: impl Iterator<Item = Vec<u8>>) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    fs::create_dir_all(&directory).expect("a directory for the seeds");
    for seed in seeds {
        let path = directory.join(Digest::of(&seed).to_string());
        if !path.exists() {
            fs::write(path, seed).expect("a seed is written");
        }
    }
}

/// Returns every case below `fixtures/`.
fn cases() -> Vec<Scene> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let groups = listed(&fixtures).into_iter().filter(|path| path.is_dir());
    groups
        .flat_map(|group| listed(&group))
        .filter_map(|case| read(&case))
        .collect()
}

fn read(case: &Path) -> Option<Scene> {
    let settings = fs::read_to_string(case.join("case.toml")).ok()?;
    let options = OPTIONS
        .iter()
        .filter(|(text, _)| settings.contains(text))
        .map(|(_, letter)| *letter)
        .collect();
    let mut entries = Vec::new();
    walk(&case.join("before"), Vec::new(), &mut entries);
    Some(Scene {
        options,
        entries,
        patch: fs::read(case.join("patch")).ok()?,
    })
}

fn walk(directory: &Path, prefix: Vec<u8>, entries: &mut Vec<(RelPath, Entry)>) {
    for path in listed(directory) {
        let name = [
            &prefix[..],
            &decoded(path.file_name().unwrap_or_default().as_encoded_bytes()),
        ]
        .concat();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            entries.extend(
                RelPath::new(&name)
                    .ok()
                    .map(|path| (path, Entry::link(target.as_os_str().as_encoded_bytes()))),
            );
        } else if path.is_dir() {
            walk(&path, [&name[..], b"/"].concat(), entries);
        } else if let Some(empty) = name.strip_suffix(b"/.") {
            entries.extend(
                RelPath::new(empty)
                    .ok()
                    .map(|path| (path, Entry::directory())),
            );
        } else if let (Ok(name), Ok(contents)) = (RelPath::new(&name), fs::read(&path)) {
            entries.push((name, Entry::file(contents)));
        }
    }
}

/// Returns a name of a fixture with its `%XX` taken for bytes.
fn decoded(name: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(name);
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.extend(byte);
        bytes.extend(part.get(2..).unwrap_or_default().bytes());
    }
    bytes
}

fn listed(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
