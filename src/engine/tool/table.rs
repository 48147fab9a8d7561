//! The table of all tools.

use super::{Tool, ToolEffect, arguments, change, history, patch, session, view};

/// All tools. The first four have the names and the arguments of the commands in Anthropic's text
/// editor tool.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "view",
        description: "Show a text file with line numbers, or list a directory. Long files are truncated; use \
             view_range to show other lines. With hashline, the output has the tag that hashline edits need.",
        effect: ToolEffect::Reads,
        schema: arguments::schema::<arguments::ViewArguments>,
        run: view::view,
    },
    Tool {
        name: "str_replace",
        description: "Replace a text that occurs exactly once in the file. White space and line breaks must match; \
             add surrounding lines to make the text unique, or use replace_all.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::ReplaceArguments>,
        run: change::str_replace,
    },
    Tool {
        name: "insert",
        description: "Insert whole lines after a line of a file; 0 inserts at the start.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::InsertArguments>,
        run: change::insert,
    },
    Tool {
        name: "create",
        description: "Create a new file and its missing parent directories. An existing file is replaced only with \
             overwrite.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::CreateArguments>,
        run: change::create,
    },
    Tool {
        name: "edit",
        description: "Replace texts or whole functions, classes and other symbols in one or several files as one \
             change: all edits are made, or none.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::EditArguments>,
        run: change::edit,
    },
    Tool {
        name: "notebook",
        description: "Replace the source of a cell of a Jupyter notebook, insert a cell, or delete a cell.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::NotebookArguments>,
        run: change::notebook,
    },
    Tool {
        name: "apply_patch",
        description: "Apply a patch to any number of files, completely or not at all. The patch is a unified or git \
             diff, a *** Begin Patch envelope, SEARCH/REPLACE blocks, hashline edits, or a JSON document of changes.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::PatchArguments>,
        run: patch::apply,
    },
    Tool {
        name: "check_patch",
        description: "Report what apply_patch would do, with the diff and the plan_id that apply_patch accepts as \
             approve. No file is changed.",
        effect: ToolEffect::Reads,
        schema: arguments::schema::<arguments::PatchArguments>,
        run: patch::check,
    },
    Tool {
        name: "list",
        description: "List a directory, the files below it whose path matches a pattern, or the symbols of a file.",
        effect: ToolEffect::Reads,
        schema: arguments::schema::<arguments::ListArguments>,
        run: view::list,
    },
    Tool {
        name: "session",
        description: "Collect changes in an edit session and make all of them at once, or none. begin returns the id \
             that the other tools take as session; commit makes the changes, check shows them.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::SessionArguments>,
        run: session::session,
    },
    Tool {
        name: "log",
        description: "List the open edit sessions and the last changes of the files, with the ids that undo accepts.",
        effect: ToolEffect::Reads,
        schema: arguments::schema::<arguments::LogArguments>,
        run: history::log,
    },
    Tool {
        name: "undo",
        description: "Undo the last change, or the change with an id. A file that was modified since is refused.",
        effect: ToolEffect::Changes,
        schema: arguments::schema::<arguments::UndoArguments>,
        run: history::undo,
    },
];
