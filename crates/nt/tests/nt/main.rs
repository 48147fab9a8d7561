//! Tests of each call on the system that runs them, Windows or Wine.
//!
//! Wine lacks some operations. A test that depends on one states what Wine does instead.

#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test that cannot continue fails")]
#![allow(
    clippy::wildcard_imports,
    reason = "the flags are constants with long names"
)]

mod directory;
mod files;
mod links;
mod processes;
mod security;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use wpatch_nt::flags::*;
use wpatch_nt::{Disposition, OpenOptions, dispose, list, open_at, to_nt_path};

/// Returns whether Wine runs the tests.
fn is_wine() -> bool {
    Path::new(r"C:\windows\system32\winepath.exe").exists()
}

/// The access rights for a file that a test writes, renames and deletes.
const ALL: u32 =
    FILE_GENERIC_READ | FILE_GENERIC_WRITE | DELETE | READ_CONTROL | WRITE_DAC | FILE_ADD_FILE;

/// Returns options to open a file with all access, without following links.
fn open_options(disposition: Disposition, options: u32) -> OpenOptions<'static> {
    OpenOptions {
        access: ALL,
        disposition,
        options: options | FILE_OPEN_REPARSE_POINT | FILE_OPEN_FOR_BACKUP_INTENT,
        ..OpenOptions::default()
    }
}

/// A new directory, removed at the end.
struct TestDirectory {
    handle: Option<OwnedHandle>,
}

impl TestDirectory {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let parent = std::env::temp_dir().canonicalize().unwrap();
        let path = parent.join(format!("wpatch-nt-{}-{count}", std::process::id()));
        let how = open_options(Disposition::Create, FILE_DIRECTORY_FILE);
        Self {
            handle: Some(open_at(None, &to_nt_path(&path), &how).unwrap()),
        }
    }

    fn handle(&self) -> BorrowedHandle<'_> {
        self.handle.as_ref().unwrap().as_handle()
    }

    fn open_with(&self, name: &str, how: &OpenOptions<'_>) -> io::Result<OwnedHandle> {
        open_at(Some(self.handle()), OsStr::new(name), how)
    }

    fn open(&self, name: &str) -> io::Result<OwnedHandle> {
        self.open_with(name, &open_options(Disposition::Open, 0))
    }

    fn create(&self, name: &str, content: &str) -> OwnedHandle {
        let how = open_options(Disposition::Create, FILE_NON_DIRECTORY_FILE);
        let mut file = File::from(self.open_with(name, &how).unwrap());
        file.write_all(content.as_bytes()).unwrap();
        file.into()
    }

    fn create_directory(&self, name: &str) -> OwnedHandle {
        let how = open_options(Disposition::Create, FILE_DIRECTORY_FILE);
        self.open_with(name, &how).unwrap()
    }

    fn read(&self, name: &str) -> String {
        let mut content = String::new();
        let mut file = File::from(self.open(name).unwrap());
        file.read_to_string(&mut content).unwrap();
        content
    }

    /// Returns the sorted names of all entries.
    fn names(&self) -> Vec<String> {
        names(self.handle())
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        let directory = self.handle.take().unwrap();
        if !std::thread::panicking() {
            remove(directory.as_handle());
        }
    }
}

fn names(directory: BorrowedHandle<'_>) -> Vec<String> {
    let entries = list(directory).unwrap().into_iter();
    let mut names: Vec<_> = entries
        .map(|entry| entry.name.into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn remove(directory: BorrowedHandle<'_>) {
    for entry in list(directory).unwrap() {
        let how = OpenOptions {
            access: DELETE | FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES,
            ..open_options(Disposition::Open, 0)
        };
        let file = open_at(Some(directory), &entry.name, &how).unwrap();
        if entry.attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
            remove(file.as_handle());
        } else {
            dispose(file.as_handle()).unwrap();
        }
    }
    dispose(directory).unwrap();
}

/// Returns the Win32 code of an error.
fn code<T>(result: io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}
