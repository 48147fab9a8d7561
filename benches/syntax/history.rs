//! Judges the changes of a history. A refused change is a false alarm, unless the commit really
//! broke the file.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use wpatch::code::language_of;
use wpatch::guard::{Change, GUARDS, GuardFinding};
use wpatch::path::RelPath;

/// The results of a language.
#[derive(Default)]
struct Results {
    changes: usize,
    alarms: usize,
    /// Changes of files that the grammar does not accept before and after the change.
    invalid: usize,
    /// Changes that were not checked for another reason.
    notes: usize,
    bytes: usize,
    time: Duration,
}

/// Reads the output of `git log --raw --no-abbrev` and prints a line for each refused change, and a
/// table.
pub(crate) fn judge(repository: &str) -> Result<(), Box<dyn Error>> {
    let mut objects = Objects::open(repository)?;
    let mut seen = HashSet::new();
    let mut table: BTreeMap<&str, Results> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some((fields, path)) = line.split_once('\t') else {
            continue;
        };
        let fields: Vec<_> = fields.split(' ').collect();
        let [old_mode, new_mode, before, after, "M"] = fields[..] else {
            continue;
        };
        let is_file = |mode: &str| mode.ends_with("100644") || mode.ends_with("100755");
        let Ok(name) = RelPath::new(path.as_bytes()) else {
            continue;
        };
        if !is_file(old_mode) || !is_file(new_mode) || !seen.insert(line.clone()) {
            continue;
        }
        let after_text = objects.read(after)?;
        let Some(language) = language_of(&name, &after_text) else {
            continue;
        };
        let before_text = objects.read(before)?;
        let results = table.entry(language.name).or_default();
        results.changes += 1;
        results.bytes += after_text.len();
        let start = Instant::now();
        let change = Change {
            path: &name,
            before: &before_text,
            after: &after_text,
        };
        let guard = GUARDS.iter().find(|guard| guard.name == "syntax");
        let finding = guard.and_then(|guard| guard.check_file(&change));
        results.time += start.elapsed();
        match finding {
            None => {}
            Some(GuardFinding::InvalidSyntax { language, failure }) => {
                results.alarms += 1;
                let (line, column) = (failure.position.line, failure.position.column);
                let message = &failure.message;
                println!(
                    "alarm\t{language}\t{before}\t{after}\t{path}\t{line}:{column}\t{message}"
                );
            }
            Some(finding) if finding.to_string().contains("before the change") => {
                results.invalid += 1;
            }
            Some(finding) => {
                results.notes += 1;
                println!(
                    "note\t{}\t{before}\t{after}\t{path}\t{finding}",
                    language.name
                );
            }
        }
    }
    for (language, results) in table {
        let Results {
            changes,
            alarms,
            invalid,
            notes,
            bytes,
            time,
        } = results;
        println!(
            "total\t{language}\t{changes}\t{alarms}\t{invalid}\t{notes}\t{bytes}\t{}",
            time.as_micros()
        );
    }
    Ok(())
}

/// The objects of a repository.
struct Objects {
    _process: Child,
    names: ChildStdin,
    contents: BufReader<ChildStdout>,
}

impl Objects {
    fn open(repository: &str) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new("git")
            .args(["-C", repository, "cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let names = process.stdin.take().ok_or("no input")?;
        let contents = BufReader::new(process.stdout.take().ok_or("no output")?);
        Ok(Self {
            _process: process,
            names,
            contents,
        })
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>, Box<dyn Error>> {
        writeln!(self.names, "{name}")?;
        let mut header = String::new();
        self.contents.read_line(&mut header)?;
        let Some(size) = header
            .trim()
            .rsplit(' ')
            .next()
            .and_then(|it| it.parse::<usize>().ok())
        else {
            return Ok(Vec::new());
        };
        let mut content = vec![0_u8; size + 1];
        self.contents.read_exact(&mut content)?;
        content.pop();
        Ok(content)
    }
}
