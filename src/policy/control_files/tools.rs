//! The files of shells, git and package managers, which execute commands when an agent uses these
//! programs.

use super::Files;

pub(super) const TOOLS: &[Files] = &[
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

/// These files can also be below `.config`, without the leading dot.
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
