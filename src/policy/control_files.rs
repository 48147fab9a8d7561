//! The table of files that control what an agent, an editor or a CI system executes, or which
//! instructions an agent follows.
//!
//! To add a file, add a row. A row is for a file that a program executes, or obeys, on its own:
//! when an agent or an editor opens the directory, when a shell enters it, at a commit, or after a
//! push.
//!
//! Not in the table:
//! - Files that a build executes, such as `Makefile`, `package.json` and `build.rs`. They are part
//!   of the code that an agent is asked to change, and a reviewer reads them as code.
//! - `.gitattributes`: it selects the drivers of filters, diffs and merges by name. The commands of
//!   a driver are in git's configuration, see gitattributes(5).
//! - `.gitmodules`: git takes no `update = !command` from it, see gitmodules(5), and no
//!   configuration of a submodule.
//! - `.env`: programs read values from it, and `secrets = "strict"` protects it.

/// The files of one program.
pub(super) struct Files {
    pub(super) program: &'static str,
    /// Where the program documents them.
    #[allow(
        dead_code,
        reason = "the source of the row, for readers and for the test"
    )]
    pub(super) source: &'static str,
    /// Relative paths, matched below any directory. A directory matches everything in it.
    pub(super) paths: &'static [&'static str],
}

pub(super) const FILES: &[Files] = &[
    // Agents.
    Files {
        program: "Claude Code",
        source: "https://code.claude.com/docs/en/settings https://code.claude.com/docs/en/memory \
                 https://code.claude.com/docs/en/plugins-reference",
        paths: &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/hooks",
            ".claude/commands",
            ".claude/agents",
            ".claude/skills",
            ".claude/rules",
            ".claude/output-styles",
            ".claude/plugins",
            ".claude.json",
            ".claude-plugin",
            ".mcp.json",
            ".lsp.json",
            "hooks/hooks.json",
            "CLAUDE.md",
            "CLAUDE.local.md",
        ],
    },
    Files {
        program: "Codex",
        source: "https://developers.openai.com/codex/config-reference https://developers.openai.com/codex/hooks",
        paths: &[".codex", "AGENTS.override.md"],
    },
    Files {
        program: "coding agents",
        source: "https://agents.md https://agentskills.io",
        paths: &["AGENTS.md", "AGENT.md", ".agents"],
    },
    Files {
        program: "Gemini CLI",
        source: "https://geminicli.com/docs/reference/configuration",
        paths: &[".gemini", "GEMINI.md"],
    },
    Files {
        program: "GitHub Copilot",
        source: "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions-in-your-ide \
                 https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions",
        paths: &[
            ".github/copilot-instructions.md",
            ".github/instructions",
            ".github/prompts",
            ".github/agents",
            ".github/chatmodes",
            ".github/hooks",
            ".github/skills",
            ".copilot",
        ],
    },
    Files {
        program: "Cursor",
        source: "https://cursor.com/docs/context/rules https://cursor.com/docs/agent/hooks",
        paths: &[".cursor", ".cursorrules"],
    },
    Files {
        program: "Windsurf",
        source: "https://docs.windsurf.com/windsurf/cascade/memories",
        paths: &[".windsurf", ".windsurfrules"],
    },
    Files {
        program: "Cline",
        source: "https://docs.cline.bot/customization/cline-rules",
        paths: &[".clinerules", ".cline"],
    },
    Files {
        program: "Roo Code",
        source: "https://docs.roocode.com/features/custom-instructions",
        paths: &[".roo", ".roorules", ".roorules-code", ".roomodes"],
    },
    Files {
        program: "Continue",
        source: "https://docs.continue.dev/customize/deep-dives/rules",
        paths: &[".continue", ".continuerules"],
    },
    Files {
        program: "aider",
        source: "https://aider.chat/docs/config/aider_conf.html",
        paths: &[".aider.conf.yml"],
    },
    Files {
        program: "OpenCode",
        source: "https://opencode.ai/docs/config",
        paths: &[
            ".opencode",
            "opencode.json",
            "opencode.jsonc",
            ".config/opencode",
        ],
    },
    Files {
        program: "Goose",
        source: "https://block.github.io/goose/docs/guides/context-engineering/using-goosehints",
        paths: &[".goosehints", ".config/goose"],
    },
    Files {
        program: "Qwen Code",
        source: "https://qwenlm.github.io/qwen-code-docs",
        paths: &[".qwen", "QWEN.md"],
    },
    Files {
        program: "Crush",
        source: "https://github.com/charmbracelet/crush#configuration",
        paths: &[".crush.json", "crush.json"],
    },
    Files {
        program: "Warp",
        source: "https://docs.warp.dev/agents/capabilities/rules",
        paths: &["WARP.md"],
    },
    Files {
        program: "Augment Code",
        source: "https://docs.augmentcode.com/setup-augment/guidelines",
        paths: &[".augment", ".augment-guidelines"],
    },
    Files {
        program: "Trae",
        source: "https://docs.trae.ai/ide/rules",
        paths: &[".trae"],
    },
    Files {
        program: "Kilo Code",
        source: "https://kilo.ai/docs/customize/custom-rules",
        paths: &[".kilocode", ".kilocodemodes", ".kilocoderules"],
    },
    Files {
        program: "Amp",
        source: "https://ampcode.com/manual",
        paths: &[".amp", ".config/amp"],
    },
    Files {
        program: "Factory",
        source: "https://docs.factory.ai/cli/configuration/settings",
        paths: &[".factory"],
    },
    Files {
        program: "OpenHands",
        source: "https://docs.openhands.dev/openhands/usage/customization/repository",
        paths: &[".openhands"],
    },
    Files {
        program: "Antigravity",
        source: "https://antigravity.google/docs/rules-workflows",
        paths: &[".agent"],
    },
    Files {
        program: "Firebase Studio",
        source: "https://firebase.google.com/docs/studio/customize-workspace",
        paths: &[".idx"],
    },
    Files {
        program: "Replit",
        source: "https://docs.replit.com/replit-app/configuration",
        paths: &[".replit"],
    },
    Files {
        program: "Kiro",
        source: "https://kiro.dev/docs/steering",
        paths: &[".kiro"],
    },
    Files {
        program: "Junie",
        source: "https://www.jetbrains.com/help/junie",
        paths: &[".junie"],
    },
    Files {
        program: "Amazon Q Developer",
        source: "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/context-project-rules.html",
        paths: &[".amazonq"],
    },
    // CI systems.
    Files {
        program: "GitHub Actions",
        source: "https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax",
        paths: &[".github/workflows", ".github/actions"],
    },
    Files {
        program: "Forgejo and Gitea Actions",
        source: "https://forgejo.org/docs/latest/user/actions https://docs.gitea.com/usage/actions/overview",
        paths: &[".forgejo/workflows", ".gitea/workflows"],
    },
    Files {
        program: "GitLab CI/CD",
        source: "https://docs.gitlab.com/ci/yaml",
        paths: &[".gitlab-ci.yml", ".gitlab/ci"],
    },
    Files {
        program: "CircleCI",
        source: "https://circleci.com/docs/configuration-reference",
        paths: &[".circleci"],
    },
    Files {
        program: "Jenkins",
        source: "https://www.jenkins.io/doc/book/pipeline/jenkinsfile",
        paths: &["Jenkinsfile"],
    },
    Files {
        program: "Azure Pipelines",
        source: "https://learn.microsoft.com/en-us/azure/devops/pipelines/yaml-schema",
        paths: &[
            "azure-pipelines.yml",
            "azure-pipelines.yaml",
            ".azure-pipelines",
        ],
    },
    Files {
        program: "Travis CI",
        source: "https://docs.travis-ci.com/user/customizing-the-build",
        paths: &[".travis.yml"],
    },
    Files {
        program: "Bitbucket Pipelines",
        source: "https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference",
        paths: &["bitbucket-pipelines.yml"],
    },
    Files {
        program: "Buildkite",
        source: "https://buildkite.com/docs/pipelines",
        paths: &[".buildkite"],
    },
    Files {
        program: "Drone",
        source: "https://docs.drone.io/pipeline/overview",
        paths: &[".drone.yml", ".drone.star"],
    },
    Files {
        program: "Woodpecker CI",
        source: "https://woodpecker-ci.org/docs/usage/workflow-syntax",
        paths: &[".woodpecker", ".woodpecker.yml", ".woodpecker.yaml"],
    },
    Files {
        program: "AppVeyor",
        source: "https://www.appveyor.com/docs/appveyor-yml",
        paths: &["appveyor.yml", ".appveyor.yml"],
    },
    Files {
        program: "Cirrus CI",
        source: "https://cirrus-ci.org/guide/writing-tasks",
        paths: &[".cirrus.yml", ".cirrus.star"],
    },
    Files {
        program: "Semaphore",
        source: "https://docs.semaphore.io/reference/pipeline-yaml",
        paths: &[".semaphore"],
    },
    Files {
        program: "TeamCity",
        source: "https://www.jetbrains.com/help/teamcity/kotlin-dsl.html",
        paths: &[".teamcity"],
    },
    Files {
        program: "AWS CodeBuild",
        source: "https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html",
        paths: &["buildspec.yml"],
    },
    Files {
        program: "Google Cloud Build",
        source: "https://cloud.google.com/build/docs/build-config-file-schema",
        paths: &["cloudbuild.yaml"],
    },
    Files {
        program: "Read the Docs",
        source: "https://docs.readthedocs.com/platform/stable/config-file/v2.html",
        paths: &[".readthedocs.yaml", ".readthedocs.yml"],
    },
    Files {
        program: "Netlify",
        source: "https://docs.netlify.com/build/configure-builds/file-based-configuration",
        paths: &["netlify.toml"],
    },
    Files {
        program: "Vercel",
        source: "https://vercel.com/docs/project-configuration",
        paths: &["vercel.json"],
    },
    // Editors, which agents run in.
    Files {
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
    Files {
        program: "JetBrains IDEs",
        source: "https://www.jetbrains.com/help/idea/run-debug-configuration.html",
        paths: &[".idea", ".run"],
    },
    Files {
        program: "Visual Studio",
        source: "https://learn.microsoft.com/en-us/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio",
        paths: &[".vs"],
    },
    Files {
        program: "Zed",
        source: "https://zed.dev/docs/tasks https://zed.dev/docs/ai/rules",
        paths: &[".zed", ".rules"],
    },
    Files {
        program: "Helix",
        source: "https://docs.helix-editor.com/languages.html",
        paths: &[".helix"],
    },
    Files {
        program: "Vim and Neovim",
        source: "https://neovim.io/doc/user/options.html#'exrc'",
        paths: &[".exrc", ".vimrc", ".nvimrc", ".nvim.lua"],
    },
    Files {
        program: "Emacs",
        source: "https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html",
        paths: &[".dir-locals.el", ".dir-locals-2.el"],
    },
    Files {
        program: "development containers",
        source: "https://containers.dev/implementors/spec",
        paths: &[".devcontainer", ".devcontainer.json"],
    },
    Files {
        program: "Gitpod",
        source: "https://www.gitpod.io/docs/references/gitpod-yml",
        paths: &[".gitpod.yml"],
    },
    // Shells, git and package managers, which run commands on behalf of the agent's own.
    Files {
        program: "direnv",
        source: "https://direnv.net/man/direnv.1.html",
        paths: &[".envrc", ".config/direnv"],
    },
    Files {
        program: "mise",
        source: "https://mise.jdx.dev/configuration.html",
        paths: &[
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise.local.toml",
            "mise/config.toml",
            ".mise",
            ".config/mise",
            ".config/mise.toml",
        ],
    },
    Files {
        program: "asdf",
        source: "https://asdf-vm.com/manage/configuration.html",
        paths: &[".tool-versions"],
    },
    Files {
        program: "systemd",
        source: "https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html",
        paths: &[".config/systemd/user"],
    },
    Files {
        program: "desktop sessions",
        source: "https://specifications.freedesktop.org/autostart-spec/latest",
        paths: &[".config/autostart", "Library/LaunchAgents"],
    },
    Files {
        program: "shells",
        source: "bash(1), zsh(1), https://fishshell.com/docs/current/language.html#configuration-files",
        paths: &[
            ".profile",
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".bash_aliases",
            ".zshenv",
            ".zprofile",
            ".zshrc",
            ".zlogin",
            ".zlogout",
            ".xprofile",
            ".xinitrc",
            ".xsession",
            ".config/fish",
            ".local/bin",
        ],
    },
    Files {
        program: "git",
        source: "git-config(1), githooks(5)",
        paths: &[".gitconfig", ".config/git/config", ".githooks"],
    },
    Files {
        program: "ssh",
        source: "ssh_config(5)",
        paths: &[".ssh/config"],
    },
    Files {
        program: "Mercurial",
        source: "hgrc(5)",
        paths: &[".hg/hgrc"],
    },
    Files {
        program: "husky",
        source: "https://typicode.github.io/husky",
        paths: &[".husky"],
    },
    Files {
        program: "pre-commit",
        source: "https://pre-commit.com",
        paths: &[".pre-commit-config.yaml", ".pre-commit-hooks.yaml"],
    },
    Files {
        program: "Lefthook",
        source: "https://lefthook.dev/configuration",
        paths: LEFTHOOK,
    },
    Files {
        program: "Overcommit",
        source: "https://github.com/sds/overcommit#configuration",
        paths: &[".overcommit.yml", ".git-hooks"],
    },
    Files {
        program: "npm",
        source: "https://docs.npmjs.com/cli/configuring-npm/npmrc",
        paths: &[".npmrc"],
    },
    Files {
        program: "Yarn",
        source: "https://yarnpkg.com/configuration/yarnrc",
        paths: &[".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins"],
    },
    Files {
        program: "pnpm",
        source: "https://pnpm.io/pnpmfile",
        paths: &[".pnpmfile.cjs", ".pnpmfile.mjs"],
    },
    Files {
        program: "Cargo",
        source: "https://doc.rust-lang.org/cargo/reference/config.html",
        paths: &[".cargo/config", ".cargo/config.toml"],
    },
    Files {
        program: "rustup",
        source: "https://rust-lang.github.io/rustup/overrides.html",
        paths: &["rust-toolchain", "rust-toolchain.toml"],
    },
    Files {
        program: "Gradle",
        source: "https://docs.gradle.org/current/userguide/gradle_wrapper.html",
        paths: &["gradle/wrapper"],
    },
    Files {
        program: "Maven",
        source: "https://maven.apache.org/configure.html",
        paths: &[".mvn"],
    },
];

/// Also below `.config`, without the leading dot.
const LEFTHOOK: &[&str] = &[
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    "lefthook.jsonc",
    "lefthook-local.yml",
    "lefthook-local.yaml",
    "lefthook-local.toml",
    "lefthook-local.json",
    "lefthook-local.jsonc",
    ".lefthook.yml",
    ".lefthook.yaml",
    ".lefthook.toml",
    ".lefthook.json",
    ".lefthook.jsonc",
    ".lefthook-local.yml",
    ".lefthook-local.yaml",
    ".lefthook-local.toml",
    ".lefthook-local.json",
    ".lefthook-local.jsonc",
    ".lefthook",
    ".lefthook-local",
];
