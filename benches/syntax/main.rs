//! The errors of the guard `syntax` on source code:
//!   `git log --raw --no-abbrev --format= | syntax history REPOSITORY` judges each change of a history.
//!   `syntax deletions DIRECTORY any|bracket COUNT PATH...` deletes tokens of files.

#![allow(clippy::print_stdout, reason = "the example shows the results")]

mod deletions;
mod history;

use std::env;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["history", repository] => history::judge(repository),
        ["deletions", directory, tokens, count, ref paths @ ..] => {
            deletions::write(directory.as_ref(), tokens, count.parse()?, paths)
        }
        _ => Err("see the first lines of benches/syntax/main.rs".into()),
    }
}
