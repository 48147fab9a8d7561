//! Parses a shell script to determine whether it only reads and prints.
//!
//! A script with an expansion, a group or a here-document is not parsed. The caller must assume
//! that such a script can do anything. To accept another program, add it to [`READERS`]. No option
//! of the program may start a program or write a file.

/// The programs that never start a program or write a file, for any arguments.
const READERS: &[&str] = &[
    "basename", "cat", "cd", "cut", "dirname", "echo", "egrep", "fgrep", "grep", "head", "ls",
    "nl", "pwd", "readlink", "realpath", "stat", "tail", "tr", "true", "type", "wc", "which",
];
/// The git commands that only read, or that record given files and a given message.
const GIT_READERS: &[&str] = &[
    "add", "blame", "commit", "diff", "grep", "log", "ls-files", "show", "status",
];
/// The beginnings of the options of `find` that start a program or write a file.
const FIND_ACTIONS: &[&str] = &["-exec", "-ok", "-fprint", "-fls", "-delete"];
/// The targets of redirections that write no file.
const NO_FILES: &[&str] = &["/dev/null", "1", "2"];

/// Returns whether the text that `has_name` accepts occurs only in arguments and inputs of commands
/// that read and print. Their outputs must not be files. Such a text is not executed. Returns false
/// for a script that cannot be parsed.
pub(super) fn is_read_only(script: &str, has_name: &dyn Fn(&str) -> bool) -> bool {
    let Some(commands) = Parser::new(script).commands() else {
        return false;
    };
    let is_named = |command: &ParsedCommand| {
        command
            .words
            .iter()
            .chain(&command.inputs)
            .any(|word| has_name(word))
    };
    // A command reads the output of the commands before it in the pipe, so all commands of a pipe
    // must be safe.
    let mut pipelines = commands
        .split_inclusive(|command| !command.is_piped)
        .filter(|pipe| pipe.iter().any(is_named));
    let is_safe = |pipe: &[ParsedCommand]| {
        pipe.iter()
            .all(|command| !command.writes && is_reader(&command.words))
    };
    pipelines.clone().next().is_some() && pipelines.all(is_safe)
}

/// A program and its arguments, without quotes.
#[derive(Default)]
struct ParsedCommand {
    words: Vec<String>,
    /// The files after `<`.
    inputs: Vec<String>,
    /// Whether the output is written to a file.
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
        // ripgrep does not accept abbreviated options, unlike other programs.
        "rg" => !begins(&["--pre", "--hostname-bin"]),
        "find" => !begins(FIND_ACTIONS),
        "command" => arguments
            .first()
            .is_some_and(|option| matches!(option.as_str(), "-v" | "-V")),
        "git" => is_git_reader(arguments),
        // The script contains only digits, `$`, `,`, `;` and `p`, so it has neither of the commands
        // `e` and `w`. No option names another script.
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
    // `-O` of `git grep` starts a pager, and `--output` writes a file. Options can be abbreviated
    // and joined.
    let is_action = |word: &String| match word.strip_prefix("--") {
        Some(long) => long.starts_with("op") || long.starts_with("ou"),
        None => word.starts_with('-') && word.contains('O'),
    };
    GIT_READERS.contains(&command.as_str()) && !arguments.iter().any(is_action)
}

/// A parser for the part of the shell's grammar without expansions, groups and here-documents.
struct Parser<'s> {
    rest: std::iter::Peekable<std::str::Chars<'s>>,
    commands: Vec<ParsedCommand>,
    command: ParsedCommand,
    word: Option<String>,
    /// `<` or `>` if the next word is the file of a redirection.
    redirection: Option<char>,
}

impl<'s> Parser<'s> {
    fn new(script: &'s str) -> Self {
        let rest = script.chars().peekable();
        Self {
            rest,
            commands: Vec::new(),
            command: ParsedCommand::default(),
            word: None,
            redirection: None,
        }
    }

    /// Returns the commands in order, or `None` for a script that cannot be parsed.
    fn commands(mut self) -> Option<Vec<ParsedCommand>> {
        while let Some(c) = self.rest.next() {
            match c {
                '\'' => self.read_single_quoted()?,
                '"' => self.read_double_quoted()?,
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
                // `&>` redirects in bash. In a POSIX shell the command runs in the background.
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

    fn read_single_quoted(&mut self) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.next()? {
                // In some shells, a backslash escapes the quote.
                '\'' => return (!word.ends_with('\\')).then_some(()),
                c => word.push(c),
            }
        }
    }

    fn read_double_quoted(&mut self) -> Option<()> {
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
            // A here-document, a process substitution, or a file that is read and written.
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
            self.commands.push(ParsedCommand {
                is_piped,
                ..command
            });
        }
        self.redirection.is_none().then_some(())
    }
}
