//! The files of coding agents.

use super::Files;

pub(super) const AGENTS: &[Files] = &[
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
];
