//! The floor: what a change costs when its answer is known beforehand, and only the file operations
//! are left to do.
//!
//! ```text
//! floor answer BEFORE AFTER PATCH > ANSWER    works out the answer; of PATCH it reads the renames
//! floor none|full TREE < ANSWER               makes it true: stage, journal, exchange, keep or remove the old files
//! floor ordered TREE < ANSWER                 as wpatch does `none`: staged in many directories, each old file looked at,
//!                                             exchanged by one thread
//! floor plain TREE < ANSWER                   the same without a transaction: write beside, rename over it
//! ```
//!
//! `full` syncs the file system before the journal counts and before the change does. A tree without
//! `.git` has no history, so the old files are removed at the end. Two threads share the work.

#[cfg(target_os = "linux")]
mod answer;
#[cfg(target_os = "linux")]
mod operations;

#[cfg(target_os = "linux")]
fn main() -> operations::Result<()> {
    operations::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    panic!("the floor makes calls of Linux");
}
