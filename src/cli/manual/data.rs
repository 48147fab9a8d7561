//! The tables of the manual pages.
//!
//! To document a new command, add its examples to [`EXAMPLES`].

/// The examples of each command. An example is a purpose and a command line.
pub(super) const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "wpatch",
        &[
            ("Apply a patch", "wpatch apply change.diff"),
            ("Check a patch first", "wpatch check change.diff"),
            ("Undo the last change", "wpatch undo"),
        ],
    ),
    (
        "apply",
        &[
            (
                "Apply a patch from standard input",
                "git diff main | wpatch apply",
            ),
            (
                "Apply a patch that a model wrote",
                "wpatch apply --lenient answer.md",
            ),
            (
                "Stage one hunk",
                "git diff | wpatch apply --cached --only f1h2",
            ),
            (
                "Apply the approved plan, and no other",
                "wpatch apply --approve sha256:... change.diff",
            ),
            (
                "Roll back if the tests fail",
                "wpatch apply --verify 'cargo test' change.diff",
            ),
        ],
    ),
    (
        "check",
        &[
            (
                "Print a report for a program",
                "wpatch check --json change.diff",
            ),
            (
                "Check against a branch without a checkout",
                "wpatch check --from-tree main change.diff",
            ),
            ("Run many checks", "wpatch check --batch jobs.jsonl"),
        ],
    ),
    (
        "reject",
        &[
            (
                "Reject a plan",
                "wpatch reject 1a2b3c4d --reason 'wait for the release'",
            ),
            ("Remove the rejection", "wpatch reject --withdraw 1a2b3c4d"),
        ],
    ),
    (
        "edit",
        &[
            (
                "Replace a text that occurs once",
                "wpatch edit main.c --old 'int x' --new 'long x'",
            ),
            (
                "Insert a line after line 3",
                "wpatch edit main.c --insert-after 3 --new '#include <stdio.h>'",
            ),
        ],
    ),
    (
        "write",
        &[(
            "Write a file",
            "wpatch write notes.txt --content 'first line'",
        )],
    ),
    (
        "append",
        &[(
            "Append a line",
            "wpatch append notes.txt --line --content 'last line'",
        )],
    ),
    (
        "notebook",
        &[(
            "Replace a cell",
            "wpatch notebook replace analysis.ipynb --cell cell-2 --source 'x = 1'",
        )],
    ),
    (
        "run",
        &[
            (
                "Run a command that can be undone",
                "wpatch run -- sed -i s/old/new/ notes.txt",
            ),
            (
                "Print what a command would change",
                "wpatch run --dry-run -v -- make generate",
            ),
            ("Move a file in git", "wpatch run --index -- git mv a b"),
        ],
    ),
    (
        "recover",
        &[("Roll back an interrupted run", "wpatch recover")],
    ),
    (
        "undo",
        &[
            ("Undo the last change", "wpatch undo"),
            ("Undo the last three changes", "wpatch undo --last 3"),
            ("Print what would be undone", "wpatch undo --dry-run"),
        ],
    ),
    ("redo", &[("Undo the last undo", "wpatch redo")]),
    ("log", &[("Print the history as JSON", "wpatch log --json")]),
    (
        "show",
        &[
            (
                "Show a patch of any format as a git diff",
                "wpatch show answer.md",
            ),
            (
                "Write a page for reviewers",
                "wpatch show --html change.diff > review.html",
            ),
        ],
    ),
    (
        "convert",
        &[
            (
                "Write the answer of a model as a git diff",
                "wpatch convert --to git answer.md > change.diff",
            ),
            (
                "Write the reverse of a patch",
                "wpatch convert --to unified -R change.diff",
            ),
        ],
    ),
    (
        "refresh",
        &[
            (
                "Move the patches of a Debian package to a new version",
                "wpatch refresh --series debian/patches/series",
            ),
            (
                "Print what would be done",
                "wpatch refresh --dry-run fix.patch",
            ),
        ],
    ),
    (
        "init",
        &[(
            "Keep a history in a directory without git",
            "wpatch init --root /srv/project",
        )],
    ),
    ("gc", &[("Remove the whole history", "wpatch gc --all")]),
    (
        "grammar",
        &[(
            "Print the grammar of unified diffs",
            "wpatch grammar unified",
        )],
    ),
    (
        "schema",
        &[("Print the JSON Schema of reports", "wpatch schema report")],
    ),
    (
        "completions",
        &[(
            "Install completions for bash",
            "wpatch completions bash > ~/.local/share/bash-completion/completions/wpatch",
        )],
    ),
    (
        "man",
        &[(
            "Install the page of a command",
            "wpatch man apply > /usr/local/share/man/man1/wpatch-apply.1",
        )],
    ),
    (
        "read",
        &[(
            "Print lines 10 to 20 with numbers",
            "wpatch read main.c --lines 10-20 --number",
        )],
    ),
    (
        "list",
        &[("List the headers", "wpatch list --glob '**/*.h'")],
    ),
    ("diff", &[("Compare two files", "wpatch diff old.c new.c")]),
    (
        "policy",
        &[(
            "Print the rules for a path",
            "wpatch policy explain .github/workflows/ci.yml",
        )],
    ),
    (
        "mcp",
        &[(
            "Serve the tools for one project",
            "wpatch mcp --root /srv/project",
        )],
    ),
    (
        "hook",
        &[
            (
                "Check a tool call of Claude Code",
                "wpatch hook claude < call.json",
            ),
            (
                "Register the hook with Cursor in the current project",
                "wpatch hook install cursor",
            ),
        ],
    ),
];

/// The exit codes with their meanings.
pub(super) const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "Success."),
    (
        "1",
        "The patch does not apply, or the plan is not the approved one. The tree is unchanged, except with --reject, \
         --merge or --conflict.",
    ),
    (
        "2",
        "The command line or the patch is malformed. The tree is unchanged.",
    ),
    (
        "3",
        "Policy, a guard, a missing approval, --before, --verify or --diagnostics=deny refuses the change. The tree is \
         unchanged.",
    ),
    ("4", "The system failed. The tree is unchanged."),
    ("5", "The rollback is incomplete. Run wpatch recover."),
    ("6", "Another wpatch process holds the lock."),
    (
        "128+N",
        "Signal N ended the command. The tree is unchanged.",
    ),
];

/// The exit codes of the commands that have others.
pub(super) const OWN_EXIT_CODES: &[(&str, &[(&str, &str)])] = &[
    (
        "diff",
        &[
            ("0", "The files are equal."),
            ("1", "The files differ."),
            (
                "2",
                "A file cannot be read, or the command line is malformed.",
            ),
        ],
    ),
    (
        "hook",
        &[
            ("0", "The decision, if there is one, is on standard output."),
            (
                "2",
                "The call or the command line is malformed. The agent must block the call.",
            ),
        ],
    ),
];

/// Returns the row of `name` in a table by commands.
pub(super) fn find_row<T: ?Sized>(table: &[(&str, &'static T)], name: &str) -> Option<&'static T> {
    let row = table.iter().find(|(command, _)| *command == name);
    row.map(|&(_, row)| row)
}

/// The environment variables with their effects.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR",
        "The root of wpatch hook claude and wpatch hook gemini without --root.",
    ),
    (
        "CLICOLOR_FORCE, CLICOLOR, NO_COLOR, TERM",
        "Whether the output has colors, if --color is auto.",
    ),
    (
        "WPATCH_PAGER, GIT_PAGER, PAGER",
        "The pager of show, log, diff and check on a terminal. The first variable that is set counts; core.pager of \
         git's configuration of the user comes before PAGER. An empty value or cat turns the pager off. The default \
         is less.",
    ),
    (
        "LESS, LV",
        "The options of the pager. wpatch sets LESS=FRX and LV=-c if they are not set.",
    ),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "Whether show uses symbols outside of ASCII on a terminal.",
    ),
    (
        "CI, COLUMNS",
        "CI turns the progress line off. COLUMNS is the width of the terminal.",
    ),
    (
        "GIT_DIR, GIT_WORK_TREE, GIT_CONFIG_*",
        "The repository and its configuration, as in git(1).",
    ),
    (
        "SIMPLE_BACKUP_SUFFIX",
        "The suffix of backups if the program is called patch, as in patch(1).",
    ),
    (
        "XDG_CONFIG_HOME",
        "The directory of wpatch/config.toml. The default is ~/.config.",
    ),
    (
        "XDG_STATE_HOME",
        "If set, the directory of the history of trees that are neither git work trees nor prepared by wpatch init.",
    ),
];

/// The files that the program uses.
pub(super) const FILES: &[(&str, &str)] = &[
    (
        ".git/wpatch/",
        "The journal of a running change, and the history, in a git work tree.",
    ),
    (
        ".wpatch/",
        "The same in a directory that wpatch init prepared.",
    ),
    (
        "$XDG_STATE_HOME/wpatch/",
        "The same for all other directories, if XDG_STATE_HOME is set.",
    ),
    ("wpatch.toml", "The policy of the tree."),
    (
        "~/.config/wpatch/config.toml",
        "The policy and the configuration of the user.",
    ),
];
