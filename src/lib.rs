//! Applies a patch to a tree of files completely, or not at all.
//!
//! [`prelude`] is the interface: a function for each command of the program, the requests and
//! reports of these functions, and the workspaces that they work on. All other public modules are
//! for the program and the tests of this crate, and can change in every version.
//!
//! # Promises
//!
//! 1. **All or nothing.** After an error, a signal, a kill or a power loss, the tree is in its old
//!    state or in its new state. After a reported success it is in the new state.
//! 2. **No data loss.** Only the bytes that the patch names change. A file that another process has
//!    changed is not overwritten.
//! 3. **Confined to the root.** No path leaves the root through its name, a link or a race.
//! 4. **Checked equals applied.** A `plan_id` binds an approval to the change.
//! 5. **Everything can be undone** until another change touches the same file.
//! 6. **Precise diagnostics.** A refusal names the hunk, the line, the expected and the actual
//!    text, and the closest match.
//!
//! # Requests and results
//!
//! A [`Request`](prelude::Request) is a plain struct. Take the request that a function such as
//! [`Request::of`](prelude::Request::of) returns, and set the fields that differ from the defaults.
//! Most functions return an [`Outcome`](prelude::Outcome) with the report that the program prints
//! as JSON. [`into_result`](prelude::Outcome::into_result) turns an outcome into a [`Result`].
//!
//! A [`Workspace`](prelude::Workspace) is a directory ([`Disk`](prelude::Disk), opened by
//! [`open`](prelude::open)), a tree in memory ([`Memory`](prelude::Memory)), or a revision in a git
//! repository ([`open_tree`](prelude::open_tree)).
//!
//! # Threads
//!
//! The functions block the caller. Requests, outcomes, interrupts and workspaces are `Send` and
//! `Sync`: several threads can check patches against one workspace. The only global state is the
//! thread pool of rayon.
//!
//! # Features
//!
//! `cli` and `code-guard` are the default. `cli` enables all other features. Input that needs a
//! missing feature is refused as unsupported.
//!
//! | feature | adds |
//! | --- | --- |
//! | `cli` | the program |
//! | `encodings` | other encodings than UTF-8, of files and of mail |
//! | `guard` | the guard `syntax` for JSON, TOML and YAML |
//! | `code-guard` | the guard `syntax` for source code, and symbols; needs a C compiler |
//! | `html` | HTML pages |
//! | `miette` | `miette::Diagnostic` for [`Refused`](prelude::Refused) |
//! | `policy` | policy files |
//! | `schema` | JSON Schemas, and the tools of models |
//!
//! # Examples
//!
//! A harness checks a patch, asks the user, applies exactly the approved change, and undoes it. The
//! folder `examples` has more.
//!
//! ```
//! use wpatch::prelude::*;
//!
//! let path = RelPath::new(b"greeting")?;
//! let workspace = Memory::with_files([(path.clone(), Entry::file("hello\n"))]);
//! let interrupt = Interrupt::new();
//! // In a git work tree the history needs no preparation.
//! init(&workspace, TransactionOptions::default(), &interrupt).into_result()?;
//!
//! let mut request = Request::of("--- a/greeting\n+++ b/greeting\n@@ -1 +1 @@\n-hello\n+good morning\n");
//! request.look.describe = true;
//! let checked = check(request.clone(), &workspace).into_result()?.report;
//! assert_eq!((checked.changed, checked.summary.modifies), (false, 1));
//!
//! request.commit.approve = checked.plan_id;
//! assert!(apply(request.clone(), &workspace, &interrupt).into_result()?.report.changed);
//! assert_eq!(workspace.files()[&path].contents, b"good morning\n");
//!
//! let refused = apply(request, &workspace, &interrupt).into_result().unwrap_err();
//! assert!(!refused.report().changed);
//!
//! apply(Request::undo(UndoTarget::Last(1)), &workspace, &interrupt).into_result()?;
//! assert_eq!(workspace.files()[&path].contents, b"hello\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
#[doc(hidden)]
pub mod change;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub mod cli;
#[doc(hidden)]
pub mod code;
#[doc(hidden)]
pub mod convert;
#[doc(hidden)]
pub mod diagnostics;
#[doc(hidden)]
pub mod digest;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod guard;
mod interrupt;
mod lines;
#[doc(hidden)]
pub mod matching;
#[doc(hidden)]
pub mod mode;
mod mutex;
#[doc(hidden)]
pub mod notebook;
#[doc(hidden)]
pub mod path;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod preflight;
pub mod prelude;
#[doc(hidden)]
pub mod process;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod repair;
#[doc(hidden)]
pub mod report;
mod stat;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod text;
mod threads;
#[doc(hidden)]
pub mod transaction;
#[doc(hidden)]
pub mod whitespace;
#[doc(hidden)]
pub mod workspace;
mod workspace_error;

/// Compiles the Rust examples of the book as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;
