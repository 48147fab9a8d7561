"""patchloom from crates.io: default options, and the option for agents that keeps it inside the directory."""

from harness.applier import Applier, cargo_install, first_line

VERSION = "0.37.6"


class Patchloom(Applier):
    """`patchloom patch apply --apply PATCH`. Its SEARCH/REPLACE blocks name the file in another way than Aider's."""

    formats = ("git", "unified", "codex")
    state = (".patchloom",)

    def __init__(self, name, options, writes=False):
        self.name = name
        self.options = options
        self.writes = writes
        self.summary = " ".join(["patchloom patch apply", *options, "--apply PATCH"])

    def install(self, cache):
        options = ["--no-default-features", "--features", "cli"]
        self.program = cargo_install(cache, "patchloom", VERSION, options)

    def version(self):
        return first_line([self.program, "--version"])

    def command(self, patch, format):
        # --contain also rejects a patch file outside the directory. Standard input avoids this.
        script = 'program=$1 patch=$2; shift 2; exec "$program" patch apply --apply --stdin "$@" < "$patch"'
        if self.options:
            return ["sh", "-c", script, "sh", self.program, patch, *self.options]
        return [self.program, "patch", "apply", "--apply", patch]

    def recover(self):
        # The documented way back from the last write. patchloom documents no recovery after a kill.
        return [self.program, "undo", "--apply"]


APPLIERS = [Patchloom("patchloom", [], writes=True), Patchloom("patchloom --contain", ["--contain"])]
