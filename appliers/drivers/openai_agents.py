"""The apply_patch tool of OpenAI's Agents SDK, from the PyPI package openai-agents."""

import os

from harness.applier import HERE, Applier, pip_install

VERSION = "0.24.0"


class Agents(Applier):
    """The tool for sandboxes, called as a library in a local session whose workspace is the tree."""

    name = "OpenAI Agents SDK"
    summary = "SandboxApplyPatchTool in a UnixLocalSandboxSession"
    formats = ("codex",)

    def install(self, cache):
        self.python = pip_install(cache, "openai-agents", VERSION)

    def version(self):
        return VERSION

    def library(self):
        return [self.python, os.path.join(HERE, "drivers", "library", "agents_edit.py")]

    def command(self, patch, format):
        return [*self.library(), patch]


APPLIERS = [Agents()]
