"""Codex's apply_patch, from the npm package @openai/codex."""

import glob
import json
import os

from harness.applier import Applier, NotInstalled, run_quiet

VERSION = "0.171.0"


class Codex(Applier):
    """The program of the package, started under the name apply_patch. It is then the tool of the model."""

    name = "Codex apply_patch"
    summary = 'apply_patch "$(cat PATCH)"'
    formats = ("codex",)

    def install(self, cache):
        root = os.path.join(cache, f"codex-{VERSION}")
        pattern = os.path.join(root, "node_modules", "@openai", "codex-*", "vendor", "*", "bin", "codex")
        if not glob.glob(pattern):
            os.makedirs(root, exist_ok=True)
            command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", root, f"@openai/codex@{VERSION}"]
            run_quiet(command, os.path.join(cache, "codex.log"))
        programs = sorted(glob.glob(pattern))
        if not programs:
            raise NotInstalled("the package @openai/codex has no program for this system")
        self.package = os.path.join(root, "node_modules", "@openai", "codex", "package.json")
        self.program = os.path.join(root, "apply_patch")
        if not os.path.exists(self.program):
            if os.path.lexists(self.program):
                os.remove(self.program)
            os.symlink(programs[0], self.program)

    def version(self):
        with open(self.package, encoding="utf-8") as file:
            return json.load(file)["version"]

    def command(self, patch, format):
        # The tool reads its only argument, or standard input without an argument.
        return ["sh", "-c", 'exec "$1" < "$2"', "sh", self.program, patch]


APPLIERS = [Codex()]
