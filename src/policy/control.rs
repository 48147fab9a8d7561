//! Files that control what an agent, an editor or a CI system executes, or which instructions an agent follows.
//!
//! `hook` and `mcp` ask before they are written. To add a file, add a row to [`FILES`].
//!
//! Files that a build executes, such as `Makefile`, `package.json` and `build.rs`, are not in the table: they are part of the
//! code that an agent is asked to change, and a reviewer reads them as code.

use super::{Access, Hit, Place, Verdict, names};
use crate::path::RelPath;

/// The name of the rule in reports.
pub(super) const RULE: &str = "control-files";

/// The setting of the rule, least strict first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Control {
    /// It is switched off (`control_files = false`).
    Off,
    /// `hook` and `mcp` ask.
    #[default]
    Ask,
}

/// The files of one program.
struct Files {
    program: &'static str,
    /// Where the program documents them.
    #[allow(dead_code, reason = "the source of the row, for readers and for the test")]
    source: &'static str,
    /// Relative paths, matched below any directory. A directory matches everything in it.
    paths: &'static [&'static str],
}

const FILES: &[Files] = &[
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
        source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/get-started/configuration.md",
        paths: &[".gemini", "GEMINI.md"],
    },
    Files {
        program: "GitHub Copilot",
        source: "https://docs.github.com/en/copilot/how-tos/configure-custom-instructions \
                 https://docs.github.com/en/copilot/how-tos/copilot-cli",
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
    Files { program: "Cline", source: "https://docs.cline.bot/features/cline-rules", paths: &[".clinerules"] },
    Files {
        program: "Roo Code",
        source: "https://docs.roocode.com/features/custom-instructions",
        paths: &[".roo", ".roorules", ".roomodes"],
    },
    Files {
        program: "Continue",
        source: "https://docs.continue.dev/customize/deep-dives/rules",
        paths: &[".continue"],
    },
    Files { program: "aider", source: "https://aider.chat/docs/config/aider_conf.html", paths: &[".aider.conf.yml"] },
    Files {
        program: "OpenCode",
        source: "https://opencode.ai/docs/config",
        paths: &[".opencode", "opencode.json", "opencode.jsonc"],
    },
    Files {
        program: "Goose",
        source: "https://block.github.io/goose/docs/guides/using-goosehints",
        paths: &[".goosehints"],
    },
    Files { program: "Qwen Code", source: "https://qwenlm.github.io/qwen-code-docs", paths: &[".qwen", "QWEN.md"] },
    Files {
        program: "Crush",
        source: "https://github.com/charmbracelet/crush#configuration",
        paths: &[".crush.json", "crush.json"],
    },
    Files { program: "Warp", source: "https://docs.warp.dev/knowledge-and-collaboration/rules", paths: &["WARP.md"] },
    Files {
        program: "Augment Code",
        source: "https://docs.augmentcode.com/setup-augment/guidelines",
        paths: &[".augment", ".augment-guidelines"],
    },
    Files { program: "Trae", source: "https://docs.trae.ai/ide/rules", paths: &[".trae"] },
    Files { program: "Kiro", source: "https://kiro.dev/docs/steering", paths: &[".kiro"] },
    Files { program: "Junie", source: "https://www.jetbrains.com/help/junie", paths: &[".junie"] },
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
    Files { program: "CircleCI", source: "https://circleci.com/docs/configuration-reference", paths: &[".circleci"] },
    Files {
        program: "Jenkins",
        source: "https://www.jenkins.io/doc/book/pipeline/jenkinsfile",
        paths: &["Jenkinsfile"],
    },
    Files {
        program: "Azure Pipelines",
        source: "https://learn.microsoft.com/en-us/azure/devops/pipelines/yaml-schema",
        paths: &["azure-pipelines.yml", "azure-pipelines.yaml", ".azure-pipelines"],
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
    Files { program: "Buildkite", source: "https://buildkite.com/docs/pipelines", paths: &[".buildkite"] },
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
    Files { program: "Semaphore", source: "https://docs.semaphore.io/reference/pipeline-yaml", paths: &[".semaphore"] },
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
    Files { program: "Gitpod", source: "https://www.gitpod.io/docs/references/gitpod-yml", paths: &[".gitpod.yml"] },
    // Shells, git and package managers, which run commands on behalf of the agent's own.
    Files { program: "direnv", source: "https://direnv.net/man/direnv.1.html", paths: &[".envrc", ".config/direnv"] },
    Files {
        program: "mise",
        source: "https://mise.jdx.dev/configuration.html",
        paths: &["mise.toml", ".mise.toml", "mise.local.toml", "mise/config.toml", ".mise", ".config/mise"],
    },
    Files { program: "asdf", source: "https://asdf-vm.com/manage/configuration.html", paths: &[".tool-versions"] },
    Files {
        program: "systemd",
        source: "https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html",
        paths: &[".config/systemd/user"],
    },
    Files {
        program: "desktop sessions",
        source: "https://specifications.freedesktop.org/autostart-spec/latest",
        paths: &[".config/autostart"],
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
            ".config/fish",
        ],
    },
    Files {
        program: "git",
        source: "git-config(1), githooks(5)",
        paths: &[".gitconfig", ".config/git/config", ".githooks"],
    },
    Files { program: "ssh", source: "ssh_config(5)", paths: &[".ssh/config"] },
    Files { program: "Mercurial", source: "hgrc(5)", paths: &[".hg/hgrc"] },
    Files { program: "husky", source: "https://typicode.github.io/husky", paths: &[".husky"] },
    Files {
        program: "pre-commit",
        source: "https://pre-commit.com",
        paths: &[".pre-commit-config.yaml", ".pre-commit-hooks.yaml"],
    },
    Files {
        program: "Lefthook",
        source: "https://lefthook.dev/configuration",
        paths: &["lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook-local.yml", ".lefthook"],
    },
    Files { program: "npm", source: "https://docs.npmjs.com/cli/configuring-npm/npmrc", paths: &[".npmrc"] },
    Files {
        program: "Yarn",
        source: "https://yarnpkg.com/configuration/yarnrc",
        paths: &[".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins"],
    },
    Files { program: "pnpm", source: "https://pnpm.io/pnpmfile", paths: &[".pnpmfile.cjs", ".pnpmfile.mjs"] },
    Files {
        program: "Cargo",
        source: "https://doc.rust-lang.org/cargo/reference/config.html",
        paths: &[".cargo/config", ".cargo/config.toml"],
    },
    Files { program: "Maven", source: "https://maven.apache.org/configure.html", paths: &[".mvn"] },
];

/// Returns each path of the table with the program that it controls.
pub fn control_paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().flat_map(|files| files.paths.iter().map(|path| (*path, files.program)))
}

/// Ends of names that count like the files of Visual Studio Code.
const WORKSPACE_END: &[u8] = b".code-workspace";

/// Returns what the rule says of doing this to `path`, below a root at `place`.
pub(super) fn judge(path: &RelPath, access: Access, place: &Place) -> Option<Hit> {
    if access == Access::Read {
        return None;
    }
    let program = program(path, place)?;
    let reason = format!("it controls {program}");
    Some(Hit { verdict: Verdict::Ask, ..Hit::built_in(path, access, RULE, &reason) })
}

/// Returns the program that `path` controls.
fn program(path: &RelPath, place: &Place) -> Option<&'static str> {
    let parts: Vec<&[u8]> = names::parts(path).collect();
    if parts.last().is_some_and(|name| names::is_ending(name, WORKSPACE_END)) {
        return Some("Visual Studio Code");
    }
    // The first components may be above the root. The last must be below it: a root may be in a directory such as
    // `.codex/worktrees`.
    let above = |root: &Vec<u8>| root.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let roots: Vec<Vec<Vec<u8>>> =
        if place.roots.is_empty() { vec![Vec::new()] } else { place.roots.iter().map(above).collect() };
    let is_control = |wanted: &str| {
        let wanted: Vec<&[u8]> = wanted.split('/').map(str::as_bytes).collect();
        roots.iter().any(|root| is_match(&wanted, root, &parts))
    };
    FILES.iter().find(|files| files.paths.iter().any(|wanted| is_control(wanted))).map(|files| files.program)
}

/// Returns whether `wanted` is somewhere in the components `above` and `below` the root, with its end below. A file that
/// takes the place of a directory on the way to it counts as well.
fn is_match(wanted: &[&[u8]], above: &[Vec<u8>], below: &[&[u8]]) -> bool {
    let parts: Vec<&[u8]> = above.iter().map(Vec::as_slice).chain(below.iter().copied()).collect();
    (0..parts.len()).any(|start| {
        // `zip` ends at the shorter side, so that a file `.github` matches `.github/workflows`.
        let way = parts[start..].iter().zip(wanted);
        let length = way.clone().count();
        start + length > above.len() && way.into_iter().all(|(part, name)| names::is_spelled(part, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(root: &str, name: &str) -> Option<&'static str> {
        let roots = if root.is_empty() { Vec::new() } else { vec![root.into()] };
        program(&RelPath::new(name.as_bytes()).unwrap(), &Place { roots, homes: Vec::new() })
    }

    #[test]
    fn every_file_of_the_table_is_found_in_every_spelling() {
        for files in FILES {
            assert!(files.source.contains("://") || files.source.contains("(1)") || files.source.contains("(5)"));
            for path in files.paths {
                let spellings = [
                    (*path).to_owned(),
                    path.to_uppercase(),
                    format!("sub/{path}"),
                    format!("{path}/below"),
                    format!("{path}. "),
                    format!("{path}::$DATA"),
                    path.replace('/', "\\"),
                    path.replace('e', "e\u{200b}"),
                    path.split('/').next().unwrap().to_owned(),
                ];
                for spelling in spellings {
                    assert!(found("", &spelling).is_some(), "{spelling}");
                    assert!(found("/srv/p", &spelling).is_some(), "{spelling}");
                }
            }
        }
        assert_eq!(found("", "p.Code-Workspace"), Some("Visual Studio Code"));
    }

    #[test]
    fn other_files_are_not_found() {
        for name in [
            "a",
            "src/main.rs",
            "claude.md2",
            ".claude/plans/plan.md",
            ".claude/projects/p/memory/MEMORY.md",
            ".github/CODEOWNERS",
            "settings.json",
            "hooks/x",
            "workflows/ci.yml",
            ".vscode/snippets.json",
            "package.json",
            "Makefile",
            ".env",
            "config",
            "docs/AGENTS.md.txt",
            ".cargo/credentials.toml",
        ] {
            assert_eq!(found("/srv/p", name), None, "{name}");
        }
    }

    #[test]
    fn the_way_to_a_file_may_begin_above_the_root() {
        assert_eq!(found("/srv/p/.claude", "settings.json"), Some("Claude Code"));
        assert_eq!(found("/srv/p/.github", "workflows/ci.yml"), Some("GitHub Actions"));
        assert_eq!(found("/home/me/.codex/worktrees/p", "src/a.rs"), None);
        assert_eq!(found("/home/me/.cursor/worktrees/p", "src/a.rs"), None);
    }
}
