//! Judges the changes of a history. A refused change is a false alarm, unless the commit really
//! broke the file.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

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
}

/// Reads the output of `git log --raw --no-abbrev`. Prints the size in bytes and the time in
/// microseconds of each change, a line for each refused change, and a table.
pub(crate) fn judge(repository: &str) -> Result<(), Box<dyn Error>> {
    let mut objects = Objects::open(repository)?;
    let mut seen = HashSet::new();
    let mut table: BTreeMap<&str, Results> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some((before, after, path)) = parse(&line).filter(|_| seen.insert(line.clone())) else {
            continue;
        };
        let after_text = objects.read(after)?;
        let name = RelPath::new(path.as_bytes())?;
        let Some(language) = language_of(&name, &after_text) else {
            continue;
        };
        let before_text = objects.read(before)?;
        let change = Change {
            path: &name,
            before: &before_text,
            after: &after_text,
        };
        let start = Instant::now();
        let finding = check(&change);
        let (size, time) = (after_text.len(), start.elapsed().as_micros());
        println!("change\t{}\t{size}\t{time}", language.name);
        table
            .entry(language.name)
            .or_default()
            .add(finding.as_ref());
        let source = format!("{}\t{before}\t{after}\t{path}", language.name);
        match finding {
            Some(GuardFinding::InvalidSyntax { failure, .. }) => {
                let (line, column) = (failure.position.line, failure.position.column);
                println!("alarm\t{source}\t{line}:{column}\t{}", failure.message);
            }
            Some(finding) => println!("note\t{source}\t{finding}"),
            None => {}
        }
    }
    for (language, results) in table {
        results.print(language);
    }
    Ok(())
}

/// Returns the objects before and after a change, and the path, if `line` is a modified file.
fn parse(line: &str) -> Option<(&str, &str, &str)> {
    let (fields, path) = line.split_once('\t')?;
    let fields: Vec<_> = fields.split(' ').collect();
    let [old_mode, new_mode, before, after, "M"] = fields[..] else {
        return None;
    };
    let is_file = |mode: &str| mode.ends_with("100644") || mode.ends_with("100755");
    (is_file(old_mode) && is_file(new_mode)).then_some((before, after, path))
}

fn check(change: &Change<'_>) -> Option<GuardFinding> {
    let guard = GUARDS.iter().find(|guard| guard.name == "syntax");
    guard.and_then(|guard| guard.check_file(change))
}

impl Results {
    fn add(&mut self, finding: Option<&GuardFinding>) {
        self.changes += 1;
        match finding {
            None => {}
            Some(GuardFinding::InvalidSyntax { .. }) => self.alarms += 1,
            Some(finding) if finding.to_string().contains("before the change") => self.invalid += 1,
            Some(_) => self.notes += 1,
        }
    }

    fn print(&self, language: &str) {
        let Self {
            changes,
            alarms,
            invalid,
            notes,
        } = self;
        println!("total\t{language}\t{changes}\t{alarms}\t{invalid}\t{notes}");
    }
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
