//! The files of shells, version control, package managers and other tools. Each makes its program
//! execute commands.

use super::ProgramFiles;

pub(super) const TOOLS: &[ProgramFiles] = &[
    ProgramFiles {
        program: "direnv",
        source: "https://direnv.net/man/direnv.1.html",
        paths: &[".envrc", ".config/direnv"],
    },
    ProgramFiles {
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
    ProgramFiles {
        program: "asdf",
        source: "https://asdf-vm.com/manage/configuration.html",
        paths: &[".tool-versions"],
    },
    ProgramFiles {
        program: "systemd",
        source: "https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html",
        paths: &[".config/systemd/user", ".local/share/systemd/user"],
    },
    ProgramFiles {
        program: "user environment",
        source: "environment.d(5)",
        paths: &[".config/environment.d"],
    },
    ProgramFiles {
        program: "desktop sessions",
        source: "https://specifications.freedesktop.org/autostart-spec/latest",
        paths: &[".config/autostart", "Library/LaunchAgents"],
    },
    ProgramFiles {
        program: "shells",
        source: "bash(1), zsh(1), tcsh(1), https://fishshell.com/docs/current/language.html#configuration-files",
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
            ".tcshrc",
            ".cshrc",
            ".xprofile",
            ".xinitrc",
            ".xsession",
            ".config/fish",
            ".local/bin",
        ],
    },
    ProgramFiles {
        program: "git",
        source: "git-config(1), githooks(5)",
        paths: &[".gitconfig", ".config/git/config", ".githooks"],
    },
    ProgramFiles {
        program: "ssh",
        source: "ssh_config(5)",
        paths: &[".ssh/config"],
    },
    ProgramFiles {
        program: "Mercurial",
        source: "hgrc(5)",
        paths: &[".hg/hgrc", ".config/hg/hgrc"],
    },
    ProgramFiles {
        program: "husky",
        source: "https://typicode.github.io/husky",
        paths: &[".husky"],
    },
    ProgramFiles {
        program: "pre-commit",
        source: "https://pre-commit.com",
        paths: &[".pre-commit-config.yaml", ".pre-commit-hooks.yaml"],
    },
    ProgramFiles {
        program: "Lefthook",
        source: "https://lefthook.dev/configuration",
        paths: LEFTHOOK,
    },
    ProgramFiles {
        program: "Overcommit",
        source: "https://github.com/sds/overcommit#configuration",
        paths: &[".overcommit.yml", ".git-hooks"],
    },
    ProgramFiles {
        program: "npm",
        source: "https://docs.npmjs.com/cli/configuring-npm/npmrc",
        paths: &[".npmrc"],
    },
    ProgramFiles {
        program: "Yarn",
        source: "https://yarnpkg.com/configuration/yarnrc",
        paths: &[".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins"],
    },
    ProgramFiles {
        program: "pnpm",
        source: "https://pnpm.io/pnpmfile",
        paths: &[".pnpmfile.cjs", ".pnpmfile.mjs"],
    },
    ProgramFiles {
        program: "Cargo",
        source: "https://doc.rust-lang.org/cargo/reference/config.html",
        paths: &[".cargo/config", ".cargo/config.toml"],
    },
    ProgramFiles {
        program: "rustup",
        source: "https://rust-lang.github.io/rustup/overrides.html",
        paths: &["rust-toolchain", "rust-toolchain.toml"],
    },
    ProgramFiles {
        program: "Gradle",
        source: "https://docs.gradle.org/current/userguide/gradle_wrapper.html",
        paths: &["gradle/wrapper"],
    },
    ProgramFiles {
        program: "Maven",
        source: "https://maven.apache.org/configure.html",
        paths: &[".mvn"],
    },
];

/// A path without a leading dot also matches below `.config`, as any path matches below any
/// directory.
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
