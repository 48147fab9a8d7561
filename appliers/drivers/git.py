"""git apply, as installed: strict, tolerant, and as a three-way merge."""

from harness.applier import Applier, find_program, first_line


class Git(Applier):
    """`git apply` with options."""

    formats = ("git", "unified")

    def __init__(self, name, options, writes=False):
        self.name = name
        self.options = options
        self.writes = writes
        self.summary = " ".join(["git apply", *options, "PATCH"])

    def install(self, cache):
        self.program = find_program("git")

    def version(self):
        return first_line([self.program, "--version"])

    def command(self, patch, format):
        return [self.program, "apply", *self.options, patch]


APPLIERS = [
    Git("git apply", [], writes=True),
    Git("git apply, tolerant", ["--recount", "-C1", "--ignore-whitespace"]),
    Git("git apply --3way", ["--3way"]),
]
