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
//! 5. **It says exactly why not**: which hunk, which line, what was expected, what is there, where the nearest place is.
//!
//! # Examples
//!
//! ```
//! use wpatch::engine::{self, Request};
//! use wpatch::path::RelPath;
//! use wpatch::transaction::Interrupt;
//! use wpatch::workspace::memory::{Entry, Memory};
//!
//! let path = RelPath::new(b"greeting")?;
//! let workspace = Memory::with_files([(path.clone(), Entry::file("hello\n"))]);
//! let patch = "--- a/greeting\n+++ b/greeting\n@@ -1 +1 @@\n-hello\n+good morning\n";
//!
//! let outcome = engine::apply(Request::of(patch), &workspace, &Interrupt::new());
//! assert!(outcome.report.ok);
//! assert_eq!(workspace.files()[&path].contents, b"good morning\n");
//! # Ok::<(), wpatch::path::PathError>(())
//! ```

pub mod change;
pub mod cli;
pub mod digest;
pub mod engine;
pub mod guard;
pub mod matching;
pub mod mode;
pub mod notebook;
pub mod path;
pub mod plan;
pub mod policy;
pub mod preflight;
pub mod repair;
pub mod report;
pub mod syntax;
pub mod text;
pub mod transaction;
pub mod workspace;
