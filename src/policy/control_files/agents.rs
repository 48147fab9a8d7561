//! The files of coding agents.

use super::ProgramFiles;

pub(super) const AGENTS: &[ProgramFiles] = &[
    ProgramFiles {
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
    ProgramFiles {
        program: "Codex",
        source: "https://developers.openai.com/codex/config-reference https://developers.openai.com/codex/hooks",
        paths: &[".codex", "AGENTS.override.md"],
    },
    ProgramFiles {
        program: "coding agents",
        source: "https://agents.md https://agentskills.io",
        paths: &["AGENTS.md", "AGENT.md", ".agents"],
    },
    ProgramFiles {
        program: "Gemini CLI",
        source: "https://geminicli.com/docs/reference/configuration",
        paths: &[".gemini", "GEMINI.md"],
    },
    ProgramFiles {
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
    ProgramFiles {
        program: "Cursor",
        source: "https://cursor.com/docs/context/rules https://cursor.com/docs/agent/hooks",
        paths: &[".cursor", ".cursorrules"],
    },
    ProgramFiles {
        program: "Windsurf",
        source: "https://docs.windsurf.com/windsurf/cascade/memories",
        paths: &[".windsurf", ".windsurfrules"],
    },
    ProgramFiles {
        program: "Cline",
        source: "https://docs.cline.bot/customization/cline-rules",
        paths: &[".clinerules", ".cline"],
    },
    ProgramFiles {
        program: "Roo Code",
        source: "https://docs.roocode.com/features/custom-instructions",
        paths: &[".roo", ".roorules", ".roorules-code", ".roomodes"],
    },
    ProgramFiles {
        program: "Continue",
        source: "https://docs.continue.dev/customize/deep-dives/rules",
        paths: &[".continue", ".continuerules"],
    },
    ProgramFiles {
        program: "aider",
        source: "https://aider.chat/docs/config/aider_conf.html",
        paths: &[".aider.conf.yml"],
    },
    ProgramFiles {
        program: "OpenCode",
        source: "https://opencode.ai/docs/config",
        paths: &[
            ".opencode",
            "opencode.json",
            "opencode.jsonc",
            ".config/opencode",
        ],
    },
    ProgramFiles {
        program: "Goose",
        source: "https://block.github.io/goose/docs/guides/context-engineering/using-goosehints",
        paths: &[".goosehints", ".config/goose"],
    },
    ProgramFiles {
        program: "Qwen Code",
        source: "https://qwenlm.github.io/qwen-code-docs",
        paths: &[".qwen", "QWEN.md"],
    },
    ProgramFiles {
        program: "Crush",
        source: "https://github.com/charmbracelet/crush#configuration",
        paths: &[".crush.json", "crush.json"],
    },
    ProgramFiles {
        program: "Warp",
        source: "https://docs.warp.dev/agents/capabilities/rules",
        paths: &["WARP.md"],
    },
    ProgramFiles {
        program: "Augment Code",
        source: "https://docs.augmentcode.com/setup-augment/guidelines",
        paths: &[".augment", ".augment-guidelines"],
    },
    ProgramFiles {
        program: "Trae",
        source: "https://docs.trae.ai/ide/rules",
        paths: &[".trae"],
    },
    ProgramFiles {
        program: "Kilo Code",
        source: "https://kilo.ai/docs/customize/custom-rules",
        paths: &[".kilocode", ".kilocodemodes", ".kilocoderules"],
    },
    ProgramFiles {
        program: "Amp",
        source: "https://ampcode.com/manual",
        paths: &[".amp", ".config/amp"],
    },
    ProgramFiles {
        program: "Factory",
        source: "https://docs.factory.ai/cli/configuration/settings",
        paths: &[".factory"],
    },
    ProgramFiles {
        program: "OpenHands",
        source: "https://docs.openhands.dev/openhands/usage/customization/repository",
        paths: &[".openhands"],
    },
    ProgramFiles {
        program: "Antigravity",
        source: "https://antigravity.google/docs/rules-workflows",
        paths: &[".agent"],
    },
    ProgramFiles {
        program: "Firebase Studio",
        source: "https://firebase.google.com/docs/studio/customize-workspace",
        paths: &[".idx"],
    },
    ProgramFiles {
        program: "Replit",
        source: "https://docs.replit.com/replit-app/configuration",
        paths: &[".replit"],
    },
    ProgramFiles {
        program: "Kiro",
        source: "https://kiro.dev/docs/steering",
        paths: &[".kiro"],
    },
    ProgramFiles {
        program: "Junie",
        source: "https://www.jetbrains.com/help/junie",
        paths: &[".junie"],
    },
    ProgramFiles {
        program: "Amazon Q Developer",
        source: "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/context-project-rules.html",
        paths: &[".amazonq"],
    },
];
