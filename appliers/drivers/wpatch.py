"""wpatch: $WPATCH, or the release build of this repository."""

import os

from harness.applier import HERE, Applier, NotInstalled, first_line, run_quiet


class Wpatch(Applier):
    """`wpatch apply` with options."""

    formats = ("git", "unified", "codex", "blocks")
    state = (".git/wpatch",)

    def __init__(self, name, options, writes=False):
        self.name = name
        self.options = options
        self.writes = writes
        self.summary = " ".join(["wpatch apply", *options, "PATCH"])

    def install(self, cache):
        project = os.path.dirname(HERE)
        self.program = os.environ.get("WPATCH") or os.path.join(project, "target", "release", "wpatch")
        if not os.path.exists(self.program):
            if os.environ.get("WPATCH"):
                raise NotInstalled(f"WPATCH names no file: {self.program}")
            run_quiet(["cargo", "build", "--release", "--locked"], os.path.join(cache, "wpatch.log"), cwd=project)
        self.program = os.path.abspath(self.program)

    def version(self):
        return first_line([self.program, "--version"])

    def command(self, patch, format):
        return [self.program, "apply", *self.options, patch]

    def recover(self):
        return [self.program, "recover"]


APPLIERS = [
    Wpatch("wpatch", [], writes=True),
    Wpatch("wpatch --lenient", ["--lenient"]),
    Wpatch("wpatch --3way", ["--3way"]),
]
