//! The files of editors and development environments, in which agents run.

use super::ProgramFiles;

pub(super) const EDITORS: &[ProgramFiles] = &[
    ProgramFiles {
        program: "Visual Studio Code",
        source: "https://code.visualstudio.com/docs/editor/workspace-trust https://code.visualstudio.com/docs/debugtest/tasks",
        paths: &[
            ".vscode/tasks.json",
            ".vscode/settings.json",
            ".vscode/launch.json",
            ".vscode/extensions.json",
            ".vscode/mcp.json",
        ],
    },
    ProgramFiles {
        program: "JetBrains IDEs",
        source: "https://www.jetbrains.com/help/idea/run-debug-configuration.html",
        paths: &[".idea", ".run"],
    },
    ProgramFiles {
        program: "Visual Studio",
        source: "https://learn.microsoft.com/en-us/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio",
        paths: &[".vs"],
    },
    ProgramFiles {
        program: "Zed",
        source: "https://zed.dev/docs/tasks https://zed.dev/docs/ai/rules",
        paths: &[".zed", ".rules"],
    },
    ProgramFiles {
        program: "Helix",
        source: "https://docs.helix-editor.com/languages.html",
        paths: &[".helix"],
    },
    ProgramFiles {
        program: "Vim and Neovim",
        source: "https://neovim.io/doc/user/options.html#'exrc'",
        paths: &[".exrc", ".vimrc", ".nvimrc", ".nvim.lua"],
    },
    ProgramFiles {
        program: "Emacs",
        source: "https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html",
        paths: &[".dir-locals.el", ".dir-locals-2.el"],
    },
    ProgramFiles {
        program: "development containers",
        source: "https://containers.dev/implementors/spec",
        paths: &[".devcontainer", ".devcontainer.json"],
    },
    ProgramFiles {
        program: "Gitpod",
        source: "https://www.gitpod.io/docs/references/gitpod-yml",
        paths: &[".gitpod.yml"],
    },
];
