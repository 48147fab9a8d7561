//! Makes a change to a tree of files true as a whole, or not at all.
//!
//! # The pipeline
//!
//! ```text
//! bytes --syntax--> Plan --preflight--> FileChange... --transaction--> Receipt
//!                    |        |                            |
//!                    +--------+------- report <------------+
//! ```
//!
//! Two kinds of plain data carry everything: [`plan::Plan`], what a patch says, and [`change::FileChange`], what
//! a file becomes. A grammar never hears of files, and the transaction never hears of patches. [`engine::check`] is
//! [`engine::apply`] that stops before the transaction.
//!
//! # The promises
//!
//! 1. **Whole or nothing.** After an error, a signal, a kill or a loss of power the tree is as before or as after; after a
//!    reported success it is as after.
//! 2. **Nothing lost.** No byte changes that the patch does not name, and no file is overwritten that somebody else changed.
//! 3. **Nothing outside.** No path leaves the root, through no name, link or race.
//! 4. **What was checked is what is applied.** A `plan_id` binds an approval to the change.
//! 5. **Everything can be undone**, until something else changed the same file.
//! 6. **It says exactly why not**: which hunk, which line, what was expected, what the file has, and where the closest match is.
//!
//! # Begin
//!
//! [`engine`] has a function for each verb of the program, which says and does the same: the program only reads its
//! command line and prints. Who has the library needs no process. Files are behind a [`workspace::Workspace`]: a directory
//! of the disk, which [`engine::open`] opens, or a tree in memory.
//!
//! # Features
//!
//! `cli` is the default and enables all other features: `encodings` reads files and mail in other encodings than UTF-8,
//! `guard` is the guard `syntax`, `html` prints HTML pages, and `policy` reads policy files. Input that needs a missing
//! feature is refused as unsupported.
//!
//! # Examples
//!
//! A harness has a patch checked, lets somebody approve it, applies exactly that, and takes it back:
//!
//! ```
//! use wpatch::engine::{self, Request, Target};
//! use wpatch::path::RelPath;
//! use wpatch::transaction::{Interrupt, Options};
//! use wpatch::workspace::memory::{Entry, Memory};
//!
//! let path = RelPath::new(b"greeting")?;
//! let workspace = Memory::with_files([(path.clone(), Entry::file("hello\n"))]);
//! let interrupt = Interrupt::new();
//! // A history, which a work tree of git has anyway.
//! assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
//!
//! let patch = "--- a/greeting\n+++ b/greeting\n@@ -1 +1 @@\n-hello\n+good morning\n";
//! let mut request = Request::of(patch);
//! request.look.describe = true;
//! let checked = engine::check(request.clone(), &workspace).report;
//! assert_eq!((checked.ok, checked.summary.modifies), (true, 1));
//!
//! request.commit.approve = checked.plan_id;
//! let applied = engine::apply(request.clone(), &workspace, &interrupt).report;
//! assert!(applied.ok && applied.changed);
//! assert_eq!(workspace.files()[&path].contents, b"good morning\n");
//!
//! let again = engine::apply(request, &workspace, &interrupt).report;
//! assert_eq!((again.ok, again.changed), (false, false));
//!
//! assert!(engine::apply(Request::undo(Target::Last(1)), &workspace, &interrupt).report.ok);
//! assert_eq!(workspace.files()[&path].contents, b"hello\n");
//! # Ok::<(), wpatch::path::PathError>(())
//! ```

mod bytes;
pub mod change;
#[cfg(feature = "cli")]
pub mod cli;
pub mod convert;
pub mod diagnostics;
pub mod digest;
pub mod engine;
pub mod guard;
mod interrupt;
mod lines;
pub mod matching;
pub mod mode;
mod mutex;
pub mod notebook;
pub mod path;
pub mod plan;
pub mod policy;
pub mod preflight;
pub mod process;
pub mod progress;
pub mod repair;
pub mod report;
pub mod syntax;
pub mod text;
mod threads;
pub mod transaction;
pub mod whitespace;
pub mod workspace;

/// The examples in Rust of the README, which have to compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
