//! Reads a script of a shell, as far as that is needed to know that it only reads and prints.
//!
//! A script with an expansion, a group or a here-document is not read: its caller takes it for
//! anything. To accept another program, add it to [`READERS`], unless one of its options starts a
//! program or writes a file.

/// Programs that start no other program and write no file, whatever their arguments are.
const READERS: &[&str] = &[
    "basename", "cat", "cd", "cut", "dirname", "echo", "egrep", "fgrep", "grep", "head", "ls",
    "nl", "pwd", "readlink", "realpath", "stat", "tail", "tr", "true", "type", "wc", "which",
];
/// Commands of git that only read, or that record the files and the message that they are given.
const GIT_READERS: &[&str] = &[
    "add", "blame", "commit", "diff", "grep", "log", "ls-files", "show", "status",
];
/// How the options of `find` begin that start a program or write a file.
const FIND_ACTIONS: &[&str] = &["-exec", "-ok", "-fprint", "-fls", "-delete"];
/// Where the output of a command goes without writing a file.
const NO_FILES: &[&str] = &["/dev/null", "1", "2"];

/// Returns whether the text that `has_name` accepts is only in arguments of commands that read and
/// print, and in none of their outputs: a name there is not executed. Of a script that cannot be
/// read, it is not known.
pub(super) fn only_reads(script: &str, has_name: &dyn Fn(&str) -> bool) -> bool {
    let Some(commands) = Parser::new(script).commands() else {
        return false;
    };
    let is_named = |command: &Command| {
        command
            .words
            .iter()
            .chain(&command.inputs)
            .any(|word| has_name(word))
    };
    // What a command prints goes to those after it in the pipe.
    let mut pipelines = commands
        .split_inclusive(|command| !command.is_piped)
        .filter(|pipe| pipe.iter().any(is_named));
    let is_safe = |pipe: &[Command]| {
        pipe.iter()
            .all(|command| !command.writes && is_reader(&command.words))
    };
    pipelines.clone().next().is_some() && pipelines.all(is_safe)
}

/// A program with its arguments, without quotes.
#[derive(Default)]
struct Command {
    words: Vec<String>,
    /// The files of `<`.
    inputs: Vec<String>,
    /// Whether the output goes to a file.
    writes: bool,
    is_piped: bool,
}

/// Returns whether a command with these words only reads and prints.
fn is_reader(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    let begins = |ways: &[&str]| {
        arguments
            .iter()
            .any(|word| ways.iter().any(|way| word.starts_with(way)))
    };
    match program.as_str() {
        // Unlike those of other programs, the options of ripgrep cannot be abbreviated.
        "rg" => !begins(&["--pre", "--hostname-bin"]),
        "find" => !begins(FIND_ACTIONS),
        "command" => arguments
            .first()
            .is_some_and(|option| matches!(option.as_str(), "-v" | "-V")),
        "git" => is_git_reader(arguments),
        // The commands `e` and `w`, and options that name a script, are not in such a text.
        "sed" => match arguments {
            [quiet, script, files @ ..] => {
                let is_print = script
                    .chars()
                    .all(|c| c.is_ascii_digit() || ",;$p".contains(c));
                quiet == "-n" && is_print && !files.iter().any(|file| file.starts_with('-'))
            }
            _ => false,
        },
        program => READERS.contains(&program),
    }
}

fn is_git_reader(arguments: &[String]) -> bool {
    let Some((command, arguments)) = arguments.split_first() else {
        return false;
    };
    // `-O` of `git grep` starts a pager and `--output` writes a file. Options can be abbreviated
    // and joined.
    let is_action = |word: &String| match word.strip_prefix("--") {
        Some(long) => long.starts_with("op") || long.starts_with("ou"),
        None => word.starts_with('-') && word.contains('O'),
    };
    GIT_READERS.contains(&command.as_str()) && !arguments.iter().any(is_action)
}

struct Parser<'s> {
    rest: std::iter::Peekable<std::str::Chars<'s>>,
    commands: Vec<Command>,
    command: Command,
    word: Option<String>,
    /// `<` or `>`, if the next word is the file of it.
    redirection: Option<char>,
}

impl<'s> Parser<'s> {
    fn new(script: &'s str) -> Self {
        let rest = script.chars().peekable();
        Self {
            rest,
            commands: Vec::new(),
            command: Command::default(),
            word: None,
            redirection: None,
        }
    }

    /// Returns the commands in their order, `None` for a script that cannot be read.
    fn commands(mut self) -> Option<Vec<Command>> {
        while let Some(c) = self.rest.next() {
            match c {
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    c => self.word.get_or_insert_default().push(c),
                },
                ' ' | '\t' => self.end_word(),
                '\n' | ';' => self.end_command(false)?,
                '|' => {
                    let is_or = self.rest.next_if_eq(&'|').is_some();
                    self.rest.next_if_eq(&'&');
                    self.end_command(!is_or)?;
                }
                // Shells differ in what `&>` means.
                '&' if self.rest.peek() == Some(&'>') => return None,
                '&' => {
                    self.rest.next_if_eq(&'&');
                    self.end_command(false)?;
                }
                '<' | '>' => self.redirect(c)?,
                '#' if self.word.is_none() => return None,
                '$' | '`' | '(' | ')' | '{' | '}' => return None,
                c => self.word.get_or_insert_default().push(c),
            }
        }
        self.end_command(false)?;
        Some(self.commands)
    }

    fn single_quoted(&mut self) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.next()? {
                // Some shells take the backslash for an escape.
                '\'' => return (!word.ends_with('\\')).then_some(()),
                c => word.push(c),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '$' | '`' => return None,
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => word.push(c),
                    c => word.extend(['\\', c]),
                },
                c => word.push(c),
            }
        }
    }

    fn redirect(&mut self, sign: char) -> Option<()> {
        self.end_word();
        match self.rest.peek() {
            // A here-document, a process, or a file that is read and written.
            Some('<' | '(') => return None,
            Some('>') if sign == '<' => return None,
            _ => {}
        }
        self.rest.next_if(|c| matches!(c, '>' | '|' | '&'));
        self.redirection.replace(sign).is_none().then_some(())
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take() {
            Some('<') => self.command.inputs.push(word),
            Some(_) => self.command.writes |= !NO_FILES.contains(&word.as_str()),
            None => self.command.words.push(word),
        }
    }

    fn end_command(&mut self, is_piped: bool) -> Option<()> {
        self.end_word();
        let command = std::mem::take(&mut self.command);
        let is_empty = command.words.is_empty() && command.inputs.is_empty() && !command.writes;
        if !is_empty || is_piped {
            self.commands.push(Command {
                is_piped,
                ..command
            });
        }
        self.redirection.is_none().then_some(())
    }
}
